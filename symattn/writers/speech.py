"""Document -> words: the page as text to be read aloud, one paragraph to a line."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.document import Display, Document, Heading, Heatmap, Inline, Math, Para, Part, Text
from symattn.writers.base import PageWriter
from symattn.writers.speech_math import Speech, in_words

__all__ = ["Speech", "SpeechWriter"]


class SpeechWriter(PageWriter):
    """Document -> plain text without signs that a voice would leave out or misread."""

    def __init__(self, *, key: bool = False) -> None:
        super().__init__(key=key)
        self.speech = Speech(key=key)

    # ------------------------------------------------------------------ the page

    def page(self, document: Document, body: str) -> str:
        footer = document.footer.replace(" · ", ", ")  # A separator here, no multiplication.
        head = [self.text((line,)) for line in (document.title, document.subtitle)]
        return "\n\n".join(filter(None, [*head, body, self.text((footer,))])) + "\n"

    # ------------------------------------------------------------------ running text

    def text(self, text: Text) -> str:
        said = ""
        before: Inline = ""
        for part in text:
            words = self.inline(part)
            if isinstance(part, Math) or isinstance(before, Math):
                # A formula is words now: it stands apart from the word that it touched.
                said += " " if said[-1:].isalnum() and words[:1].isalnum() else ""
            said += words
            before = part
        return " ".join(said.split())

    def escape(self, text: str) -> str:
        return in_words(text)

    def math(self, part: Math) -> str:
        return self.speech.formula(part.formula)

    def strong(self, text: str) -> str:
        return text

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text, aside: str) -> str:
        return self.text((*text, f" {aside}"))

    def para(self, text: Text) -> str:
        return self.text(text)

    def items(self, items: list[tuple[str, Text]]) -> str:
        return "\n".join(f"{number} {self.text(text)}".strip() for number, text in items)

    def display(self, display: Display) -> str:
        return _sentence(self.speech.display(display))

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        heads = [self.text(cell) for cell in head]
        return "\n".join(self._row(heads, [self.text(cell) for cell in row]) for row in rows)

    def _row(self, heads: list[str], cells: list[str]) -> str:
        return " ".join(
            _sentence(f"{head}: {cell}" if head else cell)
            for head, cell in zip(heads, cells, strict=True)
            if cell
        )

    def heatmap(self, heatmap: Heatmap) -> str:
        return _sentence(self.speech.heatmap(heatmap, self.shown(heatmap)))

    def note(self, text: Text) -> str:
        return f"Note: {self.text(text)}"

    def code(self, language: str, lines: list[str]) -> str:
        return "\n".join(lines)

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        return " ".join(f"{self.text((name,))}: blank." for name, _ in fields)

    def work_space(self, lines: int) -> str:
        return f"Room for {lines} {'line' if lines == 1 else 'lines'} of working."

    def part(self, part: Part) -> str:
        under = ", ".join(filter(None, [part.subtitle, part.footer.replace(" · ", ", ")]))
        return self.blocks([Heading(1, (part.title,)), Para((under,))])

    def page_break(self) -> str:
        return ""  # A voice turns no page.


def _sentence(text: str) -> str:
    return text if not text or text.endswith((".", "!", "?")) else f"{text}."
