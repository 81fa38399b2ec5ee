"""Everything that can go wrong, sorted by who must act, each with its place and its next step."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import ClassVar


@dataclass(frozen=True, slots=True)
class Place:
    """Where something is wrong. Every field is optional; lines and columns count from 1."""

    file: str = ""
    line: int = 0
    column: int = 0
    matrix: str = ""
    cell: tuple[int, int] | None = None
    """Row and column of the matrix, both counted from 1."""
    typed: str = ""
    """The text the user typed, shown with a caret under `caret`."""
    caret: int = 0
    """0-based position in `typed`."""

    def __str__(self) -> str:
        parts = []
        if self.file:
            spot = self.file
            if self.line:
                spot += f":{self.line}"
                if self.column:
                    spot += f":{self.column}"
            parts.append(spot)
        if self.matrix:
            where = self.matrix
            if self.cell:
                where += f", row {self.cell[0]}, column {self.cell[1]}"
            parts.append(where)
        return ": ".join(parts)


class SymattnError(Exception):
    """The base of all errors that symattn raises on purpose.

    `message` says what is wrong, `place` where, `hint` what to do next.
    """

    exit_code: ClassVar[int] = 1
    who: ClassVar[str] = ""

    def __init__(self, message: str, *, place: Place | None = None, hint: str = "") -> None:
        super().__init__(message)
        self.message = message
        self.place = place or Place()
        self.hint = hint

    def __str__(self) -> str:
        lines = [": ".join(filter(None, [str(self.place), self.message]))]
        if self.place.typed:
            # Only the neighbourhood of the caret is shown: what was typed may be megabytes long.
            start = max(0, self.place.caret - 40)
            shown = self.place.typed[start : start + 72]
            lines += [f"    {shown}", "    " + " " * (self.place.caret - start) + "^"]
        if self.hint:
            lines.append(self.hint)
        return "\n".join(lines)


def known_are(word: str, known: Iterable[str]) -> str:
    """The hint for a word that is none of the known ones: the nearest of them, then all."""
    import difflib  # Only where something is wrong.

    names = list(known)
    near = difflib.get_close_matches(word, names, 1)
    guess = f"Did you mean {near[0]}? " if near else ""
    return f"{guess}Known are {', '.join(names)}."


class InputError(SymattnError):
    """What was handed in cannot be read or does not fit together: its author must change it."""

    exit_code = 2
    who = "the author of the problem"


class UsageError(SymattnError):
    """The command or the call asks for something that does not exist: its caller must change it."""

    exit_code = 2
    who = "the caller"


class OutOfScope(SymattnError):
    """Sound input that leaves the numbers symattn can carry exactly: choose another problem."""

    exit_code = 3
    who = "the author of the problem"


class Undecided(SymattnError):
    """Two values agree to every digit tried and no theorem tells whether they are equal."""

    exit_code = 3
    who = "nobody"


class MachineError(SymattnError):
    """The machine refuses: a file that cannot be read or written, a program that is missing."""

    exit_code = 4
    who = "the owner of the machine"
