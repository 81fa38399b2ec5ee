"""The same outputs as the peers, from symattn. CPU seconds without imports go to standard error.

python -m benchmarks.ours written FILE             LaTeX and 30 figures of A and O
python -m benchmarks.ours digits FILE AO 50 1      exact forms and 50 proved places, once
python -m benchmarks.ours digits FILE O 50 9       the same of O alone; the median of 9 times
Add --python to leave FLINT out, --forms to expand the polynomials of every entry.
"""

from __future__ import annotations

import argparse
import json
import statistics
import sys
import time
from collections.abc import Callable
from typing import Any

from symattn.attention import derive
from symattn.derivation import Head
from symattn.exact import integers
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.rounding import Rounding
from symattn.formula import Grid
from symattn.notation import Writing
from symattn.problem import Problem
from symattn.reading.problem_file import load
from symattn.writers.latex_math import LatexMath


def written(problem: Problem) -> list[str]:
    """A and O as LaTeX, every entry in full, then 30 significant figures of their entries."""
    head = derive(problem).heads[0]
    A, O = stages(head)  # noqa: E741
    writing, math = Writing(terms=sys.maxsize), LatexMath()
    lines = []
    for mixture in (Mixture(A, None), O):
        n, m = mixture.shape
        rows = (tuple(writing.mixture(mixture, i, j) for j in range(m)) for i in range(n))
        lines.append(math.formula(Grid(tuple(rows))))
    for value in (A, O):
        lines += [str(cell) for row in value.rounded(Rounding(figures=30)) for cell in row]
    return lines


def stages(head: Head) -> tuple[Weights, Mixture]:
    """The weights and the output of a head."""
    A, O = head.A.value, head.O and head.O.value  # noqa: E741
    assert isinstance(A, Weights) and isinstance(O, Mixture)
    return A, O


def digits(problem: Problem, names: str, places: int, *, expanded: bool) -> list[str]:
    """Proved decimals of the stages, and the exact forms they are the decimals of."""
    head = derive(problem).heads[0]
    forms(head, expanded=expanded)
    grids = [getattr(head, name).value.rounded(Rounding(places)) for name in names]
    return [str(cell) for grid in grids for row in grid for cell in row]


def forms(head: Head, *, expanded: bool) -> object:
    """The normal forms: exponents, row sums and, expanded, each output's N(x)/D(x)."""
    A, O = stages(head)  # noqa: E741
    if not expanded:
        return A.gaps
    n, d = O.shape
    return A.gaps, [[O.polynomial(i, j) for j in range(d)] for i in range(n)]


def timed(work: Callable[[], list[str]], repeat: int) -> tuple[list[str], float]:
    """The lines, and the median CPU seconds of the thread."""
    seconds = []
    for _ in range(repeat):
        start = time.thread_time()
        lines = work()
        seconds.append(time.thread_time() - start)
    return lines, statistics.median(seconds)


def arguments() -> Any:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["written", "digits"])
    parser.add_argument("file")
    parser.add_argument("stages", nargs="?", default="AO")
    parser.add_argument("places", nargs="?", type=int, default=50)
    parser.add_argument("repeat", nargs="?", type=int, default=1)
    parser.add_argument("--python", action="store_true")
    parser.add_argument("--forms", action="store_true")
    return parser.parse_args()


def main() -> None:
    ask = arguments()
    problem = load(ask.file)
    if ask.what == "written":
        lines, seconds = timed(lambda: written(problem), 1)
    else:
        if ask.python:
            integers.flint = lambda: None  # type: ignore[assignment]
        integers.flint()  # an import, so not part of the work
        lines, seconds = timed(
            lambda: digits(problem, ask.stages, ask.places, expanded=ask.forms), ask.repeat
        )
    print("\n".join(lines))
    print(json.dumps({"seconds": seconds}), file=sys.stderr)


if __name__ == "__main__":
    main()
