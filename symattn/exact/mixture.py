"""Softmax and what is mixed with it: rows Σ_j V_jc e^(M_ij) / Σ_j e^(M_ij), as views.

Nothing is expanded until an entry is looked at: a row is its exponents, its weights' common
bottom r_i and the matrix V. For plain M = u·P (P integers, u = q√r ≠ 0) the number t = e^u is
transcendental (Lindemann–Weierstrass), so an entry is a polynomial in t over another, equal to a
rational exactly when the polynomials are proportional: ties in rounding are recognised exactly.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from math import isqrt
from typing import Final

from symattn.errors import InputError, Undecided
from symattn.exact import fixed, integers
from symattn.exact.expsum import EMPTY, ExpSum, exponential, gathered
from symattn.exact.matrix import (
    MINUS_INFINITY,
    DecimalGrid,
    Matrix,
    MatrixLike,
    MinusInfinity,
    Value,
    round_value,
)
from symattn.exact.number import MOST_BITS, Number
from symattn.exact.quotient import NOTHING, Quotient
from symattn.exact.rounding import Rounded, Rounding, magnitude, round_rational, settle

FIXED_UP_TO: Final = 1000
"""Exponents up to which fixed point serves; beyond, numbers with an exponent of their own do."""


class MaskedRow(InputError):
    """A row of M without a finite entry: its softmax is 0/0. `row` counts from 0."""

    def __init__(self, row: int) -> None:
        super().__init__(f"row {row + 1} is masked everywhere, so its softmax is 0/0")
        self.row = row


@dataclass(frozen=True, eq=False)
class Weights:
    """A = softmax(M), row by row, n×m. With `zeros`, a fully masked row gives zeros."""

    M: Matrix
    zeros: bool = False

    def __post_init__(self) -> None:
        if not self.zeros:
            for i, row in enumerate(self.M.rows):
                if all(cell is MINUS_INFINITY for cell in row):
                    raise MaskedRow(i)

    @property
    def shape(self) -> tuple[int, int]:
        return self.M.shape

    @property
    def letters(self) -> frozenset[str]:
        return self.M.letters

    def at(self, i: int, j: int) -> Quotient:
        top = self.exponential(i, j)
        return Quotient.ratio(top, self.row_sum(i)) if top else NOTHING

    def equal_share(self, i: int, j: int) -> Fraction | None:
        """0 where masked, 1/k where the row's k visible scores are written the same, else None."""
        row = self.M.rows[i]
        if row[j] is MINUS_INFINITY:
            return Fraction(0)
        visible = [score for score in row if score is not MINUS_INFINITY]
        return Fraction(1, len(visible)) if all(s == row[j] for s in visible) else None

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        return Mixture(self, None).rounded(rounding)

    def sees_any(self, i: int) -> bool:
        """Whether row i has a key that is not masked."""
        return any(score is not MINUS_INFINITY for score in self.M.rows[i])

    def exponential(self, i: int, j: int) -> ExpSum:
        """E_ij = e^(M_ij); 0 where masked."""
        value = self.M.at(i, j)
        if isinstance(value, MinusInfinity):
            return EMPTY
        if isinstance(value, Quotient):
            raise Undecided("an exponential of an exponential has no normal form here")
        if value not in self._known:
            self._known[value] = exponential(value)
        return self._known[value]

    @cached_property
    def _known(self) -> dict[Number, ExpSum]:
        return {}

    @property
    def exponentials(self) -> tuple[tuple[ExpSum, ...], ...]:
        """E = e^M, n×m; 0 where masked."""
        n, m = self.shape
        return tuple(tuple(self.exponential(i, j) for j in range(m)) for i in range(n))

    def row_sum(self, i: int) -> ExpSum:
        """r_i, the sum of row i of E."""
        if i not in self._sums:
            row = (self.exponential(i, j) for j in range(self.shape[1]))
            self._sums[i] = gathered(term for e in row for term in e.terms)
        return self._sums[i]

    @cached_property
    def _sums(self) -> dict[int, ExpSum]:
        return {}

    @property
    def row_sums(self) -> tuple[ExpSum, ...]:
        """r = the row sums of E, n."""
        return tuple(map(self.row_sum, range(self.shape[0])))

    def exceeds(self, i: int, exponent: int, j: int | None = None) -> bool:
        """Whether a score of row i (and column j) of plain M is above the positive exponent."""
        unit = self.M.unit
        return any(
            score * unit.coefficient > 0 and score**2 * unit.square > exponent**2
            for score in (self.M.rows[i] if j is None else (self.M.rows[i][j],))
            if isinstance(score, int)
        )

    def rounded_exponential(self, i: int, j: int, rounding: Rounding) -> Rounded:
        """Proved decimals of E_ij."""
        score = self.M.rows[i][j]
        if isinstance(score, int) and not self.exceeds(i, FIXED_UP_TO, j):
            return self._rounded_powers([score], rounding)
        return _rounded_sum_of(self.exponential(i, j), rounding)

    def rounded_row_sum(self, i: int, rounding: Rounding) -> Rounded:
        """Proved decimals of r_i."""
        if self.M.is_plain and not self.exceeds(i, FIXED_UP_TO):
            return self._rounded_powers(
                [score for score in self.M.rows[i] if isinstance(score, int)], rounding
            )
        return _rounded_sum_of(self.row_sum(i), rounding)

    def _rounded_powers(self, counts: list[int], rounding: Rounding) -> Rounded:
        """Σ e^(u·count)."""
        if not counts:
            return round_rational(Fraction(0), rounding)
        up = -1 if self.M.unit.coefficient >= 0 else 1
        decays = Counter(up * count for count in counts)
        return fixed.round_powers(decays, self.M.unit.square, self._decays, rounding)

    def _decays(self, bits: int) -> fixed.Powers:
        """e^(−|M_ij|) for all entries that fixed point serves, computed once."""
        if bits not in self._tables:
            square, sign = self.M.unit.square, 1 if self.M.unit.coefficient > 0 else -1
            counts = {c * sign for row in self.M.rows for c in row if isinstance(c, int)}
            served = [c for c in counts if c < 0 or c**2 * square <= FIXED_UP_TO**2]
            # What e^x has before its point is lost where it is found as 1/e^(−x).
            room = self.bits_of_decay(max(0, *served)) + 2
            self._tables[bits] = fixed.powers_of_decay(square, map(abs, served), bits + room)
        return self._tables[bits]

    @cached_property
    def _tables(self) -> dict[int, fixed.Powers]:
        return {}

    @cached_property
    def gaps(self) -> tuple[tuple[int | None, ...], ...]:
        """For plain M: how many units each score lies below its row's largest; None if masked.

        e^(−|u|·gap) is the row's exponential with its largest divided out.
        """
        up = self.M.unit.coefficient >= 0
        rows = []
        for row in self.M.rows:
            counts = [c for c in row if isinstance(c, int)]
            top = (max(counts) if up else min(counts)) if counts else 0
            rows.append(tuple(abs(top - c) if isinstance(c, int) else None for c in row))
        return tuple(rows)

    @cached_property
    def groups(self) -> tuple[tuple[tuple[int, tuple[int, ...]], ...], ...]:
        """For plain M, row by row: each gap with the keys that have it, smallest gap first."""
        rows = []
        for row in self.gaps:
            found: dict[int, list[int]] = {}
            for k, gap in enumerate(row):
                if gap is not None:
                    found.setdefault(gap, []).append(k)
            rows.append(tuple((gap, tuple(found[gap])) for gap in sorted(found)))
        return tuple(rows)

    def powers_of_gaps(self, bits: int) -> fixed.Powers:
        """x^gap for all gaps, x = e^(−|u|): what A, O and Y are enclosed with."""
        if bits not in self._gap_tables:
            gaps = {gap for row in self.gaps for gap in row if gap is not None}
            square = self.M.unit.square
            self._gap_tables[bits] = (
                fixed.powers_of_decay(square, gaps, bits)
                if square
                else fixed.Powers(dict.fromkeys(gaps, 1 << bits), 0, bits)
            )
        return self._gap_tables[bits]

    @cached_property
    def _gap_tables(self) -> dict[int, fixed.Powers]:
        return {}

    @cached_property
    def powers(self) -> fixed.Powers:
        """x^k for the first k, x = e^(−|u|): enough to tell most signs."""
        largest = max((gap for row in self.groups for gap, _ in row[-1:]), default=0)
        enough = (1 << 20) * 160 // max(self._bits_per_gap, 1) + 1
        return fixed.powers_of_decay(self.M.unit.square, range(min(largest, enough, 2000) + 1), 192)

    def bits_of_decay(self, gap: int) -> int:
        """b with x^gap ≤ 2^(−b), for x = e^(−|u|)."""
        return gap * self._bits_per_gap >> 20

    @cached_property
    def _bits_per_gap(self) -> int:
        square = self.M.unit.square
        root = isqrt((square.numerator << 40) * square.denominator) // square.denominator
        return root * 14426 // 10000  # log₂ e = 1.44269…


