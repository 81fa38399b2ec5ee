"""Writers turn a `Document` into text. They know documents and formulas, and no mathematics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Final, Literal, TypeAlias

from symattn.document import Document
from symattn.errors import UsageError, known_are

if TYPE_CHECKING:
    from symattn.writers.base import PageWriter
    from symattn.writers.logo import Logo

Paper: TypeAlias = Literal["a4", "letter"]


@dataclass(frozen=True, eq=False, slots=True)
class Options:
    """What a caller may ask for; a writer takes what concerns it."""

    key: bool = False
    template: PathLike[str] | str | None = None
    width: int = 80
    colour: bool = False
    paper: Paper = "a4"
    header: str = ""
    """A line at the top of every page, such as the name of a school. Literal text."""
    logo: Logo | None = None


def _latex(ask: Options) -> PageWriter:
    from symattn.writers.latex import LatexWriter

    return LatexWriter(ask)


def _markdown(ask: Options) -> PageWriter:
    from symattn.writers.markdown import MarkdownWriter

    return MarkdownWriter(key=ask.key)


def _gfm(ask: Options) -> PageWriter:
    from symattn.writers.markdown import MarkdownWriter

    return MarkdownWriter(key=ask.key, gfm=True)


def _text(ask: Options) -> PageWriter:
    from symattn.writers.text import TextWriter

    return TextWriter(key=ask.key, width=ask.width, colour=ask.colour)


def _html(ask: Options) -> PageWriter:
    from symattn.writers.html import HtmlWriter

    return HtmlWriter(ask)


def _typst(ask: Options) -> PageWriter:
    from symattn.writers.typst import TypstWriter

    return TypstWriter(ask)


def _speech(ask: Options) -> PageWriter:
    from symattn.writers.speech import SpeechWriter

    return SpeechWriter(key=ask.key)


WRITERS: Final[dict[str, Callable[[Options], PageWriter]]] = {
    "latex": _latex,
    "markdown": _markdown,
    "gfm": _gfm,
    "text": _text,
    "html": _html,
    "typst": _typst,
    "speech": _speech,
}
"""The formats, each with its writer; a writer is loaded when it is asked for."""

SHELLS: Final = ("latex", "html", "typst")
"""The formats whose pages stand in a shell of `templates/`."""


def write(document: Document, format: str, *, fragment: bool = False, **options: object) -> str:
    """The document in a format of `WRITERS`.

    `fragment` leaves out what makes a page of it (title, footer, LaTeX preamble). The other
    options are those of `Options`: `key` fills the blanks in; `template`, a page shell of one's
    own, `paper`, `header` and `logo` are for `SHELLS`; `width` and `colour` are for `text`.

    UsageError for a format that does not exist, and for a shell that the format does not have.
    """
    if format not in WRITERS:
        raise UsageError(f"there is no format {format!r}", hint=known_are(format, WRITERS))
    ask = Options(**options)  # type: ignore[arg-type]
    if ask.template is not None and (format not in SHELLS or fragment):
        raise UsageError(
            f"a template is a page of {', '.join(SHELLS[:-1])} or {SHELLS[-1]}",
            hint="Leave it out, or ask for a whole page in one of these formats.",
        )
    return WRITERS[format](ask).document(document, fragment=fragment)
