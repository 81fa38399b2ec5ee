"""Where a wrong matrix differs from the right one, in floats."""

from __future__ import annotations

from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import Stages, is_hidden


def first_difference(
    row: Misconception, right: Stages, letter: str, tolerance: float
) -> tuple[int, int] | None:
    """The first cell (from 0) that is off by more than `tolerance`; (0, 0) for another shape."""
    rows = right.rows[letter]
    if row.shape is not None and row.shape(right) != (len(rows), len(rows[0])):
        return 0, 0
    law = row.entries[letter]
    for i, cells in enumerate(rows):
        for j, cell in enumerate(cells):
            try:
                wrong = law(right, i, j)
            except ArithmeticError:
                return i, j
            # −∞ minus −∞ is no number, and no difference.
            if not abs(wrong - cell) <= tolerance and not (is_hidden(cell) and is_hidden(wrong)):
                return i, j
    return None
