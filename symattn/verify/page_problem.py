"""The problem that a page itself gives: its X and weights, or its Q, K and V."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from symattn.errors import InputError
from symattn.problem import Problem
from symattn.reading.values import problem_of
from symattn.verify.names import given, meaning
from symattn.verify.reading.refusal import Refusal
from symattn.verify.reading.written import Grid, Statement, Written


def problem_on(found: Sequence[Statement | Refusal]) -> Problem:
    """The problem among the statements of a page. InputError where it gives none."""
    matrices: dict[str, Any] = {}
    stages: dict[str, Any] = {}
    tokens: tuple[str, ...] = ()
    for each in found:
        if isinstance(each, Refusal) or not each.values:
            continue
        grid = each.values[-1].part
        if not isinstance(grid, Grid) or (rows := _plain(grid)) is None:
            continue
        names = [*each.names, each.heading] if each.heading and not each.names else each.names
        for name in names:
            key = given(name)
            if key and key not in matrices:
                matrices[key] = rows
                if key == "X" and grid.tokens:
                    tokens = grid.tokens
            said = meaning(name, heads=1)
            if (
                said.is_exact
                and said.letters in ("Q", "K", "V", "S")
                and said.letters not in stages
            ):
                stages[said.letters] = rows
    if "X" in matrices and {"W_Q", "W_K"} <= set(matrices):
        return problem_of(tokens=list(tokens) or None, **matrices)
    if {"Q", "K"} <= set(stages):
        known = {name: rows for name, rows in stages.items() if name != "S"}
        mask = {"mask": matrices["mask"]} if "mask" in matrices else {}
        output = {"W_O": matrices["W_O"]} if "W_O" in matrices else {}
        return problem_of(**known, **mask, **output)
    have = sorted({*matrices, *stages})
    raise InputError(
        "the page does not give the problem"
        + (f": of its matrices only {', '.join(have)} can be used" if have else ""),
        hint="Name X, W_Q, W_K and W_V (or Q, K and V) on the page, or give the problem first: "
        "symattn verify PROBLEM ANSWERS.",
    )


def _plain(grid: Grid) -> list[list[Any]] | None:
    """Its values, where every cell has one."""
    rows = []
    for row in grid.rows:
        cells = []
        for cell in row:
            if not isinstance(cell, Written):
                return None
            cells.append(cell.value)
        rows.append(cells)
    return rows
