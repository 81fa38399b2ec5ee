"""What the README shows works as it stands there."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from symattn import derive, explain, write
from symattn.reading.problem_file import loads

ROOT = Path(__file__).parent.parent
TEXT = (ROOT / "README.md").read_text(encoding="utf-8")


def blocks(language: str) -> list[str]:
    return re.findall(rf"```{language}\n(.*?)```", TEXT, re.DOTALL)


def test_the_problem_file_is_a_problem() -> None:
    (source,) = blocks("yaml")
    assert "cat" in write(explain(derive(loads(source, format="yaml"))), "latex")


def test_the_python_example_runs() -> None:
    example = next(block for block in blocks("python") if "import" in block)
    exec(compile(example, "README.md", "exec"), {})


def test_the_method_is_the_one_in_attention() -> None:
    shown = next(block for block in blocks("python") if "by.score" in block)
    method = (ROOT / "symattn" / "attention.py").read_text(encoding="utf-8")
    # The file has annotations and a comment for the linter that the page leaves out.
    plain = re.sub(r": Stage \| None = ", " = ", method)
    plain = re.sub(r"  # noqa.*", "", plain)
    for line in filter(None, shown.splitlines()):
        assert f"    {line}\n" in plain, line


def test_the_terminal_excerpt_is_printed() -> None:
    printed = (ROOT / "output" / "i-love-ai.txt").read_text(encoding="utf-8")
    (excerpt,) = blocks("text")[:1]
    for line in filter(None, excerpt.splitlines()):
        assert line.lstrip() in printed, line


@pytest.mark.parametrize("link", re.findall(r"\]\(([^)#]+)\)", TEXT))
def test_links_lead_somewhere(link: str) -> None:
    assert link.startswith("http") or (ROOT / link).exists()


def test_the_list_of_mistakes_is_the_catalogue() -> None:
    from tests.catalogue import PAGE, written

    assert PAGE.read_text(encoding="utf-8") == written()
