"""Decimals: rounding of rationals, of enclosed values, ties, figures, very many digits."""

from __future__ import annotations

from decimal import ROUND_HALF_EVEN, ROUND_HALF_UP, Context, Decimal
from fractions import Fraction
from math import isqrt
from typing import Literal

import mpmath
import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import Undecided, UsageError
from symattn.exact import fixed
from symattn.exact.rounding import (
    Rounded,
    Rounding,
    digits_of,
    magnitude,
    positional,
    round_enclosed,
    round_rational,
    settle,
)
from tests.strategies import roundings

Ties = Literal["even", "up"]

rationals = st.fractions(-1000, 1000, max_denominator=10_000)
close_to_ties = st.builds(
    lambda k, places, by: Fraction(k, 2 * 10**places) + by,
    st.integers(-2000, 2000),
    st.integers(0, 4),
    st.sampled_from([Fraction(0), Fraction(0), Fraction(1, 10**90), Fraction(-1, 10**90)]),
)
values = st.one_of(rationals, close_to_ties, st.integers(-(10**9), 10**9).map(Fraction))


def by_decimal(value: Fraction, rounding: Rounding) -> str:
    """The digits by Python's decimal module, from an exact or sticky quotient."""
    if not value:
        return (
            "0"
            if rounding.figures is not None or not rounding.places
            else ("0." + "0" * rounding.places)
        )
    mode = ROUND_HALF_EVEN if rounding.ties == "even" else ROUND_HALF_UP
    # 500 digits cut towards zero; a non-zero rest is marked by one more digit, so no tie is faked.
    whole, rest = divmod(abs(value.numerator) * 10**500, value.denominator)
    digits = whole * 10 + bool(rest)
    exact = Decimal((int(value < 0), tuple(map(int, str(digits))), -501))
    context = Context(prec=2000, rounding=mode)
    places = rounding.places
    if rounding.figures is not None:
        places = rounding.figures - 1 - exact.adjusted()
    result = exact.quantize(Decimal((0, (1,), -places)), context=context)
    if rounding.figures is not None and len(result.as_tuple().digits) > rounding.figures:
        result = result.quantize(Decimal((0, (1,), 1 - places)), context=context)
    text = format(result, "f")
    return text.lstrip("-") if not result else text


@given(values, roundings)
def test_rationals_are_rounded_correctly(value: Fraction, rounding: Rounding) -> None:
    rounded = round_rational(value, rounding)
    assert str(rounded) == by_decimal(value, rounding)
    assert rounded.exact == (rounded.fraction == value)


@given(values, roundings, st.integers(0, 40), st.integers(0, 40), st.integers(0, 100))
def test_settled_digits_are_right(
    value: Fraction, rounding: Rounding, under: int, over: int, bits: int
) -> None:
    """Whatever interval the value lies in: `settle` says nothing or the right digits."""
    low, high = value - Fraction(under, 1 << bits), value + Fraction(over, 1 << bits)
    settled = settle(low, high, lambda q: (value > q) - (value < q), rounding)
    if settled is not None:
        assert settled == round_rational(value, rounding)
    else:
        assert low < high


@given(values, roundings, st.booleans(), st.booleans())
def test_enclosed_values_are_rounded_correctly(
    value: Fraction, rounding: Rounding, below: bool, above: bool
) -> None:
    def enclose(bits: int) -> tuple[Fraction, Fraction]:
        radius = Fraction(1 + abs(value.__floor__()), 1 << bits)
        return value - below * radius, value + above * radius

    rounded = round_enclosed(enclose, lambda q: (value > q) - (value < q), rounding, 1 << 16)
    assert rounded == round_rational(value, rounding)


def test_overflowing_enclosures_are_tried_again() -> None:
    tried: list[int] = []

    def enclose(bits: int) -> tuple[Fraction, Fraction]:
        tried.append(bits)
        if len(tried) < 3:
            raise OverflowError
        return Fraction(1, 3), Fraction(1, 3) + Fraction(1, 1 << bits)

    assert str(round_enclosed(enclose, lambda q: 1, Rounding(), 1 << 16)) == "0.333"
    assert tried == sorted(set(tried))


