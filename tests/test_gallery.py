"""`output/` shows what the commands print today."""

from __future__ import annotations

import hashlib
import re

import pytest
from gallery import OUTPUT, commands, printed


@pytest.mark.parametrize("name", commands())
def test_each_file_is_current(name: str) -> None:
    """After a change that should show: python -m tests.gallery"""
    assert (OUTPUT / name).read_text(encoding="utf-8") == printed(commands()[name])


def test_every_file_is_listed() -> None:
    listed = set(commands()) | {"README.md"}
    found = {path.name for path in OUTPUT.iterdir() if path.suffix != ".png"}
    assert found == listed


def test_the_pictures_are_of_the_current_source() -> None:
    text = (OUTPUT / "README.md").read_text(encoding="utf-8")
    match = re.search(r"SHA-256 begins with `([0-9a-f]{16})`", text)
    assert match
    source = (OUTPUT / "i-love-ai.tex").read_bytes()
    assert hashlib.sha256(source).hexdigest().startswith(match[1])
    assert len(list(OUTPUT.glob("i-love-ai-*.png"))) >= 3
