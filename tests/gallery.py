"""The files of `output/`: which command makes which, read from the table in its README.

`python -m tests.gallery` writes them anew, and the pictures of their pages with them.
"""

from __future__ import annotations

import re
import shlex
import tempfile
from pathlib import Path

import pypdfium2
from click.testing import CliRunner
from PIL import Image

from symattn.cli import cli

OUTPUT = Path(__file__).parent.parent / "output"
ROW = re.compile(r"\| \[(?P<file>[\w.-]+)\]\([\w.-]+\) \| `symattn (?P<command>[^`]+)` \|")
PICTURES = {
    "i-love-ai-1.png": ("i-love-ai.pdf", 0),
    "i-love-ai-2.png": ("i-love-ai.pdf", 1),
    "i-love-ai-3.png": ("i-love-ai.pdf", 2),
    "i-love-cats-sheet-2.png": ("i-love-cats-sheet.pdf", 1),
    "i-love-cats-key-2.png": ("i-love-cats-key.pdf", 1),
    "sheet.png": ("full-attention-G200-7RP-sheet.pdf", 0),
    "faded.png": ("full-attention-G200-7RP-faded.pdf", 0),
    "marking.png": ("full-attention-G200-7RP-marking.pdf", 0),
    "mistake.png": ("find-the-mistake-G200-CK9-sheet.pdf", 0),
    "feedback.png": ("feedback.pdf", 0),
}
"""Picture → the page (from 0) of a PDF that it shows."""


def commands() -> dict[str, list[str]]:
    """File name → arguments of symattn."""
    text = (OUTPUT / "README.md").read_text(encoding="utf-8")
    return {row["file"]: shlex.split(row["command"]) for row in ROW.finditer(text)}


def made(name: str) -> bytes:
    """What the file's command writes: to its output, or among the files of a sheet."""
    arguments = commands()[name]
    if arguments[0] != "reproduce":
        return printed(arguments)
    with tempfile.TemporaryDirectory() as folder:
        printed([*arguments, "-o", folder])
        return (Path(folder) / name).read_bytes()


def printed(arguments: list[str]) -> bytes:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    # A hand-in with something wrong in it ends with 1.
    assert result.exit_code == int(arguments[0] == "verify"), result.output
    return result.stdout_bytes


def pictured(name: str) -> Image.Image:
    """The page that a picture shows, at 80 pixels per inch."""
    file, page = PICTURES[name]
    document = pypdfium2.PdfDocument((OUTPUT / file).read_bytes())
    return document[page].render(scale=80 / 72).to_pil().convert("RGB")


if __name__ == "__main__":
    for name in commands():
        (OUTPUT / name).write_bytes(made(name))
    for name in PICTURES:
        pictured(name).save(OUTPUT / name, optimize=True)
