"""The expression reader: what it reads, what it refuses and how it says so, and how fast."""

from __future__ import annotations

import subprocess
import sys
import time
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from symattn.errors import InputError, OutOfScope, Place, SymattnError
from symattn.exact.matrix import MINUS_INFINITY
from symattn.exact.number import Number, logarithm, root, square_root
from symattn.reading.expression import read

A, B = Number.letter("a"), Number.letter("b")
R2, R3 = square_root(2), square_root(3)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("12", 12),
        ("-3", -3),
        ("−3", -3),
        ("+3", 3),
        ("--3", 3),
        ("0.5", Fraction(1, 2)),
        (".5", Fraction(1, 2)),
        ("1.", 1),
        ("0.50", Fraction(1, 2)),
        ("1e-3", Fraction(1, 1000)),
        ("2E2", 200),
        ("1e−1", Fraction(1, 10)),
        ("1/2", Fraction(1, 2)),
        (" 1 / 2 ", Fraction(1, 2)),
        ("½", Fraction(1, 2)),
        ("-¾", Fraction(-3, 4)),
        ("2^3^2", 512),
        ("2**3", 8),
        ("-2^2", -4),
        ("(-2)^2", 4),
        ("2^-1", Fraction(1, 2)),
        ("3·4×5÷2", 30),
        ("8/4/2", 1),
        ("2-3-4", -5),
        ("2³", 8),
        ("2⁻²", Fraction(1, 4)),
        ("8^(2/3)", 4),
        ("4^½", 2),
        ("√2", R2),
        ("√(2)", R2),
        ("sqrt(2)", R2),
        ("SQRT(2)", R2),
        ("2^(1/2)", R2),
        ("√2√3", square_root(6)),
        ("2sqrt(3)", R3 * 2),
        ("2 √3", R3 * 2),
        ("1/√3", R3 * Fraction(1, 3)),
        ("√8/2", R2),
        ("√2^2", 2),
        ("cbrt(2)", root(3, 2)),
        ("∛2", root(3, 2)),
        ("∜2", root(4, 2)),
        ("root(3, -8)", -2),
        ("(1+√2)^-1", R2 - 1),
        ("sqrt(2+sqrt(3))", root(2, R3 + 2)),
        ("ln(6)", logarithm(2) + logarithm(3)),
        ("log(3/4)", logarithm(3) - logarithm(2) * 2),
        ("ln(1)", 0),
        ("exp(ln(2))", 2),
        ("exp(ln(2)/2)", R2),
        ("exp(0)", 1),
        ("a", A),
        ("2a", A * 2),
        ("2(a+b)", (A + B) * 2),
        ("(a+b)(a-b)", A * A - B * B),
        ("a^2", A * A),
        ("a⁻¹", Number.of(1) / A),
        ("x1", Number.letter("x_1")),
        ("x₁", Number.letter("x_1")),
        ("w_12", Number.letter("w_12")),
        ("w_ij", Number.letter("w_ij")),
        ("α", Number.letter("alpha")),
        ("alpha", Number.letter("alpha")),
        ("ϕ_2", Number.letter("phi_2")),
        ("0^0", 1),
    ],
)
def test_reads(text: str, value: Number | int | Fraction) -> None:
    assert read(text) == Number.of(value)


@pytest.mark.parametrize("text", ["-inf", "−∞", "-∞", "-oo", " -Infinity ", "-.inf"])
def test_minus_infinity_only_where_it_is_allowed(text: str) -> None:
    assert read(text, allow_infinity=True) is MINUS_INFINITY
    with pytest.raises(InputError, match="−∞ may only stand in a mask"):
        read(text)


