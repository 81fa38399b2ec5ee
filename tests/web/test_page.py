"""The page in a real browser: clicks, keys, both colour schemes, narrow screens, paper."""

from __future__ import annotations

import io
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any
from urllib.parse import urlparse
from urllib.request import url2pathname

import pytest
from samples import hostile_page, worked_page
from test_html import EVIL, evil_page, sheet

from symattn import derive, explain, load, write
from symattn.exact.rounding import Rounding
from symattn.reading.problem_file import builtin_names
from symattn.views.options import Options

pytestmark = pytest.mark.browser
Show = Callable[..., Any]

PANEL = ".sa-panel"
WIDE = {"width": 1280, "height": 900}
NARROW = {"width": 360, "height": 700}


@cache
def solution(name: str, **options: Any) -> str:
    return write(explain(derive(load(name)), Options(traced=True, **options)), "html")


def cell(page: Any, name: str) -> Any:
    return page.locator(f'.sa-body [data-cell="{name}"]:visible').first


def named(page: Any, kind: str) -> set[str]:
    """The names of the entries with a class."""
    return set(
        page.eval_on_selector_all(
            f".sa-body .{kind}[data-cell]", "all => all.map(c => c.dataset.cell)"
        )
    )


def told(page: Any) -> str:
    return str(page.locator(".sa-told p").first.text_content())


def violations(page: Any, axe: str) -> list[str]:
    page.evaluate(axe)
    found = page.evaluate("axe.run(document, {resultTypes: ['violations']})")["violations"]
    return [f"{one['id']}: {[node['html'][:120] for node in one['nodes'][:3]]}" for one in found]


# ------------------------------------------------------------------ asking


def test_a_click_tells_where_an_entry_comes_from(show: Show) -> None:
    page = show(solution("i-love-ai"))
    panel = page.locator(PANEL)
    assert not panel.is_visible()
    cell(page, "S-0-1").click()
    assert panel.is_visible()
    assert told(page) == "S12, I → love"
    assert panel.locator("mtr").all_text_contents() == [
        "S12=[2,0,1]⋅[2,1,1]", "=2⋅2+0⋅1+1⋅1", "=5",
    ]  # fmt: skip
    assert named(page, "sa-picked") == {"S-0-1"}
    assert named(page, "sa-lit") == {"Q-0-0", "Q-0-1", "Q-0-2", "K-1-0", "K-1-1", "K-1-2"}
    assert page.locator(".sa-on").all_text_contents() == ["love", "I"]
    # From there to one of its sources.
    page.get_by_role("button", name="K23, component 3 of love").click()
    assert told(page) == "K23, component 3 of love"
    assert named(page, "sa-lit") >= {"X-1-0", "X-1-3", "W_K-0-2", "W_K-3-2"}
    # What is given comes from nowhere.
    cell(page, "X-0-0").click()
    assert "It is given." in panel.inner_text()
    assert named(page, "sa-lit") == set()
    page.keyboard.press("Escape")
    assert not panel.is_visible()
    assert named(page, "sa-picked") == set()


def test_both_forms_of_an_entry_are_one(show: Show) -> None:
    page = show(solution("i-love-ai"))
    page.locator('[data-decimal] [data-cell="A-0-1"]').click()
    assert told(page) == "A12, I → love"
    assert page.locator(".sa-grid .sa-picked").count() == 2
    assert page.locator(".sa-heat .sa-picked").inner_text() == "0.707"
    page.locator('.sa-heat [data-cell="A-2-1"]').click()
    assert told(page) == "A32, AI → love"
    assert page.locator(".sa-heat .sa-on").all_text_contents() == ["love", "AI"]
    page.keyboard.press("ArrowUp")
    assert told(page) == "A22, love → love"
    page.locator('[data-decimal] [data-cell="A-0-1"]').click()
    assert named(page, "sa-lit") == {"E-0-0", "E-0-1", "E-0-2"}


