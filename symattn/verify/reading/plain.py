"""Plain text: chains, lists over several lines, matrices row by row, with names and labels.

Prose is passed over; a line that looks like a formula and cannot be read is reported.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final

from symattn.verify.reading.grammar import Parser, read_cell
from symattn.verify.reading.pieces import at_spaces, split, top
from symattn.verify.reading.refusal import Refusal
from symattn.verify.reading.tokens import Token, lex
from symattn.verify.reading.written import (
    Cell,
    Grid,
    Label,
    Link,
    Statement,
    Unreadable,
    Written,
)

Found = Statement | Refusal

LONGEST_STATEMENT: Final = 400
"""Lines over which an open bracket is followed."""
_BARS: Final = "|│‖⎡⎢⎣⎤⎥⎦┃"
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")
_JOINS: Final = frozenset((",", ";", "and"))


@dataclass(frozen=True, slots=True)
class _Chunk:
    """Lines that belong together, as one text."""

    text: str
    line: int


def statements(text: str, line: int = 1, heading: str = "") -> list[Found]:
    """Everything that is claimed, in order, and what could not be read."""
    out: list[Found] = []
    rows: list[_Row] = []
    pending = ""
    headers: tuple[str, ...] = ()
    for chunk in _chunks(text, line):
        if not chunk.text.strip():
            out += _matrix(rows, pending or heading, headers)
            if rows:
                pending, headers = "", ()
            rows = []
            continue
        if row := _row(chunk):
            if rows and len(rows[0].cells) != len(row.cells) and row.is_bare != rows[0].is_bare:
                out += _matrix(rows, pending or heading, headers)
                rows, pending, headers = [], "", ()
            rows.append(row)
            continue
        if rows:
            out += _matrix(rows, pending or heading, headers)
            rows, pending, headers = [], "", ()
        if names := _names_only(chunk.text):
            pending = names
        elif words := _header(chunk.text):
            headers = words
        else:
            found = _chain(chunk, pending or heading)
            if any(isinstance(each, Statement) for each in found):
                pending = ""
            elif _announces(chunk.text):
                pending = chunk.text.strip()
            out += found
    out += _matrix(rows, pending or heading, headers)
    return out


# ---------------------------------------------------------------------- lines that belong together


def _chunks(text: str, line: int) -> Iterator[_Chunk]:
    """Lines joined while a bracket is open, and where a line goes on with a sign."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    k = 0
    while k < len(lines):
        start = k
        parts = [_without_comment(lines[k])]
        depth = _depth(parts[0])
        k += 1
        while k < len(lines) and k - start < LONGEST_STATEMENT:
            following = _without_comment(lines[k])
            if depth > 0 and following.strip():
                pass
            elif not (parts[-1].strip() and _goes_on(following)):
                break
            parts.append(following)
            depth += _depth(following)
            k += 1
        yield _Chunk("\n".join(parts), line + start)


def _depth(line: str) -> int:
    return sum(c in _OPEN for c in line) - sum(c in _CLOSE for c in line)


def _goes_on(line: str) -> bool:
    """Whether the line begins with a relation, or with a sign and a space."""
    start = line.lstrip()
    return start[:1] in ("=", "≈") or (start[:1] in ("+", "×", "·", "*") and start[1:2] == " ")


def _without_comment(line: str) -> str:
    """The line without # and what follows, where something stands before it."""
    for sign in (" #", "\t#", " //", "  %"):
        at = line.find(sign)
        if at > 0 and line[:at].strip():
            return line[:at]
    return line


# ---------------------------------------------------------------------- rows


@dataclass(frozen=True, eq=False, slots=True)
class _Row:
    cells: tuple[Cell, ...]
    label: str
    line: int
    is_bare: bool
    """Without brackets."""
    chunk: _Chunk


