"""What every sheet of a recipe keeps, whatever its seed."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from itertools import combinations
from operator import sub
from typing import Final

from symattn.derivation import Step
from symattn.generate.draw import (
    LARGEST_EXPONENT,
    LARGEST_GAP,
    LARGEST_SCORE,
    SMALLEST_EXPONENT,
)
from symattn.generate.exercise import Draft
from symattn.generate.settings import Settings
from symattn.misconceptions import ALL
from symattn.misconceptions.stages import NOISE, Cell, Rows, exact, is_hidden

TIE_DISTANCE: Final = 0.005
"""Units of the last place that every asked decimal keeps from a rounding tie."""
DECIMALS: Final = ("Z", "M", "A", "O", "C", "Y")


@dataclass(frozen=True, slots=True)
class Promise:
    """`words` complete "the sheet promises that …"."""

    words: str
    keeps: Callable[[Draft, Settings], bool]


def _scores(draft: Draft, settings: Settings) -> bool:
    return all(abs(s) <= LARGEST_SCORE for head in draft.heads for row in head.S for s in row)


def _exponents(draft: Draft, settings: Settings) -> bool:
    for head in draft.heads:
        for row in head.M:
            seen = [z for z in row if not is_hidden(z)]
            if min(seen) < SMALLEST_EXPONENT - NOISE or max(seen) > LARGEST_EXPONENT + NOISE:
                return False
            if max(seen) - min(seen) > LARGEST_GAP + NOISE:
                return False
    return True


def _away_from_ties(draft: Draft, settings: Settings) -> bool:
    """A value that is written exactly, such as 0.5, is no tie at these places."""
    unit = 10**settings.places
    asked = draft.asked
    for head in draft.heads:
        for letter in DECIMALS:
            if letter in asked and head.has(letter):
                for row in head.rows[letter]:
                    for cell in row:
                        # −∞ % 1 is no number, so a hidden score is never near a tie.
                        if abs(cell * unit % 1 - 0.5) < TIE_DISTANCE:
                            return False
        if "A" in asked:
            for row in head.E:
                for cell in (*row, sum(row)):
                    if abs(cell * unit % 1 - 0.5) < TIE_DISTANCE:
                        return False
    return True


def _maxima(draft: Draft, settings: Settings) -> bool:
    """Each row of scores has one largest visible entry; or, where asked, every row that sees more
    than one key has two."""
    for head in draft.heads:
        for row in head.M:
            seen = sorted(x for x in row if not is_hidden(x))
            if len(seen) > 1 and (seen[-1] - seen[-2] < NOISE) is not settings.tied:
                return False
    return True


def _weight_rows(draft: Draft, settings: Settings) -> bool:
    return all(
        max(map(abs, map(sub, head.A[i], head.A[k]))) > NOISE
        for head in draft.heads
        for i in range(head.n)
        for k in range(i)
    )


def _value_rows(draft: Draft, settings: Settings) -> bool:
    return all(
        len({tuple(row) for row in head.V}) == len(head.V) for head in draft.heads if head.has("V")
    )


def _not_symmetric(draft: Draft, settings: Settings) -> bool:
    """S ≠ Sᵀ, and no two of Q, K, V are the same matrix or transposes."""
    for head in draft.heads:
        if _turned(head.S) == list(map(tuple, head.S)):
            return False
        for one, other in combinations([head.rows[x] for x in "QKV" if head.has(x)], 2):
            if list(map(tuple, one)) in (list(map(tuple, other)), _turned(other)):
                return False
    return True


def _turned(rows: Rows) -> list[tuple[Cell, ...]]:
    return list(zip(*rows, strict=True))


SCORES: Final = Promise(f"no score is beyond ±{LARGEST_SCORE}", _scores)
EXPONENTS: Final = Promise(
    "every exponential lies between 0.018 and 403, every weight above 0.001", _exponents
)
TIES: Final = Promise(
    f"no asked decimal is within {TIE_DISTANCE} units of its last place of a rounding tie",
    _away_from_ties,
)
MAXIMA: Final = Promise("each row of scores has one largest entry (or, if asked, two)", _maxima)
VALUE_ROWS: Final = Promise("the rows of V are all different", _value_rows)
WEIGHT_ROWS: Final = Promise("no two queries have the same weights", _weight_rows)
NOT_SYMMETRIC: Final = Promise("no transpose goes unnoticed", _not_symmetric)

NICE: Final = (TIES, SCORES, EXPONENTS, MAXIMA, VALUE_ROWS, WEIGHT_ROWS, NOT_SYMMETRIC)
"""What every sheet with numbers keeps; first what most candidates break."""


# ------------------------------------------------------------------ letters, decided exactly


def _letters_differ(draft: Draft, settings: Settings) -> bool:
    """All scores are different, and so are S and its transpose."""
    S = draft.derivation.heads[0].S.value
    n, m = S.shape
    cells = [S.at(i, j) for i in range(n) for j in range(m)]
    return len(set(cells)) == len(cells)


def _letters_discriminate(draft: Draft, settings: Settings) -> bool:
    """Every mistake that applies gives another exact matrix."""
    head = draft.derivation.heads[0]
    for step in (head.S, head.Z):
        assert isinstance(step, Step)
        known = exact(step.inputs, dict(step.options))
        full = exact([step])
        for row in ALL:
            if row.letter != step.name or not row.applies(full):
                continue
            if row.size(known, row.letter) != step.shape:
                continue
            wrong = row.rows(known, row.letter)
            n, m = step.shape
            if all(wrong[i][j] == step.value.at(i, j) for i in range(n) for j in range(m)):
                return False
    return True


LETTERS_DIFFER: Final = Promise("all scores are different", _letters_differ)
LETTERS_DISCRIMINATE: Final = Promise("every known mistake shows", _letters_discriminate)
