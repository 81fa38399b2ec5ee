"""Page shells: text files with places such as ``@{body}`` that a writer fills.

A value is put in once and never looked at again, so what a user typed cannot name a place.
``@@{name}`` stands for ``@{name}`` itself; every other ``@`` means nothing.
"""

from __future__ import annotations

import os
import re
from collections.abc import Collection, Mapping
from functools import cache
from typing import Final

from symattn.errors import InputError, MachineError, Place
from symattn.files import read_whole

SIZE_LIMIT: Final = 1_000_000
"""A page shell is a page, not a book: longer files are refused before they are read."""

_HERE: Final = os.path.dirname(os.path.abspath(__file__))
_FOLDERS: Final = (
    os.path.join(_HERE, "_templates"),
    os.path.join(os.path.dirname(_HERE), "templates"),
)
"""Where the shells are: in an installed wheel, or in a source checkout."""

NAMES: Final = (
    "title", "subtitle", "body", "header", "logo", "footer", "language", "keywords", "author",
    "paper", "metadata", "policy", "style", "script",
)  # fmt: skip
"""The places that exist. `templates/README.md` says what each holds."""


_PLACE: Final = re.compile(r"@(@(?=\{)|\{([A-Za-z_]+)\})")


def fill(
    values: Mapping[str, str], *, name: str = "", path: os.PathLike[str] | str | None = None
) -> str:
    """A page: the built-in shell called `name`, or the user's at `path`, with values put in.

    InputError where the user's shell names a place that its format does not have, or has no
    place for the body.
    """
    known = [place for place in NAMES if place in values]
    shell = built_in(name) if path is None else _users(os.fspath(path), known)
    # One pass: a value that is put in is not looked at again.
    return _PLACE.sub(lambda place: values[place[2]] if place[2] else "@", shell)


@cache
def built_in(name: str) -> str:
    """The text of a file of `templates/`. MachineError where the installation lacks it."""
    return _read(_found(name))


def data(name: str) -> bytes:
    """The bytes of a file of `templates/`. MachineError where the installation lacks it."""
    with open(_found(name), "rb") as stream:
        return stream.read()


def line_of(written: str, path: os.PathLike[str] | str) -> int:
    """The line of the user's shell, from 1, that a line of the page was made of.

    0 where there is none, or more than one.
    """
    found = [
        number
        for number, line in enumerate(_read(os.fspath(path)).split("\n"), 1)
        if _PLACE.sub("", line).strip() and _pattern(line).fullmatch(written)
    ]
    return found[0] if len(found) == 1 else 0


def _pattern(line: str) -> re.Pattern[str]:
    """What a line of a shell can become."""
    parts, start = [], 0
    for place in _PLACE.finditer(line):
        parts += [re.escape(line[start : place.start()]), ".*" if place[2] else "@"]
        start = place.end()
    return re.compile("".join([*parts, re.escape(line[start:])]))


def _found(name: str) -> str:
    for folder in _FOLDERS:
        file = os.path.join(folder, name)
        if os.path.isfile(file):
            return file
    raise MachineError(f"{name} is missing from this installation", hint="Install symattn again.")


def _users(file: str, known: Collection[str]) -> str:
    text = _read(file)
    found = {place[2]: place.start() for place in reversed([*_PLACE.finditer(text)]) if place[2]}
    for wanted, start in found.items():
        if wanted not in known:
            import difflib

            near = difflib.get_close_matches(wanted, known, 1)
            guess = f"Did you mean @{{{near[0]}}}? " if near else ""
            raise InputError(
                f"there is no @{{{wanted}}}",
                place=Place(file=file, line=text.count("\n", 0, start) + 1),
                hint=f"{guess}Known are {', '.join(known)}; the text itself is @@{{{wanted}}}.",
            )
    if "body" not in found:
        raise InputError(
            "the template has no place for the page",
            place=Place(file=file),
            hint="Put @{body} where the page should stand.",
        )
    return text


def _read(file: str) -> str:
    data = read_whole(
        file,
        SIZE_LIMIT,
        "the template",
        too_long=f"the template is longer than {SIZE_LIMIT:,} bytes",
        hint="A template holds one page without its contents; is this the right file?",
    )
    try:
        return data.decode("utf-8").replace("\r\n", "\n")
    except UnicodeDecodeError as error:
        raise InputError(
            "the template is not UTF-8 text",
            place=Place(file=file, line=data.count(b"\n", 0, error.start) + 1),
            hint="Save it as UTF-8.",
        ) from error
