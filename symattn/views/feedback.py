"""The feedback page: the calculation with marks in place, where the first error is, and why."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from symattn.derivation import Step
from symattn.document import Block, Document, Heading, Items, Line, Math, Note, Para, Text
from symattn.exact.matrix import MinusInfinity, round_value
from symattn.exact.number import LETTER, Number
from symattn.exact.rounding import Rounding, positional
from symattn.formula import MINUS_INFINITY, Formula, Mark, Num, Role, Sym, Words
from symattn.verify.findings import Explanation, Finding
from symattn.verify.lines import ORDER, Spot
from symattn.verify.matching import Misfit
from symattn.verify.reading.written import Blank, Cell, Unreadable, Written
from symattn.verify.report import Report
from symattn.verify.verdicts import ERRORS, Judged, JudgedLine, Verdict
from symattn.views.options import Options
from symattn.views.paper import Paper

LONGEST: Final = 30
"""Characters of an exact form that is shown as it is."""
Strength = Literal[1, 2, 3]
"""1 says where, 2 asks a question, 3 says what probably happened."""

TITLES: Final = {
    "Q": "Queries", "K": "Keys", "V": "Values", "S": "Scores", "Z": "Scaled scores",
    "M": "Masked scores", "E": "Exponentials", "r": "Row sums", "A": "Weights", "O": "Output",
    "C": "Heads side by side", "Y": "Answer",
}  # fmt: skip

REVEALED: Final = ERRORS | {Verdict.LAST_DIGIT, Verdict.TRUNCATED}
"""Verdicts whose right values are shown where that is asked for."""

QUESTIONS: Final = {
    "Q": "Which row of X meets which column of W_Q?",
    "K": "Which row of X meets which column of W_K?",
    "V": "Which row of X meets which column of W_V?",
    "S": "Which query and which key make this score? Work out their products one by one.",
    "Z": "By which number is every score divided?",
    "M": "Which keys may this query look at?",
    "E": "What is e to the power of this entry of the line before?",
    "r": "Which exponentials are added in this row?",
    "A": "What does the row sum to, and what is each exponential divided by?",
    "O": "Which weight goes with which row of V?",
    "C": "Which head stands where?",
    "Y": "Which row meets which column of W_O?",
}
"""One question for each stage that does not give its answer away."""

WORDS: Final = {
    Verdict.TIE: "right; the value lies in the middle between two decimals",
    Verdict.FLOAT32: "agrees as far as single precision goes",
    Verdict.CARRIED: "right, carried from rounded lines",
    Verdict.TRUNCATED: "cut instead of rounded",
    Verdict.LAST_DIGIT: "its last digit is off by one",
    Verdict.WITHIN: "within the rounding of the given numbers",
    Verdict.FOLLOWS: "follows from what stands before it",
    Verdict.BLANK: "left open",
    Verdict.UNDECIDED: "could not be judged",
    Verdict.UNREADABLE: "could not be read",
    Verdict.MISTAKE: "a known mistake",
    Verdict.APPROXIMATE: "written as an exact value, but only near it",
    Verdict.WRONG: "wrong",
}
"""What is said about cells that are not simply right."""


@dataclass(frozen=True)
class Feedback:
    """How much is given away."""

    strength: Strength = 3
    reveal: bool = False
    """Show the right values of what is wrong, with the first error worked out."""
    source: str = ""
    """The file that was marked, for the footer."""


def feedback(report: Report, how: Feedback = Feedback(), options: Options = Options()) -> Document:
    """The report as a page."""
    paper = Paper.of(report.derivation, options)
    blocks: list[Block] = [Para((summary(report),))]
    blocks += _legend(report)
    several = len(report.derivation.heads) > 1
    for finding in report.findings:
        blocks += _line(paper, report, finding, how, several)
    for misfit in report.misfits:
        blocks += _misfit(report, misfit)
    blocks += _not_written(report, several)
    if how.reveal and report.first_error:
        blocks += _worked_out(paper, *report.first_error)
    blocks += _notes(report)
    problem = report.derivation.problem
    footer = f"symattn · {problem.name}" if problem.name else "symattn"
    if how.source:
        footer += f" · {how.source}"
    return Document(
        problem.title or problem.name or "Scaled dot-product attention",
        "Your calculation, marked",
        tuple(blocks),
        footer=footer,
        keywords=("attention", "feedback"),
    )


# ---------------------------------------------------------------------- the beginning


def summary(report: Report) -> str:
    """38 of 44 cells are right. The first error is in the scores S, row 3, column 3."""
    counts = report.counts
    total = sum(counts.values())
    if not total:
        return "Nothing in this text could be recognised as a line of the calculation."
    wrong = sum(counts.get(v, 0) for v in ERRORS)
    follows, blank = counts.get(Verdict.FOLLOWS, 0), counts.get(Verdict.BLANK, 0)
    off = counts.get(Verdict.LAST_DIGIT, 0) + counts.get(Verdict.TRUNCATED, 0)
    unread = counts.get(Verdict.UNREADABLE, 0) + counts.get(Verdict.UNDECIDED, 0)
    right = total - wrong - follows - blank - off - unread
    said = f"{_of(right, total)} right."
    rest = [
        (off, "is off in its last digit", "are off in their last digits"),
        (follows, "follows from an earlier error", "follow from an earlier error"),
        (wrong, "is wrong", "are wrong"),
        (blank, "is left open", "are left open"),
        (unread, "cannot be read", "cannot be read"),
    ]
    parts = [f"{count} {one if count == 1 else many}" for count, one, many in rest if count]
    if parts:
        said += f" Of the others, {_joined(parts)}."
    earned, possible = report.points
    if possible:
        said += f" {_points(earned)} of {possible} points."
    if first := report.first_error:
        finding, cell = first
        where = f"{_named(report, finding.line)}, {spot_words(report, cell.spot)}"
        said += f" The first error is in {where}."
    return said


def _of(right: int, total: int) -> str:
    if right == total:
        return "The one cell is" if total == 1 else f"All {total} cells are"
    return f"{right} of {total} cells {'is' if right == 1 else 'are'}"


def _joined(parts: Sequence[str]) -> str:
    return parts[0] if len(parts) == 1 else ", ".join(parts[:-1]) + " and " + parts[-1]


def _named(report: Report, line: JudgedLine) -> str:
    title = TITLES[line.line.letter].lower()
    head = (
        f" of head {line.line.head}"
        if len(report.derivation.heads) > 1 and line.line.letter not in "CY"
        else ""
    )
    return f"the {title} {line.line.letter}{head}"


def spot_words(report: Report, spot: Spot) -> str:
    """row 3, column 3, as the problem counts and lays them out."""
    convention = report.derivation.problem.convention
    i, j = spot if convention.tokens == "rows" else spot[::-1]
    start = convention.index_from
    return f"row {i + start}, column {j + start}"


def _legend(report: Report) -> Iterator[Block]:
    counts = report.counts
    said: list[Text] = []
    if any(counts.get(v) for v in ERRORS):
        said.append((Math(Mark(Role.WRONG, Num("0.5"))), " an error begins here"))
    if counts.get(Verdict.FOLLOWS):
        said.append((Math(Mark(Role.FOLLOWS, Num("0.5"))), " right from what stands before it"))
    if counts.get(Verdict.TRUNCATED) or counts.get(Verdict.LAST_DIGIT):
        said.append((Math(Mark(Role.DIGITS, Num("0.5"))), " right but for its last digits"))
    if said:
        yield Items(tuple(said))


# ---------------------------------------------------------------------- a line


def _line(
    paper: Paper, report: Report, finding: Finding, how: Feedback, several: bool
) -> Iterator[Block]:
    line = finding.line
    letter, head = line.line.letter, line.line.head
    own = paper.for_head(head) if letter not in "CY" else paper
    title = TITLES[letter] + (f" of head {head}" if several and letter not in "CY" else "")
    yield Heading(1, (title,), _aside(report, letter, head))
    symbol = own.writing.symbol(letter) if letter not in "Er" else Sym(letter)
    yield own.display(Line(symbol, "=", _grid(own, report, line)))
    said = [*_cells(report, line, how)]
    said += [(words,) for words in _explained(finding, report, how)]
    said += [(f"{fact.words[0].upper()}{fact.words[1:]}.",) for fact in finding.facts]
    if any(is_long(cell.cell) for cell in line.cells.values()):
        said.append(("Long exact forms are shown in decimals here.",))
    if said:
        yield Items(tuple(said))


def _aside(report: Report, letter: str, head: int) -> str:
    for mark in report.marks:
        if (mark.letter, mark.head) == (letter, head):
            return f"[{_points(mark.earned)} of {mark.possible} points]"
    return ""


def _points(value: Fraction) -> str:
    rounded = positional(round(value * 10), -1)
    return rounded.removesuffix(".0")


def _shape(report: Report, line: JudgedLine) -> tuple[int, int]:
    letter = line.line.letter
    if letter in "CY":
        step = report.derivation.joined if letter == "C" else report.derivation.projected
        assert step
        return step.shape
    head = report.derivation.heads[line.line.head - 1]
    stage = head.A if letter in "Er" else getattr(head, letter)
    return (stage.shape[0], 1) if letter == "r" else stage.shape


def _grid(paper: Paper, report: Report, line: JudgedLine) -> Formula:
    rows = sorted({i for i, _ in line.cells})

    def cell(i: int, j: int) -> Formula:
        judged = line.cells.get((i, j))
        if judged is None:
            return Words("·")
        formula = written(paper, judged.cell)
        if judged.verdict in ERRORS:
            return Mark(Role.WRONG, formula)
        if judged.verdict is Verdict.FOLLOWS:
            return Mark(Role.FOLLOWS, formula)
        if judged.verdict in (Verdict.TRUNCATED, Verdict.LAST_DIGIT):
            return Mark(Role.DIGITS, formula)
        return formula

    return paper.grid(line.line.letter, _shape(report, line), cell, rows=rows)


def written(paper: Paper, cell: Cell) -> Formula:
    """A cell as it was written: its own digits, or its exact form."""
    match cell:
        case Blank():
            return Words("?")
        case Unreadable(text, _):
            return Words(text if len(text) <= 12 else text[:11] + "…")
        case Written(value=value, places=places):
            if isinstance(value, MinusInfinity):
                return MINUS_INFINITY
            if places is not None and isinstance(value, Number) and value.is_rational:
                count = value.rational * Fraction(10) ** max(places, 0)
                if count.denominator == 1:
                    return Num(positional(int(count), -max(places, 0)))
            if is_long(cell):
                return paper.writing.decimal(round_value(value, paper.options.rounding))
            return paper.writing.value(value)


def is_long(cell: Cell) -> bool:
    """Whether a cell is an exact form that is shown in decimals."""
    if not isinstance(cell, Written) or isinstance(cell.value, MinusInfinity):
        return False
    return len(cell.text) > LONGEST and not cell.value.has(LETTER)


def _cells(report: Report, line: JudgedLine, how: Feedback) -> Iterator[Text]:
    """What is said about cells: those of one row and kind together, whole rows of a kind too."""
    groups: dict[tuple[_Kind, int], list[Judged]] = {}
    for (i, _), judged in sorted(line.cells.items()):
        told = judged.verdict is Verdict.MISTAKE and not how.reveal  # Said of the whole line.
        if judged.verdict in WORDS and not told:
            groups.setdefault((_Kind.of(judged), i), []).append(judged)
    whole: dict[_Kind, list[int]] = {}
    for (kind, i), cells in groups.items():
        if len(cells) > 1 and len(cells) == sum(row == i for row, _ in line.cells):
            whole.setdefault(kind, []).append(i)
    for (kind, i), cells in groups.items():
        rows = whole.get(kind, [])
        if i not in rows or kind.is_about_cells(how):
            yield (_told(_where(report, cells), kind, cells, how),)
        elif i == rows[0]:
            yield (_told(_rows(report, rows), kind, cells, how),)


@dataclass(frozen=True)
class _Kind:
    """What cells must share to be told of together."""

    verdict: Verdict
    why: str
    sources: frozenset[str]
    is_trivial: bool

    @staticmethod
    def of(judged: Judged) -> _Kind:
        why = judged.why if judged.verdict is not Verdict.MISTAKE else ""
        sources = frozenset(letter for letter, _, _ in judged.used)
        return _Kind(judged.verdict, why, sources, judged.is_trivial)

    def is_about_cells(self, how: Feedback) -> bool:
        """Whether something is said of each cell, so that rows are not told of together."""
        return self.verdict is Verdict.UNREADABLE or (how.reveal and self.verdict in REVEALED)


def _where(report: Report, cells: Sequence[Judged]) -> str:
    """Row 3, column 3 (2); row 1 (0.708, 0.222) where there are several."""
    if len(cells) == 1:
        return f"{spot_words(report, cells[0].spot)} ({shown(cells[0].cell)})"
    return f"{_row(report, cells[0].spot)} ({', '.join(shown(cell.cell) for cell in cells)})"


def _row(report: Report, spot: Spot) -> str:
    """The token's row, or its column where tokens are columns."""
    turned = report.derivation.problem.convention.tokens == "columns"
    return spot_words(report, spot).split(", ")[turned]