REFUSED = [
    ("", 0, "the cell is empty"),
    ("0,5", 1, 'the comma in "0,5" can be read two ways'),
    ("sqrt(0,5)", 6, 'the comma in "0,5" can be read two ways'),
    ("1,", 1, "a comma does not belong in a number"),
    ("1.2.3", 3, "a number has only one decimal point"),
    ("1_000", 1, "digits are not grouped here"),
    ("1'000", 1, "digits are not grouped here"),
    ("abc", 0, '"abc" is not a number'),
    ("2 + foo", 4, '"foo" is not a number'),
    ("sqr(2)", 0, '"sqr" is not a number'),
    ("sqrt2", 0, "brackets are missing after sqrt"),
    ("log2(8)", 0, "brackets are missing after log"),
    ("sqrt", 0, "brackets are missing after sqrt"),
    ("(1", 0, "the bracket is not closed: ) is missing"),
    ("((2)", 0, "the bracket is not closed: ) is missing"),
    ("1)", 1, "a bracket is closed that was not opened"),
    ("()", 1, "the brackets are empty"),
    ("[1]", 0, "only round brackets are read, not ["),
    ("2 3", 2, "two numbers stand next to each other"),
    ("2½", 1, "two numbers stand next to each other"),
    ("2 1/2", 2, "two numbers stand next to each other"),
    ("a b", 2, "a sign is missing here"),
    ("1/2a", 3, "a product after a fraction bar can be read two ways"),
    ("1/2√3", 3, "a product after a fraction bar can be read two ways"),
    ("*2", 0, "a number is missing before *"),
    ("2*", 1, "the expression stops too early"),
    ("-", 0, "a number is missing after the sign"),
    ("x^", 1, "the expression stops too early"),
    ("²", 0, "a raised sign without a number"),
    ("a_", 1, "an index is missing after _"),
    ("50%", 2, "percent signs are not read"),
    ("1=1", 1, "= does not belong in a number"),
    ("٣", 0, "the character ٣ (ARABIC-INDIC DIGIT THREE) is not understood"),
    ("\x00", 0, "the character U+0000 is not understood"),
    ("nan", 0, "NaN is not a number"),
    (".nan", 0, "NaN is not a number"),
    ("inf", 0, "infinity is not a number"),
    ("+∞", 1, "infinity is not a number"),
    ("-inf+1", 1, "infinity is not a number"),
    ("e", 0, "the number e cannot be typed: it appears when the softmax is taken"),
    ("2e", 1, "the number e cannot be typed: it appears when the softmax is taken"),
    ("pi", 0, "the number π is outside what symattn can compare exactly"),
    ("2π", 1, "the number π is outside what symattn can compare exactly"),
    ("1/0", 1, "division by zero"),
    ("0^-1", 1, "division by zero"),
    ("1/(a-a)", 1, "division by zero"),
    ("2^a", 1, "an exponent must be a whole number or a fraction"),
    ("2^√2", 1, "an exponent must be a whole number or a fraction"),
    ("(-8)^(1/3)", 4, "a negative number has no fractional power here"),
    ("root(2)", 0, "root needs a degree and a number"),
    ("root(1/2, 2)", 0, "the degree of a root is a whole number from 2 to 100"),
    ("9^9^9^9", 3, "an exponent above 1000 is too large for an exercise"),
    ("10^100000", 2, "an exponent above 1000 is too large for an exercise"),
    ("1e100000", 0, "the number is too large for an exercise"),
    ("1e1300", 0, "the number is too large for an exercise"),
    ("(a+b+c+d)^20", 9, "a product of two such long sums is too large for an exercise"),
    ("sqrt(12345678901)", 0, "a number above 10^10 under a root or logarithm is too large "
     "for an exercise"),
    ("√(1+√(1+√(1+√2)))", 0, "there are too many roots of sums in one number"),
    ("1" * 1_000_000, 0, "the expression has 1000000 characters, at most 200 are read"),
    ("(" * 5000, 0, "the expression has 5000 characters, at most 200 are read"),
    ("(" * 60 + "1" + ")" * 60, 50, "more than 50 brackets, roots or powers inside each other"),
    ("√" * 60 + "2", 50, "more than 50 brackets, roots or powers inside each other"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "caret", "message"), REFUSED, ids=[r[2][:40] for r in REFUSED])
def test_refuses_with_a_caret_and_a_hint(text: str, caret: int, message: str) -> None:
    started = time.perf_counter()
    with pytest.raises(InputError) as caught:
        read(text)
    assert time.perf_counter() - started < 0.5
    assert caught.value.message == message
    assert caught.value.place.caret == caret
    assert caught.value.hint
    assert "\n" not in caught.value.place.typed


