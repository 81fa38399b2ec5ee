"""Shapes to fill in, without a number in any matrix."""

from __future__ import annotations

from collections.abc import Iterator

from symattn.document import Block, Math, Para, Table, Text
from symattn.formula import Blank, Formula, num, seq
from symattn.generate.tasks import Shapes
from symattn.notation import stage_symbol
from symattn.views.sheets.fill import heading

BOX, HIGH = 3.0, 1.7
"""Em of a box for a number of up to four digits."""
LAWS = {
    "Q": "X times W of Q",
    "K": "the keys' embeddings times W of K",
    "V": "the keys' embeddings times W of V",
    "S": "queries against keys",
    "A": "the softmax of the scaled scores",
    "O": "weights times values",
    "C": "the outputs of all heads side by side",
    "Y": "C times W of O",
}
"""How each matrix comes about, in words."""


def blocks(task: Shapes, numbers: Iterator[int]) -> Iterator[Block]:
    """What is told, then two boxes for each matrix."""
    heads = f" There are {task.heads} heads; all have these shapes." if task.heads > 1 else ""
    yield Para(
        (
            "Tokens are rows. Write the number of rows and of columns of each matrix into the "
            f"boxes.{heads}",
        )
    )
    told = tuple(_row(name, num(n), num(m)) for name, n, m in task.given)
    yield Table((("Given",), ("Rows × columns",)), told)
    yield heading(numbers, "Shapes", points(task))
    asked = tuple(
        (*_row(name, Blank(num(n), BOX, HIGH), Blank(num(m), BOX, HIGH)), (LAWS[name],))
        for name, n, m in task.asked
    )
    yield Table((("Matrix",), ("Rows × columns",), ("What it is",)), asked)


def points(task: Shapes) -> int:
    """A point for each number."""
    return 2 * len(task.asked)


def solution(task: Shapes) -> Iterator[Block]:
    """All shapes."""
    rows = tuple(
        (*_row(name, num(n), num(m)), (LAWS.get(name, "given"),))
        for name, n, m in (*task.given, *task.asked)
    )
    yield Table((("Matrix",), ("Rows × columns",), ("What it is",)), rows)


def _row(name: str, n: Formula, m: Formula) -> tuple[Text, Text]:
    return (Math(stage_symbol(name)),), (Math(seq(n, "×", m)),)
