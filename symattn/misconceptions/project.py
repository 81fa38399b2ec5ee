"""What goes wrong between the embeddings and Q, K, V."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final, TypeAlias

from symattn.formula import seq
from symattn.misconceptions.misconception import Entry, Misconception
from symattn.misconceptions.papers import T, W, X
from symattn.misconceptions.stages import Cell, Rows, Stages, column, dot


def _source(s: Stages, letter: str) -> Rows:
    return s.X_kv if letter != "Q" and s.has("X_kv") else s.X


def _product(letter: str) -> Entry:
    """X W without its bias."""
    return lambda s, i, j: dot(_source(s, letter)[i], column(s.rows[f"W_{letter}"], j))


def _right(s: Stages, letter: str, i: int, j: int) -> Cell:
    product = _product(letter)(s, i, j)
    return product + s.rows[f"b_{letter}"][0][j] if s.has(f"b_{letter}") else product


def _square(s: Stages, letter: str) -> bool:
    W = s.rows.get(f"W_{letter}")
    return W is not None and len(W) == len(W[0]) > 1


def _same_shape(s: Stages, letter: str) -> bool:
    if not s.has(f"W_{letter}"):
        return False
    source, W = _source(s, letter), s.rows[f"W_{letter}"]
    return (len(source), len(source[0])) == (len(W), len(W[0]))


def _where(holds: str, letter: str) -> Entry:
    """The wrong entry where the shapes allow it, and the right one elsewhere."""
    test, law = _LAWS[holds]
    return lambda s, i, j: law(s, letter, i, j) if test(s, letter) else _right(s, letter, i, j)


_Law: TypeAlias = Callable[[Stages, str, int, int], Cell]
_LAWS: Final[dict[str, tuple[Callable[[Stages, str], bool], _Law]]] = {
    "transposed": (_square, lambda s, x, i, j: dot(_source(s, x)[i], s.rows[f"W_{x}"][j])),
    "elementwise": (_same_shape, lambda s, x, i, j: _source(s, x)[i][j] * s.rows[f"W_{x}"][i][j]),
    "left": (
        lambda s, x: _square(s, x) and len(_source(s, x)) == len(s.rows[f"W_{x}"]),
        lambda s, x, i, j: dot(s.rows[f"W_{x}"][i], column(_source(s, x), j)),
    ),
}


def _no_bias(letter: str) -> Misconception:
    return Misconception(
        f"project-no-bias-{letter.lower()}",
        f"the bias of {letter} forgotten",
        f"What is added to every row of X W when {letter} is made?",
        seq(X, W),
        {letter: _product(letter)},
        lambda s: s.has(f"b_{letter}"),
        seen="inferred",
    )


def _unprojected(letter: str, hint: str, seen: str) -> Misconception:
    return Misconception(
        f"project-not-{letter.lower()}",
        f"{letter} not projected: X itself",
        hint,
        X,
        {letter: lambda s, i, j: _source(s, letter)[i][j]},
        lambda s: s.has(f"W_{letter}") and _may_be_unprojected(s, letter),
        lambda s: (len(_source(s, letter)), len(_source(s, letter)[0])),
        seen=seen,
    )


def _may_be_unprojected(s: Stages, letter: str) -> bool:
    """What comes after must still fit: scores need one width, W_O its rows."""
    same = len(s.rows[f"W_{letter}"]) == len(s.rows[f"W_{letter}"][0])
    return same or (letter == "V" and not s.has("W_O"))


NO_BIAS_Q: Final = _no_bias("Q")
NO_BIAS_K: Final = _no_bias("K")
NO_BIAS_V: Final = _no_bias("V")
TRANSPOSED: Final = Misconception(
    "project-w-transposed",
    "X Wᵀ instead of X W",
    "Do the rows or the columns of W meet the rows of X?",
    seq(X, T(W)),
    {letter: _where("transposed", letter) for letter in "QKV"},
    lambda s: _square(s, "Q"),
    seen="pytorch Linear, which stores W transposed",
)
ELEMENTWISE: Final = Misconception(
    "project-elementwise",
    "X and W multiplied entry by entry",
    "How many products does one entry of X W take?",
    seq(X, "⊙", W),
    {letter: _where("elementwise", letter) for letter in "QKV"},
    lambda s: _same_shape(s, "Q"),
    seen="STACK, Matrix.md: point wise multiplication",
)
LEFT: Final = Misconception(
    "project-w-left",
    "W X instead of X W",
    "On which side of X does W stand when tokens are rows?",
    seq(W, X),
    {letter: _where("left", letter) for letter in "QKV"},
    lambda s: s.has("W_Q") and _LAWS["left"][0](s, "Q"),
    seen="inferred",
)
NOT_Q: Final = _unprojected("Q", "What turns an embedding into a query?", "inferred")
NOT_K: Final = _unprojected("K", "What turns an embedding into a key?", "inferred")
NOT_V: Final = _unprojected(
    "V", "What turns an embedding into a value?", "leyaa.ai: multiplying with values directly"
)
