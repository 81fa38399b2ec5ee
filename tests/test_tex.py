"""PDFs through the user's own TeX: the same bytes, nothing else run or read, one message."""

from __future__ import annotations

import io
import os
import re
import shutil
import sys
import tempfile
import time
import zlib
from pathlib import Path
from typing import Any

import pypdf
import pytest
import samples
from tools import ENGINES, need

import symattn.tex
from symattn import derive, explain, load
from symattn.document import Document, Para
from symattn.errors import InputError, MachineError, SymattnError, UsageError
from symattn.pdf import pdf
from symattn.tex import Fault, compile_tex, first_fault, unshown
from symattn.writers.logo import Logo

every_engine = pytest.mark.parametrize("engine", ENGINES)


@pytest.fixture
def engine_there(engine: str) -> None:
    need(shutil.which(engine), engine)


def tex(test: Any) -> Any:
    """A test that runs every TeX."""
    for mark in (pytest.mark.latex, every_engine, pytest.mark.usefixtures("engine_there")):
        test = mark(test)
    return test


def text(data: bytes) -> str:
    return "\n".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def png(width: int = 40, height: int = 20) -> bytes:
    """A blue picture."""

    def chunk(kind: bytes, data: bytes) -> bytes:
        body = kind + data
        return len(data).to_bytes(4, "big") + body + zlib.crc32(body).to_bytes(4, "big")

    size = width.to_bytes(4, "big") + height.to_bytes(4, "big")
    rows = (b"\0" + b"\x1f\x4e\x8c" * width) * height
    return (
        b"\x89PNG\r\n\x1a\n"
        + chunk(b"IHDR", size + b"\x08\x02\0\0\0")
        + chunk(b"IDAT", zlib.compress(rows))
        + chunk(b"IEND", b"")
    )


def page(*paragraphs: str) -> Document:
    return Document("Title", "", tuple(Para((words,)) for words in paragraphs or ("words",)))


def shell(lines: str, folder: Path) -> Path:
    """A template of one's own: these lines, from its third line on, in a document."""
    begin = "% ours" if r"\begin{document}" in lines else r"\begin{document}"
    file = folder / "mine.tex"
    # What stands behind the end of a document is not read.
    file.write_text(
        f"\\documentclass{{article}}\n{begin}\n{lines}\n\\end{{document}}\n@{{body}}\n", "utf-8"
    )
    return file


# ------------------------------------------------------------------ the same bytes


