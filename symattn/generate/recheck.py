"""Every sheet is computed a second time before it is let out, by a path that shares no code.

Only the given matrices are read from the problem. NumPy works in doubles and mpmath in intervals
(outward rounding at 120 bits); every printed decimal must be the one that its interval rounds
to, and every stage must agree with the doubles.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from functools import reduce
from typing import TYPE_CHECKING, Any, Final

from symattn.derivation import Derivation
from symattn.errors import SymattnError
from symattn.exact.matrix import DecimalGrid, MatrixLike, MinusInfinity
from symattn.exact.mixture import Weights
from symattn.exact.rounding import Rounded, Rounding
from symattn.problem import Given, HeadGiven, Problem

if TYPE_CHECKING:
    from symattn.generate.exercise import Exercise

BITS: Final = 120
PRIMES: Final = (11, 13, 17, 19, 23, 29, 31, 37, 41, 43)
"""Values of letters, far from the small numbers of a sheet."""
CLOSE: Final = 1e-9
"""Relative and absolute distance within which the doubles must agree."""


class Refused(SymattnError):
    """Two ways of computing a sheet disagree: the sheet is not written, and symattn must change."""

    exit_code = 3
    who = "the makers of symattn"


def recheck(exercise: Exercise, derivation: Derivation | None = None) -> None:
    """Compute the exercise again. Refused where anything differs.

    `derivation` is what is printed: by default the exercise's own. Letters are given whole numbers,
    and the exact entries of Q to M are compared at them.
    """
    made = derivation or exercise.derivation
    letters = sorted({x for _, _, stage in made for x in stage.value.letters})
    values = dict(zip(letters, PRIMES, strict=False))
    found = second_path(made.problem, values)
    for head, name, stage in made:
        own = head if name not in "CY" else None
        if letters:
            if name in "QKSZM":
                _compare_exactly(exercise, head, name, stage.value, found[own, name], values)
            continue
        printed = stage.value.rounded(exercise.settings.rounding)
        _compare(exercise, head, name, printed, found[own, name])
        if isinstance(stage.value, Weights):
            E, r = _working(stage.value, exercise.settings.rounding)
            _compare(exercise, head, "E", E, found[own, "E"])
            _compare(exercise, head, "r", r, found[own, "r"])


def _working(weights: Weights, rounding: Rounding) -> tuple[DecimalGrid, DecimalGrid]:
    """The exponentials and their row sums, which are printed with the weights."""
    n, m = weights.shape
    E = tuple(
        tuple(weights.rounded_exponential(i, j, rounding) for j in range(m)) for i in range(n)
    )
    return E, tuple((weights.rounded_row_sum(i, rounding),) for i in range(n))


# ------------------------------------------------------------------ the second path

Table = list[list[Any]]


def second_path(
    problem: Problem, letters: dict[str, int]
) -> dict[tuple[int | None, str], tuple[Table, Any]]:
    """(head, letter) → the stage in intervals and in doubles."""
    import numpy as np

    exactly = _Intervals(letters)
    doubles = _Doubles(np, letters)
    out: dict[tuple[int | None, str], tuple[Table, Any]] = {}
    joined: tuple[Table, Any] | None = None
    for number, given in enumerate(problem.heads, 1):
        first = _head(problem, given, exactly)
        second = _head(problem, given, doubles)
        out |= {(number, letter): (first[letter], second[letter]) for letter in first}
        if "O" in first:
            O = first["O"], second["O"]  # noqa: E741
            joined = O if joined is None else (_beside(joined[0], O[0]), _beside(joined[1], O[1]))
    if joined:
        out[None, "C"] = joined
        if problem.W_O:
            out[None, "Y"] = (
                exactly.product(joined[0], exactly.read(problem.W_O)),
                doubles.product(joined[1], doubles.read(problem.W_O)),
            )
    return out


def _beside(left: Any, right: Any) -> Any:
    return [[*a, *b] for a, b in zip(left, right, strict=True)]


def _head(problem: Problem, given: HeadGiven, by: Any) -> dict[str, Any]:
    """Q … O of one head, in the arithmetic of `by`."""
    stages: dict[str, Any] = {}
    for letter in "QKV":
        direct, W, b = (getattr(given, name) for name in (letter, f"W_{letter}", f"b_{letter}"))
        source = problem.X if letter == "Q" else problem.X_kv or problem.X
        if direct:
            stages[letter] = by.read(direct)
        elif W and source:
            stages[letter] = by.product(by.read(source), by.read(W), by.read(b) if b else None)
    S = stages["S"] = by.read(given.S) if given.S else by.scores(stages["Q"], stages["K"])
    d_k = len(stages["K"][0]) if "K" in stages else problem.d_k or 1
    factor = problem.scale.factor
    Z = stages["Z"] = by.scaled(S, d_k, None if factor is None else by.number(factor))
    hidden = problem.mask.B and by.masks(problem.mask.B)
    stages["M"] = Z if hidden is None else by.masked(Z, hidden)
    stages["E"], stages["r"], A = by.softmax(stages["M"])
    stages["A"] = A
    if "V" in stages:
        stages["O"] = by.product(A, stages["V"])
    return stages


class _Intervals:
    """Rows of intervals, pairs of mpmath's numbers, or of integers where there are only integers;
    None is −∞. `letters` are the values that letters are given for the check."""

    def __init__(self, letters: dict[str, int]) -> None:
        from mpmath import libmp

        self.mp = libmp
        self.letters = letters

    def wide(self, x: Any) -> Any:
        """A number as an interval."""
        return (self.mp.from_int(x),) * 2 if isinstance(x, int) else x

    def add(self, x: Any, y: Any) -> Any:
        if isinstance(x, int) and isinstance(y, int):
            return x + y
        return self.mp.mpi_add(self.wide(x), self.wide(y), BITS)

    def times(self, x: Any, y: Any) -> Any:
        if isinstance(x, int) and isinstance(y, int):
            return x * y
        return self.mp.mpi_mul(self.wide(x), self.wide(y), BITS)

    def over(self, x: Any, y: Any) -> Any:
        return self.mp.mpi_div(self.wide(x), self.wide(y), BITS)

    def total(self, cells: Sequence[Any]) -> Any:
        return reduce(self.add, cells, 0)

    def number(self, value: Any) -> Any:
        """A Number, evaluated term by term."""
        found: Any = 0
        for monomial, coefficient in value.terms:
            term: Any = coefficient.numerator
            if coefficient.denominator != 1:
                term = self.over(term, coefficient.denominator)
            for atom, power in monomial:
                term = self.times(term, self._power(self._atom(atom), power))
            found = self.add(found, term)
        return found

    def _atom(self, atom: Any) -> Any:
        match atom.kind:
            case "prime":
                return atom.key
            case "letter":
                return self.letters[atom.key]
            case "log":
                return self.mp.mpi_log(self.wide(atom.key), BITS)
            case _:
                raise NotImplementedError(atom.kind)

    def _power(self, base: Any, power: Fraction) -> Any:
        if power == 1:
            return base
        if power == Fraction(1, 2):
            return self.mp.mpi_sqrt(self.wide(base), BITS)
        exponent = self.over(power.numerator, power.denominator)
        return self.mp.mpi_pow(self.wide(base), exponent, BITS)

    def read(self, given: Given) -> Table:
        return [[self.number(value) for value in row] for row in given.value.values()]

    def masks(self, given: Given) -> Table:
        return [
            [None if isinstance(value, MinusInfinity) else self.number(value) for value in row]
            for row in given.value.values()
        ]

    def product(self, left: Table, right: Table, bias: Table | None = None) -> Table:
        columns = list(zip(*right, strict=True))
        made = [[self.total(list(map(self.times, row, c))) for c in columns] for row in left]
        return [list(map(self.add, row, bias[0])) for row in made] if bias else made

    def scores(self, Q: Table, K: Table) -> Table:
        return self.product(Q, [list(column) for column in zip(*K, strict=True)])

    def scaled(self, S: Table, d_k: int, factor: Any) -> Table:
        if factor is not None:
            return [[self.times(x, factor) for x in row] for row in S]
        root = self.mp.mpi_sqrt(self.wide(d_k), BITS)
        return [[self.over(x, root) for x in row] for row in S]

    def masked(self, Z: Table, B: Table) -> Table:
        return [
            [None if b is None else self.add(z, b) for z, b in zip(r, s, strict=True)]
            for r, s in zip(Z, B, strict=True)
        ]

    def softmax(self, M: Table) -> tuple[Table, Table, Table]:
        E = [[0 if x is None else self.mp.mpi_exp(self.wide(x), BITS) for x in row] for row in M]
        r = [[self.total(row)] for row in E]
        A = [[self.over(x, total) for x in row] for row, (total,) in zip(E, r, strict=True)]
        return E, r, A


class _Doubles:
    """NumPy arrays in float64."""

    def __init__(self, np: Any, letters: dict[str, int]) -> None:
        self.np = np
        self.letters = letters

    def number(self, value: Any) -> float:
        total = 0.0
        for monomial, coefficient in value.terms:
            term = float(coefficient)
            for atom, power in monomial:
                term *= self._atom(atom) ** float(power)
            total += term
        return total

    def _atom(self, atom: Any) -> float:
        match atom.kind:
            case "log":
                return float(self.np.log(atom.key))
            case "letter":
                return float(self.letters[atom.key])
            case _:
                return float(atom.key)

    def read(self, given: Given) -> Any:
        return self.masks(given)

    def masks(self, given: Given) -> Any:
        return self.np.array(
            [
                [-self.np.inf if isinstance(v, MinusInfinity) else self.number(v) for v in row]
                for row in given.value.values()
            ]
        )

    def product(self, left: Any, right: Any, bias: Any = None) -> Any:
        made = self.np.asarray(left) @ right
        return made if bias is None else made + bias

    def scores(self, Q: Any, K: Any) -> Any:
        return Q @ K.T

    def scaled(self, S: Any, d_k: int, factor: Any) -> Any:
        return S / self.np.sqrt(d_k) if factor is None else S * factor

    def masked(self, Z: Any, B: Any) -> Any:
        return Z + B

    def softmax(self, M: Any) -> tuple[Any, Any, Any]:
        E = self.np.exp(M)
        r = E.sum(axis=1, keepdims=True)
        return E, r, E / r


# ------------------------------------------------------------------ comparing


def _compare(
    exercise: Exercise,
    head: int | None,
    name: str,
    printed: DecimalGrid,
    found: tuple[Table, Any],
) -> None:
    rounding = exercise.settings.rounding
    unit = 10.0**-rounding.places
    intervals, doubles = found
    for i, row in enumerate(printed):
        for j, cell in enumerate(row):
            interval, double = intervals[i][j], float(doubles[i][j])
            if isinstance(cell, MinusInfinity):
                if interval is not None or double != -float("inf"):
                    raise _refused(exercise, head, name, i, j, "−∞", double)
                continue
            ours = cell.coefficient * 10.0**cell.exponent
            if interval is None or abs(double - ours) > unit / 2 + CLOSE * max(1.0, abs(ours)):
                raise _refused(exercise, head, name, i, j, str(cell), double)
            if not _rounds_to(interval, cell, rounding.places):
                raise _refused(exercise, head, name, i, j, str(cell), double)


def _compare_exactly(
    exercise: Exercise,
    head: int | None,
    name: str,
    value: MatrixLike,
    found: tuple[Table, Any],
    letters: dict[str, int],
) -> None:
    """That exact entries with letters in them have the values that the second path finds."""
    by = _Intervals(letters)
    for i, row in enumerate(found[0]):
        for j, theirs in enumerate(row):
            ours = value.at(i, j)
            if theirs is None and isinstance(ours, MinusInfinity):
                continue
            difference = by.add(by.number(ours), by.times(-1, theirs))
            low, high = map(_fraction, by.wide(difference))
            if not (low <= 0 <= high and high - low < Fraction(1, 2**60)):
                raise _refused(exercise, head, name, i, j, "another formula", float(found[1][i][j]))


def _rounds_to(interval: Any, printed: Rounded, places: int) -> bool:
    """Whether every value of the interval rounds to the printed decimal.

    A value may lie on a tie exactly: then both neighbours are right within the interval's width.
    """
    if isinstance(interval, int):
        low = high = Fraction(interval)
    else:
        low, high = map(_fraction, interval)
    twice: int = 2 * printed.coefficient * 10 ** (places + printed.exponent)
    above: Fraction = 2 * 10**places * low
    below: Fraction = 2 * 10**places * high
    if twice - 1 < above and below < twice + 1:
        return True
    return twice - 1 <= below and above <= twice + 1 and below - above < Fraction(1, 2**40)


def _fraction(end: tuple[int, int, int, int]) -> Fraction:
    """The end of an interval, exactly: mpmath keeps (sign, mantissa, exponent, bits)."""
    sign, mantissa, exponent, _ = end
    value = int(-mantissa if sign else mantissa)
    return Fraction(value << exponent) if exponent >= 0 else Fraction(value, 1 << -exponent)


def _refused(
    exercise: Exercise, head: int | None, name: str, i: int, j: int, ours: str, theirs: float
) -> Refused:
    where = name if head is None or len(exercise.problem.heads) == 1 else f"{name} of head {head}"
    return Refused(
        f"{exercise.identity}: {where}, row {i + 1}, column {j + 1} is {ours}, "
        f"but a second way of computing gives {theirs:.9g}; the sheet is not written",
        hint="Please report this id: one of the two ways is wrong.",
    )
