"""What a cell is compared with: a value known as closely as wanted, and exactly if need be."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias

from symattn.exact.matrix import MINUS_INFINITY, MatrixLike, MinusInfinity, Value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounded, Rounding

MORE_PLACES: Final = 12
"""By which a value is enclosed more closely than it was written."""


@dataclass(frozen=True, eq=False, slots=True)
class Reference:
    """A value in [low, high]; `exactly` gives the value itself, built only when it is needed."""

    low: Fraction
    high: Fraction
    exactly: Callable[[], Value]
    is_hidden: bool = False
    """−∞."""
    has_letters: bool = False
    """Then it has no digits, and only equality can be decided."""

    def sign_minus(self, point: Fraction) -> int:
        """The exact sign of the value minus the point."""
        if self.low > point:
            return 1
        if self.high < point:
            return -1
        if self.low == self.high:
            return 0
        value = self.exactly()
        assert not isinstance(value, MinusInfinity)
        from symattn.exact import decide  # mpmath only where it is needed

        return decide.sign(value - point)

    def equals(self, value: Value) -> bool:
        """Whether it is the same number: decided."""
        if isinstance(value, MinusInfinity) or self.is_hidden:
            return self.is_hidden and isinstance(value, MinusInfinity)
        if isinstance(value, Number) and value.is_rational and not self.has_letters:
            return self.sign_minus(value.rational) == 0
        own = self.exactly()
        assert not isinstance(own, MinusInfinity)
        from symattn.exact import decide

        return decide.equal(own, value)


References: TypeAlias = Sequence[Reference]


def hidden() -> Reference:
    return Reference(Fraction(0), Fraction(0), lambda: MINUS_INFINITY, True)


def of_fraction(value: Fraction) -> Reference:
    return Reference(value, value, lambda: Number.of(value))


def enclosed(cell: Rounded | MinusInfinity, exactly: Callable[[], Value]) -> Reference:
    """Around proved digits."""
    if isinstance(cell, MinusInfinity):
        return hidden()
    unit = Fraction(10) ** cell.exponent
    middle = cell.coefficient * unit
    if cell.exact:
        return Reference(middle, middle, exactly)
    return Reference(middle - unit / 2, middle + unit / 2, exactly)


def row_of(matrix: MatrixLike, i: int, places: int) -> References:
    """Row i of a matrix, enclosed to more places than those."""
    if matrix.letters:
        return [only_exact(matrix.at(i, j)) for j in range(matrix.shape[1])]
    grid = matrix.rounded(Rounding(places=places + MORE_PLACES))
    return [enclosed(cell, lambda j=j: matrix.at(i, j)) for j, cell in enumerate(grid[i])]  # type: ignore[misc]


def rows_of(matrix: MatrixLike, places: int) -> list[References]:
    """All rows of a matrix."""
    n, m = matrix.shape
    if matrix.letters:
        return [[only_exact(matrix.at(i, j)) for j in range(m)] for i in range(n)]
    grid = matrix.rounded(Rounding(places=places + MORE_PLACES))
    return [
        [enclosed(cell, lambda i=i, j=j: matrix.at(i, j)) for j, cell in enumerate(row)]  # type: ignore[misc]
        for i, row in enumerate(grid)
    ]


def exponentials(A: Weights, places: int) -> list[References]:
    """E = e^M, enclosed."""
    rounding = Rounding(places=places + MORE_PLACES)
    n, m = A.shape
    if A.letters:
        return [[only_exact(Quotient.of(A.exponential(i, j))) for j in range(m)] for i in range(n)]
    return [
        [
            enclosed(
                Rounded(0, 0, True)
                if A.M.rows[i][j] is MINUS_INFINITY
                else A.rounded_exponential(i, j, rounding),
                lambda i=i, j=j: Quotient.of(A.exponential(i, j)),  # type: ignore[misc]
            )
            for j in range(m)
        ]
        for i in range(n)
    ]


def row_sums(A: Weights, places: int) -> list[References]:
    """r, the row sums of E, enclosed, n×1."""
    if A.letters:
        return [[only_exact(Quotient.of(A.row_sum(i)))] for i in range(A.shape[0])]
    rounding = Rounding(places=places + MORE_PLACES)
    return [
        [enclosed(A.rounded_row_sum(i, rounding), lambda i=i: Quotient.of(A.row_sum(i)))]  # type: ignore[misc]
        for i in range(A.shape[0])
    ]


def only_exact(value: Value) -> Reference:
    """A value with letters: it has no digits, but equality is decided."""
    if isinstance(value, MinusInfinity):
        return hidden()
    return Reference(Fraction(0), Fraction(0), lambda: value, has_letters=True)
