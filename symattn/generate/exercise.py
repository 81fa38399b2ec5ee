"""A problem with what is asked of it."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.generate.identity import Identity
from symattn.generate.settings import Settings
from symattn.generate.tasks import Fill, Task
from symattn.misconceptions.stages import Stages, in_floats
from symattn.problem import Problem


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

    @cached_property
    def heads(self) -> list[Stages]:
        """Every head in floats. ValueError where there are letters."""
        return in_floats(self.problem)

    @cached_property
    def derivation(self) -> Derivation:
        return derive(self.problem)


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
