"""Practice sheets in bulk. Seconds go to standard error as in `benchmarks.pages`.

python -m benchmarks.sheets problems full-attention 300   draw, derive, round every stage
python -m benchmarks.sheets sources full-attention 100 FOLDER   Typst sources of sheets and keys
python -m benchmarks.sheets press full-attention 100 FOLDER 2   sheets with keys as PDF, two workers
python -m benchmarks.sheets alone FOLDER 2                Typst alone on the sources, two processes
"""

from __future__ import annotations

import argparse
import json
import os
import resource
import sys
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from functools import partial
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from symattn.bulk import call, in_order, workers, write_files
from symattn.press import Look, Order, print_order

BOTH = ("sheet", "key")


def problems(recipe: str, count: int) -> None:
    """Exercises without pages: every stage to three proved places."""
    from symattn.exact.rounding import Rounding
    from symattn.generate.recipes import BY_NAME

    found, rounding = BY_NAME[recipe], Rounding(3)
    for seed in range(20):
        found.exercise(seed)
    start = time.process_time()
    for seed in range(20, 20 + count):
        for _, _, stage in found.exercise(seed).derivation:
            stage.value.rounded(rounding)
    _say((time.process_time() - start) / count)


def sources(recipe: str, count: int, folder: Path) -> None:
    """What the press would compile, as files."""
    for seed in range(count):
        write_files(
            print_order(Order(recipe, seed, documents=BOTH), Look("typst")), folder, force=True
        )


def press(recipe: str, count: int, folder: Path, cores: int) -> None:
    """Sheets and keys as files, as `symattn worksheet` makes them."""
    jobs = [partial(print_order, Order(recipe, s, documents=BOTH), Look()) for s in range(count)]
    with workers(cores) as (executor, window):
        _warm(executor, cores, partial(print_order, Order(recipe, count, documents=BOTH), Look()))
        start, cpu = time.perf_counter(), _cpu()
        for files in in_order(call, jobs, executor, window):
            write_files(files, folder, force=True)
        wall = time.perf_counter() - start
    _say(wall, cpu=_cpu() - cpu)


def alone(folder: Path, cores: int) -> None:
    """The same sources compiled by nothing but Typst, in as many processes."""
    files = sorted(map(str, folder.glob("*.typ")))
    with ProcessPoolExecutor(cores, mp_context=get_context("spawn")) as executor:
        _warm(executor, cores, partial(compiled, files[0]))
        start, cpu = time.perf_counter(), _cpu()
        for data in in_order(compiled, files, executor, cores * 4):
            assert data.startswith(b"%PDF")
        wall = time.perf_counter() - start
    _say(wall, cpu=_cpu() - cpu)


_COMPILERS: dict[int, Any] = {}


def compiled(path: str) -> bytes:
    import typst

    compiler = _COMPILERS.setdefault(os.getpid(), None) or typst.Compiler(ignore_system_fonts=True)
    _COMPILERS[os.getpid()] = compiler
    with open(path, "rb") as file:
        made = compiler.compile(
            file.read(), format="pdf", pdf_standards=["ua-1", "a-2a"], timestamp=0
        )
    assert isinstance(made, bytes)
    return made


def _warm(executor: Any, cores: int, job: Callable[[], Any]) -> None:
    """Every worker has loaded what it needs."""
    if executor:
        for future in [executor.submit(_busy, job) for _ in range(cores)]:
            future.result()


def _busy(job: Callable[[], Any]) -> None:
    job()
    time.sleep(0.3)  # Long enough for the other workers to take the other jobs.


def _cpu() -> float:
    used = [resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN)]
    return sum(each.ru_utime + each.ru_stime for each in used)


def _say(seconds: float, **more: float) -> None:
    print(json.dumps({"seconds": seconds, **more}), file=sys.stderr)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    modes = parser.add_subparsers(dest="mode", required=True)
    for name in ("problems", "sources", "press", "alone"):
        mode = modes.add_parser(name)
        if name != "alone":
            mode.add_argument("recipe")
            mode.add_argument("count", type=int)
        if name != "problems":
            mode.add_argument("folder", type=Path)
        if name in ("press", "alone"):
            mode.add_argument("cores", type=int)
    asked = vars(parser.parse_args())
    globals()[asked.pop("mode")](**asked)


if __name__ == "__main__":
    main()
