"""What somebody wrote, sorted by stage: lines of the calculation."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Final, TypeAlias

from symattn.verify.reading.written import Cell, Written

Spot: TypeAlias = tuple[int, int]
"""Row and column of a stage, both from 0, tokens as rows."""

ORDER: Final = "QKVSZMErAOCY"
"""The stages in graph order. E = e^M and r, its row sums (n×1), are working of the softmax."""
JOINED: Final = "CY"
"""Stages that belong to no single head."""


@dataclass(frozen=True, eq=False, slots=True)
class Line:
    """One matrix as written, or a part of it. Spots that are not in `cells` were not written."""

    letter: str
    head: int
    """From 1; 1 for C and Y too."""
    cells: Mapping[Spot, Cell]
    at: int = 0
    """The line of the text where it begins, from 1."""
    name: str = ""
    """What it is called there."""
    warnings: tuple[str, ...] = ()

    @property
    def key(self) -> tuple[str, int]:
        return self.letter, self.head

    @property
    def rows(self) -> list[int]:
        """The rows of which something is written."""
        return sorted({i for i, _ in self.cells})

    @property
    def places(self) -> int:
        """The most decimals shown in a cell."""
        shown = [c.places for c in self.cells.values() if isinstance(c, Written)]
        return max([0, *(p for p in shown if p is not None)])

    @property
    def has_points(self) -> bool:
        """Whether it is a matrix of decimals, so that 3 may stand for 2.9."""
        return any(isinstance(c, Written) and c.has_point for c in self.cells.values())