def test_the_keyboard_alone_reaches_everything(show: Show) -> None:
    page = show(solution("i-love-ai"))
    # The first stop is the skip link, then the switches, then one stop for each formula.
    page.keyboard.press("Tab")
    assert page.evaluate("document.activeElement.textContent") == "Skip to the content"
    page.keyboard.press("Enter")
    page.keyboard.press("Tab")
    label = "document.activeElement.getAttribute('aria-label')"
    assert page.evaluate(label).startswith("Matrix X:")
    page.keyboard.press("Tab")
    assert page.evaluate(label).startswith("Matrix W_Q:")
    # The arrows move in it, and stay in it.
    for key in ("ArrowRight", "ArrowDown", "ArrowDown", "End", "ArrowRight"):
        page.keyboard.press(key)
    assert named(page, "sa-at") >= {"W_Q-2-2"}
    assert not page.locator(PANEL).is_visible()
    page.keyboard.press("Enter")
    assert told(page) == "WQ33, row 3, column 3 of WQ"
    # With the panel open the arrows tell of each entry at once.
    page.keyboard.press("ArrowUp")
    assert told(page) == "WQ23, row 2, column 3 of WQ"
    page.keyboard.press("Home")
    assert named(page, "sa-picked") == {"W_Q-1-0"}
    page.keyboard.press("Escape")
    assert page.evaluate(label).startswith("Matrix W_Q:")
    outline = (
        "getComputedStyle(document.querySelector('.sa-at[data-cell=\"W_Q-1-0\"]')).outlineStyle"
    )
    assert page.evaluate(outline) == "double"


def test_stepping_walks_through_the_whole_solution(show: Show) -> None:
    text = solution("perfect-square")
    page = show(text)
    traces = explain(derive(load("perfect-square")), Options(traced=True)).traces
    page.get_by_role("button", name="Walk through").click()
    seen = [*named(page, "sa-picked")]
    for _ in traces[1:]:
        page.keyboard.press("n")
        seen += named(page, "sa-picked")
        at = page.locator(".sa-picked:visible").first.bounding_box()
        assert 0 <= at["y"] <= WIDE["height"]
    assert seen == [trace.cell for trace in traces]
    page.keyboard.press("n")
    assert named(page, "sa-picked") == {seen[-1]}
    page.keyboard.press("p")
    assert named(page, "sa-picked") == {seen[-2]}
    page.get_by_role("button", name="Back").click()
    assert named(page, "sa-picked") == {seen[-3]}
    page.keyboard.press("n")
    assert named(page, "sa-picked") == {seen[-2]}


def test_a_shell_of_ones_own_can_be_asked(show: Show, tmp_path: Path) -> None:
    shell = tmp_path / "shell.html"
    shell.write_text(
        '<!DOCTYPE html><html lang="en"><head><meta charset="utf-8"><title>@{title}</title>@{style}'
        '</head><body class="sa-page"><main>@{body}</main>@{script}</body></html>'
    )
    document = explain(derive(load("i-love-ai")), Options(traced=True))
    page = show(write(document, "html", template=shell), NARROW)
    page.locator('[data-cell="S-0-1"]').click()
    page.keyboard.press("n")
    assert told(page) == "S13, I → AI"
    assert page.locator(".sa-picked").count() == 1
    page.keyboard.press("Escape")
    assert page.locator(".sa-picked, .sa-lit").count() == 0
    assert page.locator(".sa-hint").count() > 1


@pytest.mark.parametrize("viewport", [WIDE, NARROW, {"width": 900, "height": 800}])
def test_the_panel_never_covers_what_it_explains(show: Show, viewport: dict[str, int]) -> None:
    page = show(solution("i-love-ai"), viewport)
    for name in ("X-0-0", "Z-2-1", "A-1-2", "O-2-2", "W_V-3-2"):
        cell(page, name).click()
        for _ in range(3):
            page.keyboard.press("n")
            at = page.locator(".sa-picked.sa-at").first.bounding_box()
            panel = page.locator(PANEL).bounding_box()
            bar = page.locator(".sa-bar").bounding_box()
            beside = at["x"] + at["width"] <= panel["x"] + 1
            above = at["y"] + at["height"] <= panel["y"] + 1
            assert beside or above
            assert at["y"] >= bar["y"] + bar["height"] - 1


def test_a_page_of_columns_is_asked_the_same(show: Show) -> None:
    from symattn.convention import COLUMNS

    page = show(solution("i-love-ai", convention=COLUMNS))
    cell(page, "S-0-1").click()
    assert told(page) == "S21, I → love"
    assert named(page, "sa-lit") == {"Q-0-0", "Q-0-1", "Q-0-2", "K-1-0", "K-1-1", "K-1-2"}
    assert page.locator(".sa-on").all_text_contents() == ["I", "love"]


# ------------------------------------------------------------------ switches


