"""The finished PDF: the same bytes, tagged, inside its margins, nothing run that was typed."""

from __future__ import annotations

import io
import random
import subprocess
import sys
from pathlib import Path
from typing import Any

import paper
import pypdf
import pytest
import samples
from click.testing import CliRunner

from symattn import derive, explain, load
from symattn.cli import cli
from symattn.convention import COLUMNS, Convention
from symattn.document import Display, Document, Line, Para
from symattn.errors import InputError, MachineError, UsageError
from symattn.exact.rounding import Rounding
from symattn.formula import Words
from symattn.pdf import pdf, picture
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names
from symattn.reading.values import problem_of
from symattn.views.options import Options
from symattn.views.stage import one_stage, weights_picture
from symattn.views.worksheet import worksheet
from symattn.writers.logo import Logo

KINDS: dict[str, Any] = {
    "brief": lambda d: explain(d, Options(detail="brief")),
    "normal": explain,
    "full with code": lambda d: explain(d, Options(detail="full", code=True)),
    "ten places": lambda d: explain(d, Options(exact=False, rounding=Rounding(10))),
    "columns": lambda d: explain(d, Options(convention=COLUMNS)),
    "left, from 0, round": lambda d: explain(
        d, Options(convention=Convention(weights="left", index_from=0, fence="("))
    ),
    "focus": lambda d: explain(d, Options(focus=d.problem.tokens[-1])),
    "stage": lambda d: one_stage(d, "A", 1, Options()),
    "sheet": worksheet,
    "sheet in columns": lambda d: worksheet(d, Options(convention=COLUMNS)),
}
"""Every kind of page."""


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize("kind", KINDS)
def test_every_kind_of_page_meets_the_standards_and_its_margins(name: str, kind: str) -> None:
    page = KINDS[kind](derive(load(name)))
    for key in (False, True) if "sheet" in kind else (False,):
        made = pdf(page, key=key)  # The compiler refuses what lacks alt text or a glyph.
        assert not paper.ink_on_margins(made)
        assert "[U+" not in paper.text(made)


def test_the_check_of_the_margins_can_fail() -> None:
    wide = Document("T", "", (Display((Line(Words("W" * 39), "=", Words("W" * 39)),)),))
    assert "right" in {side for _, side in paper.ink_on_margins(pdf(wide))}


# ------------------------------------------------------------------ tags and properties


def test_every_formula_and_figure_has_its_words() -> None:
    made = pdf(explain(derive(load("i-love-ai"))))
    elements = paper.structure(made)
    said = [e.get("/Alt") for e in elements if e["/S"] in ("/Formula", "/Figure")]
    assert len(said) > 60 and all(said)
    text = " ".join(map(str, said))
    assert "row love: I 0.333" in text
    assert "one third" in text
    kinds = {str(e["/S"]) for e in elements}
    assert {"/Title", "/H1", "/P", "/Table", "/TH", "/TD", "/L", "/LI"} <= kinds | {"/P"}


def test_title_author_language_outline_and_footer() -> None:
    from dataclasses import replace

    page = replace(explain(derive(load("two-heads"))), author="Ada Lovelace", language="en-GB")
    reader = pypdf.PdfReader(io.BytesIO(pdf(page)))
    assert reader.metadata and reader.metadata.title == "Two heads"
    assert reader.metadata.author == "Ada Lovelace"
    root: Any = reader.trailer["/Root"]
    assert str(root["/Lang"]).lower() == "en-gb"
    assert root["/MarkInfo"]["/Marked"]
    xmp = root["/Metadata"].get_object().get_data().decode()
    assert "pdfuaid:part" in xmp and "pdfaid:part" in xmp
    titles = [entry["/Title"] for entry in reader.outline if not isinstance(entry, list)]
    assert titles[0] == "Given" and "Head 2" in titles and titles[-1] == "Summary"
    for number, sheet in enumerate(reader.pages, 1):
        assert f"{number} / {len(reader.pages)}" in sheet.extract_text()
        assert "symattn · two-heads" in sheet.extract_text()


@pytest.mark.parametrize(("size", "width", "height"), [("a4", 210, 297), ("letter", 215.9, 279.4)])
def test_paper(size: str, width: float, height: float) -> None:
    made = pdf(explain(derive(load("causal"))), paper=size, header="School of Attention")
    page = pypdf.PdfReader(io.BytesIO(made)).pages[-1]
    assert float(page.mediabox.width) == pytest.approx(width * paper.POINT, abs=0.1)
    assert float(page.mediabox.height) == pytest.approx(height * paper.POINT, abs=0.1)
    assert "School of Attention" in page.extract_text()
    assert not paper.ink_on_margins(made)


# ------------------------------------------------------------------ the same bytes

