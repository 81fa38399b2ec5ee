"""The values of derive(): textbook numbers, and random problems against the oracle."""

from __future__ import annotations

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.errors import InputError
from symattn.exact import decide
from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import MINUS_INFINITY, MatrixLike, round_value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number, square_root
from symattn.exact.quotient import Quotient, exp
from symattn.exact.rounding import Rounded, Rounding
from tests import strategies as draw
from tests.oracle import Case, HighPrecision, MaskRows, Surd, in_floats
from tests.strategies import finite, ints, problem_of

DIGITS = 400
"""The oracle's. Random scores differ by less than 400, so nothing is smaller than 1e-180 unless
it is 0."""


def text(value: MatrixLike, rounding: Rounding) -> list[list[str]]:
    return [
        ["-inf" if c is MINUS_INFINITY else str(c) for c in row] for row in value.rounded(rounding)
    ]


def exactness(value: MatrixLike, rounding: Rounding) -> list[list[bool]]:
    return [[c.exact for c in row if isinstance(c, Rounded)] for row in value.rounded(rounding)]


def entry(value: MatrixLike, i: int, j: int) -> Number | Quotient:
    return finite(value.at(i, j))


def weights_of(derivation: Derivation, head: int = 1) -> Weights:
    value = derivation.heads[head - 1].A.value
    assert isinstance(value, Weights)
    return value


def rounded(value: ExpSum | Quotient | Number, rounding: Rounding) -> str:
    return str(round_value(Quotient.of(value), rounding))


def compare(case: Case, rounding: Rounding) -> int:
    """Every stage of the derivation against the oracle, digit by digit; how many cells."""
    derivation = derive(problem_of(case))
    oracle = HighPrecision(case, DIGITS)
    cells = 0

    def expected(value: object) -> str:
        if value is None:
            return "-inf"
        return oracle.decimal(value, rounding.places, rounding.figures, rounding.ties)

    for (name, head), table in oracle.stages.items():
        wanted = [[expected(x) for x in row] for row in table]
        if name in "Er":
            weights = weights_of(derivation, head or 1)
            rows = weights.exponentials if name == "E" else [[x] for x in weights.row_sums]
            found = [[rounded(x, rounding) for x in row] for row in rows]
        else:
            found = text(derivation.stage(name, head).value, rounding)
        assert found == wanted, f"{name}, head {head}"
        assert not any(cell.startswith("-0") and not Fraction(cell) for r in found for cell in r)
        cells += sum(map(len, wanted))
    return cells


# ---------------------------------------------------------------------- random problems


@given(draw.cases, draw.roundings)
@settings(max_examples=300)
def test_every_stage_agrees_with_the_oracle(case: Case, rounding: Rounding) -> None:
    assert compare(case, rounding)


@given(draw.surd_cases, draw.roundings)
@settings(max_examples=60)
def test_surds_agree_with_the_oracle(case: Case, rounding: Rounding) -> None:
    assert compare(case, rounding)


@given(draw.direct_cases(draw.cube_roots | draw.integers, most=2, widest=2), draw.roundings)
@settings(max_examples=40)
def test_cube_roots_agree_with_the_oracle(case: Case, rounding: Rounding) -> None:
    assert compare(case, rounding)


@pytest.mark.slow
@given(draw.cases | draw.surd_cases, draw.roundings)
@settings(max_examples=5000, derandomize=False)
def test_every_stage_agrees_with_the_oracle_at_length(case: Case, rounding: Rounding) -> None:
    assert compare(case, rounding)


@given(draw.cases)
def test_answers_agree_with_float64(case: Case) -> None:
    found = [
        [float(c.fraction) for c in row if isinstance(c, Rounded)]
        for row in derive(problem_of(case)).answer.value.rounded(Rounding(places=17))
    ]
    np.testing.assert_allclose(found, in_floats(case), rtol=1e-9, atol=1e-9)


@given(draw.direct_cases(most=3, widest=3) | draw.projected_cases(most_heads=2), draw.roundings)
@settings(max_examples=40)
def test_decimals_are_those_of_the_exact_entries(case: Case, rounding: Rounding) -> None:
    """The integers behind `rounded` and the general values of `at` are two ways to one number."""
    for _, _, stage in derive(problem_of(case)):
        n, m = stage.shape
        grid = stage.value.rounded(rounding)
        for i in range(n):
            for j in range(m):
                assert round_value(stage.value.at(i, j), rounding) == grid[i][j]