def test_digits_that_never_settle_are_undecided() -> None:
    wide = Fraction(0), Fraction(1)
    with pytest.raises(Undecided):
        round_enclosed(lambda bits: wide, lambda q: 1, Rounding(), 1 << 10)


@pytest.mark.parametrize(
    ("value", "rounding", "text"),
    [
        ("1/8", Rounding(places=2), "0.12"),
        ("1/8", Rounding(places=2, ties="up"), "0.13"),
        ("-1/8", Rounding(places=2), "-0.12"),
        ("-1/8", Rounding(places=2, ties="up"), "-0.13"),
        ("3/8", Rounding(places=2), "0.38"),
        ("3/8", Rounding(places=2, ties="up"), "0.38"),
        ("5/2", Rounding(places=0), "2"),
        ("5/2", Rounding(places=0, ties="up"), "3"),
        ("-5/2", Rounding(places=0, ties="up"), "-3"),
        ("1/2", Rounding(places=0), "0"),
        ("-1/2", Rounding(places=0), "0"),
        ("-1/2", Rounding(places=0, ties="up"), "-1"),
        ("-1/2000000", Rounding(places=3), "0.000"),
        ("0", Rounding(places=3), "0.000"),
        ("0", Rounding(figures=3), "0"),
        ("9.996", Rounding(figures=3), "10.0"),
        ("999.6", Rounding(figures=3), "1000"),
        ("99.95", Rounding(figures=3), "100"),
        ("0.0009996", Rounding(figures=3), "0.00100"),
        ("12345", Rounding(figures=2), "12000"),
        ("1/3", Rounding(figures=1), "0.3"),
        ("0.125", Rounding(figures=2), "0.12"),
        ("0.125", Rounding(figures=2, ties="up"), "0.13"),
    ],
)
def test_literal_roundings(value: str, rounding: Rounding, text: str) -> None:
    assert str(round_rational(Fraction(value), rounding)) == text


def test_a_rounded_value_says_whether_it_is_exact() -> None:
    assert round_rational(Fraction(1, 4), Rounding(places=2)).exact
    assert not round_rational(Fraction(1, 8), Rounding(places=2)).exact
    assert not round_rational(Fraction(1, 10**9), Rounding()).exact
    assert round_rational(Fraction(0), Rounding()).exact


@given(st.fractions().filter(bool))
def test_magnitude(value: Fraction) -> None:
    m = magnitude(value)
    assert Fraction(10) ** m <= abs(value) < Fraction(10) ** (m + 1)


@pytest.mark.parametrize("k", [-5000, -301, -1, 0, 1, 16, 307, 5000])
def test_magnitude_at_powers_of_ten(k: int) -> None:
    power = Fraction(10) ** k
    assert magnitude(power) == k
    assert magnitude(power * (1 - Fraction(1, 10**40))) == k - 1


@given(st.integers(-(10**8), 10**8), st.integers(-12, 4))
def test_positional(coefficient: int, exponent: int) -> None:
    text = positional(coefficient, exponent)
    assert Fraction(text) == coefficient * Fraction(10) ** exponent
    assert text[:1] != "." and (exponent >= 0 or len(text.partition(".")[2]) == -exponent)
    assert str(Rounded(coefficient, exponent, True)) == text