def _row(chunk: _Chunk) -> _Row | None:
    """The chunk as one row of a matrix, or None."""
    if "\n" in chunk.text and not _OPEN & set(chunk.text):
        return None
    label, rest, offset = _labelled(chunk.text)
    bars = rest.strip()[:1] in _BARS and rest.strip()[:1] != ""
    inner = rest.strip()
    if bars or inner[-1:] in _BARS:
        offset += rest.find(inner)
        trimmed = inner.lstrip(_BARS)
        offset += len(inner) - len(trimmed)
        rest = trimmed.rstrip(_BARS)
    try:
        tokens = lex(rest, 0)
    except Refusal:
        return None
    if not tokens or any(t.kind == "relation" and t.text != "→" for t in tokens):
        return _bracketed_row(chunk, label) if label else None
    if any(t.kind == "relation" for t in tokens):
        return None
    cells = _cells(rest, tokens)
    lone = cells is not None and len(cells) == 1 and not bars and not label
    if cells is None or (lone and not _is_number(rest.strip())):
        return _single(chunk, tokens) if not label else _bracketed_row(chunk, label)
    return _Row(tuple(cells), label, chunk.line, True, chunk)


def _single(chunk: _Chunk, tokens: Sequence[Token]) -> _Row | None:
    """A [..], or numbers between commas, may be a row of a matrix whose other rows follow."""
    bracketed = tokens[0].text == "[" and tokens[-1].text == "]"
    listed = any(token.text == "," for token in tokens) and "[" not in chunk.text
    if "\n" in chunk.text or not (bracketed or listed):
        return None
    return _bracketed_row(chunk, "")


def _bracketed_row(chunk: _Chunk, label: str) -> _Row | None:
    """label → [1, 2, 3] or label → [2/1.73, …] = [1.15, …]: the last list."""
    _, rest, _ = _labelled(chunk.text)
    try:
        links = _parsed(rest)
    except Refusal:
        return None
    last = links[-1].part
    if not isinstance(last, Grid) or last.shape[0] != 1 or last.is_computed:
        return None
    if any(isinstance(link.part, Label) for link in links) or not (label or len(links) == 1):
        return None
    return _Row(last.rows[0], label, chunk.line, False, chunk)


def _labelled(text: str) -> tuple[str, str, int]:
    """A label before →, : or |, what follows it, and where that begins."""
    for sign in (":", "→", "->", "|", "│"):
        at = text.find(sign)
        if at <= 0:
            continue
        label = text[:at].strip().strip("\"'`*")
        rest = text[at + len(sign) :]
        is_label = label and not any(c in "=≈([{|" for c in label) and not _is_number(label)
        if is_label and rest.strip():
            return label, rest, at + len(sign)
    return "", text, 0


def _is_number(text: str) -> bool:
    return all(c in "0123456789.,-+−eE% \t" for c in text)


def _cells(text: str, tokens: Sequence[Token]) -> list[Cell] | None:
    """The cells between commas, bars or spaces; None where one cannot be read."""
    parts = _split(text, tokens)
    if parts is None:
        return None
    cells: list[Cell] = []
    for part in parts:
        end = part[-1].end if part else 0
        cell = read_cell(text, (*part, Token("end", "", end, end)), tex=False)
        if isinstance(cell, Unreadable):
            return None
        cells.append(cell)
    return cells if any(isinstance(cell, Written) for cell in cells) else None


def _split(text: str, tokens: Sequence[Token]) -> Sequence[Sequence[Token]] | None:
    signs = {token.text for token in top(tokens) if token.kind == "sign"}
    if "|" in signs:
        return split(tokens, "|")
    if len(tokens) > 3 and [t.text for t in tokens[-2:]] == ["%", ")"] and tokens[-4].text == "(":
        return None  # 0.25 (25%)
    if signs & {",", ";"}:
        return None  # The chain grammar knows what commas may mean.
    wide = [k for k in range(1, len(tokens)) if tokens[k].start - tokens[k - 1].end >= 2]
    pieces = _at(tokens, wide) if wide else at_spaces(tokens)
    if len(wide) and any(
        len(at_spaces(piece)) > 1 and not _has_lone_sign(piece) for piece in pieces
    ):
        pieces = at_spaces(tokens)
    if any(_has_lone_sign(piece) and len(piece) == 1 for piece in pieces):
        return None
    return pieces


