"""Formula -> MathML Core, which browsers set without any script.

Every part is one element, so that a script or a bracket always stands on one thing.
https://www.w3.org/TR/mathml-core/

>>> from symattn.formula import Frac, Num, Power, Root, Sym
>>> HtmlMath().formula(Power(Sym("e"), Frac(Num("5"), Root(Num("3")))))
'<msup><mi>e</mi><mfrac><mn>5</mn><msqrt><mn>3</mn></msqrt></mfrac></msup>'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from functools import lru_cache
from html import escape
from typing import Final

from symattn.document import Line
from symattn.formula import Formula, Grid, Num, Op, Origin, Paren, Power, Role, Seq, Sub, Sym
from symattn.writers.base import Cell, MathWriter, visible

_SPACES: Final = {"\u2002": "0.5em", "\u2003": "1em"}
_OPERATORS: Final = {"·": "⋅", "-": "−"}
_UNARY: Final = frozenset(("+", "−", "-", "±", "∓"))
_LEANING: Final = {
    **dict.fromkeys("FJMNPTUW", "sa-leaning"),
    **dict.fromkeys("VY", "sa-leaning-far"),
}
"""Letters that lean over what stands right of them, though not over a subscript."""
_LEANS: Final = re.compile(r' class="sa-leaning(?:-far)?"')
_DIGITS: Final = re.compile(r"[0-9.]+")
_TALL: Final = ("<mfrac", "<mtable")
_CLASSES: Final = {
    Role.MAXIMUM: "sa-max",
    Role.MASKED: "sa-masked",
    Role.FOCUS: "sa-focus",
    Role.ANSWER: "sa-answer",
    Role.WRONG: "sa-wrong",
    Role.FOLLOWS: "sa-follows",
    Role.DIGITS: "sa-digits",
}
_SIGNS: Final = {
    Role.WRONG: "<mtext> ✗</mtext>",
    Role.FOLLOWS: "<mtext> →</mtext>",
    Role.DIGITS: "<mtext> ∼</mtext>",
}
"""What stands beside an entry that is marked: colour is never the only sign."""


class HtmlMath(MathWriter[str]):
    """Formula -> MathML. Parts with a role carry a class; entries of a matrix their name."""

    def __init__(self, *, key: bool = False) -> None:
        super().__init__(key=key)
        self._origins: list[Origin | None] = []
        self.hidden = False
        """Whether a blank was left empty."""

    # ------------------------------------------------------------------ tokens

    def num(self, digits: str) -> str:
        if digits[:1] in ("-", "−"):
            return f"<mrow><mo>−</mo><mn>{_literal(digits[1:])}</mn></mrow>"
        return f"<mn>{_literal(digits)}</mn>"

    def sym(self, name: str, bold: bool) -> str:
        if name in _SPACES:
            return f'<mspace width="{_SPACES[name]}"/>'
        if name in _UNARY:  # A sign that stands alone belongs to what follows.
            return f'<mo form="prefix">{_OPERATORS.get(name, name)}</mo>'
        if name in (",", ";"):
            return f"<mo>{name}</mo>"
        if _DIGITS.fullmatch(name):
            return f'<mn class="sa-bold">{name}</mn>' if bold else f"<mn>{name}</mn>"
        if len(name) > 1:
            return self.words(visible(name))
        kind = "sa-bold" if bold else _LEANING.get(name)
        return f'<mi class="{kind}">{_literal(name)}</mi>' if kind else f"<mi>{_literal(name)}</mi>"

    def op(self, sign: str) -> str:
        return f"<mo>{_literal(_OPERATORS.get(sign, sign))}</mo>"

    def words(self, text: str) -> str:
        # White space at the ends of a token is not shown.
        return f"<mtext>{escape(text).replace(' ', chr(0xA0))}</mtext>"

    # ------------------------------------------------------------------ structure

    def seq(self, parts: tuple[Formula, ...]) -> str:
        out: list[str] = []
        before: Formula | None = None
        for part in parts:
            written = self.formula(part)
            if isinstance(part, Op):
                if part.sign in _UNARY and (before is None or isinstance(before, Op)):
                    written = written.replace("<mo>", '<mo form="prefix">')
                elif part.sign in (",", ";") and isinstance(before, Grid):
                    # Equations side by side need more room than the items of a list.
                    written += '<mspace width="1em"/>'
            before = part
            out.append(written)
        return f"<mrow>{''.join(out)}</mrow>"

    def frac(self, top: Formula, bottom: Formula) -> str:
        return f"<mfrac>{self.formula(top)}{self.formula(bottom)}</mfrac>"

    def slanted(self, top: str, bottom: str) -> str:
        return f'<mrow>{top}<mo lspace="0" rspace="0">/</mo>{bottom}</mrow>'

    def root(self, radicand: Formula, degree: int) -> str:
        inner = self.formula(radicand)
        if degree == 2:
            return f"<msqrt>{inner}</msqrt>"
        return f"<mroot>{inner}<mn>{degree}</mn></mroot>"

    def power(self, base: Formula, written: str, exponent: Formula) -> str:
        above = self.formula(exponent)
        if isinstance(base, Sub):  # Both scripts stand one above the other.
            return self._both(base.base, base.index, above)
        return f"<msup>{written}{above}</msup>"

    def sub(self, base: Formula, written: str, index: Formula) -> str:
        if isinstance(base, Power) and isinstance(base.exponent, Paren):
            return self._both(base.base, index, self.formula(base.exponent))
        return f"<msub>{_LEANS.sub('', written)}{self.formula(index)}</msub>"

    def _both(self, base: Formula, index: Formula, above: str) -> str:
        written = self._operand(base)
        if _LEANS.search(written):
            written = _LEANS.sub("", written)
            above = f'<mrow><mspace width="0.12em"/>{above}</mrow>'
        return f"<msubsup>{written}{self.formula(index)}{above}</msubsup>"

    def paren(self, inner: str, fence: str) -> str:
        left, right = ("[", "]") if fence == "[" else ("(", ")")
        flat = "" if any(tall in inner for tall in _TALL) else ' stretchy="false"'
        return f"<mrow><mo{flat}>{left}</mo>{inner}<mo{flat}>{right}</mo></mrow>"

    def call(self, name: str, argument: str) -> str:
        return f"<mrow><mi>{_literal(name)}</mi><mo>\u2061</mo>{argument}</mrow>"

    def mark(self, role: Role, inner: str) -> str:
        return f'<mrow class="{_CLASSES[role]}">{inner}{_SIGNS.get(role, "")}</mrow>'

    def blank(self, answer: str | None, width: float, height: float) -> str:
        # A table, because its cell is as wide as the widest of what stands in it.
        deep = height * 0.3
        room = f'<mspace width="{width:g}em" height="{height - deep:g}em" depth="{deep:g}em"/>'
        if answer is None:
            self.hidden = True
            return f'<mtable class="sa-blank"><mtr><mtd>{room}</mtd></mtr></mtable>'
        flat = f'<mspace width="{width:g}em"/>'
        strut = f'<mspace height="{height - deep:g}em" depth="{deep:g}em"/>'
        return (
            '<mtable class="sa-blank" displaystyle="true">'
            f"<mtr><mtd>{strut}{answer}</mtd></mtr>"
            f'<mtr class="sa-flat"><mtd>{flat}</mtd></mtr></mtable>'
        )

    # ------------------------------------------------------------------ matrices

    def _grid(self, grid: Grid) -> str:
        self._origins.append(grid.origin)
        try:
            return super()._grid(grid)
        finally:
            self._origins.pop()

    def grid(
        self,
        rows: list[list[Cell[str]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> str:
        origin = self._origins[-1]
        lines = []
        for i, row in enumerate(rows):
            side = _label(row_labels[i]) if row_labels else ""
            cells = "".join(_cell(cell, origin, i, j) for j, cell in enumerate(row))
            lines.append(f"<mtr>{side}{cells}</mtr>")
        labelled = bool(row_labels or column_labels)
        kind = "sa-grid"
        if column_labels:
            corner = "<mtd></mtd>" if row_labels else ""
            lines.insert(0, f"<mtr>{corner}{''.join(map(_label, column_labels))}</mtr>")
            kind += " sa-heads"
        if row_labels:
            kind += " sa-sides"
        if not labelled and all(isinstance(cell.tree, Num) for row in rows for cell in row):
            kind += " sa-numbers"
        name = f' data-matrix="{_literal(origin.matrix)}"' if origin else ""
        if origin and origin.decimal:
            name += ' data-decimal=""'
        table = f'<mtable class="{kind}" displaystyle="true"{name}>{"".join(lines)}</mtable>'
        if labelled:
            return table
        left, right = ("(", ")") if fence == "(" else ("[", "]")
        return f"<mrow><mo>{left}</mo>{table}<mo>{right}</mo></mrow>"


@lru_cache(maxsize=4096)
def _literal(text: str) -> str:
    return escape(visible(text))


def _cell(cell: Cell[str], origin: Origin | None, i: int, j: int) -> str:
    name = origin.cell(i, j) if origin else None
    kind = f' class="{_CLASSES[cell.role]}"' if cell.role else ""
    which = f' data-cell="{_literal(name)}"' if name else ""
    sign = _SIGNS.get(cell.role, "") if cell.role else ""
    return f"<mtd{kind}{which}>{cell.content}{sign}</mtd>"


def _label(text: str) -> str:
    return f'<mtd class="sa-label"><mtext>{escape(text)}</mtext></mtd>' if text else "<mtd></mtd>"


# ------------------------------------------------------------------ lines


def forms(line: Line, pairs: frozenset[str]) -> list[tuple[str, tuple[Formula, ...]]]:
    """The right side of a line in runs: "exact" and "decimal" where a matrix of `pairs` stands in
    that form with the sign before it, "" elsewhere."""
    parts = _parts(line.right)
    if line.relation:
        parts = (Op(line.relation), *parts)
    runs: list[tuple[str, tuple[Formula, ...]]] = []
    rest: list[Formula] = []
    for part in parts:
        origin = part.origin if isinstance(part, Grid) else None
        if origin and origin.matrix in pairs and rest and isinstance(rest[-1], Op):
            sign = rest.pop()
            if rest:
                runs.append(("", tuple(rest)))
                rest = []
            runs.append(("decimal" if origin.decimal else "exact", (sign, part)))
        else:
            rest.append(part)
    if rest:
        runs.append(("", tuple(rest)))
    return runs


def paired(lines: Sequence[Line]) -> frozenset[str]:
    """The matrices that a display shows both exactly and in decimals."""
    found: dict[bool, set[str]] = {False: set(), True: set()}
    for line in lines:
        for part in _parts(line.right):
            if isinstance(part, Grid) and part.origin:
                found[part.origin.decimal].add(part.origin.matrix)
    return frozenset(found[False] & found[True])


def spaced(line: Line) -> list[Formula]:
    """Formulas that stand on one line with em spaces between them, one by one."""
    if line.left is not None or line.relation or line.right is None:
        return []
    pieces: list[list[Formula]] = [[]]
    for part in _parts(line.right):
        if part == Sym("\u2003"):
            pieces.append([])
        else:
            pieces[-1].append(part)
    return [Seq(tuple(piece)) for piece in pieces if piece]


def _parts(tree: Formula | None) -> tuple[Formula, ...]:
    if tree is None:
        return ()
    return tree.parts if isinstance(tree, Seq) else (tree,)
