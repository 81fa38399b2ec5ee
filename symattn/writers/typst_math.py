r"""Formula -> Typst mathematics, what stands between two dollar signs.

Everything is written with its name or as an escaped sign, so nothing is left to Typst's
shorthands; words are string literals, so nothing in them is markup.

>>> from symattn.formula import Frac, Num, Power, Root, Sym
>>> TypstMath().formula(Power(Sym("e"), Frac(Num("5"), Root(Num("3")), slanted=True)))
'e^(5 sal() sqrt(3))'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from typing import Final, assert_never

from symattn.formula import Blank, Formula, Frac, Num, Op, Power, Role, Root, Seq, Sub, Sym
from symattn.writers.base import LABEL_LIMIT, Cell, MathWriter, code_point, visible

_PLAIN: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789.?")
_UNARY: Final = frozenset("+−-±∓")
_SPACED: Final = {"\u2002": "space.en", "\u2003": "quad"}
_DIGITS: Final = re.compile(r"-?[0-9]+(?:\.[0-9]+)?\Z")
_OPERATORS: Final = frozenset("+-=<>")
MINUS: Final = Sym("−")

WORDS_LIMIT: Final = 40
"""Words in mathematics cannot break: what is longer is cut off visibly."""


def string(text: str) -> str:
    """A string literal: the only place where what somebody typed can stand in Typst code."""
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"') + '"'


class TypstMath(MathWriter[str]):
    """Formula -> Typst. `missing` are the characters that no font has: each becomes [U+4E2D]."""

    def __init__(self, *, key: bool = False, missing: frozenset[str] = frozenset()) -> None:
        super().__init__(key=key)
        self.missing = missing

    def literal(self, text: str, limit: int = 0) -> str:
        """A string literal in which every character can be shown, at most `limit` letters long."""
        return _literal(text, limit, self.missing)

    # ------------------------------------------------------------------ tokens

    def num(self, digits: str) -> str:
        return _token(digits, False, self.missing)

    def sym(self, name: str, bold: bool) -> str:
        return _token(name, bold, self.missing)

    def op(self, sign: str) -> str:
        return _token(sign, False, self.missing)

    def words(self, text: str) -> str:
        return self.literal(text, WORDS_LIMIT)

    # ------------------------------------------------------------------ structure

    def seq(self, parts: tuple[Formula, ...]) -> str:
        out: list[str] = []
        after_operand = False
        for part in parts:
            written = self.formula(part)
            if isinstance(part, Op):
                if not after_operand and part.sign in _UNARY:
                    written = f'class("unary", {written})'
                out.append(written)
                if part.sign == "," and len(out) > 1 and out[-2].startswith("#"):
                    out.append("quad")  # Equations side by side need more room than items.
                after_operand = False
                continue
            if after_operand and (part == MINUS or _is_signed(part)):
                written = f'class("normal", {written})'  # Juxtaposed, not subtracted.
            out.append(written)
            after_operand = True
        return _spaced(out)

    def frac(self, top: Formula, bottom: Formula) -> str:
        return f"frac({self.formula(top)}, {self.formula(bottom)})"

    def slanted(self, top: str, bottom: str) -> str:
        return f"{top} sal() {bottom}"

    def root(self, radicand: Formula, degree: int) -> str:
        inner = self.formula(radicand)
        return f"sqrt({inner})" if degree == 2 else f"root({degree}, {inner})"

    def power(self, base: Formula, written: str, exponent: Formula) -> str:
        # An index and the exponent stand above each other.
        stem = written if isinstance(base, Sub) else _one(written)
        return f"{stem}^({self.formula(exponent)})"

    def sub(self, base: Formula, written: str, index: Formula) -> str:
        if isinstance(base, Sub):  # A second index on one base stands after the first.
            written = f'class("normal", {written})'
        return f"{_one(written)}_({self.formula(index)})"

    def paren(self, inner: str, fence: str) -> str:
        return f"lr(bracket.l {inner} bracket.r)" if fence == "[" else f"lr(( {inner} ))"

    def call(self, name: str, argument: str) -> str:
        return f"op({self.literal(visible(name))}) {argument}"

    def mark(self, role: Role, inner: str) -> str:
        match role:
            case Role.MAXIMUM:
                return f"samaximum({inner})"
            case Role.FOCUS:
                return f"safocus({inner})"
            case Role.ANSWER:
                return f"saanswer({inner})"
            case Role.MASKED:
                return f"samasked({inner})"
            case Role.WRONG:
                return f"sawrong({inner})"
            case Role.FOLLOWS:
                return f"safollows({inner})"
            case Role.DIGITS:
                return f"sadigits({inner})"
            case _:
                assert_never(role)

    def blank(self, answer: str | None, width: float, height: float) -> str:
        if answer is None:
            return f"#sablank({width:g}em, {height:g}em)"
        return f"#sablank({width:g}em, {height:g}em, $display({answer})$)"

    # ------------------------------------------------------------------ matrices

    def grid(
        self,
        rows: list[list[Cell[str]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> str:
        labelled = bool(row_labels or column_labels)
        width = len(rows[0]) if rows else 0
        sides = ["", *row_labels] if column_labels else list(row_labels)
        lines = [", ".join(map(self._heading, column_labels))] if column_labels else []
        lines += [", ".join(map(self._matrix_cell, row)) for row in rows]
        if row_labels:
            lines = [
                f"{self._heading(side)}, {line}" for side, line in zip(sides, lines, strict=True)
            ]
        body = ",\n".join(lines) or "[]"
        if labelled:
            which = f"heads: {_yes(column_labels)}, sides: {_yes(row_labels)}"
            return f"#salabelled({width}, center, {which},\n{body},\n)"
        numbers = [all(isinstance(row[n].tree, Num) for row in rows) for n in range(width)]
        align = _columns(["right" if only else "center" for only in numbers])
        return f"#samatrix({width}, {align}, {string(fence)},\n{body},\n)"

    def _matrix_cell(self, cell: Cell[str]) -> str:
        content = cell.content
        if cell.role is not None and cell.role is not Role.MAXIMUM:
            content = self.mark(cell.role, content)
        if not content:
            return "[]"
        # Set as a display, a fraction keeps its size and its row grows with it.
        tall = isinstance(cell.tree, Seq | Frac | Power | Root | Blank)
        content = f"$ {content} $" if tall else f"${content}$"
        return f"samaximumcell({content})" if cell.role is Role.MAXIMUM else content

    def _heading(self, text: str) -> str:
        return f"salabel({self.literal(text, LABEL_LIMIT)})" if text else "[]"


def _literal(text: str, limit: int, missing: frozenset[str]) -> str:
    signs = list(text)
    if missing and not missing.isdisjoint(text):
        signs = [code_point(c) if c in missing else c for c in text]
    if limit and sum(map(len, signs)) > limit:
        while sum(map(len, signs)) > limit - 1:
            signs.pop()
        signs.append("…")
    return string("".join(signs))


@lru_cache(maxsize=1024)
def _token(name: str, bold: bool, missing: frozenset[str]) -> str:
    """A number, a letter or a sign; kept, since pages have most of them in common."""
    if name in _PLAIN or _DIGITS.match(name):
        written = name.replace("-", "−")
    elif name in _SPACED:
        written = _SPACED[name]
    elif len(name) == 1 and name in _OPERATORS:
        written = "−" if name == "-" else name
    elif len(name) == 1 and not name.isascii() and name not in missing and visible(name) == name:
        written = name  # Typst knows the classes of Unicode's mathematical signs.
    elif len(name) == 1 and name.isascii() and name.isprintable():
        written = "\\" + name
    else:
        written = _literal(visible(name), WORDS_LIMIT, missing)
    if bold:
        written = f"bold(upright({written}))" if name.isalpha() else f"bold({written})"
    return written


def _spaced(parts: Sequence[str]) -> str:
    """The parts side by side. A space beside words would be seen."""
    out = ""
    for part in parts:
        out += part if not out or out[-1] == '"' or part[:1] == '"' else " " + part
    return out


def _one(written: str) -> str:
    """What a script can be attached to without taking only the last of several things."""
    return written if written.isalnum() or _is_call(written) else f'class("normal", {written})'


def _is_call(written: str) -> bool:
    name, bracket, rest = written.partition("(")
    if not (bracket and name.isalpha() and rest.endswith(")")):
        return False
    depth = 1
    for position, character in enumerate(rest):
        depth += {"(": 1, ")": -1}.get(character, 0)
        if depth == 0:
            return position == len(rest) - 1
    return False


def _is_signed(part: Formula) -> bool:
    return isinstance(part, Num) and part.digits[:1] in ("-", "−")


def _yes(labels: Sequence[str]) -> str:
    return "true" if labels else "false"


def _columns(align: list[str]) -> str:
    if len(set(align)) == 1:
        return align[0]
    return f"({', '.join(align)})" if align else "center"
