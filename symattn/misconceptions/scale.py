"""What goes wrong between the scores and the scaled scores."""

from __future__ import annotations

from typing import Final

from symattn.formula import Formula, Frac, Num, Root, seq
from symattn.misconceptions.misconception import Entry, Misconception
from symattn.misconceptions.papers import D_K, D_MODEL, N, S, softmax
from symattn.misconceptions.stages import Stages, is_hidden, total


def _is_scaled(s: Stages) -> bool:
    """Whether the problem divides by √d_k, which is not 1."""
    return s.scale.is_default and s.d_k > 1


def _divided(
    tag: str, title: str, hint: str, paper: Formula, law: Entry, seen: str
) -> Misconception:
    return Misconception(tag, title, hint, paper, {"Z": law}, _is_scaled, seen=seen)


NONE: Final = _divided(
    "scale-none",
    "no division by √d_k",
    "What happens to the scores between Q Kᵀ and the softmax?",
    S,
    lambda s, i, j: s.S[i][j],
    "ttsugriy, common mistakes",
)
BY_D_K: Final = _divided(
    "scale-by-dk",
    "divided by d_k instead of √d_k",
    "By which number exactly are the scores divided?",
    Frac(S, D_K),
    lambda s, i, j: s.S[i][j] / s.d_k,
    "thegregyang/NTK4A #3",
)
TIMES: Final = _divided(
    "scale-times",
    "multiplied by √d_k",
    "Does scaling make the scores larger or smaller?",
    seq(Root(D_K), S),
    lambda s, i, j: s.S[i][j] * s.root(s.d_k),
    "inferred",
)
BY_TWO: Final = Misconception(
    "scale-by-two",
    "divided by 2, whatever d_k is",
    "How wide are the keys on this sheet?",
    Frac(S, Num("2")),
    {"Z": lambda s, i, j: s.S[i][j] / 2},
    lambda s: _is_scaled(s) and s.d_k != 4,
    seen="inferred: √4 copied from another example",
)
BY_ROOT_D_MODEL: Final = Misconception(
    "scale-by-root-dmodel",
    "divided by √d_model instead of √d_k",
    "Whose width stands below the root: the embeddings' or the keys'?",
    Frac(S, Root(D_MODEL)),
    {"Z": lambda s, i, j: s.S[i][j] / s.root(s.d_model)},
    lambda s: _is_scaled(s) and s.has("X") and s.d_model != s.d_k,
    seen="lucidrains/vit-pytorch #65",
)
BY_D_MODEL: Final = Misconception(
    "scale-by-dmodel",
    "divided by d_model",
    "Whose width counts, and is it the width itself?",
    Frac(S, D_MODEL),
    {"Z": lambda s, i, j: s.S[i][j] / s.d_model},
    lambda s: _is_scaled(s) and s.has("X") and s.d_model**2 != s.d_k,
    seen="inferred",
)
BY_ROOT_N: Final = Misconception(
    "scale-by-root-n",
    "divided by √n, the number of tokens",
    "Does the scale depend on how many tokens there are?",
    Frac(S, Root(N)),
    {"Z": lambda s, i, j: s.S[i][j] / s.root(s.n)},
    lambda s: _is_scaled(s) and s.n != s.d_k,
    seen="inferred",
)
BY_N: Final = Misconception(
    "scale-by-n",
    "divided by n, the number of tokens",
    "What does the number below the scores count?",
    Frac(S, N),
    {"Z": lambda s, i, j: s.S[i][j] / s.n},
    lambda s: _is_scaled(s) and s.n**2 != s.d_k,
    seen="inferred",
)
AFTER: Final = Misconception(
    "scale-after",
    "divided by √d_k after the softmax",
    "Do the weights of a row still sum to 1?",
    Frac(softmax(S), Root(D_K)),
    {"A": lambda s, i, j: _after(s, i, j)},
    _is_scaled,
    seen="johnchennewyork-coder/attention-by-hand",
)


def _after(s: Stages, i: int, j: int) -> object:
    """e^(S_ij)/Σ_k e^(S_ik), then over √d_k; a masked key keeps its 0."""

    def unscaled() -> list[list[object]]:
        return [
            [s.exp(s.hidden if is_hidden(m) else x) for x, m in zip(scores, masked, strict=True)]
            for scores, masked in zip(s.S, s.M, strict=True)
        ]

    row = s.kept("unscaled", unscaled)[i]
    return row[j] / total(row) / s.root(s.d_k)
