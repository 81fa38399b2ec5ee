"""Which mask: from the weights one sees which keys were hidden."""

from __future__ import annotations

from typing import Final

from symattn.exact.matrix import MINUS_INFINITY
from symattn.generate.draw import Sees, given, integers, keys, sentence
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import MAXIMA, WEIGHT_ROWS
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Choose, Option
from symattn.problem import HeadGiven, Mask, Problem, mask_matrix


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """Q and K, and one mask; the weights are shown, four masks are offered."""
    n = plan.n
    masks = _masks(n)
    names = stream.shuffled(tuple(masks))
    name = names[0]
    sees = masks[name]
    Q = integers(stream, n, plan.d_k, plan.low, plan.high)
    K = Q and keys(stream, Q, plan, settings, sees)
    if not Q or not K:
        return None
    mask = Mask("matrix", mask_matrix([[sees(i, j) for j in range(n)] for i in range(n)]))
    tokens = sentence(stream, n)
    head = HeadGiven(Q=given("Q", Q), K=given("K", K))
    problem = Problem(tokens, tokens, (head,), mask=mask)
    draft = Draft(problem, ())
    rounded = draft.derivation.heads[0].A.value.rounded(settings.rounding)
    shown = tuple(tuple(map(str, row)) for row in rounded)
    options = [Option(other, tag="" if other == name else "mask") for other in sorted(names[:4])]
    question = "These are the weights. Which mask was added to the scaled scores?"
    assert mask.B and any(x is MINUS_INFINITY for row in mask.B.value.rows for x in row)
    return Draft(problem, (Choose(question, tuple(stream.shuffled(options)), "A", shown),))


def _masks(n: int) -> dict[str, Sees]:
    """Masks by what they say in words; each hides something and leaves no row empty."""
    return {
        "causal: each token sees itself and what comes before it": lambda i, j: j <= i,
        "the other way round: each token sees itself and what comes after it": lambda i, j: j >= i,
        "padding: nobody sees the last token": lambda i, j: j < n - 1,
        "padding at the front: nobody sees the first token": lambda i, j: j > 0,
        "a window: each token sees itself and its direct neighbours": lambda i, j: abs(i - j) <= 1,
        "everybody but oneself": lambda i, j: i != j,
    }


RECIPE: Final = Recipe(
    "which-mask",
    1,
    "Which mask?",
    "the weights are given: which keys were hidden from whom?",
    (
        Plan(3, 0, 4, 0, 0, 2),
        Plan(4, 0, 3, 0, -1, 2),
        Plan(4, 0, 5, 0, -1, 2),
        Plan(5, 0, 3, 0, -2, 2),
        Plan(6, 0, 4, 0, -2, 2),
    ),
    draw,
    (MAXIMA, WEIGHT_ROWS),
)
