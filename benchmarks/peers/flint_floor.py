"""The least that 50 digits cost with FLINT: integer products, one exp for each score, A V, digits.

python benchmarks/peers/flint_floor.py FILE [A] [O] writes out 50 decimal places of the stages
asked for; balls of one precision, nothing is proved, nothing exact is kept. The CPU seconds of
the work itself, without imports, go to standard error.
"""

from __future__ import annotations

import json
import statistics
import sys
import time
from pathlib import Path

from flint import arb, arb_mat, ctx, fmpz_mat

PLACES = 50


def digits(given: dict[str, list[list[int]]], stages: str) -> list[str]:
    X = fmpz_mat(given["X"])
    Q, K, V = (X * fmpz_mat(given[name]) for name in ("W_Q", "W_K", "W_V"))
    S = (Q * K.transpose()).table()
    root = arb(K.ncols()).sqrt()
    weights = []
    for row in S:
        top = max(row)
        powers = [(arb(cell - top) / root).exp() for cell in row]
        total = sum(powers, arb(0))
        weights.append([power / total for power in powers])
    A = arb_mat(weights)
    asked = {"A": A, "O": A * arb_mat(V)}
    return [
        cell.str(PLACES, radius=False) for name in stages for row in asked[name].table()
        for cell in row
    ]  # fmt: skip


def main(path: str, stages: str, repeat: int) -> None:
    given = json.loads(Path(path).read_text())
    ctx.prec = 64 + 10 * PLACES // 3
    seconds = []
    for _ in range(repeat):
        start = time.thread_time()
        lines = digits(given, stages)
        seconds.append(time.thread_time() - start)
    print("\n".join(lines))
    print(json.dumps({"seconds": statistics.median(seconds)}), file=sys.stderr)


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], int(sys.argv[3]))
