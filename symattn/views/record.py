"""An exercise as plain data, for `--jsonl`: the schema is `exercise.schema.json` beside this."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from symattn.generate.exercise import Exercise
from symattn.generate.tasks import Fill, Shapes
from symattn.views.data import EVERY_STAGE, data

SCHEMA: Final = "symattn/exercise/1"


def record(exercise: Exercise) -> dict[str, Any]:
    """What the sheet is made from, what it asks, and every stage exactly and in decimals."""
    identity = exercise.identity
    return {
        "schema": SCHEMA,
        "id": str(identity),
        "recipe": identity.recipe,
        "version": identity.version,
        "seed": identity.seed,
        "settings": asdict(identity.settings),
        "title": exercise.title,
        "minutes": exercise.minutes,
        "tasks": [_task(task) for task in exercise.tasks],
        "derivation": _derivation(exercise),
    }


def _derivation(exercise: Exercise) -> dict[str, Any] | None:
    """The asked stages and what they come from; all of them where the question is another."""
    if any(isinstance(task, Shapes) for task in exercise.tasks):
        return None
    letters = _asked(exercise) or EVERY_STAGE
    return data(exercise.derivation, exercise.settings.rounding, letters=letters)


def _asked(exercise: Exercise) -> str:
    """The letters of the stages that are asked."""
    return "".join("".join(task.letters) for task in exercise.tasks if isinstance(task, Fill))


def _task(task: Any) -> dict[str, Any]:
    return {"kind": type(task).__name__.lower(), **asdict(task)}
