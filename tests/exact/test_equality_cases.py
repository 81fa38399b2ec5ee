"""Equality is decided: the pairs of `equality-cases.tsv`, and families of pairs like them.

The 46 pairs are those on which numerical comparison, `simplify` or `equals` fail.
"""

from __future__ import annotations

import csv
from fractions import Fraction
from pathlib import Path
from typing import Any, NamedTuple

import pytest
import sympy
from hypothesis import assume, given
from hypothesis import strategies as st

from symattn.exact import decide
from symattn.exact.number import Number
from symattn.exact.sympy_bridge import from_sympy

Expr = Any


class Case(NamedTuple):
    name: str
    left: str
    right: str
    equal: bool


def cases() -> list[Case]:
    path = Path(__file__).with_name("equality-cases.tsv")
    csv.field_size_limit(1 << 20)
    with path.open(encoding="utf-8", newline="") as file:
        rows = list(csv.reader(file, delimiter="\t", quoting=csv.QUOTE_NONE))
    return [Case(name, left, right, verdict == "true") for name, left, right, verdict in rows[1:]]


def test_the_file_is_whole() -> None:
    assert len(cases()) == 46
    assert sum(case.equal for case in cases()) == 29


@pytest.mark.parametrize("case", cases(), ids=lambda case: case.name)
def test_each_pair_is_decided(case: Case) -> None:
    left, right = (sympy.sympify(text, rational=True) for text in (case.left, case.right))
    assert equal(left, right) is case.equal


def equal(left: Expr, right: Expr) -> bool:
    a, b = from_sympy(left), from_sympy(right)
    verdict = decide.equal(a, b)  # type: ignore[arg-type]
    assert decide.equal(b, a) is verdict  # type: ignore[arg-type]
    return verdict


# ---------------------------------------------------------------------- families of pairs

RATIONALS = st.builds(sympy.Rational, st.integers(-12, 12), st.integers(1, 6))
SURDS = st.builds(lambda q, d: q * sympy.sqrt(d), RATIONALS, st.sampled_from([1, 2, 3, 5, 6, 7]))
EXPONENTS = SURDS | st.builds(lambda a, b: a + b, SURDS, SURDS)
SMALL = st.integers(1, 9)


@given(SMALL, SMALL, st.sampled_from([2, 3, 5, 7]), st.sampled_from([0, Fraction(1, 7)]))
def test_nested_square_roots(a: int, b: int, d: int, off: Fraction) -> None:
    """√((a + b√d)²) written out is a + b√d."""
    nested = sympy.sqrt(a * a + b * b * d + 2 * a * b * sympy.sqrt(d))
    assert equal(sympy.exp(nested), sympy.exp(a + b * sympy.sqrt(d) + off)) is (not off)


@given(SMALL, SMALL, st.sampled_from([(2, 3), (5, 7), (3, 5)]), st.booleans())
def test_nested_roots_of_two_radicands(a: int, b: int, pair: tuple[int, int], same: bool) -> None:
    """√(a²p + b²q + 2ab√(pq)) is a√p + b√q."""
    p, q = pair
    nested = sympy.sqrt(a * a * p + b * b * q + 2 * a * b * sympy.sqrt(p * q))
    plain = a * sympy.sqrt(p) + (b if same else b + 1) * sympy.sqrt(q)
    assert equal(1 / (1 + sympy.exp(nested)), 1 / (1 + sympy.exp(plain))) is same


@given(st.integers(-4, 4), SMALL, st.booleans())
def test_nested_cube_roots(a: int, b: int, same: bool) -> None:
    """∛((a + b√2)³) is a + b√2 where that is positive."""
    assume(a + b * 2**0.5 > 0.01)
    root = sympy.sqrt(2)
    cube = a**3 + 6 * a * b * b + (3 * a * a * b + 2 * b**3) * root
    plain = a + b * root if same else a + b * root + sympy.Rational(1, 10**20)
    assert equal(sympy.cbrt(cube), plain) is same