@given(draw.direct_cases(most=3, widest=3))
@settings(max_examples=20)
def test_sympy_matrices_have_the_values_of_the_oracle(case: Case) -> None:
    derivation = derive(problem_of(case))
    oracle = HighPrecision(case, 60)
    for letter in "QKVSZAO":
        face = getattr(derivation, letter)
        table = oracle.stages[letter, 1]
        assert face.shape == (len(table), len(table[0]))
        for i, row in enumerate(table):
            for j, value in enumerate(row):
                found = oracle.mp.mpf(str(face[i, j].evalf(40)))
                assert abs(found - value) < 1e-30 * (1 + abs(value))


# ---------------------------------------------------------------------- exactly known values


def test_the_worked_example() -> None:
    """I love AI: embeddings and weights to weights and outputs."""
    X = ints([1, 0, 1], [0, 1, 0], [1, 1, 0])
    Q = ints([2, 0, 1], [0, 2, 1], [1, 1, 1])
    K = ints([0, 1, 1], [2, 1, 1], [1, 1, 1])
    V = ints([1, 0, 1], [1, 2, 0], [1, 1, 0])
    # X is invertible, so weights that make exactly these Q, K and V exist: W = X⁻¹ Q.
    inverse = ints([0, -1, 1], [0, 1, 0], [1, 1, -1])
    head = {
        f"W_{letter}": [
            [sum((inverse[i][k] * rows[k][j] for k in range(3)), Fraction(0)) for j in range(3)]
            for i in range(3)
        ]
        for letter, rows in (("Q", Q), ("K", K), ("V", V))
    }
    case = Case((head,), X=X, tokens=("I", "love", "AI"))
    d = derive(problem_of(case))
    integers = Rounding(places=0)
    for letter, rows in (("Q", Q), ("K", K), ("V", V)):
        assert text(d.stage(letter).value, integers) == [[str(c) for c in row] for row in rows]
    assert text(d.stage("S").value, integers) == [
        ["1", "5", "3"],
        ["3", "3", "3"],
        ["2", "4", "3"],
    ]
    assert text(d.stage("A").value, Rounding()) == [
        ["0.070", "0.707", "0.223"],
        ["0.333", "0.333", "0.333"],
        ["0.168", "0.533", "0.299"],
    ]
    assert text(d.answer.value, Rounding()) == [
        ["1.000", "1.637", "0.070"],
        ["1.000", "1.000", "0.333"],
        ["1.000", "1.365", "0.168"],
    ]
    assert exactness(d.answer.value, Rounding()) == [
        [True, False, False],
        [True, True, False],
        [True, False, False],
    ]
    u = square_root(3) * Fraction(1, 3)
    bottom = exp(u) + exp(5 * u) + exp(3 * u)
    assert decide.equal(entry(d.stage("A").value, 0, 1), exp(5 * u) / bottom)
    assert d.stage("Z").value.at(0, 1) == 5 * u
    assert all(decide.equal(entry(d.stage("A").value, 1, j), Fraction(1, 3)) for j in range(3))
    # A published copy of this page has 5.651 and 10.063 for the second and the third.
    E = weights_of(d).exponentials
    assert rounded(E[0][1], Rounding()) == "17.935"
    assert rounded(E[0][2], Rounding()) == "5.652"
    assert rounded(E[2][1], Rounding()) == "10.068"


WORKED = Case(
    (
        {
            "Q": ints([2, 0, 1], [0, 2, 1], [1, 1, 1]),
            "K": ints([0, 1, 1], [2, 1, 1], [1, 1, 1]),
            "V": ints([1, 0, 1], [1, 2, 0], [1, 1, 0]),
        },
    )
)


@pytest.mark.parametrize("rounding", [Rounding(places=1000), Rounding(figures=1000)])
def test_a_thousand_digits(rounding: Rounding) -> None:
    oracle = HighPrecision(WORKED, 1100)
    d = derive(problem_of(WORKED))
    for letter in "AO":
        assert text(d.stage(letter).value, rounding) == [
            [oracle.decimal(x, rounding.places, rounding.figures) for x in row]
            for row in oracle.stages[letter, 1]
        ]


