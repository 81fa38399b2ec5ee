"""Reverse: from weights back to the scores that gave them."""

from __future__ import annotations

from dataclasses import replace
from typing import Final

from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import WEIGHT_ROWS
from symattn.generate.recipe import Recipe
from symattn.generate.recipes.tidy_weights import log_scores
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Reverse


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Scores ln p with a 1 among the p of each row, so that its smallest score is 0."""
    problem = log_scores(stream, plan, smallest=1)
    if problem is None:
        return None
    (head,) = problem.heads
    return Draft(replace(problem, heads=(replace(head, V=None),)), (Reverse(),))


RECIPE: Final = Recipe(
    "reverse",
    1,
    "From weights to scores",
    "the weights are given: which scores have them, if the smallest of each row is 0?",
    (
        Plan(2, 0, 1, 1, 1, 6),
        Plan(3, 0, 1, 1, 1, 9),
        Plan(3, 0, 1, 1, 1, 12),
        Plan(4, 0, 1, 1, 1, 12),
        Plan(5, 0, 1, 1, 1, 16),
    ),
    draw,
    (WEIGHT_ROWS,),
)
