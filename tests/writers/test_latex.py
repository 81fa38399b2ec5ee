"""LaTeX: it compiles in one run whatever somebody typed, and nothing hangs over the margin."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import samples
from tools import ENGINES, compiled

from symattn.document import Display, Document, Line, Para
from symattn.errors import InputError, MachineError, UsageError
from symattn.formula import Blank, Mark, Role, num
from symattn.writers import write
from symattn.writers.latex_text import _RANGES, _UNSAFE, fitted, latex_text


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key", [False, True], ids=["sheet", "key"])
def test_a_page_fits_in_one_run(engine: str, key: bool, tmp_path: Path) -> None:
    log = compiled(write(samples.worked_page(), "latex", key=key), tmp_path, engine)
    assert not re.findall("Overfull.*|Missing character.*|.*undefined.*|.*Rerun.*", log)


@pytest.mark.latex
def test_a_fragment_needs_only_the_packages_it_names(tmp_path: Path) -> None:
    fragment = write(samples.worked_page(), "latex", fragment=True)
    needed = re.match("% Needs the packages (.*)\\.\n", fragment)
    assert needed
    packages = [re.sub(r"(\[\w+\])?(\w+)", r"\\usepackage\1{\2}", p) for p in needed[1].split(", ")]
    page = "\n".join(
        [r"\documentclass{article}", *packages, r"\begin{document}", fragment, r"\end{document}"]
    )
    compiled(page, tmp_path)


@pytest.mark.latex
def test_hostile_text_is_only_text(tmp_path: Path) -> None:
    page = write(samples.hostile_page(), "latex")
    compiled(page, tmp_path)
    body = page[page.index(r"\begin{document}") :]
    assert r"\input" not in body and body.count(r"\end{document}") == 1
    assert "root:" not in page


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_every_character_that_is_let_through_has_a_letterform(engine: str, tmp_path: Path) -> None:
    characters = [chr(code) for low, high in _RANGES for code in range(low, high + 1)]
    text = " ".join(map(latex_text, [chr(c) for c in range(33, 127)] + characters))
    page = write(Document("", "", (Para(("here",)),)), "latex").replace("here", text)
    log = compiled(page.replace(r"\begin", r"\tracinglostchars=2 \begin", 1), tmp_path, engine)
    assert not re.findall("Missing character.*", log)


def test_what_has_no_letterform_is_shown_as_its_code_point() -> None:
    assert latex_text("中") == r"[U+4E2D]\allowbreak{}"
    assert all(latex_text(character).startswith("[U+") for character in _UNSAFE)


def test_the_result_is_ascii() -> None:
    assert write(samples.hostile_page(), "latex").isascii()


def test_a_label_is_cut_where_it_is_too_wide() -> None:
    assert fitted("abc", 3) == "abc"
    assert fitted("abcd", 3) == "ab…"
    assert fitted("中文中文", 24) == "中文…"


def test_the_same_page_gives_the_same_bytes() -> None:
    assert write(samples.worked_page(), "latex") == write(samples.worked_page(), "latex")


def test_blanks_do_not_give_their_answers_away() -> None:
    secret = Blank(num(271828))
    block = Display((Line(secret, "=", Mark(Role.MAXIMUM, secret)),))
    for format in ("latex", "markdown", "gfm", "text"):
        sheet = write(Document("t", "", (block,)), format)
        assert "271828" not in sheet
        assert "271828" in write(Document("t", "", (block,)), format, key=True)


# ------------------------------------------------------------------ templates


def page_with(shell: str, folder: Path, title: str = "T") -> str:
    (folder / "mine.tex").write_text(shell)
    return write(
        Document(title, "", (Para(("text @{title}",)),)), "latex", template=folder / "mine.tex"
    )


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    page = page_with("@{}l@{} a@b.org @@{title} <@{title}>\n@{body}", tmp_path, "@{body}")
    assert page.startswith(r"@{}l@{} a@b.org @{title} <@\{body\}>")
    assert r"text @\{title\}" in page


def test_an_unknown_place_is_named_with_its_line(tmp_path: Path) -> None:
    with pytest.raises(
        InputError, match=r"mine.tex:2: there is no @\{titel\}\nDid you mean @\{title\}"
    ):
        page_with("@{body}\n@{titel}", tmp_path)


def test_a_template_needs_a_body(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"Put @\{body\} where"):
        page_with("@{title} @@{body}", tmp_path)


def test_templates_that_cannot_be_read(tmp_path: Path) -> None:
    page = Document("", "", ())
    with pytest.raises(MachineError, match="No such file"):
        write(page, "latex", template=tmp_path / "none.tex")
    with pytest.raises(MachineError):
        write(page, "latex", template=tmp_path)
    (tmp_path / "big.tex").write_bytes(b"@{body}" * 200_000)
    with pytest.raises(InputError, match="longer than"):
        write(page, "latex", template=tmp_path / "big.tex")
    (tmp_path / "latin.tex").write_bytes(b"@{body}\n\xe9")
    with pytest.raises(InputError, match=r"latin.tex:2: .*UTF-8"):
        write(page, "latex", template=tmp_path / "latin.tex")


def test_every_place_is_documented() -> None:
    from symattn.templates import NAMES

    table = (Path(__file__).parents[2] / "templates" / "README.md").read_text()
    assert tuple(re.findall(r"^\| `@\{(\w+)\}`", table, re.MULTILINE)) == NAMES


def test_unknown_formats_and_misplaced_templates(tmp_path: Path) -> None:
    page = Document("", "", ())
    with pytest.raises(UsageError, match="Did you mean latex"):
        write(page, "latx")
    with pytest.raises(UsageError, match="a template is a page of latex"):
        write(page, "gfm", template=tmp_path)
