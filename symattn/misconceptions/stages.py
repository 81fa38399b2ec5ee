"""The stages of one head as plain rows of cells, in exact numbers or in floats.

A law that is written over such cells works in both: exactly for the page and the mark, in floats
where thousands of candidates are looked through.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from operator import mul
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from symattn.derivation import Stage, Step
from symattn.exact.matrix import MINUS_INFINITY, MinusInfinity
from symattn.exact.number import Number, logarithm, square_root
from symattn.exact.quotient import Quotient
from symattn.exact.quotient import exp as exact_exp
from symattn.problem import DEFAULT_SCALE, Given, HeadGiven, Problem, Scale

Cell: TypeAlias = Any
"""A Number or Quotient (−∞ as MinusInfinity), or a float: they add, multiply and divide alike."""
Rows: TypeAlias = Sequence[Sequence[Cell]]

_HIDDEN: Final = float("-inf")
NOISE: Final = 1e-9
"""Floats that are nearer than this are taken as equal; what is built on them keeps far away."""


@dataclass(eq=False)
class Stages:
    """One head. `rows` holds what there is by letter, and so do attributes: X W_Q … Q K V S Z B M A
    O C W_O Y.

    `outputs` are the O of all heads, for the laws that join them. `d_k` divides the scores.
    """

    rows: Mapping[str, Rows]
    d_k: int
    exp: Callable[[Cell], Cell]
    """e^x; 0 for −∞."""
    root: Callable[[int], Cell]
    """√n."""
    log: Callable[[int], Cell]
    """ln n."""
    sign: Callable[[Cell], int]
    """−1, 0 or 1."""
    hidden: Cell
    """−∞."""
    scale: Scale
    """The problem's own; by default 1/√d_k."""
    outputs: Sequence[Rows] = ()
    _kept: dict[str, Any] = field(default_factory=dict)

    def __post_init__(self) -> None:
        vars(self).update(self.rows)

    if TYPE_CHECKING:

        def __getattr__(self, letter: str) -> Rows: ...

    def has(self, *letters: str) -> bool:
        return self.rows.keys() >= set(letters)

    def shape(self, letter: str) -> tuple[int, int]:
        rows = self.rows[letter]
        return len(rows), len(rows[0])

    @cached_property
    def n(self) -> int:
        """Queries."""
        return len(self.rows["S"])

    @cached_property
    def m(self) -> int:
        """Keys."""
        return len(self.rows["S"][0])

    @property
    def d_model(self) -> int:
        return len(self.rows["X"][0])

    @property
    def d_v(self) -> int:
        return len(self.rows["V"][0])

    @cached_property
    def E(self) -> Rows:
        """e^M, n×m."""
        return [[self.exp(x) for x in row] for row in self.rows["M"]]

    @cached_property
    def r(self) -> Sequence[Cell]:
        """The row sums of E, n."""
        return [total(row) for row in self.E]

    def largest(self, i: int) -> int:
        """The column of the largest score of row i, the first of several."""
        return self.kept(f"largest{i}", lambda: self._largest(self.rows["M"][i]))  # type: ignore[no-any-return]

    def _largest(self, row: Sequence[Cell]) -> int:
        seen = [j for j, x in enumerate(row) if not is_hidden(x)]
        best = seen[0]
        for j in seen[1:]:
            if self.sign(row[j] - row[best]) > 0:
                best = j
        return best

    def sees(self, i: int, j: int) -> bool:
        """Whether the mask lets query i look at key j."""
        return "B" not in self.rows or not is_hidden(self.rows["B"][i][j])

    def kept(self, name: str, make: Callable[[], Any]) -> Any:
        """What several entries share, such as exponentials, computed once."""
        if name not in self._kept:
            self._kept[name] = make()
        return self._kept[name]


def is_hidden(cell: Cell) -> bool:
    """Whether the cell is −∞."""
    return cell == _HIDDEN if type(cell) is float else isinstance(cell, MinusInfinity)


def dot(a: Sequence[Cell], b: Sequence[Cell]) -> Cell:
    """Σ a_k b_k."""
    result = a[0] * b[0]
    for x, y in zip(a[1:], b[1:], strict=True):
        result = result + x * y
    return result


def total(cells: Sequence[Cell]) -> Cell:
    result = cells[0]
    for cell in cells[1:]:
        result = result + cell
    return result


def ratio(top: Cell, bottom: Cell) -> Cell:
    """top/bottom, also where the bottom is a sum without a normal form of its inverse."""
    if isinstance(bottom, Number) and len(bottom.terms) > 1:
        return Quotient.ratio(top, bottom)
    return top / bottom


def column(rows: Rows, j: int) -> list[Cell]:
    return [row[j] for row in rows]


# ------------------------------------------------------------------ in exact numbers


