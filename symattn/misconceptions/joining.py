"""What goes wrong where heads are joined and projected."""

from __future__ import annotations

from typing import Final

from symattn.formula import Paren, joined, seq
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.papers import W_O, C, T, said
from symattn.misconceptions.stages import Cell, Stages, column, dot, total

_ALONE: Final = "Are the heads' outputs mixed before W_O, or do they stand side by side?"


def _several(s: Stages) -> bool:
    return len(s.outputs) > 1


def _equal(s: Stages) -> bool:
    """Several heads of one width."""
    return _several(s) and len({len(output[0]) for output in s.outputs}) == 1


def _flat(s: Stages) -> list[Cell]:
    """Head by head, token by token: what a reshape without transposing lays out in rows."""
    return [x for output in s.outputs for row in output for x in row]


def _width(s: Stages) -> int:
    return sum(len(output[0]) for output in s.outputs)


MEAN: Final = Misconception(
    "heads-mean",
    "the mean of the heads instead of side by side",
    _ALONE,
    said("mean of the heads"),
    {"C": lambda s, i, j: total([output[i][j] for output in s.outputs]) / len(s.outputs)},
    lambda s: _equal(s) and not s.has("W_O"),
    lambda s: (len(s.outputs[0]), len(s.outputs[0][0])),
    seen="ttsugriy, common mistakes",
)
SUM: Final = Misconception(
    "heads-sum",
    "the heads added instead of side by side",
    _ALONE,
    said("sum of the heads"),
    {"C": lambda s, i, j: total([output[i][j] for output in s.outputs])},
    lambda s: _equal(s) and not s.has("W_O"),
    lambda s: (len(s.outputs[0]), len(s.outputs[0][0])),
    seen="inferred",
)
ORDER: Final = Misconception(
    "heads-order",
    "the heads in the wrong order",
    "Which head comes first?",
    Paren(joined(",", [said("last head"), said("first head")]), "["),
    {"C": lambda s, i, j: [x for output in reversed(s.outputs) for x in output[i]][j]},
    _several,
    seen="inferred",
)
RESHAPED: Final = Misconception(
    "heads-reshaped",
    "reshaped without transposing: heads and tokens mixed",
    "Does one row of C hold one token?",
    said("the entries in the order of the heads"),
    {"C": lambda s, i, j: _flat(s)[i * _width(s) + j]},
    lambda s: _equal(s) and len(s.outputs[0]) > 1,
    seen="onnx #7118, torch-mlir #4470",
)
NO_W_O: Final = Misconception(
    "output-not-projected",
    "the output projection forgotten",
    "What mixes the heads' findings?",
    C,
    {"Y": lambda s, i, j: _cell(s, i, j)},
    lambda s: s.has("W_O"),
    lambda s: (len(_rows(s)), len(_rows(s)[0])),
    seen="inferred",
)
W_O_TRANSPOSED: Final = Misconception(
    "output-w-transposed",
    "W_Oᵀ instead of W_O",
    "Do the rows or the columns of W_O meet the rows of C?",
    seq(C, T(W_O)),
    {"Y": lambda s, i, j: dot(_rows(s)[i], s.W_O[j])},
    lambda s: s.has("W_O") and len(s.W_O) == len(s.W_O[0]) > 1,
    seen="pytorch Linear, which stores W transposed",
)
FIRST_HEAD: Final = Misconception(
    "output-first-head",
    "only the first head projected",
    "How many rows of W_O belong to the second head?",
    seq(said("first head"), W_O),
    {"Y": lambda s, i, j: dot(s.outputs[0][i], column(s.W_O, j)[: len(s.outputs[0][0])])},
    lambda s: s.has("W_O") and _several(s),
    seen="inferred",
)


def _rows(s: Stages) -> list[list[Cell]]:
    rows: list[list[Cell]] = s.rows["C"] if s.has("C") else s.rows["O"]  # type: ignore[assignment]
    return rows


def _cell(s: Stages, i: int, j: int) -> Cell:
    return _rows(s)[i][j]
