"""A solution with one known mistake in it: which line, what happened, what is right."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final

from symattn.attention import derive
from symattn.derivation import Derivation, Step
from symattn.document import Block, Display, Heading, Line, Math, Para
from symattn.formula import Blank, Grid, Words, seq
from symattn.generate.tasks import FindMistake
from symattn.misconceptions import BY_TAG
from symattn.views import opening
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.sheets.choose import tick
from symattn.views.sheets.fill import heading

SENTENCE: Final = 24.0
"""Em of the line for the name of the mistake."""
POINTS: Final = 5
"""One for the line, one for its name, three for the right matrix."""


def blocks(paper: Paper, task: FindMistake, numbers: Iterator[int]) -> Iterator[Block]:
    """The whole wrong solution with a box for each line, then a line and a matrix to fill in."""
    row = BY_TAG[task.tag]
    wrong = _wrong(paper, task)
    yield Para(
        (
            "One line of this solution was worked out wrongly, though its law is right; "
            "everything after it follows from it. Tick the line.",
        )
    )
    yield from opening.given(paper)
    yield heading(numbers, "A solution", 1)
    for step in _steps(wrong.derivation):
        yield _line(wrong, step, step.name == row.letter)
    yield heading(numbers, "What happened?", 1)
    yield paper.display(Line(None, "", Blank(Words(row.title), SENTENCE, 2.0)))
    yield heading(numbers, "The right matrix of this line", POINTS - 2)
    yield paper.display(Line(None, "", Blank(_right(paper, row.letter), *_largest(paper))))


def solution(paper: Paper, task: FindMistake) -> Iterator[Block]:
    """The line, the wrong law, the right matrix."""
    row = BY_TAG[task.tag]
    symbol = paper.writing.symbol(row.letter)
    yield Heading(1, ("The mistake",))
    yield Para(
        ("The line ", Math(symbol), f" is wrong: {row.title}. It was worked out as ",
         Math(seq(symbol, "=", row.paper)), ". Ask: ", row.hint)
    )  # fmt: skip
    yield Heading(1, ("The right line",))
    step = paper.derivation.stage(row.letter)
    assert isinstance(step, Step)
    law = step.rule.law(step, paper.writing)
    yield paper.display(Line(symbol, "=", seq(law, "=", _right(paper, row.letter))))


def _wrong(paper: Paper, task: FindMistake) -> Paper:
    derivation = derive(paper.problem, BY_TAG[task.tag].book)
    return Paper.of(derivation, Options(rounding=paper.options.rounding))


def _steps(derivation: Derivation) -> Iterator[Step]:
    for _, _, stage in derivation:
        if isinstance(stage, Step):
            yield stage


def _line(paper: Paper, step: Step, is_wrong: bool) -> Display:
    symbol, law = paper.writing.symbol(step.name), step.rule.law(step, paper.writing)
    relation = paper.relation(step)
    cell = paper.exact_cell(step) if relation == "=" else paper.decimal_cell(step)
    grid = paper.grid(step.name, step.shape, cell)
    return paper.display(
        Line(None, "", seq(tick(is_wrong), Words(" "), symbol, "=", law, relation, grid))
    )


def _right(paper: Paper, letter: str) -> Grid:
    step = paper.derivation.stage(letter)
    assert isinstance(step, Step)
    exact = paper.relation(step) == "="
    cell = paper.exact_cell(step) if exact else paper.decimal_cell(step)
    return paper.grid(step.name, step.shape, cell)


def _largest(paper: Paper) -> tuple[float, float]:
    """A box that every stage would fit in, so that its size does not tell the line."""
    grids = [_right(paper, step.name) for step in _steps(paper.derivation)]
    rows = max(len(grid.rows) for grid in grids)
    return max(map(paper.width, grids)) + 1.0, 2.3 * (rows + 1)
