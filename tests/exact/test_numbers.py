"""Numbers, sums of exponentials and their quotients: laws, decisions, enclosures."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.errors import OutOfScope
from symattn.exact import decide, enclosure, number
from symattn.exact.expsum import ExpSum, exponential
from symattn.exact.number import Atom, Number, logarithm, root, square_root
from symattn.exact.quotient import Quotient, Valued, exp
from tests import strategies as draw

MP = mpmath.MPContext()
MP.dps = 80

anything = draw.numbers(logs=True, letters=True)
real = draw.numbers(logs=True)
algebraic = draw.numbers()


def in_mpmath(value: Valued) -> mpmath.mpf:
    """The value at 80 digits, read off the terms."""
    match value:
        case Quotient():
            return MP.fsum(in_mpmath(top) / in_mpmath(bottom) for top, bottom in value.parts)
        case ExpSum():
            return MP.fsum(in_mpmath(c) * MP.exp(in_mpmath(e)) for e, c in value.terms)
        case Number():
            return MP.fsum(
                in_mpmath(c) * MP.fprod(_atom(a) ** in_mpmath(power) for a, power in monomial)
                for monomial, c in value.terms
            )
        case _:
            return MP.mpf(Fraction(value).numerator) / Fraction(value).denominator


def _atom(atom: Atom) -> mpmath.mpf:
    match atom:
        case Atom("prime", int(p)):
            return MP.mpf(p)
        case Atom("log", int(p)):
            return MP.log(p)
        case Atom("root", (int(), tuple(terms))):
            return in_mpmath(Number(terms))
    raise AssertionError(atom)


def within(value: Valued, enclosed: tuple[Fraction, Fraction]) -> bool:
    """Whether mpmath's value lies in the interval, up to mpmath's own last digits."""
    low, high = (in_mpmath(end) for end in enclosed)
    expected = in_mpmath(value)
    slack = MP.mpf(10) ** -70 * (1 + abs(expected))
    return bool(low - slack <= expected <= high + slack)


# ---------------------------------------------------------------------- the ring


@given(anything, anything, anything)
def test_ring_laws(a: Number, b: Number, c: Number) -> None:
    assert a + b == b + a
    assert a * b == b * a
    assert (a + b) + c == a + (b + c)
    assert (a * b) * c == a * (b * c)
    assert a * (b + c) == a * b + a * c
    assert a + 0 == a * 1 == a
    assert not a - a
    assert a * 0 == Number.of(0)
    minus = -a
    assert -minus == a
    assert hash(a + b) == hash(b + a)


@given(real, real)
def test_sums_and_products_are_those_of_the_values(a: Number, b: Number) -> None:
    x, y = in_mpmath(a), in_mpmath(b)
    assert MP.almosteq(in_mpmath(a + b), x + y, 1e-60, 1e-60)
    assert MP.almosteq(in_mpmath(a - b), x - y, 1e-60, 1e-60)
    assert MP.almosteq(in_mpmath(a * b), x * y, 1e-60, 1e-60)


@given(anything, st.integers(0, 4))
def test_powers_are_repeated_products(a: Number, k: int) -> None:
    product = Number.of(1)
    for _ in range(k):
        product = product * a
    assert a**k == product


@given(draw.square_root_sums())
def test_sums_of_square_roots_have_inverses(a: Number) -> None:
    assume(a)
    assert a * (1 / a) == Number.of(1)
    assert MP.almosteq(in_mpmath(1 / a) * in_mpmath(a), 1, 1e-50)


@pytest.mark.parametrize("zero", [Number.of(0), root(3, Number.of(0))])
def test_zero_has_no_inverse(zero: Number) -> None:
    with pytest.raises(ZeroDivisionError):
        zero.inverse()


def test_a_hidden_zero_has_no_inverse() -> None:
    hidden = square_root(3 + 2 * square_root(2)) - 1 - square_root(2)
    with pytest.raises(ZeroDivisionError):
        hidden.inverse()


def test_the_inverse_of_a_sum_of_letters_is_refused() -> None:
    with pytest.raises(OutOfScope):
        1 / (Number.letter("x") + 1)


# ---------------------------------------------------------------------- roots and logarithms


@given(st.fractions(0, 500, max_denominator=60), st.integers(2, 5))
def test_a_root_to_its_degree_is_the_radicand(q: Fraction, degree: int) -> None:
    assert root(degree, q) ** degree == Number.of(q)
    assert root(degree, q**degree) == Number.of(q)


@given(draw.square_root_sums())
def test_the_root_of_a_square_is_the_absolute_value(a: Number) -> None:
    below = square_root(a * a)
    assert number.is_zero(below - a * number.sign(a))
    assert number.sign(below) == (1 if a else 0)


@given(st.fractions(Fraction(1, 30), 90, max_denominator=30), st.integers(2, 6))
def test_odd_roots_of_negative_numbers_are_negative(q: Fraction, degree: int) -> None:
    if degree % 2:
        assert root(degree, -q) == -root(degree, q)
    else:
        with pytest.raises(OutOfScope):
            root(degree, -q)


@given(
    st.fractions(Fraction(1, 50), 50, max_denominator=50),
    st.fractions(Fraction(1, 50), 50, max_denominator=50),
)
def test_logarithms_turn_products_into_sums(p: Fraction, q: Fraction) -> None:
    assert logarithm(p * q) == logarithm(p) + logarithm(q)
    assert logarithm(1 / q) == -logarithm(q)
    assert exponential(logarithm(q)).number == Number.of(q)
    assert exponential(logarithm(q) * Fraction(1, 2)).number == square_root(q)
    assert MP.almosteq(in_mpmath(logarithm(q)), MP.log(in_mpmath(q)), 1e-60, 1e-60)


two, three, five = square_root(2), square_root(3), square_root(5)
HIDDEN_ZEROS = {
    "√(3+2√2) = 1+√2": square_root(3 + 2 * two) - 1 - two,
    "√(5+2√6) = √2+√3": square_root(5 + 2 * square_root(6)) - two - three,
    "√(2+√3) = (√6+√2)/2": square_root(2 + three) - (square_root(6) + two) * Fraction(1, 2),
    "∛(2+√5) = (1+√5)/2": root(3, 2 + five) - (1 + five) * Fraction(1, 2),
    "∛(2+√5) + ∛(2−√5) = 1": root(3, 2 + five) + root(3, 2 - five) - 1,
    "Ramanujan": root(3, root(3, 2) - 1)
    - root(3, Fraction(1, 9))
    + root(3, Fraction(2, 9))
    - root(3, Fraction(4, 9)),
    "√(1/3 + √2/4·…)": square_root(Fraction(1, 4) + two * Fraction(1, 8) * 2)
    - square_root(1 + two) * Fraction(1, 2),
    "√x·√y = √(xy)": square_root(2 + two) * square_root(2 - two) - two,
    "with a letter": Number.letter("x") * (square_root(3 + 2 * two) - 1 - two),
}


@pytest.mark.parametrize("name", HIDDEN_ZEROS)
def test_hidden_zeros_are_found(name: str) -> None:
    zero = HIDDEN_ZEROS[name]
    assert number.is_zero(zero)
    assert decide.is_zero(zero)
    assert not number.is_zero(zero + Fraction(1, 10**60))
    assert decide.equal(exp(zero * Fraction(7, 3)), 1)


@given(st.integers(1, 60), st.integers(1, 60), st.integers(1, 9))
def test_nested_roots_that_split(a: int, b: int, q: int) -> None:
    """√(a + b + 2√(ab)) = √a + √b, and no other number near it."""
    nested = square_root(a + b + 2 * square_root(a * b)) * Fraction(1, q)
    split = (square_root(a) + square_root(b)) * Fraction(1, q)
    assert number.is_zero(nested - split)
    assert not number.is_zero(nested - split - Fraction(1, 10**40))


@pytest.mark.parametrize("k", [30, 100, 260, 300, 320])
def test_tiny_algebraic_integers_are_not_zero(k: int) -> None:
    """(√(1 + √2) − 1)^k is about 2^(−0.85 k): large terms that cancel, but not to zero."""
    tiny = (square_root(1 + two) - 1) ** k
    assert not number.is_zero(tiny)
    assert number.sign(tiny) == 1 and number.sign(-tiny) == -1
    assert number.is_zero(tiny * (square_root(1 + two) - 1) - (square_root(1 + two) - 1) ** (k + 1))


# ---------------------------------------------------------------------- order


@given(real, real)
def test_order_is_that_of_the_values(a: Number, b: Number) -> None:
    difference = in_mpmath(a) - in_mpmath(b)
    if abs(difference) > 1e-60:
        assert number.sign(a - b) == decide.sign(a - b) == int(MP.sign(difference))
    else:
        assert number.sign(a - b) == decide.sign(a - b) == 0


@given(algebraic)
def test_signs_just_beside_a_number(a: Number) -> None:
    tiny = Fraction(1, 10**300)
    near = a - in_rationals(a, 310)
    assert number.sign(near - tiny) == -1
    assert number.sign(near + tiny) == 1


def in_rationals(value: Number, digits: int) -> Fraction:
    """A rational within 10^−digits of the value."""
    low, _ = enclosure.bounds(enclosure.of_number(value, 4 * digits + 64))
    return low


def test_a_letter_has_no_sign() -> None:
    with pytest.raises(ValueError, match="letter"):
        number.sign(Number.letter("x"))


# ---------------------------------------------------------------------- enclosures


@given(real, st.sampled_from([24, 53, 64, 200]))
def test_enclosures_contain_numbers(a: Number, precision: int) -> None:
    assert within(a, enclosure.bounds(enclosure.of_number(a, precision)))


@given(draw.quotients, st.sampled_from([53, 64, 200]))
def test_enclosures_contain_quotients(value: Quotient, precision: int) -> None:
    low, high = enclosure.bounds(enclosure.of_quotient(value, precision))
    assert within(value, (low, high))
    assert high - low <= Fraction(1 << 30, 1 << precision) * (1 + abs(low))


@given(draw.quotients)
def test_enclosures_tighten(value: Quotient) -> None:
    low, high = enclosure.bounds(enclosure.of_quotient(value, 100))
    low2, high2 = enclosure.bounds(enclosure.of_quotient(value, 400))
    assert low <= low2 <= high2 <= high


# ---------------------------------------------------------------------- equality of quotients


@given(draw.exp_sums(), draw.exp_sums(positive=True), draw.exponents)
def test_dividing_through_changes_nothing(top: ExpSum, bottom: ExpSum, shift: Number) -> None:
    by = exponential(shift)
    assert decide.equal(Quotient.ratio(top, bottom), Quotient.ratio(top * by, bottom * by))


@given(draw.exp_sums(), draw.exp_sums(positive=True), draw.exp_sums(positive=True))
def test_multiplying_through_changes_nothing(top: ExpSum, bottom: ExpSum, by: ExpSum) -> None:
    value = Quotient.ratio(top, bottom)
    assert decide.equal(value, Quotient.ratio(top * by, bottom * by))
    assert decide.equal(value * by, Quotient.of(top) * Quotient.ratio(by, bottom))


@given(draw.exp_sums(), draw.exp_sums(positive=True), draw.exponents)
def test_a_change_is_seen(top: ExpSum, bottom: ExpSum, e: Number) -> None:
    value = Quotient.ratio(top, bottom)
    tiny = Fraction(1, 10**200)
    assert not decide.equal(value, value + tiny)
    assert not decide.equal(value, Quotient.ratio(top + exponential(e) * tiny, bottom))
    if top:
        assert not decide.equal(value, Quotient.ratio(top, bottom + exponential(e) * tiny))


@given(draw.quotients, draw.quotients)
def test_equality_and_sign_are_those_of_the_values(a: Quotient, b: Quotient) -> None:
    difference = in_mpmath(a) - in_mpmath(b)
    if abs(difference) > 1e-50:
        assert not decide.equal(a, b)
        assert decide.sign(a - b) == int(MP.sign(difference))
    else:
        assert decide.equal(a, b)


@given(draw.quotients, draw.quotients, draw.quotients)
@settings(max_examples=40)
def test_quotient_laws(a: Quotient, b: Quotient, c: Quotient) -> None:
    assert decide.equal(a + b, b + a)
    assert decide.equal(a * (b + c), a * b + a * c)
    assert decide.is_zero(a - a)
    if not decide.is_zero(b):
        assert decide.equal(a / b * b, a)


@given(draw.exp_sums(positive=True), st.fractions(-9, 9, max_denominator=9))
def test_rational_values_are_recognised(bottom: ExpSum, q: Fraction) -> None:
    value = Quotient.ratio(bottom * q, bottom)
    assert decide.rational_value(value) == q
    nudged = Quotient.ratio(bottom * q + exponential(square_root(11)), bottom)
    assert decide.rational_value(nudged) is None
    uneven = ExpSum(tuple((e, c * q + k) for k, (e, c) in enumerate(bottom.terms)))
    if q > 0 and len(bottom.terms) > 1:
        assert decide.rational_value(Quotient.ratio(uneven, bottom)) is None


@given(st.lists(draw.exponents, min_size=1, max_size=5))
def test_a_softmax_sums_to_one(scores: list[Number]) -> None:
    exponentials = [exponential(s) for s in scores]
    bottom = sum(exponentials, ExpSum.of(0))
    weights = [Quotient.ratio(e, bottom) for e in exponentials]
    assert decide.equal(sum(weights, Quotient.of(0)), 1)
    assert all(decide.sign(w) == 1 for w in weights)


def test_identities_of_exponentials() -> None:
    e, u = exp(1), three * Fraction(1, 3)
    assert decide.equal((exp(2 * three) - 1) / (exp(three) - 1), exp(three) + 1)
    assert decide.equal(
        (exp(5 * u) - 1) / (exp(u) - 1), sum((exp(k * u) for k in range(5)), Quotient.of(0))
    )
    assert decide.equal(
        1 / (1 + exp(two)) / (1 + exp(three)), 1 / (1 + exp(two) + exp(three) + exp(two + three))
    )
    assert decide.equal(Quotient.of(1 + two) / (1 + exp(three)), 1 / ((1 + exp(three)) * (two - 1)))
    assert decide.equal(exp(logarithm(2)) / (exp(logarithm(2)) + 1), Fraction(2, 3))
    assert decide.equal(exp(square_root(3 + 2 * two)), e * exp(two))
    assert not decide.equal(e, Fraction(27182818284590452354, 10**19))
    assert not decide.equal(1 / (1 + exp(-(10**5) * u)), 1)


def test_letters_are_indeterminates() -> None:
    x, y = Number.letter("x"), Number.letter("y")
    softmax = exp(x) / (exp(x) + exp(y))
    assert decide.equal(softmax, 1 / (1 + exp(y - x)))
    assert not decide.equal(softmax, 1 / (1 + exp(x - y)))
    assert decide.equal((exp(2 * x) - 1) / (exp(x) - 1), exp(x) + 1)
    assert not decide.equal(exp(x), exp(y))


def test_a_zero_below_the_bar_is_refused() -> None:
    hidden = exp(square_root(3 + 2 * two)) - exp(1 + two)
    with pytest.raises(ZeroDivisionError):
        decide.equal(1 / hidden, 1)
    with pytest.raises(ZeroDivisionError):
        Quotient.ratio(1, 0)


@pytest.mark.parametrize("left", [Number.of(3), square_root(2), Number.letter("x")])
def test_a_number_stands_on_either_side_of_a_quotient(left: Number) -> None:
    share = Quotient.ratio(exponential(Number.of(1)), exponential(Number.of(1)) + 2)
    assert left * share == share * left
    assert left + share == share + left
    assert decide.equal(left - share, -(share - left))
    assert decide.equal(
        left / share,
        Quotient.of(left) * (exponential(Number.of(1)) + 2) / exponential(Number.of(1)),
    )
