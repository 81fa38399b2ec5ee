"""Where a wrong matrix differs from the right one, in floats."""

from __future__ import annotations

from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import Stages, is_hidden


def first_difference(
    row: Misconception, right: Stages, letter: str, tolerance: float
) -> tuple[int, int] | None:
    """The first cell (from 0) that is off by more than `tolerance`; (0, 0) for another shape."""
    rows, size = right.rows[letter], row.size(right, letter)
    if size != (len(rows), len(rows[0])):
        return 0, 0
    law = row.entries[letter]
    for i, cells in enumerate(rows):
        for j, cell in enumerate(cells):
            try:
                wrong = law(right, i, j)
            except ArithmeticError:
                return i, j
            if is_hidden(cell) and is_hidden(wrong):
                continue
            if not abs(wrong - cell) <= tolerance:
                return i, j
    return None
