"""Simulated students: they work a problem out line by line, rounding each line, some with a known
mistake. Floats and f-strings only: nothing of the judging is used."""

from __future__ import annotations

import math
import random
from collections.abc import Sequence
from dataclasses import replace

from symattn.exact.matrix import Matrix
from symattn.misconceptions import Misconception
from symattn.misconceptions.stages import Rows, Stages, in_floats
from symattn.problem import Given, HeadGiven, Problem, causal_mask, checked
from symattn.verify.lines import Line
from symattn.verify.reading.table import cell_of
from symattn.verify.reading.written import Cell, Written

STAGES = "QKVSZMAO"


def problem(rng: random.Random, *, masked: bool) -> Problem:
    """Random integers in −3..3; n, d_k, d_model, d_v in 2..4."""
    n, d_k, d_model, d_v = (rng.randint(2, 4) for _ in range(4))

    def given(name: str, rows: int, columns: int) -> Given:
        cells = tuple(tuple(rng.randint(-3, 3) for _ in range(columns)) for _ in range(rows))
        return Given(name, Matrix(cells))

    if rng.random() < 0.5:
        head = HeadGiven(given("W_Q", d_model, d_k), given("W_K", d_model, d_k),
                         given("W_V", d_model, d_v))  # fmt: skip
        made = Problem((), (), (head,), given("X", n, d_model))
    else:
        head = HeadGiven(Q=given("Q", n, d_k), K=given("K", n, d_k), V=given("V", n, d_v))
        made = Problem((), (), (head,))
    if masked:
        made = replace(made, mask=causal_mask(n, n, corner="top-left"))
    return checked(made)


def printed(value: float, places: int) -> Cell:
    return cell_of("-inf" if value == -math.inf else f"{value:.{places}f}")


def worked(
    problem: Problem,
    places: int,
    mistake: Misconception | None = None,
    *,
    carries: bool = True,
    exponentials: int | None = None,
) -> dict[str, Line] | None:
    """The lines that the student writes, or None where the mistake cannot be made here.

    `carries`: goes on with the line as written; else with all digits. `exponentials`: rounds them
    to so many places on the way to the weights, without writing them.
    """
    true = in_floats(problem)[0]
    stages, lines = true, {}
    for letter in STAGES:
        if letter not in true.rows or (letter == "M" and "B" not in true.rows):
            continue
        if mistake and letter in mistake.entries:
            if not mistake.applies(stages):
                return None
            made: Rows = mistake.rows(stages, letter)
        else:
            try:
                made = law(stages, letter, exponentials)
            except ZeroDivisionError:
                if mistake is None:
                    raise
                return lines  # A row where everything is hidden: nobody goes on from it.
        rows = [[float(x) for x in row] for row in made]
        if (len(rows), len(rows[0])) != true.shape(letter):
            return None
        whole = letter in "QKVS" and all(float(x).is_integer() for row in rows for x in row)
        cells = {
            (i, j): printed(x, 0 if whole else places)
            for i, row in enumerate(rows)
            for j, x in enumerate(row)
        }
        lines[letter] = Line(letter, 1, cells)
        if carries:
            rows = [[value(cells[i, j]) for j in range(len(rows[0]))] for i in range(len(rows))]
        stages = changed(stages, letter, rows)
    return lines


def value(cell: Cell) -> float:
    if not isinstance(cell, Written):
        raise OverflowError("a number that nobody writes out")
    return -math.inf if cell.text == "-inf" else float(cell.text)


def changed(stages: Stages, letter: str, rows: Sequence[Sequence[float]]) -> Stages:
    own = {**stages.rows, letter: rows}
    if letter == "Z" and "B" not in own:
        own["M"] = rows
    return replace(stages, rows=own, _kept={})


def law(s: Stages, letter: str, exponentials: int | None) -> Rows:
    match letter:
        case "S":
            return times(s.Q, list(zip(*s.K, strict=True)))
        case "Z":
            return [[x / math.sqrt(s.d_k) for x in row] for row in s.S]
        case "M":
            return [
                [z + b for z, b in zip(p, q, strict=True)] for p, q in zip(s.Z, s.B, strict=True)
            ]
        case "A":
            return [shares(row, exponentials) for row in s.M]
        case "O":
            return times(s.A, s.V)
        case _:
            return s.rows[letter]


def shares(row: Sequence[float], places: int | None) -> list[float]:
    E = [math.exp(x) if places is None else float(f"{math.exp(x):.{places}f}") for x in row]
    return [x / sum(E) for x in E]  # ZeroDivisionError: nobody goes on with 0/0.


def times(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    return [[sum(a * b for a, b in zip(r, c, strict=True)) for c in columns] for r in left]
