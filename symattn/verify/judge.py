"""Every written cell judged, in the order of the method: against the truth, then against what
the calculation itself says before it.

A line that follows correctly from a wrong one is not wrong again.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from fractions import Fraction
from typing import Final

from symattn.derivation import Derivation
from symattn.errors import OutOfScope, Undecided
from symattn.exact.matrix import Matrix
from symattn.exact.mixture import Weights
from symattn.exact.number import Number
from symattn.verify.claims import RIGHT, Claim, claim
from symattn.verify.lines import ORDER, Line, Spot
from symattn.verify.policies import Candidate, candidates
from symattn.verify.reading.written import Blank, Unreadable, Written
from symattn.verify.reference import (
    Reference,
    References,
    exponentials,
    row_sums,
    rows_of,
)
from symattn.verify.sources import EVERY_ROW, Place, Sources
from symattn.verify.verdicts import SOUND, Judged, JudgedLine, Verdict
from symattn.verify.within import uncertain

ORDER_OF_LAWS: Final = "QKVSZMAOCY"
ENTRYWISE: Final = "SZME"
"""Stages from S on whose entries depend on one entry of the stage before."""

_OF_CLAIM: Final = {
    Claim.EXACT: Verdict.EXACT, Claim.ROUNDED: Verdict.ROUNDED, Claim.TIE: Verdict.TIE,
    Claim.TRUNCATED: Verdict.TRUNCATED, Claim.LAST_DIGIT: Verdict.LAST_DIGIT,
    Claim.FLOAT32: Verdict.FLOAT32, Claim.APPROXIMATE: Verdict.APPROXIMATE,
    Claim.OFF: Verdict.WRONG,
}  # fmt: skip


def judged(
    derivation: Derivation, lines: Sequence[Line], rounded: frozenset[str] = frozenset()
) -> list[JudgedLine]:
    """All lines, in graph order. `rounded` names given matrices (W_Q, V …) that are printed
    rounded: a cell that some value within their last digit gives is not wrong."""
    return _Judge(derivation, lines, rounded).all()


class _Judge:
    def __init__(
        self, derivation: Derivation, lines: Sequence[Line], rounded: frozenset[str]
    ) -> None:
        self.ranges = [
            uncertain(derivation, head, rounded) if rounded else None
            for head in range(1, len(derivation.heads) + 1)
        ]
        self.sources = Sources(derivation, lines)
        self.lines = sorted(lines, key=lambda line: (ORDER.index(line.letter), line.head))
        self.unsound: set[Place] = set()
        """Written rows with something wrong in them, or behind them."""
        self.unsound_cells: set[tuple[str, int, Spot]] = set()

    def all(self) -> list[JudgedLine]:
        return [self.one(line) for line in self.lines]

    def one(self, line: Line) -> JudgedLine:
        truth = self.truth(line)
        found: dict[Spot, Judged] = {}
        for i in line.rows:
            found.update(self.row(line, i, truth[i]))
        return JudgedLine(line, found)

    def truth(self, line: Line) -> Sequence[References]:
        matrix = self.sources.truth(line.letter, line.head)
        assert matrix is not None
        if line.letter not in "Er":
            return rows_of(matrix, line.places)
        assert isinstance(matrix, Weights)
        work = exponentials if line.letter == "E" else row_sums
        return work(matrix, line.places)

    def row(self, line: Line, i: int, truth: References) -> dict[Spot, Judged]:
        spots = sorted(spot for spot in line.cells if spot[0] == i)
        found: dict[Spot, Judged] = {}
        unsettled: dict[Spot, Claim] = {}
        for spot in spots:
            cell, reference = line.cells[spot], truth[spot[1]]
            match cell:
                case Blank():
                    found[spot] = Judged(spot, cell, Verdict.BLANK, reference=reference)
                case Unreadable():
                    found[spot] = Judged(spot, cell, Verdict.UNREADABLE, reference=reference)
                case Written():
                    try:
                        claimed = self.claimed(line, cell, reference)
                    except Undecided as error:
                        found[spot] = Judged(
                            spot, cell, Verdict.UNDECIDED, error.message, reference=reference
                        )
                        continue
                    if claimed in RIGHT or claimed is Claim.FLOAT32:
                        why = _tie_rule(cell, reference) if claimed is Claim.TIE else ""
                        verdict = _OF_CLAIM[claimed]
                        found[spot] = Judged(spot, cell, verdict, why, reference=reference)
                    elif self.is_within(line, spot, cell):
                        why = "within the rounding of the given numbers"
                        found[spot] = Judged(spot, cell, Verdict.WITHIN, why, reference=reference)
                    else:
                        unsettled[spot] = claimed
        if unsettled:
            found |= self.explained(line, i, truth, unsettled)
        for spot, judged in found.items():
            if judged.verdict not in SOUND:
                self.unsound.add((line.letter, line.head, i))
                self.unsound.add((line.letter, line.head, EVERY_ROW))
                self.unsound_cells.add((line.letter, line.head, spot))
        return found

    def is_within(self, line: Line, spot: Spot, cell: Written) -> bool:
        ranges = self.ranges[line.head - 1]
        if ranges is None or cell.places is None or not isinstance(cell.value, Number):
            return False
        half = Fraction(10) ** -cell.places / 2
        d = cell.value.rational
        return ranges.holds(line.letter, *spot, d - half, d + half)

    def claimed(self, line: Line, cell: Written, reference: Reference) -> Claim:
        return claim(cell, reference, among_decimals=line.has_points)

    # ------------------------------------------------------------ what the calculation itself says

    def explained(
        self, line: Line, i: int, truth: References, unsettled: dict[Spot, Claim]
    ) -> dict[Spot, Judged]:
        found: dict[Spot, Judged] = {}
        plain: list[Candidate] = []
        whole: Candidate | None = None
        written = [
            spot for spot, c in line.cells.items() if spot[0] == i and isinstance(c, Written)
        ]
        for candidate in self.candidates(line, i):
            if candidate.is_plain:
                plain.append(candidate)
                fits = all(self.gives(candidate, line, spot) for spot in unsettled)
            else:
                # Whoever rounds on the way does so in the whole line.
                fits = all(self.gives(candidate, line, spot) for spot in written)
                fits = fits and not self.is_contradicted(candidate, line, i)
            if fits:
                whole = candidate
                break
        for spot, claimed in unsettled.items():
            by = whole or next((c for c in plain if self.gives(c, line, spot)), None)
            own = self.from_own(line, spot, truth, by) if by else None
            if own is None and claimed is Claim.OFF and (by := self.cut(plain, line, spot)):
                own = replace(self.from_own(line, spot, truth, by), why="then cut")
                if own.verdict is Verdict.CARRIED:
                    own = replace(own, verdict=Verdict.TRUNCATED)
            simple = Judged(spot, line.cells[spot], _OF_CLAIM[claimed], reference=truth[spot[1]])
            # Cut digits are a milder thing to say than that something before was wrong.
            cut = claimed is Claim.TRUNCATED and own and own.verdict is Verdict.FOLLOWS
            found[spot] = simple if own is None or cut else own
        return found

    def candidates(self, line: Line, i: int) -> Iterator[Candidate]:
        # What cannot be worked out explains nothing.
        with suppress(Undecided, OutOfScope):
            yield from candidates(self.sources, line.letter, line.head, i, line.places)

    def is_contradicted(self, candidate: Candidate, line: Line, i: int) -> bool:
        """Whether another row that is right was not rounded in this way."""
        truth = self.truth(line)
        for k in line.rows:
            cells = {s: c for s, c in line.cells.items() if s[0] == k and isinstance(c, Written)}
            right = all(self.claimed(line, c, truth[k][s[1]]) in RIGHT for s, c in cells.items())
            if k == i or not right:
                continue
            for other in self.candidates(line, k):
                same = other.words == candidate.words
                if same and all(self.gives(other, line, spot) for spot in cells):
                    break
            else:
                return True
        return False

    def cut(self, plain: Sequence[Candidate], line: Line, spot: Spot) -> Candidate | None:
        """The plain candidate whose digits were cut instead of rounded."""
        cell = line.cells[spot]
        assert isinstance(cell, Written)
        for candidate in plain:
            if self.claimed(line, cell, candidate.references[spot[1]]) is Claim.TRUNCATED:
                return candidate
        return None

    def is_sound(self, candidate: Candidate, line: Line, spot: Spot) -> bool:
        """Whether nothing wrong stands behind the entry."""
        for place in candidate.used:
            letter, head, _ = place
            if line.letter in ENTRYWISE and letter in ENTRYWISE:
                if (letter, head, spot) in self.unsound_cells:
                    return False
            elif line.letter == "C":
                i, j = spot
                before = [self.sources.width("O", h) for h in range(1, head)]
                if (letter, head, (i, j - sum(before))) in self.unsound_cells:
                    return False
            elif place in self.unsound:
                return False
        return True

    def gives(self, candidate: Candidate, line: Line, spot: Spot) -> bool:
        cell = line.cells[spot]
        assert isinstance(cell, Written)
        try:
            return self.claimed(line, cell, candidate.references[spot[1]]) in RIGHT
        except Undecided:
            return False

    def from_own(self, line: Line, spot: Spot, truth: References, candidate: Candidate) -> Judged:
        cell, reference = line.cells[spot], truth[spot[1]]
        sound = self.is_sound(candidate, line, spot)
        verdict = Verdict.CARRIED if sound else Verdict.FOLLOWS
        if candidate.is_route and not candidate.used:
            assert isinstance(cell, Written)
            verdict = _OF_CLAIM[self.claimed(line, cell, candidate.references[spot[1]])]
        trivial = not sound and any(self.is_trivial(place) for place in candidate.used)
        return Judged(
            spot, cell, verdict, candidate.words, candidate.used, reference, is_trivial=trivial
        )

    def is_trivial(self, place: Place) -> bool:
        """Whether a wrong row says next to nothing, so that what follows from it is no work: all
        entries the same, or all rows of K or V."""
        letter, head, i = place
        if place not in self.unsound:
            return False
        rows = (
            self.sources.all_written(letter, head)
            if i == EVERY_ROW
            else (self.sources.written(letter, head, i))
        )
        if rows is None:
            return False
        cells = [cell for row in rows.values() for cell in row]
        same = len(cells) > 1 and all(cell == cells[0] for cell in cells)
        return same or (i == EVERY_ROW and _is_identity(rows))


def _tie_rule(cell: Written, reference: Reference) -> str:
    """How a value in the middle between two decimals was rounded."""
    assert isinstance(cell.value, Number) and cell.places is not None
    d = cell.value.rational
    away = reference.sign_minus(d) * (1 if d >= 0 else -1) < 0
    even = (d * 10**cell.places).numerator % 2 == 0
    rule = "half up" if away else "half down"
    return f"{rule}, which is half to even here" if even else rule


def _is_identity(matrix: Matrix) -> bool:
    n, m = matrix.shape
    one, zero = Number.of(1), Number.of(0)
    return n == m and all(
        matrix.at(i, j) == (one if i == j else zero) for i in range(n) for j in range(m)
    )
