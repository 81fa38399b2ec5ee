"""The marking key: points and right entries step by step, and what known mistakes look like."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Final, assert_never, cast

from symattn.derivation import Derivation, Step
from symattn.document import Block, Document, Heading, Line, Math, Para, Table, Text
from symattn.exact.matrix import MinusInfinity, round_value
from symattn.exact.mixture import Weights
from symattn.formula import Formula, Sym
from symattn.generate.exercise import Exercise
from symattn.generate.tasks import Choose, Fill, FindMistake, Reverse, Shapes
from symattn.misconceptions import ALL, Misconception
from symattn.misconceptions.differs import first_difference
from symattn.misconceptions.stages import Stages, exact, in_floats
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.sheets import choose, mistake, reverse, shapes
from symattn.views.sheets.boxes import asked
from symattn.views.sheets.fill import Filling, answers, exponentials, points, row_sum
from symattn.views.sheets.sheet import filling, footer, paper_of

RULES: Final = (
    "A point for each box. Right is the printed value, and every value that follows from the "
    "student's own earlier lines: an error costs its points once, where it is made. Decimals that "
    "come from rounded lines may be off in their last places."
)


def marking(exercise: Exercise, options: Options = Options()) -> Document:
    """For the marker: the answers with their points, then a table of tell-tale entries."""
    blocks: list[Block] = []
    for task in exercise.tasks:
        paper = paper_of(exercise, options, task)
        match task:
            case Fill():
                total = points(paper, paper.derivation, filling(task))
                blocks.append(Para((f"{total} points. {RULES}",)))
                blocks += _answers(paper, task)
                blocks += _mistakes(paper, task)
            case Shapes():
                blocks.append(Para((f"{shapes.points(task)} points, one for each number.",)))
                blocks += shapes.solution(task)
            case Choose():
                blocks.append(Heading(1, ("1 point",)))
                blocks += choose.solution(paper, task)
            case FindMistake():
                words = "1 point for the line, 1 for what happened, 3 for the right matrix."
                blocks.append(Para((f"{mistake.POINTS} points: {words}",)))
                blocks += mistake.solution(paper, task)
            case Reverse():
                blocks.append(Para((f"{reverse.points(paper)} points, one for each score.",)))
                blocks += reverse.solution(paper)
            case _:
                assert_never(task)
    return Document(
        exercise.title,
        "Marking key",
        tuple(blocks),
        footer=footer(exercise),
        keywords=("attention", "marking key", exercise.identity.recipe),
    )


def _answers(paper: Paper, task: Fill) -> Iterator[Block]:
    yield Heading(1, ("Right entries",))
    how = filling(task)
    for own, step in _steps(paper, task):
        if isinstance(step.value, Weights):
            yield from _softmax_working(own, step, how)
        grid = own.grid(step.name, step.shape, answers(own, step, how), decimal=True)
        count = asked(own, step, how.printed(step))
        symbol = own.writing.symbol(step.name)
        yield own.display(Line(symbol, "=", grid, f"{count} points"))


def _softmax_working(paper: Paper, step: Step, how: Filling) -> Iterator[Block]:
    """The exponentials and their row sums."""
    writing, weights = paper.writing, cast(Weights, step.value)
    cells = exponentials(paper, weights, exact=how.fractions)
    grid = paper.grid("E", step.shape, cells, decimal=True)
    count = asked(paper, step, how.printed(step))
    yield paper.display(Line(writing.symbol("E"), "=", grid, f"{count} points"))
    sums = [row_sum(paper, weights, i, exact=how.fractions) for i in paper.rows]
    yield paper.display(
        *(
            Line(writing.indexed(Sym("r"), i), "=", total, "1 point")
            for i, total in zip(paper.rows, sums, strict=True)
        )
    )


def _steps(paper: Paper, task: Fill) -> Iterator[tuple[Paper, Step]]:
    derivation = paper.derivation
    for number, head in enumerate(derivation.heads, 1):
        own = paper.for_head(number)
        for name, stage in head:
            if name in task.letters and isinstance(stage, Step):
                yield own, stage
    for step in (derivation.joined, derivation.projected):
        if step and step.name in task.letters:
            yield paper, step


def _mistakes(paper: Paper, task: Fill) -> Iterator[Block]:
    """A row for each tell-tale value: where, what is right, what is seen, what happened."""
    if any(stage.value.letters for _, _, stage in paper.derivation):
        return  # Tell-tale entries are decimals.
    rows = list(_rows(paper, task))
    if not rows:
        return
    yield Heading(1, ("If you see …",))
    head: tuple[Text, ...] = (("Entry",), ("Right",), ("Seen",), ("What happened",))
    yield Table(head, tuple(rows))


def _rows(paper: Paper, task: Fill) -> Iterator[tuple[Text, ...]]:
    derivation = paper.derivation
    floats = in_floats(derivation.problem)
    tolerance = 10.0**-paper.options.rounding.places
    grouped: dict[tuple[str, int, int, Formula | None], list[str]] = {}
    known: dict[str, Stages] = {}
    for row in ALL:
        letter = row.letter
        if letter not in task.letters or not row.applies(floats[0]):
            continue
        found = first_difference(row, floats[0], letter, tolerance)
        if found is None:
            continue
        step = _step(derivation, letter)
        if row.size(floats[0], letter) != step.shape:
            grouped.setdefault((letter, -1, -1, None), []).append(row.title)
            continue
        if letter not in known:
            outputs = step.inputs if letter == "C" else ()
            known[letter] = exact(step.inputs, dict(step.options), outputs=outputs)
        seen = _seen(paper, row, known[letter], *found)
        grouped.setdefault((letter, *found, seen), []).append(row.title)
    own = paper.for_head(1)
    for (letter, i, j, shown), titles in grouped.items():
        step = _step(derivation, letter)
        writing = own.writing
        what: Text = ("; or ".join(titles),)
        if shown is None:
            yield (Math(writing.symbol(letter)),), (), ("another shape",), what
            continue
        right = answers(own, step, filling(task))(i, j)
        entry = writing.entry(writing.symbol(letter), i, j)
        yield (Math(entry),), (Math(right),), (Math(shown),), what


def _step(derivation: Derivation, letter: str) -> Step:
    head = 1 if len(derivation.heads) > 1 and letter not in "CY" else None
    step = derivation.stage(letter, head)
    assert isinstance(step, Step)
    return step


def _seen(paper: Paper, row: Misconception, stages: Stages, i: int, j: int) -> Formula:
    """The wrong entry: whole numbers as they are, else proved decimals."""
    from symattn.exact.matrix import Matrix

    ((value,),) = Matrix.of([[row.entries[row.letter](stages, i, j)]]).values()
    if isinstance(value, MinusInfinity):
        return paper.writing.value(value)
    return paper.writing.scalar(round_value(value, paper.options.rounding))
