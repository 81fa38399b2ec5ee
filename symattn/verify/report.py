"""The whole of it: read what somebody wrote, judge every cell, say what happened."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.exact.matrix import Matrix
from symattn.exact.number import Number
from symattn.problem import Problem
from symattn.verify.facts import facts
from symattn.verify.findings import Finding, Fit
from symattn.verify.judge import judged
from symattn.verify.lines import ORDER, Line
from symattn.verify.marks import Mark, Policy, marks
from symattn.verify.matching import Matched, Misfit, Note, matched
from symattn.verify.reading import formats
from symattn.verify.verdicts import ERRORS, SOUND, Judged, JudgedLine, Verdict

if TYPE_CHECKING:
    from symattn.misconceptions.stages import Stages
    from symattn.verify.findings import Diagnosis


@dataclass(frozen=True, eq=False)
class Report:
    """Everything that was found out about a calculation."""

    derivation: Derivation
    findings: tuple[Finding, ...]
    notes: tuple[Note, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    marks: tuple[Mark, ...] = ()

    @property
    def lines(self) -> list[JudgedLine]:
        return [finding.line for finding in self.findings]

    @cached_property
    def first_error(self) -> tuple[Finding, Judged] | None:
        """The first line, in the order of the method, where an error originates, and its cell."""
        for finding in self.findings:
            if errors := finding.line.errors:
                return finding, min(errors, key=lambda cell: cell.spot)
        return None

    @property
    def counts(self) -> Mapping[Verdict, int]:
        out: dict[Verdict, int] = {}
        for line in self.lines:
            for cell in line.cells.values():
                out[cell.verdict] = out.get(cell.verdict, 0) + 1
        return out

    @property
    def is_readable(self) -> bool:
        """Whether anything could be judged."""
        return any(v not in (Verdict.BLANK, Verdict.UNREADABLE) for v in self.counts)

    @property
    def is_right(self) -> bool:
        """Whether nothing is wrong: cut digits are, and what follows from an earlier slip."""
        fine = SOUND | {Verdict.BLANK}
        return self.is_readable and not self.misfits and all(v in fine for v in self.counts)

    @property
    def points(self) -> tuple[Fraction, int]:
        """(earned, possible)."""
        earned = sum((mark.earned for mark in self.marks), Fraction(0))
        return earned, sum(mark.possible for mark in self.marks)


def verify(
    problem: Problem | Derivation,
    text: str,
    format: str,
    *,
    rounded: frozenset[str] = frozenset(),
    policy: Policy | None = None,
    asked: Sequence[str] | None = None,
) -> Report:
    """The report on a text. Refusal where the text as a whole cannot be read.

    `rounded` names given matrices that are printed rounded; `asked` are the letters that earn
    points, by default all stages that are written.
    """
    derivation = problem if isinstance(problem, Derivation) else derive(problem)
    found = matched(derivation, formats.page(text, format, letters_of(derivation)))
    return judge_lines(derivation, found, rounded=rounded, policy=policy, asked=asked)


def letters_of(derivation: Derivation) -> frozenset[str]:
    """The letters that occur in what is given."""
    found: frozenset[str] = frozenset()
    for _, _, stage in derivation:
        found |= stage.value.letters
    return found


def judge_lines(
    derivation: Derivation,
    found: Matched,
    *,
    rounded: frozenset[str] = frozenset(),
    policy: Policy | None = None,
    asked: Sequence[str] | None = None,
    places: int | None = None,
) -> Report:
    """The report on lines that were already found; `places` are the decimals asked for."""
    lines = judged(derivation, found.lines, rounded)
    heads = None
    if any(line.errors for line in lines):
        from symattn.verify.diagnose import in_heads  # Only where something is wrong.

        heads = in_heads(derivation.problem)
    findings = tuple(_finding(lines, k, heads, derivation, places) for k in range(len(lines)))
    own = marks(
        [finding.line for finding in findings],
        _stages(derivation, asked if asked is not None else {line.letter for line in found.lines}),
        policy or Policy(),
    )
    return Report(derivation, findings, found.notes, found.misfits, own)


def _finding(
    lines: list[JudgedLine],
    k: int,
    heads: list[Stages] | None,
    derivation: Derivation,
    places: int | None,
) -> Finding:
    line = lines[k]
    seen = tuple(facts(line, _values(derivation, line.line), places))
    if not line.errors or heads is None:
        return Finding(line, facts=seen)
    from symattn.verify.diagnose import diagnosed, lawful, own_stages
    from symattn.verify.fits import fits
    from symattn.verify.slips import slips

    diagnosis = diagnosed(lines, line, heads)
    if diagnosis:
        line = lines[k] = _named(line, diagnosis)
        return Finding(line, diagnosis, facts=seen)
    stages = own_stages(lines, line, heads)
    if stages is None:
        return Finding(line, facts=seen)
    found = tuple(slips(line, stages))
    related: tuple[Fit, ...] = ()
    if not found:
        for known in (stages, heads[line.line.head - 1]):
            try:
                related = tuple(fits(line, lawful(known, line.line.letter), known))
            except (KeyError, ValueError, ArithmeticError, AttributeError, TypeError):
                related = ()
            if any(fit.tag != "fit-ratio" for fit in related):
                break  # Told from the writer's own lines, else from the true ones.
    return Finding(line, None, found, related, seen)


def _named(line: JudgedLine, diagnosis: Diagnosis) -> JudgedLine:
    """The wrong cells as a known mistake."""
    tags = ", ".join(each.tag for each in diagnosis.found)
    cells = {
        spot: replace(cell, verdict=Verdict.MISTAKE, why=tags) if cell.verdict in ERRORS else cell
        for spot, cell in line.cells.items()
    }
    return JudgedLine(line.line, cells)


def _values(derivation: Derivation, line: Line) -> list[list[Fraction]] | None:
    if line.letter != "O":
        return None
    V = derivation.heads[line.head - 1].V
    if V is None or not isinstance(V.value, Matrix):
        return None
    rows = []
    for row in V.value.values():
        if not all(isinstance(x, Number) and x.is_rational for x in row):
            return None
        rows.append([x.rational for x in row])  # type: ignore[union-attr]
    return rows


def _stages(
    derivation: Derivation, letters: Sequence[str] | set[str]
) -> list[tuple[str, int, int]]:
    """The stages of these letters with their numbers of cells, in order."""
    out = []
    for letter in ORDER:
        if letter not in letters or letter in "Er":
            continue
        for number, head in enumerate(derivation.heads, 1):
            if letter in "CY":
                step = derivation.joined if letter == "C" else derivation.projected
                if step and number == 1:
                    out.append((letter, 1, step.shape[0] * step.shape[1]))
                continue
            stage = getattr(head, letter)
            if stage is not None:
                out.append((letter, number, stage.shape[0] * stage.shape[1]))
    return out
