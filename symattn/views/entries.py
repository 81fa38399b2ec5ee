"""What every step of a page shares: entries worked out, the matrix exactly and in decimals."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Final

from symattn import layout
from symattn.derivation import Step
from symattn.document import Block, Line, Note, Para
from symattn.exact.matrix import MinusInfinity
from symattn.exact.number import Number
from symattn.formula import Formula, Grid, num, seq
from symattn.views.paper import Cell, Paper

MOST_WORKINGS: Final = 64
"""Entries of one step that `full` detail works out before it says that it stops."""

MOST_LISTED: Final = 16
"""Entries up to which exact forms too wide for a grid are listed one by one; else the first row."""

Caption = Callable[[int, int], str]
"""What the entry in row i, column j is, in words."""


def step_blocks(paper: Paper, step: Step, words: str, caption: Caption) -> list[Block]:
    """A whole step: what it does, entries worked out, the matrix with its law and shapes."""
    return paper.said(words) + workings(paper, step, caption) + matrix(paper, step)


# ------------------------------------------------------------------ entries


def workings(paper: Paper, step: Step, caption: Caption) -> list[Block]:
    """The entries that the chosen detail works out, each on one line where it fits."""
    cells = _worked_cells(paper, step)
    blocks: list[Block] = []
    for i, j in cells[:MOST_WORKINGS]:
        lines = step.rule.working(step, i, j, paper.writing)
        blocks += _working(paper, lines, caption(i, j))
    if len(cells) > MOST_WORKINGS:
        rest = len(cells) - MOST_WORKINGS
        blocks.append(Note((f"The other {rest} entries of {step.name} are found the same way.",)))
    return blocks


def _working(paper: Paper, lines: Sequence[Line], caption: str) -> list[Block]:
    joined = _on_one_line(lines)
    for line, words in (
        (Line(joined.left, joined.relation, joined.right, caption), ""),
        (joined, caption),
    ):
        if paper.fits(line):
            return [*([Para((words + ":",))] if words else []), paper.display(line)]
    return [Para((caption + ":",)), paper.display(*lines)]


def _on_one_line(lines: Sequence[Line]) -> Line:
    first, *rest = lines
    parts: list[Formula | str] = [first.right or num(0)]
    for line in rest:
        parts += [line.relation, line.right or num(0)]
    return Line(first.left, first.relation, seq(*parts))


def _worked_cells(paper: Paper, step: Step) -> list[tuple[int, int]]:
    """No entry, one that says something, or all."""
    rows = paper.rows_of(step.name, step.shape[0])
    match paper.options.detail:
        case "brief":
            return []
        case "normal":
            return [(rows[0], _telling_column(paper, step, rows[0]))]
        case "full":
            return [(i, j) for i in rows for j in range(step.shape[1])]


def _telling_column(paper: Paper, step: Step, i: int) -> int:
    """The largest score of the row, a masked one, or else an early column."""
    columns = range(step.shape[1])
    match step.kind:
        case "mask":
            B = step.inputs[1].value
            hidden = [j for j in columns if isinstance(B.at(i, j), MinusInfinity)]
            return (hidden or [j for j in columns if B.at(i, j) != Number.of(0)] or [0])[0]
        case "score" | "scale" | "softmax":
            return min(paper.maxima(step).get(i, {0}))
        case "mix":
            return min(1, columns[-1])
        case _:
            return 0


# ------------------------------------------------------------------ matrices


def matrix(paper: Paper, step: Step) -> list[Block]:
    """name = law = exact entries ≈ decimals, with the shapes beside the law."""
    maxima = step.kind in ("score", "scale", "mask")
    exact = paper.exact_cell(step, maxima=maxima)
    decimals = None
    if not step.value.letters and paper.relation(step) == "≈":
        decimals = paper.decimal_cell(step, maxima=maxima)
    return forms(paper, step, [exact], decimals)


def forms(
    paper: Paper,
    step: Step,
    exact: Sequence[Cell],
    decimals: Cell | None,
    *,
    relation: str = "≈",
    name: str = "",
    law: Formula | None = None,
) -> list[Block]:
    """The step's matrix: the first of the exact forms that fits, then its decimals.

    Without exact forms only decimals. Both stand on one line where there is room.
    """
    name = name or step.name
    symbol = paper.writing.symbol(name)
    law = law or step.rule.law(step, paper.writing)
    why = "" if paper.is_brief or name != step.name else shapes(paper, step)
    lead = paper.width(seq(symbol, "=", law, "="))
    full = paper.options.page.width
    shown = _grid(paper, name, step, decimals, full - lead, True) if decimals else None
    if not exact:
        assert shown is not None
        only = Line(symbol, "=", seq(law, relation, shown), why)
        return [paper.display(only if paper.fits(only) else _with(only, ""))]
    for number, cell in enumerate(exact, 1):
        last = number == len(exact)
        grid = _grid(paper, name, step, cell, full - lead if last else 4 * full)
        first = Line(symbol, "=", seq(law, "=", grid))
        if paper.fits(first):
            break
        if last:
            lines = _listed(paper, name, step.shape, cell)
            decimals_below = [Line(symbol, relation, shown)] if shown is not None else []
            return [
                paper.display(Line(symbol, "=", law, why)),
                paper.display(*lines),
                *map(paper.display, decimals_below),
            ]
    if shown is not None:
        assert first.right is not None
        together = Line(symbol, "=", seq(first.right, relation, shown))
        for line in (_with(together, why), together):
            if layout.scale_for([line], paper.options.page) == 1:
                return [paper.display(line)]
    below = [Line(None, relation, shown)] if shown is not None else []
    head = _with(first, why) if paper.fits(_with(first, why), *below) else first
    return [paper.display(head, *below)]


def _listed(paper: Paper, name: str, shape: tuple[int, int], cell: Cell) -> list[Line]:
    """Entries too wide for a grid, one below the other."""
    n, m = shape
    rows = paper.rows_of(name, n)
    if len(rows) * m > MOST_LISTED:
        rows = rows[:1]
    symbol = paper.writing.symbol(name)
    return [
        Line(paper.writing.entry(symbol, i, j), "=", cell(i, j))
        for i in rows
        for j in range(m)[:MOST_LISTED]
    ]


def _with(line: Line, why: str) -> Line:
    return Line(line.left, line.relation, line.right, why)


def _grid(
    paper: Paper, name: str, step: Step, cell: Cell, room: float, decimal: bool = False
) -> Grid:
    rows = paper.rows_of(name, step.shape[0])
    return paper.grid(name, step.shape, cell, rows=rows, room=room, decimal=decimal)


def shapes(paper: Paper, step: Step) -> str:
    """The shapes on both sides of the law: 3×4 · 4×3 → 3×3."""
    operands = [stage.shape for stage in step.inputs[:2]]
    if step.kind == "score":
        operands[1] = operands[1][::-1]
    if step.kind not in ("project", "score", "mix", "output"):
        operands = [step.shape]
    if paper.convention.tokens == "columns":
        operands = [shape[::-1] for shape in reversed(operands)]
    return " · ".join(f"{n}×{m}" for n, m in operands) + f" → {paper.size(step.shape)}"
