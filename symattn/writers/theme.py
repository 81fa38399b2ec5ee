"""The colours of a page, one table for all writers. No colour is ever the only sign."""

from __future__ import annotations

from typing import Final, NamedTuple

ACCENT: Final = "1F4E8C"
GREY: Final = "6B6B6B"
MAXIMUM: Final = "FFDF8A"
FOCUS: Final = "D9E8FA"
WRONG: Final = "A3211B"

_LIGHT: Final = (0xF3, 0xF7, 0xFC)
_DARK: Final = (0x16, 0x42, 0x7E)


class Shade(NamedTuple):
    """A fill, as six hexadecimal digits, and whether its ink is white."""

    fill: str
    white_ink: bool


def shade(value: float) -> Shade:
    """The colour of a share between 0 and 1: one hue, darker for more, so it prints in grey too.

    The ink has a contrast of at least 4.5 to its fill (WCAG 2, criterion 1.4.3): white is the
    better one below a luminance of about 0.18, which is past a share of 0.7.
    """
    share = min(max(value, 0.0), 1.0) if value == value else 0.0
    fill = "".join(
        f"{round(light + (dark - light) * share):02X}"
        for light, dark in zip(_LIGHT, _DARK, strict=True)
    )
    return Shade(fill, share > 0.7)
