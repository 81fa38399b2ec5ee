"""An exercise as plain data, for `--jsonl`: the schema is `exercise.schema.json` beside this."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any, Final

from symattn.generate.exercise import Exercise
from symattn.generate.tasks import Fill
from symattn.views.data import data

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
        "derivation": data(
            exercise.derivation, exercise.settings.rounding, letters=_asked(exercise)
        ),
    }


def _asked(exercise: Exercise) -> str:
    """The letters of the stages that are asked."""
    return "".join("".join(task.letters) for task in exercise.tasks if isinstance(task, Fill))


def _task(task: Any) -> dict[str, Any]:
    return {"kind": type(task).__name__.lower(), **asdict(task)}
