"""What is found out about a line beyond the verdicts on its cells."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final

from symattn.misconceptions.misconception import Misconception
from symattn.verify.lines import Line, Spot
from symattn.verify.verdicts import JudgedLine

TITLES: Final = {
    "slip-sign": "a wrong sign",
    "slip-digits": "two digits exchanged",
    "slip-point": "the decimal point moved",
    "slip-term-dropped": "a term left out of a sum",
    "slip-term-sign": "a term with the wrong sign",
    "slip-term-twice": "a term counted twice",
    "slip-plus": "factors added instead of multiplied",
    "slip-product": "a product off by 1",
    "slip-not-divided": "a score not divided",
    "slip-divided-twice": "a score divided by d_k, not by its root",
    "slip-row": "an entry of another row",
    "slip-column": "an entry of another column",
    "slip-mirrored": "the entry from across the diagonal",
    "fit-factor": "a constant factor",
    "fit-ratio": "a constant factor that has no name",
    "fit-transposed": "rows and columns exchanged",
    "fit-rows": "the rows in another order",
    "fit-columns": "the columns in another order",
}
"""What the tags of slips and fits mean."""


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
