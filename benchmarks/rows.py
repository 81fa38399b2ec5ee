"""The rows of the table, each with what it is measured against and the ratio it may have."""

from __future__ import annotations

import hashlib
import math
import statistics
from collections.abc import Callable, Iterator, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Final, TypeAlias

from benchmarks.inputs import built_in, problem_file
from benchmarks.measure import Pairs, Row, Run, cpu, in_ms, inner, median, pairs, python, run
from benchmarks.verify import RIGHT

PEERS: Final = Path(__file__).with_name("peers")
MOST_MEGABYTES: Final = 400
LEAST_PROBLEMS: Final = 1000
LEAST_HAND_INS: Final = 1000
LEAST_DOCUMENTS: Final = 6
"""For each second of CPU."""
Rows: TypeAlias = Iterator[Row]


def row(name: str, measured: Pairs, cost: Callable[[Run], float], allowed: float | None) -> Row:
    ours, peer = median(measured.ours, cost), median(measured.peer, cost)
    return Row(name, in_ms(ours), in_ms(peer), measured.ratio(cost), allowed)


def start(folder: Path, quick: bool) -> Rows:
    """Cold processes against the import of SymPy alone."""
    count = 7 if quick else 15
    peer = python("-c", "import sympy")
    for name, arguments, allowed in (
        ("symattn derive --latex", ("derive", "--latex"), 0.35),
        ("symattn --help", ("--help",), 0.2),
    ):
        measured = pairs(python("-m", "symattn", *arguments), peer, count)
        yield row(f"{name} / import sympy", measured, cpu, allowed)


def sympy(folder: Path, quick: bool) -> Rows:
    """A and O as exact LaTeX and to 30 figures, against the same in SymPy."""
    for n, d, count, process, work in ((4, 3, 9, 0.2, None), (16, 4, 5, 0.04, 0.01)):
        file = problem_file(folder, n, d)
        measured = pairs(
            python("-m", "benchmarks.ours", "written", file),
            python(PEERS / "naive_sympy.py", file),
            3 if quick else count,
        )
        # SymPy's N may be off by one in its last digit.
        same_digits(measured.ours[0].lines[-n * d :], measured.peer[0].lines[-n * d :], 28)
        yield row(f"SymPy's outputs, n={n} d={d}, process", measured, cpu, process)
        yield row(f"SymPy's outputs, n={n} d={d}, no imports", measured, inner, work)


def exact(folder: Path, quick: bool) -> Rows:
    """All exact forms and 50 proved places of A and O, against the floor in FLINT."""
    file = problem_file(folder, 64, 8)
    floor = python(PEERS / "flint_floor.py", file, "AO", "9")
    for name, more, allowed in (("flint", (), 3.0), ("Python", ("--python",), 4.0)):
        measured = pairs(
            python("-m", "benchmarks.ours", "digits", file, "AO", "50", "9", "--forms", *more),
            floor,
            3 if quick else 7,
        )
        same_digits(measured.ours[0].lines[-512:], measured.peer[0].lines[-512:], 48)
        yield row(f"exact + 50 places, n=64 d=8, {name}", measured, inner, allowed)


