"""One stage alone: its exact form and its decimals."""

from __future__ import annotations

from symattn.derivation import Derivation, Step
from symattn.document import Block, Document, Line
from symattn.formula import Formula, seq
from symattn.layout import width
from symattn.views.options import Options
from symattn.views.paper import Paper


def one_stage(derivation: Derivation, name: str, head: int | None, options: Options) -> Document:
    """A page with one matrix. UsageError where the problem has no such stage."""
    stage = derivation.stage(name, head)
    several = len(derivation.heads) > 1
    paper = Paper.of(derivation, options).for_head(head if several else None)
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
    title = derivation.problem.title or derivation.problem.name or "Attention"
    return Document(title, f"Stage {name}" + (f" of head {head}" if head else ""), tuple(blocks))
