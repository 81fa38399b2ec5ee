"""The steps of one head, in reading order: project, score, scale, mask, softmax, mix."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import replace
from typing import Final, cast

from symattn import layout
from symattn.derivation import Head, Step
from symattn.document import Block, Heading, Heatmap, Line, Strong
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.rounding import Rounding
from symattn.formula import Formula, Origin, Power, Sub, Sym, Words, num, seq
from symattn.notation import LARGE, elided_sum
from symattn.views import remarks
from symattn.views.entries import Caption, forms, step_blocks, workings
from symattn.views.paper import Cell, Paper

MOST_HEATMAP: Final = 8
"""Tokens up to which the weights are also drawn."""
MOST_WRITTEN_OUT: Final = 6
"""Keys up to which weights are written with their whole row sum below the bar."""


EVERY_STAGE: Final = "QKVSZMAOCY"


def head_blocks(
    paper: Paper,
    head: Head,
    steps: Iterator[int],
    *,
    level: int,
    letters: Collection[str] = EVERY_STAGE,
) -> list[Block]:
    """The sections of one head that work out the stages with these letters, numbered by `steps`."""
    blocks: list[Block] = []

    def section(title: str) -> None:
        blocks.append(Heading(level, (Strong(f"Step {next(steps)}."), f" {title}")))

    projections = (head.Q, head.K, head.V)
    if projected := [s for s in projections if isinstance(s, Step) and s.name in letters]:
        section("Project: queries, keys, values")
        blocks += project(paper, projected)
    if isinstance(head.S, Step) and "S" in letters:
        section("Score: every query against every key")
        blocks += score(paper, head.S)
    if not paper.problem.scale.is_none and "Z" in letters:
        section(
            "Scale: divide by the root of the key width"
            if paper.problem.scale.is_default
            else "Scale by the given factor"
        )
        blocks += scale(paper, head)
    if head.M is not head.Z and "M" in letters:
        section("Mask: who may look at whom")
        blocks += mask(paper, head)
    if "A" in letters:
        section("Softmax: scores become shares")
        blocks += softmax(paper, head)
    if head.O and "O" in letters:
        section("Mix: the values by their weights")
        blocks += mix(paper, head, head.O)
    return blocks


def _pair(paper: Paper) -> Caption:
    return lambda i, j: f"{paper.token(i)} → {paper.token_kv(j)}"


def project(paper: Paper, steps: list[Step]) -> list[Block]:
    asked = {
        "Q": "a query says what a token looks for",
        "K": "a key what it offers",
        "V": "a value what it passes on",
    }
    words = ", ".join(asked[step.name] for step in steps)
    blocks = paper.said(words[0].upper() + words[1:] + ".")
    for step in steps:
        blocks += step_blocks(paper, step, "", _row_and_column(paper, step))
    return blocks


def _row_and_column(paper: Paper, step: Step) -> Caption:
    line, across = ("row", "column") if paper.convention.tokens == "rows" else ("column", "row")
    source = step.inputs[0].name.partition("_")[0]
    token = paper.token if step.name == "Q" else paper.token_kv
    first = paper.convention.index_from
    return lambda i, j: f"{line} {token(i)} of {source}, {across} {j + first} of W"


def score(paper: Paper, step: Step) -> list[Block]:
    words = "Each score is the dot product of one token’s query with one token’s key."
    blocks = step_blocks(paper, step, words, _pair(paper))
    return blocks + remarks.scores(paper, step)


def scale(paper: Paper, head: Head) -> list[Block]:
    words = "The scores are multiplied by the factor that the problem gives."
    if paper.problem.scale.is_default:
        words = "Dot products grow with the key width; scaling keeps softmax from saturating."
    return step_blocks(paper, head.Z, words, _pair(paper)) + remarks.scaled(paper, head)


def mask(paper: Paper, head: Head) -> list[Block]:
    words = "The mask is added to the scaled scores; −∞ removes a key, since its exponential is 0."
    if paper.problem.mask.kind == "bias":
        words = "The mask is added to the scaled scores: it leans towards some keys."
    return step_blocks(paper, head.M, words, _pair(paper)) + remarks.masked(paper, head)


# ------------------------------------------------------------------ softmax


def softmax(paper: Paper, head: Head) -> list[Block]:
    """Exponentials, their row sums, the weights: in that order."""
    step = head.A
    weights = cast(Weights, step.value)
    line = paper.convention.line
    blocks = paper.said(
        f"In each {line}: exponentials, their sum, then each exponential over the sum. "
        f"No {line} looks at another."
    )
    blocks += _exponentials(paper, step, weights)
    blocks.append(_row_sums(paper, weights))
    blocks += workings(paper, step, _pair(paper))
    exact: list[Cell] = []
    if paper.options.exact or weights.letters:
        named, full = (_weight_cell(paper, step, named=n) for n in (True, False))
        exact = [full, named] if weights.shape[1] <= MOST_WRITTEN_OUT else [named]
    decimals, relation = None, "="
    if not weights.letters:
        decimals, relation = paper.decimal_cell(step, maxima=True), paper.relation(step)
    blocks += forms(paper, step, exact, decimals, relation=relation)
    if _is_drawn(paper, step):
        blocks.append(heatmap(paper, step))
    return blocks + remarks.weights(paper, head)


def _exponentials(paper: Paper, step: Step, weights: Weights) -> list[Block]:
    writing = paper.writing

    def exact(i: int, j: int) -> Formula:
        return writing.exponential(weights, i, j)

    decimals: Cell | None = None
    if not weights.letters:
        rounding = roomy(paper, weights)

        def decimal(i: int, j: int) -> Formula:
            return writing.decimal(weights.rounded_exponential(i, j, rounding))

        decimals = decimal
    law = Power(Sym("e"), writing.symbol(step.inputs[0].name))
    return forms(paper, step, [exact], decimals, name="E", law=law)


def roomy(paper: Paper, weights: Weights) -> Rounding:
    """The reader's rounding; for row sums of many digits as many figures instead of places."""
    rounding = paper.writing.rounding
    shown = layout.pick(len(paper.rows), paper.options.page.rows)
    rows = [paper.rows[k] for k in shown if k is not None]
    if weights.M.is_plain:
        # e^20 is below 10^9, and e^21 above.
        large = any(weights.exceeds(i, 20) for i in rows)
    else:
        large = any(weights.rounded_row_sum(i, rounding).magnitude >= LARGE for i in rows)
    if not large:
        return rounding
    return Rounding(figures=rounding.figures or rounding.places + 1, ties=rounding.ties)


