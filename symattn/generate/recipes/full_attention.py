"""Full attention: from the embeddings to the output, one head."""

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
    """X and three projections of small integers."""
    problem = embedded(stream, plan, settings)
    return Draft(problem, (Fill(("Q", "K", "V", "S", "Z", "A", "O")),)) if problem else None


RECIPE: Final = Recipe(
    "full-attention",
    1,
    "Attention by hand",
    "from the embeddings to the output: Q, K, V, scores, softmax, output",
    (
        Plan(2, 3, 4, 1, 0, 2),
        Plan(3, 2, 4, 1, -1, 2),
        Plan(3, 2, 4, 5, -1, 2),
        Plan(3, 4, 5, 2, -1, 2),
        Plan(4, 3, 5, 2, -2, 2),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
