"""Workings that several laws share."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.derivation import Step
from symattn.formula import Formula, Line, product, seq
from symattn.notation import Writing, elided_row, elided_sum


def mixed(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    """Row i of the first input times column j of the second, the row in decimals.

    With letters the entries of the row stand by name.
    """
    rows, columns = step.inputs
    left = writing.entry(writing.symbol(step.name), i, j)
    inner = range(rows.shape[1])
    if step.value.letters:
        row = [writing.entry(writing.symbol(rows.name), i, k) for k in inner]
        relation = "="
    else:
        decimals = writing.rounded(rows)[i]
        row = [writing.decimal(decimals[k]) for k in inner]
        relation = writing.relation(*decimals)
    terms = [product(row[k], writing.cell(columns, k, j)) for k in inner]
    summed = Line(left, relation, elided_sum(terms, writing.terms))
    if step.value.letters:
        return (summed,)
    result = writing.rounded(step)[i][j]
    return (summed, Line(None, writing.relation(result), writing.scalar(result)))


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
