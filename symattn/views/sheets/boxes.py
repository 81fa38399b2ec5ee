"""Matrices of empty boxes, all of one size, so that none says how long its answer is."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from symattn import layout
from symattn.derivation import Step
from symattn.document import Display, Line
from symattn.formula import Blank, Formula, Frac, Seq, seq
from symattn.views.paper import Cell, Paper

NARROWEST: Final = 2.6
"""Em of the smallest box: two digits of handwriting."""
ROOM: Final = 0.9
"""Em around an answer in its box."""
LOW, TALL = 1.7, 2.7
"""Em that a number and a fraction are high."""

Printed = Callable[[int, int], bool]
"""Whether the entry in row i, column j (from 0) is printed instead of asked."""


def nothing(i: int, j: int) -> bool:
    """Every entry is asked."""
    return False


def asked(paper: Paper, step: Step, printed: Printed = nothing) -> int:
    """How many entries of a stage are boxes."""
    rows = paper.rows_of(step.name, step.shape[0])
    return sum(not printed(i, j) for i in rows for j in range(step.shape[1]))


def boxed(
    paper: Paper,
    step: Step,
    name: str,
    law: Formula | None,
    answers: Cell,
    printed: Printed = nothing,
) -> Display:
    """name = law = boxes, with the entries between them that are printed."""
    rows = paper.rows_of(step.name, step.shape[0])
    written = {(i, j): answers(i, j) for i in rows for j in range(step.shape[1])}
    widths = [layout.width(answer, layout.PRINT) + ROOM for answer in written.values()]
    width = max([NARROWEST, *widths])
    height = TALL if any(map(is_tall, written.values())) else LOW

    def cell(i: int, j: int) -> Formula:
        answer = written[i, j]
        return answer if printed(i, j) else Blank(answer, width, height)

    symbol = paper.writing.symbol(name)
    lead = [symbol, "=", law, "="] if law else [symbol, "="]
    room = paper.options.page.width - paper.width(seq(*lead))
    grid = paper.grid(name, step.shape, cell, rows=rows, room=room)
    return paper.display(Line(symbol, "=", seq(law, "=", grid) if law else grid))


def single(paper: Paper, answers: list[Formula]) -> float:
    """The width of boxes that stand alone, one below the other."""
    return max([NARROWEST, *(paper.width(answer) + ROOM for answer in answers)])


def is_tall(formula: Formula) -> bool:
    """Whether a formula is higher than a line of digits."""
    match formula:
        case Frac(_, _, slanted):
            return not slanted
        case Seq(parts):
            return any(map(is_tall, parts))
        case _:
            return False
