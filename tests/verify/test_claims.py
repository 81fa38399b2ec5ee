"""What a written number claims: the last place decides, never a tolerance.

Public bug reports of other marking tools are named by their numbers (C01 …).
"""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.exact.matrix import round_value
from symattn.exact.number import Number, square_root
from symattn.exact.quotient import Quotient, exp
from symattn.exact.rounding import Rounding
from symattn.verify.claims import Claim, claim
from symattn.verify.reading.table import cell_of
from symattn.verify.reading.written import Written
from symattn.verify.reference import Reference, enclosed, hidden


def against(text: str, value: Number | Quotient | Fraction, **how: bool) -> Claim:
    exact = Number.of(value) if isinstance(value, Fraction) else value
    cell = cell_of(text)
    assert isinstance(cell, Written), text
    reference = enclosed(round_value(exact, Rounding(30)), lambda: exact)
    return claim(cell, reference, **how)


ROOT = 1 / square_root(2)
"""0.70710678…"""


@pytest.mark.parametrize(
    ("text", "value", "expected"),
    [
        ("0.1667", Fraction(1, 6), Claim.ROUNDED),  # C01: never through a float.
        ("0.4985", Fraction(4985, 10000), Claim.EXACT),
        ("0.499", Fraction(4985, 10000), Claim.TIE),  # C02: both neighbours of a tie.
        ("0.498", Fraction(4985, 10000), Claim.TIE),
        ("0.13", Fraction(1, 8), Claim.TIE),  # C19: half up and half to even.
        ("0.12", Fraction(1, 8), Claim.TIE),
        ("1.60", Fraction(8, 5), Claim.EXACT),  # C04: the zero is a digit.
        ("0.70711", ROOT, Claim.ROUNDED),  # C07: judged at all digits shown.
        ("0.70712", ROOT, Claim.OFF),  # Off by 1.3 units.
        ("0.7072", ROOT, Claim.LAST_DIGIT),
        ("1.239", Fraction(1234, 1000), Claim.OFF),  # C08: 0.005 away is not near.
        ("6.022e23", Fraction(60221408) * 10**16, Claim.ROUNDED),  # C13
        ("6.023e23", Fraction(60221408) * 10**16, Claim.LAST_DIGIT),
        ("403.2080", Fraction(403208, 1000), Claim.EXACT),  # C14
        ("403.20801", Fraction(403208, 1000), Claim.FLOAT32),
        ("403.2083", Fraction(403208, 1000), Claim.OFF),
        ("0.899", Fraction(901, 1000), Claim.OFF),  # C20
        ("0.71", ROOT, Claim.ROUNDED),
        ("0.70", ROOT, Claim.TRUNCATED),
        ("0.707…", ROOT, Claim.ROUNDED),
        ("0.70…", ROOT, Claim.ROUNDED),
        ("70.7%", ROOT, Claim.ROUNDED),
        ("1/√2", ROOT, Claim.EXACT),
        ("√2/2", ROOT, Claim.EXACT),  # B05
        ("5/7", ROOT, Claim.APPROXIMATE),
        ("3/4", ROOT, Claim.OFF),
        ("0.7", ROOT, Claim.ROUNDED),
        ("0.8", ROOT, Claim.OFF),  # One digit off by one is no last digit.
        ("-0.71", ROOT, Claim.OFF),
        ("e^2", exp(2), Claim.EXACT),
        ("7.389", exp(2), Claim.ROUNDED),
        ("7.38", exp(2), Claim.TRUNCATED),
        ("7.40", exp(2), Claim.OFF),
        ("-inf", exp(2), Claim.OFF),
    ],
)
def test_each_claim(text: str, value: Number | Quotient | Fraction, expected: Claim) -> None:
    assert against(text, value) is expected


def test_a_whole_number_is_exact_unless_it_stands_among_decimals() -> None:
    assert against("3", Fraction(29, 10)) is Claim.ROUNDED
    assert against("3", Fraction(29, 10), among_decimals=False) is Claim.OFF


@pytest.mark.parametrize("text", ["-inf", "-1e9", "-10000", "-65504", "masked"])
def test_what_stands_for_minus_infinity(text: str) -> None:
    cell = cell_of(text)
    assert isinstance(cell, Written)
    assert claim(cell, hidden()) is Claim.EXACT


@pytest.mark.parametrize("text", ["-100", "0", "1e9"])
def test_what_does_not(text: str) -> None:
    cell = cell_of(text)
    assert isinstance(cell, Written)
    assert claim(cell, hidden()) is Claim.OFF


def test_single_precision() -> None:
    """More digits than a float32 carries: its own digits are accepted, no others."""
    import numpy

    weight = float(numpy.float32(0.7071067811865476))
    assert against(f"{weight:.10f}", ROOT) is Claim.FLOAT32
    assert against("0.7071099", ROOT) is Claim.OFF


@given(st.fractions(-100, 100), st.integers(1, 8), st.sampled_from(["even", "up"]))
def test_every_rounded_truth_is_right(value: Fraction, places: int, ties: str) -> None:
    text = str(round_value(Number.of(value), Rounding(places, ties=ties)))  # type: ignore[arg-type]
    assert against(text, value) in (Claim.EXACT, Claim.ROUNDED, Claim.TIE)


@given(st.fractions(Fraction(1, 100), 100), st.integers(2, 4))
def test_every_cut_truth_is_cut_or_right(value: Fraction, places: int) -> None:
    cut = Fraction(int(value * 10**places), 10**places)
    text = str(round_value(Number.of(cut), Rounding(places)))
    expected = (Claim.EXACT, Claim.ROUNDED, Claim.TIE, Claim.TRUNCATED)
    assert against(text, value) in expected


@given(st.fractions(-100, 100), st.integers(1, 4))
def test_two_units_off_is_never_right(value: Fraction, places: int) -> None:
    rounded = round_value(Number.of(value), Rounding(places)).fraction  # type: ignore[union-attr]
    text = str(round_value(Number.of(rounded + Fraction(2, 10**places)), Rounding(places)))
    assert against(text, value) is Claim.OFF


def test_a_difference_of_10_to_the_minus_40_is_a_difference() -> None:
    near = ROOT + Number.of(Fraction(1, 10**40))
    cell = cell_of("1/√2")
    assert isinstance(cell, Written)
    reference = Reference(Fraction(7, 10), Fraction(8, 10), lambda: near)
    assert claim(cell, reference) is Claim.OFF
