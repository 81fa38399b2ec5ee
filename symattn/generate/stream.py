"""The random stream of a sheet: the same on every machine and in every release."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from hashlib import sha256
from typing import TypeAlias, TypeVar

T = TypeVar("T")
Ints: TypeAlias = tuple[tuple[int, ...], ...]


class Stream:
    """Integers from SHA-256 in counter mode over a key (FIPS 180-4).

    Python's own generator promises the same numbers from release to release only for `random()`.
    Two streams of different keys never hash the same block, so none is a part of another.
    """

    def __init__(self, *key: object) -> None:
        parts = [str(part).encode() for part in key]
        # Lengths before the parts: no two keys give the same bytes.
        self._key = b"".join(len(part).to_bytes(4, "big") + part for part in parts)
        self._block = 0
        self._left: list[int] = []

    def _word(self) -> int:
        if not self._left:
            digest = self._digest()
            self._left = [int.from_bytes(digest[k : k + 4], "big") for k in range(0, 32, 4)]
        return self._left.pop()

    def _digest(self) -> bytes:
        self._block += 1
        return sha256(self._key + self._block.to_bytes(8, "big")).digest()

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

    def matrix(self, rows: int, columns: int, low: int, high: int) -> Ints:
        """Integers from low to high, at most 256 of them apart; from bytes, which is faster."""
        wanted = rows * columns
        remainders, refused = _remainders(high - low + 1)
        drawn = b""
        while len(drawn) < wanted:
            drawn += self._digest().translate(remainders, refused)
        cells = [byte + low for byte in drawn[:wanted]]
        return tuple([tuple(cells[k : k + columns]) for k in range(0, wanted, columns)])


@cache
def _remainders(count: int) -> tuple[bytes, bytes]:
    """What each byte is modulo `count`, and the bytes that would favour some remainders."""
    return bytes(byte % count for byte in range(256)), bytes(range(256 - 256 % count, 256))
