"""HTML as text: well-formed, MathML Core and nothing else, nothing typed acts, nothing leaks."""

from __future__ import annotations

import base64
import hashlib
import re
from collections.abc import Iterator
from html import unescape
from html.parser import HTMLParser
from itertools import pairwise
from pathlib import Path
from xml.etree import ElementTree

import pytest
from samples import HOSTILE, TOKENS, hostile_page, worked_page
from test_solutions import MODES, focused

from symattn import derive, explain, load, write
from symattn.document import (
    Block,
    Code,
    Display,
    Document,
    Form,
    Heading,
    Heatmap,
    Line,
    Math,
    Note,
    PageBreak,
    Para,
    Strong,
    Trace,
    WorkSpace,
)
from symattn.errors import InputError
from symattn.formula import (
    Blank,
    Call,
    Formula,
    Frac,
    Grid,
    Mark,
    Num,
    Origin,
    Paren,
    Power,
    Role,
    Root,
    Sub,
    Sym,
    Words,
    num,
    seq,
)
from symattn.reading.problem_file import builtin_names
from symattn.views.options import Options
from symattn.writers.base import visible
from symattn.writers.html import HEAT_LEVELS, style
from symattn.writers.html_math import HtmlMath
from symattn.writers.latex_math import SIGNS
from symattn.writers.logo import Logo
from symattn.writers.theme import shade

TEMPLATES = Path(__file__).parents[2] / "templates"

VOID = {"meta", "br", "hr", "img", "input"}
HTML = {
    "html", "head", "body", "title", "style", "script", "template", "a", "header", "main", "footer",
    "h1", "h2", "h3", "p", "ol", "ul", "li", "div", "span", "strong", "b", "table", "caption",
    "thead", "tbody", "tr", "th", "td", "pre", "code", "label", *VOID,
}  # fmt: skip

# https://www.w3.org/TR/mathml-core/, the sections on elements and on global attributes.
TOKENS_OF_MATHML = {"mi", "mn", "mo", "mtext", "mspace"}
CORE = {
    "math": {"display", "alttext"},
    "mi": {"mathvariant"},
    "mn": set(),
    "mo": {"form", "stretchy", "lspace", "rspace"},
    "mtext": set(),
    "mspace": {"width", "height", "depth"},
    "mrow": set(),
    "mfrac": {"linethickness"},
    "msqrt": set(),
    "mroot": set(),
    "msub": set(),
    "msup": set(),
    "msubsup": set(),
    "mtable": set(),
    "mtr": set(),
    "mtd": {"columnspan", "rowspan"},
}
GLOBAL = {"class", "dir", "displaystyle", "scriptlevel"}
CHILDREN = {"mfrac": 2, "mroot": 2, "msub": 2, "msup": 2, "msubsup": 3}


class Page(HTMLParser):
    """A page taken apart, strictly: every element is closed by its own end tag."""

    def __init__(self, text: str) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.text: list[str] = []
        self.raw: dict[str, list[str]] = {"style": [], "script": []}
        self.feed(text)
        self.close()
        assert not self.open

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        assert len(dict(attrs)) == len(attrs), f"an attribute twice: {attrs}"
        if tag not in VOID:
            self.open.append(tag)

    def handle_startendtag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        assert tag == "mspace", f"<{tag}/> is not HTML"
        self.tags.append((tag, dict(attrs)))

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag

    def handle_data(self, data: str) -> None:
        if self.open and self.open[-1] in self.raw:
            self.raw[self.open[-1]].append(data)
        else:
            self.text.append(data)

    def values(self, name: str) -> Iterator[str]:
        for _, attributes in self.tags:
            if value := attributes.get(name):
                yield value


def solution(name: str, options: Options = Options(traced=True)) -> str:
    return write(explain(derive(load(name)), options), "html")