MAKE = (
    "import sys, hashlib\n"
    "from symattn import derive, explain, load\n"
    "from symattn.pdf import pdf, picture\n"
    "from symattn.views.stage import weights_picture\n"
    "from symattn.views.options import Options\n"
    "d = derive(load('i-love-ai'))\n"
    "w = weights_picture(d, None, Options())\n"
    "for made in (pdf(explain(d)), picture(w, 'svg'), picture(w, 'png')):\n"
    "    print(hashlib.sha256(made).hexdigest())\n"
)


def test_another_process_makes_the_same_bytes(tmp_path: Path) -> None:
    runs = [
        subprocess.run(
            [sys.executable, "-c", MAKE], capture_output=True, text=True, check=True, cwd=folder,
            env={"PATH": "", "PYTHONHASHSEED": seed, "TZ": zone, "HOME": str(tmp_path)},
        ).stdout
        for seed, zone, folder in (("1", "UTC", "/"), ("2", "Asia/Tokyo", tmp_path))
    ]  # fmt: skip
    assert runs[0] == runs[1] and len(runs[0].split()) == 3


# ------------------------------------------------------------------ what people type


@pytest.mark.parametrize("text", [text for text in samples.HOSTILE if text.strip()], ids=ascii)
def test_hostile_text_is_shown_and_never_run(text: str) -> None:
    from symattn.writers.base import visible

    page = Document(text, text, (Para((text,)),), footer=text, author=text, keywords=(text,))
    shown = paper.text(pdf(page))
    expected = visible(text)
    if not text.isascii():
        return  # That it compiles under PDF/A says that every glyph is there.
    flat = "".join(shown.split())
    assert "".join(expected.split())[:12].replace("'", "’") in flat.replace("'", "’")


def test_the_hostile_page_compiles() -> None:
    assert pdf(samples.hostile_page())


def test_scripts_that_no_font_has_are_named_and_fonts_of_ones_own_show_them(tmp_path: Path) -> None:
    page = Document("T", "", (Para(("猫 and हिन्दी",)), Display((Line(None, "", Words("猫")),))))
    assert paper.text(pdf(page)).count("[U+732B]") == 2
    tiny_font(tmp_path / "tiny.ttf", "猫")
    shown = paper.text(pdf(page, fonts=tmp_path))
    assert shown.count("猫") == 2 and "[U+" not in shown
    with pytest.raises(MachineError, match="no such folder"):
        pdf(page, fonts=tmp_path / "none")


def tiny_font(file: Path, characters: str) -> None:
    """A font that has these characters, each as a square."""
    from fontTools.fontBuilder import FontBuilder
    from fontTools.pens.ttGlyphPen import TTGlyphPen

    pen = TTGlyphPen(None)
    pen.moveTo((100, 0))
    for corner in ((100, 700), (800, 700), (800, 0)):
        pen.lineTo(corner)
    pen.closePath()
    square = pen.glyph()
    names = [".notdef", *(f"u{ord(c):04X}" for c in characters)]
    builder = FontBuilder(1000)
    builder.setupGlyphOrder(names)
    builder.setupCharacterMap({ord(c): f"u{ord(c):04X}" for c in characters})
    builder.setupGlyf(dict.fromkeys(names, square))
    builder.setupHorizontalMetrics(dict.fromkeys(names, (900, 100)))
    builder.setupHorizontalHeader(ascent=800, descent=-200)
    builder.setupNameTable(
        {"familyName": "Tiny", "styleName": "Regular", "fullName": "Tiny", "psName": "Tiny"}
    )
    builder.setupOS2(sTypoAscender=800, sTypoDescender=-200, usWinAscent=800, usWinDescent=200)
    builder.setupPost()
    builder.save(file)


# ------------------------------------------------------------------ shells and logos

SVG = (
    b"<svg xmlns='http://www.w3.org/2000/svg' width='40' height='20'>"
    b"<rect width='40' height='20'/></svg>"
)


def test_a_logo_is_a_figure_with_words(tmp_path: Path) -> None:
    (tmp_path / "crest.svg").write_bytes(SVG)
    png = picture(Document("", "", (Para(("Crest",)),)), "png", ppi=72)
    (tmp_path / "crest.png").write_bytes(png)
    page = explain(derive(load("logs")))
    for name in ("crest.svg", "crest.png"):
        made = pdf(page, logo=Logo.read(tmp_path / name))
        assert made != pdf(page)
        assert not [bad for bad in paper.ink_on_margins(made) if bad[1] in ("left", "right")]
    (tmp_path / "crest.txt").write_text("no picture")
    with pytest.raises(InputError, match="neither PNG, JPEG nor SVG"):
        Logo.read(tmp_path / "crest.txt")
    with pytest.raises(MachineError, match="cannot read the logo"):
        Logo.read(tmp_path / "none.png")
    (tmp_path / "broken.png").write_bytes(b"\x89PNG\r\n\x1a\nnothing more")
    with pytest.raises(InputError, match="Typst says"):
        pdf(page, logo=Logo.read(tmp_path / "broken.png"))


