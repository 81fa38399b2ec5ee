"""A sheet is let out only if every known mistake changes an asked number beyond honest rounding."""

from __future__ import annotations

from typing import Final

from symattn.generate.exercise import Draft
from symattn.generate.promises import Promise
from symattn.generate.settings import Settings
from symattn.misconceptions import ALL
from symattn.misconceptions.differs import first_difference

HONEST: Final = {"Z": 2, "M": 2, "A": 5, "O": 12, "C": 12, "Y": 24}
"""Units of the last place by which somebody who rounds at every step may be off in each stage."""


def unnoticed(draft: Draft, settings: Settings) -> str | None:
    """The tag of a mistake that would not show on this sheet, or None."""
    unit = 10.0**-settings.places
    asked = draft.asked
    for row in ALL:
        letter = row.letter
        if letter not in asked:
            continue
        heads = draft.heads if letter not in ("C", "Y") else draft.heads[:1]
        applying = [head for head in heads if row.applies(head)]
        tolerance = HONEST.get(letter, 0.5 / unit) * unit
        if applying and not any(
            first_difference(row, head, letter, tolerance) for head in applying
        ):
            return row.tag
    return None


DISCRIMINATING: Final = Promise(
    "every known mistake shows", lambda draft, settings: unnoticed(draft, settings) is None
)
