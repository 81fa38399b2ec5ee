"""Where every entry comes from, for pages that can be asked: its working and its sources."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Final, cast

from symattn.derivation import Derivation, Stage, Step
from symattn.document import Math, Text, Trace
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Weights
from symattn.exact.rounding import Rounded, Rounding
from symattn.formula import Line, Num, Power, Sym, cell_name, seq
from symattn.problem import Given
from symattn.views.options import Options
from symattn.views.paper import Paper

MOST_TRACES: Final = 400
"""Entries of all matrices up to which a page can be asked; a larger one would be slow to load."""
MOST_PLACES: Final = 8
"""Decimals are given to 0, 1, … and this many places."""


def traces(derivation: Derivation, options: Options) -> tuple[Trace, ...]:
    """A trace for each entry of each matrix that is shown, in reading order; none for more
    entries than `MOST_TRACES`."""
    paper = Paper.of(derivation, options)
    stages = list(_stages(paper))
    if sum(len(rows) * _columns(stage) for _, stage, rows in stages) > MOST_TRACES:
        return ()
    found: list[Trace] = []
    for own, stage, rows in stages:
        cells = [(i, j) for i in rows for j in range(stage.shape[1])]
        if isinstance(stage, Step) and stage.kind == "softmax":
            found += [_exponential(own, stage, i, j) for i, j in cells]
        decimals = _decimals(own, stage)
        found += [_trace(own, stage, i, j, decimals) for i, j in cells]
    return tuple(found)


def _stages(paper: Paper) -> Iterator[tuple[Paper, Stage, Sequence[int]]]:
    """Every matrix that is shown, with its head's paper and the rows that are."""

    def all_of(own: Paper, given: Given | None) -> Iterator[tuple[Paper, Stage, Sequence[int]]]:
        if given:
            yield own, given, range(given.shape[0])

    problem, derivation = paper.problem, paper.derivation
    yield from all_of(paper, problem.X)
    yield from all_of(paper, problem.X_kv)
    for number, head in enumerate(problem.heads, 1):
        for name in head.__slots__:
            yield from all_of(paper.for_head(number), getattr(head, name))
    yield from all_of(paper, problem.mask.B)
    yield from all_of(paper, problem.W_O)
    for head_number, name, stage in derivation:
        hidden = name == "Z" and problem.scale.is_none
        if isinstance(stage, Step) and not hidden:
            yield paper.for_head(head_number), stage, paper.rows_of(name, stage.shape[0])


def _columns(stage: Stage) -> int:
    """Entries that a row is told of: beside each weight stands its exponential."""
    is_softmax = isinstance(stage, Step) and stage.kind == "softmax"
    return stage.shape[1] * (2 if is_softmax else 1)


def _trace(
    paper: Paper, stage: Stage, i: int, j: int, decimals: Sequence[Sequence[Sequence[str]]]
) -> Trace:
    writing = paper.writing
    working: tuple[Line, ...] = ()
    sources: tuple[str, ...] = ()
    if isinstance(stage, Step):
        working = stage.rule.working(stage, i, j, writing)
        sources = tuple(_sources(paper, stage, i, j))
    return Trace(
        cell_name(_name(paper, stage), i, j),
        _title(paper, stage.name, i, j),
        working,
        sources,
        tuple(decimals[i][j]) if decimals else (),
    )


def _exponential(paper: Paper, step: Step, i: int, j: int) -> Trace:
    """e^(M_ij), which softmax writes down before it divides."""
    weights, writing = cast(Weights, step.value), paper.writing
    (M,) = step.inputs
    power = Power(Sym("e"), writing.entry(writing.symbol(M.name), i, j))
    exact = writing.exponential(weights, i, j)
    lines = [
        Line(writing.entry(writing.symbol("E"), i, j), "=", power),
        Line(None, "=", exact),
    ]
    decimals: tuple[str, ...] = ()
    if not weights.letters:
        rounded = weights.rounded_exponential(i, j, writing.rounding)
        if not isinstance(exact, Num):
            lines.append(Line(None, writing.relation(rounded), writing.decimal(rounded)))
        ways = _ways(writing.rounding)
        decimals = _digits([weights.rounded_exponential(i, j, way) for way in ways])
    return Trace(
        cell_name(paper.matrix_name("E"), i, j),
        _title(paper, "E", i, j),
        tuple(lines),
        (cell_name(_name(paper, M), i, j),),
        decimals,
    )


