"""Scale and softmax: from given scores to weights."""

from __future__ import annotations

from typing import Final

from symattn.generate.discriminate import DISCRIMINATING
from symattn.generate.draw import REDRAWS, fits_scores, given, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Fill
from symattn.problem import HeadGiven, Problem


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Scores and the width of the keys."""
    for _ in range(REDRAWS):
        S = stream.matrix(plan.n, plan.n, plan.low, plan.high)
        if fits_scores(S, plan.d_k, settings):
            break
    else:
        return None
    tokens = sentence(stream, plan.n)
    problem = Problem(tokens, tokens, (HeadGiven(S=given("S", S)),), d_k=plan.d_k)
    return Draft(problem, (Fill(("Z", "A")),))


RECIPE: Final = Recipe(
    "scale-softmax",
    1,
    "Scale and softmax",
    "from given scores to weights: √dₖ, exponentials, row sums, shares",
    (
        Plan(2, 0, 4, 0, 0, 6),
        Plan(3, 0, 4, 0, -8, 12),
        Plan(3, 0, 5, 0, -3, 8),
        Plan(4, 0, 3, 0, -2, 6),
        Plan(5, 0, 3, 0, -3, 5),
    ),
    draw,
    (*NICE, DISCRIMINATING),
)
