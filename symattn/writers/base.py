"""What all writers share: the walk over both trees, and every decision that is not typography.

A back end is the short methods below the walk. What they are handed is already decided: which
brackets are needed, whether a blank shows its answer, what number an item has, what a cell means.
"""

from __future__ import annotations

import re
import unicodedata
from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Final, Generic, NamedTuple, TypeVar, assert_never

from symattn.document import (
    Block,
    Code,
    Display,
    Document,
    Form,
    Heading,
    Heatmap,
    Items,
    Line,
    Math,
    Note,
    PageBreak,
    Para,
    Part,
    Strong,
    Table,
    Text,
    WorkSpace,
)
from symattn.formula import (
    Blank,
    Call,
    Formula,
    Frac,
    Grid,
    Mark,
    Num,
    Op,
    Paren,
    Power,
    Role,
    Root,
    Seq,
    Sub,
    Sym,
    Words,
    is_negative,
    is_sum,
)

M = TypeVar("M")
"""What a formula turns into: LaTeX, or a box of terminal characters."""

LABEL_LIMIT: Final = 24
"""A label stands in a margin; the end of a longer one is cut off visibly."""

_JOINERS: Final = "\u200c\u200d"
"""Invisible, but Hindi, Persian and many emoji are written with them."""

NOTHING: Final = Seq(())
"""The answer of a box that is right when it stays empty."""

_HIDDEN: Final = frozenset(("Cc", "Cf", "Co", "Cs", "Cn", "Zl", "Zp"))