@given(st.lists(EXPONENTS, min_size=2, max_size=5, unique=True), EXPONENTS, st.booleans())
def test_a_softmax_divided_through(exponents: list[Expr], shift: Expr, same: bool) -> None:
    """Every exponent moved by the same amount leaves the weight as it is; one alone does not."""
    moved = [x - shift for x in exponents]
    if not same:
        moved[0] += 1
    left = sympy.exp(exponents[0]) / sympy.Add(*map(sympy.exp, exponents))
    right = sympy.exp(moved[0]) / sympy.Add(*map(sympy.exp, moved))
    assert equal(left, right) is same


@given(st.lists(EXPONENTS, min_size=1, max_size=4, unique=True))
def test_weights_sum_to_one(exponents: list[Expr]) -> None:
    bottom = sympy.Add(*map(sympy.exp, exponents))
    total = sympy.Add(*(sympy.exp(x) / bottom for x in exponents), evaluate=False)
    assert equal(total, sympy.S.One)
    assert not equal(total, 1 + sympy.exp(-100 * sympy.sqrt(2)))


@given(EXPONENTS, st.booleans())
def test_hyperbolic_forms(x: Expr, same: bool) -> None:
    """(1 + tanh x)/2 is the logistic function of 2x; cosh + sinh is e^x."""
    other = x if same else x + sympy.Rational(1, 10**15)
    assert equal((1 + sympy.tanh(x)) / 2, 1 / (1 + sympy.exp(-2 * other))) is same
    assert equal(sympy.cosh(x) + sympy.sinh(x), sympy.exp(other)) is same


@given(st.integers(20, 5000), st.integers(1, 9), st.sampled_from([1, 2, 3, 5]))
def test_saturated_weights_are_not_their_limits(size: int, more: int, d: int) -> None:
    def weight(k: int) -> Expr:
        return 1 / (1 + sympy.exp(-k / sympy.sqrt(d)))

    assert not equal(weight(size), sympy.S.One)
    assert not equal(weight(size), weight(size + more))
    assert equal(weight(size), 1 - weight(-size))


@given(st.integers(2, 30), st.integers(2, 30), RATIONALS)
def test_exponentials_of_logarithms(p: int, q: int, c: Expr) -> None:
    assert equal(sympy.exp(sympy.log(p) + sympy.log(q)), sympy.Integer(p * q))
    powers = sympy.Pow(p, c / sympy.sqrt(3)) * sympy.Pow(q, c / sympy.sqrt(3))
    assert equal(sympy.exp(c * sympy.log(p * q) / sympy.sqrt(3)), powers)
    if c:
        assert not equal(powers, powers * (1 + sympy.Rational(1, 10**30)))


@given(SMALL, SMALL, st.sampled_from([2, 3, 5]), EXPONENTS, st.booleans())
def test_conjugates(a: int, b: int, d: int, x: Expr, same: bool) -> None:
    """(a + b√d)/D is (a² − b²d)/((a − b√d)·D)."""
    norm = a * a - b * b * d + (0 if same else 1)
    assume(norm)
    bottom = 1 + sympy.exp(x)
    left = (a + b * sympy.sqrt(d)) / bottom
    assert equal(left, norm / ((a - b * sympy.sqrt(d)) * bottom)) is same


@given(st.integers(-5, 5), st.integers(-5, 5), st.integers(1, 5), st.booleans())
def test_letters(p: int, q: int, k: int, same: bool) -> None:
    """Softmax of letters: divided through, and multiplied out."""
    a, b = sympy.symbols("a b")
    x, y = p * a + q * b, (a + b) ** 2 / k
    left = sympy.exp(x) / (sympy.exp(x) + sympy.exp(y))
    expanded = a**2 / k + 2 * a * b / k + b**2 / k + (0 if same else a)
    assert equal(left, 1 / (1 + sympy.exp(expanded - x))) is same


@given(st.lists(st.tuples(SURDS, EXPONENTS), min_size=1, max_size=4))
def test_zero_only_where_it_is(terms: list[tuple[Expr, Expr]]) -> None:
    value = sympy.Add(*(c * sympy.exp(x) for c, x in terms))
    tiny = sympy.exp(-sympy.Integer(3000))
    assert equal(value - value, sympy.S.Zero)
    assert not equal(value, value + tiny)
    assert isinstance(from_sympy(sympy.S.Zero), Number)