def test_more_digits_than_python_prints() -> None:
    value = derive(problem_of(WORKED)).answer.value
    (cell, *_), *_ = value.rounded(Rounding(places=5000))
    assert str(cell) == "1." + "0" * 5000
    mp = mpmath.MPContext()
    mp.dps = 5020
    u = 1 / mp.sqrt(3)
    weight = mp.exp(u) / (mp.exp(u) + mp.exp(5 * u) + mp.exp(3 * u))
    expected = int(mp.nint(weight * mp.mpf(10) ** 5000))
    found = value.rounded(Rounding(places=5000))[0][2]
    assert isinstance(found, Rounded) and found.coefficient == expected
    assert len(str(found)) == 5002


def scores(*row: int | str, V: list[list[Fraction]] | None = None) -> Case:
    """Attention over one row of scores, unscaled."""
    head = {"S": ints(row)}
    return Case((head if V is None else head | {"V": V},), factor=Fraction(1))


@pytest.mark.parametrize(
    ("keys", "places", "even", "up"),
    [
        (8, 2, "0.12", "0.13"),
        (2, 0, "0", "1"),
        (16, 3, "0.062", "0.063"),
        (4, 1, "0.2", "0.3"),
        (32, 4, "0.0312", "0.0313"),
        (80, 3, "0.012", "0.013"),
    ],
)
def test_ties_of_uniform_rows(keys: int, places: int, even: str, up: str) -> None:
    """Equal scores give 1/m: half-even and half-up differ at exact ties only."""
    A = derive(problem_of(scores(*["7/3"] * keys))).stage("A").value
    assert {c for (row) in text(A, Rounding(places=places)) for c in row} == {even}
    assert {c for (row) in text(A, Rounding(places=places, ties="up")) for c in row} == {up}


def test_ties_among_outputs() -> None:
    """(1 + 2 + 2 + 0)/4 = 1.25 and its negative, from irrational exponentials."""
    V = ints([1, -1], [2, -2], [2, -2], [0, 0])
    O = derive(problem_of(scores(1, 1, 1, 1, V=V))).answer.value  # noqa: E741
    assert text(O, Rounding(places=1)) == [["1.2", "-1.2"]]
    assert text(O, Rounding(places=1, ties="up")) == [["1.3", "-1.3"]]
    mixed = scores(5, 2, 1, V=ints(["0.125"], ["0.125"], ["0.125"]))
    O = derive(problem_of(mixed)).answer.value  # noqa: E741
    assert text(O, Rounding(places=2)) == [["0.12"]]
    assert text(O, Rounding(places=2, ties="up")) == [["0.13"]]
    assert text(O, Rounding(figures=2, ties="up")) == [["0.13"]]


def test_just_beside_a_tie() -> None:
    """0.125 ± e^(−1000): the digits turn on what is 434 places further down."""
    V = ints(["0.125", "0.125"], [1, -1])
    O = derive(problem_of(scores(1000, 0, V=V))).answer.value  # noqa: E741
    for rounding in (Rounding(places=2), Rounding(places=2, ties="up")):
        assert text(O, rounding) == [["0.13", "0.12"]]
    assert exactness(O, Rounding()) == [[False, False]]


def test_just_below_an_integer() -> None:
    """26 − 10^(−300)-ish is printed 26.000, but it is not 26, and 300 nines are there."""
    V = ints([26], [0])
    derivation = derive(problem_of(scores(700, 0, V=V)))
    O = derivation.answer.value  # noqa: E741
    (cell,) = O.rounded(Rounding())[0]
    assert str(cell) == "26.000" and isinstance(cell, Rounded) and not cell.exact
    assert not decide.equal(entry(O, 0, 0), 26)
    assert decide.sign(Quotient.of(entry(O, 0, 0)) - 26) == -1
    deep = text(O, Rounding(places=310))[0][0]
    assert deep.startswith("25." + "9" * 300) and deep != "25." + "9" * 310


def test_rational_softmax_of_logarithms() -> None:
    """Scores ln 1, ln 2, ln 5 give 1/8, 1/4, 5/8 exactly."""
    from symattn.exact.matrix import Matrix
    from symattn.exact.number import logarithm
    from symattn.problem import NO_SCALE, Given, HeadGiven, Problem, checked

    S = Matrix.of([[logarithm(1), logarithm(2), logarithm(5)]])
    problem = Problem((), (), (HeadGiven(S=Given("S", S)),), scale=NO_SCALE)
    A = derive(checked(problem)).stage("A").value
    for j, q in enumerate((Fraction(1, 8), Fraction(1, 4), Fraction(5, 8))):
        assert decide.equal(entry(A, 0, j), q)
        assert decide.rational_value(entry(A, 0, j)) == q
    assert text(A, Rounding(places=2)) == [["0.12", "0.25", "0.62"]]
    assert text(A, Rounding(places=2, ties="up")) == [["0.13", "0.25", "0.63"]]


