"""Document -> one HTML file that needs nothing else: MathML, a font for it, and a script that
makes entries tell where they come from.

Without the script everything is there to read. What a user typed is text and nothing else; a
Content-Security-Policy lets no other style, script or address in.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Sequence
from functools import cache
from html import escape
from typing import Final

from symattn.document import Display, Document, Heatmap, Line, Math, Text, Trace
from symattn.formula import Formula, Seq
from symattn.templates import built_in, data, fill
from symattn.writers import Options, Paper
from symattn.writers.base import HeatCell, PageWriter, label, language, visible
from symattn.writers.html_math import HtmlMath, forms, paired, spaced
from symattn.writers.speech_math import Speech
from symattn.writers.theme import ACCENT, FOCUS, GREY, MAXIMUM, shade

HEAT_LEVELS: Final = 20
"""Shades of a heat map: a style sheet that no page can add to has them ready."""
SMALLEST_SCALE: Final = 30
"""Per cent of its size to which a display is set smaller in print."""

_SHARES: Final = 12
_MEDIA: Final = {"png": "image/png", "jpeg": "image/jpeg", "svg": "image/svg+xml"}


class HtmlWriter(PageWriter):
    """Document -> HTML, with the page shell `templates/html.html` or the user's own."""

    def __init__(self, ask: Options) -> None:
        super().__init__(key=ask.key)
        self.formulas = HtmlMath(key=ask.key)
        self.ask = ask
        self.speech = Speech(key=ask.key)

    # ------------------------------------------------------------------ the page

    def page(self, document: Document, body: str) -> str:
        values = {
            "title": self._literal(document.title),
            "subtitle": self._literal(document.subtitle),
            "header": self._literal(self.ask.header),
            "logo": self._logo(),
            "author": self._literal(document.author),
            "paper": self.ask.paper,
            "footer": self._literal(document.footer),
            "language": language(document.language),
            "keywords": self._literal(", ".join(document.keywords)),
            "metadata": self._metadata(document),
            "policy": policy(self.ask.paper),
            "style": f"<style>{style(self.ask.paper)}</style>",
            "script": self._traces(document.traces) + f"<script>{script()}</script>",
            "body": body,
        }
        return fill(values, name="html.html", path=self.ask.template)

    def _literal(self, text: str) -> str:
        return self.escape(visible(text))

    def _logo(self) -> str:
        logo = self.ask.logo
        if logo is None:
            return ""
        source = f"data:{_MEDIA[logo.kind]};base64,{base64.b64encode(logo.data).decode()}"
        return f'<img class="sa-logo" src="{source}" alt="Logo">'

    def _metadata(self, document: Document) -> str:
        entries = {
            "generator": "symattn",
            "description": document.subtitle,
            "author": document.author,
            "keywords": ", ".join(document.keywords),
        }
        return "\n".join(
            f'<meta name="{name}" content="{self._literal(text)}">'
            for name, text in entries.items()
            if text
        )

    def _traces(self, traces: Sequence[Trace]) -> str:
        """Where each entry comes from, out of sight until the script shows it."""
        if not traces or self.formulas.hidden:  # They would tell what the blanks ask for.
            return ""
        return f'<template id="sa-traces">{"".join(map(self._trace, traces))}</template>\n'

    def _trace(self, trace: Trace) -> str:
        about = f'<div data-trace="{self._literal(trace.cell)}"'
        if trace.sources:
            about += f' data-from="{self._literal(" ".join(trace.sources))}"'
        if trace.decimals:
            about += f' data-digits="{self._literal(" ".join(trace.decimals))}"'
        title = "".join(
            f"<math>{self._inner(part.formula)}</math>"
            if isinstance(part, Math)
            else self.inline(part)
            for part in trace.title
        )
        rows = "".join(self._row(line, frozenset()) for line in trace.working)
        return f"{about}>{title}{f'<math>{rows}</math>' if rows else ''}</div>\n"

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        return escape(text)

    def math(self, part: Math) -> str:
        spoken = self.speech.formula(part.formula)
        return f'<math alttext="{self.escape(spoken)}">{self._inner(part.formula)}</math>'

    def strong(self, text: str) -> str:
        return f"<strong>{text}</strong>"

    def _inner(self, tree: Formula) -> str:
        """What stands in <math>, which needs no row of its own."""
        written = self.formulas.formula(tree)
        if isinstance(tree, Seq):
            return written.removeprefix("<mrow>").removesuffix("</mrow>")
        return written

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text, aside: str) -> str:
        name = "h2" if level == 1 else "h3"
        inner = self.text(text)
        if aside:
            inner = f'<span>{inner}</span> <span class="sa-aside">{self._literal(aside)}</span>'
        return f'<{name} class="sa-heading">{inner}</{name}>'

    def para(self, text: Text) -> str:
        return f"<p>{self.text(text)}</p>"

    def items(self, items: list[tuple[str, Text]]) -> str:
        kind = "ol" if items[0][0] else "ul"
        lines = "\n".join(f"<li>{self.text(text)}</li>" for _, text in items)
        return f'<{kind} class="sa-items">\n{lines}\n</{kind}>'

    def display(self, display: Display) -> str:
        lines = display.lines
        pairs = paired(lines)
        if len(lines) > 1:
            rows = "\n".join(self._row(line, pairs) for line in lines)
            table = f'<mtable class="sa-lines" displaystyle="true">\n{rows}\n</mtable>'
            inner = self._box(table, self.speech.display(display))
        elif len(pieces := spaced(lines[0])) > 1:
            inner = "\n".join(
                self._box(self._inner(piece), self.speech.formula(piece)) for piece in pieces
            )
        else:
            (line,) = lines
            bare = Line(line.left, line.relation, line.right)
            left = self.formulas.formula(line.left) if line.left is not None else ""
            inner = self._box(left + self._right(line, pairs), self.speech.line(bare))
            inner += f'\n<span class="sa-why">{self._literal(line.why)}</span>' if line.why else ""
        percent = max(int(display.scale * 20) * 5, SMALLEST_SCALE)
        scale = f" sa-scale-{percent}" if percent < 100 else ""
        return f'<div class="sa-display{scale}">{inner}</div>'

    def _box(self, inner: str, spoken: str) -> str:
        """A formula on a line of its own, which scrolls by itself where it is too wide."""
        return (
            '<div class="sa-scroll">'
            f'<math display="block" alttext="{self.escape(spoken)}">{inner}</math></div>'
        )

    def _right(self, line: Line, pairs: frozenset[str]) -> str:
        """The relation and what stands right of it, with both forms of a matrix told apart."""
        out = []
        for kind, parts in forms(line, pairs):
            written = self.formulas.formula(Seq(parts))
            if kind:
                written = f'<mrow class="sa-{kind}">' + written.removeprefix("<mrow>")
            out.append(written)
        return "".join(out)

    def _row(self, line: Line, pairs: frozenset[str]) -> str:
        left = self.formulas.formula(line.left) if line.left is not None else ""
        why = f'<mtext class="sa-why">{self._literal(line.why)}</mtext>' if line.why else ""
        return (
            f"<mtr><mtd>{left}</mtd><mtd>{self._right(line, pairs)}</mtd>"
            + (f"<mtd>{why}</mtd>" if why else "")
            + "</mtr>"
        )

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        if not head:
            return ""
        top = "".join(f'<th scope="col">{self.text(cell)}</th>' for cell in head)
        lines = "\n".join(
            "<tr>" + "".join(f"<td>{self.text(cell)}</td>" for cell in row) + "</tr>"
            for row in rows
        )
        return (
            f'<div class="sa-scroll"><table class="sa-table">\n<thead><tr>{top}</tr></thead>\n'
            f"<tbody>\n{lines}\n</tbody>\n</table></div>"
        )

    def heatmap(self, heatmap: Heatmap) -> str:
        width = max(map(len, heatmap.cells), default=0)
        heads = [*map(label, heatmap.column_labels[:width])]
        heads += [""] * (width - len(heads))
        sides = [*map(label, heatmap.row_labels[: len(heatmap.cells)])]
        sides += [""] * (len(heatmap.cells) - len(sides))
        top = "".join(f'<th scope="col" dir="auto">{self.escape(text)}</th>' for text in heads)
        lines = []
        for i, row in enumerate(self.shown(heatmap)):
            cells = [self._heat(cell, _name(heatmap, i, j)) for j, cell in enumerate(row)]
            cells += ["<td></td>"] * (width - len(row))
            side = f'<th scope="row" dir="auto">{self.escape(sides[i])}</th>'
            lines.append(f"<tr>{side}{''.join(cells)}</tr>")
        rows = "\n".join(lines)
        caption = f"<caption>{self._literal(heatmap.caption)}</caption>" if heatmap.caption else ""
        origin = heatmap.origin
        which = f' data-matrix="{self._literal(origin.matrix)}"' if origin else ""
        return (
            f'<div class="sa-scroll"><table class="sa-heat"{which}>{caption}\n'
            f"<thead><tr><td></td>{top}</tr></thead>\n<tbody>\n{rows}\n</tbody>\n</table></div>"
        )

    def _heat(self, cell: HeatCell, name: str) -> str:
        which = f' data-cell="{self._literal(name)}"' if name else ""
        if cell.share is None:
            return f'<td class="sa-empty"{which}></td>'
        digits = self.escape(cell.digits)
        shown = f"<b>{digits}</b>" if cell.bold else digits
        return f'<td class="sa-heat-{_level(cell.share)}"{which}>{shown}</td>'

    def note(self, text: Text) -> str:
        return f'<p class="sa-note" role="note">{self.text(text)}</p>'

    def code(self, language: str, lines: list[str]) -> str:
        source = self.escape("\n".join(lines))
        return f'<pre class="sa-code sa-scroll"><code>{source}</code></pre>'

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        room = sum(share for _, share in fields)
        parts = "\n".join(
            f'<label class="sa-share-{max(round(share / room * _SHARES), 1)}">'
            f'{self._literal(name)}: <input type="text" autocomplete="off"></label>'
            for name, share in fields
        )
        return f'<div class="sa-form">\n{parts}\n</div>'

    def work_space(self, lines: int) -> str:
        return f'<div class="sa-room">{"<br>" * lines}</div>'

    def page_break(self) -> str:
        return '<hr class="sa-break">'