def sheet() -> Document:
    """Every block and formula with a blank in it; the answers are 271828 and 314159."""
    answer = Frac(num(271828), num(314159))
    grid = Grid(((Blank(answer, 3, 2.5), num(1)),), origin=Origin("S", (0,), (0, 1)))
    blocks: list[Block] = [
        Form((("Name", 0.6), ("Date", 0.3))),
        Heading(1, (Strong("1."), " Scores"), "[8 points]"),
        Para(("Fill in ", Math(seq(Sym("S"), "=", Blank(num(271828)))), ".")),
        Display(
            (
                Line(Sym("S"), "=", grid),
                Line(None, "≈", Mark(Role.MAXIMUM, Blank(num(314159))), "a blank"),
            )
        ),
        Display((Line(Sym("S"), "=", Mark(Role.ANSWER, Blank(num(314159)))),)),
        WorkSpace(3),
        Heatmap("Weights", TOKENS[:1], TOKENS[:1], (((0.271828, "0.271828"),),), blank=True),
        PageBreak(),
    ]
    told = Trace("S-0-0", (Math(Sym("S")),), (Line(None, "=", answer),), (), ("314159",))
    return Document("Sheet", "to fill in", tuple(blocks), traces=(told,))


# ------------------------------------------------------------------ well-formed, and Core


def check(page: str) -> Page:
    """The page taken apart, after all that holds for every page."""
    parsed = Page(page)
    for tag, attributes in parsed.tags:
        assert tag in HTML or tag in CORE, tag
        assert not any(name.startswith("on") or name == "style" for name in attributes), attributes
    ids = list(parsed.values("id"))
    assert len(ids) == len(set(ids))
    for found in re.findall(r"<math.*?</math>", page, re.DOTALL):
        check_core(ElementTree.fromstring(found))
    return parsed


def check_core(tree: ElementTree.Element) -> None:
    for element in tree.iter():
        name = element.tag
        assert name in CORE, name
        for attribute in element.attrib:
            own = attribute in CORE[name] or attribute in GLOBAL
            assert own or attribute.startswith("data-"), f"{attribute} on {name}"
        if name in TOKENS_OF_MATHML:
            assert len(element) == 0
        else:
            assert not (element.text or "").strip(), ElementTree.tostring(element)
        assert not (element.tail or "").strip() or element is tree
        if name in CHILDREN:
            assert len(element) == CHILDREN[name], ElementTree.tostring(element)
        if name in ("mtable", "mtr"):
            child = {"mtable": "mtr", "mtr": "mtd"}[name]
            assert len(element) and {c.tag for c in element} == {child}


@pytest.mark.parametrize("name", builtin_names())
def test_every_solution_is_well_formed_core(name: str) -> None:
    derivation = derive(load(name))
    for options in (*MODES.values(), focused(derivation.problem), Options(traced=True)):
        parsed = check(write(explain(derivation, options), "html"))
        heads = [tag for tag, _ in parsed.tags if tag in ("h1", "h2", "h3")]
        assert heads.count("h1") == 1
        assert all(int(b[1]) - int(a[1]) <= 1 for a, b in pairwise(heads))


@pytest.mark.parametrize("key", [False, True])
@pytest.mark.parametrize("page", [worked_page, hostile_page, sheet])
def test_every_block_and_formula(page: object, key: bool) -> None:
    check(write(page(), "html", key=key))  # type: ignore[operator]


def test_the_same_page_gives_the_same_bytes() -> None:
    assert solution("two-heads") == solution("two-heads")


def test_a_page_with_its_fonts_and_traces_is_small() -> None:
    assert len(solution("i-love-ai").encode()) <= 200_000


