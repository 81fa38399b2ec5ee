"""TOML text -> tree. The standard library reads the values; a scan of the text adds the places."""

from __future__ import annotations

import re
import tomllib
from collections import Counter
from typing import Any, Final, TypeAlias

from symattn.reading.tree import (
    DEEPEST,
    Listing,
    Mapping,
    Node,
    Scalar,
    malformed,
    refuse_deep,
    too_deep,
)

Path: TypeAlias = tuple["str | int", ...]
Spot: TypeAlias = tuple[int, int]

_STRING: Final = (
    r'"""(?:[^\\]|\\.)*?"{3,5}|' + r"'''.*?'{3,5}|" + r'"(?:[^"\\\n]|\\.)*"|' + r"'[^'\n]*'"
)
_TOKEN: Final = re.compile(
    rf"(?P<comment>#[^\n]*)|(?P<space>[ \t\r]+)|(?P<newline>\n)|(?P<string>{_STRING})"
    r"|(?P<sign>[\[\]{},=.])|(?P<word>[^\s#\[\]{},=.\"']+)",
    re.DOTALL,
)

# Open strings run to the end: the text need not be TOML yet.
_BRACKET: Final = re.compile(
    r'#[^\n]*|"""(?:[^\\]|\\.)*?(?:"{3,5}|\Z)|'
    r"""'{3}.*?(?:'{3,5}|\Z)|"(?:[^"\\\n]|\\.)*"?|'[^'\n]*'?|[\[{]|[\]}]""",
    re.DOTALL,
)


def parse(text: str) -> Node:
    """The tree. InputError for malformed TOML; what is wrong in a value is found by its line."""
    text = text.replace("\r\n", "\n")
    refuse_deep(text, _BRACKET)
    try:
        data = tomllib.loads(text, parse_float=_Digits)
    except tomllib.TOMLDecodeError as error:
        message, line, column = _placed(str(error), text)
        raise malformed(
            f"this is not TOML: {message}", line, column,
            "Check the quotes, brackets and equals signs there.",
        ) from None  # fmt: skip
    except (ValueError, RecursionError):
        raise malformed("a number in this file is too large", 0, 0, "Use fewer digits.") from None
    return _Tree(_Places(text)).node(data, ())


class _Digits(str):
    """A float as it was typed."""


class _Tree:
    def __init__(self, places: _Places) -> None:
        self.keys, self.spots = places.keys, places.spots

    def spot(self, path: Path) -> Spot:
        """The place of what is at the path, or of the nearest thing around it."""
        while path and path not in self.spots:
            path = path[:-1]
        return self.spots.get(path, (1, 1))

    def node(self, value: Any, path: Path) -> Node:
        line, column = self.spot(path)
        if len(path) > DEEPEST:
            raise too_deep(line, column)
        match value:
            case dict():
                entries = []
                for key, item in value.items():
                    inner = (*path, key)
                    spot = self.keys.get(inner) or self.spot(inner)
                    entries.append((Scalar(key, *spot), self.node(item, inner)))
                return Mapping(tuple(entries), line, column)
            case list():
                items = (self.node(item, (*path, i)) for i, item in enumerate(value))
                return Listing(tuple(items), line, column)
            case bool():
                return Scalar("true" if value else "false", line, column)
            case int() if value.bit_length() > 10_000:
                raise malformed("the number is too large", line, column, "Use fewer digits.")
            case _:
                return Scalar(str(value), line, column)


class _Places:
    """Where each key, value and item of a list starts, by its path. The text is valid TOML."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.at, self.line, self.start = 0, 1, 0
        self.keys: dict[Path, Spot] = {}
        self.spots: dict[Path, Spot] = {}
        self.tables: Counter[Path] = Counter()
        table: Path = ()
        while self.peek(newlines=True):
            if self.text[self.at] == "[":
                table = self.header()
            else:
                self.assignment(table)

    def peek(self, *, newlines: bool) -> re.Match[str] | None:
        """The next token that is not space, and not consumed; None at the end (of the line)."""
        while token := _TOKEN.match(self.text, self.at):
            if token.lastgroup == "newline" and not newlines:
                return None
            if token.lastgroup not in ("comment", "space", "newline"):
                return token
            self.consume(token)
        return None

    def consume(self, token: re.Match[str]) -> str:
        self.at = token.end()
        if lines := token[0].count("\n"):
            self.line += lines
            self.start = token.start() + token[0].rfind("\n") + 1
        return token[0]

    def here(self) -> Spot:
        return self.line, self.at - self.start + 1

    def header(self) -> Path:
        """[a.b] or [[a.b]]: the path of the table that starts."""
        spot = self.here()
        double = self.text.startswith("[[", self.at)
        self.at += 2 if double else 1
        path = self._resolved(self.key("]"))
        self.at += 2 if double else 1
        if double:
            self.spots.setdefault(path, spot)
            self.tables[path] += 1
            path = (*path, self.tables[path] - 1)
        self.spots.setdefault(path, spot)
        return path

    def _resolved(self, key: Path) -> Path:
        """The key's path, each list of tables on the way meaning its last table."""
        path: Path = ()
        for i, part in enumerate(key):
            path = (*path, part)
            if i < len(key) - 1 and self.tables[path]:
                path = (*path, self.tables[path] - 1)
        return path

    def key(self, closing: str) -> Path:
        """A dotted key up to the closing sign, which is left."""
        parts: list[str] = []
        while (token := self.peek(newlines=False)) and token[0] != closing:
            word = self.consume(token)
            if word[0] in "\"'":
                (word,) = tomllib.loads(f"{word} = 1")
                parts.append(word)
            elif word != ".":
                parts.append(word)
        return tuple(parts)

    def assignment(self, table: Path) -> None:
        spot = self.here()
        path = (*table, *self.key("="))
        self.at += 1
        self.keys[path] = spot
        self.value(path)

    def value(self, path: Path) -> None:
        token = self.peek(newlines=True)
        assert token
        self.spots[path] = self.here()
        match token[0]:
            case "[":
                self.consume(token)
                index = 0
                while (token := self.peek(newlines=True)) and token[0] != "]":
                    if token[0] == ",":
                        self.consume(token)
                    else:
                        self.value((*path, index))
                        index += 1
                self.at += 1
            case "{":
                self.consume(token)
                while (token := self.peek(newlines=True)) and token[0] != "}":
                    if token[0] == ",":
                        self.consume(token)
                    else:
                        self.assignment(path)
                self.at += 1
            case _:
                # A string, or a bare run such as 1.5 or a date.
                while (token := self.peek(newlines=False)) and token[0] not in ",]}":
                    self.consume(token)


def _placed(message: str, text: str) -> tuple[str, int, int]:
    """The message of tomllib without its place, and the place."""
    found = re.fullmatch(r"(.*) \(at (?:line (\d+), column (\d+)|end of document)\)", message)
    if not found:
        return message, 0, 0
    if not found[2]:
        return f"{found[1]} at the end", text.count("\n") + 1, 0
    return found[1], int(found[2]), int(found[3])