def _rows(report: Report, rows: Sequence[int]) -> str:
    words = [_row(report, (i, i)) for i in rows]
    if len(words) == 1:
        return words[0]
    name = words[0].split()[0]
    return f"{name}s {_joined([word.split()[1] for word in words])}"


def _told(where: str, kind: _Kind, cells: Sequence[Judged], how: Feedback) -> str:
    text = f"{where[0].upper()}{where[1:]}: {WORDS[kind.verdict]}"
    match kind.verdict:
        case Verdict.CARRIED | Verdict.FOLLOWS:
            if kind.sources:
                text += f" (from your {_joined(sorted(kind.sources, key=ORDER.index))})"
            if kind.why:
                text += f", {kind.why}"
            if kind.is_trivial:
                text += ", where all is alike: that leaves no work to do"
        case Verdict.TIE:
            text += f" (rounded {kind.why})"
        case Verdict.UNDECIDED:
            text += f": {kind.why}"
        case Verdict.UNREADABLE:
            refusals = [cell.cell.refusal for cell in cells if isinstance(cell.cell, Unreadable)]
            text += f" — {refusals[0].message}"
    if how.reveal and kind.verdict in REVEALED:
        text += f". Right: {', '.join(_right(cell) for cell in cells)}"
    return text + "."


def shown(cell: Cell) -> str:
    match cell:
        case Blank():
            return "?"
        case Unreadable(text, _):
            return text if len(text) <= 24 else text[:23] + "…"
        case Written(text=text, value=value):
            if isinstance(value, MinusInfinity):
                return "−∞"
            if not text and isinstance(value, Number) and value.is_rational:
                return str(value.rational)
            return (text if len(text) <= 24 else text[:23] + "…") or "a product"