# ------------------------------------------------------------------ sources


def _sources(paper: Paper, step: Step, i: int, j: int) -> Iterable[str]:
    """The entries that the law takes row i, column j from."""

    def row(stage: Stage, line: int) -> list[str]:
        return [cell_name(_name(paper, stage), line, k) for k in range(stage.shape[1])]

    def column(stage: Stage, across: int) -> list[str]:
        return [cell_name(_name(paper, stage), k, across) for k in range(stage.shape[0])]

    match step.kind, step.inputs:
        case "project", (X, W, *b):
            return row(X, i) + column(W, j) + [name for bias in b for name in column(bias, j)]
        case "score", (Q, K):
            return row(Q, i) + row(K, j)
        case "scale", (S, *_):
            return [cell_name(_name(paper, S), i, j)]
        case "mask", (Z, B):
            return [cell_name(_name(paper, stage), i, j) for stage in (Z, B)]
        case "softmax", (_,):
            name = paper.matrix_name("E")
            return [cell_name(name, i, k) for k in range(step.shape[1])]
        case "mix" | "output", (A, V):
            return row(A, i) + column(V, j)
        case "concat", heads:
            across = j
            for number, stage in enumerate(heads, 1):
                if across < stage.shape[1]:
                    return [cell_name(paper.for_head(number).matrix_name("O"), i, across)]
                across -= stage.shape[1]
    raise ValueError(step.kind)


def _name(paper: Paper, stage: Stage) -> str:
    """What the page calls the matrix; scores that are not scaled are still called S."""
    unscaled = stage.name == "Z" and paper.writing.unscaled
    return paper.matrix_name("S" if unscaled else stage.name)


# ------------------------------------------------------------------ title and decimals


def _title(paper: Paper, name: str, i: int, j: int) -> Text:
    """The entry and what it is: A₁₂, I → love."""
    first = paper.convention.index_from
    entry = Math(paper.writing.entry(paper.writing.symbol(name), i, j))
    if name in ("S", "Z", "B", "M", "E", "A"):
        return entry, f", {paper.token(i)} → {paper.token_kv(j)}"
    if name in ("X", "Q", "O", "C", "Y"):
        return entry, f", component {j + first} of {paper.token(i)}"
    if name in ("X_kv", "K", "V"):
        return entry, f", component {j + first} of {paper.token_kv(i)}"
    matrix = Math(seq(paper.writing.symbol(name)))
    if name.startswith("b_"):
        return entry, f", component {j + first} of ", matrix
    row, column = (j, i) if paper.turned(name) else (i, j)
    return entry, f", row {row + first}, column {column + first} of ", matrix


def _ways(rounding: Rounding) -> list[Rounding]:
    return [Rounding(places, ties=rounding.ties) for places in range(MOST_PLACES + 1)]


def _decimals(paper: Paper, stage: Stage) -> list[list[tuple[str, ...]]]:
    """For each entry its decimals, proved; nothing with letters."""
    if stage.value.letters:
        return []
    grids = [stage.value.rounded(way) for way in _ways(paper.writing.rounding)]
    n, m = stage.shape
    return [[_digits([grid[i][j] for grid in grids]) for j in range(m)] for i in range(n)]


def _digits(values: Sequence[Rounded | MinusInfinity]) -> tuple[str, ...]:
    """The decimals to 0, 1, 2, … places; once for an integer, nothing for −∞."""
    written: list[str] = []
    for value in values:
        if isinstance(value, MinusInfinity):
            return ()
        if not written and value.exact:
            return (str(value),)
        written.append(str(value))
    return tuple(written)
