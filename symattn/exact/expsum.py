"""Finite sums of c·e^α, with exponents and coefficients that are Numbers."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, Union

from symattn.errors import OutOfScope
from symattn.exact.number import (
    LETTER,
    LOG,
    MOST_TERMS,
    ONE,
    ROOT,
    ZERO,
    Atom,
    Number,
    Numeric,
    Term,
    is_zero,
    root,
    total,
)

Summand: TypeAlias = tuple[Number, Number]
"""(exponent, coefficient)."""
Summable: TypeAlias = Union["ExpSum", Number, int, Fraction]


@dataclass(frozen=True, slots=True)
class ExpSum:
    """Σ c·e^α; `terms` are (α, c), each α once, no c empty.

    Exponentials of distinct algebraic numbers are linearly independent over the algebraic numbers
    (Lindemann–Weierstrass, 1885), so a sum without logarithms in it is zero only if every
    coefficient is, once equal exponents are gathered.
    """

    terms: tuple[Summand, ...]

    @staticmethod
    def of(value: Summable) -> ExpSum:
        match value:
            case ExpSum():
                return value
            case _:
                number = Number.of(value)
                return ExpSum(((ZERO, number),)) if number else EMPTY

    def __add__(self, other: Summable) -> ExpSum:
        return gathered((*self.terms, *ExpSum.of(other).terms))

    def __neg__(self) -> ExpSum:
        return ExpSum(tuple((exponent, -coefficient) for exponent, coefficient in self.terms))

    def __sub__(self, other: Summable) -> ExpSum:
        return self + -ExpSum.of(other)

    def __mul__(self, other: Summable) -> ExpSum:
        right = ExpSum.of(other)
        if len(self.terms) * len(right.terms) > MOST_TERMS * 50:
            raise OutOfScope("a product of sums of exponentials is too large to expand")
        return gathered((a + b, c * d) for a, c in self.terms for b, d in right.terms)

    def __bool__(self) -> bool:
        return bool(self.terms)

    @property
    def is_number(self) -> bool:
        """Whether no exponential is left in it."""
        return not self.terms or (len(self.terms) == 1 and not self.terms[0][0])

    @property
    def number(self) -> Number:
        """The value, if `is_number`; ValueError otherwise."""
        if not self.is_number:
            raise ValueError("the sum has exponentials in it")
        return self.terms[0][1] if self.terms else ZERO

    def has(self, kind: str) -> bool:
        return any(e.has(kind) or c.has(kind) for e, c in self.terms)


EMPTY: Final = ExpSum(())


def gathered(terms: Iterable[Summand]) -> ExpSum:
    """The sum with equal exponents gathered."""
    found: dict[Number, list[Number]] = {}
    for exponent, coefficient in terms:
        found.setdefault(exponent, []).append(coefficient)
    sums = ((e, cs[0] if len(cs) == 1 else total(cs)) for e, cs in found.items())
    return ExpSum(
        tuple(sorted(((e, c) for e, c in sums if c), key=_exponent_terms)) if found else ()
    )


def _exponent_terms(term: Summand) -> tuple[Term, ...]:
    return term[0].terms


def exponential(exponent: Numeric) -> ExpSum:
    """e^exponent. Rational multiples of logarithms become powers: e^((ln 2)/2) is √2."""
    kept: dict[tuple[tuple[Atom, Fraction], ...], Fraction] = {}
    factor = ONE
    for monomial, coefficient in Number.of(exponent).terms:
        match monomial:
            case ((Atom("log", int(prime)), Fraction(numerator=1, denominator=1)),):
                factor = factor * power_of_prime(prime, coefficient)
            case _:
                kept[monomial] = coefficient
    return ExpSum(((Number(tuple(sorted(kept.items()))), factor),))


def power_of_prime(prime: int, exponent: Fraction) -> Number:
    """prime^exponent; OutOfScope where the result would have thousands of digits."""
    if abs(exponent) > 10_000:
        raise OutOfScope(f"{prime}^{exponent} is too large to write down")
    whole, rest = divmod(exponent, 1)
    result = Number.of(Fraction(prime) ** int(whole))
    return result * root(rest.denominator, prime**rest.numerator) if rest else result


def is_certainly_zero(value: ExpSum) -> bool:
    """Whether the sum is zero by its normal form, exponents compared as exact numbers.

    True is a proof. False is a proof too unless logarithms are left (`needs_separation`).
    """
    terms: Mapping[Number, Number] = dict(value.terms)
    if any(exponent.has(ROOT) for exponent in terms):
        merged: dict[Number, Number] = {}
        for exponent, coefficient in terms.items():
            same = next((e for e in merged if is_zero(e - exponent)), exponent)
            merged[same] = merged.get(same, ZERO) + coefficient
        terms = merged
    return all(is_zero(coefficient) for coefficient in terms.values())


def needs_separation(value: ExpSum) -> bool:
    """Whether a non-empty normal form is not yet a proof that the sum is not zero.

    Baker's theorem covers sums of algebraic numbers and logarithms; logarithms in exponents, or
    multiplied with each other or with exponentials, it does not cover.
    """
    if not value.has(LOG):
        return False
    if value.is_number:
        return any(
            sum(power for atom, power in monomial if atom.kind == LOG) not in (0, 1)
            or any(atom.kind == LOG and power != 1 for atom, power in monomial)
            or any(atom.kind in (LETTER,) for atom, _ in monomial)
            for monomial, _ in value.number.terms
        )
    return True
