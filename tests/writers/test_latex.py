"""LaTeX: it compiles in one run whatever somebody typed, and nothing hangs over the margin."""

from __future__ import annotations

import io
import re
import shutil
import zlib
from collections import Counter
from pathlib import Path
from typing import Any, Literal

import pdfplumber
import pypdf
import pytest
import samples
from samples import TOKENS, exponential, sub
from tools import ENGINES, compiled, need

from symattn.document import (
    Block,
    Display,
    Document,
    Form,
    Heading,
    Heatmap,
    Line,
    Math,
    PageBreak,
    Para,
    Strong,
    WorkSpace,
)
from symattn.errors import InputError, MachineError, UsageError
from symattn.formula import (
    Blank,
    Formula,
    Frac,
    Grid,
    Mark,
    Paren,
    Role,
    Sym,
    joined,
    num,
    seq,
)
from symattn.layout import PRINT, width
from symattn.tex import TexEngine, compile_tex
from symattn.writers import write
from symattn.writers.latex import PageMath
from symattn.writers.latex_text import _RANGES, _UNSAFE, fitted, latex_text
from symattn.writers.logo import Logo

WARNINGS = "Overfull.*|Missing character.*|.*undefined.*|.*Rerun.*"


def worksheet() -> Document:
    """Blanks of every kind, lines to write on, room for working, points, squares to shade."""
    secret = Mark(Role.MAXIMUM, Blank(num(-1)))
    share = Blank(Frac(exponential(-1), sub(Sym("r"), 4)), 4, 2.8)
    tall = Blank(Frac(num(1), num(2)))  # Its box has not the height that a fraction needs.
    rows: tuple[tuple[Formula, ...], ...] = (
        (Blank(num(-2)), num(8), Blank(num(0)), num(6)),
        (num(0), secret, num(0), Blank(num(1))),
        (share, Mark(Role.MAXIMUM, share), Frac(exponential(2), sub(Sym("r"), 4)), num(0)),
        (Mark(Role.MASKED, Blank(num(0))), tall, Mark(Role.ANSWER, share), num(2)),
    )
    sum_ = joined("+", [Blank(exponential(n), 3, 1.8) for n in (4, 0, 3)])
    shares = (((1.0, "1.000"), (0.0, "0.000")), ((0.25, "0.250"), (0.75, "0.750")))
    return Document(
        "Attention by hand",
        "Practice worksheet",
        (
            Form((("Name", 4), ("Date", 2))),
            Heading(1, (Strong("1."), " Scores"), "[8 points]"),
            Para(("Fill in ", Math(seq(Paren(Blank(num(3))), "·", secret)), " and the boxes.")),
            Display((Line(Sym("S"), "=", Grid(rows, TOKENS, TOKENS)),)),
            Display((Line(Sym("S"), "=", Grid(rows)),)),
            WorkSpace(4),
            Heading(2, (Strong("Step 1."), " Sums " + "and sums " * 9), "[12 points]"),
            Display((Line(sub(Sym("r"), 3), "=", sum_, "row “sat”"), Line(None, "=", tall))),
            Heatmap("Shade the squares.", TOKENS[:2], TOKENS[:2], shares, blank=True),
            Heatmap("Shaded.", TOKENS[:2], TOKENS[:2], shares),
            WorkSpace(10),
            Para(("The end of page two.",)),
            WorkSpace(60),
            Para(("The end.",)),
        ),
        footer="symattn · seed 21",
    )


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("key", [False, True], ids=["sheet", "key"])
@pytest.mark.parametrize("document", [samples.worked_page(), worksheet()], ids=["page", "sheet"])
def test_a_page_fits_in_one_run(engine: str, key: bool, document: Document, tmp_path: Path) -> None:
    log = compiled(write(document, "latex", key=key), tmp_path, engine)
    assert not re.findall(WARNINGS, log)


@pytest.mark.latex
@pytest.mark.parametrize("document", [samples.worked_page(), worksheet()], ids=["page", "sheet"])
def test_a_fragment_needs_only_the_packages_it_names(document: Document, tmp_path: Path) -> None:
    fragment = write(document, "latex", fragment=True)
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


