"""The same computation as code that runs: NumPy, PyTorch and SymPy."""

from __future__ import annotations

from dataclasses import dataclass

from symattn.exact.plain import plain
from symattn.problem import Given, HeadGiven, Problem


@dataclass(frozen=True, eq=False)
class Dialect:
    """What differs between the libraries."""

    library: str
    imports: tuple[str, ...]
    softmax: tuple[str, ...]
    matrix: str
    """What makes a matrix from nested lists {}."""
    join: str
    """Side by side, with {} for the matrices."""
    bias: str
    """A bias row on every row of {rows}."""
    exact: bool = False
    zeros: str = "nan_to_num({})"
    """What makes a fully masked row zeros."""


NUMPY = Dialect(
    "NumPy",
    ("from numpy import array, exp, hstack, inf, log, nan_to_num, sqrt",),
    ("E = exp(M)", "return E / E.sum(axis=1, keepdims=True)"),
    matrix="array({})",
    join="hstack([{}])",
    bias="{b}",
)
TORCH = Dialect(
    "PyTorch",
    (
        "from math import inf, log, sqrt",
        "from torch import float64, hstack, nan_to_num, tensor",
    ),
    ("return M.softmax(dim=1)",),
    matrix="tensor({}, dtype=float64)",
    join="hstack([{}])",
    bias="{b}",
)
SYMPY = Dialect(
    "SymPy",
    ("from sympy import Matrix, Rational, diag, exp, log, nan, ones, oo, sqrt, symbols",),
    ("E = M.applyfunc(exp)", "return diag(*[1 / sum(E.row(i)) for i in range(E.rows)]) * E"),
    matrix="Matrix({})",
    join="Matrix.hstack({})",
    bias="ones({rows}.rows, 1) * {b}",
    exact=True,
    zeros="{}.replace(nan, 0)",
)


def program(problem: Problem) -> list[tuple[str, str]]:
    """(library, source) pairs; letters need SymPy, so they get only that."""
    letters = sorted({x for _, given in _matrices(problem) for x in given.value.letters})
    dialects = (SYMPY,) if letters else (NUMPY, TORCH, SYMPY)
    return [(dialect.library, _source(problem, dialect, letters)) for dialect in dialects]


def _source(problem: Problem, by: Dialect, letters: list[str]) -> str:
    lines = list(by.imports)
    if letters:
        lines += ["", f"{', '.join(letters)}, = symbols({' '.join(letters)!r}, seq=True)"]
    *first, last = by.softmax
    if problem.zeros_if_masked:
        value = last.removeprefix("return ")
        last = "return " + by.zeros.format(f"({value})" if by.exact else value)
    lines += ["", "", "def softmax(M):", *(f"    {line}" for line in (*first, last)), "", ""]
    for name, given in _matrices(problem):
        lines.append(f"{name} = {by.matrix.format(_rows(given, exact=by.exact))}")
    return "\n".join(lines + _computation(problem, by)) + "\n"


def _matrices(problem: Problem) -> list[tuple[str, Given]]:
    """Every given matrix with its Python name."""
    found: list[tuple[str, Given | None]] = [("X", problem.X), ("X_kv", problem.X_kv)]
    for number, head in enumerate(problem.heads, 1):
        found += [(_named(problem, name, number), getattr(head, name)) for name in head.__slots__]
    found += [("B", problem.mask.B), ("W_O", problem.W_O)]
    return [(name, given) for name, given in found if given]


def _named(problem: Problem, name: str, number: int) -> str:
    """The name carries the head's number where there are several."""
    return name if len(problem.heads) == 1 else f"{name}_{number}"


def _rows(given: Given, *, exact: bool) -> str:
    n, m = given.shape
    rows = (", ".join(plain(given.value.at(i, j), exact=exact) for j in range(m)) for i in range(n))
    return "[" + ", ".join(f"[{row}]" for row in rows) + "]"


def _computation(problem: Problem, by: Dialect) -> list[str]:
    lines: list[str] = []
    outputs: list[str] = []
    for number, head in enumerate(problem.heads, 1):
        lines += _head(problem, head, number, by)
        if head.V or head.W_V:
            outputs.append(_named(problem, "O", number))
    answer = outputs[-1] if outputs else "A"
    if len(outputs) > 1:
        lines.append(f"C = {by.join.format(', '.join(outputs))}")
        answer = "C"
    if problem.W_O:
        lines.append(f"Y = {answer} @ W_O")
        answer = "Y"
    return [*lines, f"print({answer})"]


def _head(problem: Problem, head: HeadGiven, number: int, by: Dialect) -> list[str]:
    lines = []

    def named(name: str) -> str:
        return _named(problem, name, number)

    for letter in "QKV":
        if getattr(head, f"W_{letter}"):
            source = "X_kv" if letter != "Q" and problem.X_kv else "X"
            line = f"{named(letter)} = {source} @ {named(f'W_{letter}')}"
            if getattr(head, f"b_{letter}"):
                line += " + " + by.bias.format(rows=source, b=named(f"b_{letter}"))
            lines.append(line)
    if not head.S:
        lines.append(f"{named('S')} = {named('Q')} @ {named('K')}.T")
    scores = named("S") + _scale(problem, head, named("K"), exact=by.exact)
    if problem.mask.B:
        scores += " + B"
    lines.append(f"{named('A')} = softmax({scores})")
    if head.V or head.W_V:
        lines.append(f"{named('O')} = {named('A')} @ {named('V')}")
    return lines


def _scale(problem: Problem, head: HeadGiven, keys: str, *, exact: bool) -> str:
    scale = problem.scale
    if scale.factor is None:
        return f" / sqrt({problem.d_k})" if head.S else f" / sqrt({keys}.shape[1])"
    return "" if scale.is_none else f" * ({plain(scale.factor, exact=exact)})"
