"""What was read: exact values that remember how they were written."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias, Union

from symattn.exact.matrix import MinusInfinity
from symattn.exact.number import Number
from symattn.exact.quotient import Quotient
from symattn.verify.reading.refusal import Refusal

Exact: TypeAlias = Union[Number, Quotient, MinusInfinity]


@dataclass(frozen=True, eq=False, slots=True)
class Written:
    """One value. `places` are the decimals shown where it is written as one decimal number:
    0.70 has 2, 70.7% has 3, 2.5e3 has −2; None for anything that is worked out, as 1/3 or e^0.7.
    """

    value: Exact
    text: str
    places: int | None = None
    has_decimals: bool = False
    """Whether a decimal fraction occurs in it: then it is no exact form."""
    has_point: bool = False
    """Whether a decimal point (or percent sign, or power of ten) is written."""
    is_cut: bool = False
    """Whether dots say that more digits follow: 0.333…"""
    warnings: tuple[str, ...] = ()
    """How something that looks odd was taken."""


@dataclass(frozen=True, eq=False, slots=True)
class Blank:
    """A cell that is left open: empty, "?", "_"."""

    text: str = ""


@dataclass(frozen=True, eq=False, slots=True)
class Unreadable:
    """A cell that could not be read, and why."""

    text: str
    refusal: Refusal


Cell: TypeAlias = Union[Written, Blank, Unreadable]


@dataclass(frozen=True, eq=False, slots=True)
class Grid:
    """A matrix as it was written. `tokens` and `headers` are words beside and above its rows."""

    rows: tuple[tuple[Cell, ...], ...]
    tokens: tuple[str, ...] = ()
    headers: tuple[str, ...] = ()
    is_computed: bool = False
    """Whether it was written as a product or sum of matrices."""
    factors: tuple[Grid, ...] = ()
    """The matrices of which it was written as a product."""

    @property
    def shape(self) -> tuple[int, int]:
        return len(self.rows), len(self.rows[0])


@dataclass(frozen=True, slots=True)
class Label:
    """Text that names something: Q, QK^T, weights, softmax(…)."""

    text: str


@dataclass(frozen=True, eq=False, slots=True)
class Link:
    """A part of a chain, with the relation before it: "", "=" or "≈"."""

    relation: str
    part: Label | Written | Grid
    start: int = 0
    end: int = 0


@dataclass(frozen=True, eq=False)
class Statement:
    """One chain, a = b ≈ c, with where it stands. The last part is what is claimed."""

    links: tuple[Link, ...]
    line: int = 1
    """Of its beginning, from 1."""
    heading: str = ""
    """The nearest heading or words before it."""
    warnings: tuple[str, ...] = field(default=())

    @property
    def names(self) -> list[str]:
        return [link.part.text for link in self.links if isinstance(link.part, Label)]

    @property
    def values(self) -> list[Link]:
        return [link for link in self.links if not isinstance(link.part, Label)]
