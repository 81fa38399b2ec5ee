"""Scores: every query against every key."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import given, integers, keys, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import HeadGiven, Problem


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q and K of small integers."""
    Q = integers(stream, plan.n, plan.d_k, plan.low, plan.high)
    K = Q and keys(stream, Q, plan, settings)
    if not Q or not K:
        return None
    tokens = sentence(stream, plan.n)
    head = HeadGiven(Q=given("Q", Q), K=given("K", K))
    return Draft(Problem(tokens, tokens, (head,)), (Fill(("S", "Z")),))


RECIPE: Final = Recipe(
    "scores",
    1,
    "Scores",
    "Q Kᵀ and the division by √dₖ, from given queries and keys",
    (
        Plan(3, 0, 4, 0, 0, 2),
        Plan(3, 0, 4, 0, -1, 2),
        Plan(3, 0, 5, 0, -2, 2),
        Plan(4, 0, 5, 0, -2, 3),
        Plan(5, 0, 3, 0, -3, 3),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
