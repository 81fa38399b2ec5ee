"""The width policy, in one place: how wide a formula is and which of several forms fits the page.

When a form is too wide, the next one is taken: row sums by name, then elided rows and columns;
only then is the type set smaller, and never below `SMALLEST`.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Final, Literal, assert_never

from symattn.formula import (
    DOTS,
    VERTICAL_DOTS,
    Blank,
    Call,
    Formula,
    Frac,
    Grid,
    Line,
    Mark,
    Num,
    Op,
    Origin,
    Paren,
    Power,
    Role,
    Root,
    Seq,
    Sub,
    Sym,
    Words,
)

SMALLEST: Final = 0.7
"""Type is never set smaller than this part of its size."""
COMFORTABLE: Final = 0.85
"""Down to this size a fuller form is preferred to a shorter one."""
MOST_COLUMNS: Final = 32
"""More columns than this fit on no line, however narrow."""
LABELS: Final = (14, 9, 6)
"""Characters of a token that are shown beside a matrix: fewer where it would not fit."""


@dataclass(frozen=True, slots=True)
class Page:
    """How much fits on a line, in em of print or in columns of a terminal, and in a matrix."""

    width: float
    metric: Literal["em", "columns"]
    rows: int
    """Rows of a matrix that are shown before the middle is left out."""
    terms: int
    """Terms of a sum that are shown before its middle is left out."""

    @property
    def smallest(self) -> float:
        return SMALLEST if self.metric == "em" else 1.0

    @property
    def comfortable(self) -> float:
        return COMFORTABLE if self.metric == "em" else 1.0


PRINT: Final = Page(43.0, "em", 14, 6)
"""A4 or Letter with the margins of `templates/`, at 10 pt."""
TERMINAL: Final = Page(78.0, "columns", 14, 4)

LABEL_LETTER: Final = 0.46
"""Em for a letter of a label. Labels keep their size when the matrix is set smaller."""
BOLD: Final = 1.15
"""How much wider bold digits are."""
_WIDE: Final = {"=": 1.35, "≈": 1.35, "+": 1.25, "−": 1.25, "·": 0.75, ",": 0.5, ";": 0.5, "→": 1.6}


def width(formula: Formula | None, page: Page) -> float:
    """An estimate, on the wide side, in the page's own measure."""
    return _em(formula) if page.metric == "em" else float(_columns(formula))


_GRIDS: Final[dict[int, tuple[Grid, float]]] = {}
"""Widths of the last grids in em: a grid is measured again for each line it might stand on."""


def _grid_em(grid: Grid) -> float:
    known = _GRIDS.get(id(grid))
    if known is None or known[0] is not grid:
        labels = max((LABEL_LETTER * _letters(x, PRINT) for x in grid.row_labels), default=0.0)
        heads = [LABEL_LETTER * _letters(x, PRINT) for x in grid.column_labels]
        wide = labels + 1.4 + sum(c + 1.05 for c in _column_widths(grid, heads, _em))
        if len(_GRIDS) >= 64:
            _GRIDS.clear()
        _GRIDS[id(grid)] = known = grid, wide
    return known[1]


def _em(formula: Formula | None) -> float:
    # Most nodes are one of these four; a match would take twice as long.
    if isinstance(formula, Num):
        digits = formula.digits
        return 0.5 * len(digits) + 0.3 * digits.count("-") - 0.22 * digits.count(".")
    if isinstance(formula, Op):
        return _WIDE.get(formula.sign, 1.3)
    if isinstance(formula, Sym):
        return 1.2 if formula.name in "⋯∞" else 0.75 if formula.name in "−MQO" else 0.62
    if isinstance(formula, Seq):
        return sum(map(_em, formula.parts))
    match formula:
        case None:
            return 0.0
        case Words(text):
            return 0.5 * _letters(text, PRINT)
        case Frac(top, bottom, slanted):
            return _em(top) + _em(bottom) + 0.5 if slanted else max(_em(top), _em(bottom)) + 0.3
        case Root(radicand):
            return _em(radicand) + 0.85
        case Power(base, index) | Sub(base, index):
            return _em(base) + 0.75 * _em(index) + 0.05
        case Paren(inner):
            return _em(inner) + 0.8
        case Call(name, argument):
            return 0.5 * len(name) + _em(argument) + 0.9
        case Grid():
            return _grid_em(formula)
        case Blank(answer, room):
            return max(room, _em(answer))
        case Mark(role, inner):
            return _em(inner) * (BOLD if role is Role.MAXIMUM else 1)
        case _:
            assert_never(formula)


