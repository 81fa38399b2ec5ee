"""One tree for all file formats: text as it was typed, lists and mappings, each with its place."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final, Literal, TypeAlias, Union

from symattn.errors import InputError, Place
from symattn.exact.matrix import MinusInfinity
from symattn.exact.number import Number

DEEPEST: Final = 20
"""Lists and mappings inside each other."""
LARGEST_FILE: Final = 1 << 20
"""Bytes of a problem file."""

Format: TypeAlias = Literal["yaml", "json", "toml"]
FORMATS: Final[tuple[Format, ...]] = ("yaml", "json", "toml")


@dataclass(frozen=True, slots=True)
class Scalar:
    """Text as it was typed, or an exact value that was handed over from Python."""

    text: str
    line: int = 0
    column: int = 0
    is_null: bool = False
    by_line: bool = False
    """Whether its lines are lines of the file, the first of them at `line`."""
    value: Number | MinusInfinity | None = None


@dataclass(frozen=True, slots=True)
class Listing:
    items: tuple[Node, ...]
    line: int = 0
    column: int = 0


@dataclass(frozen=True, slots=True)
class Mapping:
    entries: tuple[tuple[Scalar, Node], ...]
    line: int = 0
    column: int = 0


Node: TypeAlias = Union[Scalar, Listing, Mapping]


def parse(text: str, format: Format, file: str = "") -> Node:
    """The tree of a text. InputError with line and column where it is not well formed."""
    if not text.strip():
        raise InputError(
            "the file is empty", place=Place(file=file), hint="A problem needs X, W_Q, W_K, W_V."
        )
    try:
        if format == "json":
            from symattn.reading.json_tree import parse as parse_json

            return parse_json(text)
        if format == "toml":
            from symattn.reading.toml_tree import parse as parse_toml

            return parse_toml(text)
        from symattn.reading.yaml_tree import parse as parse_yaml

        return parse_yaml(text)
    except InputError as error:
        place = error.place
        error.place = Place(file=file, line=place.line, column=place.column)
        raise


def decoded(data: bytes, file: str = "") -> str:
    """The text of a file. InputError where it is too large, binary, or not UTF-8."""
    place = Place(file=file)
    if len(data) > LARGEST_FILE:
        raise too_large(file)
    if data.startswith((b"\xff\xfe", b"\xfe\xff")):
        raise InputError("the file is UTF-16 text", place=place, hint="Save it as UTF-8.")
    if b"\0" in data:
        raise InputError(
            "this is a binary file, not a text", place=place, hint="Give a YAML, JSON or TOML file."
        )
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        before = data[: error.start]
        column = len(before) - (before.rfind(b"\n") + 1) + 1
        raise InputError(
            "the file is not UTF-8 text",
            place=Place(file=file, line=before.count(b"\n") + 1, column=column),
            hint="Save it as UTF-8.",
        ) from None


def too_large(file: str) -> InputError:
    return InputError(
        f"the file is larger than {LARGEST_FILE >> 20} MiB",
        place=Place(file=file),
        hint="A problem that fits on paper is much smaller: is this the right file?",
    )


def guessed_format(text: str) -> Format:
    """The format that a text looks like."""
    start = text.lstrip()
    if start.startswith("[["):
        # TOML's [[heads]], or a JSON list of lists.
        return "toml" if start[2:].lstrip()[:1].isalpha() else "json"
    if start[:1] == "{":
        return "json" if start[1:].lstrip()[:1] in ('"', "}", "") else "yaml"
    if start[:1] == "[":
        return "toml" if start[1:].lstrip()[:1].isalpha() else "json"
    for line in text.splitlines():
        code = line.split("#")[0].strip()
        if code:
            key, equals, _ = code.partition("=")
            return "toml" if equals and ":" not in key else "yaml"
    return "yaml"


# ------------------------------------------------------------------ shared by the formats


def duplicate(key: str, first: int, second: Scalar) -> InputError:
    where = f"in line {first} and in line {second.line}" if first != second.line else "twice"
    return malformed(
        f'the key "{short(key)}" is given {where}', second.line, second.column, "Keep one of them."
    )


def refuse_deep(text: str, brackets: re.Pattern[str]) -> None:
    """InputError where brackets nest too deep for the recursive readers of the standard library.

    `brackets` matches a bracket, or what may hold one that is none: a string or a comment.
    """
    depth = 0
    for token in brackets.finditer(text):
        if token[0] in "[{":
            depth += 1
            if depth > DEEPEST:
                line = text.count("\n", 0, token.start()) + 1
                raise too_deep(line, token.start() - text.rfind("\n", 0, token.start()))
        elif token[0] in "]}":
            depth -= 1


def too_deep(line: int, column: int) -> InputError:
    return malformed(
        f"more than {DEEPEST} lists and mappings inside each other", line, column,
        "A matrix is a list of lists.",
    )  # fmt: skip


def malformed(message: str, line: int, column: int, hint: str = "") -> InputError:
    return InputError(message, place=Place(line=line, column=column), hint=hint)


def short(text: str, longest: int = 40) -> str:
    """The text for a message: on one line and not long."""
    shown = "".join(c if c.isprintable() else " " for c in text[: longest + 1])
    return shown if len(text) <= longest else shown[:longest] + "…"


def check_text(text: str, line: int, column: int) -> None:
    """Refuse characters that no page can show: control characters and halves of pairs."""
    if text.isprintable():
        return
    for character in text:
        if (character < " " and character not in "\t\n\r") or "\ud800" <= character <= "\udfff":
            raise malformed(
                f"the character U+{ord(character):04X} cannot stand in a text",
                line,
                column,
                "Leave it out.",
            )


class Builder:
    """Builds the tree from a flat run of openings, texts and closings."""

    def __init__(self) -> None:
        self.open: list[_Open] = []
        self.root: Node | None = None

    def start(self, line: int, column: int, *, mapping: bool) -> None:
        self._check_key(line, column)
        if len(self.open) >= DEEPEST:
            raise too_deep(line, column)
        self.open.append(_Open(line, column, mapping))

    def end(self) -> None:
        done = self.open.pop()
        if done.mapping:
            self._put(Mapping(tuple(done.entries), done.line, done.column))
        else:
            self._put(Listing(tuple(done.items), done.line, done.column))

    def text(self, scalar: Scalar) -> None:
        check_text(scalar.text, scalar.line, scalar.column)
        top = self.open[-1] if self.open else None
        if top and top.mapping and top.key is None:
            key = scalar.text
            if key in top.lines:
                raise duplicate(key, top.lines[key], scalar)
            top.lines[key] = scalar.line
            top.key = scalar
        else:
            self._put(scalar)

    def _check_key(self, line: int, column: int) -> None:
        if self.open and self.open[-1].mapping and self.open[-1].key is None:
            raise malformed("a key must be a word", line, column, "Write keys such as X or W_Q.")

    def _put(self, node: Node) -> None:
        if not self.open:
            self.root = node
            return
        top = self.open[-1]
        if top.mapping:
            assert top.key
            top.entries.append((top.key, node))
            top.key = None
        else:
            top.items.append(node)


class _Open:
    """A list or mapping that is not closed yet."""

    def __init__(self, line: int, column: int, mapping: bool) -> None:
        self.line, self.column, self.mapping = line, column, mapping
        self.items: list[Node] = []
        self.entries: list[tuple[Scalar, Node]] = []
        self.lines: dict[str, int] = {}
        self.key: Scalar | None = None
