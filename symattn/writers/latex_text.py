"""Literal text -> LaTeX that every engine sets the same way, whatever somebody typed."""

from __future__ import annotations

import re
import unicodedata
from typing import Final

from symattn.writers.base import code_point

_ASCII: Final = str.maketrans(
    {
        "\\": r"\textbackslash{}",
        "{": r"\{",
        "}": r"\}",
        "$": r"\$",
        "&": r"\&",
        "#": r"\#",
        "_": r"\_",
        "%": r"\%",
        "^": r"\textasciicircum{}",
        "~": r"\textasciitilde{}",
        "<": r"\textless{}",
        ">": r"\textgreater{}",
        "|": r"\textbar{}",
        '"': r"\textquotedbl{}",
        "`": r"\textasciigrave{}",
    }
)
_LIGATURES: Final = re.compile(r"(?<=-)(?=-)|(?<=')(?=')|(?<=,)(?=,)")

_RANGES: Final = (
    (0x00A0, 0x017F),  # Latin
    (0x0386, 0x03CE),  # Greek
    (0x2010, 0x205F),  # dashes, quotation marks
    (0x2070, 0x20AC),  # raised and lowered digits, currencies
    (0x2190, 0x2199),  # arrows
    (0x2200, 0x2265),  # mathematical signs
    (0x22C5, 0x22EF),
)
_UNSAFE: Final = frozenset("ŉΐ∟∯∰∱∻∾≆≋≌≙≛⋘⋙⋨")
"""Characters whose usual LaTeX needs packages or fonts that are not loaded."""


def latex_text(text: str) -> str:
    """Escaped text. A character without a letterform becomes its code point, as [U+4E2D]."""
    if not text.isascii():
        return _unicode(unicodedata.normalize("NFC", text))
    escaped = text.translate(_ASCII)
    if "--" in text or "''" in text or ",," in text:
        escaped = _LIGATURES.sub("{}", escaped)
    return escaped


def fitted(text: str, room: int) -> str:
    """The text, cut off visibly where it is wider than `room` letters when written."""
    if len(text) <= room and text.isascii():
        return text
    for position, character in enumerate(text):
        room -= letters(character)
        if room < 0:
            return text[: max(position - 1, 1)] + "…"
    return text


def letters(character: str) -> int:
    """How many letters stand for a character: many when it is shown as its code point."""
    return 1 if character.isascii() or _character(character)[0] == "{" else 8


def _unicode(text: str) -> str:
    return "".join(
        latex_text(run) if run.isascii() else "".join(map(_character, run))
        for run in re.split(r"([^\x00-\x7f]+)", text)
        if run
    )


_written: Final[dict[str, str]] = {
    "—": r"{{\textemdash}}",
    "→": r"{{\textrightarrow}}",
    "×": r"{{\texttimes}}",
    "·": r"{{\textperiodcentered}}",
    "’": "{'}",
    "“": r"{{\textquotedblleft}}",
    "”": r"{{\textquotedblright}}",
    "…": r"{{\textellipsis}}",
    "−": r"{\ensuremath{-}}",
    "√": r"{\ensuremath{\surd}}",
}
"""What is known already; the characters of every page spare them the import of pylatexenc."""


def _character(character: str) -> str:
    known = _written.get(character)
    if known is None:
        known = _written[character] = _encode(character)
    return known


def _encode(character: str) -> str:
    if character.isspace():
        return "~" if character == "\xa0" else "{ }"
    code = ord(character)
    if character in _UNSAFE or not any(low <= code <= high for low, high in _RANGES):
        return code_point(character) + r"\allowbreak{}"
    # Imported here, because most documents are ASCII.
    from pylatexenc.latexencode import UnicodeToLatexEncoder

    encoder = UnicodeToLatexEncoder(unknown_char_policy="fail", unknown_char_warning=False)
    try:
        return "{" + str(encoder.unicode_to_latex(character)) + "}"
    except ValueError:  # It has no name in LaTeX.
        return code_point(character) + r"\allowbreak{}"
