"""Whether two exact values are equal: decided by theorems, never estimated.

Equality by a normal form is a proof for every value here. That two values differ follows from
Lindemann–Weierstrass, Besicovitch or Baker, except where logarithms stand in exponents or are
multiplied: there the difference is enclosed until the interval leaves zero, and `Undecided` is
raised if it never does within `number.MOST_BITS` bits.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Final

from symattn.errors import Undecided
from symattn.exact import enclosure
from symattn.exact.expsum import ExpSum, exponential, is_certainly_zero, needs_separation
from symattn.exact.number import LETTER, Number
from symattn.exact.quotient import Quotient, Valued

EASY_BITS: Final = 1024
"""Precision up to which a sign is sought by enclosing before anything is multiplied out."""


def equal(left: Valued, right: Valued) -> bool:
    """Whether the two values are the same number (or the same function of their letters)."""
    return is_zero(Quotient.of(left) - Quotient.of(right))


def is_zero(value: Valued) -> bool:
    """Whether the value is zero. ZeroDivisionError where a bottom is."""
    quotient = Quotient.of(value)
    for _, bottom in quotient.parts:
        if _is_zero_sum(bottom):
            raise ZeroDivisionError("division by zero")
    return _is_zero_sum(quotient.top())


def sign(value: Valued) -> int:
    """−1, 0 or 1 of a value without letters (ValueError with them)."""
    quotient = Quotient.of(value)

    def enclose(precision: int) -> enclosure.Interval:
        return enclosure.of_quotient(quotient, precision)

    # Several quotients multiply out to many terms; mostly a few digits tell already.
    if len(quotient.parts) > 1 and (found := enclosure.sign_within(enclose, EASY_BITS)):
        return found
    if is_zero(quotient):
        return 0
    # As one fraction, what is equal in it is gone: (1 + tiny) / 1 − 1 is tiny.
    return math.prod(
        enclosure.sign_of(lambda precision, side=side: enclosure.of_expsum(side, precision))  # type: ignore[misc]
        for side in quotient.single()
    )


def rational_value(value: Valued) -> Fraction | None:
    """The value as a rational number, or None where it is not one.

    N/D is rational exactly when N is a rational multiple of D (both have normal forms).
    """
    top, bottom = Quotient.of(value).single()
    if _is_zero_sum(top):
        return Fraction(0)
    lead_exponent, lead = bottom.terms[0]
    other = dict(top.terms).get(lead_exponent)
    if other is None or len(top.terms) != len(bottom.terms):
        return None
    ratio = other.terms[0][1] / lead.terms[0][1]
    return ratio if _is_zero_sum(top - bottom * ratio) else None


def _is_zero_sum(value: ExpSum) -> bool:
    if is_certainly_zero(value):
        return True
    if not needs_separation(value):
        return False
    if value.has(LETTER):
        # Different at one point means different as functions.
        value = _at_a_point(value)
        if is_certainly_zero(value):
            raise Undecided("two expressions with letters and logarithms could not be told apart")
    enclosure.sign_of(lambda precision: enclosure.of_expsum(value, precision))
    return False


def _at_a_point(value: ExpSum) -> ExpSum:
    """The sum with each letter replaced by a number of its own, unlikely to be special."""
    letters = sorted({x for e, c in value.terms for x in e.letters | c.letters})
    point = {name: Fraction(1009 + 2 * k, 991 - k) for k, name in enumerate(letters)}
    result = ExpSum.of(0)
    for exponent, coefficient in value.terms:
        result = result + exponential(substituted(exponent, point)) * substituted(
            coefficient, point
        )
    return result


def substituted(value: Number, point: dict[str, Fraction]) -> Number:
    """The Number with rationals for its letters."""
    result = Number.of(0)
    for monomial, coefficient in value.terms:
        term = Number.of(coefficient)
        for atom, power in monomial:
            if atom.kind == LETTER:
                term = term * Number.of(point[str(atom.key)]) ** int(power)
            else:
                term = term * Number(((((atom, power),), Fraction(1)),))
        result = result + term
    return result
