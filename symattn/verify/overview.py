"""What a stack of hand-ins has in common: one row for each."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Final

from symattn.verify.report import Report
from symattn.verify.verdicts import ERRORS, RIGHT, SOUND, Verdict

STATUS: Final = {0: "right", 1: "wrong", 2: "unreadable"}


@dataclass(frozen=True)
class Row:
    """One hand-in. `tags` are stage:tag of what probably happened; cells are (stage, row, column)
    where an error begins, from 1."""

    file: str
    status: str
    exit_status: int
    points: float = 0.0
    possible: int = 0
    first: tuple[str, int, int] | None = None
    tags: tuple[str, ...] = ()
    counts: Mapping[str, int] = field(default_factory=dict)
    message: str = ""

    @property
    def words(self) -> str:
        """For one line on a terminal."""
        if self.exit_status == 2:
            return self.message or "nothing in it could be judged"
        said = f"{self.points:g} of {self.possible} points"
        if self.first:
            stage, i, j = self.first
            said += f", first error in {stage}, row {i}, column {j}"
        if self.tags:
            said += f" ({', '.join(self.tags)})"
        return said

    def as_csv(self) -> dict[str, object]:
        stage, i, j = self.first or ("", "", "")
        return {
            "file": self.file, "status": self.status, "points": f"{self.points:g}",
            "possible": self.possible, "first_error_stage": stage, "first_error_row": i,
            "first_error_column": j, "tags": " ".join(self.tags),
            **{name: self.counts.get(name, 0) for name in
               ("right", "carried", "follows", "wrong", "blank", "unreadable")},
            "message": self.message,
        }  # fmt: skip

    @staticmethod
    def of(line: Mapping[str, str]) -> Row:
        """A row of a report that was written before."""
        names = ("right", "carried", "follows", "wrong", "blank", "unreadable")
        statuses = {words: number for number, words in STATUS.items()}
        first = None
        if line["first_error_stage"]:
            first = (
                line["first_error_stage"],
                int(line["first_error_row"]),
                int(line["first_error_column"]),
            )
        return Row(
            line["file"], line["status"], statuses.get(line["status"], 2),
            float(line["points"] or 0), int(line["possible"] or 0), first,
            tuple(line["tags"].split()),
            {name: int(line[name] or 0) for name in names}, line["message"],
        )  # fmt: skip


def row_of(path: str, report: Report, status: int) -> Row:
    """The row of a report."""
    counts = report.counts
    exact = RIGHT - {Verdict.CARRIED}
    groups = {
        "right": sum(counts.get(v, 0) for v in exact),
        "carried": counts.get(Verdict.CARRIED, 0),
        "follows": counts.get(Verdict.FOLLOWS, 0),
        "wrong": sum(counts.get(v, 0) for v in ERRORS | {Verdict.LAST_DIGIT} | (SOUND - RIGHT)),
        "blank": counts.get(Verdict.BLANK, 0),
        "unreadable": counts.get(Verdict.UNREADABLE, 0) + counts.get(Verdict.UNDECIDED, 0),
    }
    tags: list[str] = []
    for finding in report.findings:
        letter = finding.line.line.letter
        if finding.diagnosis:
            tags.append(letter + ":" + "|".join(each.tag for each in finding.diagnosis.found))
        tags += [f"{letter}:{slip.tag}" for slip in finding.slips]
        tags += [f"{letter}:{fit.tag}" for fit in finding.fits]
    first = None
    if report.first_error:
        finding, cell = report.first_error
        first = (finding.line.line.letter, cell.spot[0] + 1, cell.spot[1] + 1)
    earned, possible = report.points
    message = "" if report.is_readable else "nothing in it could be judged"
    return Row(
        path, STATUS[status], status, round(float(earned), 2), possible, first,
        tuple(dict.fromkeys(tags)), groups, message,
    )  # fmt: skip
