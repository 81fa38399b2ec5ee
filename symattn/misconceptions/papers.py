"""The symbols that wrong laws are written with."""

from __future__ import annotations

from typing import Final

from symattn.formula import Call, Formula, Power, Sub, Sym, Words
from symattn.formula import Words as said
from symattn.formula import transpose as T
from symattn.notation import stage_symbol

X, W, Q, K, V = map(stage_symbol, ("X", "W", "Q", "K", "V"))
S, Z, B, M, A, C = map(stage_symbol, ("S", "Z", "B", "M", "A", "C"))
W_O: Final = stage_symbol("W_O")
D_K: Final = Sub(Sym("d"), Sym("k"))
D_MODEL: Final = Sub(Sym("d"), Words("model"))
N: Final = Sym("n")
E: Final = Power(Sym("e"), M)

__all__ = [
    "D_K",
    "D_MODEL",
    "W_O",
    "A",
    "B",
    "C",
    "E",
    "K",
    "M",
    "N",
    "Q",
    "S",
    "T",
    "V",
    "W",
    "X",
    "Z",
    "said",
    "softmax",
]  # fmt: skip


def softmax(inner: Formula, where: str = "") -> Formula:
    return Call(f"softmax over {where}" if where else "softmax", inner)
