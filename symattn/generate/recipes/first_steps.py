"""First steps: queries, keys and values only."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import given, integers, sentence, values, weights
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NOT_SYMMETRIC, VALUE_ROWS
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import HeadGiven, Problem


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """X and three projections."""
    X = integers(stream, plan.n, plan.d_model, plan.low, plan.high)
    W_V = X and values(stream, X, plan.d_v, plan.low)
    if not X or not W_V:
        return None
    W_Q, W_K = (weights(stream, plan.d_model, plan.d_k, plan.low) for _ in "QK")
    tokens = sentence(stream, plan.n)
    head = HeadGiven(given("W_Q", W_Q), given("W_K", W_K), given("W_V", W_V))
    return Draft(Problem(tokens, tokens, (head,), given("X", X)), (Fill(("Q", "K", "V")),))


RECIPE: Final = Recipe(
    "first-steps",
    1,
    "Queries, keys, values",
    "Q, K and V from the embeddings: matrix products of small integers",
    (
        Plan(2, 3, 4, 1, 0, 2),
        Plan(3, 5, 2, 4, 0, 2),
        Plan(3, 4, 5, 2, -1, 2),
        Plan(4, 5, 3, 2, -2, 2),
        Plan(4, 6, 5, 3, -3, 3),
    ),
    draw,
    (VALUE_ROWS, NOT_SYMMETRIC, DISCRIMINATING),
    ("tied",),
)
