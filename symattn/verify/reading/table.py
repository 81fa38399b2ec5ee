"""Tables of cells: CSV, and the tables of Markdown."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence
from typing import Final

from symattn.verify.reading.grammar import read_cell
from symattn.verify.reading.refusal import Refusal, refuse
from symattn.verify.reading.tokens import Token, lex
from symattn.verify.reading.written import (
    Blank,
    Cell,
    Grid,
    Label,
    Link,
    Statement,
    Unreadable,
    Written,
)

MOST_CELLS: Final = 4096


def cell_of(text: str) -> Cell:
    """A cell of a table: plain, or LaTeX where a dollar or backslash says so."""
    bare = text.strip().strip("*`").strip()
    tex = bare.startswith("$") or "\\" in bare
    bare = bare.strip("$").strip()
    if not bare:
        return Blank()
    try:
        if tex:
            from symattn.verify.reading.latex_tokens import nodes, tokens_of

            return read_cell(bare, tokens_of(bare, nodes(bare)), tex=True)
        tokens = [*lex(bare), Token("end", "", len(bare), len(bare))]
        return read_cell(bare, tokens, tex=False)
    except Refusal as refusal:
        return Unreadable(bare, refusal)


def csv_statements(text: str, line: int = 1) -> list[Statement | Refusal]:
    """Rows of cells between commas, semicolons or tabs; blocks between blank lines, each perhaps
    with a name above it."""
    try:
        return _csv(text.removeprefix("\ufeff"), line)
    except Refusal as refusal:
        return [refusal.within(text, line=line)]


def _csv(text: str, line: int) -> list[Statement | Refusal]:
    sample = text[:4096]
    sign = "\t" if "\t" in sample else ";" if ";" in sample else ","
    out: list[Statement | Refusal] = []
    block: list[list[str]] = []
    name, start = "", line
    reader = csv.reader(io.StringIO(text, newline=""), delimiter=sign, skipinitialspace=True)
    quoted = '"' in sample
    try:
        rows = list(reader)
    except csv.Error as error:
        refuse("malformed", 0, message=f"this is not CSV: {error}")
    for number, row in enumerate([*rows, []], line):
        if not any(cell.strip() for cell in row):
            if block:
                grid = grid_of(block, comma=sign != "," or quoted, offset=text)
                out.append(Statement((Link("", grid),), start, name))
                name = ""
            block = []
        elif not block and len([c for c in row if c.strip()]) == 1 and not _numeric(row[0]):
            name = row[0].strip()
        else:
            start = start if block else number
            block.append(row)
    return out


def _numeric(text: str) -> bool:
    return any(c.isdigit() for c in text)


def grid_of(
    block: Sequence[Sequence[str]], *, comma: bool = False, header: bool = False, offset: str = ""
) -> Grid:
    """The cells of a block, without a header row and a label column that hold no number.

    `comma` says that a comma inside a cell is a decimal comma; `header` that the first row is one.
    """
    lengths = {len(row) for row in block}
    if len(lengths) > 1:
        counts = ", ".join(str(len(row)) for row in block[:8])
        refuse("ragged", 0, message=f"the rows have different lengths: {counts}")
    rows = [list(row) for row in block]
    if sum(map(len, rows)) > MOST_CELLS:
        refuse("too-large", 0, message=f"more than {MOST_CELLS} cells")
    if not comma:
        _check_pairs(rows, offset)
    headers: tuple[str, ...] = ()
    tokens: tuple[str, ...] = ()
    if (
        header
        or (len(rows) > 1 and not any(map(_numeric, rows[0])) and any(map(str.strip, rows[0])))
    ) and not any(_hidden(cell) for cell in rows[0]):
        headers, rows = tuple(cell.strip() for cell in rows[0]), rows[1:]
    labels = [row[0] for row in rows]
    if (
        len(rows[0]) > 1
        and headers
        and not any(map(_reads, labels))
        and all(map(str.strip, labels))
    ):
        tokens, headers = tuple(label.strip().strip("*`") for label in labels), headers[1:]
        rows = [row[1:] for row in rows]
    cells = tuple(tuple(_cell(cell, comma) for cell in row) for row in rows)
    return Grid(cells, tokens=tokens, headers=headers)


def _hidden(cell: str) -> bool:
    return "inf" in cell.lower() or "∞" in cell


def _reads(label: str) -> bool:
    return not isinstance(cell_of(label), Unreadable)


def _cell(text: str, comma: bool) -> Cell:
    bare = text.strip()
    if bare.startswith("="):
        refusal = Refusal("bad-number", 0, len(bare), hint="Give the value of the formula.")
        return Unreadable(bare, refusal.within(bare))
    whole, _, part = bare.lstrip("+-−").partition(",")
    if comma and whole.isdigit() and part.isdigit():
        pointed = cell_of(bare.replace(",", "."))
        if isinstance(pointed, Written):
            return Written(pointed.value, bare, pointed.places, True, True)
    return cell_of(text)


def _check_pairs(rows: Sequence[Sequence[str]], text: str) -> None:
    """0,5,0,5 may be two numbers with decimal commas."""
    pairs = all(len(row) >= 4 and len(row) % 2 == 0 for row in rows)
    if pairs and all(
        cell.strip() == "0" and row[k + 1].strip().isdigit() and row[k + 1].strip() != "0"
        for row in rows
        for k, cell in enumerate(row)
        if k % 2 == 0
    ):
        typed = ",".join(rows[0])
        refuse(
            "ambiguous", 0, len(typed), readings=(f"{len(rows[0])} cells", "decimal commas"),
            hint="Separate the cells with semicolons, or write decimal points.",
        )  # fmt: skip


def table_statements(
    header: Sequence[str], body: Sequence[Sequence[str]], line: int, heading: str
) -> list[Statement | Refusal]:
    """A Markdown table: one matrix, or several where the headers count them (S1 S2 A1 A2)."""
    if not body:
        return []
    if groups := _column_groups(header):
        out: list[Statement | Refusal] = []
        for name, columns in groups:
            cells = tuple(tuple(cell_of(row[k]) for k in columns) for row in body)
            out.append(Statement((Link("", Label(name)), Link("=", Grid(cells))), line, heading))
        return out
    counted = [h.strip() for h in header if h.strip()]
    is_index = counted in (
        [str(k) for k in range(len(counted))],
        [str(k + 1) for k in range(len(counted))],
    )
    numeric = counted and all(isinstance(cell_of(h), Written) for h in counted) and not is_index
    try:
        grid = (
            grid_of([header, *body], comma=True)
            if numeric and len(counted) == len(header)
            else grid_of([header, *body], comma=True, header=True)
        )
    except Refusal as refusal:
        return [refusal.within("\n".join(" | ".join(row) for row in [header, *body]), line=line)]
    readable = [c for row in grid.rows for c in row if isinstance(c, Written)]
    if not readable:
        return []  # A table of words.
    corner = header[0].strip().strip("*`$") if grid.tokens else ""
    if corner:
        return [Statement((Link("", Label(corner)), Link("=", grid)), line, heading)]
    return [Statement((Link("", grid),), line, heading)]


def _column_groups(header: Sequence[str]) -> list[tuple[str, list[int]]]:
    """S1 S2 S3 A1 A2 A3 as S with its columns and A with its columns."""
    found: dict[str, list[int]] = {}
    for k, text in enumerate(header):
        bare = text.strip().strip("$*`").replace("_", "").replace("{", "").replace("}", "")
        name = bare.rstrip("0123456789")
        if name and name != bare:
            found.setdefault(name, []).append(k)
    groups = [(name, columns) for name, columns in found.items() if len(columns) > 1]
    return groups if len(groups) > 1 else []
