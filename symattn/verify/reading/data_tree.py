"""YAML and JSON: names and matrices, digits kept as they are written."""

from __future__ import annotations

from typing import Final

from symattn.errors import InputError
from symattn.reading.tree import Format, Listing, Mapping, Node, Scalar, parse
from symattn.verify.reading import plain
from symattn.verify.reading.grammar import read_cell
from symattn.verify.reading.refusal import Refusal, refuse
from symattn.verify.reading.tokens import Token, lex
from symattn.verify.reading.written import Blank, Cell, Grid, Label, Link, Statement, Unreadable

Found = Statement | Refusal

_INFINITE: Final = {".inf": "inf", "+.inf": "inf", "-.inf": "-inf", ".nan": "nan"}
"""As YAML writes them."""


def yaml_statements(text: str) -> list[Found]:
    return _statements(text, "yaml")


def json_statements(text: str) -> list[Found]:
    return _statements(text, "json")


def _statements(text: str, format: Format) -> list[Found]:
    """Each matrix under its name; the names of nested mappings are joined."""
    try:
        root = parse(text.removeprefix("\ufeff"), format)
    except InputError as error:
        raise _refusal(error, text) from None
    out: list[Found] = []
    _collect(root, "", format, text, out)
    return out


def _refusal(error: InputError, text: str) -> Refusal:
    code = "malformed"
    if "is given" in error.message:
        code = "duplicate-key"
    elif "anchor" in error.message or "alias" in error.message or "larger" in error.message:
        code = "too-large"
    elif "deep" in error.message:
        code = "too-deep"
    elif "Infinity" in error.message or "NaN" in error.message:
        code = "not-a-value"
    refusal = Refusal(code, 0, message=error.message, hint=error.hint)
    refusal.place = error.place
    return refusal


def _collect(node: Node, name: str, format: Format, text: str, out: list[Found]) -> None:
    match node:
        case Mapping():
            for key, value in node.entries:
                _collect(value, f"{name} {key.text}".strip(), format, text, out)
        case Listing(items) if items and all(isinstance(item, Mapping) for item in items):
            for k, item in enumerate(items, 1):
                _collect(item, f"{name} {k}".strip(), format, text, out)
        case Listing():
            try:
                out.append(_named(name, _grid(node, format), node.line))
            except Refusal as refusal:
                out.append(_placed(refusal, node, text))
        case Scalar(text=typed) if "\n" in typed or ";" in typed or "[" in typed:
            for each in plain.statements(typed, node.line):
                out.append(_renamed(each, name))
        case Scalar():
            if not node.is_null and name:
                cell = _cell(node, format)
                if isinstance(cell, Unreadable) and any(c.isdigit() for c in node.text):
                    out.append(cell.refusal)
                elif not isinstance(cell, (Blank, Unreadable)):
                    out.append(Statement((Link("", Label(name)), Link("=", cell)), node.line))


def _renamed(found: Found, name: str) -> Found:
    if isinstance(found, Refusal) or not name:
        return found
    first, *others = found.links
    links = (Link("", Label(name)), Link("=", first.part, first.start, first.end), *others)
    return Statement(links, found.line, found.heading)


def _named(name: str, grid: Grid, line: int) -> Statement:
    links = (Link("", Label(name)), Link("=", grid)) if name else (Link("", grid),)
    return Statement(links, line)


def _placed(refusal: Refusal, node: Listing, text: str) -> Refusal:
    lines = text.split("\n")
    typed = lines[node.line - 1] if 0 < node.line <= len(lines) else ""
    return Refusal(
        refusal.code, 0, message=refusal.message, hint=refusal.hint, readings=refusal.readings
    ).within(typed, line=node.line)


def _grid(node: Listing, format: Format) -> Grid:
    rows: list[tuple[Cell, ...]] = []
    if all(isinstance(item, Scalar) for item in node.items):
        rows.append(tuple(_cell(item, format) for item in node.items))  # type: ignore[arg-type]
    else:
        for item in node.items:
            if not isinstance(item, Listing):
                refuse("ragged", 0, message="rows and numbers stand side by side")
            if any(not isinstance(cell, Scalar) for cell in item.items):
                refuse("not-a-value", 0, message="lists are nested too deep for a matrix")
            rows.append(tuple(_cell(cell, format) for cell in item.items))  # type: ignore[arg-type]
    if not rows or not rows[0]:
        refuse("empty-matrix", 0)
    if len({len(row) for row in rows}) > 1:
        counts = ", ".join(str(len(row)) for row in rows[:8])
        refuse("ragged", 0, message=f"the rows have different lengths: {counts}")
    return Grid(tuple(rows))


def _cell(node: Scalar, format: Format) -> Cell:
    text = _INFINITE.get(node.text.lower(), node.text)
    if node.is_null or not text.strip():
        return Blank()
    if format == "json" and text in ("true", "false"):
        refusal = Refusal("not-a-value", 0, len(text)).within(text, line=node.line)
        return Unreadable(text, refusal)
    tokens: list[Token] = []
    try:
        tokens = lex(text)
    except Refusal as refusal:
        return Unreadable(text, refusal.within(text, line=node.line))
    cell = read_cell(text, (*tokens, Token("end", "", len(text), len(text))), tex=False)
    if isinstance(cell, Unreadable):
        cell.refusal.within(text, line=node.line)
    return cell