def _row_sums(paper: Paper, weights: Weights) -> Block:
    """r_i, one line each, with its decimals."""
    writing = paper.writing
    rounding = None if weights.letters else roomy(paper, weights)
    lines = []
    for k in layout.pick(len(paper.rows), paper.options.page.rows):
        if k is None:
            lines.append(Line(Sym("⋮"), "", None))
            continue
        i = paper.rows[k]
        written = writing.row_sum(weights, i)
        if rounding:
            total = weights.rounded_row_sum(i, rounding)
            digits = writing.scalar(total)
            if digits != written:
                written = seq(written, writing.relation(total), digits)
        why = f"{paper.convention.line} {paper.token(i)}"
        lines.append(Line(writing.indexed(Sym("r"), i), "=", written, why))
    if not paper.fits(*lines):
        lines = [Line(line.left, line.relation, line.right) for line in lines]
    return paper.display(*lines)


def _weight_cell(paper: Paper, step: Step, *, named: bool) -> Cell:
    writing, weights = paper.writing, cast(Weights, step.value)
    entries, best = Mixture(weights, None), paper.maxima(step)

    def cell(i: int, j: int) -> Formula:
        rational = entries.rational(i, j)
        formula = (
            writing.weight(weights, i, j, named=named)
            if rational is None
            else writing.rational(rational)
        )
        return paper.marked(formula, j in best.get(i, ()))

    return cell


def _is_drawn(paper: Paper, step: Step) -> bool:
    n, m = len(paper.rows), step.shape[1]
    return not (step.value.letters or paper.is_brief or n == 1 or max(n, m) > MOST_HEATMAP)


def heatmap(paper: Paper, step: Step) -> Heatmap:
    """The weights as a picture, each with at most three places: it needs no more."""
    page, columns = paper.options.page, range(step.shape[1])
    places = min(paper.options.rounding.places, 3)
    rounded = step.value.rounded(replace(paper.options.rounding, places=places, figures=None))

    def cell(i: int, j: int) -> tuple[float, str]:
        share = rounded[i][j]
        assert not isinstance(share, MinusInfinity)
        return float(share.fraction), str(share)

    return Heatmap(
        "Who looks at whom: each row is a query, each column a key.",
        tuple(layout.label(paper.problem.tokens[i], 9, page) for i in paper.rows),
        tuple(layout.label(token, 9, page) for token in paper.problem.tokens_kv),
        tuple(tuple(cell(i, j) for j in columns) for i in paper.rows),
        origin=Origin(paper.matrix_name(step.name), paper.rows, tuple(columns)),
    )


# ------------------------------------------------------------------ mix


def mix(paper: Paper, head: Head, step: Step) -> list[Block]:
    """The weighted sum of value rows, then each component."""
    first = paper.convention.index_from
    blocks = paper.said(
        f"Each output is the sum of all value {paper.convention.line}s, each by its weight."
    )
    if not paper.is_brief:
        blocks += _weighted_values(paper, head, step)
    blocks += workings(paper, step, lambda i, j: f"component {j + first} of {paper.token(i)}")
    exact: list[Cell] = []
    if paper.options.exact or step.value.letters:
        named, full = (_mixture_cell(paper, step, named=n) for n in (True, False))
        exact = [full, named] if head.A.shape[1] <= MOST_WRITTEN_OUT else [named]
    decimals, relation = None, "="
    if not step.value.letters:
        decimals, relation = paper.decimal_cell(step), paper.relation(step)
    blocks += forms(paper, step, exact, decimals, relation=relation)
    return blocks + remarks.outputs(paper, head, step)


def _mixture_cell(paper: Paper, step: Step, *, named: bool) -> Cell:
    mixture = cast(Mixture, step.value)
    return lambda i, j: paper.writing.mixture(mixture, i, j, named=named)


def _weighted_values(paper: Paper, head: Head, step: Step) -> list[Block]:
    """o = 0.070 [1 0 1] + 0.707 [1 2 0] + …, for the first token that is worked out."""
    assert head.V
    writing, V = paper.writing, head.V
    i = paper.rows[0]
    weights = cast(Weights, head.A.value)
    terms: list[Formula] = []
    for k in range(head.A.shape[1]):
        if isinstance(weights.M.at(i, k), MinusInfinity):
            continue
        share = writing.entry(writing.symbol("A"), i, k)
        if not step.value.letters:
            share = writing.decimal(writing.rounded(head.A)[i][k])
        row = paper.grid("V", V.shape, paper.exact_cell(V), rows=[k], labelled=False)
        terms.append(seq(share, row))
    if not terms:
        terms = [num(0)]
    relation = "="
    if not step.value.letters:
        relation = writing.relation(*writing.rounded(head.A)[i])
    left = Sub(Sym("o", bold=True), Words(paper.token(i)))
    line = Line(left, relation, elided_sum(terms, longest=5))
    return [paper.display(line)] if paper.fits(line) else []
