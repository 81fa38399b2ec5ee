"""Padding mask: the last tokens are filler that nobody looks at."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import projected, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import padding_mask


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q, K and V, and a last key that is hidden from every query."""
    visible = [True] * (plan.n - 1) + [False]
    tokens = (*sentence(stream, plan.n - 1), "[pad]")
    problem = projected(stream, plan, settings, padding_mask(plan.n, visible), tokens)
    return Draft(problem, (Fill(("S", "Z", "M", "A", "O")),)) if problem else None


RECIPE: Final = Recipe(
    "padding-mask",
    1,
    "Attention with padding",
    "a padded sequence: the filler's column is hidden from every query",
    (
        Plan(3, 0, 4, 1, 0, 2),
        Plan(3, 0, 4, 2, -1, 2),
        Plan(4, 0, 3, 2, -1, 2),
        Plan(4, 0, 5, 3, -2, 2),
        Plan(5, 0, 3, 2, -2, 3),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
