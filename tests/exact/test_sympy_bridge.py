"""To SymPy and back. What goes out is what plain SymPy builds from the same formula, as a tree."""

from __future__ import annotations

import random
import time
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest
import sympy
from hypothesis import given
from hypothesis import strategies as st
from sympy import ImmutableMatrix, Matrix, S, exp, log, sqrt

from symattn.errors import OutOfScope
from symattn.exact import decide
from symattn.exact.matrix import MINUS_INFINITY
from symattn.exact.matrix import Matrix as ExactMatrix
from symattn.exact.mixture import Beside, Mixture, Sum, Weights
from symattn.exact.number import Number, logarithm, square_root
from symattn.exact.quotient import Quotient
from symattn.exact.sympy_bridge import from_sympy, matrix_to_sympy, product_to_sympy, to_sympy

Expr = Any
Rows = Sequence[Sequence[Expr]]


# ---------------------------------------------------------------------- plain SymPy: the reference


def plain_weights(M: Expr) -> Expr:
    n, m = M.shape
    rows = []
    for i in range(n):
        total = sum((exp(M[i, k]) for k in range(m)), S.Zero)
        rows.append([exp(M[i, j]) / total for j in range(m)])
    return Matrix(rows)


def exact(M: Expr) -> ExactMatrix:
    n, m = M.shape
    return ExactMatrix.of([[from_sympy(M[i, j]) for j in range(m)] for i in range(n)])


def same(ours: Expr, theirs: Expr) -> None:
    """Structurally: ==, the same hash, entry by entry the same printed tree."""
    theirs = ImmutableMatrix(theirs)
    assert isinstance(ours, ImmutableMatrix)
    assert ours == theirs
    assert hash(ours) == hash(theirs)
    for a, b in zip(ours, theirs, strict=True):
        assert sympy.srepr(a) == sympy.srepr(b)


def integers(rng: random.Random, n: int, m: int) -> Expr:
    return Matrix(n, m, lambda *_: rng.randint(-3, 3))


def scores(rng: random.Random, n: int, m: int, kind: str) -> Expr:
    a, b = sympy.symbols("a b")
    P = integers(rng, n, m)
    match kind:
        case "integers":
            return P
        case "sqrt 3":
            return P / sqrt(3)
        case "rationals":
            return P / 7
        case "surds":
            # Multiplied out, as a Number is: SymPy leaves √3·(√2 + 1)/3 as it stands.
            surds = P + integers(rng, n, m) * sqrt(2) + integers(rng, n, m) * sqrt(6)
            return (surds / sqrt(3)).expand()
        case "letters":
            return ((P * a + integers(rng, n, m) * b) / sqrt(2)).expand()
        case "logs":
            return P * log(2) + integers(rng, n, m) * log(3) / 2
        case "masked":
            Q = P / sqrt(2)
            for i in range(n):
                for j in range(i + 1, m):
                    Q[i, j] = -sympy.oo
            return Q
    raise ValueError(kind)


KINDS = ("integers", "sqrt 3", "rationals", "surds", "letters", "logs", "masked")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("seed", range(4))
def test_scores_weights_and_outputs(kind: str, seed: int) -> None:
    rng = random.Random(f"{kind} {seed}")
    n, m, d = rng.randint(2, 4), rng.randint(2, 4), rng.randint(1, 3)
    M, V = scores(rng, n, m, kind), integers(rng, m, d)
    A = Weights(exact(M))
    same(matrix_to_sympy(A.M), M)
    same(matrix_to_sympy(A), plain_weights(M))
    same(matrix_to_sympy(Mixture(A, None)), plain_weights(M))
    same(matrix_to_sympy(Mixture(A, exact(V))), plain_weights(M) * V)


@pytest.mark.parametrize("values", ["surds", "letters"])
def test_outputs_of_values_that_are_no_integers(values: str) -> None:
    rng = random.Random(values)
    M, V = scores(rng, 3, 3, "sqrt 3"), scores(rng, 3, 2, values)
    same(matrix_to_sympy(Mixture(Weights(exact(M)), exact(V))), plain_weights(M) * V)


@pytest.mark.parametrize("kind", KINDS)
def test_heads_side_by_side_and_projected(kind: str) -> None:
    rng = random.Random(f"heads {kind}")
    masks = [scores(rng, 3, 3, kind) for _ in range(2)]
    V = [integers(rng, 3, 2) for _ in range(2)]
    W = integers(rng, 4, 3)
    heads = [Mixture(Weights(exact(M)), exact(v)) for M, v in zip(masks, V, strict=True)]
    C = Matrix.hstack(*(plain_weights(M) * v for M, v in zip(masks, V, strict=True)))
    same(matrix_to_sympy(Beside(tuple(heads))), C)
    same(product_to_sympy(Beside(tuple(heads)), exact(W)), C * W)
    own = [W[:2, :], W[2:, :]]
    parts = [Mixture(h.A, exact(v * w)) for h, v, w in zip(heads, V, own, strict=True)]
    same(matrix_to_sympy(Sum(tuple(parts))), C * W)


def test_a_product_with_surds_is_not_multiplied_out() -> None:
    rng = random.Random(3)
    M, V = scores(rng, 2, 2, "sqrt 3"), integers(rng, 2, 2)
    W = Matrix([[sqrt(2), 1], [1, sqrt(3) / 2]])
    head = Mixture(Weights(exact(M)), exact(V))
    same(product_to_sympy(head, exact(W)), plain_weights(M) * V * W)


