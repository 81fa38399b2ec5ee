"""Full attention: from the embeddings to the output, one head."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import integers, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import HeadGiven, Problem

LETTERS: Final = ("Q", "K", "V", "S", "Z", "A", "O")


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft:
    """X and three projections of small integers."""
    tokens = sentence(stream, plan.n)
    X = integers(stream, "X", plan.n, plan.d_model, plan.low, plan.high)
    W_Q, W_K, W_V = (
        integers(stream, f"W_{letter}", plan.d_model, width, max(plan.low, -1), min(plan.high, 2))
        for letter, width in (("Q", plan.d_k), ("K", plan.d_k), ("V", plan.d_v))
    )
    problem = Problem(tokens, tokens, (HeadGiven(W_Q, W_K, W_V),), X)
    return Draft(problem, (Fill(LETTERS),))


RECIPE: Final = Recipe(
    "full-attention",
    1,
    "Attention by hand",
    "from the embeddings to the output: Q, K, V, scores, softmax, output",
    (
        Plan(2, 3, 4, 1, 0, 2),
        Plan(3, 2, 4, 1, -1, 2),
        Plan(3, 2, 4, 5, -1, 2),
        Plan(3, 4, 5, 2, -2, 2),
        Plan(4, 5, 3, 2, -2, 3),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
