"""What goes wrong between Q, K and the scores."""

from __future__ import annotations

from typing import Final

from symattn.formula import seq
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.papers import K, Q, T
from symattn.misconceptions.stages import Stages, column, dot


def _square(s: Stages) -> bool:
    return s.has("Q", "K") and len(s.Q) == len(s.K)


NO_TRANSPOSE: Final = Misconception(
    "score-no-transpose",
    "Q K without the transpose",
    "Is a score made from a row or from a column of K?",
    seq(Q, K),
    {"S": lambda s, i, j: dot(s.Q[i], column(s.K, j))},
    lambda s: s.has("Q", "K") and len(s.K) == len(s.K[0]) > 1,
    seen="ttsugriy, common mistakes",
)
KTQ: Final = Misconception(
    "score-ktq",
    "Kᵀ Q in place of Q Kᵀ",
    "How many rows should the scores have: one for each token, or one for each component?",
    seq(T(K), Q),
    {"S": lambda s, i, j: dot(column(s.K, i), column(s.Q, j))},
    lambda s: _square(s) and len(s.Q) == len(s.Q[0]) > 1,
    lambda s: (len(s.K[0]), len(s.Q[0])),
    seen="two conventions mixed: tokens as columns and tokens as rows",
)
TRANSPOSED: Final = Misconception(
    "score-transposed",
    "K Qᵀ: the scores transposed",
    "Whose question stands in row 1 of the scores?",
    seq(K, T(Q)),
    {"S": lambda s, i, j: dot(s.K[i], s.Q[j])},
    _square,
    seen="OPL pull request 563: right matrix, transposed",
)
QQT: Final = Misconception(
    "score-qqt",
    "Q Qᵀ: queries against queries",
    "Against what is each query held?",
    seq(Q, T(Q)),
    {"S": lambda s, i, j: dot(s.Q[i], s.Q[j])},
    _square,
    seen="inferred",
)
KKT: Final = Misconception(
    "score-kkt",
    "K Kᵀ: keys against keys",
    "Who asks, and who is asked?",
    seq(K, T(K)),
    {"S": lambda s, i, j: dot(s.K[i], s.K[j])},
    _square,
    seen="inferred",
)
ELEMENTWISE: Final = Misconception(
    "score-elementwise",
    "Q and K multiplied entry by entry",
    "How many products does one score take?",
    seq(Q, "⊙", K),
    {"S": lambda s, i, j: s.Q[i][j] * s.K[i][j]},
    lambda s: _square(s) and len(s.Q) == len(s.Q[0]) > 1,
    seen="STACK, Matrix.md: point wise multiplication",
)
