"""Writers turn a `Document` into text. They know documents and formulas, and no mathematics."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from os import PathLike
from typing import TYPE_CHECKING, Final

from symattn.document import Document
from symattn.errors import UsageError

if TYPE_CHECKING:
    from symattn.writers.base import PageWriter


@dataclass(frozen=True, eq=False, slots=True)
class Options:
    """What a caller may ask for; a writer takes what concerns it."""

    key: bool = False
    template: PathLike[str] | str | None = None
    width: int = 80
    colour: bool = False


def _latex(ask: Options) -> PageWriter:
    from symattn.writers.latex import LatexWriter

    return LatexWriter(key=ask.key, template=ask.template)


def _markdown(ask: Options) -> PageWriter:
    from symattn.writers.markdown import MarkdownWriter

    return MarkdownWriter(key=ask.key)


def _gfm(ask: Options) -> PageWriter:
    from symattn.writers.markdown import MarkdownWriter

    return MarkdownWriter(key=ask.key, gfm=True)


def _text(ask: Options) -> PageWriter:
    from symattn.writers.text import TextWriter

    return TextWriter(key=ask.key, width=ask.width, colour=ask.colour)


WRITERS: Final[dict[str, Callable[[Options], PageWriter]]] = {
    "latex": _latex,
    "markdown": _markdown,
    "gfm": _gfm,
    "text": _text,
}
"""The formats, each with its writer; a writer is loaded when it is asked for."""


def write(
    document: Document,
    format: str,
    *,
    key: bool = False,
    fragment: bool = False,
    template: PathLike[str] | str | None = None,
    width: int = 80,
    colour: bool = False,
) -> str:
    """The document in a format of `WRITERS`.

    `key` fills the blanks in; `fragment` leaves out what makes a page of it (title, footer,
    LaTeX preamble); `template` is a page shell of one's own, for LaTeX; `width` and `colour`
    are for `text`.
    """
    if format not in WRITERS:
        import difflib

        near = difflib.get_close_matches(format, WRITERS, 1)
        guess = f"Did you mean {near[0]}? " if near else ""
        raise UsageError(
            f"there is no format {format!r}", hint=f"{guess}Known are {', '.join(WRITERS)}."
        )
    if template is not None and (format != "latex" or fragment):
        raise UsageError(
            "a template is a page of LaTeX", hint="Leave it out, or ask for a whole latex page."
        )
    return WRITERS[format](Options(key, template, width, colour)).document(
        document, fragment=fragment
    )
