"""The graph of a derivation: steps that remember where they came from."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, fields
from typing import TYPE_CHECKING, Any, TypeAlias, Union

from symattn.errors import UsageError
from symattn.exact.matrix import MatrixLike
from symattn.formula import Formula, Line
from symattn.notation import Writing
from symattn.problem import Given, Problem

if TYPE_CHECKING:
    from sympy import ImmutableMatrix

Shape: TypeAlias = tuple[int, int]


@dataclass(frozen=True, eq=False)
class Rule:
    """One law of attention, told three ways: on paper, as a computation, one entry worked out.

    A misconception is another Rule of the same kind, put in its place in a `RuleBook`.
    """

    kind: str
    """Stable: project score scale mask softmax mix concat output."""
    title: str
    compute: Callable[..., MatrixLike]
    """From the values of the inputs, with the step's options as keywords."""
    law: Callable[[Step, Writing], Formula]
    """The right-hand side on paper: Q Kᵀ."""
    working: Callable[[Step, int, int, Writing], tuple[Line, ...]]
    """The entry in row i, column j (from 0) of the step, worked out."""
    from_stages: Callable[[Sequence[Stage], Mapping[str, object]], MatrixLike] | None = None
    """For a wrong law that looks further back than its inputs: used instead of `compute`."""

    def __call__(self, name: str, *inputs: Stage | None, **options: object) -> Step:
        """The step that applies this law; inputs that are None are left out."""
        stages = tuple(stage for stage in inputs if stage is not None)
        if self.from_stages:
            value = self.from_stages(stages, options)
        else:
            value = self.compute(*(stage.value for stage in stages), **options)
        return Step(self, name, value, stages, tuple(options.items()))


@dataclass(frozen=True, eq=False)
class Step:
    """One line of the derivation: a matrix, the law that made it, and from what."""

    rule: Rule
    name: str
    value: MatrixLike
    inputs: tuple[Stage, ...]
    options: tuple[tuple[str, object], ...] = ()

    @property
    def kind(self) -> str:
        return self.rule.kind

    @property
    def shape(self) -> Shape:
        return self.value.shape

    def option(self, name: str) -> Any:
        return dict(self.options)[name]


Stage: TypeAlias = Union[Given, Step]


@dataclass(frozen=True, eq=False)
class RuleBook:
    """One Rule for each law. `steps.CORRECT` is the right one."""

    query: Rule
    key: Rule
    value: Rule
    score: Rule
    scale: Rule
    mask: Rule
    softmax: Rule
    mix: Rule
    concat: Rule
    output: Rule


@dataclass(frozen=True, eq=False)
class Head:
    """The stages of one head in reading order; None where a problem has no such stage.

    M is Z itself where nothing is masked.
    """

    Q: Stage | None
    K: Stage | None
    V: Stage | None
    S: Stage
    Z: Step
    M: Step
    A: Step
    O: Step | None  # noqa: E741  (the letter of the paper)

    def __iter__(self) -> Iterator[tuple[str, Stage]]:
        """The stages that there are, each once, with their letters."""
        for field in fields(self):
            stage = getattr(self, field.name)
            if stage is not None and not (field.name == "M" and stage is self.Z):
                yield field.name, stage


@dataclass(frozen=True, eq=False)
class Derivation:
    """The whole method, worked out: the heads, then what joins them."""

    problem: Problem
    heads: tuple[Head, ...]
    joined: Step | None = None
    """C, the heads side by side, where there are several."""
    projected: Step | None = None
    """Y = C W_O, where there is an output projection."""

    def __iter__(self) -> Iterator[tuple[int | None, str, Stage]]:
        """(head from 1 or None, letter, stage) in reading order."""
        for number, head in enumerate(self.heads, 1):
            for name, stage in head:
                yield number, name, stage
        for step in (self.joined, self.projected):
            if step:
                yield None, step.name, step

    @property
    def answer(self) -> Step:
        """The last stage: Y, C, O or, without values, the weights A."""
        return self.projected or self.joined or self.heads[-1].O or self.heads[-1].A

    def stage(self, name: str, head: int | None = None) -> Stage:
        """A stage by its letter and, with several heads, the head's number from 1.

        UsageError where there is no such stage.
        """
        if name in ("C", "Y"):
            found = self.joined if name == "C" else self.projected
        elif name not in (letters := [field.name for field in fields(Head)]):
            raise UsageError(
                f"there is no stage {name!r}", hint=f"The stages are {' '.join(letters)} C Y."
            )
        else:
            if head is None and len(self.heads) > 1:
                raise UsageError(
                    f"{name} occurs once in each of {len(self.heads)} heads",
                    hint=f"Say which: --head 1, or in Python stage({name!r}, head=1).",
                )
            number = 1 if head is None else head
            if not 1 <= number <= len(self.heads):
                raise UsageError(f"there is no head {number}: there are {len(self.heads)}")
            found = getattr(self.heads[number - 1], name)
        if found is None:
            raise UsageError(f"this problem has no stage {name}")
        stage: Stage = found
        return stage

    def sympy(self, name: str, head: int | None = None) -> ImmutableMatrix:
        """A stage as a SymPy matrix, structurally what SymPy itself would build."""
        from symattn.exact.sympy_bridge import matrix_to_sympy, product_to_sympy

        stage = self.stage(name, head)
        if isinstance(stage, Step) and stage.kind == "output":
            C, W_O = stage.inputs
            return product_to_sympy(C.value, W_O.value)
        return matrix_to_sympy(stage.value)

    def __getattr__(self, name: str) -> ImmutableMatrix:
        """`derivation.S` is the stage S as a SymPy matrix; so are Q K V Z M A O C Y.

        With several heads say which: `derivation.sympy("S", head=1)`.
        """
        if len(name) == 1 and name in "QKVSZMAOCY":
            return self.sympy(name)
        raise AttributeError(name)

    def _repr_markdown_(self) -> str:
        from symattn.views.explain import explain
        from symattn.writers import write

        return write(explain(self), "markdown")
