"""Programs that the tests ask about the written text. In CI they must be there."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

ENGINES = ("pdflatex", "lualatex", "xelatex")
JS = Path(__file__).parent.parent / "js"


def need(found: object, what: str) -> None:
    """Skip without the program, but fail in CI, where nothing may be left untested."""
    if not found:
        (pytest.fail if os.environ.get("CI") else pytest.skip)(f"{what} is not installed")


def compiled(source: str, folder: Path, engine: str = "pdflatex") -> str:
    """Compile in one run, and return the log."""
    need(shutil.which(engine), engine)
    (folder / "page.tex").write_text(source, encoding="ascii")
    run = subprocess.run(
        [engine, "-interaction=nonstopmode", "-halt-on-error", "-no-shell-escape", "page.tex"],
        cwd=folder,
        capture_output=True,
        timeout=120,
    )
    log = (folder / "page.log").read_text(encoding="utf-8", errors="replace")
    errors = re.findall(r"^!.*(?:\n.*){0,4}", log, re.MULTILINE)
    assert run.returncode == 0 and not errors, "\n".join(errors)
    return log
