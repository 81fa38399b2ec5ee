"""What goes wrong with the mask."""

from __future__ import annotations

from typing import Final

from symattn.formula import seq
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.papers import B, T, Z, said, softmax
from symattn.misconceptions.stages import Cell, Stages, is_hidden


def _hides(s: Stages) -> bool:
    """Whether the mask hides a key and shows one."""
    found: bool = s.kept(
        "hides", lambda: s.has("B") and len({is_hidden(b) for row in s.B for b in row}) == 2
    )
    return found


def _is_causal(s: Stages) -> bool:
    """Whether query i sees just the keys up to its own position."""
    shift = s.m - s.n
    return (
        _hides(s)
        and shift >= 0
        and all(s.sees(i, j) is (j <= i + shift) for i in range(s.n) for j in range(s.m))
    )


def _unmasked_share(s: Stages, i: int, j: int) -> Cell:
    """The softmax of all scores, then 0 where the mask hides."""
    E = s.kept("E of Z", lambda: [[s.exp(x) for x in row] for row in s.Z])
    if not s.sees(i, j):
        return 0
    whole = E[i][0]
    for x in E[i][1:]:
        whole = whole + x
    return E[i][j] / whole


NONE: Final = Misconception(
    "mask-none",
    "the mask forgotten",
    "Which keys may this query look at?",
    Z,
    {"M": lambda s, i, j: s.Z[i][j]},
    _hides,
    seen="ttsugriy, common mistakes",
)
MULTIPLIED: Final = Misconception(
    "mask-multiplied",
    "hidden scores set to 0 instead of −∞",
    "What is e⁰?",
    seq(Z, "⊙", said("visible")),
    {"M": lambda s, i, j: s.Z[i][j] if s.sees(i, j) else 0},
    _hides,
    seen="huggingface/transformers #32598",
)
ADDED_BOOLEAN: Final = Misconception(
    "mask-added-boolean",
    "the mask of 0 and 1 added as it is",
    "Which number added to a score makes its weight 0?",
    seq(Z, "+", said("visible")),
    {"M": lambda s, i, j: s.Z[i][j] + 1 if s.sees(i, j) else s.Z[i][j]},
    _hides,
    seen="huggingface/diffusers #14342",
)
MINUS_ONE: Final = Misconception(
    "mask-minus-one",
    "−1 added instead of −∞",
    "Is the weight of a hidden key then really 0?",
    seq(Z, "−", said("hidden")),
    {"M": lambda s, i, j: s.Z[i][j] if s.sees(i, j) else s.Z[i][j] - 1},
    _hides,
    seen="inferred",
)
FLIPPED: Final = Misconception(
    "mask-flipped",
    "visible and hidden exchanged",
    "Does a 1 in this mask show a key or hide it?",
    seq(Z, "+", said("the mask reversed")),
    {"M": lambda s, i, j: s.hidden if s.sees(i, j) else s.Z[i][j]},
    _hides,
    seen="pytorch #170400, mlpack #3573",
)
STRICT: Final = Misconception(
    "mask-strict",
    "the diagonal hidden too",
    "May a token look at itself?",
    seq(Z, "+", said("a strict triangle")),
    {"M": lambda s, i, j: s.Z[i][j] if j < i + s.m - s.n else s.hidden},
    _is_causal,
    seen="inferred",
)
TRANSPOSED: Final = Misconception(
    "mask-transposed",
    "the mask transposed: query rows hidden instead of key columns",
    "Does the mask choose among the keys of a query, or among the queries?",
    seq(Z, "+", T(B)),
    {"M": lambda s, i, j: s.Z[i][j] if s.sees(j, i) else s.hidden},
    lambda s: _hides(s) and s.n == s.m,
    seen="hyunwoongko/transformer #32",
)
OTHER_CORNER: Final = Misconception(
    "mask-other-corner",
    "the triangle laid into the other corner",
    "Which key is as old as the last query?",
    seq(Z, "+", said("the triangle from the top left")),
    {"M": lambda s, i, j: s.Z[i][j] if j <= i else s.hidden},
    lambda s: _is_causal(s) and s.n != s.m,
    seen="pytorch #103082, mlx #2835",
)
BIAS_SIGN: Final = Misconception(
    "mask-bias-sign",
    "the bias subtracted",
    "Does a positive bias raise or lower a score?",
    seq(Z, "−", B),
    {"M": lambda s, i, j: s.Z[i][j] - s.B[i][j] if s.sees(i, j) else s.hidden},
    lambda s: s.has("B") and any(not is_hidden(b) and s.sign(b) for row in s.B for b in row),
    seen="inferred",
)
AFTER: Final = Misconception(
    "mask-after",
    "masked after the softmax, rows not renormalised",
    "Do the weights of a row still sum to 1?",
    seq(softmax(Z), "⊙", said("visible")),
    {"M": lambda s, i, j: s.Z[i][j], "A": _unmasked_share},
    _hides,
    seen="abisee/pointer-generator #88",
)
