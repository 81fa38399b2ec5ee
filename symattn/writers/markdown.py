"""Document -> Markdown in two flavours: `$$` for Jupyter and pandoc, fenced ``math`` for GitHub.

Only what all readers of Markdown mathematics agree on is written: no macros, no colour, one row
per line, and nothing at the start of a line that Markdown would take for a list.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, TypeAlias

from symattn.document import Display, Document, Heatmap, Math, Text
from symattn.formula import Formula, Sym
from symattn.writers.base import PageWriter, label, visible
from symattn.writers.latex_math import LatexMath, display_line

SCRIPT_LIMIT: Final = 90
"""GitHub refuses a formula with 100 scripts in braces."""

_ESCAPES: Final = str.maketrans(
    {sign: "\\" + sign for sign in "\\`*_[]{}$|~#"} | {"&": "&amp;", "<": "&lt;", ">": "&gt;"}
)
_LIST_START: Final = re.compile(r"(\s*)([-+=:]|\d{1,9}(?=[.)]))")
_SCRIPT: Final = re.compile(r"[\^_]\{")
_RISKY: Final = re.compile(r"(?<![A-Za-z0-9])_|[*`<|]|\\[^A-Za-z]")
"""Inside a line of text: what GitHub may take for emphasis, an escape, or HTML."""


Row: TypeAlias = tuple[str, str, str]
"""A line of a display: left of the relation, from the relation on, and why."""


class MarkdownMath(LatexMath):
    """Formula -> LaTeX without anything that Markdown could read as its own."""

    specials = LatexMath.specials | {
        "<": r"\lt",
        ">": r"\gt",
        "|": r"\vert",
        "*": r"\ast",
        "`": r"\prime",
    }

    def __init__(self, *, key: bool = False, flat: bool = False) -> None:
        super().__init__(key=key)
        self.flat = flat
        """Whether e^(...) is written exp(...), which needs no braces."""

    def bold(self, inner: str) -> str:
        # Without braces no "}_" arises, which GitHub could take for emphasis.
        return rf"\mathbf {inner}" if len(inner) == 1 else super().bold(inner)

    def power(self, base: Formula, written: str, exponent: Formula) -> str:
        if self.flat and base == Sym("e"):
            return self.call("exp", self.paren(self.formula(exponent), "("))
        return super().power(base, written, exponent)


class MarkdownWriter(PageWriter):
    """Document -> Markdown with `$$`, or with `gfm` for GitHub and VS Code."""

    def __init__(self, *, key: bool = False, gfm: bool = False) -> None:
        super().__init__(key=key)
        self.gfm = gfm
        self.formulas = MarkdownMath(key=key)
        self.flat_formulas = MarkdownMath(key=key, flat=True)

    # ------------------------------------------------------------------ the page

    def page(self, document: Document, body: str) -> str:
        title = self.escape(visible(document.title))
        subtitle = self._emphasis(document.subtitle)
        parts = [f"# {title}" if title.strip() else "", subtitle, body]
        if document.footer:
            parts += ["* * *", self._emphasis(document.footer)]
        return "\n\n".join(filter(None, parts)) + "\n"

    def _emphasis(self, text: str) -> str:
        text = self.escape(visible(text)).strip()
        return f"*{text}*" if text else ""

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        return text.translate(_ESCAPES)

    def text(self, text: Text) -> str:
        out = ""
        after_math = False
        for part in text:
            written = self.inline(part)
            is_math = isinstance(part, Math)
            # A dollar sign that touches a letter, a digit or a hyphen is not read as mathematics.
            glued = (after_math and _touches(written[:1])) or (is_math and _touches(out[-1:]))
            out += " " + written if glued else written
            after_math = is_math if written else after_math
        return " ".join(out.split())

    def math(self, part: Math) -> str:
        written = " ".join(self.formulas.formula(part.formula).split())
        if not written:
            return ""
        if self.gfm and _RISKY.search(written):
            return f"$`{written}`$"
        return f"${written}$"

    def strong(self, text: str) -> str:
        inner = text.strip()
        if not inner:
            return text
        before, after = text.split(inner, 1)
        return f"{before}**{inner}**{after}"

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text, aside: str) -> str:
        plain = self.text(tuple(p if isinstance(p, str | Math) else p.text for p in text))
        end = f" {self.escape(visible(aside))}" if aside else ""
        return f"{'#' * (min(level, 5) + 1)} {plain}{end}"

    def para(self, text: Text) -> str:
        return _guarded(self.text(text))

    def items(self, items: list[tuple[str, Text]]) -> str:
        return "\n".join(
            f"{number or '-'} {_guarded(self.text(text))}".rstrip() for number, text in items
        )

    def display(self, display: Display) -> str:
        blocks: list[str] = []
        pending: list[Row] = []
        for line in display.lines:
            pair = display_line(self.formulas, line)
            if self.gfm and _scripts(pair) > SCRIPT_LIMIT:
                pair = display_line(self.flat_formulas, line)
            why = self.formulas.words(visible(line.why)) if line.why else ""
            row = (*pair, rf"\quad {why}" if why else "")
            if self.gfm and pending and _scripts(row, *pending) > SCRIPT_LIMIT:
                blocks.append(self._block(pending))
                pending = []
            pending.append(row)
        if pending:
            blocks.append(self._block(pending))
        return "\n\n".join(blocks)

    def _block(self, rows: list[Row]) -> str:
        if len(rows) == 1:
            # One line needs no alignment. An empty group keeps a sign off the start of the line.
            line = " ".join(filter(None, rows[0]))
            body = line if line[:1].isalpha() or line[:1] == "\\" else "{}" + line
        else:
            lines = [
                f"{left} &{right}".lstrip() + (f" && {why}" if why else "")
                for left, right, why in rows
            ]
            body = "\\begin{aligned}\n" + " \\\\\n".join(lines) + "\n\\end{aligned}"
        return f"```math\n{body}\n```" if self.gfm else f"$$\n{body}\n$$"

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        if not head:
            return ""
        lines = [list(map(self.text, line)) for line in (head, *rows)]
        return _table(lines, "---")

    def heatmap(self, heatmap: Heatmap) -> str:
        columns = [self.escape(label(text)) for text in heatmap.column_labels]
        rows = []
        for number, row in enumerate(self.shown(heatmap)):
            side = heatmap.row_labels[number] if number < len(heatmap.row_labels) else ""
            cells = [
                f"**{self.escape(cell.digits)}**" if cell.bold else self.escape(cell.digits)
                for cell in row
            ]
            rows.append([self.escape(label(side)), *cells])
        width = max(map(len, rows), default=1)
        head = [*["", *columns][:width]]
        lines = [line + [""] * (width - len(line)) for line in (head, *rows)]
        caption = self._emphasis(heatmap.caption)
        return "\n\n".join(filter(None, [_table(lines, "--:"), caption]))

    def note(self, text: Text) -> str:
        return f"> {_guarded(self.text(text))}"

    def code(self, language: str, lines: list[str]) -> str:
        runs = re.findall("`{3,}", "\n".join(lines))
        fence = "`" * (max(map(len, runs), default=2) + 1)
        return "\n".join([fence + language, *lines, fence])

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        room = sum(share for _, share in fields)
        return " ".join(
            f"{self.escape(visible(name))}: " + r"\_" * max(3, round(48 * share / room))
            for name, share in fields
        )

    def work_space(self, lines: int) -> str:
        return "\n".join(["&nbsp;\n"] * lines).rstrip()

    def page_break(self) -> str:
        return "* * *"


def _touches(character: str) -> bool:
    return character.isalnum() or character in ("-", "$", "\\", "`", "_", "*")


def _guarded(text: str) -> str:
    """A line that is not taken for a list, whatever it starts with."""
    start = _LIST_START.match(text)
    if not start:
        return text
    position = start.end(2) if start[2].isdigit() else start.start(2)
    return f"{text[:position]}\\{text[position:]}"


def _scripts(*rows: tuple[str, ...]) -> int:
    return sum(len(_SCRIPT.findall(part)) for row in rows for part in row)


def _table(lines: list[list[str]], rule: str) -> str:
    head, *rows = lines
    rules = ["---", *[rule] * (len(head) - 1)]
    return "\n".join("| " + " | ".join(line) + " |" for line in (head, rules, *rows))
