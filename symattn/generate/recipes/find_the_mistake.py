"""Find the mistake: a worked solution with one known mistake in it."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import noticed
from symattn.generate.draw import embedded
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import FindMistake
from symattn.misconceptions import ALL

LONGEST_TITLE: Final = 40
"""Letters of a mistake's name that fit on the line of the sheet."""


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """A problem from the embeddings on, and a mistake that shows in it and keeps the shapes."""
    problem = embedded(stream, plan, settings)
    if problem is None:
        return None
    plain = Draft(problem, ())
    row = stream.choice(ALL)
    (head,) = plain.heads
    if not row.applies(head) or not noticed(row, plain.heads, settings):
        return None
    if row.size(head, row.letter) != head.shape(row.letter) or len(row.title) > LONGEST_TITLE:
        return None
    return Draft(problem, (FindMistake(row.tag),))


RECIPE: Final = Recipe(
    "find-the-mistake",
    1,
    "Find the mistake",
    "a whole solution with one known mistake: find the line and put it right",
    (
        Plan(2, 3, 4, 2, 0, 2),
        Plan(3, 2, 4, 3, -1, 2),
        Plan(3, 3, 3, 3, -1, 2),
        Plan(3, 4, 5, 2, -1, 2),
        Plan(4, 3, 5, 4, -2, 2),
    ),
    draw,
    NICE,
)
