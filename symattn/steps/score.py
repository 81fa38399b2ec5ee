"""S = Q Kᵀ: every query against every key."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.formula import Formula, Line, seq, transpose
from symattn.notation import Writing
from symattn.steps import working


def compute(Q: Matrix, K: Matrix) -> Matrix:
    """Q Kᵀ: n×d_k · d_k×m → n×m."""
    return Q @ K.T


def law(step: Step, writing: Writing) -> Formula:
    q, k = writing.symbol("Q"), writing.symbol("K")
    if writing.convention.tokens == "rows":
        return seq(q, transpose(k))
    return seq(transpose(k), q)


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    Q, K = step.inputs
    d = Q.shape[1]
    return working.dot_product(
        writing.entry(writing.symbol(step.name), i, j),
        [writing.cell(Q, i, a) for a in range(d)],
        [writing.cell(K, j, a) for a in range(d)],
        writing.value(step.value.at(i, j)),
    )


SCORE: Final = Rule("score", "Scores", compute, law, work)
