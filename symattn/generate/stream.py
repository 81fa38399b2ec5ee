"""The random stream of a sheet: the same on every machine and in every release."""

from __future__ import annotations

from collections.abc import Sequence
from hashlib import sha256
from typing import TypeVar

T = TypeVar("T")


class Stream:
    """Integers from SHA-256 in counter mode over a key (FIPS 180-4).

    Python's own generator promises the same numbers from release to release only for `random()`.
    Two streams of different keys never hash the same block, so none is a part of another.
    """

    def __init__(self, *key: object) -> None:
        self._key = "\0".join(map(str, ("symattn", *key))).encode()
        self._block = 0
        self._left: list[int] = []

    def _word(self) -> int:
        if not self._left:
            digest = sha256(self._key + b"\0" + str(self._block).encode()).digest()
            self._left = [int.from_bytes(digest[k : k + 4], "big") for k in range(0, 32, 4)]
            self._block += 1
        return self._left.pop()

    def below(self, count: int) -> int:
        """0 … count − 1, each as likely; `count` up to 2³²."""
        limit = (1 << 32) - (1 << 32) % count
        while (word := self._word()) >= limit:
            pass
        return word % count

    def integer(self, low: int, high: int) -> int:
        """low … high, both included."""
        return low + self.below(high - low + 1)

    def choice(self, items: Sequence[T]) -> T:
        return items[self.below(len(items))]

    def shuffled(self, items: Sequence[T]) -> list[T]:
        """All items in a new order (Fisher and Yates)."""
        out = list(items)
        for last in range(len(out) - 1, 0, -1):
            other = self.below(last + 1)
            out[last], out[other] = out[other], out[last]
        return out

    def matrix(self, rows: int, columns: int, low: int, high: int) -> tuple[tuple[int, ...], ...]:
        """Integers from low to high."""
        return tuple(tuple(self.integer(low, high) for _ in range(columns)) for _ in range(rows))
