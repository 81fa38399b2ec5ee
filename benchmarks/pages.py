"""Many pages in one warm process, each of other numbers. Median CPU seconds go to standard error.

python -m benchmarks.pages sources brief 9 FOLDER   write Typst sources, for a peer to compile
python -m benchmarks.pages pdf brief 9              derive, explain, PDF; print what it hashes to
python -m benchmarks.pages turns brief 30           the same in turn with Typst alone; print seconds
python -m benchmarks.pages html normal 9            write the page alone; or latex
python -m benchmarks.pages memory brief 250 500     PDFs; megabytes held after so many of them
"""

from __future__ import annotations

import argparse
import hashlib
import json
import statistics
import sys
import time
from collections.abc import Callable, Iterator
from itertools import islice
from pathlib import Path
from typing import Any, Final

import typst

from benchmarks.inputs import numbers
from symattn.attention import derive
from symattn.document import Document
from symattn.pdf import STANDARDS, pdf
from symattn.problem import Problem
from symattn.reading.values import problem_of
from symattn.views.explain import explain
from symattn.views.options import Options
from symattn.writers import write

KINDS: Final[dict[str, tuple[tuple[int, ...], Options]]] = {
    "brief": ((3,), Options(detail="brief")),
    "normal": ((3,), Options()),
    "mixed": ((3, 4, 5), Options()),
    "traced": ((3,), Options(traced=True)),
}
"""The tokens of the problems, in turn, and what is shown of them."""


def problems(tokens: tuple[int, ...]) -> Iterator[Problem]:
    """Without end, no two alike."""
    count = 0
    while True:
        n = tokens[count % len(tokens)]
        given: dict[str, Any] = numbers(n, 2, f"page {count}")
        yield problem_of(**given)
        count += 1


def page(problem: Problem, kind: str) -> Document:
    return explain(derive(problem), KINDS[kind][1])


def sources(kind: str, count: int, folder: Path) -> list[str]:
    """The Typst sources of the PDFs, as files."""
    files = []
    for number, problem in enumerate(islice(problems(KINDS[kind][0]), count)):
        file = folder / f"{kind}{number}.typ"
        file.write_text(write(page(problem, kind), "typst"), encoding="utf-8")
        files.append(str(file))
    return files


def pdfs(kind: str, count: int) -> tuple[list[str], list[float]]:
    """What the PDFs hash to, and the CPU seconds of each from the problem on."""
    return timed(
        lambda problem: pdf(page(problem, kind)), list(islice(problems(KINDS[kind][0]), count))
    )


def turns(kind: str, count: int) -> list[str]:
    """Median CPU seconds of PDFs from their problems on, and of Typst alone on their sources.

    Both in one warm process, in turn, so that the machine is as fast for both. Typst alone is half
    the documents ahead: what it remembers of a source is dropped after ten other compilations.
    """
    compiler = typst.Compiler(ignore_system_fonts=True)
    given = list(islice(problems(KINDS[kind][0]), count))
    sources = [write(page(problem, kind), "typst").encode() for problem in given]
    ahead = sources[count // 2 :] + sources[: count // 2]

    def alone(source: bytes) -> bytes:
        made = compiler.compile(source, format="pdf", pdf_standards=list(STANDARDS), timestamp=0)
        assert isinstance(made, bytes)
        return made

    ours, peer = [], []
    for problem, source in zip(given, ahead, strict=True):
        ours += timed(lambda given: pdf(page(given, kind)), [problem])[1]
        peer += timed(alone, [source])[1]
    # The first ones warm up.
    return [str(statistics.median(seconds[count // 5 :])) for seconds in (ours, peer)]


def written(format: str, kind: str, count: int) -> tuple[list[str], list[float]]:
    """What the pages of a text format hash to, and the CPU seconds of writing each."""
    pages = [page(problem, kind) for problem in islice(problems(KINDS[kind][0]), count)]
    return timed(lambda document: write(document, format).encode(), pages)


def timed(make: Callable[[Any], bytes], given: list[Any]) -> tuple[list[str], list[float]]:
    """Hashes, and the CPU seconds of all threads: Typst compiles in threads of its own."""
    lines, seconds = [], []
    for each in given:
        start = time.process_time()
        made = make(each)
        seconds.append(time.process_time() - start)
        lines.append(hashlib.sha256(made).hexdigest())
    return lines, seconds


def memory(kind: str, counts: tuple[int, ...]) -> list[str]:
    """Megabytes held after so many PDFs."""
    lines = []
    for number, problem in enumerate(islice(problems(KINDS[kind][0]), max(counts)), 1):
        pdf(page(problem, kind))
        if number in counts:
            lines.append(f"{held():.1f}")
    return lines


def held() -> float:
    """Megabytes of memory that this process holds now; where Linux's /proc is missing, its most."""
    try:
        status = Path("/proc/self/status").read_text()
    except OSError:
        import resource

        unit = 2**20 if sys.platform == "darwin" else 2**10
        return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / unit
    line = next(line for line in status.splitlines() if line.startswith("VmRSS:"))
    return int(line.split()[1]) / 2**10


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("what", choices=["sources", "pdf", "turns", "html", "latex", "memory"])
    parser.add_argument("kind", choices=KINDS)
    parser.add_argument("count", type=int)
    parser.add_argument("more", nargs="?", help="a second count, or a folder for the sources")
    ask = parser.parse_args()
    seconds: list[float] = []
    match ask.what:
        case "sources":
            lines = sources(ask.kind, ask.count, Path(ask.more))
        case "pdf":
            lines, seconds = pdfs(ask.kind, ask.count)
        case "turns":
            lines = turns(ask.kind, ask.count)
        case "memory":
            lines = memory(ask.kind, (ask.count, int(ask.more)))
        case _:
            lines, seconds = written(ask.what, ask.kind, ask.count)
    print("\n".join(lines))
    # The first one warms up.
    if seconds:
        print(json.dumps({"seconds": statistics.median(seconds[1:] or seconds)}), file=sys.stderr)


if __name__ == "__main__":
    main()
