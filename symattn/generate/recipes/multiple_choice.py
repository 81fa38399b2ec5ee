"""Multiple choice: the wrong options are what known mistakes give."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Step
from symattn.exact.matrix import DecimalGrid, Matrix, MinusInfinity
from symattn.exact.rounding import Rounded
from symattn.generate.discriminate import noticed
from symattn.generate.draw import embedded
from symattn.generate.exercise import Draft
from symattn.generate.plan import Plan
from symattn.generate.promises import NICE
from symattn.generate.recipe import Recipe
from symattn.generate.settings import Settings
from symattn.generate.stream import Stream
from symattn.generate.tasks import Choose, Option
from symattn.misconceptions import ALL
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import exact

QUESTIONS: Final = {
    "S": "Which matrix holds the scores?",
    "Z": "Which matrix holds the scaled scores?",
    "A": "Which matrix holds the weights?",
    "O": "Which matrix is the output?",
}
WRONG: Final = 3
"""Wrong options of a question."""


def draw(stream: Stream, plan: Plan, settings: Settings) -> Draft | None:
    """A question for each stage from the scores on, each after the right matrix of the last."""
    problem = embedded(stream, plan, settings)
    if problem is None:
        return None
    draft = Draft(problem, ())
    tasks = []
    for letter in QUESTIONS:
        task = _question(stream, draft, letter, settings)
        if task is None:
            return None
        tasks.append(task)
    return Draft(problem, tuple(tasks))


def _question(stream: Stream, draft: Draft, letter: str, settings: Settings) -> Choose | None:
    head = draft.heads[0]
    fitting = [
        row
        for row in ALL
        if row.letter == letter and row.applies(head) and noticed(row, draft.heads, settings)
    ]
    step = draft.derivation.stage(letter)
    right = _cells(step.value.rounded(settings.rounding))
    options = [Option(cells=right)]
    for row in stream.shuffled(fitting):
        cells = _wrong(row, draft, letter, settings)
        if all(cells != option.cells for option in options):
            options.append(Option(cells=cells, tag=row.tag))
        if len(options) == WRONG + 1:
            return Choose(QUESTIONS[letter], tuple(stream.shuffled(options)), letter)
    return None


def _wrong(
    row: Misconception, draft: Draft, letter: str, settings: Settings
) -> tuple[tuple[str, ...], ...]:
    step = draft.derivation.stage(letter)
    assert isinstance(step, Step)
    made = Matrix.of(row.rows(exact(step.inputs, dict(step.options)), letter))
    return _cells(made.rounded(settings.rounding))


def _cells(grid: DecimalGrid) -> tuple[tuple[str, ...], ...]:
    """Decimals as they are printed; without places where the whole matrix needs none."""
    whole = all(
        isinstance(c, MinusInfinity) or (c.exact and c.fraction.denominator == 1)
        for row in grid
        for c in row
    )

    def written(cell: Rounded | MinusInfinity) -> str:
        if isinstance(cell, MinusInfinity):
            return "-oo"
        return str(cell.fraction) if whole else str(cell)

    return tuple(tuple(map(written, row)) for row in grid)


RECIPE: Final = Recipe(
    "multiple-choice",
    1,
    "Which matrix is right?",
    "scores, scaled scores, weights, output: the wrong options are known mistakes",
    (
        Plan(2, 3, 4, 1, 0, 2),
        Plan(3, 2, 4, 2, -1, 2),
        Plan(3, 2, 4, 3, -1, 2),
        Plan(3, 4, 5, 2, -1, 2),
        Plan(4, 3, 5, 2, -2, 2),
    ),
    draw,
    NICE,
)
