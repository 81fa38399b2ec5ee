"""What is found out about a line beyond the verdicts on its cells."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.misconceptions.misconception import Misconception
from symattn.verify.lines import Line, Spot
from symattn.verify.verdicts import JudgedLine


@dataclass(frozen=True, eq=False, slots=True)
class Explanation:
    """Known mistakes that give a line as it is written.

    `rows` are one mistake, or two together; `evidence` counts the wrong cells it explains.
    """

    rows: tuple[Misconception, ...]
    evidence: int
    is_loose: bool = False

    @property
    def tag(self) -> str:
        return "+".join(row.tag for row in self.rows)


@dataclass(frozen=True, eq=False, slots=True)
class Diagnosis:
    """What explains the errors of one line: one explanation, or several that are listed."""

    line: Line
    found: tuple[Explanation, ...]

    @property
    def is_certain(self) -> bool:
        return len(self.found) == 1


@dataclass(frozen=True, slots=True)
class Slip:
    """What probably happened in one cell."""

    spot: Spot
    tag: str
    words: str


@dataclass(frozen=True, slots=True)
class Fit:
    tag: str
    words: str


@dataclass(frozen=True, slots=True)
class Fact:
    tag: str
    words: str
    row: int | None = None
    """From 0."""


@dataclass(frozen=True, eq=False, slots=True)
class Finding:
    """What is said about one line beyond its cells."""

    line: JudgedLine
    diagnosis: Diagnosis | None = None
    slips: tuple[Slip, ...] = ()
    fits: tuple[Fit, ...] = ()
    facts: tuple[Fact, ...] = ()
