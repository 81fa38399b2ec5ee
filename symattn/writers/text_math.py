"""Formula -> a box of terminal characters, in two dimensions where one line would not be clear."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple

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
from symattn.writers.base import Cell, MathWriter, visible
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
_CLOSE: Final = frozenset("·")
"""Binds closer than + and −, so it is written without spaces."""
_UNARY: Final = frozenset(("+", "−", "-", "±", "∓"))
_DOTS: Final = Sym("⋯")
PLAIN, MAXIMUM, MASKED, FOCUS, ANSWER, STRONG, FAINT, WRONG, FOLLOWS, DIGITS = STYLES
_SIGNS: Final = {
    Role.MAXIMUM: (MAXIMUM, "‹", "›"),
    Role.MASKED: (MASKED, "", ""),
    Role.FOCUS: (FOCUS, "▸", "◂"),
    Role.ANSWER: (ANSWER, "⟦", "⟧"),
    Role.WRONG: (WRONG, " ", "✗"),
    Role.FOLLOWS: (FOLLOWS, " ", "→"),
    Role.DIGITS: (DIGITS, " ", "∼"),
}
"""Each role has a colour and, where that is not seen, signs around it."""

_NUMBER_WIDTH: Final = 8
"""Entries up to this width are set to the right, as numbers; wider ones are centred."""


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
        # A wide space stands between equations.
        shown = "   " if text == "\u2003" else visible(text).replace("-", "−")
        written = self._tokens[text] = box(shown)
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
                elif part.sign in _CLOSE or (before is None and part.sign in _UNARY):
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
        if left == Sym("−"):
            return False  # A sign, not an operand.
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

    def blank(self, answer: Box | None, width: float, height: float) -> Box:
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
        return Box(tuple(f"{colour}{line}{PLAIN}" for line in inner.lines), inner.base)

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
        return f"{FAINT}{text}{PLAIN}" if self.colour and text.strip() else text

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
