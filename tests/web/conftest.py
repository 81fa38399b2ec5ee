"""One Chromium for all tests of the pages, each on a page of its own."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

sys.path.insert(0, str(Path(__file__).parents[1] / "writers"))
from tools import JS, need

WIDE = {"width": 1280, "height": 900}


@pytest.fixture(scope="session")
def browser() -> Iterator[Any]:
    program = shutil.which("chromium") or shutil.which("google-chrome")
    need(program, "Chromium")
    try:
        from playwright.sync_api import sync_playwright
    except ImportError:
        need(None, "Playwright")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=["--no-sandbox"])
        yield browser
        browser.close()


@pytest.fixture
def show(browser: Any, tmp_path: Path) -> Iterator[Callable[..., Any]]:
    """A function that opens a page; what it says on the console fails the test."""
    contexts: list[Any] = []
    said: list[str] = []

    def opened(
        text: str, viewport: dict[str, int] = WIDE, scheme: str = "light", **more: Any
    ) -> Any:
        context = browser.new_context(viewport=viewport, color_scheme=scheme, **more)
        contexts.append(context)
        page = context.new_page()
        page.set_default_timeout(5000)
        page.on("console", lambda message: said.append(message.text))
        page.on("pageerror", lambda error: said.append(str(error)))
        page.on("dialog", lambda dialog: said.append(f"dialog {dialog.message}"))
        page.on("request", lambda request: said.append(request.url)
                if not request.url.startswith(("file:", "data:")) else None)  # fmt: skip
        file = tmp_path / f"page{len(contexts)}.html"
        file.write_text(text, encoding="utf-8")
        page.goto(file.as_uri())
        page.evaluate("document.fonts.ready")
        return page

    yield opened
    for context in contexts:
        context.close()
    assert said == []


@pytest.fixture(scope="session")
def axe() -> str:
    file = JS / "node_modules" / "axe-core" / "axe.min.js"
    need(file.is_file(), "axe-core (npm ci in tests/js)")
    return file.read_text(encoding="utf-8")
