"""What a sheet asks for. Each kind has its section in `views/sheets/`."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias, Union


@dataclass(frozen=True, slots=True)
class Fill:
    """Every entry of these stages, in each head, is an empty box; with A come E and its row sums.

    With `last_row` only the last token is worked out: the rows of K and V before it are given.
    """

    letters: tuple[str, ...]
    last_row: bool = False
    fractions: bool = False
    """Weights and outputs are rational and asked as fractions."""


@dataclass(frozen=True, slots=True)
class Shapes:
    """The shape of each stage, without any numbers: (letter, rows, columns)."""

    given: tuple[tuple[str, int, int], ...]
    asked: tuple[tuple[str, int, int], ...]
    heads: int = 1


@dataclass(frozen=True, slots=True)
class Option:
    """One answer to choose from: words, or a matrix as it is written.

    `tag` names the known mistake that gives it, "" for the right one.
    """

    words: str = ""
    cells: tuple[tuple[str, ...], ...] = ()
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Choose:
    """One of several options is right. `shown` is a matrix that the question is about."""

    question: str
    options: tuple[Option, ...]
    letter: str = ""
    shown: tuple[tuple[str, ...], ...] = ()

    @property
    def right(self) -> int:
        """The position of the right option, from 0."""
        return next(k for k, option in enumerate(self.options) if not option.tag)


@dataclass(frozen=True, slots=True)
class FindMistake:
    """A whole solution with one known mistake in it: find the line, name it, put it right."""

    tag: str


@dataclass(frozen=True, slots=True)
class Reverse:
    """The weights are given as fractions; scores are asked, the smallest of each row being 0."""


Task: TypeAlias = Union[Fill, Shapes, Choose, FindMistake, Reverse]
