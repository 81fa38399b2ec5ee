"""What recipes draw: matrices of small integers, and words for the tokens."""

from __future__ import annotations

from typing import Final

from symattn.exact.matrix import Matrix
from symattn.generate.stream import Stream
from symattn.problem import Given

WORDS: Final = {
    2: ("AI learns", "cats sleep", "birds sing", "we read", "stars shine", "rain falls"),
    3: ("I love AI", "the cat sat", "she reads books", "we like tea", "dogs chase cats"),
    4: ("the bird sings well", "we walk to school", "she gave him tea", "all cats like fish"),
    5: ("the old man feeds birds", "we all read good books", "he sold his old boat"),
    6: ("the cat sat on the mat", "we saw a film last night", "she put her hat on again"),
}
"""Short sentences, a word for each token."""


def sentence(stream: Stream, count: int) -> tuple[str, ...]:
    """So many tokens; numbered ones where no sentence has as many."""
    if count in WORDS:
        return tuple(stream.choice(WORDS[count]).split())
    return tuple(f"t{k}" for k in range(1, count + 1))


def integers(stream: Stream, name: str, rows: int, columns: int, low: int, high: int) -> Given:
    """A matrix of integers from low to high in which no row or column is all zero."""
    while True:
        drawn = stream.matrix(rows, columns, low, high)
        if all(map(any, drawn)) and all(map(any, zip(*drawn, strict=True))):
            return Given(name, Matrix(drawn, columns=columns))
