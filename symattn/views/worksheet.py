"""The practice sheet of a problem: every entry an empty box. Its key is the same page, filled in.

Nothing on the page repeats what a box asks for: no matrix, heat map, remark or working.
"""

from __future__ import annotations

from itertools import count

from symattn.derivation import Derivation
from symattn.document import Document, Form, Line, Para
from symattn.views import opening
from symattn.views.explain import sizes
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.sheets.fill import Filling, rounding_rule, sections


def worksheet(derivation: Derivation, options: Options = Options()) -> Document:
    """The sheet as a document; a writer with `key` fills the boxes in.

    UsageError where `options.focus` is not a token of the problem.
    """
    paper = Paper.of(derivation, options)
    problem = derivation.problem
    blocks = (
        Form((("Name", 2), ("Date", 1))),
        Para(("Fill in the boxes. " + rounding_rule(options.rounding),)),
        paper.display(Line(None, "", opening.attention_law(paper))),
        *opening.given(paper),
        *sections(paper, derivation, Filling(), count(1)),
    )
    return Document(
        problem.title or problem.name or "Scaled dot-product attention",
        "Practice sheet — " + sizes(paper),
        blocks,
        footer=f"symattn · {problem.name}" if problem.name else "symattn",
        keywords=("attention", "worksheet"),
    )
