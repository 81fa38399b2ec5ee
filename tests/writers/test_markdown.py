"""Markdown: KaTeX and MathJax read every formula, and text stays text."""

from __future__ import annotations

import json
import re
import shutil
import subprocess

import cases
import pytest
import samples
from tools import JS, need

from symattn.document import Code, Display, Document, Line, Math, Para
from symattn.formula import Formula, Grid, Seq, Sub, Sym, num
from symattn.writers import write
from symattn.writers.latex_math import LatexMath
from symattn.writers.markdown import SCRIPT_LIMIT, MarkdownMath

INLINE = re.compile(r"(?<!\\)\$(`?)((?:\\.|[^$\\\n])+?)\1\$")


def displays_of(page: str) -> list[str]:
    return [tex for tex, display in formulas_of(page) if display]


def formulas_of(page: str) -> list[tuple[str, bool]]:
    """The formulas, as a reader finds them who goes line by line and skips programs."""
    found: list[tuple[str, bool]] = []
    lines = iter(page.split("\n"))
    for line in lines:
        if line == "$$" or line.startswith("```"):
            end = "$$" if line == "$$" else "`" * (len(line) - len(line.lstrip("`")))
            inner = []
            for line_inside in lines:
                if line_inside == end:
                    break
                inner.append(line_inside)
            if not line.endswith("python"):
                found.append(("\n".join(inner), True))
        else:
            found += [(tex, False) for _, tex in INLINE.findall(line)]
    return found


@pytest.mark.node
def test_katex_and_mathjax_read_every_formula() -> None:
    need(shutil.which("node") and (JS / "node_modules").is_dir(), "node with tests/js/node_modules")
    asked = [
        {"name": f"{format}, key={key}", "tex": tex, "display": display}
        for page in (samples.worked_page(), samples.hostile_page())
        for format in ("markdown", "gfm")
        for key in (False, True)
        for tex, display in formulas_of(write(page, format, key=key))
    ]
    trees = [case.tree for case in cases.every_case() if case.file.stem == "formulas"]
    asked += [
        {"name": str(writer), "tex": writer(key=key).formula(tree), "display": True}
        for writer in (LatexMath, MarkdownMath)
        for key in (False, True)
        for tree in trees
    ]
    assert len(asked) > 300
    lines = "\n".join(map(json.dumps, asked))
    run = subprocess.run(
        ["node", "check.mjs"], cwd=JS, input=lines, capture_output=True, text=True, timeout=300
    )
    *failures, last = run.stdout.splitlines() or [""]
    assert not failures, "\n".join(failures[:10])
    assert json.loads(last) == {"checked": len(asked)}, run.stderr


@pytest.mark.parametrize("format", ["markdown", "gfm"])
@pytest.mark.parametrize("page", [samples.worked_page(), samples.hostile_page()])
def test_displays_are_safe(page: Document, format: str) -> None:
    text = write(page, format)
    # The commands that GitHub or KaTeX refuse.
    refused = r"\\(operatorname|phantom|mbox|newcommand|cellcolor|colorbox|begin\{\w*matrix)"
    displays = displays_of(text)
    assert displays
    for tex in displays:
        assert not re.search(refused, tex)
        for line in tex.split("\n"):
            assert line.strip()
            assert not re.match(r"\s*([-+*=>#] |[-=]+$|\d+[.)] )", line)
            assert "\\\\" not in line.removesuffix("\\\\").removesuffix("\\\\[4pt]")


def text_of(page: str) -> tuple[str, list[str]]:
    """What a CommonMark reader takes for text, and the raw HTML it finds."""
    from markdown_it import MarkdownIt

    words: list[str] = []
    html: list[str] = []
    for token in MarkdownIt("commonmark").enable("table").parse(page):
        if token.type == "html_block":
            html.append(token.content)
        for child in token.children or []:
            (html if child.type == "html_inline" else words).append(child.content)
    return "".join(words), html


@pytest.mark.parametrize("hostile", samples.HOSTILE)
def test_text_stays_text(hostile: str) -> None:
    from symattn.writers.base import visible

    page = write(Document("", "", (Para((hostile,)),)), "markdown")
    words, html = text_of(page)
    assert words.split() == visible(hostile).split()
    assert not html


@pytest.mark.parametrize("start", ["1. x", "12) x", "- x", "+ x", "* x", "# x", "> x", "=", "---"])
def test_a_paragraph_is_never_a_list_or_a_heading(start: str) -> None:
    words, _ = text_of(write(Document("", "", (Para(("before",)), Para((start,)))), "markdown"))
    assert words == "before" + start


def test_inline_mathematics_stands_free() -> None:
    x = Math(Sym("x"))
    page = write(Document("", "", (Para(("a", x, "b", x, x, "-th (", x, "), ", x, ".")),)), "gfm")
    assert page == "a $x$ b $x$ $x$ -th ($x$), $x$.\n"


def test_github_cannot_take_inline_mathematics_for_emphasis() -> None:
    risky = Para((Math(Sub(Sub(Sym("x"), num(1)), num(2))),))
    assert write(Document("", "", (risky,)), "gfm") == "$`{x_1}_2`$\n"
    assert write(Document("", "", (risky,)), "markdown") == "${x_1}_2$\n"


def test_github_counts_the_scripts_in_braces() -> None:
    row: Formula = Grid((tuple(samples.exponential(n) for n in range(4, 64)),))
    many = Display((Line(None, "", row), Line(None, "=", row), Line(None, "=", Seq((row, row)))))
    blocks = displays_of(write(Document("", "", (many,)), "gfm"))
    counts = [len(re.findall(r"[\^_]\{", block)) for block in blocks]
    assert len(blocks) == 2 and max(counts) <= SCRIPT_LIMIT
    assert r"\exp(63/\sqrt{3})" in blocks[-1]


def test_a_fence_is_longer_than_any_in_the_program() -> None:
    code = Code("python", "'''\n```\n````\n'''")
    page = write(Document("", "", (code,)), "markdown")
    assert page.startswith("`````python\n") and page.endswith("\n`````\n")
