"""A small problem on which several mistakes that look alike give different numbers."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from symattn.exact.matrix import Matrix
from symattn.generate.stream import Stream
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import Rows, in_floats
from symattn.problem import NO_MASK, Given, HeadGiven, Problem, causal_mask
from symattn.verify.diagnose import predicted

TRIES: Final = 200
SIZES: Final = ((3, 2), (2, 3), (3, 4))
"""(n, d_k), in turn: where they are equal, some mistakes are."""
APART: Final = 0.05
"""By which every two mistakes must differ in some entry."""


def told_apart(
    kinds: Sequence[Sequence[Misconception]], letter: str, masked: bool
) -> Problem | None:
    """Q, K and V of integers from −2 to 2 on which all of these differ at the stage, or None."""
    for seed in range(TRIES):
        problem = _small(Stream("apart", seed), *SIZES[seed % len(SIZES)], masked)
        heads = in_floats(problem)
        found = [predicted(kind, heads, letter) for kind in kinds]
        if all(a is not None for a in found) and all(
            _differ(a, b) for k, a in enumerate(found) for b in found[:k]
        ):
            return problem
    return None


def _small(stream: Stream, n: int, d_k: int, masked: bool) -> Problem:
    d_v = 2
    shapes = {"Q": (n, d_k), "K": (n, d_k), "V": (n, d_v)}
    given = {
        name: Given(name, Matrix(stream.matrix(*shape, -2, 2))) for name, shape in shapes.items()
    }
    mask = causal_mask(n, n, corner="top-left") if masked else NO_MASK
    tokens = tuple(f"t{k}" for k in range(1, n + 1))
    return Problem(tokens, tokens, (HeadGiven(**given),), mask=mask)


def _differ(a: Rows | None, b: Rows | None) -> bool:
    if a is None or b is None:
        return False
    if len(a) != len(b) or len(a[0]) != len(b[0]):
        return True
    return any(
        not abs(x - y) <= APART
        for p, q in zip(a, b, strict=True)
        for x, y in zip(p, q, strict=True)
        if x != y
    )
