"""Why something could not be read: one exception, with a stable code."""

from __future__ import annotations

from typing import Final, NoReturn

from symattn.errors import InputError, Place

CODES: Final = {
    "ambiguous": ("it can be read in more than one way", "Write it so that one way is left."),
    "bad-number": ("this is not a number", "Write numbers such as 1.25, -3 or 2/3."),
    "double-superscript": ("a power of a power needs braces", "Write (2^3)^2 or 2^{3^2}."),
    "duplicate-key": ("the same name is given twice", "Keep one of them."),
    "ellipsis-cell": ("a cell is only dots", "Write every number out."),
    "empty-argument": ("nothing stands where a number belongs", "Complete it."),
    "empty-cell": ("a cell is empty", "Write ? for a cell that is left open."),
    "empty-matrix": ("the matrix is empty", "Write its numbers, or leave it out."),
    "extra-brace": ("a brace is closed that was not opened", "Check the braces before it."),
    "forbidden-macro": ("this command is not read", "Leave it out, and write the numbers."),
    "macro-definition": ("definitions of commands are not read", "Write the numbers out instead."),
    "malformed": ("this is not well formed", "Check the brackets, braces and quotes before it."),
    "mismatched-delimiter": ("two brackets do not fit together", "Close each as it was opened."),
    "mismatched-environment": (
        "two environments do not fit together", "End each environment that begins, in order."
    ),
    "missing-argument": ("an argument is missing", "Put each argument in braces."),
    "missing-brace": ("a brace is not closed", "Close it."),
    "missing-delimiter": ("a bracket is not closed", "Close it."),
    "missing-operand": ("a number is missing", "Complete it."),
    "not-a-value": ("this is not one value", "Give one number or one matrix."),
    "not-real": ("this is not a real number", "Check the sign under the root."),
    "out-of-scope": (
        "this leaves the numbers that can be compared exactly", "Write its decimals instead."
    ),
    "ragged": ("the rows have different lengths", "Give every row the same number of cells."),
    "shape": ("the shapes do not fit", "Check the rows and columns of both."),
    "too-deep": ("brackets are nested too deep", "Write it with fewer brackets."),
    "too-large": ("this is too large for a hand calculation", "Write less, or smaller numbers."),
    "two-numbers": (
        "two numbers stand next to each other", "Put a sign or a comma between them."
    ),
    "undefined": ("this has no value", "Check what stands below the bar."),
    "unescaped-percent": (
        "a percent sign hides the rest of the line", r"In LaTeX write \% for per cent."
    ),
    "unknown-macro": ("this command is not known", "Write the number without it."),
    "unknown-symbol": (
        "this is not part of a number", "Write numbers, fractions, roots and powers of e."
    ),
}  # fmt: skip
"""Every code, with its meaning and the next step."""


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
        meaning, step = CODES[code]
        words = message or meaning
        if readings:
            words += ": " + " or ".join(readings)
        super().__init__(words, hint=hint or step)
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
