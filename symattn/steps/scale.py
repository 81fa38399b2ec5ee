"""Z = S/√d_k: keeps the scores in the range where softmax still listens to all of them."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.exact.number import Number, square_root
from symattn.exact.rounding import Rounded
from symattn.formula import Formula, Frac, Line, Root, Sub, Sym, factor, num, seq
from symattn.notation import Writing
from symattn.problem import Scale

D_K: Final = Sub(Sym("d"), Sym("k"))


def compute(S: Matrix, K: Matrix | None = None, *, scale: Scale, d_k: int | None) -> Matrix:
    """S/√d_k, n×m, with d_k the width of K; or the problem's own factor times S.

    Vaswani et al., "Attention is all you need" (2017), section 3.2.1.
    """
    return S.times(scale_factor(scale, K.shape[1] if K else d_k))


def scale_factor(scale: Scale, d_k: int | None) -> Number:
    """The factor itself; 1/√d_k by default."""
    if scale.factor is not None:
        return scale.factor
    assert d_k is not None
    return _one_over_root(d_k)


@lru_cache(maxsize=64)
def _one_over_root(d_k: int) -> Number:
    return 1 / square_root(d_k)


def law(step: Step, writing: Writing) -> Formula:
    scale: Scale = step.option("scale")
    s = writing.symbol("S")
    if scale.divisor is not None:
        return Frac(s, writing.number(scale.divisor))
    if scale.factor is not None:
        return s if scale.is_none else seq(factor(writing.number(scale.factor)), s)
    return Frac(s, Root(D_K))


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    S, *K = step.inputs
    scale: Scale = step.option("scale")
    cell = writing.cell(S, i, j)
    if scale.divisor is not None:
        worked: Formula = Frac(cell, writing.number(scale.divisor))
    elif scale.factor is not None:
        worked = seq(factor(writing.number(scale.factor)), "·", factor(cell))
    else:
        d_k = K[0].shape[1] if K else step.option("d_k")
        worked = Frac(cell, Root(num(d_k)))
    left = writing.entry(writing.symbol(step.name), i, j)
    lines = [Line(left, "=", worked)]
    exact = writing.value(step.value.at(i, j))
    if exact != worked:
        lines.append(Line(None, "=", exact))
    if not step.value.letters:
        rounded = writing.rounded(step)[i][j]
        if not (isinstance(rounded, Rounded) and rounded.exact):
            lines.append(Line(None, "≈", writing.decimal(rounded)))
    return tuple(lines)


SCALE: Final = Rule("scale", "Scaled scores", compute, law, work)
