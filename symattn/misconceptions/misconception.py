"""A misconception: the rule book with some of its laws replaced, told entry by entry."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Final, TypeAlias

from symattn.derivation import Rule, RuleBook, Stage
from symattn.exact.matrix import Matrix, MatrixLike
from symattn.exact.mixture import Weights
from symattn.formula import Formula
from symattn.misconceptions.stages import Cell, Stages, exact
from symattn.steps import CORRECT

Entry: TypeAlias = Callable[[Stages, int, int], Cell]
"""What somebody with the misconception writes in row i, column j (from 0)."""

PAGES: Final = {
    "Q": "query", "K": "key", "V": "value", "S": "score", "Z": "scale",
    "M": "mask", "A": "softmax", "O": "mix", "C": "concat", "Y": "output",
}  # fmt: skip
"""The page of the rule book that makes each stage."""


@dataclass(frozen=True, eq=False)
class Misconception:
    """One row of the catalogue: what goes wrong, how it looks, what to ask the student.

    `entries` are the laws that are replaced, by the letter of their stage. Where the wrong matrix
    has another shape than the right one, `shape` gives it. `applies` tells from the right stages
    whether the mistake can be made there and makes a difference in general.
    """

    tag: str
    """Stable, in lower case with hyphens: scale-none."""
    title: str
    """A few words for a list: "no division by √d_k"."""
    hint: str
    """One question for the student that does not give the answer away."""
    paper: Formula
    """The wrong law as it looks on paper: Z = S."""
    entries: Mapping[str, Entry]
    applies: Callable[[Stages], bool] = lambda stages: True
    shape: Callable[[Stages], tuple[int, int]] | None = None
    seen: str = ""
    """Where it was seen in public, or "inferred"."""

    @cached_property
    def letter(self) -> str:
        """The stage where it shows first."""
        return next(iter(self.entries))

    def rows(self, stages: Stages, letter: str) -> list[list[Cell]]:
        """The wrong matrix, from the right stages before it."""
        law = self.entries[letter]
        n, m = self.size(stages, letter)
        return [[law(stages, i, j) for j in range(m)] for i in range(n)]

    def size(self, stages: Stages, letter: str) -> tuple[int, int]:
        return self.shape(stages) if self.shape else right_shape(stages, letter)

    @cached_property
    def book(self) -> RuleBook:
        """The whole method with this mistake in it, for `attention.derive`."""
        pages = {PAGES[letter]: self._page(letter) for letter in self.entries}
        if "M" in self.entries and "A" not in self.entries:
            # A wrong mask may hide a whole row: whoever goes on then writes zeros.
            pages["softmax"] = replace(
                CORRECT.softmax, compute=lambda M, *, zeros: Weights(M, True)
            )
        return replace(CORRECT, **pages)

    def _page(self, letter: str) -> Rule:
        right: Rule = getattr(CORRECT, PAGES[letter])

        def compute(stages: Sequence[Stage], options: Mapping[str, object]) -> MatrixLike:
            known = exact(stages, options, outputs=stages if letter == "C" else ())
            return Matrix.of(self.rows(known, letter))

        return replace(right, from_stages=compute)


def right_shape(stages: Stages, letter: str) -> tuple[int, int]:
    """The shape that the stage has when it is right, from the stages before it."""
    match letter:
        case "Q":
            return len(stages.X), len(stages.W_Q[0])
        case "K" | "V":
            source = stages.X_kv if stages.has("X_kv") else stages.X
            return len(source), len(stages.rows[f"W_{letter}"][0])
        case "S":
            return len(stages.Q), len(stages.K)
        case "Z" | "M" | "A":
            return stages.n, stages.m
        case "O":
            return stages.n, len(stages.V[0])
        case "C":
            return len(stages.outputs[0]), sum(len(o[0]) for o in stages.outputs)
        case "Y":
            return len(stages.C if stages.has("C") else stages.O), len(stages.W_O[0])
        case _:
            raise ValueError(letter)