def _rounded_sum_of(value: ExpSum, rounding: Rounding) -> Rounded:
    rounded = round_value(Quotient.of(value), rounding)
    assert isinstance(rounded, Rounded)
    return rounded


@dataclass(frozen=True, eq=False)
class Mixture:
    """O = A V, n×d; without V it is A itself."""

    A: Weights
    V: Matrix | None

    @property
    def shape(self) -> tuple[int, int]:
        return self.A.shape[0], (self.V or self.A).shape[1]

    @property
    def letters(self) -> frozenset[str]:
        return self.A.letters | (self.V.letters if self.V else frozenset())

    def at(self, i: int, j: int) -> Quotient:
        if self.V is None:
            return self.A.at(i, j)
        if not self.A.sees_any(i):
            return NOTHING
        parts = []
        for k in range(self.A.shape[1]):
            value = self.V.at(k, j)
            if not isinstance(value, Number):
                raise TypeError("only numbers are mixed")
            parts += [(e, c * value) for e, c in self.A.exponential(i, k).terms]
        return Quotient.ratio(gathered(parts), self.A.row_sum(i))

    @property
    def is_plain(self) -> bool:
        return self.A.M.is_plain and (
            self.V is None or (self.V.is_plain and self.V.unit.radicand == 1)
        )

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        return rounded_sum((self,), rounding)

    def rational(self, i: int, j: int) -> Fraction | None:
        """The entry as a rational number, or None where it is not one (or has letters)."""
        if not self.is_plain:
            if self.V is None and (share := self.A.equal_share(i, j)) is not None:
                return share
            if self.letters:
                return None
            from symattn.exact import decide  # mpmath only where a value needs it

            return decide.rational_value(self.at(i, j))
        # A ratio of polynomials in x is a number only where they are proportional.
        column = self._column(j)
        parts = [(sum([column[k] for k in keys]), len(keys)) for _, keys in self.A.groups[i]]
        if not self.A.M.unit.square:
            parts = [(sum(top for top, _ in parts), sum(bottom for _, bottom in parts))]
        top, bottom = parts[0] if parts else (0, 1)
        if any(a * bottom != b * top for a, b in parts):
            return None
        return Fraction(top, bottom or 1) * (self.V.unit.coefficient if self.V else 1)

    # -------------------------------------------------------------- integers, for plain M and V

    def sign_minus(self, i: int, j: int, point: Fraction) -> int:
        """The exact sign of a plain entry minus a rational.

        The first terms of the polynomial decide where the rest is provably smaller.
        """
        factor = self.V.unit.coefficient if self.V else Fraction(1)
        a, b = factor.numerator * point.denominator, point.numerator * factor.denominator
        column, groups = self._column(j), self.A.groups[i]

        def coefficient(keys: tuple[int, ...]) -> int:
            return a * sum([column[k] for k in keys]) - b * len(keys)

        start = 0
        while start < len(groups) and not coefficient(groups[start][1]):
            start += 1
        if start == len(groups):
            return 0
        if not self.A.M.unit.square:
            constant = sum(coefficient(keys) for _, keys in groups)
            return (constant > 0) - (constant < 0)
        powers, lowest = self.A.powers, groups[start][0]
        value = mass = 0
        for position in range(start, len(groups)):
            gap, keys = groups[position]
            power = powers.table.get(gap - lowest)
            if power is None:
                most = (abs(a) * self._largest + abs(b)) * len(column)
                rest = (most << powers.bits >> self.A.bits_of_decay(gap - lowest)) + 1
                break
            count = coefficient(keys)
            value += count * power
            mass += abs(count)
        else:
            rest = 0
        if abs(value) > mass * powers.error + rest:
            return 1 if value > 0 else -1
        terms = {gap: coefficient(keys) for gap, keys in groups}
        return fixed.sign_of_polynomial(terms, self.A.M.unit.square)

    def _column(self, j: int) -> Sequence[int]:
        """The counts of V's column j; of the identity's where there is no V."""
        if self.V is None:
            return [int(k == j) for k in range(self.A.shape[1])]
        return self._columns[j]

    @cached_property
    def _columns(self) -> integers.IntRows:
        assert self.V
        return integers.transpose(self.V.ints())

    @cached_property
    def _largest(self) -> int:
        if self.V is None:
            return 1
        return max((abs(count) for row in self.V.ints() for count in row), default=0)


