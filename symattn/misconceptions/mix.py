"""What goes wrong between the weights and the output."""

from __future__ import annotations

from typing import Final

from symattn.formula import Formula, seq
from symattn.misconceptions.misconception import Entry, Misconception
from symattn.misconceptions.papers import A, K, Q, T, V, X, said
from symattn.misconceptions.stages import Rows, Stages, column, dot, total


def _keys_source(s: Stages) -> Rows:
    return s.X_kv if s.has("X_kv") else s.X


def _fits(s: Stages, width: int) -> bool:
    """Whether what comes after takes an output of this width."""
    return width == s.d_v or not s.has("W_O")


def _instead(
    tag: str, title: str, paper: Formula, letter: str, law: Entry, seen: str
) -> Misconception:
    """A times another matrix than V."""

    def matrix(s: Stages) -> Rows:
        return _keys_source(s) if letter == "X" else s.rows[letter]

    return Misconception(
        tag,
        title,
        "Which matrix holds what the tokens pass on?",
        paper,
        {"O": law},
        lambda s: s.has("V", letter) and len(matrix(s)) == s.m and _fits(s, len(matrix(s)[0])),
        lambda s: (s.n, len(matrix(s)[0])),
        seen=seen,
    )


KEYS: Final = _instead(
    "mix-keys",
    "weights times K instead of V",
    seq(A, K),
    "K",
    lambda s, i, j: dot(s.A[i], column(s.K, j)),
    "inferred",
)
QUERIES: Final = _instead(
    "mix-queries",
    "weights times Q instead of V",
    seq(A, Q),
    "Q",
    lambda s, i, j: dot(s.A[i], column(s.Q, j)),
    "leyaa.ai: multiplying query with values directly",
)
EMBEDDINGS: Final = _instead(
    "mix-embeddings",
    "weights times X instead of V",
    seq(A, X),
    "X",
    lambda s, i, j: dot(s.A[i], column(_keys_source(s), j)),
    "leyaa.ai: multiplying query with values directly",
)
TRANSPOSED: Final = Misconception(
    "mix-transposed",
    "Aᵀ V instead of A V",
    "Do the weights of one query stand in a row or in a column of A?",
    seq(T(A), V),
    {"O": lambda s, i, j: dot(column(s.A, i), column(s.V, j))},
    lambda s: s.has("V") and s.n == s.m > 1,
    seen="inferred",
)
WRONG_SIDE: Final = Misconception(
    "mix-wrong-side",
    "V A instead of A V",
    "Which of the two has one row for each query?",
    seq(V, A),
    {"O": lambda s, i, j: dot(s.V[i], column(s.A, j))},
    lambda s: s.has("V") and s.n == s.m == s.d_v > 1,
    seen="inferred",
)
ELEMENTWISE: Final = Misconception(
    "mix-elementwise",
    "A and V multiplied entry by entry",
    "How many value rows go into one row of the output?",
    seq(A, "⊙", V),
    {"O": lambda s, i, j: s.A[i][j] * s.V[i][j]},
    lambda s: s.has("V") and s.n == s.m == s.d_v > 1,
    seen="STACK, Matrix.md: point wise multiplication",
)
LARGEST: Final = Misconception(
    "mix-largest",
    "only the value row of the largest weight",
    "What happens to the value rows with smaller weights?",
    said("the value row of the largest weight"),
    {"O": lambda s, i, j: s.V[s.largest(i)][j]},
    lambda s: s.has("V") and s.m > 1,
    seen="inferred",
)
MEAN: Final = Misconception(
    "mix-mean",
    "the plain mean of the value rows",
    "Does every value row count the same?",
    said("mean of the rows of V"),
    {"O": lambda s, i, j: total(column(s.V, j)) / s.m},
    lambda s: s.has("V") and s.m > 1,
    seen="inferred",
)
SUM: Final = Misconception(
    "mix-sum",
    "the value rows added without their weights",
    "By what is each value row multiplied before the sum?",
    said("sum of the rows of V"),
    {"O": lambda s, i, j: total(column(s.V, j))},
    lambda s: s.has("V") and s.m > 1,
    seen="inferred",
)
OWN: Final = Misconception(
    "mix-own-value",
    "each row of weights times the token's own value row",
    "Which value row belongs to the second weight of row 1?",
    said("each token's own value row"),
    {"O": lambda s, i, j: total(s.A[i]) * s.V[i][j]},
    lambda s: s.has("V") and s.n == s.m > 1,
    seen="inferred",
)
