"""A page as a tree: what stands on it and in which order, never how it is set."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal, TypeAlias, Union

from symattn.formula import Formula, Origin
from symattn.formula import Line as Line


@dataclass(frozen=True, eq=False, slots=True)
class Math:
    """A formula inside a line of text."""

    formula: Formula


@dataclass(frozen=True, eq=False, slots=True)
class Strong:
    """Words that stand out."""

    text: str


Inline: TypeAlias = Union[str, Math, Strong]
Text: TypeAlias = tuple[Inline, ...]
"""Running text. Strings are literal: a writer escapes them, nothing in them is markup."""


@dataclass(frozen=True, eq=False, slots=True)
class Heading:
    level: int
    """1 for a section, 2 for a part of it. The title of the document is not a heading."""
    text: Text
    aside: str = ""
    """What stands at the far end of the line: "[8 points]"."""


@dataclass(frozen=True, eq=False, slots=True)
class Para:
    text: Text


@dataclass(frozen=True, eq=False, slots=True)
class Items:
    """A list; numbered or with bullets."""

    items: tuple[Text, ...]
    numbered: bool = False


@dataclass(frozen=True, eq=False, slots=True)
class Display:
    """Mathematics on lines of its own, aligned at the relation.

    `scale` is at most 1: what the width policy (`layout.py`) found is needed to fit the page.
    """

    lines: tuple[Line, ...]
    scale: float = 1.0


@dataclass(frozen=True, eq=False, slots=True)
class Table:
    """A table of text with one line of heads."""

    head: tuple[Text, ...]
    rows: tuple[tuple[Text, ...], ...]


@dataclass(frozen=True, eq=False, slots=True)
class Heatmap:
    """Numbers between 0 and 1 as a labelled picture. `cells` are (value, its decimals)."""

    caption: str
    row_labels: tuple[str, ...]
    column_labels: tuple[str, ...]
    cells: tuple[tuple[tuple[float, str], ...], ...]
    blank: bool = False
    """The picture is an answer: empty squares on the worksheet, shaded on its key."""
    origin: Origin | None = None
    """Which entries the squares show."""


@dataclass(frozen=True, eq=False, slots=True)
class Note:
    """A remark beside the main line of thought."""

    text: Text


@dataclass(frozen=True, eq=False, slots=True)
class Code:
    """A program, as it is."""

    language: Literal["python"]
    source: str


@dataclass(frozen=True, eq=False, slots=True)
class Form:
    """Labelled lines to write on, side by side: Name, Date. Each is (label, share of the line)."""

    fields: tuple[tuple[str, float], ...]


@dataclass(frozen=True, eq=False, slots=True)
class WorkSpace:
    """Empty paper to work on, as high as so many lines of handwriting (8 mm each)."""

    lines: int


@dataclass(frozen=True, eq=False, slots=True)
class PageBreak:
    pass


@dataclass(frozen=True, eq=False, slots=True)
class Part:
    """The beginning of a page of its own inside a document: a sheet among the sheets of a class.

    In print it has its own page numbers and its own footer. The headings behind it are of level 2
    and deeper.
    """

    title: str
    subtitle: str
    footer: str


Block: TypeAlias = Union[
    Heading, Para, Items, Display, Table, Heatmap, Note, Code, Form, WorkSpace, PageBreak, Part
]


@dataclass(frozen=True, eq=False, slots=True)
class Trace:
    """Where one entry of a matrix comes from, for readers of a page that can be asked."""

    cell: str
    """Its name, as `formula.cell_name` writes it."""
    title: Text
    """The entry and what it is: A₁₂, I → love."""
    working: tuple[Line, ...]
    """The entry worked out; empty for what is given."""
    sources: tuple[str, ...]
    """Names of the entries that the law takes it from."""
    decimals: tuple[str, ...] = ()
    """Proved decimals to 0, 1, 2, … places; empty where the exact form has letters."""


@dataclass(frozen=True, eq=False, slots=True)
class Document:
    """A whole page. `footer` names where it comes from; `language` is a BCP 47 tag."""

    title: str
    subtitle: str
    blocks: tuple[Block, ...]
    footer: str = ""
    language: str = "en"
    keywords: tuple[str, ...] = field(default=())
    author: str = ""
    traces: tuple[Trace, ...] = field(default=())
    """For pages that can be asked (HTML); left out of all others."""
