"""The outputs in mpmath, to a number of digits: python benchmarks/peers/mpmath_digits.py FILE N.

Nothing is proved; ten digits are spare. The CPU seconds of the work itself go to standard error.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import mpmath


def main(path: str, digits: int) -> None:
    given = json.loads(Path(path).read_text())
    start = time.thread_time()
    mpmath.mp.dps = digits + 10
    X = mpmath.matrix(given["X"])
    Q, K, V = (X * mpmath.matrix(given[name]) for name in ("W_Q", "W_K", "W_V"))
    E = (Q * K.T / mpmath.sqrt(K.cols)).apply(mpmath.exp)
    sums = [mpmath.fsum(E[i, :]) for i in range(E.rows)]
    lines = []
    for i in range(E.rows):
        for j in range(V.cols):
            value = mpmath.fdot(E[i, :], V[:, j]) / sums[i]
            lines.append(mpmath.nstr(value, digits))
    print("\n".join(lines))
    print(json.dumps({"seconds": time.thread_time() - start}), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], int(sys.argv[2]))