def _has_lone_sign(piece: Sequence[Token]) -> bool:
    return any(
        len(part) == 1 and part[0].kind == "sign" and part[0].text in "+-*/^%=<>:'\""
        for part in at_spaces(piece)
    )


def _at(tokens: Sequence[Token], places: Sequence[int]) -> list[list[Token]]:
    ends = [*places, len(tokens)]
    starts = [0, *places]
    return [list(tokens[a:b]) for a, b in zip(starts, ends, strict=True)]


def _matrix(rows: list[_Row], name: str, headers: tuple[str, ...]) -> list[Found]:
    """The rows as one statement, or as several where their lengths differ."""
    if not rows:
        return []
    if len({len(row.cells) for row in rows}) > 1:
        groups: list[list[_Row]] = []
        for row in rows:
            if groups and len(groups[-1][0].cells) == len(row.cells):
                groups[-1].append(row)
            else:
                groups.append([row])
        if len(groups) > 1 and all(row.is_bare and not row.label for row in rows):
            text = "\n".join(row.chunk.text for row in rows)
            counts = ", ".join(str(len(row.cells)) for row in rows[:8])
            refusal = Refusal(
                "ragged", 0, len(text), message=f"the rows have different lengths: {counts}"
            )
            return [refusal.within(text, line=rows[0].line)]
        return [found for group in groups for found in _matrix(group, name, ())]
    labels = tuple(row.label for row in rows) if all(row.label for row in rows) else ()
    chained = len(rows) == 1 and not labels and (not rows[0].is_bare or len(rows[0].cells) == 1)
    if chained and rows[0].chunk.text.strip()[:1] not in _BARS:
        return _chain(rows[0].chunk, name)
    if headers and len(headers) != len(rows[0].cells):
        headers = ()
    grid = Grid(tuple(row.cells for row in rows), tokens=labels, headers=headers)
    return [Statement((Link("", grid),), rows[0].line, name)]


# ---------------------------------------------------------------------- names, headers, chains


def _names_only(text: str) -> str:
    """The names in "Q1 = K1 = V1 =", "Scores:" and "## Scores"; "" where there is more."""
    stripped = text.strip().strip("#").strip().strip("*_`")
    if not any(c.isalpha() for c in stripped) or len(stripped) > 120 or "\n" in stripped:
        return ""
    if stripped[-1:] in ("=", ":", "≈"):
        return stripped.rstrip("=:≈ ")
    return stripped if text.lstrip().startswith("#") else ""


def _announces(text: str) -> bool:
    """A few words in a line of their own are a heading."""
    words = text.split()
    plain = not any(c.isdigit() or c in "=≈[" for c in text)
    return 0 < len(words) <= 5 and plain and any(c.isalpha() for c in text)


def _header(text: str) -> tuple[str, ...]:
    """Words above the columns of a matrix."""
    words = text.split()
    spread = "  " in text.strip() or text[:1] == " " or "\t" in text.strip()
    if len(words) > 1 and spread and not any(c.isdigit() or c in "=[(" for c in text):
        return tuple(words)
    return ()


def _chain(chunk: _Chunk, heading: str) -> list[Found]:
    """The chunk as a chain; as several matrices side by side; or why it is neither."""
    if several := _between_bars(chunk, heading):
        return several
    if parts := _sentences(chunk):
        return [found for part in parts for found in _chain(part, heading)]
    label, rest, _ = _labelled(chunk.text)
    if label:
        try:
            tail = _parsed(rest)
        except Refusal:
            pass
        else:
            links = (Link("", Label(label)), replace(tail[0], relation="="), *tail[1:])
            return [Statement(links, chunk.line, heading)]
    try:
        return [Statement(_parsed(chunk.text), chunk.line, heading)]
    except Refusal as refusal:
        if several := _side_by_side(chunk, heading) or _named_list(chunk, heading):
            return several
        return [refusal.within(chunk.text, line=chunk.line)]


