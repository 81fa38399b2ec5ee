"""Why something could not be read: one exception, with a stable code."""

from __future__ import annotations

from typing import Final, NoReturn

from symattn.errors import InputError, Place

CODES: Final = {
    "ambiguous": "it can be read in more than one way",
    "bad-number": "this is not a number",
    "double-superscript": "a power of a power needs braces",
    "duplicate-key": "the same name is given twice",
    "ellipsis-cell": "a cell is only dots",
    "empty-argument": "nothing stands where a number belongs",
    "empty-cell": "a cell is empty",
    "empty-matrix": "the matrix is empty",
    "extra-brace": "a brace is closed that was not opened",
    "forbidden-macro": "this command is not read",
    "macro-definition": "definitions of commands are not read",
    "malformed": "this is not well formed",
    "mismatched-delimiter": "two brackets do not fit together",
    "mismatched-environment": "two environments do not fit together",
    "missing-argument": "an argument is missing",
    "missing-brace": "a brace is not closed",
    "missing-delimiter": "a bracket is not closed",
    "missing-operand": "a number is missing",
    "not-a-value": "this is not one value",
    "not-real": "this is not a real number",
    "out-of-scope": "this leaves the numbers that can be compared exactly",
    "ragged": "the rows have different lengths",
    "shape": "the shapes do not fit",
    "too-deep": "brackets are nested too deep",
    "too-large": "this is too large for a hand calculation",
    "two-numbers": "two numbers stand next to each other",
    "undefined": "this has no value",
    "unescaped-percent": "a percent sign hides the rest of the line",
    "unknown-macro": "this command is not known",
    "unknown-symbol": "this is not part of a number",
}
"""Every code, with its meaning."""


class Refusal(InputError):
    """What was written cannot be read. `start` and `end` are its place in the text, from 0.

    `readings` are the ways in which an ambiguous text can be read.
    """

    who = "the author of the answers"

    def __init__(
        self,
        code: str,
        start: int,
        end: int | None = None,
        *,
        message: str = "",
        hint: str = "",
        readings: tuple[str, ...] = (),
    ) -> None:
        words = message or CODES[code]
        if readings:
            words += ": " + " or ".join(readings)
        super().__init__(words, hint=hint)
        self.code = code
        self.start = start
        self.end = start + 1 if end is None else end
        self.readings = readings

    def within(self, text: str, *, file: str = "", line: int = 1) -> Refusal:
        """The same, with the line of the text it points at (the text's first is `line`)."""
        start = min(max(self.start, 0), len(text))
        before = text.rfind("\n", 0, start) + 1
        after = text.find("\n", start)
        shown = text[before : len(text) if after < 0 else after]
        self.place = Place(
            file=file,
            line=line + text.count("\n", 0, start),
            column=start - before + 1,
            typed="".join(c if c.isprintable() else " " for c in shown),
            caret=start - before,
        )
        return self


def refuse(
    code: str,
    start: int,
    end: int | None = None,
    *,
    message: str = "",
    hint: str = "",
    readings: tuple[str, ...] = (),
) -> NoReturn:
    raise Refusal(code, start, end, message=message, hint=hint, readings=readings)
