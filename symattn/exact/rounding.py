"""Proved decimals: how a value is to be rounded, and the digits that come out.

A value is enclosed in an interval. Where the interval holds no point of the grid that rounding
turns on (a decimal or the middle between two), the digits are settled. Where it holds one, the
point is subtracted exactly and the sign of the difference decides, so ties and near-ties cost
no precision and always end.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NamedTuple

from symattn.errors import Undecided, UsageError

MOST_DIGITS: Final = 1_000_000


class Rounded(NamedTuple):
    """coefficient · 10^exponent, and whether the value is exactly this."""

    coefficient: int
    exponent: int
    exact: bool

    def __str__(self) -> str:
        return positional(self.coefficient, self.exponent)

    @property
    def magnitude(self) -> int:
        """The power of ten of the first digit; 0 for zero."""
        return len(digits_of(abs(self.coefficient))) - 1 + self.exponent if self.coefficient else 0

    @property
    def fraction(self) -> Fraction:
        return self.coefficient * Fraction(10) ** self.exponent


@dataclass(frozen=True, slots=True)
class Rounding:
    """Decimal places or significant figures, and what happens to ties.

    `ties` is "even" (to the even neighbour) or "up" (away from zero, as schools teach it).
    """

    places: int = 3
    figures: int | None = None
    ties: Literal["even", "up"] = "even"

    def __post_init__(self) -> None:
        digits = self.places if self.figures is None else self.figures
        if not (0 if self.figures is None else 1) <= digits <= MOST_DIGITS:
            raise UsageError(
                f"{digits} is not a number of digits that can be asked for",
                hint=f"Ask for 0 to {MOST_DIGITS} places, or 1 to {MOST_DIGITS} figures.",
            )

    def places_at(self, magnitude: int) -> int:
        """Decimal places for a value in [10^magnitude, 10^(magnitude+1))."""
        return self.places if self.figures is None else self.figures - 1 - magnitude

    def nearest(self, doubled: int) -> int:
        """The integer nearest to doubled/2, ties by the mode."""
        whole, half = divmod(doubled, 2)
        if not half:
            return whole
        if self.ties == "even":
            return whole + (whole & 1)
        return whole + (doubled > 0)

    def finished(self, coefficient: int, places: int, exact: bool) -> Rounded:
        """The rounded value; 9.996 to three figures is 10.0, not 10.00."""
        if self.figures is not None and abs(coefficient) >= 10**self.figures:
            coefficient, places = coefficient // 10, places - 1
        return Rounded(coefficient, -places, exact)


def round_rational(value: Fraction, rounding: Rounding) -> Rounded:
    """The rational value, rounded."""
    return round_ratio(value.numerator, value.denominator, rounding)


def round_ratio(top: int, bottom: int, rounding: Rounding) -> Rounded:
    """top/bottom, rounded; bottom > 0, not necessarily in lowest terms."""
    if not top:
        return Rounded(0, -rounding.places if rounding.figures is None else 0, True)
    places = rounding.places
    if rounding.figures is not None:
        places = rounding.places_at(magnitude(Fraction(top, bottom)))
    up, down = 2 * 10 ** max(places, 0), 10 ** max(-places, 0)
    whole, rest = divmod(top * up, bottom * down)
    if rest:
        return rounding.finished((whole + 1) // 2, places, False)
    return rounding.finished(rounding.nearest(whole), places, whole % 2 == 0)


def settle(
    low: Fraction, high: Fraction, sign_minus: Callable[[Fraction], int], rounding: Rounding
) -> Rounded | None:
    """The digits of a value in [low, high], or None where the interval is too wide to tell.

    `sign_minus(q)` is the exact sign of value − q; it is only asked at points of the grid.
    """
    if low == high:
        return round_rational(low, rounding)
    if rounding.figures is None:
        places = rounding.places
    else:
        if low <= 0 <= high:
            return round_rational(Fraction(0), rounding) if sign_minus(Fraction(0)) == 0 else None
        small, large = sorted((magnitude(low), magnitude(high)))
        if large - small > 1:
            return None
        edge = Fraction(10) ** large * (1 if low > 0 else -1)
        beyond = large > small and sign_minus(edge) * (1 if low > 0 else -1) >= 0
        places = rounding.places_at(large if beyond else small)
    up, down = 2 * 10 ** max(places, 0), 10 ** max(-places, 0)
    first = -(-low.numerator * up // (low.denominator * down))
    last = high.numerator * up // (high.denominator * down)
    if first > last:
        return rounding.finished(first // 2, places, False)
    if first < last:
        return None
    where = sign_minus(Fraction(first * down, up))
    if where == 0:
        return rounding.finished(rounding.nearest(first), places, first % 2 == 0)
    return rounding.finished((first + (where > 0)) // 2, places, False)


def round_enclosed(
    enclose: Callable[[int], tuple[Fraction, Fraction]],
    sign_minus: Callable[[Fraction], int],
    rounding: Rounding,
    most_bits: int,
) -> Rounded:
    """The digits of a value that can be enclosed to any precision in bits."""
    bits = 64 + 4 * (rounding.places if rounding.figures is None else rounding.figures)
    most_bits = max(most_bits, 4 * bits)
    while bits <= most_bits:
        try:
            low, high = enclose(bits)
        except (OverflowError, ZeroDivisionError):
            bits *= 2
            continue
        settled = settle(low, high, sign_minus, rounding)
        if settled is not None:
            return settled
        bits *= 2
    raise Undecided(f"the digits asked for are not settled at {most_bits} bits")


def magnitude(value: Fraction) -> int:
    """m with 10^m ≤ |value| < 10^(m+1), for a value that is not zero."""
    top, bottom = abs(value.numerator), value.denominator
    guess = (top.bit_length() - bottom.bit_length()) * 30103 // 100000
    while top * 10 ** max(0, -guess) >= bottom * 10 ** max(0, guess) * 10:
        guess += 1
    while top * 10 ** max(0, -guess) < bottom * 10 ** max(0, guess):
        guess -= 1
    return guess


def positional(coefficient: int, exponent: int) -> str:
    """coefficient · 10^exponent written out; the minus sign of a zero is never written."""
    digits = digits_of(abs(coefficient))
    if exponent >= 0:
        digits = digits + "0" * exponent if coefficient else "0"
    else:
        digits = digits.rjust(1 - exponent, "0")
        digits = f"{digits[:exponent]}.{digits[exponent:]}"
    return f"-{digits}" if coefficient < 0 else digits


def digits_of(value: int) -> str:
    """The decimal digits of a non-negative integer of any size.

    Python refuses to print more than 4300 digits at once (`sys.set_int_max_str_digits`).
    """
    if value.bit_length() < 13_000:
        return str(value)
    half = value.bit_length() * 30103 // 200000
    high, low = divmod(value, 10**half)
    return digits_of(high) + digits_of(low).rjust(half, "0")