@pytest.mark.parametrize("name", ["i-love-ai", "two-heads"])
def test_the_digits_are_those_that_python_proves(show: Show, name: str) -> None:
    derivation = derive(load(name))
    page = show(solution(name))
    read = """() => Object.fromEntries([...document.querySelectorAll('[data-decimal] [data-cell]')]
        .map(c => [c.dataset.cell, c.textContent.replace('\\u2212', '-')]))"""
    more = page.get_by_role("button", name="More decimal places")
    fewer = page.get_by_role("button", name="Fewer decimal places")

    def proved(places: int) -> dict[str, str]:
        found = {}
        for number, letter, stage in derivation:
            shared = letter in ("C", "Y") or len(derivation.heads) == 1
            matrix = letter if shared else f"{letter}{number}"
            for i, row in enumerate(stage.value.rounded(Rounding(places))):
                found |= {f"{matrix}-{i}-{j}": str(value) for j, value in enumerate(row)}
        for number, head in enumerate(derivation.heads, 1):
            matrix = "E" if len(derivation.heads) == 1 else f"E{number}"
            weights: Any = head.A.value
            for i in range(head.A.shape[0]):
                for j in range(head.A.shape[1]):
                    value = weights.rounded_exponential(i, j, Rounding(places))
                    found[f"{matrix}-{i}-{j}"] = str(value)
        return found

    shown = page.evaluate(read)
    assert len(shown) > 20
    for places in (3, 4, 5, 6, 7, 8):
        if places > 3:
            more.click()
        expected = proved(places)
        assert page.evaluate(read) == {name: expected[name] for name in shown}
    assert more.is_disabled()
    for places in range(7, -1, -1):
        fewer.click()
        expected = proved(places)
        assert page.evaluate(read) == {name: expected[name] for name in shown}
    assert fewer.is_disabled()


def test_equals_is_only_said_of_all_the_digits(show: Show) -> None:
    # Halves: exact with one place and more, rounded with none.
    problem = {"tokens": ["a", "b"], "S": [[0, 0], [0, 0]], "V": [[1], [2]], "scale": "none"}
    from symattn import problem_of

    page = show(write(explain(derive(problem_of(**problem)), Options(traced=True)), "html"))
    grid = "document.querySelector('[data-matrix=\"A\"][data-decimal]')"
    sign = f"{grid}.previousSibling.textContent"
    words = "document.querySelectorAll('.sa-body math[data-words]:not([alttext])').length"
    assert page.evaluate(sign) == "="
    fewer = page.get_by_role("button", name="Fewer decimal places")
    fewer.click()
    fewer.click()
    assert page.evaluate(sign) == "="
    fewer.click()
    assert page.evaluate(sign) == "≈"
    assert page.evaluate(words) >= 1
    for _ in range(3):
        page.get_by_role("button", name="More decimal places").click()
    assert page.evaluate(sign) == "="
    assert page.evaluate(words) == 0


def test_exact_decimals_or_both(show: Show) -> None:
    page = show(solution("i-love-ai"))
    exact = page.locator('.sa-exact [data-cell="Z-0-1"]')
    decimal = page.locator('.sa-decimal [data-cell="Z-0-1"]')
    alone = page.locator('[data-matrix="S"] [data-cell="S-0-1"]')

    def visible() -> tuple[bool, bool, bool]:
        return exact.is_visible(), decimal.is_visible(), alone.is_visible()

    assert visible() == (True, True, True)
    page.get_by_label("exact", exact=True).check()
    assert visible() == (True, False, True)
    page.get_by_label("decimals", exact=True).check()
    assert visible() == (False, True, True)
    # What is picked is looked for where it can be seen.
    page.get_by_role("button", name="Walk through").click()
    cell(page, "Z-0-1").click()
    page.keyboard.press("n")
    assert page.locator(".sa-picked.sa-at:visible").count() == 1
    page.get_by_label("both", exact=True).check()
    assert visible() == (True, True, True)


def test_colours_follow_the_system_and_the_switch(show: Show) -> None:
    paper = "getComputedStyle(document.body).backgroundColor"
    light, dark = "rgb(254, 254, 252)", "rgb(21, 23, 27)"
    text = write(worked_page(), "html")
    assert show(text).evaluate(paper) == light
    page = show(text, scheme="dark")
    assert page.evaluate(paper) == dark
    page.get_by_label("light", exact=True).check()
    assert page.evaluate(paper) == light
    page.get_by_label("dark", exact=True).check()
    assert page.evaluate(paper) == dark
    page.get_by_label("auto", exact=True).check()
    assert page.evaluate(paper) == dark