def test_a_row_that_sees_nothing_gives_zeros() -> None:
    M = ExactMatrix.of([[MINUS_INFINITY, MINUS_INFINITY], [0, MINUS_INFINITY]])
    assert matrix_to_sympy(M) == ImmutableMatrix([[-sympy.oo, -sympy.oo], [0, -sympy.oo]])
    assert matrix_to_sympy(Weights(M, zeros=True)) == ImmutableMatrix([[0, 0], [1, 0]])


def test_sixteen_tokens_are_fast() -> None:
    rng = random.Random(16)
    M, V = scores(rng, 16, 16, "sqrt 3"), integers(rng, 16, 8)
    O = Mixture(Weights(exact(M)), exact(V))  # noqa: E741
    started = time.perf_counter()
    matrix_to_sympy(O)
    assert time.perf_counter() - started < 2


# ---------------------------------------------------------------------- single values

a, b = sympy.symbols("a b")
R2 = square_root(2)


@pytest.mark.parametrize(
    ("expr", "value"),
    [
        (S(3), Number.of(3)),
        (sympy.Rational(-1, 2), Number.of(Fraction(-1, 2))),
        (sympy.Float("0.1"), Number.of(Fraction(1, 10))),
        (sympy.Float(0.0891), Number.of(Fraction(891, 10000))),
        (0.5, Number.of(Fraction(1, 2))),
        (sqrt(8), R2 * 2),
        (1 / (1 + sqrt(2)), R2 - 1),
        (sqrt(2) * sqrt(3), square_root(6)),
        (a * b + 2 * a, Number.letter("a") * Number.letter("b") + Number.letter("a") * 2),
        ((a + b) ** 2 / a, (Number.letter("a") + Number.letter("b")) ** 2 / Number.letter("a")),
        (log(12), logarithm(12)),
        (log(sqrt(2)), logarithm(2) * Fraction(1, 2)),
        (1 / log(2), 1 / logarithm(2)),
        (log(exp(sqrt(2))), R2),
        (exp(log(2) / 2), R2),
        (exp(S.Zero), Number.of(1)),
        (exp(a) * exp(-a), Number.of(1)),
        (sympy.cosh(S.Zero), Number.of(1)),
    ],
)
def test_a_number_wherever_it_is_one(expr: Expr, value: Number) -> None:
    assert from_sympy(expr) == value


def test_quotients_where_it_is_none() -> None:
    for expr in (exp(1), S.Exp1, 1 / (1 + a), sympy.tanh(a), S(2) ** sqrt(2), sqrt(exp(3))):
        assert isinstance(from_sympy(expr), Quotient)
    assert from_sympy(-sympy.oo) is MINUS_INFINITY
    assert to_sympy(MINUS_INFINITY) is S.NegativeInfinity


@pytest.mark.parametrize(
    "expr",
    [
        sympy.pi, sympy.I, sympy.oo, sympy.zoo, sympy.nan, sympy.sin(1), sympy.Abs(a), sqrt(a),
        a**b, sympy.cbrt(-8), sqrt(-2), log(-2), log(a), exp(exp(1)), sympy.Function("f")(1),
        sympy.Eq(a, b), sympy.true, Matrix([[1]]), "1 + 1", "__import__('os')", None, set(),
        a**3000,
    ],
    ids=str,
)  # fmt: skip
def test_outside_is_refused(expr: Expr) -> None:
    with pytest.raises(OutOfScope):
        from_sympy(expr)


def test_division_by_zero() -> None:
    with pytest.raises(ZeroDivisionError):
        from_sympy(sympy.Pow(sqrt(3 + 2 * sqrt(2)) - 1 - sqrt(2), -1, evaluate=False))


NUMBERS = st.recursive(
    st.builds(sympy.Rational, st.integers(-9, 9), st.integers(1, 9))
    | st.sampled_from([sqrt(2), sqrt(3), sympy.cbrt(5), a, b, log(2), log(3), sqrt(2 + sqrt(3))]),
    lambda inner: (
        st.builds(lambda x, y: x + y, inner, inner) | st.builds(lambda x, y: x * y, inner, inner)
    ),
    max_leaves=5,
)


@given(NUMBERS)
def test_numbers_survive_the_round_trip(expr: Expr) -> None:
    value = from_sympy(expr)
    assert from_sympy(to_sympy(value)) == value


@given(NUMBERS, NUMBERS, NUMBERS)
def test_quotients_survive_the_round_trip(x: Expr, y: Expr, z: Expr) -> None:
    value = from_sympy(x * exp(y) / (1 + exp(z)))
    again = from_sympy(to_sympy(value))
    assert decide.equal(value, again)  # type: ignore[arg-type]
    assert not decide.equal(value, Quotient.of(again) + 1)  # type: ignore[arg-type]


@given(NUMBERS)
def test_a_number_has_the_same_decimals(expr: Expr) -> None:
    point = {a: sympy.Rational(3, 7), b: sympy.Rational(-5, 3)}
    back = to_sympy(from_sympy(expr))
    assert abs(sympy.N(expr.subs(point), 40) - sympy.N(back.subs(point), 40)) < 1e-30
