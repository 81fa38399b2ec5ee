"""Verdicts: what is said about each cell, and why."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from typing import Final

from symattn.verify.lines import Line, Spot
from symattn.verify.reading.written import Cell
from symattn.verify.reference import Reference
from symattn.verify.sources import Place


class Verdict(Enum):
    """Stable names, best first."""

    EXACT = "exact"
    ROUNDED = "rounded"
    TIE = "tie"
    FLOAT32 = "float32"
    CARRIED = "carried"
    TRUNCATED = "truncated"
    LAST_DIGIT = "last-digit"
    WITHIN = "within-rounding"
    FOLLOWS = "follows"
    BLANK = "blank"
    UNDECIDED = "undecided"
    UNREADABLE = "unreadable"
    MISTAKE = "known-mistake"
    APPROXIMATE = "approximate-form"
    WRONG = "wrong"


RIGHT: Final = frozenset((
    Verdict.EXACT, Verdict.ROUNDED, Verdict.TIE, Verdict.FLOAT32, Verdict.CARRIED, Verdict.WITHIN,
))  # fmt: skip
SOUND: Final = RIGHT | {Verdict.TRUNCATED}
"""No slip stands behind them."""
ERRORS: Final = frozenset((Verdict.MISTAKE, Verdict.APPROXIMATE, Verdict.WRONG))
"""An error originates here."""


@dataclass(frozen=True, eq=False, slots=True)
class Judged:
    """One cell with its verdict. `why` says by which way of rounding, or which mistake; `used` are
    the written rows that it comes from; `is_trivial` where those say next to nothing."""

    spot: Spot
    cell: Cell
    verdict: Verdict
    why: str = ""
    used: frozenset[Place] = frozenset()
    reference: Reference | None = None
    """The true value."""
    is_trivial: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class JudgedLine:
    line: Line
    cells: Mapping[Spot, Judged]

    @property
    def is_sound(self) -> bool:
        return all(
            cell.verdict in SOUND or cell.verdict is Verdict.BLANK for cell in self.cells.values()
        )

    @property
    def errors(self) -> list[Judged]:
        return [cell for cell in self.cells.values() if cell.verdict in ERRORS]
