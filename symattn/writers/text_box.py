"""Rectangles of characters with a baseline: how two-dimensional mathematics fits a terminal."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Final

STYLES: Final = "\ue000\ue001\ue002\ue003\ue004\ue005\ue006\ue007\ue008\ue009"
"""Private characters that stand for a change of style; they take no room."""

_UNSTYLED: Final = str.maketrans("", "", STYLES)
_NARROW: Final = re.compile(
    "[ -\u02ff\u0370-\u0482\u1d00-\u1dbf\u2010-\u2027\u2030-\u205e\u2070-\u209c"
    "\u20ac\u2100-\u22ff\u239b-\u23ad\u2500-\u25a0\u27e6-\u27eb]*\\Z"
)
"""Texts whose characters all take one column: nearly all there are."""


def width_of(text: str) -> int:
    """How many columns of a terminal the text takes."""
    if text.isascii() or _NARROW.match(text):
        return len(text)
    text = text.translate(_UNSTYLED)
    if _NARROW.match(text):
        return len(text)
    from rich.cells import cell_len  # Its tables are loaded only where they are needed.

    return cell_len(text)


def padded(text: str, width: int, align: str = "<") -> str:
    """The text in a field of the given width: `<` left, `>` right, `^` centred."""
    room = max(width - width_of(text), 0)
    if align == "<":
        return text + " " * room
    if align == ">":
        return " " * room + text
    return " " * (room // 2) + text + " " * (room - room // 2)


@dataclass(frozen=True, slots=True)
class Box:
    """Lines of equal width; line number `base` stands on the line of the surrounding text."""

    lines: tuple[str, ...]
    base: int = 0

    @property
    def width(self) -> int:
        return width_of(self.lines[0])

    @property
    def below(self) -> int:
        return len(self.lines) - self.base - 1

    @property
    def flat(self) -> bool:
        return len(self.lines) == 1


EMPTY: Final = Box(("",))


def box(text: str) -> Box:
    """One line."""
    return Box((text,))


def beside(boxes: Sequence[Box]) -> Box:
    """Boxes side by side, on one baseline."""
    if all(part.flat for part in boxes):
        return Box(("".join([part.lines[0] for part in boxes]),))
    above = max(part.base for part in boxes)
    below = max(part.below for part in boxes)
    grown = [grow(part, above, below) for part in boxes]
    return Box(tuple(map("".join, zip(*grown, strict=True))), above)


def grow(part: Box, above: int, below: int, width: int = 0, align: str = "<") -> list[str]:
    """The lines of a box, with so many lines over and under its baseline, at a width."""
    width = max(width, part.width)
    empty = " " * width
    return [
        *[empty] * (above - part.base),
        *[padded(line, width, align) for line in part.lines],
        *[empty] * (below - part.below),
    ]


def stacked(top: Box, bottom: Box) -> Box:
    """A fraction."""
    width = max(top.width, bottom.width)
    lines = (
        *grow(top, top.base, top.below, width, "^"),
        "─" * width,
        *grow(bottom, bottom.base, bottom.below, width, "^"),
    )
    return Box(lines, len(top.lines))


_FENCES: Final = {
    "(": ("⎛⎜⎝", "⎞⎟⎠"),
    "[": ("⎡⎢⎣", "⎤⎥⎦"),
}


def fenced(inner: Box, fence: str, space: str = "") -> Box:
    """A box in brackets as tall as it is."""
    if inner.flat:
        left, right = ("[", "]") if fence == "[" else ("(", ")")
        return Box((left + space + inner.lines[0] + space + right,))
    left, right = _FENCES["[" if fence == "[" else "("]
    last = len(inner.lines) - 1
    lines = []
    for number, line in enumerate(inner.lines):
        piece = 0 if number == 0 else 2 if number == last else 1
        lines.append(f"{left[piece]}{space}{line}{space}{right[piece]}")
    return Box(tuple(lines), inner.base)
