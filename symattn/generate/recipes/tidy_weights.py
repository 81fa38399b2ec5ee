"""Tidy weights: the true softmax is rational, so no calculator is needed."""

from __future__ import annotations

from typing import Final

from symattn.exact.matrix import Matrix
from symattn.exact.number import Number, logarithm
from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import given, integers, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NOT_SYMMETRIC, VALUE_ROWS, WEIGHT_ROWS
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Ints, Stream
from symattn.generate.tasks import Fill
from symattn.problem import NO_SCALE, Given, HeadGiven, Problem

SUMS: Final = (4, 5, 6, 8, 10, 12, 15, 20)
"""Row sums that are easy to divide by."""


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Scores ln p for small whole p; weights and outputs are fractions."""
    problem = log_scores(stream, plan)
    return Draft(problem, (Fill(("A", "O"), fractions=True),)) if problem else None


def log_scores(stream: Stream, plan: Plan) -> Problem | None:
    """Scores ln p with row sums that are easy to divide by, no scale, and values."""
    rows = [_row(stream, plan) for _ in range(plan.n)]
    V = integers(stream, plan.n, plan.d_v, plan.low, plan.high)
    found = tuple(row for row in rows if row)
    if V is None or len(set(found)) < plan.n:
        return None
    tokens = sentence(stream, plan.n)
    head = HeadGiven(S=logarithms(found), V=given("V", V))
    return Problem(tokens, tokens, (head,), scale=NO_SCALE, d_k=plan.d_k)


def logarithms(rows: Ints) -> Given:
    """S with the entries ln p."""
    return Given(
        "S",
        Matrix.of([[logarithm(p) if p > 1 else Number.of(0) for p in row] for row in rows]),
    )


def _row(stream: Stream, plan: Plan) -> tuple[int, ...] | None:
    """What the exponentials of a row are."""
    for _ in range(60):
        (row,) = stream.matrix(1, plan.n, 1, 9)
        if sum(row) in SUMS and len(set(row)) > 1:
            return row
    return None


RECIPE: Final = Recipe(
    "tidy-weights",
    1,
    "Tidy weights",
    "scores are logarithms, so weights and outputs are fractions: no calculator",
    (
        Plan(2, 0, 1, 3, 0, 4),
        Plan(3, 0, 1, 2, -2, 6),
        Plan(3, 0, 1, 4, -3, 4),
        Plan(4, 0, 1, 3, -4, 5),
        Plan(5, 0, 1, 3, -6, 6),
    ),
    draw,
    (VALUE_ROWS, WEIGHT_ROWS, NOT_SYMMETRIC, DISCRIMINATING),
    ("tied",),
)