def exact(
    stages: Sequence[Stage],
    options: Mapping[str, Any] = MappingProxyType({}),
    *,
    outputs: Sequence[Stage] = (),
) -> Stages:
    """The stages from which the given ones come, whole graph, in exact numbers.

    `options` are those of the step that is made of them; `outputs` the heads that it joins. d_k is
    the width of K, or what the scaling step is told where the scores are given.
    """
    found: dict[str, Stage] = {}
    todo = list(stages)
    while todo:
        stage = todo.pop()
        found.setdefault(stage.name, stage)
        if isinstance(stage, Step):
            todo += stage.inputs
    rows = {name: _cells(stage) for name, stage in found.items()}
    if "Z" in rows:
        rows.setdefault("M", rows["Z"])
    Z, C = found.get("Z"), found.get("C")
    told: Mapping[str, Any] = dict(Z.options) if isinstance(Z, Step) else options
    d_k = found["K"].shape[1] if "K" in found else told.get("d_k") or 0
    scale = told.get("scale", DEFAULT_SCALE)
    if isinstance(C, Step):
        outputs = C.inputs
    outs = [_cells(stage) for stage in outputs]
    return Stages(
        rows, d_k, _exact_exp, square_root, logarithm, _exact_sign, MINUS_INFINITY, scale, outs
    )


def _cells(stage: Stage) -> Rows:
    n, m = stage.shape
    return [[stage.value.at(i, j) for j in range(m)] for i in range(n)]


def _exact_exp(exponent: Cell) -> Cell:
    return Number.of(0) if isinstance(exponent, MinusInfinity) else exact_exp(exponent)


def _exact_sign(cell: Cell) -> int:
    from symattn.exact import decide  # mpmath only where it is needed

    return decide.sign(cell)


# ------------------------------------------------------------------ in floats


def in_floats(problem: Problem) -> list[Stages]:
    """Every head of a problem in floats (IEEE 754 double). ValueError for letters."""
    heads = [_head_in_floats(problem, given) for given in problem.heads]
    outputs = [head.rows["O"] for head in heads if "O" in head.rows]
    if not outputs:
        return heads
    C: Rows = [[x for output in outputs for x in output[i]] for i in range(len(outputs[0]))]
    joined: dict[str, Rows] = {}
    if len(outputs) > 1:
        joined["C"] = C
    if problem.W_O:
        joined["W_O"] = W_O = _given(problem.W_O)
        joined["Y"] = _product(C, W_O)
    for head in heads:
        head.outputs = outputs
    if not joined:
        return heads
    return [replace(head, rows={**head.rows, **joined}) for head in heads]


def _head_in_floats(problem: Problem, given: HeadGiven) -> Stages:
    rows: dict[str, Rows] = {}
    if problem.X:
        rows["X"] = _given(problem.X)
    if problem.X_kv:
        rows["X_kv"] = _given(problem.X_kv)
    for letter in "QKV":
        direct, W, b = (getattr(given, name) for name in (letter, f"W_{letter}", f"b_{letter}"))
        if direct:
            rows[letter] = _given(direct)
        elif W:
            source = rows["X"] if letter == "Q" else rows.get("X_kv", rows.get("X", ()))
            rows[f"W_{letter}"] = _given(W)
            rows[letter] = _product(source, rows[f"W_{letter}"])
            if b:
                rows[f"b_{letter}"] = bias = _given(b)
                rows[letter] = [
                    [x + y for x, y in zip(r, bias[0], strict=True)] for r in rows[letter]
                ]
    if given.S:
        rows["S"] = _given(given.S)
    else:
        K = rows["K"]
        rows["S"] = [[sum(map(mul, q, k)) for k in K] for q in rows["Q"]]
    d_k = len(rows["K"][0]) if "K" in rows else problem.d_k or 0
    own = problem.scale.factor
    factor = 1 / math.sqrt(d_k) if own is None else _number(own)
    rows["Z"] = [[s * factor for s in row] for row in rows["S"]]
    rows["M"] = rows["Z"]
    if problem.mask.B:
        rows["B"] = B = _given(problem.mask.B)
        rows["M"] = [
            [z + b for z, b in zip(r, s, strict=True)] for r, s in zip(rows["Z"], B, strict=True)
        ]
    rows["A"] = A = [_shares([math.exp(x) for x in row]) for row in rows["M"]]
    if "V" in rows:
        rows["O"] = _product(A, rows["V"])
    return Stages(rows, d_k, math.exp, math.sqrt, math.log, _float_sign, _HIDDEN, problem.scale)


def _float_sign(x: float) -> int:
    return 0 if abs(x) < NOISE else 1 if x > 0 else -1


def _shares(row: Sequence[float]) -> list[float]:
    whole = sum(row)
    return [x / whole for x in row] if whole else [0.0] * len(row)


def _product(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[sum(map(mul, row, c)) for c in columns] for row in left]


def _given(given: Given) -> Rows:
    value = given.value
    if value.is_plain and value.unit.radicand == 1 and value.unit.coefficient == 1:
        return [list(map(float, row)) for row in value.rows]  # type: ignore[arg-type]
    return [[_number(x) for x in row] for row in value.values()]


def _number(value: Any) -> float:
    """The float next to a value, but for the last digits."""
    if isinstance(value, MinusInfinity):
        return _HIDDEN
    if isinstance(value, Number) and value.is_rational:
        return float(value.rational)
    if value.letters:
        raise ValueError("a letter has no float")
    from symattn.exact.matrix import round_value
    from symattn.exact.rounding import Rounding

    rounded = round_value(value, Rounding(figures=20))
    assert not isinstance(rounded, MinusInfinity)
    return float(Fraction(rounded.fraction))
