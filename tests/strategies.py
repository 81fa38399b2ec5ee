"""What the tests draw at random, and how plain rows become a symattn problem."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Literal

from hypothesis import strategies as st

from symattn.exact import number
from symattn.exact.expsum import ExpSum, exponential
from symattn.exact.matrix import MINUS_INFINITY, Matrix, MinusInfinity, Value
from symattn.exact.number import Number
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.problem import (
    DEFAULT_SCALE,
    NO_MASK,
    Given,
    HeadGiven,
    Mask,
    Problem,
    Scale,
    checked,
)
from tests.oracle import Case, Cell, HeadRows, MaskRows, Rows, Surd

# ---------------------------------------------------------------------- rows → problem


def exact(cell: Cell) -> Number:
    if isinstance(cell, Surd):
        return number.root(cell.degree, cell.radicand) * cell.coefficient
    return Number.of(cell)


def matrix(rows: Rows | MaskRows) -> Matrix:
    return Matrix.of([[MINUS_INFINITY if c is None else exact(c) for c in row] for row in rows])


def given_rows(name: str, rows: Rows | MaskRows | None) -> Given | None:
    return None if rows is None else Given(name, matrix(rows))


def problem_of(case: Case) -> Problem:
    kind: Literal["bias", "matrix"] = "matrix"
    if case.B is not None and any(c for row in case.B for c in row):
        kind = "bias"
    return checked(
        Problem(
            tokens=case.tokens,
            tokens_kv=(),
            heads=tuple(
                HeadGiven(**{name: given_rows(name, rows) for name, rows in head.items()})
                for head in case.heads
            ),
            X=given_rows("X", case.X),
            X_kv=given_rows("X_kv", case.X_kv),
            mask=NO_MASK if case.B is None else Mask(kind, given_rows("B", case.B)),
            scale=DEFAULT_SCALE if case.factor is None else Scale(exact(case.factor)),
            d_k=case.d_k,
            W_O=given_rows("W_O", case.W_O),
            zeros_if_masked=case.zeros_if_masked,
        )
    )


def ints(*rows: Sequence[int | str]) -> list[list[Fraction]]:
    """Literal rows: ints, or strings such as "0.5" and "2/3"."""
    return [[Fraction(cell) for cell in row] for row in rows]


def finite(value: Value) -> Number | Quotient:
    """The value, which is not −∞."""
    assert not isinstance(value, MinusInfinity)
    return value


def rational(value: Value) -> Fraction:
    """The value, which is a rational Number."""
    assert isinstance(value, Number)
    return value.rational


# ---------------------------------------------------------------------- drawing

integers = st.integers(-3, 3).map(Fraction)
decimals = st.integers(-20, 20).map(lambda k: Fraction(k, 10))
thirds = st.integers(-6, 6).map(lambda k: Fraction(k, 3))
rationals = st.one_of(integers, decimals, thirds)
small = st.integers(-1, 1).map(Fraction)
surds = st.builds(
    Surd, st.sampled_from([Fraction(1), Fraction(-1, 2)]), st.sampled_from([2, 3, 8]), st.just(2)
)
cube_roots = st.builds(Surd, st.just(Fraction(1)), st.sampled_from([2, 9]), st.just(3))


def rows_of(n: int, d: int, cells: st.SearchStrategy[Cell]) -> st.SearchStrategy[list[list[Cell]]]:
    line = st.lists(cells, min_size=d, max_size=d)
    return st.lists(line, min_size=n, max_size=n)


@st.composite
def masks(draw: st.DrawFn, n: int, m: int, biases: bool = True) -> MaskRows | None:
    """Causal, padding, any, or biases; at least one key is seen by each query."""
    kind = draw(st.sampled_from(["none", "causal", "padding", "any"] + ["bias"] * biases))
    zero = Fraction(0)
    match kind:
        case "none":
            return None
        case "causal":
            return [[zero if j <= i else None for j in range(m)] for i in range(n)]
        case "padding":
            shown = draw(st.integers(1, m))
            return [[zero if j < shown else None for j in range(m)] for _ in range(n)]
        case "bias":
            return draw(rows_of(n, m, rationals))
        case _:
            always = draw(st.lists(st.integers(0, m - 1), min_size=n, max_size=n))
            seen = draw(
                st.lists(st.lists(st.booleans(), min_size=m, max_size=m), min_size=n, max_size=n)
            )
            return [
                [zero if seen[i][j] or j == always[i] else None for j in range(m)] for i in range(n)
            ]


factors: st.SearchStrategy[Cell | None] = st.one_of(
    st.none(),
    st.sampled_from([Fraction(1), Fraction(1, 2), Fraction(1, 8), Fraction(-1, 2), Fraction(0)]),
    st.just(Surd(Fraction(1, 3), 3)),
)


@st.composite
def direct_cases(
    draw: st.DrawFn,
    cells: st.SearchStrategy[Cell] = rationals,
    most: int = 6,
    widest: int = 8,
    biases: bool = True,
) -> Case:
    """One head with Q, K, V given."""
    n, m = draw(st.integers(1, most)), draw(st.integers(1, most))
    d_k, d_v = draw(st.integers(1, widest)), draw(st.integers(1, 3))
    head = {
        "Q": draw(rows_of(n, d_k, cells)),
        "K": draw(rows_of(m, d_k, cells)),
        "V": draw(rows_of(m, d_v, cells)),
    }
    return Case((head,), B=draw(masks(n, m, biases)), factor=draw(factors))


@st.composite
def projected_cases(draw: st.DrawFn, most_heads: int = 3) -> Case:
    """Heads with weights and sometimes biases, self- or cross-attention, often with W_O."""
    n, d_model = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    cross = draw(st.booleans())
    m = draw(st.integers(1, 4)) if cross else n
    d_k, d_v = draw(st.integers(1, 4)), draw(st.integers(1, 3))
    two = st.integers(-2, 2).map(Fraction)
    with_bias = draw(st.booleans())
    heads: list[HeadRows] = []
    for _ in range(draw(st.integers(1, most_heads))):
        head: dict[str, Rows] = {}
        for letter, width in (("Q", d_k), ("K", d_k), ("V", d_v)):
            head[f"W_{letter}"] = draw(rows_of(d_model, width, small))
            if with_bias:
                head[f"b_{letter}"] = draw(rows_of(1, width, small))
        heads.append(head)
    width = d_v * len(heads)
    W_O = draw(st.one_of(st.none(), rows_of(width, draw(st.integers(1, 3)), rationals)))
    return Case(
        tuple(heads),
        X=draw(rows_of(n, d_model, two)),
        X_kv=draw(rows_of(m, d_model, two)) if cross else None,
        B=draw(masks(n, m)),
        W_O=W_O,
        factor=draw(factors),
    )


cases = st.one_of(direct_cases(), projected_cases())
surd_cases = direct_cases(st.one_of(integers, surds), most=3, widest=3)

roundings = st.one_of(
    st.builds(
        Rounding,
        places=st.sampled_from([0, 1, 2, 3, 10, 50]),
        ties=st.sampled_from(["even", "up"]),
    ),
    st.builds(
        Rounding,
        figures=st.sampled_from([1, 2, 3, 10, 50]),
        ties=st.sampled_from(["even", "up"]),
    ),
)

# ---------------------------------------------------------------------- numbers

fractions = st.fractions(-20, 20, max_denominator=12)


@st.composite
def numbers(
    draw: st.DrawFn, roots: bool = True, logs: bool = False, letters: bool = False
) -> Number:
    """A short sum of rational multiples of products of atoms."""
    atoms = [Number.of(1)]
    if roots:
        atoms += [number.square_root(k) for k in (2, 3, 5, 6)] + [number.root(3, 2)]
    if logs:
        atoms += [number.logarithm(2), number.logarithm(3)]
    if letters:
        atoms += [Number.letter("a"), Number.letter("b")]
    result = Number.of(0)
    for _ in range(draw(st.integers(0, 3))):
        one, other = draw(st.sampled_from(atoms)), draw(st.sampled_from(atoms))
        result = result + one * other * draw(fractions)
    return result


@st.composite
def square_root_sums(draw: st.DrawFn) -> Number:
    """q₀ + q₁√2 + q₂√3 + q₃√6 (+ √5 terms): a field."""
    result = Number.of(draw(fractions))
    for radicand in (2, 3, 6, 5):
        if draw(st.booleans()):
            result = result + number.square_root(radicand) * draw(fractions)
    return result


exponents = st.builds(
    lambda q, r, p: number.square_root(r) * q + p,
    st.fractions(-4, 4, max_denominator=3),
    st.sampled_from([2, 3, 7]),
    st.fractions(-3, 3, max_denominator=2),
)


@st.composite
def exp_sums(draw: st.DrawFn, positive: bool = False) -> ExpSum:
    """A few exponentials; with `positive`, certainly above zero."""
    result = ExpSum.of(0)
    weight = st.fractions(Fraction(1, 6), 9, max_denominator=6) if positive else fractions
    for _ in range(draw(st.integers(1, 4))):
        result = result + exponential(draw(exponents)) * draw(weight)
    return result


quotients = st.builds(Quotient.ratio, exp_sums(), exp_sums(positive=True))
