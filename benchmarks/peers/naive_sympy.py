"""What is written in SymPy today: matrices, exp, a division, latex(), N(·, 30).

python benchmarks/peers/naive_sympy.py FILE prints A and O as LaTeX and to 30 digits; the CPU
seconds of the work itself, without imports, go to standard error.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

from sympy import Matrix, N, exp, latex, sqrt


def main(path: str) -> None:
    given = json.loads(Path(path).read_text())
    start = time.thread_time()
    X = Matrix(given["X"])
    Q, K, V = (X * Matrix(given[name]) for name in ("W_Q", "W_K", "W_V"))
    E = (Q * K.T / sqrt(K.cols)).applyfunc(exp)
    A = Matrix(E.rows, E.cols, lambda i, j: E[i, j] / sum(E[i, :]))
    O = A * V  # noqa: E741
    lines = [latex(A), latex(O), *(str(cell) for M in (N(A, 30), N(O, 30)) for cell in M)]
    print("\n".join(lines))
    print(json.dumps({"seconds": time.thread_time() - start}), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1])
