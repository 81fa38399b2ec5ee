"""One step of generation: the new token's row, with the keys and values of the others kept."""

from __future__ import annotations

from dataclasses import replace
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
from symattn.problem import causal_mask


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """A causal problem of which only the last row is worked out."""
    problem = embedded(stream, plan, settings)
    if problem is None:
        return None
    causal = replace(problem, mask=causal_mask(plan.n, plan.n, corner="top-left"))
    letters = ("Q", "K", "V", "S", "Z", "A", "O")
    return Draft(causal, (Fill(letters, last_row=True),))


RECIPE: Final = Recipe(
    "kv-cache",
    1,
    "One step with a KV cache",
    "the next token's row from cached keys and values, and why it equals the full row",
    (
        Plan(3, 2, 4, 1, 0, 2),
        Plan(3, 2, 4, 5, -1, 2),
        Plan(4, 3, 5, 2, -1, 2),
        Plan(5, 6, 4, 3, -1, 2),
        Plan(6, 5, 4, 3, -2, 2),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