def _right(judged: Judged) -> str:
    """The true value to the digits that were written."""
    reference = judged.reference
    assert reference is not None
    if reference.is_hidden:
        return "−∞"
    cell = judged.cell
    places = cell.places if isinstance(cell, Written) and cell.places is not None else 3
    value = reference.exactly()
    if isinstance(value, MinusInfinity) or value.has(LETTER):
        return "another expression"
    rounded = round_value(value, Rounding(max(places, 0)))
    return str(rounded)


def _explained(finding: Finding, report: Report, how: Feedback) -> Iterator[str]:
    """Why a line is wrong, as strongly as is wanted."""
    errors = finding.line.errors
    if not errors or how.strength < 2:
        return
    letter = finding.line.line.letter
    if finding.diagnosis is None:
        yield QUESTIONS[letter]
        if how.strength < 3:
            return
        for slip in finding.slips:
            i, j = slip.spot
            yield f"Row {i + 1}, column {j + 1}: {slip.words}?"
        for fit in finding.fits:
            yield f"{fit.words[0].upper()}{fit.words[1:]}."
        if not finding.slips and not finding.fits:
            yield "No known mistake explains these numbers."
        return
    found = finding.diagnosis.found
    yield from dict.fromkeys(row.hint for each in found for row in each.rows)
    if how.strength < 3:
        return
    if len(found) == 1:
        yield f"The numbers are what you get with this mistake: {titled(found[0])}."
    else:
        yield (
            "The numbers are what you get with one of these mistakes, which cannot be told apart "
            f"here: {_joined([titled(each) for each in found])}."
        )
        if problem := _apart(finding, report):
            yield f"They differ on this small problem: {problem}. Which do you get there?"


