"""Formula -> words, as a careful lecturer reads it aloud: clear when it is only heard.

What is short is said plainly, "one third", "the square root of 3"; what is not ends audibly, "end
root", "end power", "end fraction". A comma is a short pause and never the only sign of an end.
The habits are those of ClearSpeak (Brownstein, Soiffer, Frankel: ClearSpeak Rules and Preferences,
2015), in its terms: fractions Ordinal and OverEndFrac, RootEnd, AndSoOn for dots, By for ×.

>>> from symattn.formula import Frac, Num, Power, Root, Sym
>>> Speech().formula(Power(Sym("e"), Frac(Num("5"), Root(Num("3")), slanted=True)))
'e to the power 5 over the square root of 3, end power'
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Sequence
from functools import lru_cache
from typing import Final

from symattn.document import Display, Heatmap, Line
from symattn.formula import (
    DOTS,
    VERTICAL_DOTS,
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
)
from symattn.writers.base import Cell, HeatCell, MathWriter, label, visible

SIGNS: Final = {
    "=": "equals",
    "≈": "is approximately",
    "≠": "is not equal to",
    "≡": "is identical to",
    "<": "is less than",
    ">": "is greater than",
    "≤": "is at most",
    "≥": "is at least",
    "∝": "is proportional to",
    "+": "plus",
    "−": "minus",
    "-": "minus",
    "±": "plus or minus",
    "∓": "minus or plus",
    "·": "times",
    "×": "by",
    "÷": "divided by",
    "/": "divided by",
    "*": "star",
    "∘": "composed with",
    "⊙": "times entry by entry",
    "⊗": "tensor",
    "⊕": "direct sum",
    "→": "to",
    "↦": "maps to",
    "⇒": "implies",
    "⇔": "if and only if",
    "∈": "in",
    "∉": "not in",
    "⊂": "is part of",
    "∪": "union",
    "∩": "intersection",
    "∣": "given",
    "|": "bar",
    "∥": "is parallel to",
    "⊤": "transpose",
    "ᵀ": "transpose",
    "⊥": "perpendicular",
    "∞": "infinity",
    "∅": "the empty set",
    "∂": "partial",
    "∇": "nabla",
    "∀": "for all",
    "∃": "there is",
    "∑": "the sum of",
    "∏": "the product of",
    "∫": "the integral of",
    "√": "the square root of",
    "⋯": "and so on",
    "…": "and so on",
    "⋮": "and so on",
    "⋱": "and so on",
    "′": "prime",
    "'": "prime",
    "ℓ": "script l",
    "ℝ": "the real numbers",
    "ℕ": "the natural numbers",
    "ℤ": "the integers",
    "ℚ": "the rational numbers",
    "□": "box",
    "!": "factorial",
    "?": "question mark",
    ".": "period",
    ",": "comma",
    ";": "semicolon",
    ":": "colon",
    "(": "open paren",
    ")": "close paren",
    "[": "open bracket",
    "]": "close bracket",
    "λ": "lambda",
    "Λ": "capital lambda",
    "ϵ": "epsilon",
    "ϕ": "phi",
    "ς": "final sigma",
}
"""The words for signs; letters of the Greek alphabet go by their names in Unicode."""

MATRICES: Final = frozenset("ABCKMOQSVWXYZ")
"""Letters that name a matrix: their capital is said bare and their small letter "small x", so
that the two differ when heard. All other letters are the other way round: "n", "capital N"."""

ROLES: Final = {
    Role.MAXIMUM: "the largest",
    Role.MASKED: "masked",
    Role.FOCUS: "in focus",
    Role.ANSWER: "the answer",
    Role.WRONG: "marked wrong",
    Role.FOLLOWS: "marked as following from an earlier slip",
    Role.DIGITS: "marked for its last digits",
}

_SMALL_NUMBERS: Final = (
    "no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven",
    "twelve",
)  # fmt: skip
_PARTS: Final = (
    "", "", "half", "third", "quarter", "fifth", "sixth", "seventh", "eighth", "ninth", "tenth",
    "eleventh", "twelfth",
)  # fmt: skip
_FRACTIONS: Final = {
    (str(top), str(bottom)): (
        f"{_SMALL_NUMBERS[top]} {_PARTS[bottom]}"
        if top == 1
        else f"{_SMALL_NUMBERS[top]} {'halves' if bottom == 2 else _PARTS[bottom] + 's'}"
    )
    for bottom in range(2, len(_PARTS))
    for top in range(1, len(_SMALL_NUMBERS))
}
"""Fractions that have a name of their own: 1/3 is one third."""

_FUNCTIONS: Final = {"ln": "the natural log", "max": "the maximum", "min": "the minimum"}
_RAISED: Final = {
    Sym("⊤"): "transpose",
    Sym("ᵀ"): "transpose",
    Sym("′"): "prime",
    Num("2"): "squared",
    Num("3"): "cubed",
}
_ROOTS: Final = {2: "square", 3: "cube", 4: "fourth"} | dict(enumerate(_PARTS[5:], 5))
_SPACES: Final = frozenset("\u2002\u2003")
_BINDING: Final = frozenset("+−-·×÷/±∓⊙⊗⊕∘")
"""Signs before which a pause tells that what has no end word has ended."""
_STOPS: Final = frozenset(",;:.")
_DOTS: Final = frozenset((DOTS.name, VERTICAL_DOTS.name, "…", "⋱"))

_IN_TEXT: Final = re.compile(r"\s*([−·×÷≈≠≤≥→∈∞√⋯⋮ᵀ⊤—])\s*")
_PAUSES: Final = {"—": ", "}


def in_words(text: str) -> str:
    """Running text with its mathematical signs in words: 3×4 → 3 by 4. All else is literal."""
    text = visible(text)
    if text.isascii():
        return text
    said = _IN_TEXT.sub(lambda found: _PAUSES.get(found[1]) or f" {SIGNS[found[1]]} ", text)
    return said if said == text else _tidy(said)


def _tidy(text: str) -> str:
    text = re.sub(r" {2,}", " ", text)
    text = re.sub(r" (?=[,.;:)\]”])", "", text)
    return re.sub(r"(?<=[(\[“]) ", "", text)


def called(text: str) -> str:
    """Words that somebody typed, as they are; a sign that alone would not be heard, by its name."""
    if len(text) == 1 and not text.isalnum() and text.strip():
        return SIGNS.get(text) or unicodedata.name(text, text).lower()
    return text


class Speech(MathWriter[str]):
    """Formula -> one line of plain words, for alternative texts and for reading aloud."""

    # ------------------------------------------------------------------ what stands on a page

    def line(self, line: Line) -> str:
        """A line of a display, and in brackets what is said beside it."""
        parts: list[Formula] = [line.left] if line.left is not None else []
        if line.relation:
            parts.append(Op(line.relation))
        if line.right is not None:
            parts += line.right.parts if isinstance(line.right, Seq) else (line.right,)
        said = self.seq(tuple(parts))
        if line.left is None and line.relation:  # A sentence of its own: "Equals 4."
            said = said[:1].upper() + said[1:]
        return f"{said} ({in_words(line.why).strip()})".strip() if line.why else said

    def display(self, display: Display) -> str:
        """All lines of a display, a sentence each."""
        return ". ".join(filter(None, map(self.line, display.lines)))

    def heatmap(self, heatmap: Heatmap, cells: list[list[HeatCell]]) -> str:
        """The caption, then the numbers of `PageWriter.shown` row by row."""
        caption = in_words(heatmap.caption).strip()
        if caption and caption[-1] not in ".:!?":
            caption += "."
        rows = _named(heatmap.row_labels, len(cells), "")
        columns = _named(heatmap.column_labels, max(map(len, cells), default=0), "column ")
        if all(cell.share is None for row in cells for cell in row):
            said = f"Blank squares; rows: {', '.join(rows)}; columns: {', '.join(columns)}"
        else:
            said = "; ".join(
                f"{'row' if n else 'Row'} {side}: " + ", ".join(map(_square, columns, row))
                for n, (side, row) in enumerate(zip(rows, cells, strict=True))
            )
        return f"{caption} {said}".strip()

    # ------------------------------------------------------------------ tokens

    def num(self, digits: str) -> str:
        return _token(digits, False)

    def sym(self, name: str, bold: bool) -> str:
        return _token(name, bold)

    def op(self, sign: str) -> str:
        return _token(sign, False)

    def words(self, text: str) -> str:
        return called(text)

    # ------------------------------------------------------------------ side by side

    def seq(self, parts: tuple[Formula, ...]) -> str:
        said: list[str] = []
        left: Formula | None = None  # What the next part would be multiplied with.
        for part in parts:
            if isinstance(part, Op):
                self._sign(said, left, part.sign)
                left = None
                continue
            if isinstance(part, Sym) and part.name in _SPACES:
                if said:  # Between equations.
                    said[-1] += "."
                left = None
                continue
            if left is not None:
                self._between(said, left, part)
            elif said and isinstance(part, Paren) and isinstance(part.inner, Num):
                part = part.inner  # 2 times minus 3: nothing else can be meant.
            written = self.formula(part)
            if written:
                said.append(written)
                left = part
        return " ".join(said)

    def _sign(self, said: list[str], left: Formula | None, sign: str) -> None:
        if said and sign in _STOPS:
            said[-1] += "." if isinstance(left, Grid) else sign
            return
        if isinstance(left, Grid):
            said[-1] += "; end matrix"
        elif left is not None and sign in _BINDING and self._is_open(left):
            said[-1] += ","
        said.append(self.op(sign))

    def _between(self, said: list[str], left: Formula, right: Formula) -> None:
        """What is said where two factors stand side by side without a sign."""
        if isinstance(left, Grid):
            said[-1] += "; end matrix"
        if isinstance(left, Words) and isinstance(right, Paren):
            said.append("of")
        elif _is_factor(left) and _is_factor(right) and not (_is_light(left) and _joins(right)):
            if self._is_open(left):
                said[-1] += ","
            said.append("times")

    # ------------------------------------------------------------------ structure

    def _compound(
        self,
        tree: Words | Seq | Frac | Root | Power | Sub | Paren | Call | Grid | Blank | Mark,
    ) -> str:
        if isinstance(tree, Frac):  # On one line or on two, it sounds the same.
            return self.frac(tree.top, tree.bottom)
        return super()._compound(tree)

    def frac(self, top: Formula, bottom: Formula) -> str:
        if isinstance(top, Num) and isinstance(bottom, Num):
            name = _FRACTIONS.get((top.digits, bottom.digits))
            if name is not None:
                return name
        above, below = self.formula(top), self.formula(bottom)
        if self._is_lower(bottom):
            if self._is_one(top) or _is_short_product(top):
                return self.slanted(above, below)
            if isinstance(top, Power) and not self._is_open(top):
                return self.slanted(f"{above},", below)
        return f"the fraction with top {above} and bottom {below}, end fraction"

    def slanted(self, top: str, bottom: str) -> str:
        return f"{top} over {bottom}"

    def root(self, radicand: Formula, degree: int) -> str:
        name = _ROOTS.get(degree) or f"{degree}th"
        said = f"the {name} root of {self.formula(radicand)}"
        return said if self._is_one(radicand) else f"{said}, end root"

    def power(self, base: Formula, written: str, exponent: Formula) -> str:
        if _is_head(base):
            written = f"{self.formula(base)},"
        if isinstance(exponent, Sym | Num) and exponent in _RAISED:
            return f"{written} {_RAISED[exponent]}"
        if isinstance(exponent, Paren) and isinstance(base, Sym | Sub):
            return f"{written} of head {self.formula(exponent.inner)}"
        said = f"{written} to the power {self.formula(exponent)}"
        return said if self._is_plain_exponent(exponent) else f"{said}, end power"

    def sub(self, base: Formula, written: str, index: Formula) -> str:
        if _is_head(base):
            written += ","
        if isinstance(index, Num) and len(index.digits) == 2 and _is_matrix(base):
            return f"{written} sub {' '.join(index.digits)}"  # Row and column of an entry.
        return f"{written} sub {self._index(index)}"

    def _index(self, index: Formula) -> str:
        match index:
            case Seq(parts) if all(isinstance(part, Num | Sym) for part in parts):
                return " ".join(map(self._index, parts))
            case Sym(name, False) if name.isascii() and name.isalpha():
                return visible(name)  # d sub k, W sub K: the base tells which.
            case Num() | Sym() | Words() | Blank():
                return self.formula(index)
            case _:
                return f"{self.formula(index)}, end sub"

    def paren(self, inner: str, fence: str) -> str:
        kind = "bracket" if fence == "[" else "paren"
        return f"open {kind} {inner} close {kind}"

    def call(self, name: str, argument: str) -> str:
        function = _FUNCTIONS.get(name) or visible(name)
        bare = argument.removeprefix("open paren ").removesuffix(" close paren")
        return f"{function} of {argument if ' ' in bare else bare}"

    def mark(self, role: Role, inner: str) -> str:
        return f"{inner}{',' if ' ' in inner else ''} {ROLES[role]}"

    def blank(self, answer: str | None, width: float, height: float) -> str:
        if answer is None:
            return "blank"
        short = " " not in answer.removeprefix("minus ") or answer in _FRACTION_NAMES
        return f"answer {answer}" if short else f"answer {answer}, end answer"

    # ------------------------------------------------------------------ matrices

    def grid(
        self,
        rows: list[list[Cell[str]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> str:
        if not rows or not rows[0]:
            return "empty matrix"
        height, width = len(rows), len(rows[0])
        size = f"{height} by {width} matrix"
        if any(_is_dots(cell.tree) for row in rows for cell in row):
            size = "matrix with its middle left out"  # What is shown is not its size.
        one_line = height == 1 and not row_labels
        if width == 1 and not row_labels and not column_labels:
            rows, one_line = [[cell for (cell,) in rows]], True
        heads = [f"column {called(text)}: " if text else "" for text in column_labels]
        if not heads and any("," in cell.content for row in rows for cell in row):
            heads = [f"{name}: " for name in _counted(rows[0], "row" if width == 1 else "column")]
        lines = [self._row(row, heads) for row in rows]
        if one_line:
            return f"{size}: {lines[0]}"
        sides = _counted([row[0] for row in rows], "row")
        for n, text in enumerate(row_labels):
            if text:
                sides[n] = f"row {called(text)}"
        said = [
            "and so on" if _is_left_out(row) else f"{side}: {line}"
            for row, side, line in zip(rows, sides, lines, strict=True)
        ]
        return "; ".join([size, *said])

    def _row(self, row: Sequence[Cell[str]], heads: Sequence[str]) -> str:
        said = []
        for n, cell in enumerate(row):
            content = cell.content or "empty"
            if cell.role is not None:
                content = self.mark(cell.role, content)
            said.append(heads[n] + content if heads and not _is_dots(cell.tree) else content)
        return ", ".join(said)

    # ------------------------------------------------------------------ what needs an end word

    def _is_one(self, tree: Formula) -> bool:
        """Whether the formula is one thing, so that nobody asks where it ends."""
        match tree:
            case Num():
                return True
            case Words(text):
                return " " not in text
            case Sym():
                return not _is_dots(tree)
            case Sub():
                return not self.formula(tree).endswith("end sub")
            case Blank(answer):
                return not self.key or self._is_one(answer)
            case _:
                return False

    def _is_lower(self, tree: Formula) -> bool:
        """Whether the formula can stand behind "over" without an end word."""
        if isinstance(tree, Root):
            return self._is_one(tree.radicand)
        return self._is_one(tree)

    def _is_plain_exponent(self, tree: Formula) -> bool:
        return isinstance(tree, Num | Sym) or (
            isinstance(tree, Frac) and self.formula(tree) in _FRACTION_NAMES
        )

    def _is_open(self, tree: Formula) -> bool:
        """Whether the end of the formula is not heard."""
        match tree:
            case Root(radicand):
                return self._is_one(radicand)
            case Frac():
                said = self.formula(tree)
                return said not in _FRACTION_NAMES and not said.endswith("end fraction")
            case Power(_, exponent):
                return exponent not in _RAISED and self._is_plain_exponent(exponent)
            case Call():
                return not self.formula(tree).endswith("paren")
            case Seq((*_, last)):
                return self._is_open(last)
            case _:
                return False


_FRACTION_NAMES: Final = frozenset(_FRACTIONS.values())


@lru_cache(maxsize=1024)
def _token(name: str, bold: bool) -> str:
    """A number, a letter or a sign; kept, since pages have most of them in common."""
    if len(name) == 1:
        said = _letter(name, bold) or called(visible(name))
    elif name[:1] in ("-", "−") and name[1:2].isdigit():
        said = f"minus {visible(name[1:])}"
    else:
        said = visible(name)
    return f"vector {said}" if bold else said


def _letter(name: str, bold: bool) -> str | None:
    """A letter by a name that no other letter shares; None for what is no letter."""
    if name in SIGNS:
        return SIGNS[name]
    if name.isascii():
        if not name.isalpha():
            return None
        kind = "capital" if name.isupper() else "small"
        usual = "capital" if not bold and name.upper() in MATRICES else "small"
        return name if kind == usual else f"{kind} {name}"
    greek = re.fullmatch("GREEK (SMALL|CAPITAL) LETTER ([A-Z]+)", unicodedata.name(name, ""))
    if greek:
        return greek[2].lower() if greek[1] == "SMALL" else f"capital {greek[2].lower()}"
    return None


def _is_factor(tree: Formula) -> bool:
    match tree:
        case Sym(name):
            return name.isalpha()
        case Op() | Words() | Seq() | Mark():
            return False
        case _:
            return True


def _is_short_power(tree: Formula) -> bool:
    return isinstance(tree, Power) and isinstance(tree.base, Sym) and tree.exponent in _RAISED


def _is_light(tree: Formula) -> bool:
    """What a letter can follow without "times": 2 x, Q K transpose."""
    return isinstance(tree, Num | Sym) or _is_short_power(tree)


def _joins(tree: Formula) -> bool:
    """What can follow a number or a letter without "times"."""
    return isinstance(tree, Sym | Sub) or _is_short_power(tree)


def _is_short_product(tree: Formula) -> bool:
    """Letters side by side, such as Q K transpose; also one such power."""
    if isinstance(tree, Seq):
        *most, last = tree.parts
        return all(_is_factor(part) and _is_light(part) for part in most) and _joins(last)
    return _is_short_power(tree)


def _is_head(tree: Formula) -> bool:
    """Whether this is a letter with the number of its head: O⁽²⁾."""
    return isinstance(tree, Power) and isinstance(tree.exponent, Paren)


def _is_matrix(base: Formula) -> bool:
    if isinstance(base, Power):
        base = base.base
    return isinstance(base, Sym) and base.name.isupper()


def _is_dots(tree: Formula) -> bool:
    return isinstance(tree, Sym) and tree.name in _DOTS


def _is_left_out(row: Sequence[Cell[str]]) -> bool:
    return all(_is_dots(cell.tree) for cell in row)


def _counted(cells: Sequence[Cell[str]], kind: str) -> list[str]:
    """row 1, row 2 …; behind dots nobody knows the number, but which is the last."""
    names = [f"{kind} {n}" for n in range(1, len(cells) + 1)]
    dots = [n for n, cell in enumerate(cells) if _is_dots(cell.tree)]
    if dots:
        names[dots[0] :] = [f"later {kind}"] * (len(cells) - dots[0])
        names[-1] = f"last {kind}"
    return names


def _named(labels: Sequence[str], count: int, kind: str) -> list[str]:
    """The labels of a heat map, and a number where there is none."""
    given = [called(label(text)) for text in labels[:count]] + [""] * (count - len(labels))
    return [name or f"{kind}{n}" for n, name in enumerate(given, 1)]


def _square(column: str, cell: HeatCell) -> str:
    if cell.share is None:
        return f"{column} blank"
    return f"{column} {cell.digits}" + (f" {ROLES[Role.MAXIMUM]}" if cell.bold else "")
