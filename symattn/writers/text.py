"""Document -> text for a terminal: Unicode mathematics in two dimensions, in 80 columns."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, NamedTuple

from symattn.document import Display, Document, Heatmap, Line, Math, Strong, Text
from symattn.formula import (
    Call,
    Formula,
    Frac,
    Grid,
    Mark,
    Num,
    Op,
    Role,
    Root,
    Seq,
    Sub,
    Sym,
    Words,
    is_sum,
)
from symattn.writers.base import Cell, MathWriter, PageWriter, label, maxima, visible
from symattn.writers.text_box import (
    EMPTY,
    STYLES,
    Box,
    beside,
    box,
    fenced,
    grow,
    padded,
    stacked,
    width_of,
)

_INDEX: Final = str.maketrans(
    "0123456789+-−=()aehijklmnoprstuvx", "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓ"
)
_EXPONENT: Final = str.maketrans("0123456789+-−=()inT⊤", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ⁱⁿᵀᵀ")
_TIGHT: Final = frozenset((",", ";", ":"))
_UNARY: Final = frozenset(("+", "−", "-", "±", "∓"))
_DOTS: Final = Sym("⋯")
_SHADES: Final = " ░▒▓█"

_PLAIN, _MAXIMUM, _MASKED, _FOCUS, _ANSWER, _STRONG, _FAINT = STYLES
_COLOURS: Final = {
    _MAXIMUM: "bold yellow",
    _MASKED: "dim",
    _FOCUS: "bold blue",
    _ANSWER: "bold green",
    _STRONG: "bold",
    _FAINT: "dim",
}
_SIGNS: Final = {
    Role.MAXIMUM: (_MAXIMUM, "‹", "›"),
    Role.MASKED: (_MASKED, "", ""),
    Role.FOCUS: (_FOCUS, "▸", "◂"),
    Role.ANSWER: (_ANSWER, "⟦", "⟧"),
}
"""Each role has a colour and, where that is not seen, signs around it."""

INDENT: Final = 4
_NUMBER_WIDTH: Final = 8
"""Entries up to this width are set to the right, as numbers; wider ones are centred."""
NO_BREAK: Final = "\xa0"


class Piece(NamedTuple):
    """A part of a long line, and whether the line may be broken before it."""

    box: Box
    breakable: bool
    tree: Formula


class TextMath(MathWriter[Box]):
    """Formula -> a box of characters. With `linear` it is always one line."""

    def __init__(self, *, key: bool = False, linear: bool = False, colour: bool = False) -> None:
        super().__init__(key=key)
        self.colour = colour
        self.line = self if linear else TextMath(key=key, linear=True, colour=colour)
        self._tokens: dict[str, Box] = {}

    # ------------------------------------------------------------------ tokens

    def num(self, digits: str) -> Box:
        return self._tokens.get(digits) or self._token(digits)

    def sym(self, name: str, bold: bool) -> Box:
        return self._tokens.get(name) or self._token(name)

    def op(self, sign: str) -> Box:
        return self._tokens.get(sign) or self._token(sign)

    def _token(self, text: str) -> Box:
        written = self._tokens[text] = box(visible(text).replace("-", "−"))
        return written

    def words(self, text: str) -> Box:
        return box(text)

    # ------------------------------------------------------------------ structure

    def seq(self, parts: tuple[Formula, ...]) -> Box:
        return beside([piece.box for piece in self.spaced(parts)]) if parts else EMPTY

    def spaced(self, parts: Sequence[Formula]) -> list[Piece]:
        """The parts with their spaces."""
        out: list[Piece] = []
        before: Formula | None = None  # The operand on the left, if there is one.
        for part in parts:
            written = self.formula(part)
            if isinstance(part, Op):
                text = written.lines[0]
                if part.sign in _TIGHT:
                    gap = "   " if out and not out[-1].box.flat else " "
                    out.append(Piece(box(text + gap), False, part))
                elif before is None and part.sign in _UNARY:
                    out.append(Piece(written, False, part))
                else:
                    spaced = f" {text} " if out else f"{text} "
                    out.append(Piece(box(spaced), bool(out), part))
                before = None
                continue
            if before is not None and self._apart(before, part, out[-1].box, written):
                out.append(Piece(box(" "), False, part))
            out.append(Piece(written, False, part))
            before = part
        return out

    def _apart(self, left: Formula, right: Formula, a: Box, b: Box) -> bool:
        if not (a.flat and b.flat):
            return True
        return isinstance(left, Frac | Call) or isinstance(right, Call | Num | Frac)

    def frac(self, top: Formula, bottom: Formula) -> Box:
        above, below = self.formula(top), self.formula(bottom)
        simple = above.flat and below.flat and not is_sum(top) and not is_sum(bottom)
        if simple or self.line is self:
            return self.slanted(*self.over(top, bottom))
        return stacked(above, below)

    def slanted(self, top: Box, bottom: Box) -> Box:
        return beside([top, box("/"), bottom])

    def root(self, radicand: Formula, degree: int) -> Box:
        inner = self.line.formula(radicand)
        if not isinstance(radicand, Num | Sym | Sub | Words):
            inner = self.paren(inner, "(")
        sign = {2: "√", 3: "∛", 4: "∜"}.get(degree) or str(degree).translate(_EXPONENT) + "√"
        return beside([box(sign), inner])

    def power(self, base: Formula, written: Box, exponent: Formula) -> Box:
        text = self.line.formula(exponent).lines[0]
        raised = text.translate(_EXPONENT)
        if text and not any(a == b for a, b in zip(text, raised, strict=True)):
            return beside([written, box(raised)])
        return beside([written, box("^" + _grouped(exponent, text))])

    def sub(self, base: Formula, written: Box, index: Formula) -> Box:
        if isinstance(base, Sub):
            written = self.paren(written, "(")
        text = self.line.formula(index).lines[0]
        lowered = text.translate(_INDEX)
        if text and not any(a == b for a, b in zip(text, lowered, strict=True)):
            return beside([written, box(lowered)])
        return beside([written, box("_" + _grouped(index, text))])

    def paren(self, inner: Box, fence: str) -> Box:
        return fenced(inner, fence)

    def call(self, name: str, argument: Box) -> Box:
        return beside([box(visible(name)), argument])

    def mark(self, role: Role, inner: Box) -> Box:
        colour, left, right = _SIGNS[role]
        return self.styled(beside([box(left), inner, box(right)]), colour)

    def blank(self, answer: Box | None, width: float) -> Box:
        room = max(min(round(width * 2), 60), 3)
        if answer is None:
            return box("_" * room)
        if not answer.flat:
            return answer
        text = answer.lines[0]
        missing = max(room - width_of(text), 2)
        return box("_" * (missing // 2) + text + "_" * (missing - missing // 2))

    def styled(self, inner: Box, colour: str) -> Box:
        """The box in a colour, if colours are wanted."""
        if not self.colour:
            return inner
        return Box(tuple(f"{colour}{line}{_PLAIN}" for line in inner.lines), inner.base)

    # ------------------------------------------------------------------ matrices

    def grid(
        self,
        rows: list[list[Cell[Box]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> Box:
        if self.line is self:
            inner = "; ".join(" ".join(cell.content.lines[0] for cell in row) for row in rows)
            return fenced(box(inner), fence)
        columns = [self._column(column) for column in zip(*rows, strict=True)]
        widths = [
            max(
                max((part.width for part in column), default=0),
                width_of(column_labels[j]) if column_labels else 0,
            )
            for j, column in enumerate(columns)
        ]
        spread = any(not part.flat for column in columns for part in column)
        lines: list[str] = []
        labels: list[str] = []
        for i in range(len(rows)):
            parts = [column[i] for column in columns]
            above = max((part.base for part in parts), default=0)
            below = max((part.below for part in parts), default=0)
            grown = [
                grow(part, above, below, width, "^")
                for part, width in zip(parts, widths, strict=True)
            ]
            if spread and lines:
                lines.append("  ".join(" " * width for width in widths))
                labels.append("")
            lines.extend(map("  ".join, zip(*grown, strict=True)))
            side = row_labels[i] if row_labels else ""
            labels.extend([*[""] * above, side, *[""] * below])
        matrix = Box(tuple(lines) or ("",), len(lines) // 2 if len(lines) != 1 else 0)
        framed = fenced(matrix, fence, " ")
        if not row_labels and not column_labels:
            return framed
        return self._labelled(framed, labels, widths, column_labels)

    def _labelled(
        self, framed: Box, labels: list[str], widths: list[int], column_labels: Sequence[str]
    ) -> Box:
        side = max(map(width_of, labels), default=0)
        gap = " " if side else ""
        lines = [
            self._faint(padded(text, side, ">")) + gap + line
            for text, line in zip(labels, framed.lines, strict=True)
        ]
        if not column_labels:
            return Box(tuple(lines), framed.base)
        heads = "  ".join(
            padded(text, width, "^") for text, width in zip(column_labels, widths, strict=True)
        )
        top = " " * side + gap + "  " + self._faint(heads) + "  "
        return Box((top, *lines), framed.base + 1)

    def _faint(self, text: str) -> str:
        return f"{_FAINT}{text}{_PLAIN}" if self.colour and text.strip() else text

    def _column(self, column: Sequence[Cell[Box]]) -> list[Box]:
        """The entries of a column; where one has signs around it, the others get the room."""
        roles = {cell.role for cell in column if cell.role is not None and _SIGNS[cell.role][1]}
        out = []
        for cell in column:
            part = cell.content
            if cell.role is not None:
                part = self.mark(cell.role, part)
            if roles and cell.role not in roles:
                part = beside([box(" "), part, box(" ")])
            out.append(part)
        width = max((part.width for part in out), default=0)
        if width > _NUMBER_WIDTH:
            return out
        return [
            Box(tuple(grow(part, part.base, part.below, width, ">")), part.base) for part in out
        ]

    # ------------------------------------------------------------------ long lines

    def wrapped(self, tree: Formula, room: int) -> list[Box]:
        """The formula as one or more boxes that fit, broken before a sign where it must be."""
        parts = tree.parts if isinstance(tree, Seq) else (tree,)
        whole = self.formula(tree)
        if whole.width <= room:
            return [whole]
        pieces: list[Piece] = []
        for piece in self.spaced(parts):
            if isinstance(piece.tree, Grid) and piece.box.width > room:
                narrow = [self.formula(part) for part in self._split(piece.tree, room)]
                pieces += [Piece(part, True, piece.tree) for part in narrow]
            else:
                pieces.append(piece)
        lines: list[list[Box]] = [[]]
        used = 0
        for start, piece in enumerate(pieces):
            part = piece.box
            # A sign goes with what follows it, up to the next place to break.
            ahead = part.width
            for follower in pieces[start + 1 :]:
                if follower.breakable:
                    break
                ahead += follower.box.width
            if piece.breakable and lines[-1] and used + ahead > room:
                lines.append([])
                used = 0
                if part.flat:
                    part = box(part.lines[0].lstrip(" "))
            lines[-1].append(part)
            used += part.width
        return [beside(line) for line in lines]

    def _split(self, grid: Grid, room: int) -> list[Grid]:
        """A wide matrix as several, column by column, each but the last ending in dots."""
        width = max(map(len, grid.rows), default=0)
        size = min(width - 1, width * room // max(self.formula(grid).width, 1) + 1)
        while True:
            size = max(size, 1)
            starts = range(0, width, size)
            pieces = [_columns_of(grid, start, start + size) for start in starts]
            if size == 1 or all(self.formula(piece).width <= room for piece in pieces):
                return pieces
            size -= 1


def _columns_of(grid: Grid, start: int, stop: int) -> Grid:
    width = max(map(len, grid.rows), default=0)
    before = (_DOTS,) if start else ()
    after = (_DOTS,) if stop < width else ()
    heads = grid.column_labels[start:stop]
    if heads:
        heads = (*[""] * len(before), *heads, *[""] * len(after))
    return Grid(
        tuple((*before, *row[start:stop], *after) for row in grid.rows),
        grid.row_labels,
        heads,
        grid.fence,
    )


def _grouped(tree: Formula, text: str) -> str:
    while isinstance(tree, Mark):
        tree = tree.inner
    return text if isinstance(tree, Num | Sym | Sub | Root | Words) else f"({text})"


class TextWriter(PageWriter):
    """Document -> text of at most `width` columns, with terminal colours if asked for."""

    def __init__(self, *, key: bool = False, width: int = 80, colour: bool = False) -> None:
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
        head = [self._style(line, _STRONG) for line in title] + [rule]
        if document.subtitle:
            head += wrap(self.escape(visible(document.subtitle)), self.width)
        parts = ["\n".join(head), body]
        if document.footer:
            footer = wrap(self.escape(visible(document.footer)), self.width)
            parts.append("\n".join(self._style(line, _FAINT) for line in footer))
        return "\n\n".join(parts) + "\n"

    def _style(self, text: str, style: str) -> str:
        return f"{style}{text}{_PLAIN}" if self.colour and text else text

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        return text

    def math(self, part: Math) -> str:
        text = self.formulas.line.formula(part.formula).lines[0]
        # A formula stays on one line unless it is long.
        return text.replace(" ", NO_BREAK) if width_of(text) <= self.width // 3 else text

    def strong(self, text: str) -> str:
        return " ".join(self._style(word, _STRONG) for word in text.split(" "))

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text) -> str:
        plain = tuple(part.text if isinstance(part, Strong) else part for part in text)
        lines = wrap(self.text(plain), self.width)
        rule = ["─" * max(map(width_of, lines), default=0)] if level == 1 else []
        return "\n".join([*(self._style(line, _STRONG) for line in lines), *rule])

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
            return [*before, beside([last, gap, box(self._style(why, _FAINT))])]
        # No room beside it: below it, set in.
        lines = wrap(why, self.width - 3 * INDENT)
        return [*row, *(box(" " * (2 * INDENT) + self._style(text, _FAINT)) for text in lines)]

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
                    parts = [self._style(part, _STRONG) for part in parts]
                out.append("  " + "   ".join(parts))
            if number == 0:
                out.append("  " + "───".join("─" * width for width in widths))
        return "\n".join(out)

    def heatmap(self, heatmap: Heatmap) -> str:
        rows = []
        for row in heatmap.cells:
            line = []
            for (value, digits), top in zip(row, maxima(row), strict=True):
                number = f"‹{visible(digits)}›" if top else f" {visible(digits)} "
                shade = _shade(value) * 2
                line.append(shade + (self._style(number, _MAXIMUM) if top else number))
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
            out.append(self._style("  ".join([" " * (INDENT + side), *top_line]), _FAINT))
            for name, fields in zip(sides, rows, strict=True):
                fields = [padded(fields[j] if j < len(fields) else "", widths[j]) for j in part]
                out.append("  ".join([" " * INDENT + padded(name, side, ">"), *fields]))
        return "\n".join(out)

    def note(self, text: Text) -> str:
        bar = self._style("▌", _FAINT)
        return "\n".join(f"{bar} {line}" for line in wrap(self.text(text), self.width - 2))

    def code(self, language: str, lines: list[str]) -> str:
        return "\n".join(" " * INDENT + line.replace(" ", NO_BREAK) for line in lines)

    def page_break(self) -> str:
        return padded("· · ·", self.width, "^")


# ---------------------------------------------------------------- helpers


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