# ------------------------------------------------------------------ sheets and keys, measured

MM = 72 / 25.4
PAPERS = {"a4": (210.0, 297.0), "letter": (215.9, 279.4)}
TEXT_WIDTH = 166.0


def laid(document: Document, engine: TexEngine = "pdflatex", **options: Any) -> Any:
    """The finished pages; all their positions are in points."""
    need(shutil.which(engine), engine)
    made = compile_tex(write(document, "latex", **options), engine)
    return pdfplumber.open(io.BytesIO(made)).pages


def words(pages: Any) -> Counter[tuple[int, str, float, float]]:
    """Each word with its page and its place."""
    return Counter(
        (number, word["text"], round(word["x0"], 1), round(word["top"], 1))
        for number, page in enumerate(pages)
        for word in words_of(page)
    )


def words_of(page: Any) -> Any:
    # The default would read small print as one long word.
    return page.extract_words(x_tolerance_ratio=0.15)


def word(page: Any, text: str) -> Any:
    return next(word for word in words_of(page) if word["text"] == text)


def plain(*paragraphs: str) -> Document:
    return Document("Title", "below", tuple(Para((words,)) for words in paragraphs))


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("paper", PAPERS)
def test_a_key_breaks_like_its_sheet(engine: TexEngine, paper: str) -> None:
    sheet = laid(worksheet(), engine, paper=paper)
    key = laid(worksheet(), engine, paper=paper, key=True)
    assert len(sheet) == len(key) >= 4
    # Whatever stands on the sheet stands in the same place on its key.
    assert not words(sheet) - words(key)
    # The answers, some of them sixteen times the same box, are added.
    assert sum((words(key) - words(sheet)).values()) > 20
    frames = [
        Counter(
            (number, round(rect["x0"], 1), round(rect["x1"], 1), round(rect["top"], 1))
            for number, page in enumerate(pages)
            for rect in page.rects
            if rect["height"] > 12 and rect["x1"] < 440
        )
        for pages in (sheet, key)
    ]
    assert not frames[0] - frames[1]


def test_a_mark_on_a_blank_is_inside_its_box() -> None:
    blank = Blank(num(5), 2, 1.6)
    box = r"\sablank{2em}{1.6em}{5}"
    for tree in (Mark(Role.MAXIMUM, blank), Grid(((Mark(Role.MAXIMUM, blank),),))):
        assert rf"{{\let\sainside\samaxinside{box}}}" in PageMath(key=True).formula(tree)
        assert "samax" not in PageMath().formula(tree)
    assert PageMath(key=True).formula(Mark(Role.ANSWER, blank)) == box
    assert PageMath(key=True).formula(Mark(Role.MASKED, blank)) == rf"{{\color{{sagrey}}{box}}}"
    # A sum that begins with a blank is no blank.
    beginning = Mark(Role.FOCUS, seq(blank, "+", num(1)))
    assert PageMath(key=True).formula(beginning) == rf"\safocus{{{box} + 1}}"


def test_brackets_are_as_high_as_a_box_whatever_is_in_it() -> None:
    tree = Paren(Blank(Frac(num(1), num(2))))
    for key in (False, True):
        assert PageMath(key=key).formula(tree).startswith(r"\left(\sablank")


@pytest.mark.latex
@pytest.mark.parametrize("columns", [4, 8, 10])
def test_a_row_of_boxes_fits_where_the_width_policy_says_so(columns: int, tmp_path: Path) -> None:
    answer = sub(Sym("r"), 2)
    room = (PRINT.width - 6) / columns - 1.05
    grid = Grid(((Blank(answer, room, 2.8),) * columns,) * 2)
    assert width(grid, PRINT) < PRINT.width - 2
    page = Document("t", "", (Display((Line(Sym("A"), "=", grid),)),))
    for key in (False, True):
        assert not re.findall(WARNINGS, compiled(write(page, "latex", key=key), tmp_path))


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("count", [1, 2, 8, 20])
def test_empty_squares_are_as_large_as_shaded_ones(engine: TexEngine, count: int) -> None:
    names = tuple(f"token{n}" for n in range(count))
    cells = ((((0.5, "0.500"),) * count),) * min(count, 8)

    def page(blank: bool) -> Document:
        return Document("t", "", (Heatmap("below", names, names, cells, blank), Para(("end",))))

    (empty,), (shaded,) = laid(page(True), engine), laid(page(False), engine)
    for text in ("below", "end", "token0"):  # a label of the first row
        assert word(empty, text)["top"] == pytest.approx(word(shaded, text)["top"])
        assert word(empty, text)["x0"] == pytest.approx(word(shaded, text)["x0"])
    assert "0.500" in shaded.extract_text()
    assert "0.5" not in empty.extract_text()
    assert max(word["x1"] for word in words_of(shaded)) <= (210 + TEXT_WIDTH) / 2 * MM + 0.1


