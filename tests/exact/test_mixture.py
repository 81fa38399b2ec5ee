"""Softmax rows and what is mixed with them: views, their integers, and sums of several heads."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.errors import InputError, Undecided
from symattn.exact import decide
from symattn.exact.expsum import ExpSum, exponential
from symattn.exact.matrix import MINUS_INFINITY, Matrix, MatrixLike, Unit, round_value
from symattn.exact.mixture import Beside, MaskedRow, Mixture, Sum, Weights
from symattn.exact.number import Number, square_root
from symattn.exact.order import largest_in_row
from symattn.exact.quotient import Quotient, exp
from symattn.exact.rounding import Rounded, Rounding
from tests import strategies as draw

H = MINUS_INFINITY

units = st.builds(
    Unit,
    st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(-1, 3), Fraction(0), Fraction(7, 2)]),
    st.sampled_from([1, 2, 3]),
)


@st.composite
def scores(draw: st.DrawFn, n: int, m: int) -> Matrix:
    """Plain M: integers times a unit, some masked, none of the rows wholly."""
    count = st.one_of(st.integers(-5, 5), st.integers(-5, 5), st.just(H))
    rows = [draw(st.lists(count, min_size=m, max_size=m)) for _ in range(n)]
    for row in rows:
        if all(c is H for c in row):
            row[draw(st.integers(0, m - 1))] = draw(st.integers(-5, 5))
    return Matrix(tuple(map(tuple, rows)), draw(units))


@st.composite
def mixtures(draw: st.DrawFn, n: int | None = None, d: int | None = None) -> Mixture:
    n, m = n or draw(st.integers(1, 3)), draw(st.integers(1, 4))
    d = d or draw(st.integers(1, 3))
    row = st.lists(st.integers(-9, 9), min_size=d, max_size=d).map(tuple)
    V = tuple(draw(st.lists(row, min_size=m, max_size=m)))
    coefficient = draw(st.sampled_from([Fraction(1), Fraction(1, 10), Fraction(-2, 3)]))
    return Mixture(Weights(draw(scores(n, m))), Matrix(V, Unit(coefficient)))


def cells(value: MatrixLike) -> list[tuple[int, int]]:
    n, m = value.shape
    return [(i, j) for i in range(n) for j in range(m)]


def text(value: MatrixLike, rounding: Rounding) -> list[list[str]]:
    return [[str(cell) for cell in row] for row in value.rounded(rounding)]


def exactness(value: MatrixLike, rounding: Rounding) -> list[list[bool]]:
    return [[c.exact for c in r if isinstance(c, Rounded)] for r in value.rounded(rounding)]


# ---------------------------------------------------------------------- one head


@given(mixtures())
def test_an_entry_is_its_polynomials_at_the_decay(mixture: Mixture) -> None:
    """c·N(x)/D(x) with x = e^(−|u|) is the entry, for A and for O: gap by gap, keys as grouped."""
    u = mixture.A.M.unit.number
    decay = -u * (1 if mixture.A.M.unit.coefficient >= 0 else -1)

    def at_decay(terms: dict[int, int]) -> ExpSum:
        return sum((exponential(decay * g) * c for g, c in terms.items()), ExpSum.of(0))

    keys_all = range(mixture.A.shape[1])
    identity = Matrix.of([[int(i == j) for j in keys_all] for i in keys_all])
    for part in (mixture, Mixture(mixture.A, None)):
        V = part.V or identity
        for i, j in cells(part):
            groups = part.A.groups[i]
            bottom = {gap: len(keys) for gap, keys in groups}
            top = {gap: sum(V.ints()[k][j] for k in keys) for gap, keys in groups}
            assert groups[0][0] == 0 and all(gap >= 0 for gap in bottom)
            value = Quotient.ratio(at_decay(top) * V.unit.coefficient, at_decay(bottom))
            assert decide.equal(part.at(i, j), value)


@given(mixtures())
def test_an_entry_is_the_mean_of_the_values_by_the_weights(mixture: Mixture) -> None:
    assert mixture.V is not None
    for i, j in cells(mixture):
        mean = Quotient.of(0)
        for k in range(mixture.A.shape[1]):
            value = mixture.V.at(k, j)
            assert isinstance(value, Number)
            mean = mean + mixture.A.at(i, k) * value
        assert decide.equal(mixture.at(i, j), mean)


@given(mixtures(), draw.roundings)
def test_integers_and_general_values_give_the_same_decimals(
    mixture: Mixture, rounding: Rounding
) -> None:
    for value in (mixture, mixture.A):
        found = value.rounded(rounding)
        for i, j in cells(value):
            assert found[i][j] == round_value(value.at(i, j), rounding)


@given(mixtures(), draw.roundings)
@settings(max_examples=40)
def test_surd_values_give_the_same_decimals(mixture: Mixture, rounding: Rounding) -> None:
    """√2·V is not plain: its decimals come from the general route."""
    assert mixture.V is not None
    surd = Mixture(mixture.A, mixture.V.times(square_root(2)))
    assert not surd.is_plain or not mixture.V.unit.coefficient
    for i, j in cells(surd):
        expected = round_value(mixture.at(i, j) * square_root(2), rounding)
        assert surd.rounded(rounding)[i][j] == expected


@given(mixtures(), st.fractions(-2, 2, max_denominator=4))
def test_rational_entries_are_found(mixture: Mixture, q: Fraction) -> None:
    constant = Mixture(mixture.A, Matrix.of([[q]] * mixture.A.shape[1]))
    for part in (mixture, Mixture(mixture.A, None), constant):
        for i, j in cells(part):
            assert part.rational(i, j) == decide.rational_value(part.at(i, j))
    assert constant.rational(0, 0) == q


@given(mixtures())
def test_row_sums_are_the_sums_of_the_exponentials(mixture: Mixture) -> None:
    A = mixture.A
    for row, bottom in zip(A.exponentials, A.row_sums, strict=True):
        assert sum(row, ExpSum.of(0)) == bottom
    for i, j in cells(A):
        if A.M.rows[i][j] is H:
            assert not A.exponentials[i][j] and decide.is_zero(A.at(i, j))
        else:
            value = A.M.at(i, j)
            assert isinstance(value, Number)
            assert A.exponentials[i][j] == exponential(value)


def test_gaps_count_from_the_largest_score_whatever_the_sign_of_the_unit() -> None:
    rows = ((3, 5, H, 1),)
    assert Weights(Matrix(rows, Unit(Fraction(1, 2)))).gaps == ((2, 0, None, 4),)
    assert Weights(Matrix(rows, Unit(Fraction(-1, 2)))).gaps == ((2, 4, None, 0),)


def test_a_scale_of_zero_makes_equal_weights() -> None:
    A = Weights(Matrix(((1, 2, 3, H), (4, H, H, H)), Unit(Fraction(0))))
    assert text(A, Rounding()) == [
        ["0.333", "0.333", "0.333", "0.000"],
        ["1.000", "0.000", "0.000", "0.000"],
    ]
    mean = Mixture(A, Matrix(((1,), (2,), (6,), (99,))))
    assert text(mean, Rounding(places=1)) == [["3.0"], ["1.0"]]
    assert exactness(mean, Rounding(places=1)) == [[True], [True]]


@given(mixtures())
def test_the_largest_of_a_row(mixture: Mixture) -> None:
    """Found from the integers, from the general entries, and by comparing all weights."""
    A = mixture.A
    for i in range(A.shape[0]):
        best, finite = largest_in_row(A, i)
        assert finite == sum(c is not H for c in A.M.rows[i])
        general = Matrix(tuple(map(tuple, A.M.values())))
        assert largest_in_row(general, i) == (best, finite)
        for j, k in ((j, k) for j in best for k in range(A.shape[1])):
            assert decide.sign(A.at(i, j) - A.at(i, k)) == (k not in best)


def test_a_masked_weight_is_exactly_zero_and_a_tiny_one_is_not() -> None:
    A = Weights(Matrix(((0, -2000, H),)))
    for places in (0, 3, 40):
        assert exactness(A, Rounding(places=places)) == [[False, False, True]]
    assert text(A, Rounding(figures=2))[0][2] == "0"
    assert text(A, Rounding(figures=2))[0][1].startswith("0." + "0" * 868)


def test_scores_far_apart_beside_a_surd() -> None:
    """−10^9 for a masked score, and √2 in the others: no common unit, and e^(−10^9) is not 0."""
    root, far = square_root(2), Number.of(-(10**9))
    A = Weights(Matrix.of([[root, far, far + root]]))
    assert text(A, Rounding(places=3)) == [["1.000", "0.000", "0.000"]]
    assert exactness(A, Rounding(places=3)) == [[False, False, False]]
    O = Mixture(A, Matrix.of([[2], [1], [1]]))  # noqa: E741
    assert decide.sign(O.at(0, 0) - 2) == -1
    assert decide.sign(O.at(0, 0) - 1) == 1
    assert text(O, Rounding(places=0)) == [["2"]]
    assert str(A.rounded_exponential(0, 1, Rounding(places=2))) == "0.00"


def test_exponentials_whose_digits_fill_books_are_refused_at_once() -> None:
    A = Weights(Matrix(((10**10, 0),)))
    assert text(A, Rounding(places=3)) == [["1.000", "0.000"]]
    with pytest.raises(Undecided, match="too large"):
        A.rounded_exponential(0, 0, Rounding(places=2))


def test_a_fully_masked_row() -> None:
    M = Matrix(((1, 2), (H, H)))
    with pytest.raises(MaskedRow) as caught:
        Weights(M)
    assert caught.value.row == 1 and isinstance(caught.value, InputError)
    A = Weights(M, zeros=True)
    O = Mixture(A, Matrix(((3,), (3,))))  # noqa: E741
    assert text(A, Rounding(places=1))[1] == ["0.0", "0.0"]
    assert text(O, Rounding(places=1)) == [["3.0"], ["0.0"]]
    assert exactness(O, Rounding(places=1)) == [[True], [True]]
    assert decide.is_zero(O.at(1, 0)) and decide.is_zero(A.at(1, 0))
    assert text(O, Rounding(figures=2)) == [["3.0"], ["0"]]


def test_letters_have_no_decimals() -> None:
    A = Weights(Matrix(((Number.letter("x"), Number.of(0)),)))
    assert A.letters == {"x"} and Mixture(A, Matrix(((1,), (2,)))).letters == {"x"}
    with pytest.raises(ValueError, match="letter"):
        A.rounded(Rounding())


def test_an_exponential_of_an_exponential_is_refused() -> None:
    with pytest.raises(Undecided):
        Weights(Matrix(((exp(1), Number.of(0)),))).at(0, 0)


def convergents_of_e(count: int) -> list[tuple[int, int]]:
    """p/q by e = [2; 1, 2, 1, 1, 4, 1, 1, 6, …] (Euler): below e and above it in turn."""
    p, q, p_next, q_next = 1, 0, 2, 1
    found = []
    for k in range(1, count + 1):
        found.append((p_next, q_next))
        part = 2 * (k + 1) // 3 if k % 3 == 2 else 1
        p, q, p_next, q_next = p_next, q_next, part * p_next + p, part * q_next + q
    return found


def test_large_values_that_nearly_cancel() -> None:
    """1/8 + (p − q·e)/(1 + e): beside a tie by less than 1/q, with p and q of up to 60 digits."""
    A = Weights(Matrix(((1, 0),)))
    convergents = convergents_of_e(110)
    assert convergents[8] == (1264, 465) and convergents[-1][1] > 10**55
    for k, (p, q) in enumerate(convergents[8:], 8):
        O = Mixture(A, Matrix.of([[Fraction(1, 8) - q], [Fraction(1, 8) + p]]))  # noqa: E741
        for rounding in (Rounding(places=2), Rounding(places=2, ties="up")):
            assert text(O, rounding) == [["0.13" if k % 2 else "0.12"]]
        rest = Mixture(A, Matrix(((-q,), (p,))))
        assert text(rest, Rounding(figures=1))[0][0].startswith("-") == (k % 2 == 0)


# ---------------------------------------------------------------------- several heads


@given(st.data(), draw.roundings)
@settings(max_examples=60)
def test_sums_of_heads(data: st.DataObject, rounding: Rounding) -> None:
    n, d = data.draw(st.integers(1, 2)), data.draw(st.integers(1, 2))
    parts = tuple(data.draw(st.lists(mixtures(n, d), min_size=2, max_size=3)))
    total = Sum(parts)
    assert total.shape == (n, d)
    found = total.rounded(rounding)
    for i, j in cells(total):
        value = sum((part.at(i, j) for part in parts), Quotient.of(0))
        assert decide.equal(total.at(i, j), value)
        assert found[i][j] == round_value(value, rounding)


@given(mixtures(), draw.roundings)
@settings(max_examples=60)
def test_a_head_and_its_negative_cancel(mixture: Mixture, rounding: Rounding) -> None:
    assert mixture.V is not None
    zero = Sum((mixture, Mixture(mixture.A, mixture.V.times(Number.of(-1)))))
    found = zero.rounded(rounding)
    assert {str(Fraction(str(cell))) for row in found for cell in row} == {"0"}
    assert not any(str(cell).startswith("-") for row in found for cell in row)
    assert all(isinstance(cell, Rounded) and cell.exact for row in found for cell in row)


def complements(eighths: int) -> Sum:
    """x/(1 + x) + 1/(1 + x) over two heads, times eighths/8: rational, though no head is."""
    V = Matrix(((eighths,), (0,)), Unit(Fraction(1, 8)))
    u = Unit(Fraction(1, 3), 3)
    return Sum(
        (Mixture(Weights(Matrix(((1, 0),), u)), V), Mixture(Weights(Matrix(((0, 1),), u)), V))
    )


@pytest.mark.parametrize(
    ("eighths", "even", "up"),
    [(1, "0.12", "0.13"), (-1, "-0.12", "-0.13"), (3, "0.38", "0.38"), (2, "0.25", "0.25")],
)
def test_ties_between_heads_are_recognised(eighths: int, even: str, up: str) -> None:
    total = complements(eighths)
    assert decide.rational_value(total.at(0, 0)) == Fraction(eighths, 8)
    assert text(total, Rounding(places=2)) == [[even]]
    assert text(total, Rounding(places=2, ties="up")) == [[up]]
    assert text(total, Rounding(figures=2, ties="up")) == [[up]]
    assert exactness(total, Rounding(places=2)) == [[eighths == 2]]
    assert exactness(total, Rounding(places=3)) == [[True]]


def test_near_ties_between_heads_are_told_apart() -> None:
    tiny = Weights(Matrix(((300, 0),)))
    for count, digits in ((1, "0.13"), (-1, "0.12")):
        nudge = Mixture(tiny, Matrix(((0,), (count,))))
        total = Sum((*complements(1).parts, nudge))
        assert text(total, Rounding(places=2)) == [[digits]]
        assert text(total, Rounding(places=2, ties="up")) == [[digits]]


@given(mixtures(n=2), mixtures(n=2), draw.roundings)
@settings(max_examples=30)
def test_beside(left: Mixture, right: Mixture, rounding: Rounding) -> None:
    joined = Beside((left, right))
    width = left.shape[1]
    assert joined.shape == (2, width + right.shape[1])
    found = joined.rounded(rounding)
    for i, j in cells(joined):
        part, k = (left, j) if j < width else (right, j - width)
        assert joined.at(i, j) == part.at(i, k)
        assert found[i][j] == part.rounded(rounding)[i][k]
    with pytest.raises(IndexError):
        joined.at(0, joined.shape[1])


@given(mixtures(), st.integers(0, 60))
@settings(max_examples=60)
def test_a_value_beside_its_own_digits_rounds_to_its_side(mixture: Mixture, places: int) -> None:
    """Subtract all but 10^(−places) of a value exactly: the sign is still found."""
    (cell, *_), *_ = mixture.rounded(Rounding(places=places))
    assert isinstance(cell, Rounded)
    assume(not cell.exact)
    rest = Quotient.of(mixture.at(0, 0)) - cell.fraction
    assert decide.sign(rest) != 0
    assert decide.sign(Quotient.of(mixture.at(0, 0)) - cell.fraction - 1) == -1
    half = Fraction(1, 2 * 10**places)
    assert decide.sign(rest - half) <= 0 <= decide.sign(rest + half)
