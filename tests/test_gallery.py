"""`output/` shows what the commands print today."""

from __future__ import annotations

import io

import pypdf
import pytest
import typst
from gallery import OUTPUT, PICTURES, commands, pictured, printed
from PIL import Image, ImageChops, ImageStat

TYPST = "0.15.2"
"""The release that made the PDFs of the gallery; another one may set a page a little otherwise."""
SHOTS = {"i-love-ai-web.png"}
"""Screenshots."""


@pytest.mark.parametrize("name", commands())
def test_each_file_is_current(name: str) -> None:
    """After a change that should show: python -m tests.gallery"""
    kept, made = (OUTPUT / name).read_bytes(), printed(commands()[name])
    if name.endswith((".pdf", ".svg")) and typst.__version__ != TYPST:
        if name.endswith(".pdf"):
            assert text(kept) == text(made)
        return
    assert kept == made


def text(data: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]


def test_every_file_is_listed() -> None:
    listed = set(commands()) | {"README.md"} | set(PICTURES) | SHOTS
    assert {path.name for path in OUTPUT.iterdir()} == listed


@pytest.mark.parametrize("name", PICTURES)
def test_the_pictures_are_of_the_current_pages(name: str) -> None:
    kept, made = Image.open(OUTPUT / name).convert("RGB"), pictured(name)
    assert kept.size == made.size
    difference = ImageStat.Stat(ImageChops.difference(kept, made)).mean
    assert max(difference) < 1  # Another renderer may shade an edge a little otherwise.
