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
from symattn.reading.values import problem_of
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


@pytest.mark.filterwarnings("ignore:invalid value encountered")
@pytest.mark.parametrize(
    "keys",
    [
        {
            "Q": [[1], [2]], "K": [[1], [1]], "V": [[1], [2]],
            "mask": [[0, 0], ["-inf", "-inf"]], "fully_masked": "zeros",
        },
        {
            "X": [["1/2", 2], [1, "ln(3)"]], "W_Q": [["sqrt(2)"], [1]], "W_K": [["ln(2)"], [1]],
            "W_V": [[1], ["2/3"]], "b_Q": [["1/3"]], "b_V": [[5]], "scale": "1/2",
        },
        {"X": [[1, 2]], "X_kv": [[1], [3]], "W_Q": [[1], [1]], "W_K": [[1]], "W_V": [[2]]},
    ],
    ids=["zeros", "biases, roots, logarithms and a scale", "cross-attention"],
)  # fmt: skip
def test_every_library_agrees(keys: dict[str, object]) -> None:
    problem = problem_of(**keys)  # type: ignore[arg-type]
    for library, source in program(problem):
        if library == "PyTorch" and not importlib.util.find_spec("torch"):
            continue
        space: dict[str, object] = {}
        exec(compile(source.replace("print(", "result = ("), "<solution>", "exec"), space)
        found = [float(x) for x in getattr(space["result"], "ravel", lambda s=space: s["result"])()]
        assert found == pytest.approx(expected(problem), abs=1e-8), library
