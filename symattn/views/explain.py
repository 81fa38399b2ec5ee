"""The worked solution: every step with its law, an entry worked out, and what a teacher remarks."""

from __future__ import annotations

from itertools import count

from symattn.derivation import Derivation
from symattn.document import Block, Document, Heading, Line, Strong
from symattn.views import closing, opening
from symattn.views.head import head_blocks
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
    several = len(derivation.heads) > 1
    steps = count(1)
    for number, head in enumerate(derivation.heads, 1):
        if several:
            blocks.append(Heading(1, (f"Head {number}",)))
            steps = count(1)
        blocks += head_blocks(paper.for_head(number), head, steps, level=2 if several else 1)
    if derivation.joined:
        blocks += [Heading(1, ("Join the heads",)), *closing.concat(paper, derivation.joined)]
    if derivation.projected:
        if not several:
            blocks.append(Heading(1, (Strong(f"Step {next(steps)}."), " Project the output")))
        blocks += closing.output(paper, derivation.projected)
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
