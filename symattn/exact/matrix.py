"""Matrices of exact entries. Rational ones are integers times one common unit.

Clearing denominators first keeps whole layers in integer arithmetic: products of rational
matrices entry by entry are 50 times slower.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import chain
from math import isqrt, lcm
from typing import Final, Protocol, TypeAlias, Union, cast

from symattn.errors import OutOfScope
from symattn.exact import integers
from symattn.exact.number import LETTER, MOST_BITS, Atom, Number, Rational, square_root
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounded, Rounding, round_enclosed, round_ratio, round_rational


class MinusInfinity:
    """−∞: it absorbs sums, and e^(−∞) = 0. There is one: `MINUS_INFINITY`."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "MINUS_INFINITY"

    def __float__(self) -> float:
        return float("-inf")


MINUS_INFINITY: Final = MinusInfinity()

Value: TypeAlias = Union[Number, Quotient, MinusInfinity]
"""What a matrix gives when an entry is looked at."""
Entry: TypeAlias = Union[int, Value]
"""What a matrix holds: an int counts units."""
DecimalGrid: TypeAlias = tuple[tuple[Union[Rounded, MinusInfinity], ...], ...]


@dataclass(frozen=True)
class Unit:
    """coefficient · √radicand, with a square-free radicand."""

    coefficient: Fraction = Fraction(1)
    radicand: int = 1

    def __mul__(self, other: Unit) -> Unit:
        if self is ONE or other is ONE:
            return other if self is ONE else self
        number = self.number * other.number
        ((monomial, coefficient),) = number.terms or (((), Fraction(0)),)
        radicand = 1
        for atom, _ in monomial:
            assert isinstance(atom.key, int)
            radicand *= atom.key
        return Unit(coefficient, radicand)

    @cached_property
    def number(self) -> Number:
        if self.radicand == 1:
            return Number.of(self.coefficient)
        return square_root(self.radicand) * self.coefficient

    @cached_property
    def square(self) -> Fraction:
        return self.coefficient**2 * self.radicand

    def times(self, count: int) -> Number:
        """count · unit."""
        if not count or not self.coefficient:
            return Number.of(0)
        if self is ONE:
            return Number.of(count)
        ((monomial, coefficient),) = self.number.terms
        return Number(((monomial, coefficient * count),))

    def rounded(self, count: int, rounding: Rounding) -> Rounded:
        """Proved decimals of count · unit: a root is compared with a rational by their squares."""
        if self is ONE and rounding.figures is None:
            return Rounded(count * 10**rounding.places, -rounding.places, True)
        if self.radicand == 1 or not count:
            return round_ratio(
                self.coefficient.numerator * count, self.coefficient.denominator, rounding
            )
        factor = self.coefficient * count
        square = factor**2 * self.radicand
        turn = 1 if factor > 0 else -1

        def enclose(bits: int) -> tuple[Fraction, Fraction]:
            scaled = square.numerator * square.denominator << 2 * bits
            root, unit = isqrt(scaled), square.denominator << bits
            near, far = Fraction(root * turn, unit), Fraction((root + 1) * turn, unit)
            return (near, far) if turn > 0 else (far, near)

        def sign_minus(point: Fraction) -> int:
            if point * turn <= 0:
                return turn
            return turn if square > point**2 else -turn

        return round_enclosed(enclose, sign_minus, rounding, MOST_BITS)


ONE: Final = Unit()


def unit_of(number: Number) -> Unit | None:
    """The number as a Unit, or None where it is not a rational multiple of a square root."""
    if len(number.terms) != 1:
        return None
    ((monomial, coefficient),) = number.terms
    radicand = 1
    for atom, power in monomial:
        match atom:
            case Atom("prime", int(p)) if power == Fraction(1, 2):
                radicand *= p
            case _:
                return None
    return Unit(coefficient, radicand)


class MatrixLike(Protocol):
    """What every stage of a derivation offers: n×m exact values, looked at on demand."""

    @property
    def shape(self) -> tuple[int, int]: ...

    @property
    def letters(self) -> frozenset[str]: ...

    def at(self, i: int, j: int) -> Value:
        """The exact value of row i, column j (both from 0)."""

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        """Proved decimals of all entries. ValueError where there are letters."""