@dataclass(frozen=True, eq=False)
class _Enclosed:
    """Fixed-point numerators and denominators of one plain mixture at some precision."""

    tops: integers.IntRows
    top_error: int
    bottoms: tuple[int, ...]
    bottom_errors: tuple[int, ...]
    multiplier: int
    divisor: int
    """What the quotients are still to be multiplied by, multiplier/divisor."""


def _enclosed(mixture: Mixture, bits: int) -> _Enclosed:
    A, V = mixture.A, mixture.V
    powers = A.powers_of_gaps(bits)
    table, error = powers.table, powers.error
    rows = tuple([tuple([0 if gap is None else table[gap] for gap in row]) for row in A.gaps])
    counts = [len(row) - row.count(None) for row in A.gaps]
    if V is None:
        tops, top_error = rows, error
    else:
        values = V.ints()
        tops = integers.matmul(rows, values)
        top_error = error * max(sum(map(abs, column)) for column in integers.transpose(values))
    return _Enclosed(
        tops,
        top_error,
        tuple(map(sum, rows)),
        tuple([error * count for count in counts]),
        V.unit.coefficient.numerator if V else 1,
        V.unit.coefficient.denominator if V else 1,
    )


def rounded_sum(parts: tuple[Mixture, ...], rounding: Rounding) -> DecimalGrid:
    """Proved decimals of a sum of mixtures of one shape (Y = Σ_h O_h W_O,h)."""
    if any(part.letters for part in parts):
        raise ValueError("a letter has no decimals")
    n, d = parts[0].shape
    if not all(part.is_plain for part in parts):
        return tuple(
            tuple(
                round_value(sum((part.at(i, j) for part in parts), NOTHING), rounding)
                for j in range(d)
            )
            for i in range(n)
        )
    grid: list[list[Rounded | None]] = [[None] * d for _ in range(n)]
    open_cells = [(i, j) for i in range(n) for j in range(d)]
    digits = rounding.places if rounding.figures is None else rounding.figures
    bits = 64 + 10 * digits // 3
    most_bits = max(MOST_BITS * 64, 4 * bits)
    while open_cells and bits <= most_bits:
        enclosed = [_enclosed(part, bits) for part in parts]
        for i, j in open_cells:
            grid[i][j] = _digits(parts, enclosed, i, j, rounding)
        open_cells = [(i, j) for i, j in open_cells if grid[i][j] is None]
        bits *= 2
    if open_cells:
        raise Undecided(f"the digits asked for are not settled at {most_bits} bits")
    return tuple(tuple(row) for row in grid)  # type: ignore[arg-type]