def _parsed(text: str) -> tuple[Link, ...]:
    tokens = lex(text)
    return Parser(text, (*tokens, Token("end", "", len(text), len(text))), tex=False).chain()


def _side_by_side(chunk: _Chunk, heading: str) -> list[Found]:
    """[[1,2],[3,4]] [[5,6],[7,8]]: several matrices in one line."""
    try:
        pieces = at_spaces(lex(chunk.text))
    except Refusal:
        return []
    if len(pieces) < 2 or any(piece[0].text != "[" for piece in pieces):
        return []
    out: list[Found] = []
    for piece in pieces:
        closed = (*piece, Token("end", "", piece[-1].end, piece[-1].end))
        try:
            links = Parser(chunk.text, closed, tex=False).chain()
        except Refusal:
            return []
        out.append(Statement(links, chunk.line, heading))
    return out


def _named_list(chunk: _Chunk, heading: str) -> list[Found]:
    """output [[1, 2], [3, 4]]: words before a matrix."""
    at = chunk.text.find("[")
    name = chunk.text[: max(at, 0)].strip()
    if not _announces(name):
        return []
    try:
        (link,) = _parsed(chunk.text[at:])
    except (Refusal, ValueError):
        return []
    links = (Link("", Label(name)), replace(link, relation="="))
    return [Statement(links, chunk.line, heading)]


def _sentences(chunk: _Chunk) -> list[_Chunk]:
    """Q = [[…]] and K = [[…]], a₁₁ = 0.07, a₁₂ = 0.71: parts with a relation each, that begin with
    words after a bracket is closed, or after a comma."""
    try:
        tokens = lex(chunk.text)
    except Refusal:
        return []
    depth, parts = 0, [0]
    ends: list[int] = []
    for k, token in enumerate(tokens):
        if token.kind == "sign":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if not k or depth or not token.spaced or token.text in _JOINS:
            continue
        joined = tokens[k - 1].text in _JOINS
        before = k - 2 if joined else k - 1
        closed = before >= 0 and tokens[before].text in ("]", "}") and token.kind == "word"
        said = any(t.kind == "relation" for t in tokens[k:])
        if (closed and said) or (joined and _is_statement(tokens[k:])):
            ends.append(tokens[k - 1].start if joined else token.start)
            parts.append(token.start)
    ends.append(len(chunk.text))
    texts = [
        (chunk.text[a:b].strip(" \t\n,;"), chunk.text.count("\n", 0, a))
        for a, b in zip(parts, ends, strict=True)
    ]
    if len(texts) == 1 or not all(any(c in text for c in "=≈~[") for text, _ in texts):
        return []
    return [_Chunk(text, chunk.line + lines) for text, lines in texts]


def _is_statement(tokens: Sequence[Token]) -> bool:
    """Whether there is a relation before the next comma."""
    depth = 0
    for token in tokens:
        if token.kind == "relation" and not depth:
            return True
        if token.kind == "sign":
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
        if not depth and token.text in _JOINS:
            break
    return False


def _between_bars(chunk: _Chunk, heading: str) -> list[Found]:
    """a ≈ b | c ≈ d: several chains in one line."""
    for sign in ("|", "│", ";"):
        parts = [part.strip() for part in chunk.text.split(sign) if part.strip()]
        if len(parts) > 1 and all("=" in part or "≈" in part for part in parts):
            break
    else:
        return []
    out: list[Found] = []
    for part in parts:
        try:
            out.append(Statement(_parsed(part), chunk.line, heading))
        except Refusal:
            return []
    return out


def looks_claimed(text: str) -> bool:
    """Whether a line that could not be read was meant as mathematics."""
    digits = any(c.isdigit() for c in text)
    return (
        digits
        and any(c in text for c in "=≈[|")
        and sum(c.isalpha() for c in text) < 0.6 * len(text)
    )