MATHEMATICS: list[tuple[Formula, str]] = [
    (Num("-3"), "<mrow><mo>−</mo><mn>3</mn></mrow>"),
    (seq(num(2), "·", num(-3)), "<mrow><mn>2</mn><mo>⋅</mo><mrow><mo stretchy=\"false\">(</mo>"
     "<mrow><mo>−</mo><mn>3</mn></mrow><mo stretchy=\"false\">)</mo></mrow></mrow>"),
    (seq("−", Sym("x")), '<mrow><mo form="prefix">−</mo><mi>x</mi></mrow>'),
    (seq(Sym("x"), "−", Sym("y")), "<mrow><mi>x</mi><mo>−</mo><mi>y</mi></mrow>"),
    (seq(Sym("x"), "=", Sym("−"), Sym("y")),
     '<mrow><mi>x</mi><mo>=</mo><mo form="prefix">−</mo><mi>y</mi></mrow>'),
    (Power(Sub(Sym("Q"), num(12)), Paren(num(2))), "<msubsup><mi>Q</mi><mn>12</mn><mrow>"
     '<mo stretchy="false">(</mo><mn>2</mn><mo stretchy="false">)</mo></mrow></msubsup>'),
    (Sub(Power(Sym("O"), Paren(Sym("h"))), num(1)), "<msubsup><mi>O</mi><mn>1</mn><mrow>"
     '<mo stretchy="false">(</mo><mi>h</mi><mo stretchy="false">)</mo></mrow></msubsup>'),
    (Root(num(5), 3), "<mroot><mn>5</mn><mn>3</mn></mroot>"),
    (Call("softmax", Frac(Sym("S"), Root(num(3)))), "<mrow><mi>softmax</mi><mo>\u2061</mo><mrow>"
     "<mo>(</mo><mfrac><mi>S</mi><msqrt><mn>3</mn></msqrt></mfrac><mo>)</mo></mrow></mrow>"),
    (seq(Sym("V"), Sym("W")), '<mrow><mi class="sa-leaning-far">V</mi><mi class="sa-leaning">W</mi>'
     "</mrow>"),
    (Sub(Sym("W"), Sym("Q")), "<msub><mi>W</mi><mi>Q</mi></msub>"),
    (Power(Sub(Sym("W"), Sym("Q")), num(2)), "<msubsup><mi>W</mi><mi>Q</mi><mrow>"
     '<mspace width="0.12em"/><mn>2</mn></mrow></msubsup>'),
    (Words("a <b>"), "<mtext>a\xa0&lt;b&gt;</mtext>"),
    (Sym("q", bold=True), '<mi class="sa-bold">q</mi>'),
    (Sym("\u2003"), '<mspace width="1em"/>'),
]  # fmt: skip


@pytest.mark.parametrize(("formula", "written"), MATHEMATICS)
def test_formulas(formula: Formula, written: str) -> None:
    assert HtmlMath().formula(formula) == written


def test_entries_carry_their_names() -> None:
    grid = Grid(
        ((num(1), Sym("⋯")), (Mark(Role.MAXIMUM, num(2)), num(3))),
        ("I", "AI"), ("I", "love"),
        origin=Origin("S2", (0, 2), (1, None), decimal=True),
    )  # fmt: skip
    written = HtmlMath().formula(grid)
    cells = re.findall(r'<mtd(?: class="([\w-]+)")?(?: data-cell="([\w-]+)")?>', written)
    assert cells == [
        ("", ""), ("sa-label", ""), ("sa-label", ""),
        ("sa-label", ""), ("", "S2-0-1"), ("", ""),
        ("sa-label", ""), ("sa-max", "S2-2-1"), ("", ""),
    ]  # fmt: skip
    assert 'data-matrix="S2" data-decimal=""' in written


def test_exact_and_decimal_forms_are_told_apart_only_where_both_are_there() -> None:
    def grid(decimal: bool, name: str = "Z") -> Grid:
        return Grid(((num(1),),), origin=Origin(name, (0,), (0,), decimal=decimal))

    def shown(*lines: Line) -> list[str]:
        page = write(Document("", "", (Display(lines),)), "html", fragment=True)
        return re.findall(r'<mrow class="sa-(exact|decimal)"><mo>(.)</mo>', page)

    both = Line(Sym("Z"), "=", seq(Sym("S"), "=", grid(False), "≈", grid(True)))
    assert shown(both) == [("exact", "="), ("decimal", "≈")]
    below = (Line(Sym("Z"), "=", grid(False)), Line(None, "≈", grid(True)))
    assert shown(*below) == [("exact", "="), ("decimal", "≈")]
    assert shown(Line(Sym("Z"), "=", grid(False))) == []
    assert shown(Line(Sym("Z"), "=", seq(grid(False), "≈", grid(True, "A")))) == []


# ------------------------------------------------------------------ nothing typed acts

EVIL = (
    "<img src=x onerror=alert(1)>",
    "</script><script>alert(1)</script>",
    "</style><script>alert(1)</script>",
    "</template></math></main><script>alert(1)</script>",
    "]]>",
    "<!--",
    "x--><svg onload=alert(1)>",
    "\"' onmouseover=alert(1) x='",
    "@{body} @@{body} @{script}",
    "&lt;b&gt; &amp;",
    "\u202egnp.exe",
    "👩\u200d🔬",
    "日本語",
    "हिन्दी",
    "مرحبا",
)


