"""A picture for the head of a page: a school's sign."""

from __future__ import annotations

import os
from dataclasses import dataclass
from typing import Final, Literal

from symattn.errors import InputError, Place
from symattn.files import read_whole

SIZE_LIMIT: Final = 1_000_000
"""A logo is a small picture: larger files are refused before they are read."""

Kind = Literal["png", "jpeg", "svg"]

_STARTS: Final[dict[Kind, tuple[bytes, ...]]] = {
    "png": (b"\x89PNG\r\n\x1a\n",),
    "jpeg": (b"\xff\xd8\xff",),
    "svg": (b"<svg", b"<?xml"),
}


@dataclass(frozen=True, eq=False, slots=True)
class Logo:
    """The bytes of a picture, its kind, and where it was read from."""

    data: bytes
    kind: Kind
    path: str = ""

    @staticmethod
    def read(path: os.PathLike[str] | str) -> Logo:
        """The picture in a file. InputError where it is none; MachineError: cannot be read."""
        file = os.fspath(path)
        data = read_whole(
            file,
            SIZE_LIMIT,
            "the logo",
            too_long=f"the logo is larger than {SIZE_LIMIT:,} bytes",
            hint="Save it smaller: it is printed 12 mm high.",
        )
        start = data.removeprefix(b"\xef\xbb\xbf").lstrip()
        for kind, starts in _STARTS.items():
            if start.startswith(starts):
                return Logo(data, kind, file)
        raise InputError(
            "the logo is neither PNG, JPEG nor SVG",
            place=Place(file=file),
            hint="Save it as one of these.",
        )