# ------------------------------------------------------------------ everybody


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("viewport", [WIDE, NARROW], ids=["wide", "narrow"])
def test_axe_finds_nothing(show: Show, axe: str, scheme: str, viewport: dict[str, int]) -> None:
    page = show(solution("i-love-ai"), viewport, scheme, bypass_csp=True)
    assert violations(page, axe) == []
    cell(page, "S-0-1").click()
    assert violations(page, axe) == []
    page = show(
        write(sheet(), "html", key=True, header="School"), viewport, scheme, bypass_csp=True
    )
    assert violations(page, axe) == []


def test_axe_can_find_something(show: Show, axe: str) -> None:
    page = show("<main><img src='data:,'><p style='color:#aaa'>grey", bypass_csp=True)
    found = "".join(violations(page, axe))
    assert "image-alt" in found
    assert "color-contrast" in found


CONTRAST = """() => {
  const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
  const luminance = (text) => rgb(text).slice(0, 3).map((v) => v / 255)
    .map((v) => v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, k) => sum + v * [0.2126, 0.7152, 0.0722][k], 0);
  const ground = (element) => {
    const colour = getComputedStyle(element).backgroundColor;
    return (rgb(colour)[3] ?? 1) === 0 ? ground(element.parentElement) : colour;
  };
  const low = [];
  for (const element of document.querySelectorAll(".sa-page *:not(style, script)")) {
    const own = [...element.childNodes].some((n) => n.nodeType === 3 && n.data.trim());
    if (!own || !element.getClientRects().length) continue;
    const [a, b] = [getComputedStyle(element).color, ground(element)].map(luminance);
    const ratio = (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
    if (ratio < 4.5) low.push([element.outerHTML.slice(0, 80), ratio]);
  }
  return low;
}"""
"""Text whose contrast is below 4.5. axe skips single signs, and mathematics is made of them."""


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_sign_has_contrast(show: Show, scheme: str) -> None:
    page = show(solution("causal"), scheme=scheme)
    assert page.evaluate(CONTRAST) == []
    cell(page, "A-1-0").click()
    assert page.evaluate(CONTRAST) == []
    assert show(write(worked_page(), "html", key=True), scheme=scheme).evaluate(CONTRAST) == []
    assert show("<body class=sa-page style='background:#fff'><p style='color:#999'>x").evaluate(
        CONTRAST
    )


def test_nothing_is_marked_by_colour_alone(show: Show) -> None:
    page = show(solution("i-love-ai"))
    look = """(selector) => { const s = getComputedStyle(document.querySelector(selector));
        return [s.fontFamily.split(',')[0], s.borderBottomStyle, s.outlineStyle] }"""
    assert page.evaluate(look, ".sa-max mn")[0] == '"symattn bold"'
    assert page.evaluate(look, ".sa-max")[1] == "solid"
    cell(page, "S-0-1").click()
    assert page.evaluate(look, ".sa-lit")[2] == "dashed"
    assert page.evaluate(look, ".sa-picked")[2] == "solid"
    page = show(write(sheet(), "html", key=True))
    assert page.evaluate(look, ".sa-blank")[1] == "solid"
    assert page.evaluate(look, ".sa-answer")[1] == "solid"
    page.emulate_media(forced_colors="active")
    assert page.evaluate(look, ".sa-answer")[1] == "solid"


def test_targets_are_large_enough(show: Show) -> None:
    page = show(solution("padded"), NARROW)
    cell(page, "S-0-1").click()
    small = page.evaluate("""() => [...document.querySelectorAll(
        'button, .sa-bar label, .sa-body .sa-askable, .sa-body input')]
        .map(e => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()])
        .filter(([_, r]) => r.width && (r.width < 24 || r.height < 24)).map(([html]) => html)""")
    assert small == []


def test_without_script_everything_is_there_to_read(show: Show) -> None:
    page = show(solution("i-love-ai"), java_script_enabled=False)
    assert not page.locator(".sa-bar, .sa-panel").count()
    text = page.locator("main").inner_text()
    assert "Summary" in text
    assert "0.707" in text
    assert page.locator("math").first.bounding_box()["height"] > 20


def test_a_page_without_traces_has_only_the_switches_it_can_use(show: Show) -> None:
    page = show(write(sheet(), "html"))
    assert page.locator(".sa-bar legend").all_text_contents() == ["Colours"]
    page = show(write(explain(derive(load("letters"))), "html"))
    assert page.locator(".sa-bar legend").all_text_contents() == ["Colours"]
    page = show(write(explain(derive(load("i-love-ai"))), "html"))
    assert page.locator(".sa-bar legend").all_text_contents() == ["Numbers", "Colours"]


