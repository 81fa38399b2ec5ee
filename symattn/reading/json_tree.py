"""JSON text -> tree. The standard library says whether it is JSON; a scan adds the places."""

from __future__ import annotations

import json
import re
from json import decoder
from typing import Any, Final, NoReturn

from symattn.reading.tree import Builder, Node, Scalar, malformed, refuse_deep

_read_string: Final[Any] = decoder.scanstring  # type: ignore[attr-defined]  # not in the stubs
_TOKEN: Final = re.compile(r'[ \t\r]*(?:(\n)|([\[\]{},:])|(")|([^\s\[\]{},:"]+))')

# An open string runs to the end: the text need not be JSON yet.
_BRACKET: Final = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[{]|[\]}]', re.DOTALL)


def parse(text: str) -> Node:
    """The tree. InputError for malformed JSON, NaN, Infinity and duplicate keys."""
    refuse_deep(text, _BRACKET)
    try:
        # Numbers stay text: an int of 5000 digits is refused later, with its cell.
        json.loads(text, parse_int=str, parse_float=str, parse_constant=_Constant.refuse)
    except json.JSONDecodeError as error:
        raise malformed(
            f"this is not JSON: {error.msg}", error.lineno, error.colno,
            "Check the commas, brackets and double quotes there and just above.",
        ) from None  # fmt: skip
    except _Constant:
        pass  # The scan below knows where it is.
    return _scan(text)


class _Constant(Exception):
    """NaN, Infinity or -Infinity: read by Python, but no JSON."""

    @staticmethod
    def refuse(_: str) -> NoReturn:
        raise _Constant


def _scan(text: str) -> Node:
    builder = Builder()
    at, line, line_start = 0, 1, 0
    while token := _TOKEN.match(text, at):
        newline, sign, quote, word = token.groups()
        start = token.end() - len(newline or sign or quote or word)
        column = start - line_start + 1
        at = token.end()
        if newline:
            line, line_start = line + 1, at
        elif quote:
            value, at = _read_string(text, at)
            builder.text(Scalar(value, line, column))
        elif word:
            if word in ("NaN", "Infinity", "-Infinity"):
                raise malformed(
                    f"{word} is not JSON", line, column,
                    'In a mask, write "-inf" in quotes; other infinities and NaN are not numbers.',
                )  # fmt: skip
            builder.text(Scalar(word, line, column, is_null=word == "null"))
        elif sign in "[{":
            builder.start(line, column, mapping=sign == "{")
        elif sign in "]}":
            builder.end()
    assert builder.root is not None
    return builder.root
