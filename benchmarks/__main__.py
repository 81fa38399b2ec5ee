"""python -m benchmarks: the table; exit code 1 if a ratio is over what is allowed."""

from __future__ import annotations

import argparse
import json
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path

from benchmarks.measure import Row
from benchmarks.rows import ROWS


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("--only", choices=ROWS, action="append", metavar="NAME",
                        help=f"one of {', '.join(ROWS)}; may be repeated")  # fmt: skip
    parser.add_argument("--quick", action="store_true", help="fewer pairs, n up to 128")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the rows here too")
    ask = parser.parse_args()
    rows: list[Row] = []
    print(f"{'':46} {'ours':>9} {'peer':>12} {'ratio':>8} {'allowed':>8}")
    with tempfile.TemporaryDirectory() as folder:
        for name in ask.only or ROWS:
            for row in ROWS[name](Path(folder), ask.quick):
                rows.append(row)
                print(line(row), flush=True)
    if ask.json:
        ask.json.write_text(json.dumps([asdict(row) for row in rows], indent=1) + "\n")
    return int(any(row.is_over for row in rows))


def line(row: Row) -> str:
    ratio = "" if row.ratio is None else f"{row.ratio:.3g}"
    allowed = "" if row.allowed is None else f"{row.allowed:g}"
    verdict = "" if row.allowed is None else "over" if row.is_over else "ok"
    text = f"{row.name:46} {row.ours:>9} {row.peer:>12} {ratio:>8} {allowed:>8} {verdict}"
    return text.rstrip()


if __name__ == "__main__":
    sys.exit(main())
