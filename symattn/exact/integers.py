"""Products of integer matrices: plain Python, or FLINT where installed and worth its import."""

from __future__ import annotations

from functools import cache
from operator import mul
from typing import Any, Final, TypeAlias

IntRows: TypeAlias = tuple[tuple[int, ...], ...]

FLINT_FROM: Final = 400_000
"""Multiplications from which importing FLINT (about 40 ms) pays."""


@cache
def flint() -> Any | None:
    """The python-flint module, or None where it is not installed."""
    try:
        import flint
    except ImportError:
        return None
    return flint


def matmul(left: IntRows, right: IntRows) -> IntRows:
    """left · right, n×k by k×m, exactly. Both back ends return the same integers."""
    if not left or not right:
        return tuple(() for _ in left)
    if len(left) * len(right) * len(right[0]) >= FLINT_FROM and (library := flint()):
        product = library.fmpz_mat(left) * library.fmpz_mat(right)
        return tuple(tuple(map(int, row)) for row in product.table())
    columns = tuple(zip(*right, strict=True))
    return tuple(tuple(sum(map(mul, row, column)) for column in columns) for row in left)


def transpose(rows: IntRows) -> IntRows:
    return tuple(zip(*rows, strict=True))
