"""problem_of: lists, fractions, decimals, arrays, tensors, SymPy — the same problem each time."""

from __future__ import annotations

import subprocess
import sys
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st

from symattn.convention import COLUMNS
from symattn.errors import InputError, OutOfScope
from symattn.exact.matrix import MINUS_INFINITY, Matrix
from symattn.exact.number import Number, logarithm, square_root
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names, load
from symattn.reading.values import problem_of

I2 = [[1, 0], [0, 1]]
W: dict[str, Any] = {"W_Q": I2, "W_K": I2, "W_V": I2}
HALF = Number.of(Fraction(1, 2))


def first(problem: Problem) -> object:
    assert problem.X
    return problem.X.value.at(0, 0)


@pytest.mark.parametrize(
    ("cell", "value", "typed"),
    [
        (3, Number.of(3), "3"),
        (-3, Number.of(-3), "-3"),
        (0.1, Number.of(Fraction(1, 10)), "0.1"),
        (2.0, Number.of(2), "2"),
        (1e-5, Number.of(Fraction(1, 10**5)), "0.00001"),
        (Fraction(1, 2), HALF, "1/2"),
        (Decimal("0.50"), HALF, "0.50"),
        ("0.50", HALF, "0.50"),
        ("2sqrt(3)", square_root(3) * 2, "2sqrt(3)"),
        (np.int64(3), Number.of(3), "3"),
        (np.float64(0.1), Number.of(Fraction(1, 10)), "0.1"),
        (np.float32(0.1), Number.of(Fraction(1, 10)), "0.1"),
        (np.float16(0.1), Number.of(Fraction(1, 10)), "0.1"),
        (np.float32(16777216), Number.of(16777216), "16777216"),
        (sympy.Integer(3), Number.of(3), "3"),
        (sympy.Rational(1, 2), HALF, "1/2"),
    ],
)
def test_one_cell(cell: object, value: Number, typed: str) -> None:
    problem = problem_of(X=[[cell, 1]], **W)
    assert first(problem) == value
    assert problem.X
    assert problem.X.typed == ((typed, "1"),)


@pytest.mark.parametrize(
    ("cell", "value"),
    [
        (square_root(2), square_root(2)),
        (sympy.sqrt(2), square_root(2)),
        (sympy.log(2) / 2, logarithm(2) * Fraction(1, 2)),
        (sympy.Symbol("a") * 2, Number.letter("a") * 2),
        (sympy.exp(sympy.log(2) / 2), square_root(2)),
    ],
)
def test_exact_values_have_no_spelling(cell: object, value: Number) -> None:
    problem = problem_of(X=[[cell, 1]], **W)
    assert first(problem) == value
    assert problem.X
    assert problem.X.typed == ()


ROWS = [[1, 2], [3, 4]]


@pytest.mark.parametrize(
    "matrix",
    [
        ROWS,
        ((1, 2), (3, 4)),
        "1 2; 3 4",
        ["1 2", "3 4"],
        np.array(ROWS),
        np.array(ROWS, dtype=np.uint8),
        np.array(ROWS, dtype=np.float32),
        np.array([[Fraction(1), Fraction(2)], [3, 4]], dtype=object),
        [np.array([1, 2]), np.array([3, 4])],
        sympy.Matrix(ROWS),
        sympy.ImmutableMatrix(ROWS),
        Matrix.of(ROWS),
    ],
    ids=lambda matrix: type(matrix).__name__,
)
def test_every_kind_of_matrix(matrix: object) -> None:
    problem = problem_of(X=matrix, **W)
    assert problem.X
    assert problem.X.value == Matrix.of(ROWS)


class Tensor:
    """What is known of a tensor: its values as Python numbers, and the name of its type."""

    def __init__(self, rows: list[list[float]], dtype: str) -> None:
        self.rows, self.dtype = rows, dtype

    def tolist(self) -> list[list[float]]:
        return self.rows


@pytest.mark.parametrize(
    ("dtype", "stored"),
    [
        ("torch.float64", 0.1),
        ("torch.float32", 0.10000000149011612),
        ("torch.float16", 0.0999755859375),
        ("torch.bfloat16", 0.10009765625),
    ],
)
def test_a_tensor_is_read_in_its_own_precision(dtype: str, stored: float) -> None:
    problem = problem_of(X=Tensor([[stored, -2.5]], dtype), **W)
    assert problem.X
    assert problem.X.typed == (("0.1", "-2.5"),)


