"""A node of the tree -> a matrix: rows of cells, each error naming matrix, row and column."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from symattn.errors import InputError, Place, SymattnError
from symattn.exact.matrix import MINUS_INFINITY, Matrix, MinusInfinity
from symattn.exact.number import Number
from symattn.problem import Given
from symattn.reading.expression import read
from symattn.reading.tree import Listing, Mapping, Node, Scalar

LARGEST: Final = 2048
"""Rows or columns of a matrix."""

_NAMES: Final = frozenset("XWQKVSZBMEAOCY")
"""Letters that are names of matrices."""
_WIDTHS: Final = frozenset(("d_k", "d_v", "d_model"))

T = TypeVar("T")


@dataclass(frozen=True, eq=False, slots=True)
class Row:
    """A row of cells. If it was typed as one text, `text` is its line and `starts` the cells'."""

    cells: tuple[Scalar, ...]
    line: int
    column: int
    text: str = ""
    starts: tuple[int, ...] = ()


@dataclass(frozen=True, eq=False, slots=True)
class Source:
    """Where a matrix comes from, for its errors."""

    file: str
    name: str

    def place(self, node: Node | Row) -> Place:
        return Place(self.file, node.line, node.column)

    def cell(self, row: Row, i: int, j: int, error: SymattnError) -> Place:
        """The place of what is wrong in row i, column j (from 0), with its caret."""
        cell = row.cells[j]
        typed, caret = error.place.typed, error.place.caret
        if row.text:
            typed, caret = row.text, row.starts[j] + caret
        return Place(self.file, cell.line, cell.column, self.name, (i + 1, j + 1), typed, caret)


def given(
    node: Node,
    source: Source,
    *,
    transposed: bool = False,
    flat: bool = False,
    allow_infinity: bool = False,
) -> Given:
    """The matrix. `flat` lets a list of numbers be one row.

    InputError for everything that is not a full grid of numbers.
    """
    rows = rows_of(node, source, flat=flat)
    values = converted(rows, source, lambda cell: number(cell, allow_infinity))
    typed = tuple(tuple(cell.text for cell in row.cells) for row in rows)
    if any(cell.value is not None for row in rows for cell in row.cells):
        typed = ()  # An exact value from Python has no spelling of its own.
    matrix = Matrix.of(values)
    return Given(
        source.name,
        matrix.T if transposed else matrix,
        typed,
        transposed,
        source.place(node),
    )


def number(cell: Scalar, allow_infinity: bool = False) -> Number | MinusInfinity:
    """What a cell holds. InputError for a letter that is the name of a matrix."""
    if cell.value is not None:
        if cell.value is MINUS_INFINITY and not allow_infinity:
            raise InputError("−∞ may only stand in a mask", hint="Give a number here.")
        value = cell.value
    else:
        value = read("" if cell.is_null else cell.text, allow_infinity=allow_infinity)
    if isinstance(value, Number) and not value.is_rational:
        for letter in sorted(value.letters):
            if letter.split("_")[0] in _NAMES or letter in _WIDTHS:
                raise InputError(
                    f"the letter {letter} is the name of something in the solution",
                    place=Place(typed=cell.text),
                    hint="Choose another letter, such as a, b or w_12.",
                )
    return value


def converted(rows: Sequence[Row], source: Source, convert: Callable[[Scalar], T]) -> list[list[T]]:
    """Every cell converted; its errors get their place."""
    result: list[list[T]] = []
    for i, row in enumerate(rows):
        line: list[T] = []
        for j, cell in enumerate(row.cells):
            try:
                line.append(convert(cell))
            except SymattnError as error:
                error.place = source.cell(row, i, j, error)
                raise
        result.append(line)
    return result