def evil_page(text: str) -> Document:
    grid = Grid(((Words(text),),), (text,), (text,), origin=Origin(text, (0,), (0,)))
    line = Line(Words(text), "=", Num(text), text)
    strong = Line(Sym(text, bold=True), "", None, text)
    trace = Trace(f"{text}-0-0", (Math(Words(text)), text), (line,), (text,), (text,))
    return Document(
        text, text,
        (
            Form(((text, 1.0),)), Heading(1, (Strong(text), text), text), Para((text,)),
            Display((Line(Sym(text), "=", seq(grid, text), text),)), Note((text,)),
            Display((Line(None, "", Call(text, Num(text))), strong)),
            Heatmap(text, (text,), (text,), (((0.5, text),),)), Code("python", text),
        ),
        footer=text, language=text, keywords=(text,), author=text, traces=(trace,),
    )  # fmt: skip


@pytest.mark.parametrize("text", EVIL)
def test_what_is_typed_is_shown_literally(text: str) -> None:
    page = write(evil_page(text), "html", header=text)
    parsed = check(page)
    plain = write(evil_page("plain"), "html", header="plain")
    assert [tag for tag, _ in parsed.tags] == [tag for tag, _ in Page(plain).tags]
    assert "".join(parsed.text).replace("\xa0", " ").count(visible(text)) >= 20
    assert "\u202e" not in page


def test_hostile_words_are_all_there() -> None:
    text = "".join(Page(write(hostile_page(), "html")).text)
    for word in HOSTILE:
        assert visible(word) in text


def test_the_policy_lets_only_this_style_and_this_script_in() -> None:
    page = solution("i-love-ai")
    parsed = Page(page)
    (policy,) = [
        attributes["content"] or ""
        for tag, attributes in parsed.tags
        if tag == "meta" and attributes.get("http-equiv") == "Content-Security-Policy"
    ]
    rules = dict(rule.split(" ", 1) for rule in policy.split("; "))

    def digest(text: str) -> str:
        return f"'sha256-{base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()}'"

    ((css,), (script,)) = parsed.raw["style"], parsed.raw["script"]
    assert rules == {
        "default-src": "'none'", "style-src": digest(css), "script-src": digest(script),
        "img-src": "data:", "font-src": "data:", "base-uri": "'none'", "form-action": "'none'",
    }  # fmt: skip
    # It stands before anything that it rules over, and nothing is fetched.
    assert page.index("Content-Security-Policy") < page.index("<title")
    addresses = re.findall(r"url\(\"?(.{5})", css) + [source[:5] for source in parsed.values("src")]
    assert addresses == ["data:", "data:"]
    assert "@import" not in css
    assert set(parsed.values("href")) == {"#sa-main"}


# ------------------------------------------------------------------ blanks


def test_an_empty_blank_gives_nothing_away() -> None:
    page = write(sheet(), "html")
    assert "271828" not in page
    assert "314159" not in page
    assert "sa-traces" not in re.sub(r"<script>.*</script>", "", page, flags=re.DOTALL)
    assert 'class="sa-max"' not in page
    key = write(sheet(), "html", key=True)
    assert key.count("271828") >= 4
    assert key.count("314159") >= 4
    assert 'id="sa-traces"' in key


def test_a_blank_keeps_its_room_when_it_is_filled() -> None:
    for key in (False, True):
        written = HtmlMath(key=key).formula(Blank(num(7), 3.5, 2.0))
        assert 'width="3.5em"' in written
        assert 'height="1.4em" depth="0.6em"' in written


# ------------------------------------------------------------------ the page and its shell


def test_a_shell_of_ones_own(tmp_path: Path) -> None:
    shell = tmp_path / "own.html"
    shell.write_text("<main>@{body}</main><i>@{title}|@{author}|@{paper}|@@{title}</i>@{style}")
    page = Document("A & B", "", (Para(("text",)),), author="<me>")
    written = write(page, "html", template=shell, paper="letter")
    assert written.startswith("<main><p>text</p></main><i>A &amp; B|&lt;me&gt;|letter|@{title}</i>")
    assert "size: letter" in written
    shell.write_text("@{body}\n@{scripts}")
    with pytest.raises(
        InputError, match=r"(?s)own.html:2: .*@\{scripts\}.*Did you mean @\{script\}"
    ):
        write(page, "html", template=shell)
    shell.write_text("@{body} @{script}")
    with pytest.raises(InputError, match=r"there is no @\{script\}"):
        write(page, "latex", template=shell)


