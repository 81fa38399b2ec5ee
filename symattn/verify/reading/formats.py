"""The formats in which answers are read: one registry line each."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Final, TypeAlias

from symattn.verify.reading import plain
from symattn.verify.reading.grammar import LETTERS
from symattn.verify.reading.refusal import Refusal, refuse
from symattn.verify.reading.written import Blank, Grid, Label, Link, Statement, Unreadable

LONGEST: Final = 256 * 1024
"""Characters of one hand-in."""

Found: TypeAlias = Statement | Refusal

FORMATS: Final = {
    "latex": "latex.statements",
    "markdown": "markdown.statements",
    "plain": "plain.statements",
    "csv": "table.csv_statements",
    "yaml": "data_tree.yaml_statements",
    "json": "data_tree.json_statements",
}
"""The formats, each with its reader, which is loaded when it is needed."""
SUFFIXES: Final = {
    ".tex": "latex", ".latex": "latex", ".md": "markdown", ".markdown": "markdown",
    ".txt": "plain", ".text": "plain", ".csv": "csv", ".tsv": "csv", ".yaml": "yaml",
    ".yml": "yaml", ".json": "json",
}  # fmt: skip


def statements(text: str, format: str) -> list[Found]:
    """What the text claims, in order, and what in it could not be read. Refusal where the text as
    a whole is not well formed or too large."""
    if len(text) > LONGEST:
        refuse("too-large", 0, message=f"more than {LONGEST} characters")
    try:
        return _reader(format)(text)
    except RecursionError:
        refuse("too-deep", 0)


def _reader(format: str) -> Callable[[str], list[Found]]:
    module, _, name = FORMATS[format].partition(".")
    reader: Callable[[str], list[Found]] = getattr(
        import_module(f"symattn.verify.reading.{module}"), name
    )
    return reader


def page(text: str, format: str, letters: frozenset[str] = frozenset()) -> list[Found]:
    """What a whole page claims; prose is passed over, what looks like mathematics is not.

    `letters` are those of the problem, which may stand in values.
    """
    before = LETTERS.set(letters)
    try:
        found = statements(text, format)
    finally:
        LETTERS.reset(before)
    return [
        each
        for each in found
        if isinstance(each, Statement) or plain.looks_claimed(each.place.typed)
    ]


def read(text: str, format: str) -> tuple[Link, ...]:
    """The one chain that the text holds, strictly: a Refusal for anything that is not read.

    A heading above a matrix without a name is its name.
    """
    found = statements(text, format)
    for each in found:
        if isinstance(each, Refusal):
            raise each
        for link in each.links:
            if isinstance(link.part, Grid):
                _check_cells(link.part, link.start)
    if not found:
        refuse("not-a-value", 0, len(text), message="there is no number in it")
    if len(found) > 1:
        refuse("not-a-value", 0, len(text), message=f"there are {len(found)} values in it")
    statement = found[0]
    assert isinstance(statement, Statement)
    first = statement.links[0]
    if statement.heading and not isinstance(first.part, Label) and not first.relation:
        named = Link("=", first.part, first.start, first.end)
        return (Link("", Label(statement.heading)), named, *statement.links[1:])
    return statement.links


def _check_cells(grid: Grid, start: int) -> None:
    for row in grid.rows:
        for cell in row:
            if isinstance(cell, Unreadable):
                raise cell.refusal
            if isinstance(cell, Blank):
                refuse("empty-cell", start, hint="Write ? for a cell that is left open.")


def detected(text: str) -> str:
    """The format that a text looks like."""
    start = text.lstrip("\ufeff \t\r\n")
    if start[:1] == "{" and '"' in start[:200]:
        return "json"
    if "\\begin{" in text or "\\frac" in text or "\\[" in text or "\\documentclass" in text:
        return "markdown" if _has_markdown(text) else "latex"
    if _has_markdown(text):
        return "markdown"
    lines = [line for line in start.split("\n") if line.strip()]
    if (
        lines
        and all("," in line or ";" in line for line in lines)
        and not set(start) & set("[]()=")
    ):
        return "csv"
    if lines and _is_key(lines[0]) and all(_is_yaml(line) for line in lines) and "=" not in start:
        return "yaml"
    return "plain"


def _has_markdown(text: str) -> bool:
    return (
        "```" in text
        or "\n|---" in text
        or "|--" in text
        or "$$" in text
        or any(line.startswith(("# ", "## ", "### ")) for line in text.split("\n"))
    )


def _is_yaml(line: str) -> bool:
    return _is_key(line) or line[:1] in " \t-#]}"


def _is_key(line: str) -> bool:
    key, colon, rest = line.partition(":")
    return bool(colon) and key.replace("_", "").isalnum() and rest.strip()[:1] in ("", "[", "|")
