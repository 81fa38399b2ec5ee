"""Causal mask: no token looks at what comes after it."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import projected
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import causal_mask


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q, K and V, and the triangle."""
    mask = causal_mask(plan.n, plan.n, corner="top-left")
    problem = projected(stream, plan, settings, mask)
    return Draft(problem, (Fill(("S", "Z", "M", "A", "O")),)) if problem else None


RECIPE: Final = Recipe(
    "causal-mask",
    1,
    "Causal attention",
    "a decoder's mask: −∞ above the diagonal, then softmax and output",
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
