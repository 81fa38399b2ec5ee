"""How a whole wrong line relates to what it should be: a constant factor, a transpose, rows
exchanged. Said where no known mistake explains it."""

from __future__ import annotations

import math
from collections.abc import Iterator
from itertools import permutations
from typing import Final

from symattn.misconceptions.stages import Rows, Stages
from symattn.verify.findings import Fit
from symattn.verify.floats import agrees, floated
from symattn.verify.reading.written import Cell, Written
from symattn.verify.verdicts import ERRORS, JudgedLine

MOST_ROWS: Final = 5
"""Up to which all orders of the rows are tried."""


def fits(line: JudgedLine, right: Rows, stages: Stages) -> list[Fit]:
    """Relations that all written cells keep; at least half of them must be wrong."""
    cells = {spot: c.cell for spot, c in line.cells.items() if isinstance(c.cell, Written)}
    wrong = sum(c.verdict in ERRORS for c in line.cells.values())
    if wrong < 2 or 2 * wrong < len(cells):
        return []
    n, m = len(right), len(right[0])
    if any(i >= n or j >= m for i, j in cells):
        return []

    def gives(value) -> bool:  # type: ignore[no-untyped-def]
        return all(agrees(value(i, j), cell) for (i, j), cell in cells.items())

    found: list[Fit] = []
    telling = [c for c in line.cells.values() if c.verdict in ERRORS and _has_digits(c.cell)]
    for words, c in _factors(stages) if len(telling) > 1 else ():
        if gives(lambda i, j, c=c: c * right[i][j]):
            found.append(Fit("fit-factor", f"every entry is {words} times what it should be"))
            break
    else:
        if ratio := _ratio(cells, right):
            found.append(
                Fit("fit-ratio", f"every entry is about {ratio:.3g} times what it should be")
            )
    if n == m and gives(lambda i, j: right[j][i]):
        found.append(Fit("fit-transposed", "rows and columns are exchanged"))
    if 1 < n <= MOST_ROWS:
        for order in permutations(range(n)):
            if order != tuple(range(n)) and gives(lambda i, j, o=order: right[o[i]][j]):
                found.append(Fit("fit-rows", "the rows stand in another order"))
                break
    if 1 < m <= MOST_ROWS:
        for order in permutations(range(m)):
            if order != tuple(range(m)) and gives(lambda i, j, o=order: right[i][o[j]]):
                found.append(Fit("fit-columns", "the columns stand in another order"))
                break
    return found


def _has_digits(cell: Cell) -> bool:
    """Not so 0 and 0.00: a tenth of anything small."""
    return isinstance(cell, Written) and any(c in "123456789" for c in cell.text)


def _factors(stages: Stages) -> Iterator[tuple[str, float]]:
    yield "−1", -1.0
    d = stages.d_k
    if d > 1:
        yield "√d_k", math.sqrt(d)
        yield "1/√d_k", 1 / math.sqrt(d)
        yield "d_k", float(d)
        yield "1/d_k", 1 / d
    for c, words in (
        (2.0, "2"),
        (0.5, "1/2"),
        (10.0, "10"),
        (0.1, "1/10"),
        (100.0, "100"),
        (0.01, "1/100"),
    ):
        yield words, c


def _ratio(cells: dict, right: Rows) -> float | None:  # type: ignore[type-arg]
    """A constant quotient that no name is known for."""
    quotients = []
    for (i, j), cell in cells.items():
        value, true = floated(cell), right[i][j]
        if value is None or math.isinf(true) or math.isinf(value):
            return None
        if abs(true) > 0.05:
            quotients.append(value / true)
    if len(quotients) < 4 or max(quotients) - min(quotients) > 0.01 * abs(quotients[0]):
        return None
    return None if abs(quotients[0] - 1) < 0.02 else quotients[0]
