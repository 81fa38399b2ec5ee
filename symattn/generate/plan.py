"""How large a sheet is at each level: sizes, and the range of its integers."""

from __future__ import annotations

from dataclasses import dataclass, replace

from symattn.errors import UsageError
from symattn.generate.settings import Settings


@dataclass(frozen=True, slots=True)
class Plan:
    """n queries, m keys (0: as many), the widths, the heads, and the range of given integers.

    A width of 0 does not occur in the recipe.
    """

    n: int
    d_model: int
    d_k: int
    d_v: int
    low: int
    high: int
    m: int = 0
    heads: int = 1

    def __str__(self) -> str:
        """3 tokens, d_model 2, d_k 4, d_v 1, integers from −1 to 2."""
        parts = [f"{self.n} tokens" if not self.m else f"{self.n} queries, {self.m} keys"]
        parts += [f"{self.heads} heads"] if self.heads > 1 else []
        widths = {"d_model": self.d_model, "d_k": self.d_k, "d_v": self.d_v}
        parts += [f"{name} {width}" for name, width in widths.items() if width]
        low = str(self.low).replace("-", "−")
        return ", ".join([*parts, f"integers from {low} to {self.high}"])

    def with_settings(self, settings: Settings) -> Plan:
        """The plan with what was asked for in its place. UsageError where the range is empty."""
        low = self.low if settings.low is None else settings.low
        high = self.high if settings.high is None else settings.high
        if high - low < 2:
            raise UsageError(
                f"from {low} to {high} there are too few integers for a sheet",
                hint="Give a range of at least three integers: --range -1 1.",
            )
        return replace(self, low=low, high=high, n=settings.tokens or self.n)
