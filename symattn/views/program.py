"""The same computation as code that runs: NumPy, PyTorch and SymPy."""

from __future__ import annotations

from collections.abc import Callable

from symattn.exact.matrix import Value
from symattn.exact.plain import plain
from symattn.problem import Given, HeadGiven, Problem

Literal = Callable[[Value], str]
"""How one exact value is written in a library's code."""


def program(problem: Problem) -> list[tuple[str, str]]:
    """(library, source) pairs; letters need SymPy, so they get only that."""
    matrices = _matrices(problem)
    if any(given.value.letters for _, given in matrices):
        return [("SymPy", _sympy(problem))]
    return [
        ("NumPy", _numpy(problem)),
        ("PyTorch", _torch(problem)),
        ("SymPy", _sympy(problem)),
    ]


def _matrices(problem: Problem) -> list[tuple[str, Given]]:
    """Every given matrix with its Python name; a head's number is part of it where there are several."""
    found: list[tuple[str, Given | None]] = [("X", problem.X), ("X_kv", problem.X_kv)]
    for number, head in enumerate(problem.heads, 1):
        found += [(_named(problem, name, number), getattr(head, name)) for name in head.__slots__]
    found += [("B", problem.mask.B), ("W_O", problem.W_O)]
    return [(name, given) for name, given in found if given]


def _named(problem: Problem, name: str, number: int) -> str:
    return name if len(problem.heads) == 1 else f"{name}_{number}"


def _rows(given: Given, literal: Literal) -> str:
    rows = [
        "[" + ", ".join(literal(given.value.at(i, j)) for j in range(given.shape[1])) + "]"
        for i in range(given.shape[0])
    ]
    return "[" + ", ".join(rows) + "]"


def _floating(value: Value) -> str:
    return plain(value, exact=False)


def _scale(problem: Problem, head: HeadGiven, number: int, root: str, exact: bool) -> str:
    scale = problem.scale
    if scale.factor is None:
        width = str(problem.d_k) if head.S else f"{_named(problem, 'K', number)}.shape[1]"
        return f" / {root}({width})"
    if scale.is_none:
        return ""
    return f" * ({plain(scale.factor, exact=exact)})"


def _lines(problem: Problem, literal: Literal, array: str, transpose: str, root: str,
           softmax: str, exact: bool) -> list[str]:  # fmt: skip
    lines = [f"{name} = {array}({_rows(given, literal)})" for name, given in _matrices(problem)]
    outputs = []
    for number, head in enumerate(problem.heads, 1):
        q, k, v, s, a, o = (_named(problem, x, number) for x in ("Q", "K", "V", "S", "A", "O"))
        for letter, source in (("Q", "X"), ("K", "X_kv"), ("V", "X_kv")):
            if getattr(head, f"W_{letter}"):
                source = source if source == "X" or problem.X_kv else "X"
                name, weight = _named(problem, letter, number), f"W_{letter}"
                bias = ""
                if getattr(head, f"b_{letter}"):
                    bias = f" + {_named(problem, f'b_{letter}', number)}"
                    if exact:
                        bias = f" + ones({source}.shape[0], 1) @ {_named(problem, f'b_{letter}', number)}"
                lines.append(f"{name} = {source} @ {_named(problem, weight, number)}{bias}")
        if not head.S:
            lines.append(f"{s} = {q} @ {k}{transpose}")
        masked = " + B" if problem.mask.B else ""
        lines.append(f"{a} = {softmax}({s}{_scale(problem, head, number, root, exact)}{masked})")
        if head.V or head.W_V:
            lines.append(f"{o} = {a} @ {v}")
            outputs.append(o)
    answer = outputs[-1] if outputs else _named(problem, "A", len(problem.heads))
    if len(outputs) > 1:
        joined = {"array": "hstack", "tensor": "hstack"}.get(array, "Matrix.hstack")
        inner = f"[{', '.join(outputs)}]" if joined == "hstack" else ", ".join(outputs)
        lines.append(f"C = {joined}({inner})")
        answer = "C"
    if problem.W_O:
        lines.append(f"Y = {answer} @ W_O")
        answer = "Y"
    lines.append(f"print({answer})")
    return lines


def _zeros(problem: Problem) -> str:
    return "nan_to_num(E / E.sum(axis=1, keepdims=True))" if problem.zeros_if_masked else (
        "E / E.sum(axis=1, keepdims=True)"
    )


def _numpy(problem: Problem) -> str:
    head = [
        "from numpy import array, exp, hstack, inf, log, nan_to_num, sqrt",
        "",
        "",
        "def softmax(M):",
        "    E = exp(M)",
        f"    return {_zeros(problem)}",
        "",
        "",
    ]
    body = _lines(problem, _floating, "array", ".T", "sqrt", "softmax", False)
    return "\n".join(head + body) + "\n"


def _torch(problem: Problem) -> str:
    head = [
        "from math import inf, log, sqrt",
        "from torch import float64, hstack, nan_to_num, set_default_dtype, tensor",
        "",
        "set_default_dtype(float64)",
        "",
        "",
        "def softmax(M):",
        "    return nan_to_num(M.softmax(dim=1))" if problem.zeros_if_masked
        else "    return M.softmax(dim=1)",
        "",
        "",
    ]  # fmt: skip
    body = _lines(problem, _floating, "tensor", ".T", "sqrt", "softmax", False)
    return "\n".join(head + body) + "\n"


def _sympy(problem: Problem) -> str:
    letters = sorted({x for _, given in _matrices(problem) for x in given.value.letters})
    head = ["from sympy import Matrix, Rational, diag, exp, log, ones, oo, sqrt, symbols", ""]
    if letters:
        names = ", ".join(letters)
        head += [f"{names} = symbols({' '.join(letters)!r})" if len(letters) > 1
                 else f"{names} = symbols({names!r})", ""]  # fmt: skip
    head += [
        "",
        "def softmax(M):",
        "    E = M.applyfunc(exp)",
        "    return diag(*[1 / sum(E.row(i)) for i in range(E.rows)]) * E",
        "",
        "",
    ]
    if problem.zeros_if_masked:
        head[-3] = "    return diag(*[1 / (sum(E.row(i)) or 1) for i in range(E.rows)]) * E"
    body = _lines(problem, plain, "Matrix", ".T", "sqrt", "softmax", True)
    return "\n".join(head + body) + "\n"
