"""Statements -> lines: which stage each matrix is, by its name, then its shape and fit.

Never by position. What cannot be told is listed, not guessed.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

from symattn.derivation import Derivation
from symattn.exact.matrix import MatrixLike, MinusInfinity, Value, round_value
from symattn.exact.mixture import Weights
from symattn.exact.number import LETTER, Number
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.verify.claims import RIGHT as CLAIMS_RIGHT
from symattn.verify.claims import Claim, claim
from symattn.verify.floats import floated
from symattn.verify.judge import judged
from symattn.verify.lines import JOINED, ORDER, Line, Spot
from symattn.verify.names import Meaning, given, meaning
from symattn.verify.reading.refusal import Refusal
from symattn.verify.reading.written import Cell, Grid, Label, Statement, Written
from symattn.verify.reference import (
    Reference,
    References,
    enclosed,
    exponentials,
    row_sums,
    rows_of,
)
from symattn.verify.verdicts import RIGHT, Verdict

CLAIMS_KEPT = CLAIMS_RIGHT | {Claim.FLOAT32}
GOOD_FIT = 0.6
"""Share of cells that must agree before a matrix without a name is taken for a stage."""


@dataclass(frozen=True, slots=True)
class Note:
    """Something said about the text that is no verdict on a cell."""

    at: int
    """The line, from 1."""
    text: str
    code: str = ""


@dataclass(frozen=True, eq=False)
class Matched:
    lines: tuple[Line, ...]
    notes: tuple[Note, ...] = ()
    misfits: tuple[Misfit, ...] = ()
    """Matrices whose name says which stage they are, in another shape."""


@dataclass(frozen=True, eq=False, slots=True)
class Misfit:
    letter: str
    head: int
    grid: Grid
    at: int
    name: str


def matched(derivation: Derivation, found: Sequence[Statement | Refusal]) -> Matched:
    """The lines of the calculation, and what was not understood."""
    return _Match(derivation).all(found)


class _Match:
    def __init__(self, derivation: Derivation) -> None:
        self.derivation = derivation
        self.heads = len(derivation.heads)
        self.base = derivation.problem.convention.index_from
        self.turned = derivation.problem.convention.tokens == "columns"
        self.lines: list[Line] = []
        self.notes: list[Note] = []
        self.misfits: list[Misfit] = []
        self.tokens = derivation.problem.tokens
        self._truth: dict[tuple[str, int], Sequence[References]] = {}

    def all(self, found: Sequence[Statement | Refusal]) -> Matched:
        unnamed: list[tuple[Grid, Statement]] = []
        powers: list[tuple[Number, Written, int]] = []
        for each in self.split(found):
            if isinstance(each, Refusal):
                self.notes.append(Note(each.place.line, str(each.message), each.code))
                continue
            self.links(each)
            if power := _power(each):
                powers.append(power)
                continue
            self.exponentials(powers)
            powers = []
            for warning in _warnings(each):
                self.notes.append(Note(each.line, warning))
            self.statement(each, unnamed)
        self.exponentials(powers)
        for grid, statement in unnamed:
            self.by_fit(grid, statement)
        return Matched(tuple(self.lines), tuple(self.notes), tuple(self.misfits))

    def split(self, found: Sequence[Statement | Refusal]) -> Iterator[Statement | Refusal]:
        """sum ≈ 18.888 → weights ≈ […]: a known name after a value begins another statement."""
        for each in found:
            if isinstance(each, Refusal):
                yield each
                continue
            start = 0
            for k, link in enumerate(each.links):
                named = isinstance(link.part, Label) and self.meaning(link.part.text).is_exact
                if k > start and named and not isinstance(each.links[k - 1].part, Label):
                    yield replace(each, links=each.links[start:k])
                    start = k
            yield replace(each, links=each.links[start:])

    # ------------------------------------------------------------ one statement

    def statement(self, each: Statement, unnamed: list[tuple[Grid, Statement]]) -> None:
        meanings = [m for m in map(self.meaning, each.names) if m.letters]
        meanings = [m for m in meanings if m.is_exact] or meanings
        meanings += [m for m in (self.pair(name, each.heading) for name in each.names) if m]
        meanings = list(dict.fromkeys(meanings))  # S = QKᵀ names one stage twice.
        by_heading = not meanings
        if each.heading and by_heading:
            said = self.meaning(each.heading)
            meanings = [said] if said.letters else []
        values = each.values
        if not values or (any(given(name) for name in each.names) and not meanings):
            return
        last = values[-1].part
        wanted = [
            v.part for v in values[:-1] if isinstance(v.part, Grid) and not v.part.is_computed
        ]
        grids: list[Grid] = []
        if isinstance(last, Grid):
            if _is_unfinished(last):
                return  # A product with decimals that is not worked out is no answer.
            grids = [g for g in wanted if g.shape == last.shape and not _is_same(g, last)]
            grids.append(last)
        else:
            self.scalar(each, meanings, last)  # type: ignore[arg-type]
            return
        for k, grid in enumerate(grids):
            shown = self.upright(grid)
            if (
                by_heading and (self.is_written(meanings) or self.better_elsewhere(shown, meanings))
            ) or (not self.place(shown, meanings, each) and k == len(grids) - 1):
                unnamed.append((shown, each))

    def pair(self, name: str, heading: str) -> Meaning | None:
        """I → love: how much the token I looks at love."""
        first, arrow, second = name.replace("->", "→").partition("→")
        tokens, keys = self.tokens, self.derivation.problem.tokens_kv
        if not arrow or first.strip() not in tokens or second.strip() not in keys:
            return None
        said = self.meaning(heading).letters
        letters = "".join(x for x in said if x in "SZMA") or "S"
        return Meaning(letters, None, tokens.index(first.strip()), keys.index(second.strip()), True)

    def meaning(self, name: str) -> Meaning:
        return meaning(name, heads=self.heads, base=self.base)

    def is_scaled(self, grid: Grid, head: int, rows: Sequence[int]) -> bool:
        """Whether what is called the scores is the scaled scores: Q was divided before."""
        if self.fit(grid, "S", head, rows) > 0.5:
            return False
        return self.fit(grid, "Z", head, rows) == 1

    def is_written(self, meanings: Sequence[Meaning]) -> bool:
        """Whether all stages of a heading are there already, so that it says nothing more."""
        named = {x for said in meanings for x in said.letters if said.head is None}
        done = {line.letter for line in self.lines}
        return bool(named) and self.heads == 1 and named <= done

    def better_elsewhere(self, grid: Grid, meanings: Sequence[Meaning]) -> bool:
        """Whether the matrix below a heading is plainly another stage than the heading's."""
        named = {letter for said in meanings for letter in said.letters}
        best: dict[bool, float] = {True: 0.0, False: 0.0}
        for letter in ORDER:
            for head in self.heads_of(letter, None):
                rows = (
                    self.rows_for(grid, letter, head, Meaning())
                    if self.shape(letter, head)
                    else None
                )
                if rows is not None:
                    is_named = letter in named
                    best[is_named] = max(best[is_named], self.fit(grid, letter, head, rows))
        return best[False] > max(0.8, best[True])

    def upright(self, grid: Grid) -> Grid:
        """With tokens as rows, whichever way the problem writes them."""
        if not self.turned:
            return grid
        return Grid(
            tuple(zip(*grid.rows, strict=True)), grid.headers, grid.tokens, grid.is_computed
        )

    def place(self, grid: Grid, meanings: Sequence[Meaning], each: Statement) -> bool:
        """Take the matrix for the stage that it is called; False where no name says which."""
        taken = False
        wrong_shape: list[tuple[str, int]] = []
        for said in meanings:
            options = [
                (letter, head)
                for letter in said.letters
                for head in self.heads_of(letter, said.head)
                if self.shape(letter, head)
            ]
            fitting = [(x, h) for x, h in options if self.rows_for(grid, x, h, said) is not None]
            if fitting:
                letter, head = max(
                    fitting, key=lambda k: self.rank(grid, k[0], k[1], said, options)
                )
                rows = self.rows_for(grid, letter, head, said)
                assert rows is not None
                if letter == "S" and self.is_scaled(grid, head, rows):
                    letter = "Z"
                    self.notes.append(
                        Note(each.line, "the scores are written divided already", "taken-as-scaled")
                    )
                self.add(letter, head, grid, rows, each)
                taken = True
            elif said.is_exact:
                wrong_shape += options
        if not taken and wrong_shape:
            letter, head = wrong_shape[0]
            self.misfits.append(
                Misfit(letter, head, grid, each.line, each.names[0] if each.names else each.heading)
            )
            return True
        return taken

    def rank(
        self, grid: Grid, letter: str, head: int, said: Meaning, options: Sequence[tuple[str, int]]
    ) -> tuple[float, float, int]:
        """Fit first where it is good, then free stages, then the order of the name's meanings."""
        rows = self.rows_for(grid, letter, head, said) or []
        fit = self.fit(grid, letter, head, rows)
        free = not any(line.key == (letter, head) for line in self.lines)
        return (fit if fit >= GOOD_FIT else 0.0, float(free), -options.index((letter, head)))

    def add(self, letter: str, head: int, grid: Grid, rows: Sequence[int], each: Statement) -> None:
        cells: dict[Spot, Cell] = {}
        for row, i in zip(grid.rows, rows, strict=True):
            for j, cell in enumerate(row):
                cells[i, j] = cell
        name = " = ".join(each.names) or each.heading
        if any(line.key == (letter, head) and _restates(cells, line) for line in self.lines):
            return
        before = next(
            (k for k, line in enumerate(self.lines)
             if line.key == (letter, head) and not set(line.cells) & set(cells)), None
        )  # fmt: skip
        if before is not None:
            # Another part of the same matrix.
            old = self.lines[before]
            self.lines[before] = Line(letter, head, {**old.cells, **cells}, old.at, old.name)
        else:
            self.lines.append(Line(letter, head, cells, each.line, name))

    # ------------------------------------------------------------ shapes and rows

    def heads_of(self, letter: str, head: int | None) -> Sequence[int]:
        if letter in JOINED:
            return (1,)
        if head is not None:
            return (head,) if 1 <= head <= self.heads else ()
        return range(1, self.heads + 1)

    def stage(self, letter: str, head: int) -> MatrixLike | None:
        if letter in JOINED:
            step = self.derivation.joined if letter == "C" else self.derivation.projected
            return step.value if step else None
        own = self.derivation.heads[head - 1]
        step = own.A if letter in "Er" else getattr(own, letter)
        if letter == "M" and self.derivation.problem.mask.B is None:
            return None
        return step.value if step else None

    def shape(self, letter: str, head: int) -> tuple[int, int] | None:
        stage = self.stage(letter, head)
        if stage is None:
            return None
        return (stage.shape[0], 1) if letter == "r" else stage.shape

    def rows_for(self, grid: Grid, letter: str, head: int, said: Meaning) -> Sequence[int] | None:
        """The rows of the stage that the matrix shows; None where it does not fit."""
        shape = self.shape(letter, head)
        assert shape is not None
        (n, m), (rows, columns) = shape, grid.shape
        if said.row is not None and said.column is None and rows == 1 and columns == m:
            return [said.row] if 0 <= said.row < n else None
        if letter == "r" and rows == 1 and columns == n and n > 1:
            return None
        if columns != m or rows > n:
            return None
        if rows == n:
            return range(n)
        by_token = self.rows_by_token(grid)
        if by_token is not None:
            return by_token
        return self.rows_by_fit(grid, letter, head)

    def rows_by_token(self, grid: Grid) -> Sequence[int] | None:
        if not grid.tokens or len(set(self.tokens)) < len(self.tokens):
            return None
        lowered = [token.lower() for token in self.tokens]
        named = [word.strip().strip("\"'").lower() for word in grid.tokens]
        if all(name in lowered for name in named):
            return [lowered.index(name) for name in named]
        return None

    def rows_by_fit(self, grid: Grid, letter: str, head: int) -> Sequence[int] | None:
        """Rows in order, the ones that agree best; rows that are already written come last."""
        truth = self.truth(letter, head)
        taken = {i for line in self.lines if line.key == (letter, head) for i, _ in line.cells}
        chosen: list[int] = []
        for row in grid.rows:
            best, most = None, -1.0
            for i in range(len(truth)):
                if i in chosen:
                    continue
                score = self.agreement(row, truth[i]) + 0.01 * _closeness(row, truth[i])
                score += (0.0001 if i not in taken else 0) - i * 1e-9
                if score > most:
                    best, most = i, score
            if best is None:
                return None
            chosen.append(best)
        return chosen

    def truth(self, letter: str, head: int) -> Sequence[References]:
        key = letter, head
        if key not in self._truth:
            stage = self.stage(letter, head)
            assert stage is not None
            if letter in "Er":
                assert isinstance(stage, Weights)
                made = (exponentials if letter == "E" else row_sums)(stage, 12)
            else:
                made = rows_of(stage, 12)
            self._truth[key] = made
        return self._truth[key]

    def fit(self, grid: Grid, letter: str, head: int, rows: Sequence[int]) -> float:
        truth = self.truth(letter, head)
        if not rows:
            return 0.0
        return sum(
            self.agreement(row, truth[i]) for row, i in zip(grid.rows, rows, strict=True)
        ) / len(rows)

    def agreement(self, row: Sequence[Cell], truth: Sequence[Reference]) -> float:
        """The share of cells that are the truth, or next to it."""
        written = [(c, t) for c, t in zip(row, truth, strict=False) if isinstance(c, Written)]
        if not written:
            return 0.0
        good = sum(claim(c, t) not in (Claim.OFF, Claim.APPROXIMATE) for c, t in written)
        return good / len(written)

    # ------------------------------------------------------------ single cells

    def scalar(self, each: Statement, meanings: Sequence[Meaning], last: Written) -> None:
        for said in meanings:
            if said.row is None:
                continue
            for letter in said.letters:
                for head in self.heads_of(letter, said.head):
                    shape = self.shape(letter, head)
                    if shape is None:
                        continue
                    column = said.column if said.column is not None else 0
                    if said.column is None and shape[1] != 1:
                        continue
                    if 0 <= said.row < shape[0] and 0 <= column < shape[1]:
                        self.add(
                            letter, head, Grid(((last,),)), [said.row], each
                        ) if column == 0 else (
                            self.cell(letter, head, (said.row, column), last, each)
                        )
                        return
        if any("r" in said.letters and said.row is None for said in meanings):
            grid = Grid(((last,),))
            for head in self.heads_of("r", meanings[0].head):
                rows = self.rows_by_fit(grid, "r", head)
                if rows is not None:
                    self.add("r", head, grid, rows, each)
                    return
        for said in meanings:
            # 1×1 stages.
            for letter in said.letters:
                for head in self.heads_of(letter, said.head):
                    if self.shape(letter, head) == (1, 1) and said.is_exact:
                        self.cell(letter, head, (0, 0), last, each)
                        return

    def cell(self, letter: str, head: int, spot: Spot, last: Written, each: Statement) -> None:
        if any(line.key == (letter, head) and _restates({spot: last}, line) for line in self.lines):
            return
        for k, line in enumerate(self.lines):
            if line.key == (letter, head) and spot not in line.cells:
                self.lines[k] = Line(letter, head, {**line.cells, spot: last}, line.at, line.name)
                return
        self.lines.append(Line(letter, head, {spot: last}, each.line, " = ".join(each.names)))

    def exponentials(self, powers: Sequence[tuple[Number, Written, int]]) -> None:
        """e^0.577 ≈ 1.781, e^2.887 ≈ …: a row of E, told by its exponents."""
        if not powers:
            return
        for head in range(1, self.heads + 1):
            scores = self.derivation.heads[head - 1].M.value
            n, m = scores.shape
            for i in range(n):
                taken: dict[Spot, Cell] = {}
                for exponent, cell, _ in powers:
                    j = next(
                        (j for j in range(m)
                         if (i, j) not in taken and _is_near(scores.at(i, j), exponent)), None
                    )  # fmt: skip
                    if j is None:
                        break
                    taken[i, j] = cell
                else:
                    key = ("E", head)
                    before = next((k for k, x in enumerate(self.lines) if x.key == key), None)
                    if before is not None and set(self.lines[before].cells) & set(taken):
                        continue
                    if before is None:
                        self.lines.append(Line("E", head, taken, powers[0][2], "e^…"))
                    else:
                        old = self.lines[before]
                        cells = {**old.cells, **taken}
                        self.lines[before] = Line("E", head, cells, old.at, old.name)
                    return

    # ------------------------------------------------------------ matrices without a name

    def by_fit(self, grid: Grid, each: Statement) -> None:
        """The stage that the matrix agrees with: the truth, or what follows from the lines."""
        if self.is_given(grid):
            return  # X or a weight, copied from the problem.
        options = [
            (letter, head)
            for letter in ORDER
            for head in self.heads_of(letter, None)
            if self.shape(letter, head) is not None
        ]
        scored: list[tuple[float, int, tuple[str, int], Sequence[int]]] = []
        for k, (letter, head) in enumerate(options):
            rows = self.rows_for(grid, letter, head, Meaning())
            if rows is None:
                continue
            fit = max(
                self.fit(grid, letter, head, rows), self.follows(grid, letter, head, rows, each)
            )
            free = not any(line.key == (letter, head) for line in self.lines)
            scored.append((fit + 0.01 * free, -k, (letter, head), rows))
        if not scored:
            if any(isinstance(c, Written) for row in grid.rows for c in row):
                size = f"{grid.shape[0]}×{grid.shape[1]}"
                self.notes.append(
                    Note(each.line, f"a {size} matrix fits no stage", "not-understood")
                )
            return
        fit, _, (letter, head), rows = max(scored, key=lambda s: s[:2])
        if fit >= GOOD_FIT:
            self.add(letter, head, grid, rows, each)
            return
        size = f"{grid.shape[0]}×{grid.shape[1]}"
        self.notes.append(
            Note(
                each.line,
                f"a {size} matrix without a name agrees with no stage: give it a name",
                "not-understood",
            )
        )

    def is_given(self, grid: Grid) -> bool:
        """Whether it is a matrix of the problem that no stage is."""
        problem = self.derivation.problem
        names = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V")
        known = [getattr(head, name) for head in problem.heads for name in names]
        for each in (problem.X, problem.X_kv, problem.W_O, *known):
            if each is None or each.shape != grid.shape:
                continue
            if all(
                isinstance(cell, Written) and cell.value == each.value.at(i, j)
                for i, row in enumerate(grid.rows)
                for j, cell in enumerate(row)
            ):
                return True
        return False

    def follows(
        self, grid: Grid, letter: str, head: int, rows: Sequence[int], each: Statement
    ) -> float:
        """The share of cells that follow from the lines written so far."""
        cells = {
            (i, j): c for row, i in zip(grid.rows, rows, strict=True) for j, c in enumerate(row)
        }
        if not any(ORDER.index(line.letter) < ORDER.index(letter) for line in self.lines):
            return 0.0
        others = [line for line in self.lines if line.key != (letter, head)]
        made = judged(self.derivation, [*others, Line(letter, head, cells, each.line)])
        own = next(j for j in made if j.line.key == (letter, head))
        good = sum(c.verdict in RIGHT or c.verdict is Verdict.FOLLOWS for c in own.cells.values())
        return good / max(1, len(own.cells))

    # ------------------------------------------------------------ chains

    def links(self, each: Statement) -> None:
        """Each = and ≈ between two numbers, checked by itself."""
        values = [link for link in each.values if isinstance(link.part, Written)]
        for left, right in itertools.pairwise(values):
            a, b = left.part, right.part
            assert isinstance(a, Written) and isinstance(b, Written)
            text = broken(a, b)
            if text:
                self.notes.append(Note(each.line, text, "broken-chain"))
            elif right.relation == "=" and _is_rounded(a, b):
                words = f"{b.text} is rounded: write ≈ before it"
                self.notes.append(Note(each.line, words, "notation"))