def _digits(
    parts: tuple[Mixture, ...], enclosed: list[_Enclosed], i: int, j: int, rounding: Rounding
) -> Rounded | None:
    """The digits of one entry, or None where more bits are needed."""
    if len(parts) == 1:
        return _digits_of_one(parts[0], enclosed[0], i, j, rounding)
    low = high = Fraction(0)
    for e in enclosed:
        bottom = e.bottoms[i]
        if not bottom:
            continue
        ends = [
            Fraction(top * e.multiplier, below * e.divisor)
            for top in (e.tops[i][j] - e.top_error, e.tops[i][j] + e.top_error)
            for below in (bottom - e.bottom_errors[i], bottom + e.bottom_errors[i])
        ]
        low, high = low + min(ends), high + max(ends)

    def sign_minus(point: Fraction) -> int:
        from symattn.exact import decide

        return decide.sign(sum((part.at(i, j) for part in parts), NOTHING) - point)

    return settle(low, high, sign_minus, rounding)


def _digits_of_one(
    part: Mixture, e: _Enclosed, i: int, j: int, rounding: Rounding
) -> Rounded | None:
    """The same by integers alone: twice the scaled entry against the integers beside it."""
    bottom, top = e.bottoms[i], e.tops[i][j]
    if not bottom:
        return round_rational(Fraction(0), rounding)
    above, below = top * e.multiplier, bottom * e.divisor
    error = e.top_error + (abs(top) // bottom + 1) * e.bottom_errors[i]
    places = rounding.places
    if rounding.figures is not None:
        if abs(top) <= 2 * error:
            zero = part.sign_minus(i, j, Fraction(0)) == 0
            return round_rational(Fraction(0), rounding) if zero else None
        places = rounding.places_at(magnitude(Fraction(above, below)))
    up, down = (10**places, 1) if places >= 0 else (1, 10**-places)
    under = below * down
    whole, rest = divmod(2 * above * up, under)
    # Twice the first-order error covers the second order: the bottom is far above its error.
    spread = 4 * abs(e.multiplier) * up * error + 1
    if spread < rest < under - spread:
        return rounding.finished((whole + 1) // 2, places, False)
    if 4 * spread >= under:
        return None
    near = whole if rest <= spread else whole + 1
    if part.V is None and near == 0:
        # A weight next to nothing: positive where the key is visible, so never exactly 0.
        return Rounded(0, -places, part.A.gaps[i][j] is None)
    where = part.sign_minus(i, j, Fraction(near * down, 2 * up))
    if where == 0:
        return rounding.finished(rounding.nearest(near), places, near % 2 == 0)
    return rounding.finished((near + (where > 0)) // 2, places, False)


@dataclass(frozen=True, eq=False)
class Beside:
    """Matrices side by side: C, the heads' outputs, n×Σd."""

    parts: tuple[MatrixLike, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape[0], sum(part.shape[1] for part in self.parts)

    @property
    def letters(self) -> frozenset[str]:
        return frozenset().union(*(part.letters for part in self.parts))

    def at(self, i: int, j: int) -> Value:
        for part in self.parts:
            if j < part.shape[1]:
                return part.at(i, j)
            j -= part.shape[1]
        raise IndexError(j)

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        grids = [part.rounded(rounding) for part in self.parts]
        return tuple(
            tuple(cell for row in rows for cell in row) for rows in zip(*grids, strict=True)
        )


@dataclass(frozen=True, eq=False)
class Sum:
    """A sum of mixtures of one shape: Y = C W_O = Σ_h A_h (V_h W_O,h)."""

    parts: tuple[Mixture, ...]

    @property
    def shape(self) -> tuple[int, int]:
        return self.parts[0].shape

    @property
    def letters(self) -> frozenset[str]:
        return frozenset().union(*(part.letters for part in self.parts))

    def at(self, i: int, j: int) -> Quotient:
        return sum((part.at(i, j) for part in self.parts), NOTHING)

    def rounded(self, rounding: Rounding) -> DecimalGrid:
        return rounded_sum(self.parts, rounding)
