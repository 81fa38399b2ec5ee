"""Exact values as they are written on paper: e^{5/√3}, not e^{5√3/3}."""

from __future__ import annotations

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final, Protocol, assert_never

from symattn.convention import ROWS, Convention
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import DecimalGrid, MatrixLike, MinusInfinity, Value
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.number import Atom, Monomial, Number
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounded, Rounding, digits_of, round_rational
from symattn.formula import (
    DOTS,
    Call,
    Formula,
    Frac,
    Num,
    Op,
    Paren,
    Power,
    Root,
    Seq,
    Sub,
    Sym,
    Words,
    factor,
    is_negative,
    joined,
    num,
    seq,
)
from symattn.formula import (
    MINUS_INFINITY as MINUS_INFINITY_SIGN,
)


class HasValue(Protocol):
    """A stage of a derivation: anything with a value."""

    @property
    def value(self) -> MatrixLike: ...


LONGEST_SUM: Final = 8
"""A sum with more terms than this is written with dots in a working."""
SMALL: Final = -6
LARGE: Final = 9
"""Powers of ten from and to which decimals are written out; beyond, as 1.23·10⁻¹²."""
LONGEST_NUMBER: Final = 14
"""Digits from which a fraction typed in decimals is no longer written out as one."""


@dataclass(frozen=True, eq=False, slots=True)
class Writing:
    """How values are to look: the convention, the decimals, whether inputs came in decimals."""

    convention: Convention = ROWS
    rounding: Rounding = Rounding()
    decimal_inputs: bool = False
    """Rationals whose decimals end are then written as decimals: 0.75, not 3/4."""
    head: int | None = None
    """The number of the head that is written about, where there are several."""
    terms: int = LONGEST_SUM
    """Terms of a sum that are written before its middle is left out."""
    unscaled: bool = False
    """Nothing is scaled, so Z is written as the S that it is."""
    _exponentials: dict[Number, Formula] = field(default_factory=dict, compare=False, repr=False)
    _row_sums: dict[tuple[int, int], tuple[object, Formula]] = field(
        default_factory=dict, compare=False, repr=False
    )
    _decimals: dict[int, tuple[object, DecimalGrid]] = field(
        default_factory=dict, compare=False, repr=False
    )

    # ------------------------------------------------------------ values

    def value(self, value: Value | int | Fraction) -> Formula:
        """The exact form of a value."""
        match value:
            case MinusInfinity():
                return MINUS_INFINITY_SIGN
            case int() | Fraction():
                return self.rational(Fraction(value))
            case Number():
                return self.number(value)
            case Quotient(parts):
                return joined("+", [self.ratio(top, bottom) for top, bottom in parts])
            case _:
                assert_never(value)

    def ratio(self, top: ExpSum, bottom: ExpSum) -> Formula:
        if bottom.is_number and bottom.number == Number.of(1):
            return self.exp_sum(top)
        return Frac(self.exp_sum(top), self.exp_sum(bottom))

    def rational(self, value: Fraction, *, slanted: bool = False) -> Formula:
        if value.denominator == 1:
            return num(value.numerator)
        if self.decimal_inputs and (written := ending_decimal(value)):
            return Num(written)
        top = num(abs(value.numerator))
        fraction = Frac(top, num(value.denominator), slanted)
        return seq(Sym("−"), fraction) if value < 0 else fraction

    def number(self, value: Number, *, slanted: bool = False) -> Formula:
        """A Number: rational multiples of roots as 5/√3, letters by descending degree."""
        if value.is_rational:
            return self.rational(value.rational, slanted=slanted)
        ordered = sorted(value.terms, key=_reading_order)
        parts: list[Formula | str] = []
        for monomial, coefficient in ordered:
            if parts:
                parts.append("−" if coefficient < 0 else "+")
                coefficient = abs(coefficient)
            parts.append(self._term(monomial, coefficient, slanted))
        return seq(*parts)

    def _term(self, monomial: Monomial, coefficient: Fraction, slanted: bool) -> Formula:
        if not monomial:
            return self.rational(coefficient, slanted=slanted)
        size = abs(coefficient)
        above: list[Formula] = []
        below: list[Formula] = []
        radicand, rest = _square_roots(monomial)
        top, bottom = size.numerator, size.denominator
        for atom, power in rest:
            (above if power > 0 else below).append(self._atom(atom, abs(power)))
        if radicand > 1 and bottom % radicand == 0:
            # c/(k·r)·√r is written c/(k·√r), as the division by √r was.
            bottom //= radicand
            below.append(Root(num(radicand)))
        elif radicand > 1:
            above.append(Root(num(radicand)))
        if top != 1 or not above:
            above.insert(0, num(top))
        if bottom != 1:
            below.insert(0, num(bottom))
        numerator = _product(above)
        result: Formula = numerator
        if below:
            plain_fraction = len(below) == 1 and isinstance(below[0], Num) and len(above) > 1
            if plain_fraction and not slanted and not isinstance(above[0], Num):
                result = seq(Frac(num(1), below[0]), numerator)
            else:
                result = Frac(numerator, _product(below), slanted)
        return seq(Sym("−"), result) if coefficient < 0 else result

    def _atom(self, atom: Atom, power: Fraction) -> Formula:
        match atom:
            case Atom("prime", int(prime)):
                return _root_power(num(prime), power)
            case Atom("root", (int(), tuple(terms))):
                return _root_power(self.number(Number(terms)), power)
            case Atom("log", int(prime)):
                base: Formula = Call("ln", num(prime))
            case Atom("letter", str(name)):
                base = letter(name)
            case _:
                raise TypeError(atom)
        if power == 1:
            return base
        if atom.kind == "log":
            base = Paren(base)
        return Power(base, self.rational(power, slanted=True))

    # ------------------------------------------------------------ stages

    def symbol(self, name: str) -> Formula:
        """The symbol of a stage, with its head where there are several."""
        shared = name in ("X", "X_kv", "W_O", "C", "Y", "B")
        if name == "Z" and self.unscaled:
            name = "S"
        return stage_symbol(name, None if shared else self.head)

    def cell(self, stage: HasValue, i: int, j: int) -> Formula:
        """The entry in row i, column j (from 0): as typed where it was typed in decimals."""
        typed: Sequence[Sequence[str]] = getattr(stage, "typed", ())
        if typed:
            text = typed[j][i] if getattr(stage, "transposed", False) else typed[i][j]
            if "." in text and text.lstrip("+-−").replace(".", "", 1).isdigit():
                return Num(text.lstrip("+").replace("−", "-"))
        return self.value(stage.value.at(i, j))

    def rounded(self, stage: HasValue) -> DecimalGrid:
        """The stage's proved decimals, computed once."""
        key = id(stage.value)
        if key not in self._decimals:
            self._decimals[key] = (stage.value, stage.value.rounded(self.rounding))
        return self._decimals[key][1]

    def row_sum(self, weights: Weights, i: int) -> Formula:
        """r_i term by term, in the order of the keys: e^{1/√3} + e^{5/√3} + e^{√3}."""
        known = self._row_sums.get((id(weights), i))
        if known is None:
            row = [self.exp(v) for v in weights.M.row(i) if isinstance(v, Number)]
            known = weights, elided_sum(row, self.terms) if row else num(0)
            self._row_sums[id(weights), i] = known
        return known[1]

    def weight(self, weights: Weights, i: int, j: int, *, named: bool = False) -> Formula:
        """e^{M_ij} over its row sum, written out or by its name r_i; 0 where masked."""
        value = weights.M.at(i, j)
        if not isinstance(value, Number):
            return num(0)
        bottom = self.indexed(Sym("r"), i) if named else self.row_sum(weights, i)
        return Frac(self.exp(value), bottom)

    def mixture(self, mixture: Mixture, i: int, j: int, *, named: bool = False) -> Formula:
        """Σ_k V_kj e^{M_ik} over the row sum, in the order of the keys; a rational as itself."""
        if mixture.V is None:
            return self.weight(mixture.A, i, j, named=named)
        if (rational := mixture.rational(i, j)) is not None:
            return self.rational(rational)
        terms = [
            (value, self.exp(exponent))
            for k, exponent in enumerate(mixture.A.M.row(i))
            if isinstance(exponent, Number) and isinstance(value := mixture.V.at(k, j), Number)
        ]
        bottom = self.indexed(Sym("r"), i) if named else self.row_sum(mixture.A, i)
        return Frac(self.weighted_sum(terms), bottom)

    # ------------------------------------------------------------ exponentials

    def exp(self, exponent: Number) -> Formula:
        """e^exponent; 1 for e⁰."""
        found = self._exponentials.get(exponent)
        if found is None:
            if not exponent:
                found = num(1)
            elif exponent == Number.of(1):
                found = Sym("e")
            else:
                found = Power(Sym("e"), self.number(exponent, slanted=True))
            self._exponentials[exponent] = found
        return found

    def exponential(self, weights: Weights, i: int, j: int) -> Formula:
        """e^M_ij, or the number that it is where M_ij holds logarithms."""
        value, exponent = weights.exponential(i, j), weights.M.at(i, j)
        if value.is_number or not isinstance(exponent, Number):
            return self.exp_sum(value)
        return self.exp(exponent)

    def exp_sum(self, value: ExpSum) -> Formula:
        """Σ c·e^α."""
        return self.weighted_sum([(c, self.exp(e)) for e, c in value.terms])

    def weighted_sum(self, terms: Sequence[tuple[Number, Formula]]) -> Formula:
        """Σ c·f for numbers c and formulas f; zeros are dropped, 1·f is f."""
        kept: list[tuple[Number, Formula] | None] = [t for t in terms if t[0]]
        if len(kept) > self.terms:
            kept = [*kept[: self.terms - 3], None, kept[-1]]
        parts: list[Formula | str] = []
        for term in kept:
            if term is None:
                parts += ["+", DOTS]
                continue
            coefficient, formula = term
            written = self.number(coefficient)
            negative = is_negative(written) and len(coefficient.terms) == 1
            if negative:
                written = self.number(-coefficient)
            if parts:
                parts.append("−" if negative else "+")
            elif negative:
                parts.append(Sym("−"))
            if formula == num(1):
                parts.append(written)
            elif written == num(1):
                parts.append(formula)
            else:
                parts += [factor(written), formula]
        return seq(*parts) if parts else num(0)

    # ------------------------------------------------------------ decimals

    def scalar(self, value: Rounded | MinusInfinity) -> Formula:
        """A decimal that stands alone: 0.5 where the value is exactly that, else 0.500."""
        if isinstance(value, Rounded) and value.exact and self.rounding.figures is None:
            return Num(ending_decimal(value.fraction) or str(value))
        return self.decimal(value)

    def decimal(self, value: Rounded | MinusInfinity) -> Formula:
        """A decimal as it stands in a grid, with all its places."""
        if isinstance(value, MinusInfinity):
            return MINUS_INFINITY_SIGN
        if value.coefficient and not SMALL <= value.magnitude < LARGE:
            digits = digits_of(abs(value.coefficient))
            if len(digits) <= LONGEST_NUMBER or self.rounding.figures is not None:
                mantissa = digits[0] + ("." + digits[1:] if digits[1:] else "")
                sign = "-" if value.coefficient < 0 else ""
                return seq(Num(sign + mantissa), "·", Power(num(10), num(value.magnitude)))
        return Num(str(value))

    def relation(self, *values: Rounded | MinusInfinity) -> str:
        """= where the decimals are the values themselves, ≈ where they are rounded."""
        exact = all(isinstance(v, MinusInfinity) or v.exact for v in values)
        return "=" if exact else "≈"

    # ------------------------------------------------------------ names

    def entry(self, base: Formula, i: int, j: int) -> Formula:
        """base with the subscripts of row i, column j (from 0), as the convention counts."""
        if self.convention.tokens == "columns":
            i, j = j, i
        first, second = (str(k + self.convention.index_from) for k in (i, j))
        both = first + second
        index = num(both) if len(both) == 2 else seq(num(first), Sym(","), num(second))
        if isinstance(base, Power):
            # The head's number stays above: Q₁₂⁽²⁾.
            return Power(Sub(base.base, index), base.exponent)
        return Sub(base, index)

    def indexed(self, base: Formula, i: int) -> Formula:
        return Sub(base, num(i + self.convention.index_from))


