"""The worked solution of an exercise: the steps that it asks for."""

from __future__ import annotations

from dataclasses import replace
from typing import assert_never

from symattn.document import Block, Document, Heading, Line, Para
from symattn.exact import decide
from symattn.exact.quotient import Quotient
from symattn.generate.exercise import Exercise
from symattn.generate.tasks import Choose, Fill, FindMistake, Reverse, Shapes
from symattn.views import opening
from symattn.views.explain import head_sections
from symattn.views.head import EVERY_STAGE
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.sheets import choose, mistake, reverse, shapes
from symattn.views.sheets.sheet import footer, paper_of


def solution(exercise: Exercise, options: Options = Options()) -> Document:
    """Each asked stage with its law, an entry worked out, exact forms and decimals."""
    blocks: list[Block] = []
    for task in exercise.tasks:
        paper = paper_of(exercise, options, task)
        match task:
            case Fill(letters):
                if "A" in letters:
                    blocks.append(paper.display(Line(None, "", opening.attention_law(paper))))
                blocks += opening.given(paper)
                blocks += head_sections(paper, letters)
                if task.last_row:
                    blocks += _same_row(exercise, paper)
            case Shapes():
                blocks += shapes.solution(task)
            case Choose():
                blocks += choose.solution(paper, task)
            case FindMistake():
                blocks += mistake.solution(paper, task)
            case Reverse():
                blocks += reverse.solution(paper)
            case _:
                assert_never(task)
    if any(isinstance(task, Choose | FindMistake) for task in exercise.tasks):
        paper = paper_of(exercise, options, exercise.tasks[0])
        blocks += [*opening.given(paper), *head_sections(paper, EVERY_STAGE)]
    return Document(
        exercise.title,
        "Worked solution",
        tuple(blocks),
        footer=footer(exercise),
        keywords=("attention", "worked solution", exercise.identity.recipe),
    )


def _same_row(exercise: Exercise, paper: Paper) -> list[Block]:
    """That the last row of causal attention over all tokens is what was found, entry by entry."""
    full, alone = exercise.derivation.heads[0].O, paper.derivation.heads[0].O
    assert full and alone
    i = full.shape[0] - 1
    for j in range(full.shape[1]):
        left, right = full.value.at(i, j), alone.value.at(0, j)
        assert isinstance(left, Quotient) and isinstance(right, Quotient)
        assert decide.equal(left, right)
    whole = Paper.of(exercise.derivation, replace(paper.options, focus=None))
    symbol = whole.writing.symbol("O")
    grid = whole.grid("O", full.shape, whole.decimal_cell(full), decimal=True)
    return [
        Heading(1, ("The same row of the whole",)),
        Para(
            (
                "Causal attention over all tokens at once ends in the same row: the mask hides "
                "nothing from the last token, and the keys and values before it do not depend on "
                "it. Both rows are equal exactly, not only in these decimals.",
            )
        ),
        whole.display(Line(symbol, whole.relation(full), grid)),
    ]