@dataclass(frozen=True)
class Matrix:
    """Rows of entries: all finite ones ints that count `unit`s, or Numbers and Quotients."""

    rows: tuple[tuple[Entry, ...], ...]
    unit: Unit = ONE
    columns: int = -1
    """Given only for a matrix without rows."""

    # -------------------------------------------------------------- making

    @staticmethod
    def of(rows: Iterable[Iterable[Rational | Value]]) -> Matrix:
        """From exact values; rational ones share one denominator, surd multiples one root."""
        cells = [[_tidy(cell) for cell in row] for row in rows]
        finite = [c for row in cells for c in row if c is not MINUS_INFINITY]
        units = {u.radicand: u for c in finite if isinstance(c, Number) and c and (u := unit_of(c))}
        plain = all(isinstance(c, Number) and (not c or unit_of(c)) for c in finite)
        if not plain or len(units) > 1:
            return Matrix(tuple(map(tuple, cells)))
        denominator = lcm(
            *(t[1].denominator for c in finite if isinstance(c, Number) for t in c.terms)
        )
        unit = Unit(Fraction(1, denominator), next(iter(units), 1))
        return Matrix(tuple(tuple(_count(c, denominator) for c in row) for row in cells), unit)

    # -------------------------------------------------------------- looking

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0]) if self.rows else max(self.columns, 0)

    @cached_property
    def is_plain(self) -> bool:
        """Whether all finite entries are integer counts of the unit."""
        return {int, MinusInfinity}.issuperset(map(type, chain.from_iterable(self.rows)))

    @cached_property
    def is_finite(self) -> bool:
        return not any(c is MINUS_INFINITY for row in self.rows for c in row)

    @cached_property
    def letters(self) -> frozenset[str]:
        if self.is_plain:
            return frozenset()
        return frozenset(x for row in self.rows for c in row for x in _letters(c))

    def at(self, i: int, j: int) -> Value:
        return self._value(self.rows[i][j])

    def row(self, i: int) -> tuple[Value, ...]:
        """The exact values of row i (from 0)."""
        return tuple(map(self._value, self.rows[i]))

    def values(self) -> tuple[tuple[Value, ...], ...]:
        """All entries as exact values."""
        return tuple(map(self.row, range(len(self.rows))))

    def _value(self, cell: Entry) -> Value:
        if not isinstance(cell, int):
            return cell
        if cell not in self._counted:
            self._counted[cell] = self.unit.times(cell)
        return self._counted[cell]

    @cached_property
    def _counted(self) -> dict[int, Number]:
        """The values of the counts that were looked at."""
        return {}

    def ints(self) -> integers.IntRows:
        """The counts of a plain matrix without −∞."""
        assert self.is_plain and self.is_finite
        return cast(integers.IntRows, self.rows)

    # -------------------------------------------------------------- arithmetic

    def __matmul__(self, other: Matrix) -> Matrix:
        """self · other, n×k by k×m."""
        (n, k), (k2, m) = self.shape, other.shape
        if k != k2:
            raise ValueError(f"{n}×{k} · {k2}×{m} does not fit")
        if self.is_plain and other.is_plain and self.is_finite and other.is_finite:
            product = integers.matmul(self.ints(), other.ints())
            return Matrix(product, self.unit * other.unit, m)
        columns = tuple(zip(*other.values(), strict=True))
        return Matrix(
            tuple(tuple(_dot(row, column) for column in columns) for row in self.values()),
            ONE,
            m,
        ).simplified()

    @property
    def T(self) -> Matrix:
        n, m = self.shape
        return Matrix(tuple(zip(*self.rows, strict=True)) or ((),) * m, self.unit, n)

    def __add__(self, other: Matrix) -> Matrix:
        """Entry by entry; −∞ absorbs."""
        if self.shape != other.shape:
            raise ValueError(f"{self.shape} + {other.shape} does not fit")
        left, right = self.simplified(), other.simplified()
        if left.is_plain and right.is_plain:
            if not any(c for row in right.rows for c in row if c is not MINUS_INFINITY):
                return _added(left, Matrix(right.rows, left.unit), left.unit)
            if left.unit == right.unit:
                return _added(left, right, left.unit)
            if left.unit.radicand == right.unit.radicand:
                denominator = lcm(
                    left.unit.coefficient.denominator, right.unit.coefficient.denominator
                )
                common = Unit(Fraction(1, denominator), left.unit.radicand)
                return _added(left._in(common), right._in(common), common)
        sums = tuple(
            tuple(_sum(a, b) for a, b in zip(r, s, strict=True))
            for r, s in zip(self.values(), other.values(), strict=True)
        )
        return Matrix(sums, ONE, self.shape[1]).simplified()

    def times(self, number: Number) -> Matrix:
        """number · self. A rational multiple of a square root only changes the unit."""
        unit = unit_of(number)
        if unit and self.is_plain:
            return Matrix(self.rows, self.unit * unit, self.columns)
        return self.map(lambda value: _times(value, number))

    def map(self, change: Callable[[Value], Value]) -> Matrix:
        """Each entry changed."""
        rows = tuple(tuple(change(value) for value in row) for row in self.values())
        return Matrix(rows, ONE, self.columns).simplified()

    def simplified(self) -> Matrix:
        """The same matrix, as integers where all its entries are rational or share one root."""
        if self.is_plain:
            return self
        if not self.rows or any(isinstance(c, Quotient) for row in self.rows for c in row):
            return self
        return Matrix.of(self.values())

    def _in(self, unit: Unit) -> Matrix:
        factor = self.unit.coefficient / unit.coefficient
        assert factor.denominator == 1
        return Matrix(
            tuple(
                tuple(c * factor.numerator if isinstance(c, int) else c for c in row)
                for row in self.rows
            ),
            unit,
            self.columns,
        )

    # -------------------------------------------------------------- decimals

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        digits: dict[Entry, Rounded | MinusInfinity] = {
            entry: self.unit.rounded(entry, rounding)
            if isinstance(entry, int)
            else round_value(entry, rounding)
            for entry in set().union(*self.rows)
        }
        return tuple([tuple(map(digits.__getitem__, row)) for row in self.rows])


