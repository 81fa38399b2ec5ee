"""Whole worked solutions: every built-in problem in every mode compiles, fits, and is read."""

from __future__ import annotations

import json
import random
import re
import shutil
import subprocess
from pathlib import Path

import pytest
from test_markdown import formulas_of
from tools import ENGINES, JS, compiled, need

from symattn import derive, explain, load, write
from symattn.convention import COLUMNS, Convention
from symattn.exact.rounding import Rounding
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names
from symattn.reading.values import problem_of
from symattn.views.options import Options

MODES = {
    "brief": Options(detail="brief"),
    "normal": Options(),
    "full with code": Options(detail="full", code=True),
    "decimals only, ten places": Options(exact=False, rounding=Rounding(10)),
    "columns": Options(convention=COLUMNS),
    "left, from 0, round": Options(
        convention=Convention(weights="left", index_from=0, fence="("),
        rounding=Rounding(figures=6, ties="up"),
    ),
}
TOO_WIDE = re.compile(r"Overfull \\hbox.*|Missing character.*|.*undefined.*|.*Rerun.*")


def focused(problem: Problem) -> Options:
    return Options(focus=problem.tokens[-1])


@pytest.mark.latex
@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("mode", [*MODES, "focus"])
def test_it_compiles_and_nothing_hangs_over_the_margin(
    name: str, mode: str, tmp_path: Path
) -> None:
    problem = load(name)
    options = focused(problem) if mode == "focus" else MODES[mode]
    log = compiled(write(explain(derive(problem), options), "latex"), tmp_path)
    assert not TOO_WIDE.findall(log)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("name", ["i-love-ai", "two-heads", "letters"])
def test_every_engine(name: str, engine: str, tmp_path: Path) -> None:
    log = compiled(write(explain(derive(load(name))), "latex"), tmp_path, engine)
    assert not TOO_WIDE.findall(log)


@pytest.mark.latex
@pytest.mark.parametrize(("n", "d"), [(1, 1), (2, 7), (6, 3), (8, 8), (12, 4), (30, 2)])
def test_other_sizes(n: int, d: int, tmp_path: Path) -> None:
    rows = [[(3 * i + 5 * j) % 7 - 3 for j in range(d)] for i in range(n)]
    weights = [[(2 * i + j) % 5 - 2 for j in range(d + 1)] for i in range(d)]
    problem = problem_of(
        tokens=[f"token{i}" for i in range(n)], X=rows, W_Q=weights, W_K=weights, W_V=weights
    )
    log = compiled(write(explain(derive(problem), Options(detail="normal")), "latex"), tmp_path)
    assert not TOO_WIDE.findall(log)


@pytest.mark.latex
@pytest.mark.parametrize("mode", ["normal", "decimals only, ten places", "columns"])
@pytest.mark.parametrize(("n", "d"), [(4, 3), (7, 3), (10, 10), (16, 16)])
def test_large_numbers_and_long_tokens(n: int, d: int, mode: str, tmp_path: Path) -> None:
    draw = random.Random(f"{n}x{d}")

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[draw.randint(-9, 9) for _ in range(columns)] for _ in range(rows)]

    words = ["a", "the", "something", "internationalisation", "猫", "<b>$x$</b>"]
    problem = problem_of(
        tokens=[draw.choice(words) + str(i) for i in range(n)],
        X=matrix(n, d), W_Q=matrix(d, d), W_K=matrix(d, d), W_V=matrix(d, d + 1),
    )  # fmt: skip
    log = compiled(write(explain(derive(problem), MODES[mode]), "latex"), tmp_path)
    assert not TOO_WIDE.findall(log)


@pytest.mark.node
def test_katex_and_mathjax_read_every_formula_of_every_solution() -> None:
    need(shutil.which("node") and (JS / "node_modules").is_dir(), "node with tests/js/node_modules")
    asked = [
        {"name": f"{name}, {mode}, {flavour}", "tex": tex, "display": display}
        for name in builtin_names()
        for mode, options in MODES.items()
        for flavour in ("markdown", "gfm")
        for tex, display in formulas_of(write(explain(derive(load(name)), options), flavour))
    ]
    assert len(asked) > 5000
    run = subprocess.run(
        ["node", "check.mjs"], cwd=JS, input="\n".join(map(json.dumps, asked)),
        capture_output=True, text=True, timeout=300, check=False,
    )  # fmt: skip
    *failures, last = run.stdout.splitlines() or [""]
    assert not failures, "\n".join(failures[:10])
    assert json.loads(last) == {"checked": len(asked)}, run.stderr
