"""The 114 published examples marked: every printed cell gets the grade it was given there."""

from __future__ import annotations

from collections import Counter, defaultdict
from functools import cache

import pytest

from symattn.attention import derive
from symattn.verify.judge import judged
from symattn.verify.lines import Line, Spot
from symattn.verify.reading.table import cell_of
from symattn.verify.reading.written import Cell
from symattn.verify.verdicts import RIGHT, Verdict
from tests.test_corpus import CELLS, IDS, STAGE_LETTERS, cells_of, example, problem_of

GRADES = {
    None: {Verdict.EXACT, Verdict.ROUNDED, Verdict.TIE},
    "float32": {Verdict.FLOAT32},
    "input_rounding": {Verdict.WITHIN},
    "carried": {Verdict.CARRIED},
    "truncated": {Verdict.TRUNCATED},
    "last_digit": {Verdict.LAST_DIGIT},
    "propagated": {Verdict.FOLLOWS},
    "wrong": {Verdict.WRONG},
}
"""What each grade is called here. Not more than one verdict is right for each."""


@cache
def marked(name: str) -> Counter[tuple[str | None, Verdict]]:
    """(grade, verdict) → cells; disagreements by cell are in the message."""
    lines: dict[tuple[str, str, int], dict[Spot, Cell]] = defaultdict(dict)
    grades = {}
    for cell in cells_of(name):
        head, _, stage = cell.stage.rpartition(".")
        letter = STAGE_LETTERS[stage]
        number = int(head[1:]) if head and letter not in "CY" else 1
        lines[cell.stage, letter, number][cell.row, cell.column] = cell_of(cell.text)
        grades[cell.stage, cell.row, cell.column] = cell.grade, cell.text
    written = [
        Line(letter, number, cells, name=stage) for (stage, letter, number), cells in lines.items()
    ]
    told = example(name)["convention"].get("rounded_inputs", ())
    # Where only weights are given, what is rounded are the exponentials of their logarithms.
    rounded = frozenset("E" if each == "weights" else each for each in told)
    found: Counter[tuple[str | None, Verdict]] = Counter()
    wrong = []
    for line in judged(derive(problem_of(name)), written, rounded):
        for (i, j), cell in line.cells.items():
            grade, text = grades[line.line.name, i, j]
            found[grade, cell.verdict] += 1
            if cell.verdict not in GRADES[grade]:
                wrong.append(f"{line.line.name}[{i}, {j}] {text}: {grade} is called {cell.verdict}")
    assert not wrong, "\n".join(wrong)
    return found


@pytest.mark.parametrize("name", IDS)
def test_every_printed_cell_gets_its_grade(name: str) -> None:
    assert marked(name)


def test_all_of_them(capsys: pytest.CaptureFixture[str]) -> None:
    total: Counter[tuple[str | None, Verdict]] = Counter()
    for name in IDS:
        total += marked(name)
    by_grade: Counter[str] = Counter()
    for (grade, verdict), count in total.items():
        by_grade[grade or verdict.value] += count
    by_grade["rounded"] += by_grade.pop("tie", 0)
    with capsys.disabled():
        print(f"\ncorpus, marked: {total.total()} cells in {len(IDS)} examples, all as graded")
    assert dict(by_grade) == CELLS
    accused = sum(n for (grade, v), n in total.items() if grade is None and v not in RIGHT)
    assert not accused, "a right cell is accused"


def test_a_changed_digit_changes_the_verdict() -> None:
    """The comparison can fail: one printed weight, one unit up."""
    derivation = derive(problem_of("worked24_q_eq_k"))
    cells = {
        (cell.row, cell.column): cell_of(cell.text)
        for cell in cells_of("worked24_q_eq_k")
        if cell.stage == "weights"
    }
    cells[0, 0] = cell_of("0.403")
    (line,) = judged(derivation, [Line("A", 1, cells)])
    assert line.cells[0, 0].verdict is Verdict.WRONG
    assert line.cells[0, 1].verdict is Verdict.ROUNDED
