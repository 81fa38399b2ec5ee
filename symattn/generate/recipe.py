"""A recipe makes one exercise from a seed; it keeps its promises or says that it cannot."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Final

from symattn.errors import UsageError
from symattn.generate.difficulty import seconds
from symattn.generate.exercise import Draft, Exercise
from symattn.generate.identity import MOST_SEED, Identity
from symattn.generate.plan import Plan
from symattn.generate.promises import Promise
from symattn.generate.settings import DEFAULTS, LEVELS, Settings
from symattn.generate.stream import Stream

MOST_TRIES: Final = 5000
"""Candidates that are drawn before a recipe gives up."""
SPREAD: Final = 0.1
"""Variants with the same settings take the same time, up to this share."""
OPTIONS: Final = {"tied": "--tied", "tokens": "--tokens", "low": "--range", "high": "--range"}
SAMPLES: Final = 25
"""Drafts whose median says how long a plan takes."""


@dataclass(frozen=True, eq=False)
class Recipe:
    """`plans` are for the levels 1 to 5; `draw` makes a candidate, or None where its draw cannot
    become one."""

    name: str
    version: int
    title: str
    summary: str
    """One line for `symattn recipes`."""
    plans: tuple[Plan, Plan, Plan, Plan, Plan]
    draw: Callable[[Stream, Plan, Settings], Draft | None]
    promises: tuple[Promise, ...]
    ignores: tuple[str, ...] = ()
    """Settings that the recipe has no use for: they are refused instead of being overheard."""

    def exercise(self, seed: int, settings: Settings = DEFAULTS) -> Exercise:
        """The exercise of this seed. UsageError where the promises cannot be kept."""
        if not 0 <= seed <= MOST_SEED:
            raise UsageError(f"the seed {seed} is not between 0 and {MOST_SEED}")
        for name in self.ignores:
            if getattr(settings, name) != getattr(DEFAULTS, name):
                raise UsageError(
                    f"{self.name} has no use for {OPTIONS[name]}", hint="Leave it out."
                )
        identity = self.identity(seed, settings)
        key = str(identity)
        plan, typical = _measured(self, settings)
        broken: Counter[str] = Counter()
        for attempt in range(MOST_TRIES):
            draft = self.draw(Stream(key, attempt), plan, settings)
            if draft is None:
                broken["its numbers fit together"] += 1
                continue
            failed = next((p for p in self.promises if not p.keeps(draft, settings)), None)
            if failed:
                broken[failed.words] += 1
            elif abs((takes := seconds(draft)) - typical) > SPREAD * typical:
                broken["variants take the same time"] += 1
            else:
                estimate = max(1, round(takes / 60))
                return Exercise(identity, self.title, draft.problem, draft.tasks, estimate)
        ((words, _),) = broken.most_common(1)
        raise UsageError(
            f"{self.name} finds no sheet with these settings: it promises that {words}",
            hint="Give more room: a wider --range, more --tokens or --places, another --level.",
        )

    def identity(self, seed: int, settings: Settings = DEFAULTS) -> Identity:
        """The id of this seed, without making the exercise."""
        return Identity(self.name, self.version, seed, settings)

    def plan(self, settings: Settings) -> Plan:
        """Sizes and range for these settings; with `minutes` those of the level that comes nearest.

        UsageError where no level comes near.
        """
        if settings.minutes is None:
            return self.plans[settings.level - 1].with_settings(settings)
        plans = [self.plans[level - 1].with_settings(settings) for level in LEVELS]
        takes = [self.typical(plan, settings) / 60 for plan in plans]
        best = min(range(len(plans)), key=lambda k: abs(takes[k] - settings.minutes))  # type: ignore[operator]
        if not 0.7 <= takes[best] / settings.minutes <= 1.4:
            raise UsageError(
                f"{self.name} has no sheet of {settings.minutes} minutes",
                hint=f"Its sheets take about {', '.join(f'{t:.0f}' for t in takes)} minutes.",
            )
        return plans[best]

    def typical(self, plan: Plan, settings: Settings) -> float:
        """Seconds that a sheet of this plan takes: the median of some drafts."""
        return _typical(self, plan, settings)


@cache
def _measured(recipe: Recipe, settings: Settings) -> tuple[Plan, float]:
    plan = recipe.plan(settings)
    return plan, recipe.typical(plan, settings)


@cache
def _typical(recipe: Recipe, plan: Plan, settings: Settings) -> float:
    stream = Stream(recipe.name, recipe.version, "typical", plan)
    taken: list[float] = []
    for _ in range(100 * SAMPLES):
        draft = recipe.draw(stream, plan, settings)
        if draft is not None:
            taken.append(seconds(draft))
        if len(taken) == SAMPLES:
            break
    if not taken:
        raise UsageError(
            f"{recipe.name} cannot be drawn with these settings",
            hint="Give a wider --range, another --level, or more --tokens.",
        )
    return sorted(taken)[len(taken) // 2]
