"""Where every stage lies when given numbers are themselves rounded.

A number printed as 0.43 is anything in [0.425, 0.435]. Each law is monotone in each entry, so the
ends of a range are reached at corners: a weight is largest where its own score is highest and all
others are lowest.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from symattn.derivation import Derivation, Stage
from symattn.exact.matrix import Matrix, MinusInfinity, round_value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number
from symattn.exact.rounding import Rounding
from symattn.steps.scale import scale_factor

PLACES: Final = 30
"""To which irrational ends are enclosed."""

Range: TypeAlias = tuple[Fraction, Fraction]
Ranges: TypeAlias = Sequence[Sequence[Range]]


@dataclass(frozen=True, eq=False)
class Uncertain:
    """The ranges of the stages of one head, by letter."""

    ranges: Mapping[str, Ranges]

    def holds(self, letter: str, i: int, j: int, low: Fraction, high: Fraction) -> bool:
        """Whether the entry may lie in [low, high]."""
        if letter not in self.ranges:
            return False
        at_least, at_most = self.ranges[letter][i][j]
        return low <= at_most and at_least <= high

    def width(self, letter: str, i: int, j: int) -> Fraction:
        low, high = self.ranges[letter][i][j]
        return high - low


def uncertain(derivation: Derivation, head: int, rounded: frozenset[str]) -> Uncertain:
    """The ranges where the matrices of these names (W_Q, X, V, E …) are known to their last
    printed digit only. ValueError where there are letters."""
    known = derivation.heads[head - 1]
    given = derivation.problem.heads[head - 1]
    problem = derivation.problem
    out: dict[str, Ranges] = {}
    X = _given(problem.X, rounded)
    X_kv = _given(problem.X_kv, rounded) or X
    for letter in "QKV":
        source = X if letter == "Q" else X_kv
        W = _given(getattr(given, f"W_{letter}"), rounded)
        b = _given(getattr(given, f"b_{letter}"), rounded)
        direct = _given(getattr(given, letter), rounded)
        if direct:
            out[letter] = direct
        elif W and source:
            out[letter] = _plus(_product(source, W), b)
    if given.S:
        out["S"] = _ranges(given.S.value, "S" in rounded)
    elif "Q" in out and "K" in out:
        out["S"] = _product(out["Q"], _turned(out["K"]))
    d_k = known.K.shape[1] if known.K else problem.d_k
    out["Z"] = _scaled(out["S"], scale_factor(problem.scale, d_k))
    hidden = [[isinstance(known.M.value.at(i, j), MinusInfinity) for j in range(known.M.shape[1])]
              for i in range(known.M.shape[0])]  # fmt: skip
    out["A"] = _softmax(out["Z"], hidden)
    if "E" in rounded:
        A = known.A.value
        assert isinstance(A, Weights)
        E = _ranges(Matrix.of([[x.number for x in row] for row in A.exponentials]), True)
        out["E"] = [
            [(Fraction(0), Fraction(0)) if hide else x for x, hide in zip(row, hides, strict=True)]
            for row, hides in zip(E, hidden, strict=True)
        ]
        out["A"] = [_shares(row) for row in out["E"]]
    if "V" in out:
        out["O"] = _product(out["A"], out["V"])
    return Uncertain(out)


def _given(stage: Stage | None, rounded: frozenset[str]) -> Ranges | None:
    if stage is None or not isinstance(stage.value, Matrix):
        return None
    return _ranges(stage.value, stage.name in rounded)


def _ranges(matrix: Matrix, is_rounded: bool) -> Ranges:
    half = _half_unit(matrix) if is_rounded else Fraction(0)
    rows = []
    for row in matrix.values():
        cells = []
        for x in row:
            if not isinstance(x, Number):
                raise ValueError("only numbers have a range")
            value = x.rational if x.is_rational else _near(x)
            cells.append((value - half, value + half))
        rows.append(cells)
    return rows


def _half_unit(matrix: Matrix) -> Fraction:
    """Half a unit of the last decimal that an entry shows."""
    places = 0
    while (matrix.unit.coefficient * 10**places).denominator != 1 and places < 20:
        places += 1
    return Fraction(1, 2 * 10**places)


def _near(x: Number) -> Fraction:
    rounded = round_value(x, Rounding(PLACES))
    assert not isinstance(rounded, MinusInfinity)
    return rounded.fraction


def _times(a: Range, b: Range) -> Range:
    ends = [x * y for x in a for y in b]
    return min(ends), max(ends)


def _product(left: Ranges, right: Ranges) -> Ranges:
    columns = _turned(right)
    return [[_dot(row, column) for column in columns] for row in left]


def _dot(row: Sequence[Range], column: Sequence[Range]) -> Range:
    low = high = Fraction(0)
    for a, b in zip(row, column, strict=True):
        least, most = _times(a, b)
        low, high = low + least, high + most
    return low, high


def _plus(ranges: Ranges, bias: Ranges | None) -> Ranges:
    if not bias:
        return ranges
    return [
        [(x[0] + b[0], x[1] + b[1]) for x, b in zip(row, bias[0], strict=True)] for row in ranges
    ]


def _turned(ranges: Ranges) -> Ranges:
    return list(zip(*ranges, strict=True))


def _scaled(ranges: Ranges, factor: Number) -> Ranges:
    near = factor.rational if factor.is_rational else _near(factor)
    slack = Fraction(0) if factor.is_rational else Fraction(1, 10**PLACES)
    return [[_times(x, (near - slack, near + slack)) for x in row] for row in ranges]


def _softmax(ranges: Ranges, hidden: Sequence[Sequence[bool]]) -> Ranges:
    return [
        [
            (Fraction(0), Fraction(0))
            if hides[j]
            else (_corner(row, hides, j, 0), _corner(row, hides, j, 1))
            for j in range(len(row))
        ]
        for row, hides in zip(ranges, hidden, strict=True)
    ]


def _corner(row: Sequence[Range], hides: Sequence[bool], j: int, end: int) -> Fraction:
    """The smallest (end 0) or largest (end 1) weight of key j."""
    cells = [x[end] if k == j else x[1 - end] for k, x in enumerate(row) if not hides[k]]
    position = sum(not hide for hide in hides[:j])
    M = Matrix.of([[Number.of(_shortened(x)) for x in cells]])
    slack = Fraction(1, 10 ** (PLACES - 2))
    found = Weights(M).rounded(Rounding(PLACES))[0][position]
    assert not isinstance(found, MinusInfinity)
    return found.fraction + (slack if end else -slack)


def _shortened(x: Fraction) -> Fraction:
    """Near x, with a denominator that fixed point is quick with."""
    scale = 10**PLACES
    return Fraction(round(x * scale), scale)


def _shares(row: Sequence[Range]) -> list[Range]:
    """e_j/(e_j + the others), for positive ranges."""
    low, high = sum(x[0] for x in row), sum(x[1] for x in row)
    out = []
    for least, most in row:
        bottom_low, bottom_high = low - least, high - most
        down = least / (least + bottom_high) if least + bottom_high else Fraction(0)
        up = most / (most + bottom_low) if most + bottom_low else Fraction(0)
        out.append((down, up))
    return out
