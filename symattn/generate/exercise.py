"""A problem with what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.exact.matrix import Matrix
from symattn.generate.identity import Identity
from symattn.generate.settings import Settings
from symattn.generate.tasks import Fill, Task
from symattn.misconceptions.stages import Stages, in_floats
from symattn.problem import NO_MASK, Given, Problem


@dataclass(frozen=True)
class Draft:
    """A candidate: promises look at it, in floats, before it becomes an exercise.

    A float is off by less than 10⁻¹² here; every promise keeps a far larger distance.
    """

    problem: Problem
    tasks: tuple[Task, ...]

    @property
    def asked(self) -> frozenset[str]:
        """The letters of the stages whose entries are asked."""
        return frozenset(
            letter for task in self.tasks if isinstance(task, Fill) for letter in task.letters
        )

    @property
    def has_letters(self) -> bool:
        givens = [
            self.problem.X,
            *(x for head in self.problem.heads for x in (head.Q, head.K, head.S)),
        ]
        return any(given.value.letters for given in givens if given)

    @cached_property
    def heads(self) -> list[Stages]:
        """What is worked out, every head in floats. ValueError where there are letters."""
        last = any(isinstance(task, Fill) and task.last_row for task in self.tasks)
        return in_floats(last_row(self.problem) if last else self.problem)

    @cached_property
    def derivation(self) -> Derivation:
        return derive(self.problem)


def last_row(problem: Problem) -> Problem:
    """The last token of a causal problem alone: one query against all keys, so without a mask."""
    X = problem.X
    assert X and not problem.X_kv
    alone = Given("X", Matrix(X.value.rows[-1:], X.value.unit, X.shape[1]))
    everyone = Given("X_kv", X.value)
    return replace(problem, tokens=problem.tokens[-1:], X=alone, X_kv=everyone, mask=NO_MASK)


@dataclass(frozen=True)
class Exercise:
    """A sheet before it is set: what is given, what is asked, how long it takes."""

    identity: Identity
    title: str
    problem: Problem
    tasks: tuple[Task, ...]
    minutes: int
    """Estimated from the operations it takes."""

    @property
    def settings(self) -> Settings:
        return self.identity.settings

    @cached_property
    def derivation(self) -> Derivation:
        return derive(self.problem)
