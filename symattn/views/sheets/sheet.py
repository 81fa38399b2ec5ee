"""The sheet of an exercise, blank or faded. Its key is the same page, filled in."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import count
from typing import assert_never

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.document import Block, Document, Form, Heading, Line, Para, WorkSpace
from symattn.generate.exercise import Exercise, last_row
from symattn.generate.tasks import Choose, Fill, FindMistake, Reverse, Shapes, Task
from symattn.views import opening
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.sheets import choose, mistake, reverse, shapes
from symattn.views.sheets.fill import Filling, points, rounding_rule, sections


def sheet(exercise: Exercise, options: Options = Options()) -> Document:
    """Everything that is asked, as empty boxes."""
    return _page(exercise, options, "Practice sheet", faded=False)


def faded(exercise: Exercise, options: Options = Options()) -> Document:
    """The first row worked out, half of the second printed, the rest empty.

    Fading worked steps: Renkl and Atkinson, Educational Psychologist 38 (2003).
    """
    return _page(exercise, options, "Practice sheet, first row worked out", faded=True)


def paper_of(exercise: Exercise, options: Options, task: Task) -> Paper:
    """The paper that a task is worked on: with its rounding, and with its last row alone."""
    rounded = replace(options, rounding=exercise.settings.rounding)
    return Paper.of(derivation_of(exercise, task), rounded)


def derivation_of(exercise: Exercise, task: Task) -> Derivation:
    """What the task asks for, worked out."""
    if isinstance(task, Fill) and task.last_row:
        return derive(last_row(exercise.problem))
    return exercise.derivation


def filling(task: Fill, *, faded: bool = False) -> Filling:
    return Filling(frozenset(task.letters), faded, task.last_row, task.fractions)


def footer(exercise: Exercise) -> str:
    """What stands at the foot of every page: the id that brings the sheet back."""
    minutes = f"about {exercise.minutes} minute{'' if exercise.minutes == 1 else 's'}"
    return f"symattn · {exercise.identity} · {minutes}"


def _page(exercise: Exercise, options: Options, kind: str, *, faded: bool) -> Document:
    numbers = count(1)
    total = 0
    blocks: list[Block] = []
    for task in exercise.tasks:
        paper = paper_of(exercise, options, task)
        match task:
            case Fill():
                blocks += _filled(exercise, paper, task, numbers, faded=faded)
                total += points(paper, paper.derivation, filling(task, faded=faded))
            case Shapes():
                blocks += shapes.blocks(task, numbers)
                total += shapes.points(task)
            case Choose():
                if not blocks and not task.shown:
                    blocks += opening.given(paper)
                blocks += choose.blocks(paper, task, numbers)
                total += 1
            case FindMistake():
                blocks += mistake.blocks(paper, task, numbers)
                total += mistake.POINTS
            case Reverse():
                blocks += reverse.blocks(paper, numbers)
                total += reverse.points(paper)
            case _:
                assert_never(task)
    form = Form((("Name", 3), ("Date", 1.5), (f"Points of {total}", 1.2)))
    return Document(
        exercise.title,
        kind,
        (form, *blocks),
        footer=footer(exercise),
        keywords=("attention", "worksheet", exercise.identity.recipe),
    )


def _filled(
    exercise: Exercise, paper: Paper, task: Fill, numbers: Iterator[int], *, faded: bool
) -> Iterator[Block]:
    rule = rounding_rule(paper.options.rounding)
    if task.fractions:
        rule = "Write every answer as a whole number or a fraction in lowest terms."
    yield Para((f"Fill in the boxes. {rule}",))
    if "A" in task.letters:
        yield paper.display(Line(None, "", opening.attention_law(paper)))
    if task.last_row:
        yield from _cached_given(paper)
    else:
        yield from opening.given(paper)
    yield from sections(paper, paper.derivation, filling(task, faded=faded), numbers)
    if task.last_row:
        yield Para(("Why is no mask needed for the last token?",))
        yield WorkSpace(2)


def _cached_given(paper: Paper) -> Iterator[Block]:
    """The new token's embedding and the projections; the keys and values before it stand in K and
    V, where the sheet asks for the new rows."""
    problem = paper.problem
    (head,) = problem.heads
    yield Heading(1, ("Given",))
    words = "”, “".join(problem.tokens_kv[:-1])
    yield Para(
        (
            f"The keys and values of “{words}” are kept from earlier steps and printed below. "
            f"“{problem.tokens[0]}” is new.",
        )
    )
    matrices = [problem.X, head.W_Q, head.W_K, head.W_V]
    yield from paper.beside([opening.named(paper, matrix) for matrix in matrices if matrix])
