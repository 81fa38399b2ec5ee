"""Rows to go on from: what was written, and what follows from it by the laws of attention.

A row of a stage is made of the same row of the stage before (and all of K or V), so a calculation
that shows only some lines or rows is followed row by row; what is missing is bridged.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Final, TypeAlias

from symattn.derivation import Derivation, Stage
from symattn.exact.matrix import MINUS_INFINITY, Matrix, MatrixLike, MinusInfinity, Value
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.number import LETTER, Number
from symattn.exact.quotient import Quotient
from symattn.problem import Problem
from symattn.steps.scale import scale_factor
from symattn.verify.claims import STAND_IN
from symattn.verify.lines import Line
from symattn.verify.reading.written import Written

Place: TypeAlias = tuple[str, int, int]
"""(letter, head, row): a row that was written."""

EVERY_ROW: Final = -1
MOST_BASES: Final = 5
"""Ways to reach a row that are followed."""
MOST_SCORE: Final = 1000
"""A score above this is not gone on with: nobody writes out e^1000."""


@dataclass(frozen=True, eq=False, slots=True)
class Base:
    """A row, 1×m, as a matrix of one row, with the written rows it comes from."""

    row: MatrixLike
    used: frozenset[Place] = frozenset()
    words: str = ""
    """How it was reached, where that is not plain."""

    @property
    def is_own(self) -> bool:
        return bool(self.used)


class Sources:
    """The written lines of one calculation beside the true ones."""

    def __init__(self, derivation: Derivation, lines: Sequence[Line]) -> None:
        self.derivation = derivation
        self.problem: Problem = derivation.problem
        self.shown: dict[tuple[str, int], Line] = {}
        for line in lines:
            # What was written last is what one goes on with.
            self.shown[line.key] = _over(self.shown.get(line.key), line)
        self._written: dict[Place, Matrix | None] = {}
        self._bases: dict[Place, list[Base]] = {}

    # ------------------------------------------------------------ the truth

    def truth(self, letter: str, head: int) -> MatrixLike | None:
        """The true matrix of a stage (for E and r: of the weights they belong to)."""
        derivation = self.derivation
        if letter == "C":
            step: Stage | None = derivation.joined
        elif letter == "Y":
            step = derivation.projected
        else:
            step = getattr(derivation.heads[head - 1], "A" if letter in "Er" else letter)
        return step.value if step else None

    @cached_property
    def has_mask(self) -> bool:
        return self.problem.mask.B is not None

    # ------------------------------------------------------------ what was written

    def written(self, letter: str, head: int, i: int) -> Matrix | None:
        """The written row, where all of it can be gone on with."""
        key = letter, head, i
        if key not in self._written:
            self._written[key] = self._read_row(letter, head, i)
        return self._written[key]

    def _read_row(self, letter: str, head: int, i: int) -> Matrix | None:
        line = self.shown.get((letter, head))
        if line is None:
            return None
        width = self.width(letter, head)
        values: list[Value] = []
        for j in range(width):
            cell = line.cells.get((i, j))
            if not isinstance(cell, Written):
                return None
            value = cell.value
            if letter in "ZM" and cell.text.lower() == "masked":
                value = MINUS_INFINITY
            if letter == "M" and _is_stand_in(value):
                value = MINUS_INFINITY
            if isinstance(value, MinusInfinity) and letter not in "ZM":
                return None
            if isinstance(value, Quotient) and letter not in "AErOCY":
                return None
            values.append(value)
        return Matrix.of([values])

    def width(self, letter: str, head: int) -> int:
        if letter == "r":
            return 1
        truth = self.truth(letter, head)
        return truth.shape[1] if truth else 0

    def all_written(self, letter: str, head: int) -> Matrix | None:
        """All rows of a stage as written (K, V)."""
        truth = self.truth(letter, head)
        if truth is None or (letter, head) not in self.shown:
            return None
        rows = [self.written(letter, head, i) for i in range(truth.shape[0])]
        found = [row for row in rows if row is not None]
        if len(found) < len(rows):
            return None
        return Matrix.of([value for row in found for value in row.values()][: len(rows)])

    # ------------------------------------------------------------ rows to go on from

    def bases(self, letter: str, head: int, i: int) -> list[Base]:
        """The written row first, then what follows from rows before it, then the true row."""
        key = letter, head, i
        if key not in self._bases:
            own = self.written(letter, head, i)
            first = [Base(own, frozenset((key,)))] if own is not None else []
            self._bases[key] = (first + self.followed(letter, head, i))[:MOST_BASES]
        return self._bases[key]

    def followed(self, letter: str, head: int, i: int) -> list[Base]:
        """What the row is by the law, from the rows before it; the true row last."""
        found = [base for base in self._by_law(letter, head, i) if base.is_own][:MOST_BASES]
        true = self._true_row(letter, head, i)
        return [*found, Base(true)] if true is not None else found

    def _true_row(self, letter: str, head: int, i: int) -> MatrixLike | None:
        truth = self.truth(letter, head)
        if truth is None or letter in "Er":
            return None
        return one_row(truth, i)

    def _by_law(self, letter: str, head: int, i: int) -> Iterator[Base]:
        match letter:
            case "S":
                yield from self._scores(head, i)
            case "Z":
                yield from self._mapped("S", head, i, self.scaled)
            case "M":
                yield from self._mapped("Z", head, i, lambda row: self.masked(row, i))
            case "A":
                if ratio := self.ratio(head, i):
                    yield ratio
                yield from self._mapped("M", head, i, self.weights)
            case "O":
                yield from self._outputs(head, i)
            case "C":
                yield from self._side_by_side(i)
            case "Y":
                yield from self._answers(i)

    def _mapped(self, before: str, head: int, i: int, law) -> Iterator[Base]:  # type: ignore[no-untyped-def]
        for base in self.bases(before, head, i):
            if isinstance(base.row, Matrix):
                row = law(base.row)
                if row is not None:
                    yield Base(row, base.used, base.words)

    def _scores(self, head: int, i: int) -> Iterator[Base]:
        given = self.problem.heads[head - 1]
        if given.S:
            return
        K = self.all_written("K", head)
        queries = [base for base in self.bases("Q", head, i) if isinstance(base.row, Matrix)]
        true_K = self.truth("K", head)
        for base in queries:
            assert isinstance(base.row, Matrix)
            if K is not None:
                yield Base(base.row @ K.T, base.used | {("K", head, EVERY_ROW)})
            elif isinstance(true_K, Matrix):
                yield Base(base.row @ true_K.T, base.used)

    def _outputs(self, head: int, i: int) -> Iterator[Base]:
        true_V = self.truth("V", head)
        if true_V is None:
            return
        V = self.all_written("V", head)
        used = frozenset({("V", head, EVERY_ROW)}) if V is not None else frozenset()
        values = V if V is not None else true_V
        assert isinstance(values, Matrix)
        for base in self.bases("A", head, i):
            made = mixed(base.row, values)
            if made is not None:
                yield Base(made, base.used | used, base.words)

    def _side_by_side(self, i: int) -> Iterator[Base]:
        rows: list[Value] = []
        used: frozenset[Place] = frozenset()
        for head in range(1, len(self.derivation.heads) + 1):
            bases = self.bases("O", head, i)
            if not bases:
                return
            used |= bases[0].used
            row = bases[0].row
            rows += [row.at(0, j) for j in range(row.shape[1])]
        yield Base(Matrix.of([rows]), used)

    def _answers(self, i: int) -> Iterator[Base]:
        W_O = self.problem.W_O
        if W_O is None:
            return
        before = self.bases("C", 1, i) if self.derivation.joined else self.bases("O", 1, i)
        for base in before:
            if isinstance(base.row, Matrix):
                yield Base(base.row @ W_O.value, base.used, base.words)

    # ------------------------------------------------------------ the laws on one row

    def scaled(self, S: Matrix) -> Matrix | None:
        if not S.is_finite:
            return S
        return S.times(self.factor)

    @cached_property
    def factor(self) -> Number:
        head = self.derivation.heads[0]
        d_k = head.K.shape[1] if head.K else self.problem.d_k
        return scale_factor(self.problem.scale, d_k)

    @cached_property
    def d_k(self) -> int | None:
        head = self.derivation.heads[0]
        return head.K.shape[1] if head.K else self.problem.d_k

    def masked(self, Z: Matrix, i: int) -> Matrix:
        B = self.problem.mask.B
        if B is None:
            return Z
        return Z + Matrix(B.value.rows[i : i + 1], B.value.unit, B.value.shape[1])

    def weights(self, M: Matrix) -> Weights | None:
        return Weights(M, True) if can_be_weighed(M) else None

    def ratio(self, head: int, i: int) -> Base | None:
        """The written exponentials over their written sum, or over the sum of what is written."""
        E = self.written("E", head, i)
        if E is None:
            return None
        cells = list(E.row(0))
        r = self.written("r", head, i)
        used = {("E", head, i)} | ({("r", head, i)} if r is not None else set())
        bottom = r.at(0, 0) if r is not None else total(cells)
        row = divided(cells, bottom)
        return Base(row, frozenset(used)) if row is not None else None


def _is_stand_in(value: Value) -> bool:
    """Whether a masked score this low is meant for −∞."""
    return isinstance(value, Number) and value.is_rational and value.rational <= STAND_IN


def can_be_weighed(M: Matrix) -> bool:
    """Whether the scores of a row are small enough for the softmax."""
    if M.is_plain:
        return not Weights(M, True).exceeds(0, MOST_SCORE)
    return not any(_is_large(value) for value in M.row(0))


def _is_large(value: Value) -> bool:
    if isinstance(value, MinusInfinity) or value.has(LETTER):
        return False
    from symattn.exact import decide  # mpmath only where it is needed

    return decide.sign(value - MOST_SCORE) > 0


def total(cells: Sequence[Value]) -> Value:
    result: Number | Quotient = Number.of(0)
    for cell in cells:
        if isinstance(cell, MinusInfinity):
            return cell
        result = cell + result if isinstance(cell, Quotient) else result + cell
    return result


def divided(cells: Sequence[Value], bottom: Value) -> Matrix | None:
    """Each cell over the bottom; None where that has no value."""
    if isinstance(bottom, MinusInfinity) or any(isinstance(c, MinusInfinity) for c in cells):
        return None
    if isinstance(bottom, Number) and bottom.is_rational:
        if not bottom:
            return None
        return Matrix.of([[c * (1 / bottom.rational) for c in cells]])  # type: ignore[operator]
    try:
        return Matrix.of([[Quotient.of(c) / bottom for c in cells]])  # type: ignore[arg-type]
    except ZeroDivisionError:
        return None


def mixed(A: MatrixLike, V: Matrix) -> MatrixLike | None:
    """A row of weights times V."""
    if isinstance(A, Weights):
        return Mixture(A, V)
    if isinstance(A, Matrix) and A.is_finite:
        return A @ V
    return None


def one_row(matrix: MatrixLike, i: int) -> MatrixLike:
    """Row i as a matrix of its own."""
    match matrix:
        case Matrix():
            return Matrix(matrix.rows[i : i + 1], matrix.unit, matrix.shape[1])
        case Weights():
            M = matrix.M
            return Weights(Matrix(M.rows[i : i + 1], M.unit, M.shape[1]), matrix.zeros)
        case Mixture():
            weights = one_row(matrix.A, i)
            assert isinstance(weights, Weights)
            return Mixture(weights, matrix.V)
        case _:
            return Matrix.of([[matrix.at(i, j) for j in range(matrix.shape[1])]])


def _over(before: Line | None, line: Line) -> Line:
    """Both together, the later one counting where both say something."""
    if before is None:
        return line
    cells: Mapping = {**before.cells, **line.cells}  # type: ignore[type-arg]
    return Line(line.letter, line.head, cells, line.at, line.name)
