"""The code that closes a solution runs and prints what the solution says."""

from __future__ import annotations

import contextlib
import importlib.util
import io

import pytest

from symattn import derive, load
from symattn.exact.rounding import Rounded, Rounding
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names
from symattn.views.program import program

NUMERIC = [name for name in builtin_names() if name != "letters"]


def run(source: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(source, "<solution>", "exec"), {"__name__": "solution"})
    return printed.getvalue()


def expected(problem: Problem) -> list[float]:
    grid = derive(problem).answer.value.rounded(Rounding(places=9))
    return [float(cell.fraction) for row in grid for cell in row if isinstance(cell, Rounded)]


def programs(name: str) -> dict[str, str]:
    return dict(program(load(name)))


@pytest.mark.parametrize("name", NUMERIC)
def test_numpy(name: str) -> None:
    source = programs(name)["NumPy"].replace("print(", "result = (")
    space: dict[str, object] = {}
    exec(compile(source, "<solution>", "exec"), space)
    assert [float(x) for x in space["result"].ravel()] == pytest.approx(  # type: ignore[attr-defined]
        expected(load(name)), abs=1e-8
    )


@pytest.mark.parametrize("name", NUMERIC)
def test_sympy(name: str) -> None:
    source = programs(name)["SymPy"].replace("print(", "result = (")
    space: dict[str, object] = {}
    exec(compile(source, "<solution>", "exec"), space)
    assert [float(x) for x in space["result"]] == pytest.approx(  # type: ignore[attr-defined]
        expected(load(name)), abs=1e-8
    )


@pytest.mark.skipif(not importlib.util.find_spec("torch"), reason="PyTorch is not installed")
@pytest.mark.parametrize("name", NUMERIC)
def test_torch(name: str) -> None:
    source = programs(name)["PyTorch"].replace("print(", "result = (")
    space: dict[str, object] = {}
    exec(compile(source, "<solution>", "exec"), space)
    assert space["result"].ravel().tolist() == pytest.approx(  # type: ignore[attr-defined]
        expected(load(name)), abs=1e-8
    )


def test_letters_get_sympy_alone_and_it_prints_their_answer() -> None:
    found = programs("letters")
    assert list(found) == ["SymPy"]
    assert "exp(" in run(found["SymPy"])