def _apart(finding: Finding, report: Report) -> str:
    """Q = [[1, 0], …], K = …: a problem that tells the mistakes apart, in words."""
    from symattn.verify.apart import told_apart

    assert finding.diagnosis
    kinds = [each.rows for each in finding.diagnosis.found]
    masked = report.derivation.problem.mask.B is not None
    problem = told_apart(kinds, finding.line.line.letter, masked)
    if problem is None:
        return ""
    head = problem.heads[0]
    return ", ".join(
        f"{given.name} = {[list(row) for row in given.value.rows]}"
        for given in (head.Q, head.K, head.V)
        if given
    )


def titled(explanation: Explanation) -> str:
    words = " and ".join(row.title for row in explanation.rows)
    return f"{words} [{explanation.tag}]"


# ---------------------------------------------------------------------- the end


def _misfit(report: Report, misfit: Misfit) -> Iterator[Block]:
    yield Heading(1, (TITLES[misfit.letter],))
    n, m = misfit.grid.shape
    yield Para((f"This matrix is {n}×{m}; {misfit.letter} has another shape.",))


def _worked_out(paper: Paper, finding: Finding, cell: Judged) -> Iterator[Block]:
    """The entry of the first error by the right law."""
    letter, head = finding.line.line.letter, finding.line.line.head
    if letter in "Er":
        return
    own = paper.for_head(head) if letter not in "CY" else paper
    derivation = paper.derivation
    stage = derivation.stage(letter, None if letter in "CY" else head)
    if not isinstance(stage, Step):
        return
    yield Heading(1, ("The first error, worked out",))
    yield own.display(*stage.rule.working(stage, *cell.spot, own.writing))


def _notes(report: Report) -> Iterator[Block]:
    for code, title in (("broken-chain", "Equations that do not hold"), ("notation", "Notation")):
        notes = [note for note in report.notes if note.code == code]
        if notes:
            yield Heading(1, (title,))
            yield Items(tuple((f"Line {note.at}: {note.text}.",) for note in notes))
    others = [note for note in report.notes if note.code not in ("broken-chain", "notation")]
    if others:
        yield Heading(1, ("Not understood",))
        yield Items(tuple((f"Line {note.at}: {note.text}.",) for note in others[:20]))
        if len(others) > 20:
            yield Note((f"{len(others) - 20} more lines were not understood.",))


def _not_written(report: Report, several: bool) -> Iterator[Block]:
    """Stages that are asked and were not found."""
    there = {line.line.key for line in report.lines}
    missing: list[Text] = []
    for mark in report.marks:
        if (mark.letter, mark.head) not in there:
            name = TITLES[mark.letter]
            if several and mark.letter not in "CY":
                name += f" of head {mark.head}"
            missing.append((f"{name} (0 of {mark.possible} points)",))
    if missing:
        yield Heading(1, ("Not written",))
        yield Items(tuple(missing))
