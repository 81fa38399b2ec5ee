"""Problem files for ours and the peers alike: integers from −3 to 3, always the same ones."""

from __future__ import annotations

import json
import random
from pathlib import Path


def problem_file(folder: Path, n: int, d: int) -> Path:
    """A JSON problem of n tokens with X n×d and W_Q, W_K, W_V d×d."""
    path = folder / f"{n}x{d}.json"
    if not path.exists():
        path.write_text(json.dumps(numbers(n, d, f"{n}x{d}")))
    return path


def numbers(n: int, d: int, seed: str) -> dict[str, list[list[int]]]:
    """The matrices of a problem; another seed gives other numbers."""
    draw = random.Random(seed)
    shapes = {"X": n, "W_Q": d, "W_K": d, "W_V": d}
    return {
        name: [[draw.randint(-3, 3) for _ in range(d)] for _ in range(rows)]
        for name, rows in shapes.items()
    }


def built_in(folder: Path, name: str) -> Path:
    """A built-in problem with plain numbers, as JSON, which the peers can read."""
    import tomllib

    from symattn.reading.problem_file import builtin_text

    path = folder / f"{name}.json"
    path.write_text(json.dumps(tomllib.loads(builtin_text(name))))
    return path