@pytest.mark.latex
def test_points_stand_at_the_end_of_the_line() -> None:
    for title in ("Scores", "A long heading " * 6, "A very long heading " * 8):
        page = laid(Document("t", "", (Heading(1, (title,), "[8 points]"),)))[0]
        assert word(page, "points]")["x1"] == pytest.approx((210 + TEXT_WIDTH) / 2 * MM, abs=0.5)


@pytest.mark.latex
def test_lines_to_write_on_fill_the_line() -> None:
    page = laid(Document("t", "", (Form((("Name", 4), ("Class", 1), ("Date", 2))),)))[0]
    tops = {round(word(page, text)["top"]) for text in ("Name:", "Class:", "Date:")}
    assert len(tops) == 1
    assert word(page, "Name:")["x0"] == pytest.approx((210 - TEXT_WIDTH) / 2 * MM, abs=0.5)
    lines = [line for line in page.rects + page.lines if 0 < line["top"] - min(tops) < 15]
    assert max(line["x1"] for line in lines) == pytest.approx((210 + TEXT_WIDTH) / 2 * MM, abs=0.5)
    name, date, school_class = sorted((line["x1"] - line["x0"] for line in lines), reverse=True)
    assert name > 1.5 * date > 1.5 * school_class


@pytest.mark.latex
def test_room_for_working_is_8_mm_a_line() -> None:
    def gap(lines: int) -> float:
        blocks: tuple[Block, ...] = (Para(("before",)), WorkSpace(lines), Para(("after",)))
        page = laid(Document("t", "", blocks))[0]
        return float(word(page, "after")["top"] - word(page, "before")["top"])

    assert gap(12) - gap(4) == pytest.approx(8 * 8 * MM, abs=0.5)
    assert gap(4) == pytest.approx(4 * 8 * MM, abs=20)


# ------------------------------------------------------------------ paper, header, logo


def png(width: int, height: int) -> bytes:
    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    rows = (b"\0" + b"\x1f\x4e\x8c" * width) * height
    return b"".join(
        (
            b"\x89PNG\r\n\x1a\n",
            chunk(b"IHDR", size + b"\x08\x02\0\0\0"),
            chunk(b"IDAT", zlib.compress(rows)),
            chunk(b"IEND", b""),
        )
    )


