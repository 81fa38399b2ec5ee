"""C = [O⁽¹⁾ … O⁽ʰ⁾]: the heads' outputs side by side."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import MatrixLike
from symattn.exact.mixture import Beside
from symattn.formula import Formula, Line, Paren, Sym, joined
from symattn.notation import Writing, stage_symbol


def compute(*O: MatrixLike) -> Beside:  # noqa: E741  (the letter of the paper)
    """Side by side: h of n×d_v → n×(h·d_v)."""
    return Beside(O)


def law(step: Step, writing: Writing) -> Formula:
    heads = [stage_symbol("O", number) for number, _ in enumerate(step.inputs, 1)]
    if len(heads) > 4:
        heads = [*heads[:2], Sym("⋯"), heads[-1]]
    sign = "," if writing.convention.tokens == "rows" else ";"
    return Paren(joined(sign, heads), "[")


def work(step: Step, i: int, j: int, writing: Writing) -> tuple[Line, ...]:
    """Nothing is computed here: the entry is one of a head's output."""
    column = j
    for number, stage in enumerate(step.inputs, 1):
        if column < stage.shape[1]:
            source = writing.entry(stage_symbol("O", number), i, column)
            return (Line(writing.entry(Sym("C"), i, j), "=", source),)
        column -= stage.shape[1]
    raise IndexError(j)


CONCAT: Final = Rule("concat", "Heads side by side", compute, law, work)
