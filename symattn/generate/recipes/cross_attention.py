"""Cross-attention: the queries of one sequence ask the keys of another."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import embedded
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """X for the queries, X_kv for keys and values."""
    problem = embedded(stream, plan, settings)
    return Draft(problem, (Fill(("Q", "K", "V", "S", "Z", "A", "O")),)) if problem else None


RECIPE: Final = Recipe(
    "cross-attention",
    1,
    "Cross-attention",
    "queries from one sequence, keys and values from a longer one",
    (
        Plan(2, 5, 4, 1, 0, 2, m=3),
        Plan(2, 5, 4, 1, -1, 2, m=3),
        Plan(2, 5, 4, 6, -1, 2, m=3),
        Plan(3, 6, 5, 2, -1, 2, m=4),
        Plan(3, 6, 5, 2, -2, 2, m=4),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