def growth(folder: Path, quick: bool) -> Rows:
    """Exact rows and 50 proved places of O as n grows, and the memory of the largest."""
    largest = 128 if quick else 512
    for d in (8, 64):
        sizes = [2**k for k in range(2, largest.bit_length())]
        seconds = []
        for n in sizes:
            file = problem_file(folder, n, d)
            repeat = str(max(1, 128 // n))
            measured = pairs(
                python("-m", "benchmarks.ours", "digits", file, "O", "50", repeat),
                python(PEERS / "flint_floor.py", file, "O", repeat),
                3,
                warm=n == sizes[0],
            )
            same_digits(measured.ours[0].lines, measured.peer[0].lines, 45)
            last = (n, d) == (512, 64)
            megabytes = max(each.megabytes for each in measured.ours)
            name = f"50 places of O, n={n} d={d}, {megabytes:.0f} MB"
            yield row(name, measured, inner, 2.0 if last else None)
            if last:
                share = megabytes / MOST_MEGABYTES
                ours, most = f"{megabytes:.0f} MB", f"{MOST_MEGABYTES} MB"
                yield Row(f"memory, n={n} d={d}", ours, most, share, 1.0)
            seconds.append(median(measured.ours, inner))
        kept = [(n, s) for n, s in zip(sizes, seconds, strict=True) if n >= 32]
        yield Row(f"growth, d={d}: CPU ~ n^", f"{exponent(kept):.2f}", "n >= 32")


def thousand(folder: Path, quick: bool) -> Rows:
    """1000 digits of the outputs of i-love-ai."""
    file = built_in(folder, "i-love-ai")
    measured = pairs(
        python("-m", "benchmarks.ours", "digits", file, "O", "1000", "1"),
        python(PEERS / "mpmath_digits.py", file, "1000"),
        3 if quick else 9,
    )
    same_digits(measured.ours[0].lines, measured.peer[0].lines, 990)
    yield row("1000 digits of i-love-ai, no imports", measured, inner, None)
    yield row("1000 digits of i-love-ai, process", measured, cpu, None)


def pages(folder: Path, quick: bool) -> Rows:
    """PDFs against Typst alone, which compiles the same sources to the same bytes; HTML."""
    count = 3 if quick else 7
    for kind, name, allowed in (
        ("brief", "PDF, two pages, warm / Typst alone", 1.2),
        ("normal", "PDF, worked solution, warm / Typst alone", None),
    ):
        sources = run(pages_of("sources", kind, 10, folder)).lines
        alone = run(python(PEERS / "typst_alone.py", *sources))
        assert run(pages_of("pdf", kind, 10)).lines == alone.lines
        taken = [tuple(map(float, run(pages_of("turns", kind, 60)).lines)) for _ in range(count)]
        pdf, typst = (statistics.median(seconds) for seconds in zip(*taken, strict=True))
        ratio = statistics.median(ours / peer for ours, peer in taken)
        yield Row(name, in_ms(pdf), in_ms(typst), ratio, allowed)
    runs = [run(pages_of("pdf", "mixed", 30)) for _ in range(3)]
    assert len(set(runs[0].lines)) == 30
    rate = 30 / median(runs, cpu)
    ours, least = f"{rate:.1f} /s", f"{LEAST_DOCUMENTS} /s"
    yield Row("30 PDFs, one process, per CPU second", ours, least, LEAST_DOCUMENTS / rate, 1.0)
    half = 50 if quick else 250
    early, late = map(float, run(pages_of("memory", "brief", half, 2 * half)).lines)
    name = f"memory after {2 * half} PDFs / {half}"
    yield Row(name, f"{late:.0f} MB", f"{early:.0f} MB", late / early, 1.1)
    made = folder / "i-love-ai.pdf"
    source = folder / "i-love-ai.typ"
    derived = ("-m", "symattn", "derive", "--force", "-o")
    run(python(*derived, source))
    measured = pairs(
        python(*derived, made), python(PEERS / "typst_alone.py", source), 3 if quick else 9
    )
    assert hashlib.sha256(made.read_bytes()).hexdigest() == measured.peer[0].lines[0]
    yield row("symattn derive --pdf / Typst alone, process", measured, cpu, None)
    measured = pairs(pages_of("html", "traced", 20), pages_of("latex", "normal", 20), count)
    yield row("writing HTML / LaTeX, warm", measured, inner, None)


def sheets(folder: Path, quick: bool) -> Rows:
    """Practice sheets: exercises without pages, and sheets with keys as PDF on two cores."""
    for recipe, allowed in (("causal-mask", 1.0), ("full-attention", None)):
        runs = [run(sheets_of("problems", recipe, 100 if quick else 400)) for _ in range(3)]
        rate = 1 / median(runs, inner)
        ours, least = f"{rate:.0f} /s", f"{LEAST_PROBLEMS} /s"
        name = f"{recipe}, three tokens, every stage, per s"
        yield Row(name, ours, least, LEAST_PROBLEMS / rate, allowed)
    count = 30 if quick else 300
    sources, made = folder / "sources", folder / "made"
    sources.mkdir()
    made.mkdir()
    run(sheets_of("sources", "full-attention", count, sources))
    measured = pairs(
        sheets_of("press", "full-attention", count, made, 2),
        sheets_of("alone", sources, 2),
        1 if quick else 3,
    )
    name = f"{count} sheets with keys, two cores / Typst alone"
    yield row(name, measured, inner, 1.1)


def verify(folder: Path, quick: bool) -> Rows:
    """Hand-ins against the import of SymPy; equality of exact forms."""
    answers = folder / "answers.txt"
    answers.write_text(RIGHT, "utf-8")
    peer, count = python("-c", "import sympy"), 5 if quick else 15
    work = ("benchmarks.verify", "hand_in", "50" if quick else "200")
    measured = pairs(python("-m", *work), peer, count)
    seconds = [each.inner for each in measured.ours]
    ratio = statistics.median(
        inner(ours) / cpu(theirs) for ours, theirs in zip(measured.ours, measured.peer, strict=True)
    )
    one, other = statistics.median(seconds), median(measured.peer, cpu)
    yield Row("one hand-in, loaded / import sympy", in_ms(one), in_ms(other), ratio, 0.1)
    whole = pairs(python("-m", "symattn", "verify", "i-love-ai", answers), peer, count)
    yield row("symattn verify, process / import sympy", whole, cpu, None)
    slips = run(python("-m", "benchmarks.verify", "slips", "30")).inner
    for name, each in (("right", one), ("with slips", slips)):
        rate = 60 / each
        share = LEAST_HAND_INS / rate
        yield Row(
            f"hand-ins {name}, a minute and core", f"{rate:.0f}", f"{LEAST_HAND_INS}", share, 1.0
        )
    terms = run(python("-m", "benchmarks.verify", "terms", "32")).inner
    yield Row("equality of two forms of 32 terms", in_ms(terms), "200 ms", terms / 0.2, 1.0)


def sheets_of(*arguments: object) -> tuple[str, ...]:
    return python("-m", "benchmarks.sheets", *map(str, arguments))


def pages_of(*arguments: object) -> tuple[str, ...]:
    return python("-m", "benchmarks.pages", *map(str, arguments))


ROWS: Final = {
    each.__name__: each for each in (start, sympy, exact, growth, thousand, pages, sheets, verify)
}


def same_digits(ours: Sequence[str], peer: Sequence[str], places: int) -> None:
    """AssertionError unless both list the same numbers, as far as the peer's can be trusted."""
    assert len(ours) == len(peer)
    for a, b in zip(ours, peer, strict=True):
        x, y = Decimal(a), Decimal(b)
        size = max(x.copy_abs(), Decimal(1))
        assert abs(x - y) <= size.scaleb(-places), f"{a} and {b}"


def exponent(points: Sequence[tuple[int, float]]) -> float:
    """The slope of the least-squares line through (log n, log seconds)."""
    x = [math.log(n) for n, _ in points]
    y = [math.log(s) for _, s in points]
    mean_x, mean_y = sum(x) / len(x), sum(y) / len(y)
    over = sum((a - mean_x) * (b - mean_y) for a, b in zip(x, y, strict=True))
    return over / sum((a - mean_x) ** 2 for a in x)