def entries(like: MatrixLike) -> Matrix:
    """The same matrix, entry by entry."""
    n, m = like.shape
    return Matrix.of([[like.at(i, j) for j in range(m)] for i in range(n)])


def round_value(value: Value, rounding: Rounding) -> Rounded | MinusInfinity:
    """Proved decimals of one value. ValueError for letters."""
    if isinstance(value, MinusInfinity):
        return value
    if isinstance(value, Number) and value.is_rational:
        return round_rational(value.rational, rounding)
    from symattn.exact import decide, enclosure  # mpmath only where a value needs it

    if value.has(LETTER):
        raise ValueError("a letter has no decimals")
    quotient = Quotient.of(value)
    return round_enclosed(
        lambda bits: enclosure.bounds(enclosure.of_quotient(quotient, bits)),
        lambda point: decide.sign(quotient - point),
        rounding,
        4 * MOST_BITS,
    )


def _tidy(cell: Rational | Value) -> Value:
    return Number.of(cell) if isinstance(cell, (int, Fraction)) else cell


def _count(cell: Value, denominator: int) -> Entry:
    if not isinstance(cell, Number):
        return cell
    return int(cell.terms[0][1] * denominator) if cell.terms else 0


def _letters(cell: Entry) -> Iterable[str]:
    match cell:
        case Number():
            return cell.letters
        case Quotient():
            return (
                x
                for part in cell.parts
                for side in part
                for pair in side.terms
                for number in pair
                for x in number.letters
            )
        case _:
            return ()


def _dot(row: Sequence[Value], column: Sequence[Value]) -> Value:
    result: Value = Number.of(0)
    for a, b in zip(row, column, strict=True):
        if isinstance(a, MinusInfinity) or isinstance(b, MinusInfinity):
            raise OutOfScope("−∞ stands in a product: only a mask may hold −∞")
        result = _sum(result, _times(a, b))
    return result


def _times(value: Value, other: Number | Quotient) -> Value:
    if isinstance(value, MinusInfinity):
        return value
    if isinstance(value, Number) and isinstance(other, Number):
        return value * other
    return Quotient.of(value) * other


def _sum(a: Value, b: Value) -> Value:
    if isinstance(a, MinusInfinity) or isinstance(b, MinusInfinity):
        return MINUS_INFINITY
    if isinstance(a, Number) and isinstance(b, Number):
        return a + b
    return Quotient.of(a) + b


def _added(left: Matrix, right: Matrix, unit: Unit) -> Matrix:
    return Matrix(
        tuple(
            tuple(
                a + b if isinstance(a, int) and isinstance(b, int) else MINUS_INFINITY
                for a, b in zip(r, s, strict=True)
            )
            for r, s in zip(left.rows, right.rows, strict=True)
        ),
        unit,
        left.columns,
    )