def test_header_logo_and_metadata() -> None:
    page = Document("T", "S", (), "foot", "de", ("a", "b"), "Ada")
    logo = Logo(b"\x89PNG\r\n\x1a\n", "png", "logo.png")
    written = write(page, "html", header="School <1>", logo=logo)
    assert '<html lang="de">' in written
    assert ">School &lt;1&gt;</p>" in written
    assert 'src="data:image/png;base64,iVBORw0KGgo=" alt="Logo"' in written
    assert '<meta name="author" content="Ada">' in written
    assert '<meta name="keywords" content="a, b">' in written
    assert ">foot</footer>" in written
    assert '<html lang="en">' in write(Document("T", "", (), language='de"><b'), "html")


def test_a_fragment_is_what_stands_in_main() -> None:
    page = worked_page()
    part = write(page, "html", fragment=True)
    whole = write(page, "html")
    assert part.strip() in whole
    parsed = check(part)
    assert not {"html", "head", "body", "h1", "style", "script"} & {tag for tag, _ in parsed.tags}
    for classes in parsed.values("class"):
        assert all(name.startswith("sa-") for name in classes.split())


def test_every_class_has_a_style() -> None:
    pages = [write(sheet(), "html", key=True), write(worked_page(), "html"), solution("two-heads")]
    used = {
        name for page in pages for names in Page(page).values("class") for name in names.split()
    }
    without = {"sa-items", "sa-exact", "sa-decimal"}  # plain lists; only told apart by a switch
    assert {name for name in used - without if not re.search(rf"\.{name}\b", style())} == set()


def test_shades_are_those_of_the_theme() -> None:
    css = style()
    for level in range(HEAT_LEVELS + 1):
        fill, white = shade(level / HEAT_LEVELS)
        ink = "#FFF" if white else "#000"
        assert f".sa-heat-{level} {{ background: #{fill}; color: {ink} }}" in css
    values = (((0.3, "0.3"), (0.7, "0.7")),)
    heat = Heatmap("c", ("a",), ("a", "b"), values, origin=Origin("A", (0,), (0, 1)))
    written = write(Document("", "", (heat,)), "html", fragment=True)
    assert (
        '<th scope="row" dir="auto">a</th><td class="sa-heat-6" data-cell="A-0-0">0.3</td>'
        in written
    )
    assert '<td class="sa-heat-14" data-cell="A-0-1"><b>0.7</b></td>' in written
    assert "<caption>c</caption>" in written


def test_formulas_are_said_in_words() -> None:
    page = Document("", "", (Para((Math(Root(num(3))),)),))
    assert 'alttext="the square root of 3"' in write(page, "html", fragment=True)
    quoted = Document("", "", (Display((Line(None, "", Words('"<')),)),))
    (said,) = re.findall(r'alttext="([^"]*)"', write(quoted, "html", fragment=True))
    assert "<" not in said
    assert unescape(said)


# ------------------------------------------------------------------ the fonts


def test_the_fonts_draw_what_is_written() -> None:
    ttlib = pytest.importorskip("fontTools.ttLib")
    plain, bold = (ttlib.TTFont(TEMPLATES / "fonts" / f"{name}.woff2") for name in ("math", "bold"))
    assert "MATH" in plain
    drawn, heavy = plain.getBestCmap(), bold.getBestCmap()
    letters = [chr(c) for c in range(0x20, 0x7F)]
    italic = [chr(0x1D434 + k) for k in range(52) if k != 33] + ["ℎ"]
    wanted = [*letters, *italic, *(sign for sign in SIGNS if sign != "ᵀ"), "⋅", "\u2061"]
    assert [sign for sign in wanted if ord(sign) not in drawn] == []
    assert set("0123456789.") <= set(map(chr, heavy))
    # Bold digits are drawn in the places of the plain ones.
    assert heavy[ord("7")] != drawn[ord("7")]
    # Brackets and roots can grow to any height.
    grown = plain["MATH"].table.MathVariants
    parts = dict(
        zip(grown.VertGlyphCoverage.glyphs, grown.VertGlyphConstruction, strict=True)
    )  # fmt: skip
    for sign in "[]()√":
        assert parts[drawn[ord(sign)]].GlyphAssembly is not None
    assert "Latin Modern" not in str(plain["name"].getDebugName(1))
    assert (TEMPLATES / "fonts" / "GUST-FONT-LICENSE.txt").is_file()
