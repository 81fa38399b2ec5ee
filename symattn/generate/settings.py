"""What somebody may ask of a sheet. All of it is part of the sheet's id."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Final, Literal

from symattn.errors import UsageError
from symattn.exact.rounding import Rounding

LEVELS: Final = (1, 2, 3, 4, 5)


@dataclass(frozen=True, slots=True)
class Settings:
    """`None` leaves a choice to the recipe and the level. UsageError for what cannot be asked."""

    level: int = 2
    minutes: int | None = None
    """Sizes are chosen so that the estimate comes near to it; the level is then only a hint."""
    low: int | None = None
    high: int | None = None
    """The range of the small integers that are given."""
    tokens: int | None = None
    """How many tokens the sequence has."""
    places: int = 3
    ties: Literal["even", "up"] = "even"
    tied: bool = False
    """The row maxima are tied instead of unique."""

    def __post_init__(self) -> None:
        for what, value, least, most in (
            ("level", self.level, 1, 5),
            ("minutes", self.minutes, 1, 180),
            ("low", self.low, -99, 99),
            ("high", self.high, -99, 99),
            ("tokens", self.tokens, 2, 8),
            ("places", self.places, 1, 6),
        ):
            if value is not None and not least <= value <= most:
                raise UsageError(
                    f"{what} {value} cannot be asked for", hint=f"Ask for {least} to {most}."
                )
        if self.low is not None and self.high is not None and self.low >= self.high:
            raise UsageError(
                f"there are no integers to draw between {self.low} and {self.high}",
                hint="Give the smaller one first: --range -2 3.",
            )

    @property
    def rounding(self) -> Rounding:
        return Rounding(self.places, ties=self.ties)


DEFAULTS: Final = Settings()
