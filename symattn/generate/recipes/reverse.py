"""Reverse: from weights back to the scores that gave them."""

from __future__ import annotations

from typing import Final

from symattn.generate.draw import sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import WEIGHT_ROWS
from symattn.generate.recipe import Recipe
from symattn.generate.recipes.tidy_weights import logarithms
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Reverse
from symattn.problem import NO_SCALE, HeadGiven, Problem


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Scores ln p with a 1 among the p of each row, so that its smallest score is 0."""
    rows = []
    for row in stream.matrix(plan.n, plan.n - 1, plan.low, plan.high):
        place = stream.below(plan.n)
        rows.append((*row[:place], 1, *row[place:]))
    tokens = sentence(stream, plan.n)
    head = HeadGiven(S=logarithms(tuple(rows)))
    return Draft(Problem(tokens, tokens, (head,), scale=NO_SCALE, d_k=plan.d_k), (Reverse(),))


RECIPE: Final = Recipe(
    "reverse",
    1,
    "From weights to scores",
    "the weights are given: which scores have them, if the smallest of each row is 0?",
    (
        Plan(3, 0, 1, 0, 1, 30),
        Plan(4, 0, 1, 0, 1, 12),
        Plan(4, 0, 1, 0, 1, 30),
        Plan(5, 0, 1, 0, 1, 20),
        Plan(6, 0, 1, 0, 1, 30),
    ),
    draw,
    (WEIGHT_ROWS,),
    ("tied", "low", "high"),
)
