"""What goes wrong between the scores and the weights."""

from __future__ import annotations

from typing import Final

from symattn.formula import Frac, Num, Power, Sym, seq
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.papers import A, E, M, T, said, softmax
from symattn.misconceptions.stages import Cell, Stages, column, is_hidden, ratio, total


def _row_of_scores(s: Stages, i: int) -> Cell:
    return total([x for x in s.M[i] if not is_hidden(x)])


def _power(s: Stages, i: int) -> list[Cell]:
    """2^M_ij = e^(M_ij · ln 2) for row i."""
    row: list[Cell] = s.kept(
        f"2^{i}", lambda: [s.exp(x if is_hidden(x) else x * s.log(2)) for x in s.M[i]]
    )
    return row


def _sums_to_something(s: Stages) -> bool:
    return all(s.sign(_row_of_scores(s, i)) for i in range(s.n))


def _every_column_is_seen(s: Stages) -> bool:
    return all(any(not is_hidden(row[j]) for row in s.M) for j in range(s.m))


COLUMNS: Final = Misconception(
    "softmax-columns",
    "softmax down the columns",
    "Which line of the weights sums to 1?",
    softmax(M, "columns"),
    {"A": lambda s, i, j: s.E[i][j] / s.kept(f"c{j}", lambda: total(column(s.E, j)))},
    lambda s: s.n > 1 and _every_column_is_seen(s),
    seen="labml #146, PyTorch-NLP #2, fastNLP #254",
)
GLOBAL: Final = Misconception(
    "softmax-global",
    "one softmax over the whole matrix",
    "How many sums does the softmax take?",
    softmax(M, "all entries"),
    {"A": lambda s, i, j: s.E[i][j] / s.kept("all", lambda: total(s.r))},
    lambda s: s.n > 1,
    seen="inferred",
)
NO_EXPONENTIAL: Final = Misconception(
    "softmax-no-exponential",
    "divided by the row sum without exponentials",
    "What happens to a score before it is divided?",
    Frac(M, said("row sum")),
    {"A": lambda s, i, j: 0 if is_hidden(s.M[i][j]) else ratio(s.M[i][j], _row_of_scores(s, i))},
    _sums_to_something,
    seen="Calvin University handout, as a teaching step",
)
NOT_NORMALISED: Final = Misconception(
    "softmax-not-normalised",
    "exponentials not divided by their sum",
    "What does each row of weights sum to?",
    E,
    {"A": lambda s, i, j: s.E[i][j]},
    seen="leyaa.ai: skipping softmax normalization",
)
BASE_TWO: Final = Misconception(
    "softmax-base-two",
    "powers of 2 instead of powers of e",
    "Which number is raised to the power of the score?",
    Frac(Power(Num("2"), M), said("row sum")),
    {"A": lambda s, i, j: _power(s, i)[j] / s.kept(f"2r{i}", lambda: total(_power(s, i)))},
    seen="inferred",
)
HARD: Final = Misconception(
    "softmax-hard",
    "all weight on the largest score",
    "Does the softmax choose, or does it share?",
    said("1 for the largest, else 0"),
    {"A": lambda s, i, j: int(j == s.largest(i))},
    lambda s: s.m > 1,
    seen="inferred",
)
SIGMOID: Final = Misconception(
    "softmax-sigmoid",
    "a sigmoid of each score",
    "Does a weight depend on the other scores of its row?",
    Frac(E, seq(Num("1"), "+", E)),
    {"A": lambda s, i, j: s.E[i][j] / (s.E[i][j] + 1)},
    seen="inferred",
)
BY_MAXIMUM: Final = Misconception(
    "softmax-by-maximum",
    "exponentials divided by the largest one",
    "By what is each exponential divided?",
    Frac(E, Power(Sym("e"), said("max"))),
    {"A": lambda s, i, j: s.E[i][j] / s.E[i][s.largest(i)]},
    lambda s: s.m > 1,
    seen="inferred",
)
MAXIMUM_ONCE: Final = Misconception(
    "softmax-maximum-once",
    "the maximum subtracted above the bar only",
    "Is the same number subtracted everywhere in the row?",
    Frac(Power(Sym("e"), seq(M, "−", said("max"))), Sym("r")),
    {"A": lambda s, i, j: s.E[i][j] / s.E[i][s.largest(i)] / s.r[i]},
    lambda s: s.m > 1,
    seen="inferred",
)
TRANSPOSED: Final = Misconception(
    "softmax-transposed",
    "the weights transposed",
    "Whose weights stand in row 1?",
    T(A),
    {"A": lambda s, i, j: s.E[j][i] / s.r[j]},
    lambda s: s.n == s.m > 1,
    seen="OPL pull request 563: right matrix, transposed",
)
