"""One stage alone: its exact form and its decimals; or the weights alone, as a picture."""

from __future__ import annotations

from symattn.derivation import Derivation, Step
from symattn.document import Block, Document, Line
from symattn.errors import UsageError
from symattn.formula import Formula, seq
from symattn.layout import width
from symattn.views.head import heatmap
from symattn.views.options import Options
from symattn.views.paper import Paper


def one_stage(derivation: Derivation, name: str, head: int | None, options: Options) -> Document:
    """A page with one matrix. UsageError where the problem has no such stage."""
    stage = derivation.stage(name, head)
    paper = _of_head(derivation, head, options)
    symbol = paper.writing.symbol(name)
    lead: list[Formula | str] = [symbol, "="]
    if isinstance(stage, Step) and stage.name == name:
        lead += [stage.rule.law(stage, paper.writing), "="]
    rows = paper.rows if name not in ("K", "V") else None
    room = options.page.width - width(seq(*lead), options.page)
    blocks: list[Block] = []
    if options.exact or stage.value.letters:
        exact = paper.grid(name, stage.shape, paper.exact_cell(stage), rows=rows, room=room)
        blocks.append(paper.display(Line(None, "", seq(*lead, exact))))
    if not stage.value.letters:
        relation = paper.relation(stage)
        grid = paper.grid(name, stage.shape, paper.decimal_cell(stage), rows=rows, decimal=True)
        if relation == "≈" or not blocks:
            blocks.append(paper.display(Line(symbol, relation, grid)))
    return _page(derivation, f"Stage {name}", head, blocks)


def weights_picture(derivation: Derivation, head: int | None, options: Options) -> Document:
    """A page with the heat map of the weights. UsageError where they have letters in them."""
    weights = derivation.stage("A", head)
    assert isinstance(weights, Step)
    paper = _of_head(derivation, head, options)
    if weights.value.letters:
        raise UsageError(
            "weights with letters have no shades", hint="Give the letters values, or use --stage A."
        )
    return _page(derivation, "Weights", head, [heatmap(paper, weights)])


def _of_head(derivation: Derivation, head: int | None, options: Options) -> Paper:
    several = len(derivation.heads) > 1
    return Paper.of(derivation, options).for_head(head if several else None)


def _page(derivation: Derivation, subtitle: str, head: int | None, blocks: list[Block]) -> Document:
    title = derivation.problem.title or derivation.problem.name or "Attention"
    return Document(title, subtitle + (f" of head {head}" if head else ""), tuple(blocks))
