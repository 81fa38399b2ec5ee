"""Integer matrix products: plain Python and FLINT give the same integers and the same digits."""

from __future__ import annotations

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from symattn.attention import derive
from symattn.exact import integers
from symattn.exact.rounding import Rounding
from tests.oracle import Case
from tests.strategies import ints, problem_of

entries = st.one_of(st.integers(-9, 9), st.integers(-(10**40), 10**40))


def products(
    left: integers.IntRows, right: integers.IntRows, monkeypatch: pytest.MonkeyPatch
) -> tuple[integers.IntRows, integers.IntRows]:
    """The product by both back ends; the test is skipped where FLINT is not installed."""
    pytest.importorskip("flint")
    monkeypatch.setattr(integers, "FLINT_FROM", 0)
    by_flint = integers.matmul(left, right)
    monkeypatch.setattr(integers, "flint", lambda: None)
    return by_flint, integers.matmul(left, right)


@given(st.data())
def test_both_back_ends_agree(data: st.DataObject) -> None:
    n, k, m = (data.draw(st.integers(1, 5)) for _ in range(3))
    grid = [tuple(data.draw(entries) for _ in range(width)) for width in [k] * n + [m] * k]
    left, right = tuple(grid[:n]), tuple(grid[n:])
    expected = tuple(
        tuple(sum(left[i][p] * right[p][j] for p in range(k)) for j in range(m)) for i in range(n)
    )
    with pytest.MonkeyPatch.context() as monkeypatch:
        by_flint, plain = products(left, right, monkeypatch)
    assert by_flint == plain == expected
    assert all(type(cell) is int for row in by_flint for cell in row)


def test_large_products_go_to_flint(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    real, calls = integers.flint, []

    def counted() -> object:
        calls.append(1)
        return real()

    monkeypatch.setattr(integers, "flint", counted)
    side = round(integers.FLINT_FROM ** (1 / 3)) + 1
    rows = tuple(tuple(range(side)) for _ in range(side))
    integers.matmul(rows, rows)
    assert calls == [1]
    integers.matmul(rows[:2], rows)
    assert calls == [1]


def test_empty_products() -> None:
    assert integers.matmul((), ((1,),)) == ()
    assert integers.transpose(((1, 2), (3, 4))) == ((1, 3), (2, 4))


def test_a_large_problem_has_the_same_decimals_either_way(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("flint")
    source = random.Random(40)

    def rows(n: int, d: int) -> list[list[int]]:
        return [[source.randint(-2, 2) for _ in range(d)] for _ in range(n)]

    case = Case(({"Q": ints(*rows(40, 8)), "K": ints(*rows(40, 8)), "V": ints(*rows(40, 40))},))
    rounding = Rounding(places=30)
    monkeypatch.setattr(integers, "FLINT_FROM", 0)
    by_flint = derive(problem_of(case)).answer.value.rounded(rounding)
    monkeypatch.setattr(integers, "flint", lambda: None)
    assert derive(problem_of(case)).answer.value.rounded(rounding) == by_flint
