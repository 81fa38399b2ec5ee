"""Points for each step of a calculation. The policy can be changed."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Final

from symattn.verify.lines import Spot
from symattn.verify.verdicts import Judged, JudgedLine, Verdict

POINTS: Final = {
    "Q": 2, "K": 2, "V": 2, "S": 3, "Z": 2, "M": 1, "E": 0, "r": 0, "A": 4, "O": 3, "C": 1, "Y": 2,
}  # fmt: skip
"""Points of a stage. E and r are working of A."""

SHARES: Final = {
    Verdict.EXACT: Fraction(1), Verdict.ROUNDED: Fraction(1), Verdict.TIE: Fraction(1),
    Verdict.FLOAT32: Fraction(1), Verdict.CARRIED: Fraction(1), Verdict.WITHIN: Fraction(1),
    Verdict.TRUNCATED: Fraction(1), Verdict.FOLLOWS: Fraction(1),
    Verdict.LAST_DIGIT: Fraction(1, 2), Verdict.APPROXIMATE: Fraction(1, 2),
    Verdict.UNDECIDED: Fraction(0), Verdict.MISTAKE: Fraction(0), Verdict.WRONG: Fraction(0),
    Verdict.BLANK: Fraction(0), Verdict.UNREADABLE: Fraction(0),
}  # fmt: skip
"""The share of a cell's points that a verdict earns: what follows from an earlier slip is right."""


@dataclass(frozen=True)
class Policy:
    """Points for each stage, and what a verdict earns; `full_step`: a step earns all or nothing."""

    points: dict[str, int] = field(default_factory=lambda: dict(POINTS))
    shares: dict[Verdict, Fraction] = field(default_factory=lambda: dict(SHARES))
    full_step: bool = False
    trivial_earns: bool = False
    """Whether what follows from a line of zeros or the like earns points."""


@dataclass(frozen=True, slots=True)
class Mark:
    letter: str
    head: int
    earned: Fraction
    possible: int


def marks(
    lines: Sequence[JudgedLine], stages: Sequence[tuple[str, int, int]], policy: Policy
) -> tuple[Mark, ...]:
    """Points for each stage that is asked: (letter, head, number of cells). A stage that is not
    written earns nothing; of a cell that is written several times the last one counts."""
    written: dict[tuple[str, int], dict[Spot, Judged]] = {}
    for line in lines:
        written.setdefault(line.line.key, {}).update(line.cells)
    out = []
    for letter, head, count in stages:
        possible = policy.points.get(letter, 0)
        if not possible:
            continue
        earned = Fraction(0)
        for cell in written.get((letter, head), {}).values():
            if not cell.is_trivial or policy.trivial_earns:
                earned += policy.shares[cell.verdict]
        share = min(Fraction(1), earned / count) if count else Fraction(0)
        if policy.full_step:
            share = Fraction(int(share == 1))
        out.append(Mark(letter, head, share * possible, possible))
    return tuple(out)