def headed(document: Document, engine: TexEngine, size: tuple[int, int], **options: Any) -> Any:
    """The pages with a logo, as they are set in one go."""
    from symattn.pdf import pdf

    need(shutil.which(engine), engine)
    logo = Logo(png(*size), "png", "anywhere")
    return pdfplumber.open(io.BytesIO(pdf(document, engine=engine, logo=logo, **options))).pages


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("paper", PAPERS)
def test_the_text_is_as_wide_on_every_paper(
    engine: TexEngine, paper: Literal["a4", "letter"]
) -> None:
    wide, high = PAPERS[paper]
    page = laid(plain("word " * 90), engine, paper=paper)[0]
    assert (page.width, page.height) == pytest.approx((wide * MM, high * MM), abs=0.1)
    (rule,) = [r for r in page.rects + page.lines if r["x1"] - r["x0"] > 300]
    assert rule["x0"] == pytest.approx((wide - TEXT_WIDTH) / 2 * MM, abs=0.1)
    assert rule["x1"] == pytest.approx((wide + TEXT_WIDTH) / 2 * MM, abs=0.1)
    found = words_of(page)
    assert min(word["x0"] for word in found) >= rule["x0"] - 0.1
    assert max(word["x1"] for word in found) <= rule["x1"] + 0.1


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
@pytest.mark.parametrize("paper", PAPERS)
def test_header_and_logo_keep_off_the_text(engine: TexEngine, paper: str) -> None:
    document = Document(
        "A title that is long enough to reach the logo on the right side of the page, or beyond",
        "below",
        (Para(("words",)), PageBreak(), Para(("more words",))),
    )
    bare = laid(document, engine, paper=paper)
    pages = headed(document, engine, (240, 120), paper=paper, header="Our School")
    assert not words(bare) - words(pages)
    assert sum((words(pages) - words(bare)).values()) == 4  # two words on two pages
    (logo,) = pages[0].images
    assert not pages[1].images
    title = word(pages[0], "title")
    assert logo["bottom"] < title["top"]
    assert logo["height"] == pytest.approx(12 * MM, abs=0.1)
    assert logo["width"] == pytest.approx(24 * MM, abs=0.1)
    assert logo["top"] > 7 * MM
    assert logo["x1"] == pytest.approx((PAPERS[paper][0] + TEXT_WIDTH) / 2 * MM, abs=0.1)
    for page in pages:
        header = word(page, "School")
        assert header["top"] > 7 * MM
        assert header["bottom"] < title["top"] - 6


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_a_long_header_beside_a_wide_logo(engine: TexEngine) -> None:
    header = "A very long name of a school " * 6 + "in town"
    page = headed(plain("words"), engine, (900, 30), header=header)[0]
    (logo,) = page.images
    assert logo["width"] == pytest.approx(80 * MM, abs=0.1)
    above = [word for word in words_of(page) if word["bottom"] < 22 * MM]
    assert [word["text"] for word in above] == header.split()
    assert max(word["x1"] for word in above) < logo["x0"]
    assert min(word["top"] for word in above) > 5 * MM


@pytest.mark.latex
def test_the_source_shows_the_logo_where_it_was_read_from(tmp_path: Path) -> None:
    (tmp_path / "pictures").mkdir()
    (tmp_path / "pictures" / "our.logo-1.png").write_bytes(png(20, 10))
    logo = Logo(png(20, 10), "png", "pictures/our.logo-1.png")
    page = write(plain("words"), "latex", logo=logo)
    assert r"{pictures/our.logo-1.png}" in page
    assert "our.logo-1.png" in compiled(page, tmp_path)


@pytest.mark.parametrize(
    "path",
    [
        "a b.png", "a%.png", "}\\input{x}.png", "|ls.png", "~/a.png", "$x$.png", "ö.png", "a.dat",
        "a", "", "a.png\n", "#.png", "^^41.png",
    ],
)  # fmt: skip
def test_a_path_that_could_act_is_refused(path: str) -> None:
    with pytest.raises(UsageError, match=r"LaTeX cannot show the logo .*\nIt takes a \.png"):
        write(plain("words"), "latex", logo=Logo(png(2, 2), "png", path))


def test_backslashes_of_a_path_become_slashes() -> None:
    logo = Logo(b"", "jpeg", r"C:\school\logo.JPG")
    assert "{C:/school/logo.JPG}" in write(plain("words"), "latex", logo=logo)


@pytest.mark.latex
@pytest.mark.parametrize("engine", ENGINES)
def test_what_the_file_says_about_itself(engine: TexEngine) -> None:
    need(shutil.which(engine), engine)
    document = Document(
        "Tïtle \N{GREEK SMALL LETTER ALPHA}\x1b[31m", "", (Para(("x",)),), language="de-AT",
        keywords=("a", "b"), author="Zoë (O'Neill) \\ \N{CAT FACE}",
    )  # fmt: skip
    made = compile_tex(write(document, "latex"), engine)
    reader = pypdf.PdfReader(io.BytesIO(made))
    assert reader.metadata is not None
    assert reader.metadata.title == "Tïtle α[U+001B][31m"
    assert reader.metadata.author == document.author
    assert reader.metadata["/Keywords"] == "a, b"
    assert reader.trailer["/Root"]["/Lang"] == "de-AT"


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