@pytest.mark.parametrize(
    "text",
    ["sqrt(-2)", "√a", "ln(0)", "ln(-1)", "ln(a)", "exp(1)", "exp(a)", "1/(a+b)", "3+ln(√2)"],
)
def test_sound_but_out_of_scope_has_its_place_too(text: str) -> None:
    with pytest.raises(OutOfScope) as caught:
        read(text, place=Place(file="p.yaml", line=3, matrix="X", cell=(1, 2)))
    assert str(caught.value).startswith("p.yaml:3: X, row 1, column 2: ")
    assert caught.value.place.typed == text
    caret = caught.value.place.caret
    assert text[caret] in "s√le/"


def test_the_hint_names_the_nearest_word() -> None:
    with pytest.raises(InputError) as caught:
        read("sqr(2)")
    assert caught.value.hint == "Did you mean sqrt?"
    with pytest.raises(InputError) as caught:
        read("0,5")
    assert caught.value.hint == "Write 0.5 for one number, or 0, 5 as two cells of a list."


def test_an_error_is_shown_under_what_was_typed() -> None:
    with pytest.raises(InputError) as caught:
        read("2 + foo", place=Place(matrix="X", cell=(2, 1)))
    assert str(caught.value).splitlines()[:3] == [
        'X, row 2, column 1: "foo" is not a number',
        "    2 + foo",
        "        ^",
    ]


def test_a_root_that_low_precision_cannot_see_to_be_positive() -> None:
    # (∛2 − √2)^18 is about 2e-15 and its terms about 7e6: at 64 bits it reaches below zero.
    value = read("√(√((∛2-√2)^18))")
    assert value.terms


@given(st.fractions(max_denominator=10**6))
def test_fractions_survive_the_round_trip(value: Fraction) -> None:
    assert read(str(value)).rational == value
    assert read(f"({value.numerator})/({value.denominator})").rational == value


@given(st.decimals(-(10**9), 10**9, places=6))
def test_decimals_are_exact(value: Decimal) -> None:
    assert read(format(value, "f")).rational == Fraction(value)


LEAVES = st.sampled_from(["2", "0.5", "7/3", "a", "b", "√2", "√3", "w_1"])
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.tuples(inner, st.sampled_from("+-*"), inner).map(
        lambda t: f"({t[0]}){t[1]}({t[2]})"
    ),
    max_leaves=6,
)
MEANING = {"a": A, "b": B, "w_1": Number.letter("w_1"), "R2": R2, "R3": R3, "F": Fraction}


@given(EXPRESSIONS)
def test_sums_and_products_mean_what_python_means(text: str) -> None:
    code = text.replace("√2", "R2").replace("√3", "R3")
    for literal, exact in (("0.5", "F(1, 2)"), ("7/3", "F(7, 3)")):
        code = code.replace(literal, exact)
    assert read(text) == Number.of(eval(code, dict(MEANING)))


TYPED = st.text("0123456789.,+-−*/^()√²½ aewxπ∞_sqrtlnogexpif[]{}%;:'\"\n\0é∛", max_size=60)


@given(st.one_of(st.text(max_size=40), TYPED))
@example("√" * 100)
@example("(" * 199)
@example("9" * 200)
@example("a^999" * 40)
@example("(1+√2)^999(1+√2)^999(1+√2)^999")
@example("^".join(["2"] * 60))
def test_any_text_is_read_or_refused_in_time(text: str) -> None:
    started = time.perf_counter()
    try:
        value: object = read(text, allow_infinity=True)
    except SymattnError as error:
        value = error
    match value:
        case SymattnError():
            assert value.message
            assert 0 <= value.place.caret <= max(len(text), 1)
        case _:
            assert value is MINUS_INFINITY or isinstance(value, Number)
    assert time.perf_counter() - started < 1


def test_integers_are_read_fast() -> None:
    started = time.perf_counter()
    for i in range(512 * 64):
        read(str(i % 199 - 99))
    assert time.perf_counter() - started < 0.5


def test_reading_a_problem_loads_no_heavy_library() -> None:
    code = (
        "import sys, symattn.reading.problem_file as p; p.load('i-love-ai'); p.load('letters'); "
        "print([m for m in ('sympy', 'mpmath', 'numpy', 'flint') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
