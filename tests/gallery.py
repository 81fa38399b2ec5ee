"""The files of `output/`: which command makes which, read from the table in its README.

`python -m tests.gallery` writes them anew, and the pictures of their pages with them.
"""

from __future__ import annotations

import re
import shlex
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
}
"""Picture → the page (from 0) of a PDF that it shows."""


def commands() -> dict[str, list[str]]:
    """File name → arguments of symattn."""
    text = (OUTPUT / "README.md").read_text(encoding="utf-8")
    return {row["file"]: shlex.split(row["command"]) for row in ROW.finditer(text)}


def printed(arguments: list[str]) -> bytes:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.stdout_bytes


def pictured(name: str) -> Image.Image:
    """The page that a picture shows, at 80 pixels per inch."""
    file, page = PICTURES[name]
    document = pypdfium2.PdfDocument((OUTPUT / file).read_bytes())
    return document[page].render(scale=80 / 72).to_pil().convert("RGB")


if __name__ == "__main__":
    for name, arguments in commands().items():
        (OUTPUT / name).write_bytes(printed(arguments))
    for name in PICTURES:
        pictured(name).save(OUTPUT / name, optimize=True)