# ---------------------------------------------------------------- style and policy


@cache
def style(paper: Paper = "a4") -> str:
    """The style sheet of a page, with the fonts in it; a fragment looks as it should with it."""
    values = {
        "accent": f"#{ACCENT}",
        "grey": f"#{GREY}",
        "maximum": f"#{MAXIMUM}",
        "focus": f"#{FOCUS}",
        "paper": "A4" if paper == "a4" else "letter",
        "math": _font("math"),
        "bold": _font("bold"),
        "heat": "\n".join(map(_heat_rule, range(HEAT_LEVELS + 1))),
        "scales": "\n".join(
            f".sa-scale-{percent} {{ font-size: {percent / 100:g}em }}"
            for percent in range(SMALLEST_SCALE, 100, 5)
        ),
        "shares": "\n".join(
            f".sa-share-{share} {{ flex: {share} }}" for share in range(1, _SHARES + 1)
        ),
    }
    return _compact(fill(values, name="html.css"))


@cache
def script() -> str:
    """The script of a page."""
    return _compact(built_in("html.js"))


def _compact(text: str) -> str:
    """Indentation is for people who read the file itself."""
    return "\n".join(filter(None, map(str.strip, text.split("\n"))))


def _font(name: str) -> str:
    return f"data:font/woff2;base64,{base64.b64encode(data(f'fonts/{name}.woff2')).decode()}"


def _level(share: float) -> int:
    return round(min(max(share, 0.0), 1.0) * HEAT_LEVELS) if share == share else 0


def _heat_rule(level: int) -> str:
    fill_colour, white_ink = shade(level / HEAT_LEVELS)
    ink = "#FFF" if white_ink else "#000"
    return f".sa-heat-{level} {{ background: #{fill_colour}; color: {ink} }}"


@cache
def policy(paper: Paper = "a4") -> str:
    """The Content-Security-Policy: this style, this script, pictures and fonts inside the page."""
    rules = (
        "default-src 'none'",
        f"style-src '{_digest(style(paper))}'",
        f"script-src '{_digest(script())}'",
        "img-src data:",
        "font-src data:",
        "base-uri 'none'",
        "form-action 'none'",
    )
    return f'<meta http-equiv="Content-Security-Policy" content="{"; ".join(rules)}">'


def _digest(text: str) -> str:
    digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
    return f"sha256-{digest}"


# ---------------------------------------------------------------- details


def _name(heatmap: Heatmap, i: int, j: int) -> str:
    return (heatmap.origin and heatmap.origin.cell(i, j)) or ""