def _closeness(row: Sequence[Cell], truth: Sequence[Reference]) -> float:
    """1 where all numbers are the same, less the further they are apart."""
    apart = 0.0
    for cell, reference in zip(row, truth, strict=False):
        value = floated(cell)
        unknown = reference.is_hidden or reference.has_letters
        if value is None or unknown or abs(value) > 1e9:
            apart += 1.0
        else:
            apart += abs(value - float(reference.low))
    return 1 / (1 + apart)


def _power(each: Statement) -> tuple[Number, Written, int] | None:
    """(x, the number written for it, line) of a statement e^x ≈ number."""
    values = [link.part for link in each.values]
    if len(values) < 2 or each.names or not all(isinstance(v, Written) for v in values):
        return None
    first, last = values[0], values[-1]
    assert isinstance(first, Written) and isinstance(last, Written)
    if not isinstance(first.value, Quotient) or len(first.value.parts) != 1:
        return None
    top, bottom = first.value.parts[0]
    if not bottom.is_number or len(top.terms) != 1 or top.terms[0][1] != Number.of(1):
        return None
    return top.terms[0][0], last, each.line


def _is_near(score: Value, exponent: Number) -> bool:
    """Whether the exponent is the score, or the score in rounded decimals."""
    if not isinstance(score, Number) or score.has(LETTER):
        return False
    if score == exponent:
        return True
    if not exponent.is_rational:
        return False
    places = 0
    while (exponent.rational * 10**places).denominator != 1 and places < 12:
        places += 1
    unit = Fraction(1, 10**places)
    near = round_value(score, Rounding(places + 6))
    assert not isinstance(near, MinusInfinity)
    return abs(near.fraction - exponent.rational) < unit


