"""From weights back to scores."""

from __future__ import annotations

from collections.abc import Iterator
from typing import cast

from symattn.document import Block, Line, Para, WorkSpace
from symattn.exact.mixture import Mixture, Weights
from symattn.formula import Blank, Formula
from symattn.views.paper import Paper
from symattn.views.sheets.boxes import LOW, single
from symattn.views.sheets.fill import heading


def blocks(paper: Paper, numbers: Iterator[int]) -> Iterator[Block]:
    """The weights, then a box for each score."""
    head = paper.derivation.heads[0]
    n, m = head.S.shape
    yield Para(
        (
            "These weights are a softmax of scores without scaling: A = softmax(S). In each row "
            "the smallest score is 0. Find all scores, exactly.",
        )
    )
    yield _weights(paper)
    yield heading(numbers, "Scores", points(paper))
    answers = [paper.writing.cell(head.S, i, j) for i in range(n) for j in range(m)]
    width = single(paper, answers)
    grid = paper.grid("S", (n, m), lambda i, j: Blank(paper.writing.cell(head.S, i, j), width, LOW))
    yield paper.display(Line(paper.writing.symbol("S"), "=", grid))
    yield WorkSpace(2 * n)


def points(paper: Paper) -> int:
    """A point for each score."""
    n, m = paper.derivation.heads[0].S.shape
    return n * m


def solution(paper: Paper) -> Iterator[Block]:
    """Weights are in the ratio of the exponentials, so each score is the logarithm of a ratio."""
    head = paper.derivation.heads[0]
    yield _weights(paper)
    yield Para(
        (
            "Within a row the weights are in the ratio of the exponentials. The smallest score is "
            "0 and its exponential 1: divide each weight of the row by the smallest one and take "
            "the natural logarithm.",
        )
    )
    weights = cast(Weights, head.A.value)
    ratios = paper.grid("E", head.S.shape, lambda i, j: paper.writing.exponential(weights, i, j))
    yield paper.display(Line(paper.writing.symbol("E"), "=", ratios))
    scores = paper.grid("S", head.S.shape, lambda i, j: paper.writing.cell(head.S, i, j))
    yield paper.display(Line(paper.writing.symbol("S"), "=", scores))


def _weights(paper: Paper) -> Block:
    head = paper.derivation.heads[0]
    shares = Mixture(cast(Weights, head.A.value), None)

    def cell(i: int, j: int) -> Formula:
        rational = shares.rational(i, j)
        assert rational is not None
        return paper.writing.rational(rational)

    grid = paper.grid("A", head.A.shape, cell)
    return paper.display(Line(paper.writing.symbol("A"), "=", grid))
