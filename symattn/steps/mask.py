"""M = Z + B: −∞ hides a key, a bias leans towards it."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.formula import Formula, Line, factor, seq
from symattn.notation import Writing


def compute(Z: Matrix, B: Matrix) -> Matrix:
    """Z + B, n×m; −∞ absorbs."""
    return Z + B


def law(step: Step, writing: Writing) -> Formula:
    return seq(writing.symbol("Z"), "+", writing.symbol("B"))


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    Z, B = step.inputs
    left = writing.entry(writing.symbol(step.name), i, j)
    added = seq(writing.cell(Z, i, j), "+", factor(writing.cell(B, i, j)))
    return (Line(left, "=", added), Line(None, "=", writing.value(step.value.at(i, j))))


MASK: Final = Rule("mask", "Masked scores", compute, law, work)
