"""The practice sheet of a problem: every entry an empty box. Its key is the same page, filled in.

Nothing on the page repeats what a box asks for: no matrix, heat map, remark or working.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Final, cast

from symattn import layout
from symattn.derivation import Derivation, Head, Step
from symattn.document import (
    Block,
    Display,
    Document,
    Form,
    Heading,
    Line,
    Math,
    Para,
    Strong,
    WorkSpace,
)
from symattn.exact.mixture import Weights
from symattn.exact.rounding import Rounded, Rounding
from symattn.formula import Blank, Formula, Frac, Power, Seq, Sym, seq
from symattn.views import opening
from symattn.views.explain import sizes
from symattn.views.head import roomy
from symattn.views.options import Options
from symattn.views.paper import Cell, Paper

NARROWEST: Final = 2.6
"""Em of the smallest box: two digits of handwriting."""
ROOM: Final = 0.9
"""Em around an answer in its box."""
LOW, TALL = 1.7, 2.7
"""Em that a number and a fraction are high."""
ENTRIES_A_LINE: Final = 4
"""Entries that are worked out on a line of the space below a matrix."""


def worksheet(derivation: Derivation, options: Options = Options()) -> Document:
    """The sheet as a document; a writer with `key` fills the boxes in.

    UsageError where `options.focus` is not a token of the problem.
    """
    paper = Paper.of(derivation, options)
    problem = derivation.problem
    law = paper.display(Line(None, "", opening.attention_law(paper)))
    blocks: list[Block] = [
        Form((("Name", 2), ("Date", 1))),
        Para(("Fill in the boxes. " + _rounding_rule(options.rounding),)),
        law,
        *opening.given(paper),
    ]
    numbers = count(1)
    for number, head in enumerate(derivation.heads, 1):
        own = paper.for_head(number)
        of_head = f", head {number}" if len(derivation.heads) > 1 else ""
        blocks += _head(own, head, numbers, of_head)
    for step, title in (
        (derivation.joined, "The heads side by side"),
        (derivation.projected, "The output projection"),
    ):
        if step:
            blocks += _section(paper, [step], numbers, title)
    return Document(
        problem.title or problem.name or "Scaled dot-product attention",
        "Practice sheet — " + sizes(paper),
        tuple(blocks),
        footer=f"symattn · {problem.name}" if problem.name else "symattn",
        keywords=("attention", "worksheet"),
    )


def _rounding_rule(rounding: Rounding) -> str:
    what = f"{rounding.places} decimal places"
    if rounding.figures is not None:
        what = f"{rounding.figures} significant figures"
    ties = "to the even digit" if rounding.ties == "even" else "away from zero"
    return f"Keep all digits while you work; write decimals with {what}, ties rounded {ties}."


def _head(paper: Paper, head: Head, numbers: Iterator[int], of_head: str) -> Iterator[Block]:
    if projected := [s for s in (head.Q, head.K, head.V) if isinstance(s, Step)]:
        yield from _section(paper, projected, numbers, "Queries, keys, values" + of_head)
    if isinstance(head.S, Step):
        yield from _section(paper, [head.S], numbers, "Scores" + of_head)
    if not paper.problem.scale.is_none:
        yield from _section(paper, [head.Z], numbers, "Scaled scores" + of_head)
    if head.M is not head.Z:
        yield from _section(paper, [head.M], numbers, "Masked scores" + of_head)
    yield from _softmax(paper, head.A, numbers, of_head)
    if head.O:
        yield from _section(paper, [head.O], numbers, "Outputs" + of_head)


def _section(
    paper: Paper, steps: list[Step], numbers: Iterator[int], title: str
) -> Iterator[Block]:
    yield _heading(numbers, title, sum(_asked(paper, step) for step in steps))
    for step in steps:
        yield _matrix(
            paper, step, step.name, step.rule.law(step, paper.writing), _answers(paper, step)
        )
        yield WorkSpace(max(1, _asked(paper, step) // ENTRIES_A_LINE))


def _heading(numbers: Iterator[int], title: str, points: int) -> Heading:
    return Heading(1, (Strong(f"{next(numbers)}."), f" {title}"), f"[{points} points]")


def _asked(paper: Paper, step: Step) -> int:
    return len(paper.rows_of(step.name, step.shape[0])) * step.shape[1]


def _answers(paper: Paper, step: Step) -> Cell:
    """Exact entries where they are whole or have letters, else decimals."""
    if step.value.letters or paper.relation(step) == "=":
        return paper.exact_cell(step)
    return paper.decimal_cell(step)


def _matrix(paper: Paper, step: Step, name: str, law: Formula, answers: Cell) -> Display:
    """name = law = boxes, all of one size, so that none says how long its answer is."""
    rows = paper.rows_of(step.name, step.shape[0])
    written = [answers(i, j) for i in rows for j in range(step.shape[1])]
    width = max([NARROWEST, *(layout.width(answer, layout.PRINT) + ROOM for answer in written)])
    height = TALL if any(map(_is_tall, written)) else LOW
    symbol = paper.writing.symbol(name)
    lead = seq(symbol, "=", law, "=")
    grid = paper.grid(
        name,
        step.shape,
        lambda i, j: Blank(answers(i, j), width, height),
        rows=rows,
        room=paper.options.page.width - paper.width(lead),
    )
    return paper.display(Line(symbol, "=", seq(law, "=", grid)))


def _is_tall(formula: Formula) -> bool:
    match formula:
        case Frac(_, _, slanted):
            return not slanted
        case Seq(parts):
            return any(map(_is_tall, parts))
        case _:
            return False


def _softmax(paper: Paper, step: Step, numbers: Iterator[int], of_head: str) -> Iterator[Block]:
    """Exponentials, their row sums, the weights."""
    writing, weights = paper.writing, cast(Weights, step.value)
    rounding = None if weights.letters else roomy(paper, weights)

    def exponential(i: int, j: int) -> Formula:
        if rounding is None:
            return writing.exponential(weights, i, j)
        return writing.decimal(weights.rounded_exponential(i, j, rounding))

    def row_sum(i: int) -> Formula:
        if rounding is None:
            return writing.row_sum(weights, i)
        total: Rounded = weights.rounded_row_sum(i, rounding)
        return writing.decimal(total)

    points = 2 * _asked(paper, step) + len(paper.rows)
    yield _heading(numbers, "Softmax" + of_head, points)
    line = paper.convention.line
    yield Para((f"First the exponentials, then their sum in each {line}, then the weights.",))
    law = Power(Sym("e"), writing.symbol(step.inputs[0].name))
    yield _matrix(paper, step, "E", law, exponential)
    sums = [row_sum(i) for i in paper.rows]
    width = max([NARROWEST, *(paper.width(total) + ROOM for total in sums)])
    lines = [
        Line(
            writing.indexed(Sym("r"), i), "=", Blank(total, width, LOW), f"{line} {paper.token(i)}"
        )
        for i, total in zip(paper.rows, sums, strict=True)
    ]
    yield paper.display(*lines)
    yield _matrix(paper, step, "A", step.rule.law(step, writing), _answers(paper, step))
    yield WorkSpace(max(1, _asked(paper, step) // ENTRIES_A_LINE))
    if not weights.letters:
        yield Para(("Check: each ", line, " of ", Math(Sym("A")), " sums to 1, but for rounding."))