def test_a_template_of_ones_own(tmp_path: Path) -> None:
    mine = tmp_path / "mine.typ"
    mine.write_text("@{metadata}\n#set page(width: 12cm)\n= #@{title}\nOurs.\n@{body}\n")
    page = explain(derive(load("logs")))
    made = pdf(page, template=mine)
    assert "Ours." in paper.text(made) and page.title in paper.text(made)


@pytest.mark.parametrize(
    ("source", "message"),
    [
        ("@{body}\n#nonsense", "Typst says: unknown variable"),
        ('#set document(title: "x")\n@{metadata}\n#read("/etc/passwd")\n@{body}', "file not found"),
        ("no place", "no place for the page"),
        ("@{boddy}", "there is no @{boddy}"),
    ],
)
def test_templates_that_do_not_work(source: str, message: str, tmp_path: Path) -> None:
    mine = tmp_path / "mine.typ"
    mine.write_text(source)
    with pytest.raises(InputError) as caught:
        pdf(explain(derive(load("logs"))), template=mine)
    assert message in str(caught.value)
    assert "mine.typ" in str(caught.value)


def test_an_engine_that_does_not_exist() -> None:
    with pytest.raises(UsageError, match="Did you mean typst") as caught:
        pdf(explain(derive(load("logs"))), engine="typts")
    assert caught.value.exit_code == 2


# ------------------------------------------------------------------ pictures


def test_pictures_of_one_stage() -> None:
    from xml.etree import ElementTree

    derivation = derive(load("i-love-ai"))
    stage = one_stage(derivation, "A", None, Options())
    for page in (stage, weights_picture(derivation, None, Options())):
        root = ElementTree.fromstring(picture(page, "svg"))
        assert float(root.get("width", "").rstrip("pt")) < 420
        small, large = picture(page, "png", ppi=72), picture(page, "png", ppi=144)
        assert small[:8] == b"\x89PNG\r\n\x1a\n"
        assert abs(int.from_bytes(large[16:20]) - 2 * int.from_bytes(small[16:20])) <= 2


def test_weights_with_letters_have_no_picture() -> None:
    with pytest.raises(UsageError, match="no shades"):
        weights_picture(derive(load("letters")), None, Options())


# ------------------------------------------------------------------ the width policy


def problem(n: int, heads: int, d: int = 3) -> Problem:
    draw = random.Random(f"{n} tokens, {heads} heads")
    words = ["a", "the", "something", "internationalisation", "猫", "<b>$x$</b>"]

    def matrix(rows: int, columns: int) -> list[list[int]]:
        return [[draw.randint(-4, 4) for _ in range(columns)] for _ in range(rows)]

    tokens = [draw.choice(words) + str(i) for i in range(n)]
    weights = [
        {"W_Q": matrix(d, d), "W_K": matrix(d, d), "W_V": matrix(d, 2)} for _ in range(heads)
    ]
    if heads == 1:
        return problem_of(tokens=tokens, X=matrix(n, d), **weights[0])
    return problem_of(tokens=tokens, X=matrix(n, d), heads=weights, W_O=matrix(2 * heads, d))


@pytest.mark.parametrize("n", range(2, 13))
@pytest.mark.parametrize("heads", [1, 2, 3, 4])
def test_nothing_stands_outside_the_margins(n: int, heads: int) -> None:
    derivation = derive(problem(n, heads))
    for options in (Options(), Options(exact=False, rounding=Rounding(8))):
        assert not paper.ink_on_margins(pdf(explain(derivation, options)))
    assert not paper.ink_on_margins(pdf(worksheet(derivation), key=True, paper="letter"))


# ------------------------------------------------------------------ the command line


def run(*arguments: str) -> Any:
    return CliRunner().invoke(cli, arguments)


def test_the_suffix_chooses_and_nothing_is_overwritten(tmp_path: Path) -> None:
    file = tmp_path / "page.pdf"
    assert run("derive", "logs", "-o", str(file)).exit_code == 0
    assert file.read_bytes()[:5] == b"%PDF-"
    again = run("derive", "logs", "-o", str(file))
    assert isinstance(again.exception, MachineError) and "exists already" in str(again.exception)
    assert run("derive", "logs", "-o", str(file), "--force").exit_code == 0
    lost = run("derive", "logs", "-o", str(tmp_path / "none" / "page.pdf"))
    assert isinstance(lost.exception, MachineError) and "no folder" in str(lost.exception)


def test_a_picture_needs_to_know_of_what() -> None:
    assert "--stage A" in str(run("derive", "--svg").exception)
    assert run("derive", "--svg", "--stage", "S").output.startswith("<svg")
    assert run("derive", "--heatmap", "--svg").output.startswith("<svg")


def test_a_pdf_is_never_a_fragment() -> None:
    assert isinstance(run("derive", "--pdf", "--fragment").exception, UsageError)
