"""How attention is written down: the same mathematics, shown and read in another orientation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal


@dataclass(frozen=True, slots=True)
class Convention:
    """What is on paper. Inside symattn tokens are always rows and W stands on the right.

    With tokens as rows the scores are Q Kᵀ, one row per query; with tokens as columns they are
    Kᵀ Q, one column per query. `weights` says on which side of X a weight matrix is written *as
    given*: right is d_model × d_k, left is d_k × d_model (PyTorch's `nn.Linear` stores the latter).
    """

    tokens: Literal["rows", "columns"] = "rows"
    weights: Literal["right", "left"] = "right"
    index_from: Literal[0, 1] = 1
    fence: Literal["[", "("] = "["

    @property
    def line(self) -> str:
        """What one token's numbers form on paper: "row" or "column"."""
        return "row" if self.tokens == "rows" else "column"


ROWS: Final = Convention()
COLUMNS: Final = Convention(tokens="columns", weights="left")
