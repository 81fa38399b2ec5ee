"""A = softmax(M): each row of scores becomes shares that sum to exactly 1."""

from __future__ import annotations

from typing import Final, cast

from symattn.derivation import Rule, Step
from symattn.exact.matrix import MINUS_INFINITY, Matrix
from symattn.exact.mixture import Weights
from symattn.formula import Call, Formula, Frac, Line, Power, Sym, num
from symattn.notation import Writing


def compute(M: Matrix, *, zeros: bool) -> Weights:
    """A_ij = e^(M_ij) / Σ_k e^(M_ik), n×m. `MaskedRow` where a row has only −∞, unless `zeros`."""
    return Weights(M, zeros)


def law(step: Step, writing: Writing) -> Formula:
    return Call("softmax", writing.symbol(step.inputs[0].name))


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    (M,) = step.inputs
    weights = cast(Weights, step.value)
    left = writing.entry(writing.symbol(step.name), i, j)
    if M.value.at(i, j) is MINUS_INFINITY:
        return (Line(left, "=", num(0), "masked"),)
    r = writing.indexed(Sym("r"), i)
    named = Frac(Power(Sym("e"), writing.entry(writing.symbol(M.name), i, j)), r)
    lines = [Line(left, "=", named), Line(None, "=", writing.weight(weights, i, j))]
    if weights.letters and (equal := weights.equal_share(i, j)) is not None:
        lines.append(Line(None, "=", writing.rational(equal)))
    if not weights.letters:
        share = writing.rounded(step)[i][j]
        lines.append(Line(None, writing.relation(share), writing.scalar(share)))
    return tuple(lines)


SOFTMAX: Final = Rule("softmax", "Weights", compute, law, work)