def _columns(formula: Formula | None) -> int:
    match formula:
        case None:
            return 0
        case Num(digits):
            return len(digits)
        case Sym():
            return 1
        case Words(text):
            return _cells(text)
        case Op(sign):
            return 1 if sign == "·" else 2 if sign in ",;" else 3
        case Seq(parts):
            return sum(map(_columns, parts))
        case Frac(top, bottom, slanted):
            if slanted:
                return _columns(top) + _columns(bottom) + 3
            return max(_columns(top), _columns(bottom)) + 2
        case Root(radicand):
            return _columns(radicand) + (1 if isinstance(radicand, Num) else 3)
        case Power(base, index):
            return _columns(base) + (1 if isinstance(index, Sym) else _columns(index) + 3)
        case Sub(base, index):
            return _columns(base) + _columns(index)
        case Paren(inner):
            return _columns(inner) + 2
        case Call(name, argument):
            return len(name) + _columns(argument) + 2
        case Grid():
            labels = max((_cells(x) for x in formula.row_labels), default=0)
            heads = [float(_cells(x)) for x in formula.column_labels]
            cells = _column_widths(formula, heads, lambda f: float(_columns(f)))
            return labels + 5 + int(sum(c + 2 for c in cells))
        case Blank(answer, room):
            return max(int(2 * room), _columns(answer))
        case Mark(_, inner):
            return _columns(inner) + 2
        case _:
            assert_never(formula)


def _column_widths(
    grid: Grid, heads: Sequence[float], measure: Callable[[Formula], float]
) -> list[float]:
    columns = [max(map(measure, column)) for column in zip(*grid.rows, strict=True)]
    return [max(pair) for pair in zip(columns, heads, strict=True)] if heads else columns


def _cells(text: str) -> int:
    """Columns that text takes in a terminal; everything beyond Arabic is taken as wide."""
    return len(text) if text.isascii() else sum(2 if c > "\u1100" else 1 for c in text)


def _letters(text: str, page: Page) -> int:
    """Letters that text takes: in print what is neither Latin nor Greek stands as [U+4E2D]."""
    if text.isascii() or page.metric == "columns":
        return _cells(text)
    return sum(8 if "\u03ff" < c < "\u2010" or c > "\u22ff" else 2 if c == "…" else 1 for c in text)


def label(token: str, longest: int = LABELS[0], page: Page = TERMINAL) -> str:
    """A token as it stands beside a matrix: the middle of a long one is left out."""
    if _letters(token, page) <= longest:
        return token
    end = longest // 3
    head, tail = _fitting(token, longest - 1 - end, page), _fitting(token[::-1], end, page)[::-1]
    return f"{head or token[0]}…{tail}"


def _fitting(text: str, room: int, page: Page) -> str:
    """As much of the beginning as takes `room` letters."""
    for end in range(len(text)):
        if _letters(text[: end + 1], page) > room:
            return text[:end]
    return text


def scale_for(lines: Sequence[Line], page: Page) -> float:
    """The scale at which all the lines fit: 1, or less where they are too wide.

    What is said beside a line keeps its size.
    """
    left = max((width(line.left, page) for line in lines), default=0.0)
    right = max((_right_width(line, page) for line in lines), default=0.0)
    beside = max((_why_width(line, page) for line in lines), default=0.0)
    return min(1.0, max(page.width - beside, 1.0) / max(left + right, 1e-9))


def _right_width(line: Line, page: Page) -> float:
    relation = width(Op(line.relation), page) if line.relation else 0.0
    return relation + width(line.right, page)


def _why_width(line: Line, page: Page) -> float:
    if not line.why:
        return 0.0
    return 0.4 * _letters(line.why, page) + 2 if page.metric == "em" else len(line.why) + 3.0


def pick(count: int, most: int) -> list[int | None]:
    """Which of `count` rows are shown: all, or the first ones, dots (None) and the last."""
    if count <= most:
        return list(range(count))
    return [*range(max(most - 2, 1)), None, count - 1]


def grid(
    cell: Callable[[int, int], Formula],
    rows: Sequence[int],
    columns: int,
    page: Page,
    *,
    room: float,
    row_labels: Sequence[str] = (),
    column_labels: Sequence[str] = (),
    fence: str = "[",
    origin: Callable[[list[int | None], list[int | None]], Origin | None] = lambda rows, cols: None,
) -> Grid:
    """The grid of the given rows, its middle left out where it would not fit into `room`.

    `origin` says which matrix it shows, from the rows and columns that were kept.
    """
    shown_rows = [None if k is None else rows[k] for k in pick(len(rows), page.rows)]
    most = min(columns, MOST_COLUMNS)
    made = None
    for longest in LABELS:
        while True:
            shown = pick(columns, most)
            made = _filled(
                cell, shown_rows, shown, row_labels, column_labels, fence, longest, page, origin
            )
            wide = width(made, page) * page.comfortable
            if wide <= room:
                return made
            if most <= 3 or (column_labels and longest == LABELS[0]):
                break  # shorter labels first
            # Jump close to what fits, then walk.
            most = max(3, min(most - 1, int(len(shown) * room / wide) + 1))
    assert made is not None
    return made


def _filled(
    cell: Callable[[int, int], Formula],
    rows: list[int | None],
    columns: list[int | None],
    row_labels: Sequence[str],
    column_labels: Sequence[str],
    fence: str,
    longest: int,
    page: Page,
    origin: Callable[[list[int | None], list[int | None]], Origin | None],
) -> Grid:
    return Grid(
        tuple(
            tuple(
                VERTICAL_DOTS if i is None else DOTS if j is None else cell(i, j) for j in columns
            )
            for i in rows
        ),
        tuple("⋮" if i is None else label(row_labels[i], longest, page) for i in rows)
        if row_labels
        else (),
        tuple("⋯" if j is None else label(column_labels[j], longest, page) for j in columns)
        if column_labels
        else (),
        fence,
        origin(rows, columns),
    )
