"""Two heads and the output projection."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import given, heads_side_by_side, weights
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q, K and V of two heads, and W_O."""
    problem = heads_side_by_side(stream, plan, settings)
    W_O = weights(stream, plan.heads * plan.d_v, plan.d_model, plan.low)
    if problem is None:
        return None
    joined = replace(problem, W_O=given("W_O", W_O))
    return Draft(joined, (Fill(("S", "Z", "A", "O", "C", "Y")),))


RECIPE: Final = Recipe(
    "two-heads",
    1,
    "Two heads",
    "two heads side by side, then the output projection W_O",
    (
        Plan(2, 3, 4, 1, 0, 2, heads=2),
        Plan(3, 2, 4, 1, -1, 2, heads=2),
        Plan(3, 5, 4, 2, -1, 2, heads=2),
        Plan(3, 6, 5, 2, -2, 2, heads=2),
        Plan(4, 5, 3, 2, -2, 3, heads=2),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
