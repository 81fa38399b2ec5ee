"""Stages to fill in, a section for each: the boxes, then room to work."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Final, cast

from symattn.derivation import Derivation, Head, Step
from symattn.document import Block, Heading, Line, Math, Para, Strong, WorkSpace
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.rounding import Rounding
from symattn.formula import Blank, Formula, Power, Sym
from symattn.views.head import roomy
from symattn.views.paper import Cell, Paper
from symattn.views.sheets.boxes import LOW, Printed, asked, boxed, nothing, single

ENTRIES_A_LINE: Final = 6
"""Entries that are worked out on a line of the space below a matrix."""
EVERYTHING: Final = frozenset("QKVSZMAOCY")
TITLES: Final = {
    "S": "Scores",
    "Z": "Scaled scores",
    "M": "Masked scores",
    "O": "Outputs",
    "C": "The heads side by side",
    "Y": "The output projection",
}


@dataclass(frozen=True, eq=False)
class Filling:
    """Which stages are asked, and which of their entries are printed all the same.

    `worked` shows a line of working for the first entry of each stage; `fractions` asks rational
    weights and outputs as fractions.
    """

    letters: frozenset[str] = EVERYTHING
    faded: bool = False
    cached: bool = False
    """The rows of K and V before the last are printed: a KV cache."""
    fractions: bool = False

    def printed(self, step: Step, first: int = 0) -> Printed:
        """Of a faded sheet the first row, then every other entry of the second."""
        if self.cached and step.name in "KV":
            return lambda i, j: i < step.shape[0] - 1
        if not self.faded or step.shape[0] == 1:
            return nothing
        return lambda i, j: i == first or (i == first + 1 and j % 2 == 0)


def sections(
    paper: Paper, derivation: Derivation, filling: Filling, numbers: Iterator[int]
) -> Iterator[Block]:
    """All asked stages of all heads, in reading order, numbered by `numbers`."""
    several = len(derivation.heads) > 1
    for number, head in enumerate(derivation.heads, 1):
        of_head = f", head {number}" if several else ""
        yield from _head(paper.for_head(number), head, filling, numbers, of_head)
    for step in (derivation.joined, derivation.projected):
        if step and step.name in filling.letters:
            yield from _section(paper, [step], filling, numbers, TITLES[step.name])


def points(paper: Paper, derivation: Derivation, filling: Filling) -> int:
    """A point for each box."""
    total = 0
    for head in derivation.heads:
        for name, stage in head:
            if name in filling.letters and isinstance(stage, Step):
                printed = filling.printed(stage, paper.rows[0])
                total += asked(paper, stage, printed)
                if name == "A":
                    total += _softmax_extra(paper, stage, printed)
    for step in (derivation.joined, derivation.projected):
        if step and step.name in filling.letters:
            total += asked(paper, step, filling.printed(step))
    return total


def _softmax_extra(paper: Paper, step: Step, printed: Printed) -> int:
    """The boxes of the exponentials and of their row sums."""
    return asked(paper, step, printed) + sum(not printed(i, 1) for i in paper.rows)


def _head(
    paper: Paper, head: Head, filling: Filling, numbers: Iterator[int], of_head: str
) -> Iterator[Block]:
    letters = filling.letters
    projected = [s for s in (head.Q, head.K, head.V) if isinstance(s, Step) and s.name in letters]
    if projected:
        title = "Queries, keys, values" + of_head
        yield from _section(paper, projected, filling, numbers, title)
    for name in "SZM":
        step = getattr(head, name)
        if name in letters and isinstance(step, Step) and not _is_left_out(paper, head, name):
            yield from _section(paper, [step], filling, numbers, TITLES[name] + of_head)
    if "A" in letters:
        yield from _softmax(paper, head.A, filling, numbers, of_head)
    if head.O and "O" in letters:
        yield from _section(paper, [head.O], filling, numbers, TITLES["O"] + of_head)


def _is_left_out(paper: Paper, head: Head, name: str) -> bool:
    """Z where nothing is scaled, M where nothing is masked."""
    return (name == "Z" and paper.problem.scale.is_none) or (name == "M" and head.M is head.Z)


def _section(
    paper: Paper, steps: list[Step], filling: Filling, numbers: Iterator[int], title: str
) -> Iterator[Block]:
    printed = {step.name: filling.printed(step, paper.rows[0]) for step in steps}
    yield heading(numbers, title, sum(asked(paper, s, printed[s.name]) for s in steps))
    for step in steps:
        cached = filling.cached and step.name in "KV"
        law = None if cached else step.rule.law(step, paper.writing)
        yield boxed(paper, step, step.name, law, answers(paper, step, filling), printed[step.name])
        yield from _worked(paper, step, filling)
        yield WorkSpace(max(1, asked(paper, step, printed[step.name]) // ENTRIES_A_LINE))


def _worked(paper: Paper, step: Step, filling: Filling) -> Iterator[Block]:
    """How the first entry of a faded stage was found."""
    if filling.faded and step.shape[0] > 1:
        lines = step.rule.working(step, paper.rows[0], 0, paper.writing)
        yield Para(("The first entry, worked out:",))
        yield paper.display(*lines)


def heading(numbers: Iterator[int], title: str, points: int) -> Heading:
    """2. Scores [9 points]"""
    aside = f"[{points} point{'' if points == 1 else 's'}]"
    return Heading(1, (Strong(f"{next(numbers)}."), f" {title}"), aside)


def answers(paper: Paper, step: Step, filling: Filling) -> Cell:
    """Exact entries where they are whole, have letters or are asked as fractions; else decimals."""
    if filling.fractions and step.name in "AO":
        value = step.value
        mixture = Mixture(value, None) if isinstance(value, Weights) else cast(Mixture, value)
        return lambda i, j: _fraction(paper, mixture, i, j)
    if step.value.letters or paper.relation(step) == "=":
        return paper.exact_cell(step)
    return paper.decimal_cell(step)


def _fraction(paper: Paper, mixture: Mixture, i: int, j: int) -> Formula:
    rational = mixture.rational(i, j)
    assert rational is not None
    return paper.writing.rational(rational)


def exponentials(paper: Paper, weights: Weights, *, exact: bool) -> Cell:
    """The entries of E: whole numbers and letters exactly, else decimals."""
    if exact or weights.letters:
        return lambda i, j: paper.writing.exponential(weights, i, j)
    rounding = roomy(paper, weights)
    return lambda i, j: paper.writing.decimal(weights.rounded_exponential(i, j, rounding))


def row_sum(paper: Paper, weights: Weights, i: int, *, exact: bool) -> Formula:
    """r_i, likewise."""
    if weights.letters:
        return paper.writing.row_sum(weights, i)
    if exact:
        return paper.writing.exp_sum(weights.row_sum(i))
    return paper.writing.decimal(weights.rounded_row_sum(i, roomy(paper, weights)))


def _softmax(
    paper: Paper, step: Step, filling: Filling, numbers: Iterator[int], of_head: str
) -> Iterator[Block]:
    """Exponentials, their row sums, the weights."""
    writing, weights = paper.writing, cast(Weights, step.value)
    printed = filling.printed(step, paper.rows[0])
    exact = filling.fractions
    total = asked(paper, step, printed) + _softmax_extra(paper, step, printed)
    yield heading(numbers, "Softmax" + of_head, total)
    line = paper.convention.line
    yield Para((f"First the exponentials, then their sum in each {line}, then the weights.",))
    law = Power(Sym("e"), writing.symbol(step.inputs[0].name))
    yield boxed(paper, step, "E", law, exponentials(paper, weights, exact=exact), printed)
    sums = [row_sum(paper, weights, i, exact=exact) for i in paper.rows]
    width = single(paper, sums)
    yield paper.display(
        *(
            Line(
                writing.indexed(Sym("r"), i),
                "=",
                total if printed(i, 1) else Blank(total, width, LOW),
                f"{line} {paper.token(i)}",
            )
            for i, total in zip(paper.rows, sums, strict=True)
        )
    )
    share = step.rule.law(step, writing)
    yield boxed(paper, step, "A", share, answers(paper, step, filling), printed)
    yield from _worked(paper, step, filling)
    yield WorkSpace(max(1, asked(paper, step, printed) // ENTRIES_A_LINE))
    if not weights.letters:
        end = "exactly 1." if exact else "1, but for rounding."
        yield Para(("Check: each ", line, " of ", Math(Sym("A")), f" sums to {end}"))


def rounding_rule(rounding: Rounding) -> str:
    """How decimals are to be written."""
    what = f"{rounding.places} decimal places"
    if rounding.figures is not None:
        what = f"{rounding.figures} significant figures"
    ties = "to the even digit" if rounding.ties == "even" else "away from zero"
    return f"Keep all digits while you work; write decimals with {what}, ties rounded {ties}."
