"""Exercises as files: each sheet is made, checked by a second path, and set.

The functions here take and give plain data, so that a process pool or a cluster can run them.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Final, TypeAlias

from symattn.document import Document
from symattn.errors import UsageError, known_are
from symattn.generate.exercise import Exercise
from symattn.generate.recheck import recheck
from symattn.generate.recipe import Recipe
from symattn.generate.recipes import BY_NAME
from symattn.generate.settings import DEFAULTS, Settings
from symattn.views.options import Options
from symattn.views.sheets.collection import collection
from symattn.views.sheets.documents import DOCUMENTS

SUFFIXES: Final = {
    "pdf": "pdf",
    "latex": "tex",
    "markdown": "md",
    "gfm": "md",
    "html": "html",
    "text": "txt",
    "typst": "typ",
}
"""The formats of a sheet and what their files end in."""

File: TypeAlias = tuple[str, bytes]
"""Name and content."""


@dataclass(frozen=True, slots=True)
class Look:
    """How pages are set: their format and what `writers.Options` and `pdf` take."""

    format: str = "pdf"
    author: str = ""
    pdf: dict[str, Any] = field(default_factory=dict)
    """`engine` and `fonts`, for PDF only."""
    page: dict[str, Any] = field(default_factory=dict)
    """`paper`, `header`, `logo`, `template`."""

    @property
    def suffix(self) -> str:
        return SUFFIXES[self.format]


@dataclass(frozen=True, slots=True)
class Order:
    """One exercise and which of its documents are wanted; `student` is printed on each of them."""

    recipe: str
    seed: int
    settings: Settings = DEFAULTS
    documents: tuple[str, ...] = ("sheet",)
    student: str = ""
    prefix: str = ""
    """What file names begin with, such as the number of the student."""

    @property
    def id(self) -> str:
        return str(recipe_of(self.recipe).identity(self.seed, self.settings))

    def file(self, document: str, look: Look) -> str:
        """The name of a document's file."""
        return f"{self.prefix}{self.id}-{document}.{look.suffix}"


def recipe_of(name: str) -> Recipe:
    """The recipe with this name. UsageError where there is none."""
    if name not in BY_NAME:
        raise UsageError(f"there is no recipe {name!r}", hint=known_are(name, BY_NAME))
    return BY_NAME[name]


def exercise_of(order: Order) -> Exercise:
    """The exercise, computed twice. `recheck.Refused` where the two differ."""
    made = recipe_of(order.recipe).exercise(order.seed, order.settings)
    recheck(made)
    return made


def print_order(order: Order, look: Look) -> list[File]:
    """All documents of an order as files."""
    exercise = exercise_of(order)
    made: dict[Callable[..., Document], Document] = {}
    files = []
    for name in order.documents:
        make = DOCUMENTS[name]
        if make not in made:  # A sheet and its key are one tree.
            made[make] = make(exercise, Options())
        document = _named(made[make], name, order)
        files.append((order.file(name, look), set_document(document, name, look)))
    return files


def print_class(
    title: str, document: str, orders: Sequence[Order], look: Look, file: str
) -> list[File]:
    """One document of every order, one behind the other in one file."""
    pages = [
        _named(DOCUMENTS[document](exercise_of(order), Options()), document, order)
        for order in orders
    ]
    words = f"{len(pages)} sheets" if document == "sheet" else f"{len(pages)} × {document}"
    return [
        (f"{file}.{look.suffix}", set_document(collection(title, words, pages), document, look))
    ]


def set_document(document: Document, name: str, look: Look) -> bytes:
    """A document in the wanted format; the key has its boxes filled in."""
    if look.author:
        document = replace(document, author=look.author)
    key = name == "key"
    if look.format == "pdf":
        from symattn.pdf import pdf

        return pdf(document, key=key, **look.pdf, **look.page)
    from symattn.writers import write

    return write(document, look.format, key=key, **look.page).encode()


def _named(document: Document, name: str, order: Order) -> Document:
    """The document with what tells it from the others of its exercise and of its class."""
    if name == "key":
        document = replace(document, subtitle="Answer key")
    if not order.student:
        return document
    return replace(document, subtitle=f"{document.subtitle} for {order.student}")
