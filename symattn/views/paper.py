"""Stages as grids on a page: oriented by the convention, elided by the width policy."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn import layout
from symattn.convention import Convention
from symattn.derivation import Derivation, Stage
from symattn.document import Block, Display, Line, Para
from symattn.errors import UsageError
from symattn.exact.matrix import MINUS_INFINITY
from symattn.exact.order import largest_in_row
from symattn.exact.rounding import Rounding
from symattn.formula import Formula, Grid, Mark, Origin, Role, Sym, seq
from symattn.notation import Writing
from symattn.problem import Given, Problem
from symattn.views.options import Options

Cell = Callable[[int, int], Formula]
MANY_PLACES: Final = 6
"""From more places on, a term less of a sum is written."""
MOST_PLACES: Final = 10
"""Digits of a decimal in a matrix; more are written in groups, apart."""
SPACE = Sym("\u2003")
"""An em space between formulas on one line."""


@dataclass(frozen=True, eq=False)
class Paper:
    """One head's stages on paper: what all sections of a page share."""

    derivation: Derivation
    options: Options
    writing: Writing
    rows: tuple[int, ...]
    """The queries whose rows are worked out: all, or the one in focus."""
    again: bool = False
    """A second head: what was explained before is not said again."""

    @staticmethod
    def of(derivation: Derivation, options: Options) -> Paper:
        problem = derivation.problem
        convention = options.convention or problem.convention
        writing = Writing(
            convention,
            readable(options.rounding),
            _typed_in_decimals(problem),
            terms=options.page.terms - (options.rounding.places > MANY_PLACES),
            unscaled=problem.scale.is_none,
        )
        return Paper(derivation, options, writing, _focused(problem, options.focus))

    def for_head(self, number: int | None) -> Paper:
        """The same paper; with several heads its symbols carry the head's number."""
        if len(self.problem.heads) == 1:
            number = None
        again = number is not None and number > 1
        return replace(self, writing=replace(self.writing, head=number), again=again)

    @property
    def problem(self) -> Problem:
        return self.derivation.problem

    @property
    def convention(self) -> Convention:
        return self.writing.convention

    def token(self, i: int) -> str:
        return layout.label(self.problem.tokens[i])

    def token_kv(self, j: int) -> str:
        return layout.label(self.problem.tokens_kv[j])

    def quoted(self, i: int) -> str:
        """A query's token in running text."""
        return f"“{self.token(i)}”"

    def quoted_kv(self, j: int) -> str:
        return f"“{self.token_kv(j)}”"

    def size(self, shape: tuple[int, int]) -> str:
        """A shape as the convention writes it: 3×4."""
        n, m = shape if self.convention.tokens == "rows" else shape[::-1]
        return f"{n}×{m}"

    @property
    def is_brief(self) -> bool:
        return self.options.detail == "brief"

    def said(self, words: str) -> list[Block]:
        """A sentence that explains a step; nothing where it was said before or is not wanted."""
        return [] if self.is_brief or self.again or not words else [Para((words,))]

    def rows_of(self, name: str, count: int) -> Sequence[int]:
        """The rows of a stage that are shown: keys and values of all tokens, always."""
        return range(count) if name in ("K", "V") else self.rows

    def width(self, formula: Formula) -> float:
        return layout.width(formula, self.options.page)

    # ------------------------------------------------------------ grids

    def labels(self, name: str) -> tuple[Sequence[str], Sequence[str]]:
        """Row and column labels of a stage, tokens as rows."""
        queries, keys = self.problem.tokens, self.problem.tokens_kv
        if name in ("X", "Q", "O", "C", "Y"):
            return queries, ()
        if name in ("X_kv", "K", "V"):
            return keys, ()
        if name in ("S", "Z", "M", "B", "A", "E"):
            return queries, keys
        return (), ()

    def grid(
        self,
        name: str,
        shape: tuple[int, int],
        cell: Cell,
        *,
        rows: Sequence[int] | None = None,
        room: float | None = None,
        labelled: bool = True,
        decimal: bool = False,
    ) -> Grid:
        """The named stage as a grid, turned and elided as needed."""
        n, m = shape
        turned = self.turned(name)

        def origin(lines: list[int | None], across: list[int | None]) -> Origin:
            if turned:
                lines, across = across, lines
            matrix = self.matrix_name(name)
            return Origin(matrix, tuple(lines), tuple(across), turned, decimal)

        shown = list(range(n)) if rows is None else list(rows)
        row_labels, column_labels = self.labels(name) if labelled else ((), ())
        room = self.options.page.width - 6 if room is None else room
        fence = self.convention.fence
        page = self.options.page
        if turned:
            return layout.grid(
                lambda i, j: cell(shown[j], i),
                range(m),
                len(shown),
                page,
                room=room,
                row_labels=column_labels,
                column_labels=[row_labels[i] for i in shown] if row_labels else (),
                fence=fence,
                origin=lambda lines, across: origin(
                    lines, [None if j is None else shown[j] for j in across]
                ),
            )
        return layout.grid(
            cell,
            shown,
            m,
            page,
            room=room,
            row_labels=row_labels,
            column_labels=column_labels,
            fence=fence,
            origin=origin,
        )

    def matrix_name(self, name: str) -> str:
        """What tells a matrix from all others of the page: its letter and its head's number."""
        shared = name in ("X", "X_kv", "B", "C", "W_O", "Y")
        return name if shared or self.writing.head is None else f"{name}{self.writing.head}"

    def turned(self, name: str) -> bool:
        """Whether the stage is written the other way round than symattn keeps it."""
        if name.startswith("W_"):
            return self.convention.weights == "left"
        return self.convention.tokens == "columns"

    def exact_cell(self, stage: Stage, *, maxima: bool = False) -> Cell:
        """Exact entries; with `maxima` the largest of each row is marked."""
        best = self.maxima(stage) if maxima else {}

        def cell(i: int, j: int) -> Formula:
            value = self.writing.cell(stage, i, j)
            return self.marked(
                value, j in best.get(i, ()), masked=stage.value.at(i, j) is MINUS_INFINITY
            )

        return cell

    def decimal_cell(self, stage: Stage, *, maxima: bool = False) -> Cell:
        """Proved decimals."""
        best = self.maxima(stage) if maxima else {}
        decimals = self.writing.rounded(stage)

        def cell(i: int, j: int) -> Formula:
            value = self.writing.decimal(decimals[i][j])
            return self.marked(value, j in best.get(i, ()), masked=decimals[i][j] is MINUS_INFINITY)

        return cell

    def marked(self, formula: Formula, is_maximum: bool, *, masked: bool = False) -> Formula:
        """The formula with the role it has in its row."""
        if masked:
            return Mark(Role.MASKED, formula)
        return Mark(Role.MAXIMUM, formula) if is_maximum else formula

    def maxima(self, stage: Stage) -> dict[int, frozenset[int]]:
        """The columns of the largest finite entries, for each row that is worked out.

        Nothing for letters, and nothing for a row whose entries are all the same: there is no
        largest one to point at.
        """
        if stage.value.letters:
            return {}
        best = {}
        for i in self.rows:
            columns, finite = largest_in_row(stage.value, i)
            if len(columns) < finite:
                best[i] = columns
        return best

    def relation(self, stage: Stage) -> str:
        """= where all decimals of the shown rows are the values themselves, else ≈."""
        rows = self.writing.rounded(stage)
        shown = self.rows_of(stage.name, len(rows))
        return self.writing.relation(*(cell for i in shown for cell in rows[i]))

    # ------------------------------------------------------------ displays

    def display(self, *lines: Line) -> Display:
        return Display(lines, self.scale(lines))

    def scale(self, lines: Sequence[Line]) -> float:
        found = layout.scale_for(lines, self.options.page)
        return max(found, self.options.page.smallest)

    def fits(self, *lines: Line) -> bool:
        return layout.scale_for(lines, self.options.page) >= self.options.page.comfortable

    def beside(self, formulas: Sequence[Formula]) -> tuple[Display, ...]:
        """Formulas side by side, as many on a line as fit."""
        page = self.options.page
        rows: list[list[Formula]] = [[]]
        used = 0.0
        for formula in formulas:
            wide = layout.width(formula, page)
            if rows[-1] and used + 2 + wide > page.width:
                rows.append([])
                used = 0.0
            rows[-1].append(formula)
            used += wide + 2
        displays = []
        for row in rows:
            spaced = [part for formula in row for part in (SPACE, formula)][1:]
            displays += [self.display(Line(None, "", seq(*spaced)))] if spaced else []
        return tuple(displays)


def readable(rounding: Rounding) -> Rounding:
    """The rounding for matrices and workings: many digits are listed apart instead."""
    if rounding.figures is None:
        return replace(rounding, places=min(rounding.places, MOST_PLACES))
    return replace(rounding, figures=min(rounding.figures, MOST_PLACES))


def _typed_in_decimals(problem: Problem) -> bool:
    givens: list[Given | None] = [problem.X, problem.X_kv, problem.W_O]
    for head in problem.heads:
        givens += [getattr(head, name) for name in head.__slots__]
    return any("." in text for given in givens if given for row in given.typed for text in row)


def _focused(problem: Problem, focus: str | None) -> tuple[int, ...]:
    everyone = tuple(range(len(problem.tokens)))
    if focus is None:
        return everyone
    found = tuple(i for i in everyone if problem.tokens[i] == focus)
    if not found:
        raise UsageError(
            f"there is no token {focus!r} to focus on",
            hint=f"The tokens are {', '.join(problem.tokens)}.",
        )
    return found