@pytest.mark.parametrize("k", [0, 1, 3999, 4300, 4301, 10_000, 123_456])
def test_digits_beyond_what_python_prints(k: int) -> None:
    assert digits_of(10**k) == "1" + "0" * k
    assert digits_of(10**k - 1) == ("9" * k or "0")
    third = digits_of(10**k // 3)
    assert set(third) <= {"3"} or k == 0


@given(st.integers(0, 10**60), st.integers(0, 40_000))
def test_digits_of_any_integer(value: int, bits: int) -> None:
    """Read back in blocks of 1000, which Python does allow."""
    large = (value << bits) + value
    text, read = digits_of(large), 0
    for start in range(0, len(text), 1000):
        block = text[start : start + 1000]
        read = read * 10 ** len(block) + int(block)
    assert read == large
    assert text == "0" or not text.startswith("0")


@pytest.mark.parametrize("options", [{"places": -1}, {"figures": 0}, {"places": 10**7}])
def test_impossible_numbers_of_digits_are_refused(options: dict[str, int]) -> None:
    with pytest.raises(UsageError):
        Rounding(**options)  # type: ignore[arg-type]


# ---------------------------------------------------------------------- powers in fixed point

squares = st.one_of(
    st.fractions(Fraction(1, 1000), 50, max_denominator=1000),
    st.builds(lambda k: Fraction(1, k), st.integers(1, 10**30)),
    st.builds(Fraction, st.integers(1, 10**7)),
)


@given(squares, st.lists(st.integers(0, 3000), max_size=8), st.sampled_from([8, 64, 300, 1500]))
def test_powers_lie_within_their_proved_error(square: Fraction, gaps: list[int], bits: int) -> None:
    powers = fixed.powers_of_decay(square, gaps, bits)
    assert set(powers.table) == set(gaps) and powers.bits == bits
    mp = mpmath.MPContext()
    mp.prec = bits + 400
    root = mp.sqrt(mp.mpf(square.numerator) / square.denominator)
    for k, a in powers.table.items():
        true = mp.exp(-k * root) * mp.mpf(2) ** bits
        assert abs(a - true) <= powers.error
    assert powers.error <= 4, "the guard bits keep the error to a few units"


@pytest.mark.parametrize("square", [Fraction(1), Fraction(10**20), Fraction(1, 10**600)])
def test_powers_of_any_size(square: Fraction) -> None:
    gaps = [0, 1, 31, 32, 33, 10**9, 10**21, 10**300 + 7, 10**305]
    test_powers_lie_within_their_proved_error.hypothesis.inner_test(square, gaps, 64)


@given(squares, st.sampled_from([1, 30, 200, 1000]))
def test_one_exponential_lies_within_its_proved_error(square: Fraction, bits: int) -> None:
    a, error = fixed.exp_of_minus_root(square, bits)
    mp = mpmath.MPContext()
    mp.prec = bits + 400
    true = mp.exp(-mp.sqrt(mp.mpf(square.numerator) / square.denominator)) * mp.mpf(2) ** bits
    assert abs(a - true) <= error <= 4


@given(
    st.dictionaries(st.integers(0, 40), st.integers(-30, 30), max_size=6),
    st.sampled_from([Fraction(1, 3), Fraction(2), Fraction(1, 64), Fraction(25, 7)]),
)
def test_signs_of_polynomials(terms: dict[int, int], square: Fraction) -> None:
    mp = mpmath.MPContext()
    mp.dps = 200
    x = mp.exp(-mp.sqrt(mp.mpf(square.numerator) / square.denominator))
    expected = int(mp.sign(mp.fsum(c * x**k for k, c in terms.items())))
    assert fixed.sign_of_polynomial(terms, square) == expected


def test_signs_of_near_zeros() -> None:
    """c − x·10^100 with c the integer part, or one more: apart by less than one in 10^100."""
    square = Fraction(1, 3)
    mp = mpmath.MPContext()
    mp.dps = 150
    x = int(mp.exp(-mp.sqrt(mp.mpf(1) / 3)) * mp.mpf(10) ** 100)
    assert fixed.sign_of_polynomial({0: -x, 1: 10**100}, square) == 1
    assert fixed.sign_of_polynomial({0: -x - 1, 1: 10**100}, square) == -1
    assert fixed.sign_of_polynomial({50: -x, 51: 10**100}, square) == 1
    assert fixed.sign_of_polynomial({0: 1, 100_000: -1}, square) == 1
    assert fixed.sign_of_polynomial({}, square) == fixed.sign_of_polynomial({3: 0}, square) == 0


def test_roots_are_cut_not_rounded_up() -> None:
    """e^(−√2) to 1000 bits against mpmath's integer square root route."""
    a, error = fixed.exp_of_minus_root(Fraction(2), 1000)
    mp = mpmath.MPContext()
    mp.prec = 1300
    root = mp.mpf(isqrt(2 << 2400)) / mp.mpf(2) ** 1200
    assert abs(a - mp.exp(-root) * mp.mpf(2) ** 1000) <= error
