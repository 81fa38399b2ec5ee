"""The five documents of an exercise, by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Final

from symattn.document import Document
from symattn.generate.exercise import Exercise
from symattn.views.options import Options
from symattn.views.sheets.marking import marking
from symattn.views.sheets.sheet import faded, sheet
from symattn.views.sheets.solution import solution

DOCUMENTS: Final[dict[str, Callable[[Exercise, Options], Document]]] = {
    "sheet": sheet,
    "faded": faded,
    "key": sheet,
    "solution": solution,
    "marking": marking,
}
"""A key is its sheet, written with its boxes filled in."""
