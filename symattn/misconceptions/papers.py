"""The symbols that wrong laws are written with."""

from __future__ import annotations

from typing import Final

from symattn.formula import Call, Formula, Frac, Paren, Power, Sub, Sym, Words, seq, transpose
from symattn.notation import stage_symbol

X, W, Q, K, V = map(stage_symbol, ("X", "W", "Q", "K", "V"))
S, Z, B, M, A, O, C = map(stage_symbol, ("S", "Z", "B", "M", "A", "O", "C"))  # noqa: E741
W_O: Final = stage_symbol("W_O")
D_K: Final = Sub(Sym("d"), Sym("k"))
D_MODEL: Final = Sub(Sym("d"), Words("model"))
N: Final = Sym("n")
E: Final = Power(Sym("e"), M)


def T(base: Formula) -> Formula:
    """The transpose."""
    return transpose(base)


def softmax(inner: Formula, where: str = "") -> Formula:
    name = f"softmax over {where}" if where else "softmax"
    return Call(name, inner)


def said(words: str) -> Formula:
    return Words(words)


def over(top: Formula, bottom: Formula) -> Formula:
    return Frac(top, bottom)


def times(*factors: Formula | str) -> Formula:
    return seq(*factors)


def bracketed(inner: Formula) -> Formula:
    return Paren(inner)
