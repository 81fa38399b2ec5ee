"""After the heads: joining them, the summary, and the same computation as code."""

from __future__ import annotations

from symattn.derivation import Step
from symattn.document import Block, Code, Heading, Inline, Items, Line, Math, Para, Strong
from symattn.formula import Sym, seq
from symattn.views.entries import MOST_LISTED, forms, workings
from symattn.views.paper import Paper, readable


def concat(paper: Paper, step: Step) -> list[Block]:
    """C, the outputs of the heads side by side."""
    return paper.said("The outputs of the heads stand side by side.") + _joined(paper, step)


def output(paper: Paper, step: Step) -> list[Block]:
    """Y = C W_O."""
    first = paper.convention.index_from
    blocks = paper.said("The output projection brings the result back to the model’s width.")
    blocks += workings(paper, step, lambda i, j: f"component {j + first} of {paper.token(i)}")
    return blocks + _joined(paper, step)


def _joined(paper: Paper, step: Step) -> list[Block]:
    """Decimals; with letters the law alone, whose entries stand in the heads above."""
    law = step.rule.law(step, paper.writing)
    if step.value.letters:
        return [paper.display(Line(paper.writing.symbol(step.name), "=", law))]
    return forms(paper, step, [], paper.decimal_cell(step), relation=paper.relation(step))


def summary(paper: Paper) -> list[Block]:
    """The method once more, a line for each step, and the result."""
    derivation = paper.derivation
    head = derivation.heads[0]
    line = paper.convention.line
    items: list[tuple[Inline, ...]] = []

    def item(verb: str, *text: Inline) -> None:
        items.append((Strong(verb), " ", *text))

    def law(step: Step) -> Math:
        return Math(seq(Sym(step.name), "=", step.rule.law(step, paper.writing)))

    if X := paper.problem.X:
        item(
            "Embed.", f"The tokens are the {line}s of ", Math(Sym("X")), f", {paper.size(X.shape)}."
        )
    if projected := [s for s in (head.Q, head.K, head.V) if isinstance(s, Step)]:
        laws: list[Inline] = [part for step in projected for part in (", ", law(step))]
        item("Project.", *laws[1:], ".")
    if isinstance(head.S, Step):
        item("Score.", law(head.S), ": every query against every key.")
    if not paper.problem.scale.is_none:
        item("Scale.", law(head.Z), ".")
    if head.M is not head.Z:
        item("Mask.", law(head.M), ".")
    item("Softmax.", law(head.A), f": each {line} sums to 1.")
    if head.O:
        item("Mix.", law(head.O), ".")
    if derivation.joined:
        item(
            "Join.",
            f"The {len(derivation.heads)} heads stand side by side in ",
            Math(Sym("C")),
            ".",
        )
    if derivation.projected:
        item("Project back.", law(derivation.projected), ".")
    return [Heading(1, ("Summary",)), Items(tuple(items), numbered=True), *_result(paper)]


def _result(paper: Paper) -> list[Block]:
    answer = paper.derivation.answer
    if answer.value.letters:
        return []
    if readable(paper.options.rounding) != paper.options.rounding:
        return _many_digits(paper, answer)
    cell = paper.decimal_cell(answer)
    grid = paper.grid(answer.name, answer.shape, cell, rows=paper.rows, decimal=True)
    symbol = paper.writing.symbol(answer.name)
    return [paper.display(Line(symbol, paper.relation(answer), grid))]


def _many_digits(paper: Paper, answer: Step) -> list[Block]:
    """The digits that do not fit into a matrix, in groups of ten, entry by entry."""
    decimals = answer.value.rounded(paper.options.rounding)
    symbol = paper.writing.symbol(answer.name)
    cells = [(i, j) for i in paper.rows for j in range(answer.shape[1])]
    items: list[tuple[Inline, ...]] = []
    for i, j in cells[:MOST_LISTED]:
        value = decimals[i][j]
        relation = paper.writing.relation(value)
        name = Math(seq(paper.writing.entry(symbol, i, j), relation))
        items.append((name, f" {_grouped(str(value))}"))
    words = "The result to all digits asked for"
    if len(cells) > MOST_LISTED:
        words += f", its first {MOST_LISTED} entries"
    return [Para((words + ":",)), Items(tuple(items))]


def _grouped(digits: str) -> str:
    whole, _, part = digits.partition(".")
    groups = " ".join(part[k : k + 10] for k in range(0, len(part), 10))
    return f"{whole}.{groups}" if part else whole


def code(paper: Paper) -> list[Block]:
    """Programs that compute the same."""
    from symattn.views.program import program  # only where it is asked for

    blocks: list[Block] = [Heading(1, ("The same in code",))]
    for library, source in program(paper.problem):
        blocks += [Para((f"With {library}:",)), Code("python", source)]
    return blocks
