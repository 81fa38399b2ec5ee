"""Letters: scores, weights and outputs as formulas in unknowns."""

from __future__ import annotations

from typing import Final

from symattn.exact.matrix import Matrix
from symattn.exact.number import Number
from symattn.generate.draw import given, integers, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import LETTERS_DIFFER, LETTERS_DISCRIMINATE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import Given, HeadGiven, Problem

NAMES: Final = ("a", "b", "c", "x", "y", "z", "p", "q", "u", "v")


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q and K of small integers in which one entry of each row of Q is a letter."""
    numbers = integers(stream, plan.n, plan.d_k, plan.low, plan.high)
    K = integers(stream, plan.n, plan.d_k, plan.low, plan.high)
    if numbers is None or K is None:
        return None
    names = stream.shuffled(NAMES)
    rows = [list(map(Number.of, row)) for row in numbers]
    for row, name in zip(rows, names, strict=False):
        row[stream.below(plan.d_k)] = Number.letter(name)
    tokens = sentence(stream, plan.n)
    head = HeadGiven(Q=Given("Q", Matrix.of(rows)), K=given("K", K))
    return Draft(Problem(tokens, tokens, (head,)), (Fill(("S", "Z")),))


RECIPE: Final = Recipe(
    "letters",
    1,
    "Scores with letters",
    "scores and scaled scores when some entries of Q are unknown",
    (
        Plan(2, 0, 4, 0, 0, 3),
        Plan(2, 0, 4, 0, -2, 3),
        Plan(3, 0, 4, 0, -2, 3),
        Plan(3, 0, 5, 0, -3, 4),
        Plan(4, 0, 5, 0, -3, 4),
    ),
    draw,
    (LETTERS_DIFFER, LETTERS_DISCRIMINATE),
    ("tied",),
)
