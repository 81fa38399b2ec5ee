"""A question with options to tick; the wrong ones are what known mistakes give."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Final

from symattn.document import Block, Inline, Items, Line, Math, Para
from symattn.formula import MINUS_INFINITY, Blank, Formula, Grid, Num, Seq, Sym, Words, seq
from symattn.generate.tasks import Choose
from symattn.misconceptions import BY_TAG
from symattn.views.paper import Paper
from symattn.views.sheets.fill import heading

TICK: Final = Sym("×")
BOX: Final = 1.5
"""Em of a box to tick."""


def blocks(paper: Paper, task: Choose, numbers: Iterator[int]) -> Iterator[Block]:
    """The question, what it is about, the options with a box each."""
    yield heading(numbers, "Choose", 1)
    yield Para((task.question,))
    if task.shown:
        symbol = paper.writing.symbol(task.letter)
        yield paper.display(Line(symbol, "≈", _grid(paper, task.shown)))
    if task.options[0].words:
        for k, option in enumerate(task.options):
            yield Para((Math(tick(k == task.right)), f" ({'abcdef'[k]}) {option.words}"))
        return
    formulas = [
        seq(tick(k == task.right), Words(f"({'abcdef'[k]})"), _grid(paper, option.cells))
        for k, option in enumerate(task.options)
    ]
    yield from paper.beside(formulas)


def solution(paper: Paper, task: Choose) -> Iterator[Block]:
    """Which option is right, and which mistake gives each of the others."""
    yield Para((f"{task.question} ({'abcdef'[task.right]}) is right.",))
    items: list[tuple[Inline, ...]] = []
    for k, option in enumerate(task.options):
        if option.tag in BY_TAG:
            row = BY_TAG[option.tag]
            said = (f"({'abcdef'[k]}) {row.title}: ", Math(row.paper), ".")
            items.append(said)
    if items:
        yield Items(tuple(items))


def tick(right: bool) -> Blank:
    """A box to tick; an empty one is as large."""
    return Blank(TICK if right else Seq(()), BOX, BOX)


def _grid(paper: Paper, cells: Sequence[Sequence[str]]) -> Grid:
    rows = tuple(tuple(map(_cell, row)) for row in cells)
    return Grid(rows, fence=paper.convention.fence)


def _cell(text: str) -> Formula:
    return MINUS_INFINITY if text == "-oo" else Num(text)
