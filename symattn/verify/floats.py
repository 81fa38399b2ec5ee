"""Written numbers as floats, where many alternatives are looked through."""

from __future__ import annotations

import math
from typing import Final

from symattn.errors import Undecided
from symattn.exact.matrix import MinusInfinity, round_value
from symattn.exact.number import Number
from symattn.exact.rounding import Rounding
from symattn.verify.reading.written import Cell, Written

SLACK: Final = 1e-9
"""By which two ways to compute the same float may differ."""


def floated(cell: Cell) -> float | None:
    """The float next to what is written; None where nothing readable is."""
    if not isinstance(cell, Written):
        return None
    value = cell.value
    if isinstance(value, MinusInfinity):
        return -math.inf
    try:
        if isinstance(value, Number) and value.is_rational:
            return float(value.rational)
        rounded = round_value(value, Rounding(figures=17))
        assert not isinstance(rounded, MinusInfinity)
        return float(rounded.fraction)
    except (ValueError, OverflowError, Undecided):
        return None


def agrees(predicted: float, cell: Written, tolerance: float = 0.5) -> bool:
    """Whether the written digits are those of the value."""
    value = floated(cell)
    if value is None or predicted != predicted:
        return False
    if math.isinf(predicted) or math.isinf(value):
        hidden = predicted == -math.inf
        return hidden and value <= -1e4
    unit = 10.0**-cell.places if cell.places is not None else 2 * SLACK * max(1.0, abs(predicted))
    if not cell.has_point and cell.places == 0:
        unit = 1.0
    return abs(predicted - value) <= tolerance * unit + SLACK * max(1.0, abs(predicted))
