"""Rigorous enclosures of general values, by mpmath's interval arithmetic.

Plain numbers never come here (`fixed.py` does those with integers alone); surds, logarithms and
whatever a student wrote do.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, TypeAlias

from mpmath.ctx_iv import MPIntervalContext

from symattn.errors import Undecided
from symattn.exact.expsum import ExpSum
from symattn.exact.number import MOST_BITS, Atom, Number
from symattn.exact.quotient import Quotient

MOST_EXPONENT: Final = 1 << 25
"""Powers of two up to which an end of an interval is written out as a fraction."""

Interval: TypeAlias = Any
"""mpmath's `ivmpf`: a closed interval [a, b] that contains the value. (mpmath has no types.)"""


@lru_cache(maxsize=64)
def context(precision: int) -> Any:
    """An interval context of its own, so mpmath's global precision is never touched."""
    ctx = MPIntervalContext()
    ctx.prec = precision
    return ctx


def _rational(value: Fraction, ctx: Any) -> Interval:
    return ctx.mpf(value.numerator) / ctx.mpf(value.denominator)


def _atom(atom: Atom, power: Fraction, ctx: Any, precision: int) -> Interval:
    match atom:
        case Atom("prime", int(p)):
            return ctx.exp(ctx.log(ctx.mpf(p)) * _rational(power, ctx))
        case Atom("log", int(p)):
            return ctx.log(ctx.mpf(p)) ** int(power)
        case Atom("root", (int(), tuple(terms))):
            radicand = of_number(Number(terms), precision)
            if not radicand.a > 0:
                # It is positive, but that is not seen at this precision: from 0 to its upper end.
                end = ctx.exp(ctx.log(ctx.mpf(radicand.b)) * _rational(power, ctx))
                return ctx.mpf([0, end.b])
            return ctx.exp(ctx.log(radicand) * _rational(power, ctx))
        case _:
            raise ValueError(f"the letter {atom.key} has no decimal value")


def of_number(value: Number, precision: int) -> Interval:
    """An interval around the value. ValueError if it has letters."""
    ctx = context(precision)
    result = ctx.mpf(0)
    for monomial, coefficient in value.terms:
        term = _rational(coefficient, ctx)
        for atom, power in monomial:
            term = term * _atom(atom, power, ctx, precision)
        result = result + term
    return result


def of_expsum(value: ExpSum, precision: int) -> Interval:
    ctx = context(precision)
    result = ctx.mpf(0)
    for exponent, coefficient in value.terms:
        term = of_number(coefficient, precision)
        if exponent:
            term = term * ctx.exp(of_number(exponent, precision))
        result = result + term
    return result


def of_quotient(value: Quotient, precision: int) -> Interval:
    ctx = context(precision)
    result = ctx.mpf(0)
    for top, bottom in value.parts:
        result = result + of_expsum(top, precision) / of_expsum(bottom, precision)
    return result


def contains_zero(value: Number, precision: int) -> bool:
    return 0 in of_number(value, precision)


def largest_magnitude_bits(value: Number, precision: int) -> int:
    """b with |value| < 2^b for the whole enclosure (very negative for a tiny interval)."""
    interval = of_number(value, precision)
    ends = [bounds(interval)[0], bounds(interval)[1]]
    largest = max(abs(end) for end in ends)
    if not largest:
        return -(1 << 62)
    return largest.numerator.bit_length() - largest.denominator.bit_length() + 1


def bounds(interval: Interval) -> tuple[Fraction, Fraction]:
    """Two fractions around the interval: its ends, but for tiny ones, which are moved outwards.

    OverflowError where it is unbounded, Undecided where an end is too large to write out.
    """
    return _end(interval.a, False), _end(interval.b, True)


def _end(end: Any, is_upper: bool) -> Fraction:
    # An end is itself a degenerate interval; its raw form is (sign, mantissa, exponent, bits).
    negative, mantissa, exponent, bits = end._mpi_[0]
    if not mantissa:
        if exponent:
            raise OverflowError("the enclosure is unbounded")
        return Fraction(0)
    if exponent + bits < -MOST_EXPONENT:
        outwards = bool(negative) != is_upper
        return Fraction(-1 if negative else 1, 1 << MOST_EXPONENT) if outwards else Fraction(0)
    if exponent > MOST_EXPONENT:
        raise Undecided("a value is too large for its digits to be written out")
    scaled: Fraction = int(mantissa) * Fraction(2) ** int(exponent)
    return -scaled if negative else scaled


def sign_of(enclose: Callable[[int], Interval]) -> int:
    """The sign of a value known not to be zero, or Undecided once the precision runs out."""
    found = sign_within(enclose, MOST_BITS)
    if not found:
        raise Undecided(
            f"a value agrees with zero to {MOST_BITS} bits, and no theorem says if it is"
        )
    return found


def sign_within(enclose: Callable[[int], Interval], most_bits: int) -> int:
    """The sign of a value, or 0 where so many bits do not tell."""
    precision = 64
    while precision <= most_bits:
        with suppress(OverflowError, ZeroDivisionError):
            interval = enclose(precision)
            if interval.a > 0:
                return 1
            if interval.b < 0:
                return -1
        precision *= 2
    return 0
