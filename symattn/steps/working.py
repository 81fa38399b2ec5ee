"""Workings that several laws share."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.formula import Formula, Line, product, seq
from symattn.notation import elided_row, elided_sum


def dot_product(
    left: Formula,
    a: Sequence[Formula],
    b: Sequence[Formula],
    result: Formula,
    *,
    plus: Formula | None = None,
) -> tuple[Line, ...]:
    """left = [a]·[b] = a₁·b₁ + a₂·b₂ + … (+ a bias) = result."""
    products = [product(x, y) for x, y in zip(a, b, strict=True)]
    rows = seq(elided_row(a), "·", elided_row(b))
    if plus is not None:
        products.append(plus)
        rows = seq(rows, "+", plus)
    return (
        Line(left, "=", rows),
        Line(None, "=", elided_sum(products)),
        Line(None, "=", result),
    )
