"""A sheet is let out only if every known mistake changes an asked number beyond honest rounding."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symattn.generate.exercise import Draft
from symattn.generate.promises import Promise
from symattn.generate.settings import Settings
from symattn.misconceptions import ALL
from symattn.misconceptions.differs import first_difference
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import Stages

HONEST: Final = {"Z": 2, "M": 2, "A": 5, "O": 12, "C": 12, "Y": 24}
"""Units of the last place by which somebody who rounds at every step may be off in each stage."""


_BY_LETTER: Final = {
    letter: [row for row in ALL if row.letter == letter] for letter in "QKVSZMAOCY"
}


def unnoticed(draft: Draft, settings: Settings) -> str | None:
    """The tag of a mistake that would not show on this sheet, or None."""
    for letter in draft.asked:
        heads = draft.heads if letter not in ("C", "Y") else draft.heads[:1]
        beyond = _tolerance(letter, settings)
        for row in _BY_LETTER.get(letter, ()):
            found = [
                first_difference(row, head, letter, beyond) for head in heads if row.applies(head)
            ]
            if found and not any(found):
                return row.tag
    return None


def noticed(row: Misconception, heads: Sequence[Stages], settings: Settings) -> bool:
    """Whether the mistake changes an entry of its stage by more than honest rounding can."""
    beyond = _tolerance(row.letter, settings)
    return any(first_difference(row, head, row.letter, beyond) for head in heads)


def _tolerance(letter: str, settings: Settings) -> float:
    """What honest rounding can do to an entry of the stage; half a unit where none is needed."""
    return HONEST[letter] * 10.0**-settings.places if letter in HONEST else 0.5


DISCRIMINATING: Final = Promise(
    "every known mistake shows", lambda draft, settings: unnoticed(draft, settings) is None
)