def letter(name: str) -> Formula:
    """A letter typed by the user: x, alpha → α, w_12 → w with a subscript."""
    head, _, tail = name.partition("_")
    base: Formula
    if head in GREEK:
        base = Sym(GREEK[head])
    elif len(head) == 1:
        base = Sym(head)
    else:
        stem = head.rstrip("0123456789")
        if len(stem) == 1 and not tail:
            return Sub(Sym(stem), num(head[1:]))
        base = Words(head)
    if not tail:
        return base
    return Sub(base, num(tail) if tail.isascii() and tail.isdigit() else Words(tail))


GREEK: Final = {
    unicodedata.name(sign).rpartition(" ")[2].lower().replace("lamda", "lambda"): sign
    for sign in "αβγδεζηθικλμνξπρστυφχψω"
}
"""alpha → α, …"""

_STAGES: Final = {
    "W_Q": ("W", "Q"), "W_K": ("W", "K"), "W_V": ("W", "V"), "W_O": ("W", "O"),
    "b_Q": ("b", "Q"), "b_K": ("b", "K"), "b_V": ("b", "V"),
}  # fmt: skip


def stage_symbol(name: str, head: int | None = None) -> Formula:
    """The symbol of a stage: Q, W_Q, X_kv; with a head's number (from 1) above: Q⁽²⁾."""
    base: Formula
    if name in _STAGES:
        stem, index = _STAGES[name]
        base = Sub(Sym(stem), Sym(index))
    elif name == "X_kv":
        base = Sub(Sym("X"), Words("kv"))
    else:
        base = Sym(name)
    return base if head is None else Power(base, Paren(num(head)))