@tex
@pytest.mark.parametrize("own", [False, True], ids=["built in", "a template of one's own"])
def test_the_same_page_gives_the_same_bytes(
    engine: str, own: bool, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    document = explain(derive(load("i-love-ai")))
    # It has no place for @{metadata}, and asks for the date.
    template = shell(r"\today, page \pageref{end}\label{end}", tmp_path) if own else None
    logo = None if own else Logo(png(), "png")
    made = []
    for place, zone in (("one", "UTC"), ("another folder/below", "Asia/Tokyo")):
        folder = tmp_path / place
        folder.mkdir(parents=True)
        monkeypatch.setattr(tempfile, "tempdir", str(folder))
        monkeypatch.setenv("TZ", zone)
        made.append(pdf(document, engine=engine, template=template, logo=logo))
        assert not list(folder.iterdir())
        if len(made) == 1:
            time.sleep(1.1)  # The clock goes on by a second.
    assert made[0] == made[1]
    assert not own or "January 1, 1970" in text(made[0])


@tex
def test_a_second_run_where_the_log_asks_for_it(engine: str, tmp_path: Path) -> None:
    template = shell(r"see page \pageref{there}\newpage\label{there}there", tmp_path)
    assert "see page 2" in text(pdf(page(), engine=engine, template=template))


@tex
def test_one_run_is_enough_for_our_own_pages(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    runs = []
    run = symattn.tex._run
    monkeypatch.setattr(symattn.tex, "_run", lambda *given: runs.append(1) or run(*given))
    pdf(samples.worked_page(), engine=engine)
    assert len(runs) == 1


# ------------------------------------------------------------------ nothing else is run or read


@tex
def test_hostile_text_is_shown_and_does_nothing(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    trap = tmp_path / "trap"
    hostile = [
        rf"\immediate\write18{{touch {trap}}}",
        rf"\newwrite\f\immediate\openout\f={trap}",
        rf'\directlua{{io.open("{trap}","w")}}',
        r"\input{/etc/passwd}",
        r"\input|ls",
        "$x$",
        "^^41^^5cbye",
        "#1",
        "100%",
        "}\\end{document}",
        "@{body}",
        "\\csname bye\\endcsname",
    ]
    document = Document(
        hostile[0],
        hostile[1],
        tuple(Para((words,)) for words in [*hostile, "学", "\x07"]),
        footer=hostile[3],
        author=hostile[9],
        keywords=tuple(hostile),
    )
    made = pdf(document, engine=engine, header=hostile[2])
    found = "".join(text(made).split())
    for words in hostile:
        assert "".join(words.split()) in found
    assert "[U+5B66]" in found
    assert "[U+0007]" in found
    assert "root:" not in found
    assert not trap.exists()
    data = pypdf.PdfReader(io.BytesIO(made)).metadata
    assert data is not None
    assert (data.title, data.author) == (hostile[0], hostile[9])


@tex
def test_every_hostile_text_in_every_place(engine: str) -> None:
    found = "".join(text(pdf(samples.hostile_page(), engine=engine)).split())
    for words in samples.HOSTILE:
        if words.isascii() and words.replace("\n", "").replace("\t", "").isprintable():
            assert "".join(words.split()) in found
    assert "root:" not in found


@tex
@pytest.mark.parametrize("path", ["/etc/passwd", "../secret.tex", ".hidden"])
def test_a_template_reads_nothing_outside(
    engine: str, path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("openin_any", "a")
    monkeypatch.setenv("TEXMFOUTPUT", "/etc")
    (tmp_path / "secret.tex").write_text("secret")
    (tmp_path / ".hidden").write_text("secret")
    (tmp_path / "below").mkdir()
    with pytest.raises(InputError, match=r"mine\.tex:3: .*not found"):
        pdf(page(), engine=engine, template=shell(rf"\input{{{path}}}", tmp_path / "below"))
    quiet = rf"\newread\f\openin\f={path}\relax\ifeof\f closed\else open\fi"
    assert "closed" in text(pdf(page(), engine=engine, template=shell(quiet, tmp_path / "below")))


@tex
def test_a_template_starts_nothing_and_writes_nothing_outside(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("shell_escape", "t")
    monkeypatch.setenv("openout_any", "a")
    monkeypatch.setenv("TEXMFOUTPUT", str(tmp_path))
    trap = tmp_path / "trap"
    pdf(page(), engine=engine, template=shell(rf"\immediate\write18{{touch {trap}}}x", tmp_path))
    with pytest.raises(InputError, match="can't write on file"):
        pdf(page(), engine=engine, template=shell(rf"\immediate\openout1={trap} x", tmp_path))
    assert not [*tmp_path.glob("trap*")]


@tex
def test_a_template_finds_the_files_beside_it(engine: str, tmp_path: Path) -> None:
    folder = tmp_path / "our school"
    folder.mkdir()
    (folder / "school.sty").write_text(r"\newcommand{\school}{Our School}")
    (folder / "crest.png").write_bytes(png())
    lines = (
        "\\usepackage{school,graphicx}\n\\begin{document}\n\\school \\includegraphics{crest.png}"
    )
    assert "Our School" in text(pdf(page(), engine=engine, template=shell(lines, folder)))


# ------------------------------------------------------------------ the logo


@tex
@pytest.mark.parametrize("path", ["/some where/ünser }\\input{x} lógo.png", "../../logo.PNG", ""])
def test_the_logo_is_shown_wherever_it_was_read_from(engine: str, path: str) -> None:
    made = pdf(page(), engine=engine, logo=Logo(png(), "png", path))
    images = pypdf.PdfReader(io.BytesIO(made)).pages[0].images
    assert [image.image.size for image in images if image.image] == [(40, 20)]


@tex
@pytest.mark.parametrize(
    "logo",
    [
        Logo(png()[:60], "png", "cut.png"),
        Logo(b"\xff\xd8\xff\xe0junk", "jpeg", "cut.jpg"),
    ],
    ids=["png", "jpeg"],
)
def test_a_broken_logo_is_blamed(engine: str, logo: Logo) -> None:
    with pytest.raises(InputError, match=rf"^cut\.\w+: {engine} cannot read the logo"):
        pdf(page(), engine=engine, logo=logo)


def test_tex_cannot_show_svg() -> None:
    with pytest.raises(UsageError, match=r"the logo 'a\.svg'\nSave it as PNG"):
        pdf(page(), engine="pdflatex", logo=Logo(b"<svg/>", "svg", "a.svg"))


# ------------------------------------------------------------------ what is missing


def test_an_unknown_engine() -> None:
    with pytest.raises(UsageError, match="no TeX 'luatex'\nDid you mean lualatex"):
        compile_tex("", "luatex")  # type: ignore[arg-type]
    with pytest.raises(UsageError, match="Did you mean xelatex"):
        pdf(page(), engine="xlatex")


@every_engine
def test_tex_is_not_installed(engine: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "")
    with pytest.raises(MachineError, match=f"^{engine} is not installed\n.*texlive.*typst") as told:
        pdf(page(), engine=engine)
    assert told.value.exit_code == 4


@tex
def test_no_folder_to_work_in(engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "file").write_text("")
    for place in ("file", "none"):
        monkeypatch.setattr(tempfile, "tempdir", str(tmp_path / place))
        with pytest.raises(MachineError, match=f"^{engine} cannot work: .*\n.*TMPDIR"):
            pdf(page(), engine=engine)


@pytest.mark.skipif(sys.platform == "win32", reason="the program is a shell script")
@pytest.mark.parametrize("lines", ["I can't find the format file `pdflatex.fmt'!", "Fatal: no map"])
def test_tex_that_fails_before_it_has_a_log(
    lines: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    program = tmp_path / "pdflatex"
    program.write_text(f"#!/bin/sh\ncat <<'END'\nThis is pdfTeX\n{lines}\n(later)\nEND\nexit 1\n")
    program.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}{os.pathsep}{os.environ['PATH']}")
    with pytest.raises(MachineError, match=f"{re.escape(lines)}\nIs this TeX complete"):
        pdf(page(), engine="pdflatex")


@tex
def test_a_page_that_never_ends(
    engine: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(symattn.tex, "TIME_LIMIT", 1.5)
    ended = []
    end = symattn.tex._end
    monkeypatch.setattr(symattn.tex, "_end", lambda process: (end(process), ended.append(process)))
    with pytest.raises(MachineError, match=r"did not finish in 1\.5 seconds"):
        pdf(page(), engine=engine, template=shell(r"\def\again{\again}\again", tmp_path))
    assert [process.returncode for process in ended] == [-9]


# ------------------------------------------------------------------ what TeX complains about

BROKEN = {
    r"A \schoolname{} in a line": (
        InputError, 3, r"undefined control sequence \\schoolname", r"\schoolname",
    ),
    r"Some \textbf{words \schoolname here} after": (
        InputError, 3, r"undefined control sequence \\schoolname", r"\schoolname",
    ),
    "\\usepackage{nosuch}\n\\begin{document}": (
        MachineError, 3, r"does not find nosuch\.sty", "nosuch",
    ),
    r"\input{macros.tex}": (InputError, 3, r"File `macros\.tex' not found", "macros"),
    "School of 学校 here": (InputError, 3, r"学.*U\+5B66", "学"),
    "\\textbf{never closed\n\nand on": (InputError, 3, r"File ended while scanning", "{never"),
    r"\begin{nosuch}": (InputError, 3, "Environment nosuch undefined", "}"),
    "one } too many": (InputError, 3, r"Too many \}'s", "}"),
    "a_1 is no text": (InputError, 3, r"Missing \$ inserted", "_"),
    "\\def\\a{x\\a y}%\n\\a": (InputError, 4, "TeX capacity exceeded", "a"),
    r"\font\x=nosuch \x": (InputError, 3, "not loadable", "x"),
    "\\usepackage{xcolor}\n\\begin{document}\n\\textcolor{nosuch}{x}": (
        InputError, 5, "Package xcolor Error: Undefined color `nosuch'", "}",
    ),
    "\\usepackage[nosuch]{geometry}\n\\begin{document}": (InputError, 0, "nosuch", ""),
    "\\begin{document}": (InputError, 0, "No pages of output", ""),
    "x\\let\\enddocument\\relax\\let\\end\\relax": (InputError, 0, r"ends without \\end", ""),
    r"\PackageError{school}{The crest\MessageBreak is missing}{}": (
        InputError, 3, "Package school Error: The crest is missing", "}",
    ),
}  # fmt: skip
"""Lines of a template, and what is said: who must act, line, message, what is at the caret."""


@tex
@pytest.mark.parametrize("lines", BROKEN)
def test_a_broken_template(engine: str, lines: str, tmp_path: Path) -> None:
    kind, line, message, near = BROKEN[lines]
    template = shell(lines, tmp_path)
    with pytest.raises(SymattnError, match=message) as told:
        pdf(page(), engine=engine, template=template)
    error = told.value
    assert type(error) is kind
    assert error.hint
    assert (error.place.file, error.place.line) == (str(template), line)
    assert error.place.typed[error.place.caret :].startswith(near)
    if line:
        assert error.place.typed == template.read_text("utf-8").split("\n")[line - 1]


@tex
def test_an_error_in_a_file_beside_the_template(engine: str, tmp_path: Path) -> None:
    (tmp_path / "school.tex").write_text("% ours\n\\nosuch\n")
    with pytest.raises(InputError, match=r"school\.tex:2: .*control sequence \\nosuch"):
        pdf(page(), engine=engine, template=shell(r"\input{school}", tmp_path))


@tex
def test_the_line_of_a_template_is_found_behind_what_was_put_in(
    engine: str, tmp_path: Path
) -> None:
    template = tmp_path / "mine.tex"
    template.write_text(
        "\\documentclass{article}\n@{metadata}\n\\begin{document}\n"
        "@{title} by \\nosuch{@{author}}\n\\end{document}\n@{body}"
    )
    with pytest.raises(InputError, match=r"mine\.tex:4: .*\\nosuch\n.*Title by \\nosuch"):
        pdf(page(), engine=engine, template=template)


@pytest.mark.latex
def test_a_page_without_a_template_is_blamed_on_tex() -> None:
    need(shutil.which("pdflatex"), "pdflatex")
    with pytest.raises(MachineError, match=r"^page\.tex:1: .*\\nosuch\n.*\n.*\nIs this TeX compl"):
        compile_tex("\\nosuch\n", "pdflatex")
    lacking = (
        "\\documentclass{article}\n\\usepackage{lmodern-new}\n\\begin{document}\\end{document}"
    )
    with pytest.raises(MachineError, match=r"apt install texlive-latex-recommended lmodern"):
        compile_tex(lacking, "pdflatex")


# ------------------------------------------------------------------ logs, as they were written

BLANK = "␣"
"""Blanks at the end of a line, where they would not be seen."""

LOGS = [
    (
        "pdflatex: a name that is not defined, in an argument",
        r"""(/usr/share/texmf/tex/latex/lm/t1lmr.fd
File: t1lmr.fd 2015/05/01 v1.6.1 Font defs for Latin Modern
)
./page.tex:3: Undefined control sequence.
<argument> and \schoolname␣
                           inside
l.3 Some words before \textbf{and \schoolname inside}
                                                      the rest␣
Here is how much of TeX's memory you used:
""",
        Fault(
            r"undefined control sequence \schoolname", "./page.tex", 3,
            r"Some words before \textbf{and \schoolname inside}", r"\schoolname",
        ),
    ),
    (
        "xelatex: a package that is missing; the line is that of the next command",
        r"""! LaTeX Error: File `foo.sty' not found.

Type X to quit or <RETURN> to proceed,
or enter new name. (Default extension: sty)

Enter file name:␣
./page.tex:3: Emergency stop.
<read *>␣
␣
l.3 \begin
          {document}^^M␣
""",
        Fault("File `foo.sty' not found.", near="foo", missing="foo.sty"),
    ),
    (
        "pdflatex: a message on two lines",
        r"""./page.tex:3: LaTeX Error: Unicode character 学 (U+5B66)
               not set up for use with LaTeX.

See the LaTeX manual or LaTeX Companion for explanation.
Type  H <return>  for immediate help.
 ...string \u8:学 \relax \MessageBreak not set up for use with LaTeX.

l.3 School 学
              校 x␣
""",
        Fault(
            "Unicode character 学 (U+5B66) not set up for use with LaTeX.", "./page.tex", 3,
            "School 学", "学", unshown=True,
        ),
    ),
    (
        "lualatex: a package's message, and a line inside that package",
        r"""/usr/share/texmf/tex/latex/geometry.sty:1005: Package keyval Error: tiny undefined.

See the keyval package documentation for explanation.
Type  H <return>  for immediate help.
 ...␣
␣
l.1005 \ProcessOptionsKV[p]{Gm}
                               %␣
""",
        Fault(
            "Package keyval Error: tiny undefined.",
            "/usr/share/texmf/tex/latex/geometry.sty", 1005,
            r"\ProcessOptionsKV[p]{Gm}",
        ),
    ),
    (
        "pdflatex: a brace that is not closed",
        r"""Runaway argument?
{never closed \par next \end {document}␣
! File ended while scanning use of \textbf .
<inserted text>␣
                \par␣
<*> page.tex
""",
        Fault(r"File ended while scanning use of \textbf.", near="{never closed"),
    ),
    (
        "pdflatex: no end",
        "! Emergency stop.\n<*> page.tex\n             \n",
        Fault(r"the page ends without \end{document}"),
    ),
    (
        "pdflatex: a picture that cannot be read",
        "!pdfTeX error: /usr/bin/pdflatex (file ./symattn-logo.png): libpng: internal error\n",
        Fault("pdfTeX error: /usr/bin/pdflatex (file ./symattn-logo.png): libpng: internal error"),
    ),
    ("nothing to complain about", "LaTeX Warning: Label `a' defined twice.\n\n(./page.aux)", None),
    ("nothing at all", "", None),
]  # fmt: skip


@pytest.mark.parametrize(("log", "fault"), [case[1:] for case in LOGS], ids=[c[0] for c in LOGS])
def test_the_first_fault_of_a_log(log: str, fault: Fault | None) -> None:
    assert first_fault(log.replace(BLANK, " ")) == fault


def test_characters_without_a_letterform() -> None:
    log = (
        "Missing character: There is no 学 (U+5B66) in font [lmroman10-regular]:+tlig;!\n"
        "Missing character: There is no 校 (U+6821) in font [lmroman10-regular]:+tlig;!\n"
        "Missing character: There is no 学 in font [lmroman10-regular]:mapping=tex-text;!\n"
    )
    fault = unshown(log)
    assert fault is not None
    assert fault.message == "the font has no 学 (U+5B66), 校 (U+6821)"
    assert fault.near == "学"
    assert unshown("Overfull \\hbox (3.0pt too wide)") is None
