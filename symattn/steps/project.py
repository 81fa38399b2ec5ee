"""Q = X W_Q + b_Q, and K and V likewise: each token asks, offers and carries something."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.formula import Formula, Line, seq, transpose
from symattn.notation import Writing, stage_symbol
from symattn.steps import working


def compute(X: Matrix, W: Matrix, b: Matrix | None = None) -> Matrix:
    """X W + b: n×d_model · d_model×d → n×d; the bias b, 1×d, goes to every row."""
    product = X @ W
    return product + Matrix(b.rows * X.shape[0], b.unit) if b else product


def law(step: Step, writing: Writing) -> Formula:
    X, W, *b = step.inputs
    x, w = stage_symbol(X.name), writing.symbol(W.name)
    if writing.convention.tokens == "rows":
        product = seq(x, w if writing.convention.weights == "right" else transpose(w))
    else:
        product = seq(w if writing.convention.weights == "left" else transpose(w), x)
    return seq(product, "+", writing.symbol(b[0].name)) if b else product


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    X, W, *b = step.inputs
    k = X.shape[1]
    return working.dot_product(
        writing.entry(writing.symbol(step.name), i, j),
        [writing.cell(X, i, a) for a in range(k)],
        [writing.cell(W, a, j) for a in range(k)],
        writing.value(step.value.at(i, j)),
        plus=writing.cell(b[0], 0, j) if b else None,
    )


QUERY: Final = Rule("project", "Queries", compute, law, work)
KEY: Final = Rule("project", "Keys", compute, law, work)
VALUE: Final = Rule("project", "Values", compute, law, work)