def test_a_weight_next_to_nothing_is_not_zero() -> None:
    derivation = derive(problem_of(scores(0, -5000)))
    A = derivation.stage("A").value
    cells = A.rounded(Rounding(places=50))[0]
    assert [str(c) for c in cells] == ["1." + "0" * 50, "0." + "0" * 50]
    assert exactness(A, Rounding(places=50)) == [[False, False]]
    assert text(A, Rounding(figures=3))[0][1].rstrip("0").endswith("337")
    assert decide.sign(entry(A, 0, 1)) == 1


def test_zero_and_negative_zero() -> None:
    V = ints(["0.0001", 0, 1], ["-0.0002", 0, -1])
    O = derive(problem_of(scores(3, 3, V=V))).answer.value  # noqa: E741
    assert text(O, Rounding()) == [["0.000", "0.000", "0.000"]]
    assert exactness(O, Rounding()) == [[False, True, True]]
    assert text(O, Rounding(figures=3)) == [["-0.0000500", "0", "0"]]


def test_masked_entries() -> None:
    B: MaskRows = [[Fraction(0), None], [Fraction(0), Fraction(0)]]
    case = Case(({"S": ints([1, 2], [1, 1]), "V": ints([1], [5])},), B=B, factor=Fraction(1))
    derivation = derive(problem_of(case))
    assert text(derivation.stage("M").value, Rounding(places=0)) == [["1", "-inf"], ["1", "1"]]
    assert text(derivation.stage("A").value, Rounding(places=1)) == [["1.0", "0.0"], ["0.5", "0.5"]]
    assert text(derivation.answer.value, Rounding(places=0)) == [["1"], ["3"]]
    assert decide.is_zero(entry(derivation.stage("A").value, 0, 1))


def test_biases_in_units_of_the_same_root() -> None:
    """S/√2 plus biases that are multiples of √2: one root, different denominators."""
    third, fifth = Surd(Fraction(1, 3), 2), Surd(Fraction(-2, 5), 2)
    head = {"S": ints([1, 2, 0], [3, -1, 1]), "V": ints([1], [2], [4])}
    case = Case((head,), B=[[third, fifth, None], [fifth, third, third]], d_k=2)
    assert compare(case, Rounding(places=30))
    M = derive(problem_of(case)).stage("M").value
    assert M.at(0, 0) == square_root(2) * Fraction(5, 6)
    assert M.at(0, 2) is MINUS_INFINITY


def test_a_fully_masked_row() -> None:
    B: MaskRows = [[None, None], [Fraction(0), None]]
    case = Case(({"S": ints([1, 2], [1, 1]), "V": ints([1], [5])},), B=B, factor=Fraction(1))
    with pytest.raises(InputError):
        derive(problem_of(case))
    zeros = derive(problem_of(Case(case.heads, B=B, factor=case.factor, zeros_if_masked=True)))
    assert text(zeros.stage("A").value, Rounding(places=1)) == [["0.0", "0.0"], ["1.0", "0.0"]]
    assert text(zeros.answer.value, Rounding(places=1)) == [["0.0"], ["1.0"]]


def test_several_fully_masked_heads_are_joined() -> None:
    B: MaskRows = [[None], [Fraction(0)]]
    head = {"S": ints([1], [1]), "V": ints([4])}
    case = Case((head, head), B=B, factor=Fraction(1), W_O=ints(["1/3"], [1]), zeros_if_masked=True)
    assert compare(case, Rounding())


def test_letters_stay_letters() -> None:
    from symattn.exact.matrix import Matrix
    from symattn.problem import Given, HeadGiven, Problem, checked

    a, b = Number.letter("a"), Number.letter("b")
    head = HeadGiven(
        Q=Given("Q", Matrix.of([[a]])),
        K=Given("K", Matrix.of([[1], [b]])),
        V=Given("V", Matrix.of([[1], [a]])),
    )
    derivation = derive(checked(Problem((), (), (head,))))
    bottom = exp(a) + exp(a * b)
    assert decide.equal(entry(derivation.answer.value, 0, 0), (exp(a) + exp(a * b) * a) / bottom)
    assert derivation.answer.value.letters == {"a", "b"}
    with pytest.raises(ValueError, match="letter"):
        derivation.answer.value.rounded(Rounding())
