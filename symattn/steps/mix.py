"""O = A V: each token's answer is the mixture of the value rows by its weights."""

from __future__ import annotations

from typing import Final

from symattn.derivation import Rule, Step
from symattn.exact.matrix import Matrix
from symattn.exact.mixture import Mixture, Weights
from symattn.formula import Formula, seq
from symattn.notation import Writing
from symattn.steps import working


def compute(A: Weights | Matrix, V: Matrix) -> Mixture | Matrix:
    """A V: n×m · m×d_v → n×d_v. Weights that no softmax made are an ordinary matrix."""
    return Mixture(A, V) if isinstance(A, Weights) else A @ V


def law(step: Step, writing: Writing) -> Formula:
    a, v = writing.symbol("A"), writing.symbol("V")
    return seq(a, v) if writing.convention.tokens == "rows" else seq(v, a)


MIX: Final = Rule("mix", "Output", compute, law, working.mixed)
