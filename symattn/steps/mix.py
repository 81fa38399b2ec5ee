"""O = A V: each token's answer is the mixture of the value rows by its weights."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.exact.mixture import Mixture, Weights
from symattn.formula import Formula, Line, product, seq
from symattn.notation import Writing, elided_sum


def compute(A: Weights, V: Matrix) -> Mixture:
    """A V: n×m · m×d_v → n×d_v."""
    return Mixture(A, V)


def law(step: Step, writing: Writing) -> Formula:
    a, v = writing.symbol("A"), writing.symbol("V")
    return seq(a, v) if writing.convention.tokens == "rows" else seq(v, a)


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    A, V = step.inputs
    left = writing.entry(writing.symbol(step.name), i, j)
    keys = range(A.shape[1])
    if step.value.letters:
        terms = [
            product(writing.entry(writing.symbol("A"), i, k), writing.cell(V, k, j)) for k in keys
        ]
        return (Line(left, "=", elided_sum(terms, writing.terms)),)
    shares = writing.rounded(A)[i]
    summands = [product(writing.decimal(shares[k]), writing.cell(V, k, j)) for k in keys]
    rounded = writing.rounded(step)[i][j]
    return (
        Line(left, writing.relation(*shares), elided_sum(summands, writing.terms)),
        Line(None, writing.relation(rounded), writing.scalar(rounded)),
    )


MIX: Final = Rule("mix", "Output", compute, law, work)