def broken(a: Written, b: Written) -> str:
    """What is wrong with writing a = b; "" where it is right to the digits shown."""
    if isinstance(a.value, MinusInfinity) or isinstance(b.value, MinusInfinity):
        return "" if a.value is b.value else f"{a.text} is not {b.text}"
    if a.value.has(LETTER) or b.value.has(LETTER):
        return ""
    places = max(b.places or 0, a.places or 0, 3)
    reference = enclosed(round_value(a.value, Rounding(places + 12)), lambda: a.value)
    claimed = claim(b, reference)
    if claimed in CLAIMS_KEPT:
        return ""
    shown = round_value(a.value, Rounding(places))
    if claimed is Claim.TRUNCATED:
        return f"{a.text} is {shown}; {b.text} is cut, not rounded"
    return f"{a.text} is {shown}, not {b.text}"


def _restates(cells: Mapping[Spot, Cell], line: Line) -> bool:
    """Whether the line says all of this already, in the same numbers."""
    for spot, cell in cells.items():
        before = line.cells.get(spot)
        if not isinstance(cell, Written) or not isinstance(before, Written):
            return False
        if cell.value != before.value or cell.places != before.places:
            return False
    return True


def _is_unfinished(grid: Grid) -> bool:
    return grid.is_computed and any(
        isinstance(cell, Written) and cell.has_decimals for row in grid.rows for cell in row
    )


def _is_same(a: Grid, b: Grid) -> bool:
    """Whether the same numbers stand in both, so that the first is working."""
    pairs = [(x, y) for p, q in zip(a.rows, b.rows, strict=True) for x, y in zip(p, q, strict=True)]
    return all(
        isinstance(x, Written) and isinstance(y, Written) and x.value == y.value for x, y in pairs
    )


def _is_rounded(a: Written, b: Written) -> bool:
    """Whether b is the decimals of an exact a that it does not equal."""
    if b.places is None or not b.has_point or a.has_decimals or b.is_cut:
        return False
    if isinstance(a.value, MinusInfinity) or a.value.has(LETTER):
        return False
    reference = enclosed(round_value(a.value, Rounding(b.places + 12)), lambda: a.value)
    return claim(b, reference) is not Claim.EXACT


def _warnings(each: Statement) -> Iterator[str]:
    for link in each.links:
        match link.part:
            case Written(warnings=warnings):
                yield from warnings
            case Grid():
                for row in link.part.rows:
                    for cell in row:
                        if isinstance(cell, Written):
                            yield from cell.warnings
            case Label():
                pass
