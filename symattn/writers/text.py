"""Document -> text for a terminal: Unicode mathematics in two dimensions, in 80 columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.document import Display, Document, Heatmap, Line, Math, Strong, Text
from symattn.writers.base import PageWriter, label, visible
from symattn.writers.text_box import EMPTY, STYLES, Box, beside, box, padded, width_of
from symattn.writers.text_math import (
    ANSWER,
    DIGITS,
    FAINT,
    FOCUS,
    FOLLOWS,
    MASKED,
    MAXIMUM,
    PLAIN,
    STRONG,
    WRONG,
    TextMath,
)

_SHADES: Final = " ░▒▓█"

_COLOURS: Final = {
    MAXIMUM: "bold yellow",
    MASKED: "dim",
    FOCUS: "bold blue",
    ANSWER: "bold green",
    WRONG: "bold red",
    FOLLOWS: "cyan",
    DIGITS: "yellow",
    STRONG: "bold",
    FAINT: "dim",
}
INDENT: Final = 4
NO_BREAK: Final = "\xa0"


class TextWriter(PageWriter):
    """Document -> text of at most `width` columns, with terminal colours if asked for."""

    def __init__(self, *, key: bool = False, width: int = 80, colour: bool = False) -> None:
        super().__init__(key=key)
        self.width = max(width, 20)
        self.colour = colour
        self.formulas = TextMath(key=key, colour=colour)

    # ------------------------------------------------------------------ the page

    def document(self, document: Document, *, fragment: bool = False) -> str:
        text = super().document(document, fragment=fragment).replace(NO_BREAK, " ")
        lines = "\n".join(line.rstrip() for line in text.split("\n"))
        return _coloured(lines) if self.colour else lines

    def page(self, document: Document, body: str) -> str:
        title = wrap(self.escape(visible(document.title)), self.width)
        rule = "═" * max(map(width_of, title), default=0)
        head = [self._style(line, STRONG) for line in title] + [rule]
        if document.subtitle:
            head += wrap(self.escape(visible(document.subtitle)), self.width)
        parts = ["\n".join(head), body]
        if document.footer:
            footer = wrap(self.escape(visible(document.footer)), self.width)
            parts.append("\n".join(self._style(line, FAINT) for line in footer))
        return "\n\n".join(parts) + "\n"

    def _style(self, text: str, style: str) -> str:
        return f"{style}{text}{PLAIN}" if self.colour and text else text

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        return text

    def math(self, part: Math) -> str:
        text = self.formulas.line.formula(part.formula).lines[0]
        # A formula stays on one line unless it is long.
        return text.replace(" ", NO_BREAK) if width_of(text) <= self.width // 3 else text

    def strong(self, text: str) -> str:
        return " ".join(self._style(word, STRONG) for word in text.split(" "))

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text, aside: str) -> str:
        plain = tuple(part.text if isinstance(part, Strong) else part for part in text)
        plain += (f" {aside}",) if aside else ()
        lines = wrap(self.text(plain), self.width)
        rule = ["─" * max(map(width_of, lines), default=0)] if level == 1 else []
        return "\n".join([*(self._style(line, STRONG) for line in lines), *rule])

    def para(self, text: Text) -> str:
        return "\n".join(wrap(self.text(text), self.width))

    def items(self, items: list[tuple[str, Text]]) -> str:
        room = max(len(number) for number, _ in items) or 1
        out = []
        for number, text in items:
            sign = f"  {padded(number or '•', room, '>')} "
            lines = wrap(self.text(text), self.width - len(sign)) or [""]
            out.append(sign + lines[0])
            out += [" " * len(sign) + line for line in lines[1:]]
        return "\n".join(out)

    def display(self, display: Display) -> str:
        lines = display.lines
        lefts = [
            self.formulas.formula(line.left) if line.left is not None else EMPTY for line in lines
        ]
        aligned = [left.width for left, line in zip(lefts, lines, strict=True) if line.relation]
        margin = max(aligned, default=0)
        if margin > self.width // 2:  # A long left side gets lines of its own.
            margin = 0
        signs = any(line.relation for line in lines)
        room = self.width - INDENT - margin - (3 if signs else 0)
        rows = [
            self._row(line, left, margin, room) for line, left in zip(lines, lefts, strict=True)
        ]
        flat = all(part.flat for row in rows for part in row)
        ends = [row[-1].width for row, line in zip(rows, lines, strict=True) if line.why]
        reasons = max(ends, default=0) + 3
        out: list[str] = []
        for row, line in zip(rows, lines, strict=True):
            if out and not flat:
                out.append("")
            if line.why:
                row = self._reasoned(row, line, reasons)
            for n, part in enumerate(row):
                if n and not (part.flat and row[n - 1].flat):
                    out.append("")
                out += [" " * INDENT + text for text in part.lines]
        return "\n".join(out)

    def _row(self, line: Line, left: Box, margin: int, room: int) -> list[Box]:
        """A line of a display as boxes below each other."""
        relation = line.relation and self.formulas.op(line.relation).lines[0]
        rights = self.formulas.wrapped(line.right, room) if line.right is not None else []
        rows: list[Box] = []
        if left.width > margin:
            rows.append(left)
            if not relation and not rights:
                return rows
            left = EMPTY
        start = Box(tuple(padded(text, margin, ">") for text in left.lines), left.base)
        sign = box(f" {relation} " if margin else f"{relation} ") if relation else EMPTY
        first, *rest = rights or [EMPTY]
        rows.append(beside([start, sign, first]))
        indent = box(" " * (margin + sign.width))
        return rows + [beside([indent, part]) for part in rest]

    def _reasoned(self, row: list[Box], line: Line, column: int) -> list[Box]:
        why = self.escape(visible(line.why))
        *before, last = row
        if INDENT + column + width_of(why) <= self.width:
            gap = box(" " * max(column - last.width, 3))
            return [*before, beside([last, gap, box(self._style(why, FAINT))])]
        # No room beside it: below it, set in.
        lines = wrap(why, self.width - 3 * INDENT)
        return [*row, *(box(" " * (2 * INDENT) + self._style(text, FAINT)) for text in lines)]

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        if not head:
            return ""
        cells = [[self.text(cell) for cell in row] for row in (head, *rows)]
        widths = [max(map(width_of, column)) for column in zip(*cells, strict=True)]
        room = max(self.width - 2 - 3 * (len(widths) - 1), 4 * len(widths))
        while sum(widths) > room:
            widest = widths.index(max(widths))
            widths[widest] -= 1
        out = []
        for number, row in enumerate(cells):
            wrapped = [wrap(cell, width) for cell, width in zip(row, widths, strict=True)]
            for n in range(max(max(map(len, wrapped)), 1)):
                parts = [
                    padded(lines[n] if n < len(lines) else "", width)
                    for lines, width in zip(wrapped, widths, strict=True)
                ]
                if number == 0:
                    parts = [self._style(part, STRONG) for part in parts]
                out.append("  " + "   ".join(parts))
            if number == 0:
                out.append("  " + "───".join("─" * width for width in widths))
        return "\n".join(out)

    def heatmap(self, heatmap: Heatmap) -> str:
        rows = []
        for row in self.shown(heatmap):
            line = []
            for digits, share, top in row:
                if share is None:
                    line.append("[      ]")
                    continue
                number = f"‹{digits}›" if top else f" {digits} "
                line.append(_shade(share) * 2 + (self._style(number, MAXIMUM) if top else number))
            rows.append(line)
        width = max(map(len, rows), default=0)
        heads = [label(text) for text in heatmap.column_labels[:width]]
        heads += [""] * (width - len(heads))
        sides = [label(text) for text in heatmap.row_labels[: len(rows)]]
        sides += [""] * (len(rows) - len(sides))
        side = max(map(width_of, sides), default=0)
        widths = [
            max([width_of(heads[j]), *(width_of(row[j]) for row in rows if j < len(row))])
            for j in range(width)
        ]
        out = [f"{' ' * INDENT}{self.escape(visible(heatmap.caption))}"] if heatmap.caption else []
        # As many columns side by side as fit.
        for start, stop in _chunks(widths, self.width - INDENT - side):
            part = range(start, stop)
            top_line = [padded(heads[j], widths[j], "^") for j in part]
            out.append(self._style("  ".join([" " * (INDENT + side), *top_line]), FAINT))
            for name, fields in zip(sides, rows, strict=True):
                fields = [padded(fields[j] if j < len(fields) else "", widths[j]) for j in part]
                out.append("  ".join([" " * INDENT + padded(name, side, ">"), *fields]))
        return "\n".join(out)

    def note(self, text: Text) -> str:
        bar = self._style("▌", FAINT)
        return "\n".join(f"{bar} {line}" for line in wrap(self.text(text), self.width - 2))

    def code(self, language: str, lines: list[str]) -> str:
        return "\n".join(" " * INDENT + line.replace(" ", NO_BREAK) for line in lines)

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        room = sum(share for _, share in fields)
        parts = []
        for name, share in fields:
            name = self.escape(visible(name)) + ": "
            total = int((self.width - 2 * len(fields)) * share / room)
            parts.append(name + "_" * max(total - width_of(name), 3))
        return "\n".join(wrap("  ".join(parts).replace(": ", ":" + NO_BREAK), self.width))

    def work_space(self, lines: int) -> str:
        return "\n" * lines

    def page_break(self) -> str:
        return padded("· · ·", self.width, "^")


# ---------------------------------------------------------------- details


def wrap(text: str, width: int) -> list[str]:
    """Lines of at most `width` columns; only a single longer word is cut."""
    lines: list[str] = []
    line, used = "", 0
    for word in filter(None, text.split(" ")):
        size = width_of(word)
        if line and used + 1 + size > width:
            lines.append(line)
            line, used = "", 0
        while size > width:
            count = len(word)
            while count > 1 and width_of(word[:count]) > width:
                count -= max((width_of(word[:count]) - width) // 2, 1)
            lines.append(word[:count])
            word = word[count:]
            size = width_of(word)
        line = f"{line} {word}" if line else word
        used += size + (1 if used else 0)
    if line:
        lines.append(line)
    return lines


def _shade(value: float) -> str:
    share = min(max(value, 0.0), 1.0) if value == value else 0.0
    return _SHADES[round(share * (len(_SHADES) - 1))]


def _chunks(widths: list[int], room: int) -> list[tuple[int, int]]:
    out: list[tuple[int, int]] = []
    start, used = 0, 0
    for j, width in enumerate(widths):
        if j > start and used + width + 2 > room:
            out.append((start, j))
            start, used = j, 0
        used += width + 2
    return [*out, (start, len(widths))] if widths else out


def _coloured(text: str) -> str:
    """Private characters become the escapes of a terminal."""
    from rich.color import ColorSystem
    from rich.style import Style

    styles = {sign: Style.parse(name) for sign, name in _COLOURS.items()}
    current: Style | None = None
    out = []
    for run in re.split(f"([{STYLES}])", text):
        if len(run) == 1 and run in STYLES:
            current = styles.get(run)
        elif run and current is not None:
            out.append(current.render(run, color_system=ColorSystem.STANDARD))
        else:
            out.append(run)
    return "".join(out)
