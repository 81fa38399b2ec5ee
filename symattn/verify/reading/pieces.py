"""Tokens cut into pieces: at commas, at spaces, at brackets."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symattn.verify.reading.tokens import Token

OPENING: Final = {"(": ")", "[": "]", "{": "}"}
"""Brackets, each with the one that closes it."""


def nesting(token: Token) -> int:
    if token.kind == "sign":
        return 1 if token.text in OPENING else -1 if token.text in ")]}" else 0
    return {"open": 1, "close": -1}.get(token.kind, 0)


def closing_sign(token: Token) -> str | None:
    if token.kind == "close":
        return "close"
    return token.text if token.kind == "sign" and token.text in (")", "]", "}") else None


def top(tokens: Sequence[Token]) -> list[Token]:
    """The tokens outside of all brackets."""
    depth, found = 0, []
    for token in tokens:
        if depth == 0:
            found.append(token)
        depth += nesting(token)
    return found


def split(tokens: Sequence[Token], sign: str) -> list[Sequence[Token]]:
    """The parts between a sign that stands outside of all brackets."""
    parts: list[Sequence[Token]] = []
    start = depth = 0
    for k, token in enumerate(tokens):
        depth += nesting(token)
        if depth == 0 and token.kind == "sign" and token.text == sign:
            parts.append(tokens[start:k])
            start = k + 1
    parts.append(tokens[start:])
    return parts


def at_spaces(tokens: Sequence[Token]) -> list[Sequence[Token]]:
    parts: list[Sequence[Token]] = []
    start = depth = 0
    for k, token in enumerate(tokens):
        if depth == 0 and token.spaced and k > start:
            parts.append(tokens[start:k])
            start = k
        depth += nesting(token)
    parts.append(tokens[start:])
    return parts


def separated(inside: Sequence[Token]) -> bool:
    return any(t.kind == "sign" and t.text in ",;" for t in top(inside))


def is_decimal_comma(row: Sequence[Token]) -> bool:
    """0,422 with at least two digits after the comma."""
    if len(row) == 4 and row[0].text == "-":
        row = row[1:]
    if len(row) != 3 or row[1].text != ",":
        return False
    whole, comma, part = row
    numbers = whole.kind == part.kind == "number" and whole.text.isdigit() and part.text.isdigit()
    return numbers and not comma.spaced and not part.spaced and len(part.text) >= 2


def end_after(part: Sequence[Token]) -> Token:
    at = part[-1].end
    return Token("end", "", at, at)


def without_full_stop(part: Sequence[Token]) -> Sequence[Token]:
    while part and part[-1].kind == "sign" and part[-1].text in (".", ",", ";"):
        part = part[:-1]
    return part