def test_nothing_typed_runs(show: Show) -> None:
    page = show(write(evil_page(EVIL[0]), "html", header=EVIL[0]))
    file = page.url
    for text in EVIL[1:]:
        page.locator("[data-cell]").first.click()  # a dialog or an error would fail the test
        assert page.locator("h1").inner_text().strip()
        assert not page.locator("svg, img").count()
        Path(url2pathname(urlparse(file).path)).write_text(
            write(evil_page(text), "html", header=text), encoding="utf-8"
        )
        page.reload()
    assert page.locator("h1").inner_text() == EVIL[-1]


def test_the_policy_stops_what_gets_in(browser: Any, tmp_path: Any) -> None:
    text = write(worked_page(), "html").replace(
        "<main", "<img src=x onerror=\"document.title='run'\"><main"
    )
    file = tmp_path / "in.html"
    file.write_text(text, encoding="utf-8")
    page = browser.new_page()
    refused: list[str] = []
    page.on("console", lambda message: refused.append(message.text))
    page.goto(file.as_uri())
    page.wait_for_timeout(50)
    assert page.title() == "Attention by hand"
    assert any("Content Security Policy" in message for message in refused)
    page.close()


# ------------------------------------------------------------------ narrow screens and paper

PAGES = {
    **{name: lambda name=name: solution(name) for name in builtin_names()},
    "full": lambda: solution("two-heads", detail="full", code=True),
    "ten places": lambda: solution("cross", exact=False, rounding=Rounding(10)),
    "worked": lambda: write(worked_page(), "html", key=True),
    "sheet": lambda: write(sheet(), "html"),
    "hostile": lambda: write(hostile_page(), "html"),
}


@pytest.mark.parametrize("name", PAGES)
def test_nothing_is_cut_off_on_narrow_screens_and_on_paper(show: Show, name: str) -> None:
    page = show(PAGES[name](), NARROW)
    width = "document.documentElement.scrollWidth"
    assert page.evaluate(width) == NARROW["width"]
    if page.locator("[data-cell].sa-askable").count():
        page.locator("[data-cell].sa-askable").last.click()
        assert page.evaluate(width) == NARROW["width"]
    # What is too wide scrolls in a box that can be reached by keyboard and says so.
    unreachable = page.evaluate("""() => [...document.querySelectorAll('.sa-body .sa-scroll')]
        .filter(box => box.scrollWidth > box.clientWidth + 1)
        .filter(box => box.tabIndex || !box.nextElementSibling?.matches('.sa-hint')).length""")
    assert unreachable == 0

    # A word of 150 letters inside a formula is the one thing that no paper is wide enough for.
    assert [text for text in cut_off_on_paper(page) if "W" * 20 not in text] == []


def cut_off_on_paper(page: Any) -> list[str]:
    # 210 mm less the margins of 22 mm, at 96 px to the inch.
    page.set_viewport_size({"width": 627, "height": 900})
    page.emulate_media(media="print", color_scheme="dark")
    assert not page.locator(".sa-bar, .sa-panel").filter(visible=True).count()
    return list(
        page.evaluate("""() => {
          const edge = document.querySelector('.sa-body').getBoundingClientRect().right + 1;
          return [...document.querySelectorAll('.sa-body :is(math, .sa-why, td)')]
            .filter(e => e.getBoundingClientRect().right > edge).map(e => e.textContent)
            .concat([...document.querySelectorAll('.sa-body :is(.sa-scroll, math)')]
              .filter(e => getComputedStyle(e).overflowX !== 'visible').map(e => e.outerHTML)) }""")
    )


def test_paper_has_the_whole_content(show: Show) -> None:
    pypdf = pytest.importorskip("pypdf")
    page = show(solution("i-love-ai"), NARROW, "dark")
    cell(page, "S-0-1").click()
    reader = pypdf.PdfReader(io.BytesIO(page.pdf(prefer_css_page_size=True)))
    text = "\n".join(part.extract_text() for part in reader.pages)
    width, height = (round(float(side) / 72 * 25.4) for side in reader.pages[0].mediabox[2:])
    assert (width, height) == (210, 297)
    for words in (
        "I love AI",
        "Step 1.",
        "Step 5.",
        "Who looks at whom",
        "Summary",
        "0.707",
        "1.637",
    ):
        assert words in text
    assert "Walk through" not in text
    assert "Where it comes from" not in text
    # Ink on white paper, whatever the screen: no page has a dark ground.
    assert len(reader.pages) <= 4
