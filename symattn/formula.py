"""Mathematics as it looks on paper: a tree, turned into text only by a writer.

Nothing here computes. A formula says what stands where; roles (`Role`) say what a part *means*,
never how it is coloured.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from enum import Enum
from typing import TypeAlias, Union


class Role(Enum):
    """What a marked part of a formula means to its reader."""

    MAXIMUM = "maximum"
    MASKED = "masked"
    FOCUS = "focus"
    ANSWER = "answer"
    WRONG = "wrong"
    FOLLOWS = "follows"
    """Not the true value, but right from what stands before it."""
    DIGITS = "digits"
    """Right but for its last digits: cut, or off by one."""


@dataclass(frozen=True, slots=True)
class Num:
    """A number as digits: "12", "-3", "0.070"."""

    digits: str


@dataclass(frozen=True, slots=True)
class Sym:
    """A letter or sign that stands alone: "Q", "α", "∞", "⊤", "⋯"; bold for vectors."""

    name: str
    bold: bool = False


@dataclass(frozen=True, slots=True)
class Words:
    """Upright text inside mathematics: a token, "model", "row". Taken literally by every writer."""

    text: str


@dataclass(frozen=True, slots=True)
class Op:
    """A relation or operation with space around it: = ≈ + − · × → , ∈."""

    sign: str


@dataclass(frozen=True, slots=True)
class Seq:
    """Parts side by side."""

    parts: tuple[Formula, ...]


@dataclass(frozen=True, slots=True)
class Frac:
    """A fraction. `slanted` asks for one line, as in the exponent 5/√3."""

    top: Formula
    bottom: Formula
    slanted: bool = False


@dataclass(frozen=True, slots=True)
class Root:
    """A root of the given degree."""

    radicand: Formula
    degree: int = 2


@dataclass(frozen=True, slots=True)
class Power:
    """base^exponent; also Kᵀ with the exponent Sym("⊤")."""

    base: Formula
    exponent: Formula


@dataclass(frozen=True, slots=True)
class Sub:
    """base with a subscript."""

    base: Formula
    index: Formula


@dataclass(frozen=True, slots=True)
class Paren:
    """Something inside brackets; `fence` is "(" or "["."""

    inner: Formula
    fence: str = "("


@dataclass(frozen=True, slots=True)
class Call:
    """A named function and its argument: softmax, ln, exp, max."""

    name: str
    argument: Formula


@dataclass(frozen=True, slots=True)
class Origin:
    """Which entries of which matrix a grid shows, so that a reader can ask where one comes from."""

    matrix: str
    """The letter, with several heads followed by the head's number: S, S2."""
    rows: tuple[int | None, ...]
    """Rows of the matrix (from 0, tokens as rows) in the order shown; None for dots."""
    columns: tuple[int | None, ...]
    turned: bool = False
    """The grid's rows are the matrix's columns."""
    decimal: bool = False
    """Decimals stand here instead of exact values."""

    def cell(self, row: int, column: int) -> str | None:
        """The name of the entry in this place of the grid, S-0-1; None for dots."""
        if self.turned:
            row, column = column, row
        i, j = self.rows[row], self.columns[column]
        return None if i is None or j is None else cell_name(self.matrix, i, j)


def cell_name(matrix: str, i: int, j: int) -> str:
    """The name of an entry, tokens as rows, counted from 0: S-0-1."""
    return f"{matrix}-{i}-{j}"


@dataclass(frozen=True, slots=True)
class Grid:
    """A matrix: rows of cells, optionally labelled by token. `fence` is "[" or "("."""

    rows: tuple[tuple[Formula, ...], ...]
    row_labels: tuple[str, ...] = ()
    column_labels: tuple[str, ...] = ()
    fence: str = "["
    origin: Origin | None = None


@dataclass(frozen=True, slots=True)
class Blank:
    """A place to write in. It carries its answer, so a worksheet and its key are one tree.

    The answer `Seq(())` is that of a box which is right when it stays empty.
    """

    answer: Formula
    width: float = 2.0
    """In em: at least as wide as the answer, so that sheet and key break alike."""
    height: float = 1.5
    """In em; a fraction needs 2.5."""


@dataclass(frozen=True, slots=True)
class Mark:
    """A part with a role."""

    role: Role
    inner: Formula


Formula: TypeAlias = Union[
    Num, Sym, Words, Op, Seq, Frac, Root, Power, Sub, Paren, Call, Grid, Blank, Mark
]


@dataclass(frozen=True, slots=True)
class Line:
    """One line of a display, aligned at its relation: left relation right, and why."""

    left: Formula | None
    relation: str
    """"" or one of = ≈."""
    right: Formula | None
    why: str = ""


# ---------------------------------------------------------------- builders: pleasant to write

INFINITY = Sym("∞")
MINUS_INFINITY = Seq((Sym("−"), INFINITY))
DOTS = Sym("⋯")
VERTICAL_DOTS = Sym("⋮")
_MINUSES = (Op("−"), Sym("−"))


def seq(*parts: Formula | str) -> Formula:
    """Parts side by side; a string is an `Op`. Nested sequences are flattened."""
    flat: list[Formula] = []
    for part in parts:
        if isinstance(part, str):
            flat.append(Op(part))
        elif isinstance(part, Seq):
            flat.extend(part.parts)
        else:
            flat.append(part)
    return flat[0] if len(flat) == 1 else Seq(tuple(flat))


def joined(sign: str, parts: Iterable[Formula]) -> Formula:
    """Parts with a sign between them: a + b + c."""
    out: list[Formula | str] = []
    for part in parts:
        if out:
            out.append(sign)
        out.append(part)
    return seq(*out)


def num(value: int | str) -> Num:
    return Num(str(value))


def transpose(base: Formula) -> Power:
    return Power(base, Sym("⊤"))


def is_negative(formula: Formula) -> bool:
    """Whether the formula starts with a minus sign, so needs brackets behind another sign."""
    match formula:
        case Num(digits):
            return digits.startswith("-")
        case Seq(parts):
            return bool(parts) and (parts[0] in _MINUSES or is_negative(parts[0]))
        case Mark(_, inner):
            return is_negative(inner)
        case _:
            return False


def is_sum(formula: Formula) -> bool:
    """Whether the formula has a + or − of its own at the top level."""
    match formula:
        case Seq(parts):
            return any(part in (Op("+"), Op("−")) for part in parts)
        case Mark(_, inner):
            return is_sum(inner)
        case _:
            return False


def factor(formula: Formula) -> Formula:
    """The formula as one factor of a product: in brackets if it is negative or a sum."""
    return Paren(formula) if is_negative(formula) or is_sum(formula) else formula


def product(*factors: Formula) -> Formula:
    """a · b · c, with brackets where the reader needs them; the first factor keeps its minus."""
    first, *rest = factors
    head = Paren(first) if is_sum(first) else first
    return joined("·", [head, *map(factor, rest)])
