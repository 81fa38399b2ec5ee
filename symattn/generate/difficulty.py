"""How long a sheet takes, from the operations it asks for."""

from __future__ import annotations

from functools import lru_cache
from typing import Final

from symattn.generate.exercise import Draft
from symattn.generate.tasks import Choose, Fill, FindMistake, Reverse, Shapes
from symattn.misconceptions.stages import Rows, Stages, is_hidden

READING: Final = 60.0
"""Seconds to read the sheet and to write one's name."""
WRITE: Final = 2.0
"""Seconds to write a number into its box."""
TRIVIAL, PRODUCT, NEGATIVE, SUM = 0.5, 2.0, 1.0, 1.5
"""A product with 0 or ±1, another one, what a minus sign adds, an addition."""
LETTERS: Final = 12.0
"""An entry with letters in it."""
ROOT_DIVISION, DIVISION, EXPONENTIAL, KEYED = 6.0, 4.0, 6.0, 4.0
"""With a calculator: by an irrational root, by another number, e^x, a product of decimals."""


def seconds(draft: Draft) -> float:
    """Seconds for a student who knows the method."""
    taken = READING
    for task in draft.tasks:
        match task:
            case Fill(letters) if draft.has_letters:
                n, m = draft.derivation.heads[0].S.shape
                taken += LETTERS * n * m * len(letters)
            case Fill(letters, last_row):
                for head in draft.heads:
                    taken += sum(_stage(head, x, last_row) for x in letters if x not in "CY")
                taken += sum(_stage(draft.heads[0], x, last_row) for x in letters if x in "CY")
            case Shapes(_, asked):
                taken += 8 * len(asked)
            case Choose(_, options):
                taken += 20 * len(options)
            case FindMistake():
                shown = [x for x in "QKVSZMAO" if draft.heads[0].has(x)]
                taken += sum(_stage(draft.heads[0], x, False) for x in shown) / 2
            case Reverse():
                taken += sum(15 for head in draft.heads for row in head.A for _ in row)
    return taken


def _stage(head: Stages, letter: str, last_row: bool) -> float:
    rows = head.rows[letter][-1:] if last_row else head.rows[letter]
    cells = sum(map(len, rows))
    left = slice(-1, None) if last_row else slice(None)
    match letter:
        case "Q" | "K" | "V":
            source = head.X if letter == "Q" or not head.has("X_kv") else head.X_kv
            return cells * WRITE + _products(source[left], _columns(head.rows[f"W_{letter}"]))
        case "S":
            return cells * WRITE + _products(head.Q[left], head.K)
        case "Z":
            root = head.root(head.d_k)
            return cells * (WRITE + (DIVISION if root == int(root) else ROOT_DIVISION))
        case "M":
            return cells * WRITE
        case "A":
            seen = sum(not is_hidden(x) for row in head.M[left] for x in row)
            return seen * (2 * WRITE + EXPONENTIAL + DIVISION) + len(rows) * (WRITE + 2 * SUM)
        case "O":
            return cells * (WRITE + head.m * KEYED)
        case "C":
            return cells * WRITE
        case "Y":
            return cells * (WRITE + len(head.W_O) * KEYED)
        case _:
            raise ValueError(letter)


def _columns(rows: Rows) -> Rows:
    return list(zip(*rows, strict=True))


def _products(left: Rows, right: Rows) -> float:
    """Every row of one against every row of the other."""
    sums = len(left) * len(right) * (len(left[0]) - 1)
    return sums * SUM + sum([sum(map(_multiplied, a, b)) for a in left for b in right])


@lru_cache
def _multiplied(x: float, y: float) -> float:
    small, large = sorted((abs(x), abs(y)))
    taken = TRIVIAL if small <= 1 else PRODUCT + (large >= 10)
    return taken + NEGATIVE * (x < 0 or y < 0) * (small > 0)
