"""The worked solution: every step with its law, an entry worked out, and what a teacher remarks."""

from __future__ import annotations

from collections.abc import Collection
from itertools import count

from symattn.derivation import Derivation
from symattn.document import Block, Document, Heading, Line, Strong
from symattn.views import closing, opening
from symattn.views.head import EVERY_STAGE, head_blocks
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.traces import traces


def explain(derivation: Derivation, options: Options = Options()) -> Document:
    """The worked solution as a document.

    UsageError where `options.focus` is not a token of the problem.
    """
    paper = Paper.of(derivation, options)
    problem = derivation.problem
    blocks: list[Block] = []
    if not paper.is_brief:
        law = opening.attention_law(paper)
        blocks += [paper.display(Line(None, "", law)), opening.symbols(paper)]
    blocks += opening.given(paper)
    blocks += head_sections(paper, EVERY_STAGE)
    blocks += closing.summary(paper)
    if options.code:
        blocks += closing.code(paper)
    return Document(
        problem.title or problem.name or "Scaled dot-product attention",
        "Worked solution — " + sizes(paper),
        tuple(blocks),
        footer=f"symattn · {problem.name}" if problem.name else "symattn",
        keywords=("attention", "worked solution"),
        traces=traces(derivation, options) if options.traced else (),
    )


def head_sections(paper: Paper, letters: Collection[str]) -> list[Block]:
    """The sections of the stages with these letters, head by head, then what joins the heads."""
    derivation = paper.derivation
    several = len(derivation.heads) > 1
    blocks: list[Block] = []
    steps = count(1)
    for number, head in enumerate(derivation.heads, 1):
        if several:
            blocks.append(Heading(1, (f"Head {number}",)))
            steps = count(1)
        own, level = paper.for_head(number), 2 if several else 1
        blocks += head_blocks(own, head, steps, level=level, letters=letters)
    if derivation.joined and "C" in letters:
        blocks += [Heading(1, ("Join the heads",)), *closing.concat(paper, derivation.joined)]
    if derivation.projected and "Y" in letters:
        if not several:
            blocks.append(Heading(1, (Strong(f"Step {next(steps)}."), " Project the output")))
        blocks += closing.output(paper, derivation.projected)
    return blocks


def sizes(paper: Paper) -> str:
    """3 tokens, key width 3, 2 heads."""
    problem, head = paper.problem, paper.derivation.heads[0]
    n, m = head.S.shape
    found = [_counted(n, "token")]
    if problem.is_cross:
        found = [_counted(n, "query", "queries"), _counted(m, "key")]
    if width := head.K.shape[1] if head.K else problem.d_k:
        found.append(f"key width {width}")
    if len(problem.heads) > 1:
        found.append(_counted(len(problem.heads), "head"))
    return ", ".join(found)


def _counted(number: int, one: str, many: str = "") -> str:
    return f"{number} {one if number == 1 else many or one + 's'}"
