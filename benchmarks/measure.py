"""Whole processes in turn, A B A B …, and the medians of their ratios."""

from __future__ import annotations

import json
import os
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Final

ROOT: Final = Path(__file__).parents[1]


@dataclass(frozen=True, slots=True)
class Run:
    """One process that has ended."""

    cpu: float
    """CPU seconds of the whole process, user and system."""
    inner: float
    """CPU seconds of the work in it, as the process says itself; 0 where it does not."""
    megabytes: float
    """The most memory it held."""
    lines: tuple[str, ...]
    """What it printed."""


@dataclass(frozen=True, slots=True)
class Pairs:
    """Runs of ours and of a peer, taken in turn."""

    ours: tuple[Run, ...]
    peer: tuple[Run, ...]

    def ratio(self, cost: Callable[[Run], float]) -> float:
        """The median over the pairs of ours/peer."""
        return statistics.median(
            cost(ours) / cost(peer) for ours, peer in zip(self.ours, self.peer, strict=True)
        )


@dataclass(frozen=True, slots=True)
class Row:
    """One line of the table. Without `allowed` it is information only."""

    name: str
    ours: str
    peer: str
    ratio: float | None = None
    allowed: float | None = None

    @property
    def is_over(self) -> bool:
        return self.ratio is not None and self.allowed is not None and self.ratio > self.allowed


def python(*arguments: str | Path) -> tuple[str, ...]:
    """The command that runs this interpreter."""
    return sys.executable, *map(str, arguments)


def run(command: Sequence[str]) -> Run:
    """Run a process to its end. CalledProcessError if it fails."""
    # Whoever has symattn installed has its modules compiled, so they are compiled here too.
    environment = {k: v for k, v in os.environ.items() if k != "PYTHONDONTWRITEBYTECODE"}
    with tempfile.TemporaryFile("w+") as out, tempfile.TemporaryFile("w+") as err:
        process = subprocess.Popen(command, cwd=ROOT, env=environment, stdout=out, stderr=err)
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        out.seek(0)
        err.seek(0)
        printed, told = out.read(), err.read()
    if process.returncode:
        raise subprocess.CalledProcessError(process.returncode, command, printed, told)
    inner = json.loads(told)["seconds"] if told.startswith("{") else 0.0
    # Linux counts kilobytes, macOS bytes.
    unit = 2**20 if sys.platform == "darwin" else 2**10
    return Run(
        usage.ru_utime + usage.ru_stime,
        inner,
        usage.ru_maxrss / unit,
        tuple(printed.splitlines()),
    )


def pairs(ours: Sequence[str], peer: Sequence[str], count: int, *, warm: bool = True) -> Pairs:
    """Both commands in turn, `count` times each, after one run of ours that is not counted."""
    if warm:
        run(ours)
    taken = [(run(ours), run(peer)) for _ in range(count)]
    return Pairs(tuple(a for a, _ in taken), tuple(b for _, b in taken))


def median(runs: Sequence[Run], cost: Callable[[Run], float]) -> float:
    return statistics.median(map(cost, runs))


def cpu(run: Run) -> float:
    return run.cpu


def inner(run: Run) -> float:
    return run.inner


def in_ms(seconds: float) -> str:
    """Seconds, read as milliseconds."""
    value = seconds * 1000
    return f"{value:.0f} ms" if value >= 100 else f"{value:.3g} ms"
