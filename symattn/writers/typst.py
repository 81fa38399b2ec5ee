"""Document -> Typst, which its compiler sets as a tagged PDF with its own fonts.

The body is a list of calls of the functions in `templates/symattn.typ`. Whatever somebody typed
stands in a string literal, so nothing in it is read as markup or code.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import pairwise
from typing import Final

from symattn.document import Block, Display, Document, Heatmap, Line, Math, Part, Strong, Text
from symattn.templates import built_in, fill
from symattn.writers import Options
from symattn.writers.base import LABEL_LIMIT, HeatCell, PageWriter, label, visible
from symattn.writers.speech import Speech
from symattn.writers.theme import shade
from symattn.writers.typst_math import TypstMath, string

PAPERS: Final = {"a4": "a4", "letter": "us-letter"}

LONG_WORD: Final = 32
LONG_WHY: Final = 44
"""Letters of a reason from which on it is set on several lines."""
CODE_WIDTH: Final = 96
MOST_TOGETHER: Final = 4
"""Lines of a display up to which it does not break over pages."""


class TypstWriter(PageWriter):
    """Document -> Typst, in the page shell `templates/typst.typ` or the user's own.

    `missing` are the characters that no font has.
    """

    def __init__(self, ask: Options, missing: frozenset[str] = frozenset()) -> None:
        super().__init__(key=ask.key)
        self.ask = ask
        self.formulas = TypstMath(key=ask.key, missing=missing)
        self.speech = Speech(key=ask.key)

    # ------------------------------------------------------------------ the page

    def page(self, document: Document, body: str) -> str:
        literal = {
            "title": document.title,
            "subtitle": document.subtitle,
            "header": self.ask.header,
            "footer": document.footer,
            "language": document.language,
            "author": document.author,
            "keywords": ", ".join(document.keywords),
        }
        values = {name: self.escape(visible(text)) for name, text in literal.items()}
        values["paper"] = string(PAPERS[self.ask.paper])
        values["logo"] = self._logo()
        values["metadata"] = _metadata(document) + built_in("symattn.typ").rstrip()
        values["body"] = body
        return fill(values, name="typst.typ", path=self.ask.template)

    def fragment(self, body: str) -> str:
        return f"{built_in('symattn.typ')}\n{body}\n"

    def _logo(self) -> str:
        logo = self.ask.logo
        if logo is None:
            return "none"
        # The picture stands in the source itself: nothing is read from a file.
        if logo.kind == "svg":
            data = string(logo.data.decode("utf-8", "replace"))
        else:
            data = f"({','.join(map(str, logo.data))},)"
        kind = string("jpg" if logo.kind == "jpeg" else logo.kind)
        return f'image(bytes({data}), format: {kind}, height: 12mm, alt: "logo")'

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        # What has no place to break is given some, or it would run off the page.
        if len(text) >= LONG_WORD:
            text = _LONG_WORDS.sub(lambda word: _BREAK.join(_in_pieces(word[0], 8)), text)
        return self.formulas.literal(text)

    def text(self, text: Text) -> str:
        return ", ".join(map(self.inline, text))

    def math(self, part: Math) -> str:
        written = self.formulas.formula(part.formula)
        return f"m({_alt(self.speech.formula(part.formula))}, ${written}$)"

    def strong(self, text: str) -> str:
        return f"strong({text})"

    # ------------------------------------------------------------------ blocks

    def blocks(self, blocks: Sequence[Block]) -> str:
        written = [text for text in map(self.block, blocks) if text]
        for n, (text, after) in enumerate(pairwise(written)):
            # What introduces a display stays with it, and a worked entry with its matrix.
            worked = text.startswith("#d(") and not _GRID.search(text) and _GRID.search(after)
            if worked or (text.startswith("#p(") and after.startswith("#d(")):
                written[n] = f"{text[:3]}sticky: true, {text[3:]}"
        return "\n".join(written)

    def heading(self, level: int, text: Text, aside: str) -> str:
        # What stands out in a heading is its number or its kind: "Step 1."
        parts = [
            f"samark({self.escape(visible(part.text))})"
            if isinstance(part, Strong)
            else self.inline(part)
            for part in text
        ]
        end = f", aside: {self.escape(visible(aside))}" if aside else ""
        return f"#sahead({min(level, 6)}, {', '.join(parts)}{end})"

    def para(self, text: Text) -> str:
        return f"#p({self.text(text)})"

    def items(self, items: list[tuple[str, Text]]) -> str:
        kind = "enum" if items[0][0] else "list"
        body = "".join(f"\n  {_joined(self.text(text))}," for _, text in items)
        return f"#{kind}(tight: true, {body}\n)"

    def display(self, display: Display) -> str:
        alt = _alt(self.speech.display(display))
        lines = [self._line(line) for line in display.lines]
        aligned = any(right for _, right, _ in lines)
        written = " \\\n".join(
            f"{left} & {right}" + (f" & quad & {why}" if why else "")
            if aligned and len(lines) > 1
            else " ".join(filter(None, [left, right, why and f"quad quad {why}"]))
            for left, right, why in lines
        )
        scale = f", scale: {display.scale:.3g}" if display.scale < 1 else ""
        long = ", long: true" if len(lines) > MOST_TOGETHER else ""
        return f"#d({alt}{scale}{long},\n$ {written} $)"

    def _line(self, line: Line) -> tuple[str, str, str]:
        left = self.formulas.formula(line.left) if line.left is not None else ""
        right = self.formulas.formula(line.right) if line.right is not None else ""
        relation = self.formulas.op(line.relation) if line.relation else ""
        why = f"#sawhy({self.escape(visible(line.why))})" if line.why else ""
        if len(line.why) > LONG_WHY:
            why = f"#box(width: 36%, {why[1:]})"
        return left, f"{relation} {right}".strip(), why

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        if not head:
            return ""
        top = ", ".join(_joined(self.text(cell)) for cell in head)
        body = "".join(
            "\n  " + ", ".join(_joined(self.text(cell)) for cell in row) + "," for row in rows
        )
        return f"#satable({len(head)}, ({top},),{body}\n)"

    def heatmap(self, heatmap: Heatmap) -> str:
        cells = self.shown(heatmap)
        width = max(map(len, cells), default=0)
        heads = [label(text) for text in heatmap.column_labels] + [""] * width
        sides = [label(text) for text in heatmap.row_labels] + [""] * len(cells)
        lines = ["[], " + ", ".join(map(self._label, heads[:width]))]
        lines += [
            ", ".join([self._label(side), *map(self._heat, row)])
            for side, row in zip(sides, cells, strict=False)
        ]
        alt = _alt(self.speech.heatmap(heatmap, cells))
        body = ",\n  ".join(lines)
        caption = self.escape(visible(heatmap.caption))
        return f"#saheatmap({alt}, {caption}, {width + 1},\n  {body},\n)"

    def _label(self, text: str) -> str:
        return f"salabel({self.formulas.literal(text, LABEL_LIMIT)})" if text else "[]"

    def _heat(self, cell: HeatCell) -> str:
        if cell.share is None:
            return 'saempty("0.000")'
        fill, white_ink = shade(cell.share)
        digits = self.escape(cell.digits)
        text = f"strong({digits})" if cell.bold else digits
        return f'saheat(rgb("{fill}"), {"white" if white_ink else "black"}, {text})'

    def note(self, text: Text) -> str:
        return f"#sanote({self.text(text)})"

    def code(self, language: str, lines: list[str]) -> str:
        body = "\n".join("\n↪ ".join(_in_pieces(line, CODE_WIDTH)) for line in lines)
        return f"#sacode({_newlines(self.formulas.literal(body))})"

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        body = ", ".join(f"({self.escape(visible(name))}, {share:g})" for name, share in fields)
        return f"#saform({body},)"

    def work_space(self, lines: int) -> str:
        return f"#sawork({lines})"

    def page_break(self) -> str:
        return "#pagebreak(weak: true)"

    def part(self, part: Part) -> str:
        title, subtitle, footer = (
            self.escape(visible(text)) for text in (part.title, part.subtitle, part.footer)
        )
        return f"#sapart({title}, {subtitle}, {footer})"


_BREAK: Final = "\u200b"
_LONG_WORDS: Final = re.compile(rf"\S{{{LONG_WORD},}}")
_LANGUAGE: Final = re.compile("[a-z]{2,3}")
_REGION: Final = re.compile("[A-Za-z]{2}")
_GRID: Final = re.compile("#sa(?:matrix|labelled)")


def _alt(words: str) -> str:
    """The alternative text of a formula or figure. Without one the compiler refuses the page."""
    return string(words if words.strip() else "empty")


def _joined(parts: str) -> str:
    """The parts as one piece of content."""
    return f"({parts},).join()" if ", " in parts else parts or "[]"


def _in_pieces(text: str, length: int) -> list[str]:
    return [text[start : start + length] for start in range(0, len(text), length)] or [""]


def _newlines(literal: str) -> str:
    return literal.replace("\n", "\\n")


def _metadata(document: Document) -> str:
    """Title, author and language for the file. A fixed date: the same page, the same bytes."""
    entries = {"title": string(visible(document.title))}
    if document.author:
        entries["author"] = string(visible(document.author))
    if document.keywords:
        words = ", ".join(string(visible(word)) for word in document.keywords)
        entries["keywords"] = f"({words},)"
    entries["date"] = "datetime(year: 2000, month: 1, day: 1)"
    language, _, region = document.language.partition("-")
    text = {"lang": string(language if _LANGUAGE.fullmatch(language) else "en")}
    if _REGION.fullmatch(region):
        text["region"] = string(region)
    return f"#set document({_named(entries)})\n#set text({_named(text)})\n"


def _named(values: dict[str, str]) -> str:
    return ", ".join(f"{name}: {value}" for name, value in values.items())
