"""`output/` shows what the commands print today."""

from __future__ import annotations

import io
import re

import pypdf
import pytest
import typst
from gallery import OUTPUT, PICTURES, commands, made, pictured
from PIL import Image, ImageChops, ImageStat

TYPST = "0.15.2"
"""The release that made the PDFs of the gallery; another one may set a page a little otherwise."""
OWN = re.compile(r"-[0-9A-Z]{4}-[0-9A-Z-]+-(sheet|faded|key|solution|marking)[\w-]*\.\w+$")
"""Sheets that somebody made here: `symattn worksheet` writes into `output/`."""
SHOTS = {"i-love-ai-web.png"}
"""Screenshots."""


@pytest.mark.parametrize("name", commands())
def test_each_file_is_current(name: str) -> None:
    """After a change that should show: python -m tests.gallery"""
    kept, now = (OUTPUT / name).read_bytes(), made(name)
    if name.endswith((".pdf", ".svg")) and typst.__version__ != TYPST:
        if name.endswith(".pdf"):
            assert text(kept) == text(now)
        return
    assert kept == now


def text(data: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]


def test_every_file_is_listed() -> None:
    listed = set(commands()) | {"README.md", "hand-in.md"} | set(PICTURES) | SHOTS
    names = {path.name for path in OUTPUT.iterdir()}
    assert listed <= names
    assert all(OWN.search(name) for name in names - listed)


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_of_the_current_pages(name: str) -> None:
    kept, made = Image.open(OUTPUT / name).convert("RGB"), pictured(name)
    assert kept.size == made.size
    difference = ImageStat.Stat(ImageChops.difference(kept, made)).mean
    assert max(difference) < 1  # Another renderer may shade an edge a little otherwise.