def rows_of(node: Node, source: Source, *, flat: bool = False) -> list[Row]:
    """The rows, all of one length, none empty, not too many."""
    name = source.name
    match node:
        case Scalar(value=None, is_null=False) if flat or len(node.text.split()) != 1:
            rows = list(_text_rows(node))
        case Listing() if flat and all(isinstance(item, Scalar) for item in node.items):
            cells = [cell for item in node.items for cell in _row(item, source, 0).cells]
            rows = [Row(tuple(cells), node.line, node.column)] if cells else []
        case Listing():
            rows = [_row(item, source, i) for i, item in enumerate(node.items)]
            if rows and all(
                isinstance(item, Scalar) and len(row.cells) < 2
                for item, row in zip(node.items, rows, strict=True)
            ):
                raise InputError(
                    f"{name} is a list of numbers, not of rows",
                    place=source.place(node),
                    hint=f"Write one row as {name}: [[1, 2]], one column as {name}: [[1], [2]].",
                )
        case _:
            what = "a mapping" if isinstance(node, Mapping) else "a single value"
            raise InputError(
                f"{name} is {what}, not a matrix",
                place=source.place(node),
                hint=f"Write {name}: [[1, 0], [0, 1]], one list for each row.",
            )
    if not rows:
        raise InputError(
            f"{name} is empty",
            place=source.place(node),
            hint=f"Give its rows, or leave {name} out.",
        )
    for i, row in enumerate(rows):
        if not row.cells:
            raise InputError(
                f"row {i + 1} of {name} is empty",
                place=source.place(row),
                hint="Give its numbers, or leave the row out.",
            )
        if len(row.cells) != len(rows[0].cells):
            raise InputError(
                f"row {i + 1} of {name} has {_numbers(len(row.cells))}, "
                f"row 1 has {len(rows[0].cells)}",
                place=source.place(row),
                hint="Give every row the same number of cells.",
            )
    for count, what in ((len(rows), "rows"), (len(rows[0].cells), "columns")):
        if count > LARGEST:
            raise InputError(
                f"{name} has {count} {what}, at most {LARGEST} are read",
                place=source.place(node),
                hint="Use a smaller matrix.",
            )
    return rows


def _numbers(count: int) -> str:
    return "1 number" if count == 1 else f"{count} numbers"


def _row(node: Node, source: Source, i: int) -> Row:
    match node:
        case Scalar(value=None, is_null=False) if node.text.strip():
            rows = list(_text_rows(node))
            if len(rows) == 1:
                return rows[0]
            raise InputError(
                f"row {i + 1} of {source.name} has several rows in it",
                place=source.place(node),
                hint="Write the whole matrix as one text, or each row as a text of its own.",
            )
        case Scalar():
            return Row((node,), node.line, node.column)
        case Listing():
            for j, cell in enumerate(node.items):
                if not isinstance(cell, Scalar):
                    what = "a list" if isinstance(cell, Listing) else "a mapping"
                    raise InputError(
                        f"{what} stands where a number belongs",
                        place=replace(source.place(cell), matrix=source.name, cell=(i + 1, j + 1)),
                        hint="A matrix is a list of rows, and a row is a list of numbers.",
                    )
            # Every item was just seen to be a Scalar.
            return Row(node.items, node.line, node.column)  # type: ignore[arg-type]
        case Mapping():
            raise InputError(
                f"row {i + 1} of {source.name} is a mapping, not a row of numbers",
                place=source.place(node),
                hint="A matrix is a list of rows, and a row is a list of numbers.",
            )


def _text_rows(node: Scalar) -> Iterator[Row]:
    """Rows in one text, separated by line ends or ";", their cells by spaces."""
    for k, text in enumerate(node.text.split("\n")):
        line = node.line + k if node.by_line else node.line
        start = 0
        for part in text.split(";"):
            found = list(re.finditer(r"\S+", part))
            if found:
                starts = tuple(start + word.start() for word in found)
                column = node.column
                if node.by_line:
                    column = 0  # The indentation of a block is not in its text.
                cells = tuple(Scalar(word[0], line, column) for word in found)
                yield Row(cells, line, column, text, starts)
            start += len(part) + 1