def visible(text: str) -> str:
    """Literal text without anything that acts instead of being seen.

    White space becomes a plain space. Control characters, terminal escapes, and the signs that
    reverse the reading direction become their code point in brackets.
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(map(_visible_character, text))


def _visible_character(character: str) -> str:
    if character in "\t\n\r\v\f\x85":
        return " "
    if unicodedata.category(character) in _HIDDEN and character not in _JOINERS:
        return code_point(character)
    return character


def language(tag: str) -> str:
    """A BCP 47 tag that can stand anywhere; English where it is none."""
    return tag if re.fullmatch(r"[A-Za-z0-9-]{1,35}", tag) else "en"


def code_point(character: str) -> str:
    """A character that cannot be shown, as [U+4E2D]."""
    return f"[U+{ord(character):04X}]"


def label(text: str) -> str:
    """The name of a row or a column, short enough for a margin."""
    text = visible(text)
    return text if len(text) <= LABEL_LIMIT else text[: LABEL_LIMIT - 1] + "…"


class Cell(NamedTuple, Generic[M]):
    """One entry of a matrix: what it means, how it looks, what it is."""

    role: Role | None
    content: M
    tree: Formula


class MathWriter(ABC, Generic[M]):
    """Formula -> M. Sub-trees that occur many times, such as row sums, are written once."""

    def __init__(self, *, key: bool = False) -> None:
        self.key = key
        # The tree is kept beside its result, so that its identity is not given to another one.
        self._written: dict[int, tuple[Formula, M]] = {}

    def formula(self, tree: Formula) -> M:
        """The formula, written."""
        # Nine of ten nodes are one of these three; a match would take twice as long.
        if isinstance(tree, Num):
            return self.num(tree.digits)
        if isinstance(tree, Op):
            return self.op(tree.sign)
        if isinstance(tree, Sym):
            return self.sym(tree.name, tree.bold)
        known = self._written.get(id(tree))
        if known is not None:
            return known[1]
        written = self._compound(tree)
        self._written[id(tree)] = (tree, written)
        return written

    def _compound(
        self,
        tree: Words | Seq | Frac | Root | Power | Sub | Paren | Call | Grid | Blank | Mark,
    ) -> M:
        match tree:
            case Seq(parts):
                return self.seq(_clear(parts))
            case Blank(answer, width, height):
                shown = self.key and answer != NOTHING
                return self.blank(self.formula(answer) if shown else None, width, height)
            case Power(base, exponent):
                return self.power(base, self._operand(base), exponent)
            case Sub(base, index):
                # The head of a letter, O⁽²⁾, is part of its name.
                name = isinstance(base, Power) and isinstance(base.exponent, Paren)
                written = self.formula(base) if name else self._operand(base)
                return self.sub(base, written, index)
            case Frac(top, bottom, slanted):
                if slanted:
                    return self.slanted(*self.over(top, bottom))
                return self.frac(top, bottom)
            case Root(radicand, degree):
                return self.root(radicand, degree)
            case Paren(inner, fence):
                return self.paren(self.formula(inner), fence)
            case Call(name, argument):
                bare = argument.inner if isinstance(argument, Paren) else argument
                return self.call(name, self.paren(self.formula(bare), "("))
            case Words(text):
                return self.words(visible(text))
            case Mark(role, inner):
                if self.hides(inner):  # A mark on an empty blank would give its answer away.
                    return self.formula(inner)
                return self.mark(role, self.formula(inner))
            case Grid():
                return self._grid(tree)
            case _:
                assert_never(tree)

    # ------------------------------------------------------------------ decisions

    def hides(self, tree: Formula) -> bool:
        """Whether the formula is a blank that is still empty."""
        while isinstance(tree, Mark):
            tree = tree.inner
        return isinstance(tree, Blank) and not self.key

    def over(self, top: Formula, bottom: Formula) -> tuple[M, M]:
        """The two sides of a fraction on one line, in brackets where the slash would mislead."""
        above = self.formula(top)
        if is_sum(top) or (isinstance(_bare(top), Frac) and not self.hides(top)):
            above = self.paren(above, "(")
        below = self.formula(bottom)
        if isinstance(_bare(bottom), Seq | Frac) or is_negative(bottom):
            below = self.paren(below, "(")
        return above, below

    def _operand(self, base: Formula) -> M:
        """What a script is attached to, in brackets unless it is one thing."""
        written = self.formula(base)
        bare = _bare(base)
        one = not isinstance(bare, Seq | Frac | Power | Root | Call) and not is_negative(bare)
        return written if one else self.paren(written, "(")

    def _grid(self, grid: Grid) -> M:
        rows = [[self._cell(cell) for cell in row] for row in grid.rows]
        width = max((len(row) for row in rows), default=0)
        blank = Cell(None, self.seq(()), Seq(()))
        for row in rows:
            row.extend([blank] * (width - len(row)))
        return self.grid(
            rows,
            _labels(grid.row_labels, len(rows)),
            _labels(grid.column_labels, width),
            grid.fence,
        )

    def _cell(self, tree: Formula) -> Cell[M]:
        if isinstance(tree, Mark) and not self.hides(tree):
            return Cell(tree.role, self.entry(tree.inner), tree.inner)
        return Cell(None, self.entry(tree), tree)

    # ------------------------------------------------------------------ typography

    def entry(self, tree: Formula) -> M:
        """A formula as an entry of a matrix."""
        return self.formula(tree)

    @abstractmethod
    def num(self, digits: str) -> M: ...
    @abstractmethod
    def sym(self, name: str, bold: bool) -> M: ...
    @abstractmethod
    def op(self, sign: str) -> M: ...
    @abstractmethod
    def words(self, text: str) -> M: ...
    @abstractmethod
    def seq(self, parts: tuple[Formula, ...]) -> M: ...
    @abstractmethod
    def frac(self, top: Formula, bottom: Formula) -> M: ...
    @abstractmethod
    def slanted(self, top: M, bottom: M) -> M: ...
    @abstractmethod
    def root(self, radicand: Formula, degree: int) -> M: ...
    @abstractmethod
    def power(self, base: Formula, written: M, exponent: Formula) -> M: ...
    @abstractmethod
    def sub(self, base: Formula, written: M, index: Formula) -> M: ...
    @abstractmethod
    def paren(self, inner: M, fence: str) -> M: ...
    @abstractmethod
    def call(self, name: str, argument: M) -> M: ...
    @abstractmethod
    def mark(self, role: Role, inner: M) -> M: ...
    @abstractmethod
    def blank(self, answer: M | None, width: float, height: float) -> M: ...
    @abstractmethod
    def grid(
        self,
        rows: list[list[Cell[M]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> M: ...


def _bare(tree: Formula) -> Formula:
    while isinstance(tree, Mark):
        tree = tree.inner
    return tree


def _clear(parts: tuple[Formula, ...]) -> tuple[Formula, ...]:
    """The parts, with a negative number in brackets behind a sign: a + (−2), not a + −2."""
    out = list(parts)
    for before, sign, part in zip(parts, parts[1:], range(2, len(parts)), strict=False):
        if isinstance(sign, Op) and sign.sign in "+−·×" and not isinstance(before, Op):
            operand = parts[part]
            if isinstance(operand, Num | Mark) and is_negative(operand):
                out[part] = Paren(operand)
    return tuple(out)


def _labels(labels: Sequence[str], count: int) -> list[str]:
    """One label per line, or none at all."""
    if not labels:
        return []
    return [label(text) for text in labels[:count]] + [""] * (count - len(labels))


class PageWriter(ABC):
    """Document -> text."""

    def __init__(self, *, key: bool = False) -> None:
        self.key = key

    def document(self, document: Document, *, fragment: bool = False) -> str:
        """The whole page, or with `fragment` only what stands between its title and its footer."""
        body = self.blocks(document.blocks)
        return self.fragment(body) if fragment else self.page(document, body)

    def blocks(self, blocks: Sequence[Block]) -> str:
        """Blocks, one below the other."""
        return "\n\n".join(filter(None, map(self.block, blocks)))

    def block(self, block: Block) -> str:
        """One block."""
        match block:
            case Para(text):
                return self.para(text)
            case Display(lines, scale):
                shown = tuple(line for line in lines if line.why or _says(line))
                return self.display(Display(shown, scale)) if shown else ""
            case Heading(level, text, aside):
                return self.heading(level, text, aside) if any(map(_is_seen, text)) else ""
            case Items(items, numbered):
                signs = [f"{n}." if numbered else "" for n in range(1, len(items) + 1)]
                return self.items(list(zip(signs, items, strict=True))) if items else ""
            case Table(head, rows):
                width = max(len(head), max(map(len, rows), default=0))
                return self.table(_filled(head, width), [_filled(row, width) for row in rows])
            case Heatmap():
                return self.heatmap(block)
            case Note(text):
                return self.note(text)
            case Code(language, source):
                program = source.expandtabs(4).strip("\n").split("\n")
                return self.code(language, [visible(line.rstrip()) for line in program])
            case Form(fields):
                return self.form(fields) if fields else ""
            case WorkSpace(lines):
                return self.work_space(lines) if lines > 0 else ""
            case PageBreak():
                return self.page_break()
            case Part():
                return self.part(block)
            case _:
                assert_never(block)

    def shown(self, heatmap: Heatmap) -> list[list[HeatCell]]:
        """The squares of a heat map, empty where the picture is an answer still to be found."""
        if heatmap.blank and not self.key:
            return [[HeatCell("", None, False) for _ in row] for row in heatmap.cells]
        return [
            [
                HeatCell(visible(digits), value, bold)
                for (value, digits), bold in zip(row, _maxima(row), strict=True)
            ]
            for row in heatmap.cells
        ]

    def text(self, text: Text) -> str:
        """Running text on one line."""
        return "".join(map(self.inline, text))

    def inline(self, part: str | Math | Strong) -> str:
        """One part of running text."""
        match part:
            case str():
                return self.escape(visible(part))
            case Math():
                return self.math(part)
            case Strong(text):
                return self.strong(self.escape(visible(text)))
            case _:
                assert_never(part)

    # ------------------------------------------------------------------ typography

    @abstractmethod
    def escape(self, text: str) -> str: ...
    @abstractmethod
    def math(self, part: Math) -> str: ...
    @abstractmethod
    def strong(self, text: str) -> str: ...
    @abstractmethod
    def page(self, document: Document, body: str) -> str: ...
    @abstractmethod
    def heading(self, level: int, text: Text, aside: str) -> str: ...
    @abstractmethod
    def para(self, text: Text) -> str: ...
    @abstractmethod
    def items(self, items: list[tuple[str, Text]]) -> str: ...
    @abstractmethod
    def display(self, display: Display) -> str: ...
    @abstractmethod
    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str: ...
    @abstractmethod
    def heatmap(self, heatmap: Heatmap) -> str: ...
    @abstractmethod
    def note(self, text: Text) -> str: ...
    @abstractmethod
    def code(self, language: str, lines: list[str]) -> str: ...
    @abstractmethod
    def form(self, fields: Sequence[tuple[str, float]]) -> str: ...
    @abstractmethod
    def work_space(self, lines: int) -> str: ...
    @abstractmethod
    def page_break(self) -> str: ...

    def part(self, part: Part) -> str:
        """The beginning of a page of its own."""
        under = " · ".join(filter(None, [part.subtitle, part.footer]))
        return self.blocks([PageBreak(), Heading(1, (part.title,)), Para((under,))])

    def fragment(self, body: str) -> str:
        """The body as a text of its own."""
        return body + "\n"


def _is_seen(part: str | Math | Strong) -> bool:
    match part:
        case str():
            return bool(part.strip())
        case Strong(text):
            return bool(text.strip())
        case Math():
            return True
        case _:
            assert_never(part)


def _says(line: Line) -> bool:
    """Whether anything stands on the line; an empty one would break LaTeX's mathematics."""
    return any(side is not None and side != Seq(()) for side in (line.left, line.right))


def _filled(row: tuple[Text, ...], width: int) -> tuple[Text, ...]:
    return row + ((),) * (width - len(row))


class HeatCell(NamedTuple):
    """One square of a heat map: digits, share from 0 to 1 (None for an empty square), whether
    the largest of its row."""

    digits: str
    share: float | None
    bold: bool


def _maxima(row: Sequence[tuple[float, str]]) -> list[bool]:
    """Which numbers of a heat map's row are its largest, as far as the printed digits tell."""
    top = max(row, default=(0.0, ""))[1]
    return [digits == top for _, digits in row]
