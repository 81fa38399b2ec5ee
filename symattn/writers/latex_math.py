r"""Formula -> LaTeX that LaTeX (with amsmath), KaTeX and MathJax read alike.

>>> from symattn.formula import Frac, Num, Power, Root, Sym
>>> LatexMath().formula(Power(Sym("e"), Frac(Num("5"), Root(Num("3")), slanted=True)))
'e^{5/\\sqrt{3}}'
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from symattn.document import Line
from symattn.formula import Formula, Frac, Num, Op, Role, Sub
from symattn.writers.base import Cell, MathWriter, visible

SIGNS: Final = {
    "−": "-",
    "·": r"\cdot",
    "×": r"\times",
    "÷": r"\div",
    "±": r"\pm",
    "∓": r"\mp",
    "≈": r"\approx",
    "≠": r"\ne",
    "≡": r"\equiv",
    "≤": r"\le",
    "≥": r"\ge",
    "∝": r"\propto",
    "→": r"\to",
    "↦": r"\mapsto",
    "⇒": r"\Rightarrow",
    "⇔": r"\Leftrightarrow",
    "∈": r"\in",
    "∉": r"\notin",
    "⊂": r"\subset",
    "∪": r"\cup",
    "∩": r"\cap",
    "∘": r"\circ",
    "⊙": r"\odot",
    "⊗": r"\otimes",
    "⊕": r"\oplus",
    "∣": r"\mid",
    "∥": r"\parallel",
    "⊤": r"\top",
    "ᵀ": r"\top",
    "⊥": r"\bot",
    "∞": r"\infty",
    "∅": r"\emptyset",
    "∂": r"\partial",
    "∇": r"\nabla",
    "∀": r"\forall",
    "∃": r"\exists",
    "∑": r"\sum",
    "Σ": r"\Sigma",
    "∏": r"\prod",
    "∫": r"\int",
    "⋯": r"\cdots",
    "…": r"\ldots",
    "⋮": r"\vdots",
    "⋱": r"\ddots",
    "′": r"\prime",
    "ℓ": r"\ell",
    "ℝ": r"\mathbb{R}",
    "ℕ": r"\mathbb{N}",
    "ℤ": r"\mathbb{Z}",
    "ℚ": r"\mathbb{Q}",
    "□": r"\square",
    "\u2002": r"\enspace",
    "\u2003": r"\quad",
    "α": r"\alpha",
    "β": r"\beta",
    "γ": r"\gamma",
    "δ": r"\delta",
    "ε": r"\varepsilon",
    "ζ": r"\zeta",
    "η": r"\eta",
    "θ": r"\theta",
    "ι": r"\iota",
    "κ": r"\kappa",
    "λ": r"\lambda",
    "μ": r"\mu",
    "ν": r"\nu",
    "ξ": r"\xi",
    "π": r"\pi",
    "ρ": r"\rho",
    "ς": r"\varsigma",
    "σ": r"\sigma",
    "τ": r"\tau",
    "υ": r"\upsilon",
    "φ": r"\varphi",
    "χ": r"\chi",
    "ψ": r"\psi",
    "ω": r"\omega",
    "Γ": r"\Gamma",
    "Δ": r"\Delta",
    "Θ": r"\Theta",
    "Λ": r"\Lambda",
    "Ξ": r"\Xi",
    "Π": r"\Pi",
    "Υ": r"\Upsilon",
    "Φ": r"\Phi",
    "Ψ": r"\Psi",
    "Ω": r"\Omega",
    "ϵ": r"\epsilon",
    "ϕ": r"\phi",
}
"""Signs and letters that have a name in LaTeX."""

_LETTERS: Final = frozenset("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz")
_PLAIN_SIGNS: Final = frozenset("=+-,;:/!()[]|<>*.'?")
_DIGITS: Final = re.compile(r"-?[0-9.]+\Z")
_ONE_TOKEN: Final = re.compile(r"(?:[0-9A-Za-z]|\\[A-Za-z]+)\Z")
_TIGHT: Final = frozenset((",", ";", ":"))
_UNARY: Final = frozenset(("+", "−", "-", "±", "∓"))
_FUNCTIONS: Final = frozenset(("arg", "cos", "exp", "inf", "ln", "log", "max", "min", "sin", "sup"))
_TALL: Final = ("\\frac", "\\dfrac", "\\begin")

_SPECIALS: Final = {
    "\\": r"\backslash",
    "{": r"\lbrace",
    "}": r"\rbrace",
    "$": r"\$",
    "&": r"\&",
    "#": r"\#",
    "_": r"\_",
    "%": r"\%",
    "^": r"\wedge",
    "~": r"\sim",
    "<": r"<",
    ">": r">",
}


class LatexMath(MathWriter[str]):
    """Formula -> LaTeX math. Parts with a role are marked by weight, a line, or a box."""

    specials: dict[str, str] = _SPECIALS
    """Inside words: characters that readers of \\text disagree on, and a sign for each."""

    def __init__(self, *, key: bool = False) -> None:
        super().__init__(key=key)
        self._tokens: dict[tuple[str, bool], str] = {}

    # ------------------------------------------------------------------ tokens

    def num(self, digits: str) -> str:
        return self._tokens.get((digits, False)) or self._token(digits, False)

    def sym(self, name: str, bold: bool) -> str:
        return self._tokens.get((name, bold)) or self._token(name, bold)

    def op(self, sign: str) -> str:
        return self._tokens.get((sign, False)) or self._token(sign, False)

    def _token(self, name: str, bold: bool) -> str:
        if name in _LETTERS or name in _PLAIN_SIGNS:
            written = self.specials.get(name, name)
        elif name in SIGNS:
            written = SIGNS[name]
        else:
            proper = name.replace("−", "-")
            written = proper if _DIGITS.match(proper) else self.words(visible(name))
        if bold:
            written = self.bold(written)
        self._tokens[name, bold] = written
        return written

    def bold(self, inner: str) -> str:
        """A bold letter."""
        return rf"\mathbf{{{inner}}}"

    def words(self, text: str) -> str:
        """Upright text."""
        if not any(special in text for special in self.specials):
            return rf"\text{{{text}}}"
        parts: list[str] = []
        for run in re.split(f"([{re.escape(''.join(self.specials))}])", text):
            if run in self.specials:
                parts.append(f"{{{self.specials[run]}}}")
            elif run:
                parts.append(rf"\text{{{run}}}")
        return "{" + "".join(parts) + "}"

    # ------------------------------------------------------------------ structure

    def seq(self, parts: tuple[Formula, ...]) -> str:
        out = ""
        after_operand = False
        for part in parts:
            written = self.formula(part)
            if isinstance(part, Op):
                if part.sign in _TIGHT:
                    # Equations side by side need more room than the items of a list.
                    out += written + (r"\quad " if out.endswith("]") else " ")
                elif after_operand or part.sign not in _UNARY:
                    out += f" {written} "
                else:  # A sign with nothing before it belongs to what follows.
                    out += f"{written} " if written[-1:].isalpha() else written
                after_operand = False
                continue
            if after_operand and isinstance(part, Num) and part.digits[:1] in ("-", "−"):
                written = f"{{{written}}}"  # Juxtaposed, not subtracted.
            elif out[-1:].isalpha() and written[:1].isalnum():
                out += " "
            out += written
            after_operand = True
        return out.strip()

    def frac(self, top: Formula, bottom: Formula) -> str:
        return rf"\frac{{{self.formula(top)}}}{{{self.formula(bottom)}}}"

    def entry(self, tree: Formula) -> str:
        # Inside an array LaTeX would set a fraction small.
        written = self.formula(tree)
        return "\\d" + written[1:] if isinstance(tree, Frac) and not tree.slanted else written

    def slanted(self, top: str, bottom: str) -> str:
        return f"{top}/{bottom}"

    def root(self, radicand: Formula, degree: int) -> str:
        index = "" if degree == 2 else f"[{degree}]"
        return rf"\sqrt{index}{{{self.formula(radicand)}}}"

    def power(self, base: Formula, written: str, exponent: Formula) -> str:
        return f"{written or '{}'}^{_script(self.formula(exponent))}"

    def sub(self, base: Formula, written: str, index: Formula) -> str:
        if isinstance(base, Sub):  # LaTeX refuses a second subscript on one base.
            written = f"{{{written}}}"
        return f"{written or '{}'}_{_script(self.formula(index))}"

    def paren(self, inner: str, fence: str) -> str:
        left, right = ("[", "]") if fence == "[" else ("(", ")")
        if any(sign in inner for sign in _TALL):
            return rf"\left{left}{inner}\right{right}"
        return f"{left}{inner}{right}"

    def call(self, name: str, argument: str) -> str:
        function = f"\\{name}" if name in _FUNCTIONS else self.function(name)
        if argument.startswith("\\"):  # \left would stand off like an operand.
            return rf"{function}\mathopen{{}}{argument}"
        return function + argument

    def function(self, name: str) -> str:
        """The upright name of a function."""
        if name.isascii() and name.isalnum():
            return rf"\mathrm{{{name}}}"
        return self.words(visible(name))

    def mark(self, role: Role, inner: str) -> str:
        if role is Role.MAXIMUM:
            return rf"\mathbf{{{inner}}}"
        if role is Role.FOCUS:
            return rf"\underline{{{inner}}}"
        if role is Role.ANSWER:
            return rf"\boxed{{{inner}}}"
        if role is Role.WRONG:
            return rf"\boxed{{{inner}}}^{{\times}}"
        if role is Role.FOLLOWS:
            return rf"\underline{{{inner}}}_{{\to}}"
        if role is Role.DIGITS:
            return rf"{{{inner}}}_{{\sim}}"
        return inner  # A masked entry is −∞ or 0: it says so itself.

    def blank(self, answer: str | None, width: float, height: float) -> str:
        if answer is None:
            return rf"\boxed{{{chr(92)}quad{chr(92)}quad}}" if width <= 2 else _wide_box(width)
        return rf"\boxed{{{answer}}}"

    # ------------------------------------------------------------------ matrices

    def grid(
        self,
        rows: list[list[Cell[str]]],
        row_labels: Sequence[str],
        column_labels: Sequence[str],
        fence: str,
    ) -> str:
        labelled = bool(row_labels or column_labels)
        columns = "".join(self._column(column, labelled) for column in zip(*rows, strict=True))
        lines = [" & ".join(self._row(row)) for row in rows]
        if row_labels:
            columns = f"c{self.side_rule}{columns}"
            lines = [
                f"{self.margin(text)} & {line}"
                for text, line in zip(row_labels, lines, strict=True)
            ]
        tall = any("frac" in cell.content for row in rows for cell in row)
        body = self._lines(lines, self.row_end(tall)) or "{}"  # No empty line in mathematics.
        if column_labels:
            head = " & ".join(map(self.margin, column_labels))
            corner = "& " if row_labels else ""
            body = f"{corner}{head} \\\\\n\\hline\n{body}"
        array = f"\\begin{{array}}{{{columns or 'c'}}}\n{body}\n\\end{{array}}"
        if labelled:
            return array
        left, right = ("(", ")") if fence == "(" else ("[", "]")
        return rf"\left{left}{array}\right{right}"

    def _column(self, column: Sequence[Cell[str]], labelled: bool) -> str:
        numbers = all(isinstance(cell.tree, Num) for cell in column)
        return "r" if numbers and not labelled else "c"

    def _row(self, row: Sequence[Cell[str]]) -> list[str]:
        return [
            cell.content if cell.role is None else self.marked_cell(cell.role, cell.content)
            for cell in row
        ]

    def _lines(self, lines: Sequence[str], end: str) -> str:
        # After \\ a bracket would be read as a length, and an asterisk as "no page break".
        safe = ["{}" + line if line[:1] in ("[", "*") else line for line in lines]
        return f" {end}\n".join(safe)

    def marked_cell(self, role: Role, content: str) -> str:
        """An entry with a role."""
        return self.mark(role, content)

    side_rule = "|"
    """What stands between the row labels and the matrix, in the language of `array`."""

    def margin(self, text: str) -> str:
        """The label of a row or column."""
        return rf"\scriptstyle {self.words(text)}" if text else ""

    def row_end(self, tall: bool) -> str:
        """What ends a row; `tall` when fractions stand in the matrix."""
        return r"\\[4pt]" if tall else r"\\"


def _script(written: str) -> str:
    """A script, with braces only where it needs them: some renderers count the braces."""
    return written if _ONE_TOKEN.match(written) else f"{{{written}}}"


def _wide_box(width: float) -> str:
    return r"\boxed{" + r"\quad" * min(round(width), 12) + "}"


def display_line(math: LatexMath, line: Line) -> tuple[str, str]:
    """A line of a display: what stands left of its relation, and the rest."""
    left = math.formula(line.left) if line.left is not None else ""
    right = math.formula(line.right) if line.right is not None else ""
    relation = math.op(line.relation) if line.relation else ""
    return left, f"{relation} {right}".strip()
