"""Shapes only: what fits what, without a number."""

from __future__ import annotations

from typing import Final

from symattn.generate.draw import given
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Shapes
from symattn.problem import HeadGiven, Problem

STAND_IN: Final = Problem(("a",), ("a",), (HeadGiven(S=given("S", ((1,),))),), d_k=1)
"""The sizes stand in the task; there is nothing to derive."""


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Sizes that are all different; from level 3 on with other keys, from level 4 on with heads."""
    numbers = range(2, plan.high + 1)
    n, m, d_model, d_k, d_v = stream.shuffled(numbers)[:5]
    if not plan.m:
        m = n
    given_: list[tuple[str, int, int]] = [("X", n, d_model)]
    given_ += [("X_kv", m, d_model)] if plan.m else []
    given_ += [("W_Q", d_model, d_k), ("W_K", d_model, d_k), ("W_V", d_model, d_v)]
    asked = [("Q", n, d_k), ("K", m, d_k), ("V", m, d_v), ("S", n, m), ("A", n, m), ("O", n, d_v)]
    if plan.heads > 1:
        width = plan.heads * d_v
        given_ += [("W_O", width, d_model)]
        asked += [("C", n, width), ("Y", n, d_model)]
        if width in (n, m, d_model, d_k, d_v):
            return None
    return Draft(STAND_IN, (Shapes(tuple(given_), tuple(asked), plan.heads),))


RECIPE: Final = Recipe(
    "shapes",
    1,
    "Shapes",
    "only the shapes: what fits what, from X to the output, no numbers at all",
    (
        Plan(0, 0, 0, 0, 2, 999),
        Plan(0, 0, 0, 0, 2, 999),
        Plan(0, 0, 0, 0, 2, 999, m=1),
        Plan(0, 0, 0, 0, 2, 999, heads=4),
        Plan(0, 0, 0, 0, 2, 999, m=1, heads=8),
    ),
    draw,
    (),
    ("tied", "tokens", "low", "high"),
)
