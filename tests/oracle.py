"""Attention computed a second time, by other means: mpmath with loops, and NumPy in float64.

It shares its inputs with symattn (plain nested rows) and nothing else, so the two agree only if
both are right.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from typing import Any, Literal, NamedTuple, TypeAlias, Union

import mpmath
import numpy as np
from numpy.typing import NDArray


class Surd(NamedTuple):
    """coefficient · (degree-th root of radicand)."""

    coefficient: Fraction
    radicand: int
    degree: int = 2


Cell: TypeAlias = Union[Fraction, Surd]
Rows: TypeAlias = Sequence[Sequence[Cell]]
MaskRows: TypeAlias = Sequence[Sequence[Union[Cell, None]]]
"""What is added to the scaled scores; None is −∞."""
HeadRows: TypeAlias = Mapping[str, Rows]
"""W_Q W_K W_V b_Q b_K b_V, or Q K V, or S."""


@dataclass(frozen=True)
class Case:
    """A problem as plain rows. `factor` None is 1/√d_k."""

    heads: tuple[HeadRows, ...]
    X: Rows | None = None
    X_kv: Rows | None = None
    B: MaskRows | None = None
    W_O: Rows | None = None
    factor: Cell | None = None
    d_k: int | None = None
    zeros_if_masked: bool = False
    tokens: tuple[str, ...] = field(default=())

    @property
    def width(self) -> int:
        """d_k."""
        head = self.heads[0]
        for name in ("K", "W_K"):
            if name in head:
                return len(head[name][0])
        assert self.d_k
        return self.d_k


Table: TypeAlias = list[list[Any]]
Stages: TypeAlias = dict[tuple[str, Union[int, None]], Table]
"""(letter, head from 1; None for C and Y) → values."""


# ---------------------------------------------------------------------- mpmath


class HighPrecision:
    """Every stage of a case, to a number of digits."""

    def __init__(self, case: Case, digits: int = 60) -> None:
        self.case = case
        self.mp = mpmath.MPContext()
        self.mp.dps = digits
        self.stages: Stages = {}
        for number, head in enumerate(case.heads, 1):
            self._head(number, head)
        if ("O", 1) in self.stages and (case.W_O is not None or len(case.heads) > 1):
            n = len(self.stages["O", 1])
            joined = [
                [x for h in range(1, len(case.heads) + 1) for x in self.stages["O", h][i]]
                for i in range(n)
            ]
            if len(case.heads) > 1:
                self.stages["C", None] = joined
            if case.W_O is not None:
                self.stages["Y", None] = self._times(joined, self._numbers(case.W_O))

    def _number(self, cell: Cell) -> Any:
        if isinstance(cell, Surd):
            root = self.mp.root(self.mp.mpf(cell.radicand), cell.degree)
            return self._number(cell.coefficient) * root
        return self.mp.mpf(cell.numerator) / cell.denominator

    def _numbers(self, rows: Rows) -> Table:
        return [[self._number(cell) for cell in row] for row in rows]

    def _times(self, left: Table, right: Table) -> Table:
        result = []
        for row in left:
            line = []
            for j in range(len(right[0])):
                entry = self.mp.mpf(0)
                for k in range(len(right)):
                    entry += row[k] * right[k][j]
                line.append(entry)
            result.append(line)
        return result

    def _projected(self, head: HeadRows, letter: str, source: Rows | None) -> Table | None:
        if letter in head:
            return self._numbers(head[letter])
        if f"W_{letter}" not in head:
            return None
        assert source is not None
        result = self._times(self._numbers(source), self._numbers(head[f"W_{letter}"]))
        if f"b_{letter}" in head:
            (bias,) = self._numbers(head[f"b_{letter}"])
            result = [[x + b for x, b in zip(row, bias, strict=True)] for row in result]
        return result

    def _head(self, number: int, head: HeadRows) -> None:
        case, mp = self.case, self.mp
        keys_from = case.X_kv if case.X_kv is not None else case.X
        V = self._projected(head, "V", keys_from)
        if "S" in head:
            S = self._numbers(head["S"])
        else:
            Q = self._projected(head, "Q", case.X)
            K = self._projected(head, "K", keys_from)
            assert Q is not None and K is not None
            self.stages["Q", number], self.stages["K", number] = Q, K
            S = [[mp.fsum(q * k for q, k in zip(a, b, strict=True)) for b in K] for a in Q]
        if V is not None:
            self.stages["V", number] = V
        factor = 1 / mp.sqrt(case.width) if case.factor is None else self._number(case.factor)
        Z = [[factor * s for s in row] for row in S]
        M: Table = []
        for i, row in enumerate(Z):
            added = case.B[i] if case.B is not None else [Fraction(0)] * len(row)
            M.append(
                [
                    None if b is None else z + self._number(b)
                    for z, b in zip(row, added, strict=True)
                ]
            )
        E = [[mp.mpf(0) if x is None else mp.exp(x) for x in row] for row in M]
        r = [mp.fsum(row) for row in E]
        A = [[e / total if total else total for e in row] for row, total in zip(E, r, strict=True)]
        self.stages |= {("S", number): S, ("Z", number): Z, ("M", number): M}
        self.stages |= {("E", number): E, ("r", number): [[x] for x in r], ("A", number): A}
        if V is not None:
            self.stages["O", number] = self._times(A, V)

    def decimal(
        self,
        value: Any,
        places: int,
        figures: int | None = None,
        ties: Literal["even", "up"] = "even",
    ) -> str:
        """The correctly rounded digits, by the decimal module.

        What agrees with 0 or with a middle between two decimals to most of the digits is taken
        to be it: call it with far more digits than the values can differ from those by chance.
        """
        mp = self.mp
        if abs(value) < mp.mpf(10) ** (-3 * mp.dps // 4):
            return "0" if figures is not None or not places else "0." + "0" * places
        if figures is not None:
            places = figures - 1 - int(mp.floor(mp.log10(abs(value))))
        exact = self._exactly(value, places)
        rounding = ROUND_HALF_EVEN if ties == "even" else ROUND_HALF_UP
        context = Context(prec=4 * mp.dps + 10_000, rounding=rounding, Emin=-(10**6), Emax=10**6)
        result = exact.quantize(Decimal((0, (1,), -places)), context=context)
        if figures is not None and len(result.as_tuple().digits) > figures:
            result = result.quantize(Decimal((0, (1,), 1 - places)), context=context)
        text = format(result, "f")
        return text.lstrip("-") if not result else text

    def _exactly(self, value: Any, places: int) -> Decimal:
        mp = self.mp
        doubled = value * 2 * mp.mpf(10) ** places
        whole = int(mp.nint(doubled))
        context = Context(prec=4 * mp.dps + 10_000, Emin=-(10**6), Emax=10**6)
        if abs(doubled - whole) < mp.mpf(10) ** -30:
            return context.multiply(Decimal(whole * 5), Decimal((0, (1,), -places - 1)))
        sign, mantissa, exponent, _ = value._mpf_
        magnitude = context.multiply(
            Decimal(int(mantissa)), context.power(Decimal(2), Decimal(int(exponent)))
        )
        return magnitude.copy_negate() if sign else magnitude


# ---------------------------------------------------------------------- NumPy

Floats: TypeAlias = NDArray[np.float64]


def _floats(rows: Rows) -> Floats:
    def number(cell: Cell) -> float:
        if isinstance(cell, Surd):
            return float(cell.coefficient) * float(float(cell.radicand) ** (1 / cell.degree))
        return float(cell)

    return np.array([[number(cell) for cell in row] for row in rows], dtype=np.float64)


def in_floats(case: Case) -> Floats:
    """The answer of a case in float64, largest subtracted, as libraries do it."""
    outputs = []
    X = None if case.X is None else _floats(case.X)
    X_kv = X if case.X_kv is None else _floats(case.X_kv)

    def projected(head: HeadRows, letter: str, source: Floats | None) -> Floats | None:
        if letter in head:
            return _floats(head[letter])
        if f"W_{letter}" not in head:
            return None
        assert source is not None
        bias = _floats(head[f"b_{letter}"]) if f"b_{letter}" in head else np.float64(0)
        return np.asarray(source @ _floats(head[f"W_{letter}"]) + bias)

    for head in case.heads:
        Q, K, V = projected(head, "Q", X), projected(head, "K", X_kv), projected(head, "V", X_kv)
        if "S" in head:
            S = _floats(head["S"])
        else:
            assert Q is not None and K is not None
            S = Q @ K.T
        factor = case.width**-0.5 if case.factor is None else _floats([[case.factor]])[0, 0]
        M = factor * S
        if case.B is not None:
            hidden = np.array([[b is None for b in row] for row in case.B])
            shown = _floats([[Fraction(0) if b is None else b for b in row] for row in case.B])
            M = np.where(hidden, -np.inf, M + shown)
        top = M.max(axis=1, keepdims=True)
        with np.errstate(invalid="ignore"):
            E = np.exp(M - np.where(np.isfinite(top), top, 0))
            total = E.sum(axis=1, keepdims=True)
            A = np.where(total > 0, E / total, 0)
        outputs.append(A if V is None else A @ V)
    joined = np.concatenate(outputs, axis=1)
    return joined if case.W_O is None else joined @ _floats(case.W_O)