@given(st.floats(width=32, allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
def test_float32_is_the_decimal_that_numpy_prints(value: float) -> None:
    problem = problem_of(X=[[np.float32(value), 1]], **W)
    assert first(problem) == Number.of(Fraction(str(np.float32(value))))


@given(st.floats(allow_nan=False, allow_infinity=False, min_value=-1e9, max_value=1e9))
def test_float_is_the_decimal_that_python_prints(value: float) -> None:
    if value == 0 or abs(value) > 1e-100:
        assert first(problem_of(X=[[value, 1]], **W)) == Number.of(Fraction(repr(value)))


def test_masks() -> None:
    flags = np.array([[True, False], [True, True]])
    for mask in (
        "causal",
        {"visible": flags},
        {"visible": flags.tolist()},
        {"hidden": ~flags},
        np.array([[0, -np.inf], [0, 0]]),
        [[0, "-inf"], [0, 0]],
        [[0, float("-inf")], [0, 0]],
        [[0, Decimal("-Infinity")], [0, 0]],
        [[Number.of(0), MINUS_INFINITY], [0, 0]],
        sympy.Matrix([[0, -sympy.oo], [0, 0]]),
    ):
        problem = problem_of(X=I2, mask=mask, **W)
        assert problem.mask.B
        assert problem.mask.B.value.rows == ((0, MINUS_INFINITY), (0, 0))


def test_other_keys() -> None:
    problem = problem_of(
        X=I2, tokens=("a", "b"), scale={"divide_by": 2}, title="x", convention=COLUMNS, **W
    )
    assert problem.tokens == ("a", "b")
    assert problem.scale.divisor == Number.of(2)
    assert problem.convention == COLUMNS
    assert problem.X
    assert problem.X.transposed


@pytest.mark.parametrize("name", builtin_names())
def test_a_problem_handed_over_again_is_the_same(name: str) -> None:
    known = load(name)
    keys = [f for f in ("X", "X_kv", "W_O") if getattr(known, f)]
    heads = [
        {k: getattr(head, k).typed for k in head.__slots__ if getattr(head, k)}
        for head in known.heads
    ]
    again = problem_of(
        tokens=known.tokens,
        tokens_kv=known.tokens_kv,
        heads=heads,
        mask={"causal": "causal", "padded": {"padding": 3}}.get(name),
        scale="none" if known.scale.is_none else None,
        **{key: getattr(known, key).typed for key in keys},
    )
    assert [getattr(again, k).value for k in keys] == [getattr(known, k).value for k in keys]
    for one, other in zip(again.heads, known.heads, strict=True):
        for key in one.__slots__:
            a, b = getattr(one, key), getattr(other, key)
            assert (a and (a.value, a.typed)) == (b and (b.value, b.typed))
    assert (again.mask.kind, again.scale) == (known.mask.kind, known.scale)


REFUSED: list[tuple[object, str]] = [
    ([[1, float("nan")]], "X, row 1, column 2: NaN is not a number"),
    ([[1, float("inf")]], "X, row 1, column 2: infinity is not a number"),
    ([[1, float("-inf")]], "X, row 1, column 2: −∞ may only stand in a mask"),
    ([[1, MINUS_INFINITY]], "X, row 1, column 2: −∞ may only stand in a mask"),
    ([[1, Decimal("sNaN")]], "X, row 1, column 2: NaN is not a number"),
    ([[1, None]], "X, row 1, column 2: None is not a number"),
    ([[1, 1j]], "X, row 1, column 2: a complex number is not read"),
    ([[1, object()]], "X, row 1, column 2: a object is not read"),
    ([[1, "foo"]], 'X, row 1, column 2: "foo" is not a number'),
    ([[1, True]], 'X, row 1, column 2: "true" is not a number'),
    ([[1, 10**5000]], "X, row 1, column 2: the number is too large for an exercise"),
    ([[1, Decimal("1e999999")]],
     "X, row 1, column 2: the number is too large or too small for an exercise"),
    ([[1, Number.letter("Q")]],
     "X, row 1, column 2: the letter Q is the name of something in the solution"),
    ([[1, sympy.exp(2)]], "X, row 1, column 2: exp(2) is not a number without e"),
    ([[1, 2], [3]], "row 2 of X has 1 number, row 1 has 2"),
    ([], "X is empty"),
    (np.zeros((0, 3)), "X is empty"),
    (np.zeros((2, 0)), "row 1 of X is empty"),
    (np.array([1, 2]), "X is a list of numbers, not of rows"),
    (np.zeros((1, 1, 1)), "X, row 1, column 1: a list stands where a number belongs"),
    (3, "X is a single value, not a matrix"),
    ([[1, 2, 3]], "W_Q has 2 rows but X has 3 columns: X (1×3) · W_Q (2×2) does not fit"),
]  # fmt: skip


@pytest.mark.parametrize(("X", "message"), REFUSED, ids=[m for _, m in REFUSED])
def test_each_mistake_has_one_clear_message(X: object, message: str) -> None:
    with pytest.raises(InputError) as caught:
        problem_of(X=X, **W)
    assert str(caught.value).splitlines()[0] == message
    assert caught.value.hint or "too large" in message


def test_what_sympy_cannot_hand_over() -> None:
    with pytest.raises(OutOfScope, match=r"^X, row 1, column 2: sin\(1\) is outside"):
        problem_of(X=[[1, sympy.sin(1)]], **W)


def test_numpy_and_sympy_are_not_loaded_for_lists() -> None:
    code = (
        "import sys; from symattn.reading.values import problem_of; "
        "problem_of(Q=[[1, 0.5]], K=[['1/2', 'a']], V=[[1]]); "
        "print([m for m in ('sympy', 'mpmath', 'numpy') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
