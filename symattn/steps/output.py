"""Y = C W_O: the heads' findings, mixed back to the model's width."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix, MatrixLike, entries
from symattn.exact.mixture import Beside, Mixture, Sum
from symattn.formula import Formula, seq, transpose
from symattn.notation import Writing
from symattn.steps import working


def compute(C: MatrixLike, W_O: Matrix) -> Sum | Matrix:
    """C W_O: n×(h·d_v) · (h·d_v)×d_model → n×d_model.

    Each head meets its own rows of W_O, so Y = Σ_h A_h (V_h W_O,h): one bottom for each head.
    """
    heads = C.parts if isinstance(C, Beside) else (C,)
    if not all(isinstance(head, Mixture) for head in heads):
        return entries(C) @ W_O
    parts: list[Mixture] = []
    start = 0
    for head in heads:
        assert isinstance(head, Mixture) and head.V
        end = start + head.shape[1]
        own = Matrix(W_O.rows[start:end], W_O.unit, W_O.shape[1])
        parts.append(Mixture(head.A, head.V @ own))
        start = end
    return Sum(tuple(parts))


def law(step: Step, writing: Writing) -> Formula:
    c, w = writing.symbol(step.inputs[0].name), writing.symbol("W_O")
    if writing.convention.tokens == "rows":
        return seq(c, w if writing.convention.weights == "right" else transpose(w))
    return seq(w if writing.convention.weights == "left" else transpose(w), c)


OUTPUT: Final = Rule("output", "Answer", compute, law, working.mixed)