def elided_sum(parts: Sequence[Formula], longest: int = LONGEST_SUM) -> Formula:
    """a + b + ⋯ + z, in full up to `longest` terms; a negative number keeps its brackets."""
    shown: list[Formula] = list(parts)
    if len(shown) > longest:
        shown = [*shown[: longest - 3], DOTS, shown[-1]]
    out: list[Formula | str] = []
    for part in shown:
        if out:
            out.append("+")
            part = _bracketed(part)
        out.append(part)
    return seq(*out)


def _bracketed(part: Formula) -> Formula:
    """A summand behind a plus: what is negative, or its negative first factor, in brackets."""
    match part:
        case Seq((first, *rest)) if is_negative(first) and Op("·") in rest:
            return Seq((Paren(first), *rest))
        case _:
            return Paren(part) if is_negative(part) else part


def elided_row(cells: Sequence[Formula], longest: int = LONGEST_SUM) -> Formula:
    """[a, b, ⋯, z]."""
    shown = list(cells)
    if len(shown) > longest:
        shown = [*shown[: longest - 3], DOTS, shown[-1]]
    return Paren(joined(",", shown), "[")


def ending_decimal(value: Fraction) -> str | None:
    """The decimals of a rational whose decimals end soon, or None."""
    rest, twos, fives = value.denominator, 0, 0
    while rest % 2 == 0:
        rest, twos = rest // 2, twos + 1
    while rest % 5 == 0:
        rest, fives = rest // 5, fives + 1
    places = max(twos, fives)
    if rest != 1 or places + len(str(abs(value.numerator) // value.denominator)) > LONGEST_NUMBER:
        return None
    return str(round_rational(value, Rounding(places)))


def _square_roots(monomial: Monomial) -> tuple[int, Monomial]:
    """The square roots of primes gathered under one root, and the other atoms."""
    radicand, rest = 1, []
    for atom, power in monomial:
        match atom:
            case Atom("prime", int(prime)) if power == Fraction(1, 2):
                radicand *= prime
            case _:
                rest.append((atom, power))
    return radicand, tuple(rest)


def _root_power(base: Formula, power: Fraction) -> Formula:
    if power.numerator == 1:
        return Root(base, power.denominator)
    base = Paren(base) if isinstance(base, Seq) else base
    return Power(base, Frac(num(power.numerator), num(power.denominator), slanted=True))


def _product(factors: list[Formula]) -> Formula:
    if not factors:
        return num(1)
    parts: list[Formula | str] = []
    for part in factors:
        if parts and isinstance(part, (Num, Call)) and not isinstance(parts[-1], Num):
            parts.append("·")
        parts.append(part)
    return seq(*parts)


def _reading_order(term: tuple[Monomial, Fraction]) -> tuple[Fraction, Monomial]:
    degree = sum((p for a, p in term[0] if a.kind == "letter"), Fraction(0))
    return -degree, term[0]
