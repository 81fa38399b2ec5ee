"""The five documents of an exercise, for every recipe."""

from __future__ import annotations

import io
import re

import pypdf
import pytest
from paper import ink_on_margins, text
from test_worksheet import blanks, replaced

from symattn import write
from symattn.document import Document, Form, Heading, Part
from symattn.formula import Seq
from symattn.generate.exercise import Exercise
from symattn.generate.recipes import BY_NAME, RECIPES
from symattn.generate.settings import Settings
from symattn.pdf import pdf
from symattn.views.options import Options
from symattn.views.sheets.collection import collection
from symattn.views.sheets.documents import DOCUMENTS

NAMES = [recipe.name for recipe in RECIPES]


def made(name: str, level: int = 2, seed: int = 5) -> Exercise:
    return BY_NAME[name].exercise(seed, Settings(level=level))


def document(kind: str, exercise: Exercise) -> Document:
    return DOCUMENTS[kind](exercise, Options())


@pytest.mark.parametrize("format", ["typst", "latex", "html", "markdown", "text", "speech"])
@pytest.mark.parametrize("name", NAMES)
def test_the_empty_sheet_does_not_depend_on_its_answers(name: str, format: str) -> None:
    page = document("sheet", made(name))
    # A box that is right when it stays empty looks like one that is not.
    other = replaced(page, "SECRET")
    assert write(page, format) == write(other, format)
    assert "SECRET" in write(other, format, key=True)


@pytest.mark.parametrize("name", NAMES)
def test_sheet_and_key_break_alike(name: str) -> None:
    page = document("sheet", made(name))
    sheet, key = (text(pdf(page, key=key)).split("\f") for key in (False, True))
    assert len(sheet) == len(key)
    for empty, filled in zip(sheet, key, strict=True):
        assert re.findall(r"\[\d+ points?\]", empty) == re.findall(r"\[\d+ points?\]", filled)


@pytest.mark.parametrize("kind", DOCUMENTS)
@pytest.mark.parametrize("name", NAMES)
def test_every_document_is_set_within_its_margins(name: str, kind: str) -> None:
    exercise = made(name, level=4)
    page = document(kind, exercise)
    data = pdf(page, key=kind == "key", paper="letter")
    assert ink_on_margins(data) == []
    pages = text(data).split("\f")
    assert all(str(exercise.identity) in each for each in pages)
    for format in ("latex", "html", "gfm", "text"):
        assert str(exercise.identity) in write(page, format)


@pytest.mark.parametrize("name", NAMES)
def test_points_add_up(name: str) -> None:
    page = document("sheet", made(name))
    points = [
        int(found[1])
        for block in page.blocks
        if isinstance(block, Heading) and (found := re.match(r"\[(\d+) point", block.aside))
    ]
    (form,) = (block for block in page.blocks if isinstance(block, Form))
    assert form.fields[2][0] == f"Points of {sum(points)}"
    boxes = [blank for blank in blanks(page) if blank.answer != Seq(())]
    if name not in ("find-the-mistake",):  # Its last box is worth three.
        assert len(boxes) == sum(points)


def test_a_faded_sheet_has_fewer_boxes_and_shows_a_first_row() -> None:
    for name in ("full-attention", "causal-mask", "two-heads"):
        exercise = made(name)
        sheet, faded = (list(blanks(document(kind, exercise))) for kind in ("sheet", "faded"))
        assert len(faded) < 0.7 * len(sheet)
        assert "worked out" in write(document("faded", exercise), "text")


def test_the_marking_key_names_what_a_mistake_looks_like() -> None:
    exercise = made("full-attention")
    written = write(document("marking", exercise), "text")
    right = exercise.derivation.stage("Z").value.at(0, 0)
    assert "no division by √d_k" in written
    assert "If you see" in written
    assert right is not None
    assert "softmax down the columns" in written


@pytest.mark.parametrize("name", ["first-steps", "full-attention", "two-heads", "kv-cache"])
def test_the_marking_key_has_all_points(name: str) -> None:
    exercise = made(name)
    written = write(document("marking", exercise), "text")
    total = int(re.findall(r"(\d+) points\. A point", written)[0])
    parts = sum(map(int, re.findall(r"(\d+) points?(?!\.)", written.split("Right entries")[1])))
    (form,) = (b for b in document("sheet", exercise).blocks if isinstance(b, Form))
    assert form.fields[2][0] == f"Points of {total}"
    assert parts == total


def test_the_solution_stops_where_the_sheet_does() -> None:
    written = write(document("solution", made("first-steps")), "text")
    assert "V =" in written
    assert "softmax" not in written


def test_the_cache_sheet_prints_the_kept_rows_and_asks_for_the_new_one() -> None:
    exercise = made("kv-cache")
    page = document("sheet", exercise)
    written = write(page, "text")
    assert "kept from earlier steps" in written
    K = exercise.derivation.stage("K").value
    assert str(K.at(0, 0).rational).replace("-", "−") in written  # type: ignore[union-attr]
    solution = write(document("solution", exercise), "text")
    assert "same row" in solution


# ------------------------------------------------------------------ several in one


def test_sheets_of_a_class_have_their_own_pages_footers_and_bookmarks() -> None:
    exercises = [made("scores", seed=k) for k in range(3)]
    one = collection("Class", "3 sheets", [document("sheet", e) for e in exercises])
    assert sum(isinstance(block, Part) for block in one.blocks) == 3
    data = pdf(one)
    reader = pypdf.PdfReader(io.BytesIO(data))
    top = [entry.title for entry in reader.outline if not isinstance(entry, list)]
    assert top == ["Scores"] * 3
    pages = text(data).split("\f")
    assert all(any(str(e.identity) in page for page in pages[1:]) for e in exercises)
    numbers = [re.findall(r"\b(\d+) / (\d+)\b", page)[-1] for page in pages]
    assert numbers[1][0] == "1"
    assert len([n for n in numbers[1:] if n[0] == "1"]) == 3
    assert pdf(one) == data
    for format in ("latex", "html", "markdown", "text", "speech"):
        written = write(one, format)
        assert all(str(e.identity) in written for e in exercises)
