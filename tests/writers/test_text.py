"""Text for a terminal: it fits, it lines up, and what somebody typed cannot act."""

from __future__ import annotations

import re

import pytest
import samples

from symattn.document import Code, Display, Document, Line, Para, Table
from symattn.formula import Frac, Grid, Seq, Sym, Words, joined, num
from symattn.writers import write
from symattn.writers.text import wrap
from symattn.writers.text_box import width_of
from symattn.writers.text_math import TextMath


def lines_of(page: Document, **options: object) -> list[str]:
    return write(page, "text", **options).split("\n")  # type: ignore[arg-type]


@pytest.mark.parametrize("width", [60, 80, 120])
@pytest.mark.parametrize("key", [False, True])
def test_a_page_fits_its_width(width: int, key: bool) -> None:
    page = samples.worked_page()
    blocks = tuple(block for block in page.blocks if not isinstance(block, Code))
    lines = lines_of(Document(page.title, page.subtitle, blocks), width=width, key=key)
    assert max(map(width_of, lines)) <= width


def test_a_wide_matrix_goes_on_below() -> None:
    row = tuple(Frac(Sym("x"), joined("+", [Sym("x"), num(n), Sym("y")])) for n in range(12))
    lines = lines_of(Document("", "", (Display((Line(Sym("A"), "=", Grid((row,))),)),)))
    assert max(map(width_of, lines)) <= 80
    text = "\n".join(lines)
    assert all(f"x + {n} + y" in text for n in range(12)) and "⋯" in text


def test_a_long_sum_breaks_before_a_sign() -> None:
    total = joined("+", [num(10**6 + n) for n in range(20)])
    lines = lines_of(Document("", "", (Display((Line(Sym("r"), "=", total),)),)))
    body = [line for line in lines if line.strip(" ═")]
    assert max(map(width_of, body)) <= 80 and len(body) > 1
    assert all(line.startswith("        + ") for line in body[1:])


def test_terminal_escapes_do_not_act() -> None:
    text = write(samples.hostile_page(), "text")
    assert not re.search(
        "[\x00-\x09\x0b-\x1f\x7f-\x9f\u202a-\u202e\u2066-\u2069\ue000-\uf8ff]", text
    )
    assert "[U+001B][31mred" in text


def test_colours_only_on_request() -> None:
    plain = write(samples.worked_page(), "text")
    coloured = write(samples.worked_page(), "text", colour=True)
    assert "\x1b" not in plain and "\x1b[1;33m" in coloured
    bare = re.sub("\x1b\\[[0-9;]*m", "", coloured).split("\n")
    assert [line.rstrip() for line in bare] == plain.split("\n")


def test_wide_characters_take_two_columns() -> None:
    assert [width_of(text) for text in ("abc", "日本", "é", "e\u0301", "⎡−∞‹›", "👩")] == [
        3,
        4,
        1,
        1,
        5,
        2,
    ]
    page = Document("", "", (Table((("日本",), ("b",)), ((("a",), ("b",)),)),))
    ends = {width_of(line.rstrip()) for line in lines_of(page) if line.strip(" ═─")}
    assert len(ends) == 1


@pytest.mark.parametrize("width", [1, 5, 20])
def test_wrapping_loses_nothing(width: int) -> None:
    text = "a bc 日本語日本語 " + "x" * 50
    lines = wrap(text, max(width, 2))
    assert "".join(lines).replace(" ", "") == text.replace(" ", "")
    assert max(map(width_of, lines)) <= max(width, 2)


def test_words_are_taken_literally() -> None:
    assert TextMath().formula(Seq((Words("$x$"),))).lines == ("$x$",)


def test_paragraphs_are_wrapped() -> None:
    lines = lines_of(Document("", "", (Para(("word " * 40,)),)), width=40)
    assert max(map(len, lines)) <= 40 and len(lines) > 5
