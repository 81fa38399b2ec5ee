"""What a written number claims, and whether a value keeps it.

A decimal d with its last place u = 10^−p claims a value within u/2. Fewer things are wrong than a
fixed tolerance would call so, and more: 0.669 for 0.66976 is cut, 0.671 is a slip.
"""

from __future__ import annotations

from enum import Enum
from fractions import Fraction
from typing import Final

from symattn.exact.matrix import MinusInfinity
from symattn.exact.number import LETTER, Number
from symattn.verify.reading.written import Written
from symattn.verify.reference import Reference

STAND_IN: Final = -(10**4)
"""A number this low stands for −∞: frameworks write −1e9, −65504 or −10000."""
FLOAT32_BITS: Final = 24
FLOAT32_DIGITS: Final = 7
"""Significant digits from which a number may be a print-out of a float32."""
FLOAT32_UNITS: Final = 2
"""Units in the last place by which float32 arithmetic may be off after a few operations."""
NEAR: Final = Fraction(1, 50)
"""An exact form so near (relative) to the value was meant for it: 5/7 for 1/√2."""


class Claim(Enum):
    """How a written number relates to a value."""

    EXACT = "exact"
    ROUNDED = "rounded"
    TIE = "tie"
    """The value lies in the middle between two decimals, and this is one of them."""
    TRUNCATED = "truncated"
    LAST_DIGIT = "last-digit"
    """Off by less than one unit of the last place, for no such reason."""
    FLOAT32 = "float32"
    """As near as single precision comes, though more digits are written."""
    APPROXIMATE = "approximate-form"
    """Written as an exact value that is only near."""
    OFF = "off"


RIGHT: Final = frozenset((Claim.EXACT, Claim.ROUNDED, Claim.TIE))


def claim(written: Written, reference: Reference, *, among_decimals: bool = True) -> Claim:
    """What the cell claims about the value.

    `among_decimals`: a whole number in a matrix of decimals, or after ≈, is rounded to 0 places;
    elsewhere it is an exact claim.
    """
    value = written.value
    if reference.is_hidden or isinstance(value, MinusInfinity):
        if reference.is_hidden and _stands_for_minus_infinity(written):
            return Claim.EXACT
        return Claim.OFF
    if reference.has_letters:
        return Claim.EXACT if reference.equals(value) else Claim.OFF
    if written.places is None or not isinstance(value, Number) or not value.is_rational:
        return _exact_form(written, reference)
    d = value.rational
    side = reference.sign_minus(d)
    if side == 0:
        return Claim.EXACT
    if not written.has_point and not among_decimals:
        return Claim.OFF
    unit = Fraction(10) ** -written.places
    half = reference.sign_minus(d + side * unit / 2)
    if half == -side:
        return Claim.ROUNDED
    if half == 0:
        return Claim.TIE
    if _is_float32(written, d, reference):
        return Claim.FLOAT32
    if reference.sign_minus(d + side * unit) == -side and _is_fine(written, d):
        # Cut towards zero: the value is further out than what is written.
        if d * side >= 0:
            return Claim.ROUNDED if written.is_cut else Claim.TRUNCATED
        return Claim.LAST_DIGIT
    return Claim.OFF


def _is_fine(written: Written, d: Fraction) -> bool:
    """Whether a unit of the last place is little: not for 0.3 or 4."""
    assert written.places is not None
    return written.places >= 2 or abs(d) >= 10 * Fraction(10) ** -written.places


def _stands_for_minus_infinity(written: Written) -> bool:
    value = written.value
    if isinstance(value, MinusInfinity) or written.text.lower() == "masked":
        return True
    return isinstance(value, Number) and value.is_rational and value.rational <= STAND_IN


def _exact_form(written: Written, reference: Reference) -> Claim:
    value = written.value
    assert not isinstance(value, MinusInfinity)
    if reference.equals(value):
        return Claim.EXACT
    if value.has(LETTER):
        return Claim.OFF
    if isinstance(value, Number) and value.is_rational and not written.has_decimals:
        d = value.rational
        spread = abs(d) * NEAR
        if d and reference.sign_minus(d - spread) > 0 > reference.sign_minus(d + spread):
            return Claim.APPROXIMATE
    return Claim.OFF


def _is_float32(written: Written, d: Fraction, reference: Reference) -> bool:
    digits = "".join(c for c in written.text.lower().split("e")[0] if c.isdigit()).lstrip("0")
    if len(digits) < FLOAT32_DIGITS or not d:
        return False
    exponent = abs(d.numerator).bit_length() - d.denominator.bit_length()
    ulp = Fraction(2) ** (exponent + 1 - FLOAT32_BITS)
    return (
        reference.sign_minus(d - FLOAT32_UNITS * ulp)
        > 0
        > reference.sign_minus(d + FLOAT32_UNITS * ulp)
    )
