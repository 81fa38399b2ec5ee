"""The practice sheet: one tree with its key, and no answer anywhere on the empty sheet."""

from __future__ import annotations

import dataclasses
import io
import re
from collections.abc import Iterator
from typing import Any

import pypdf
import pytest

from symattn import derive, load, write
from symattn.convention import COLUMNS
from symattn.document import Document
from symattn.formula import Blank, Grid, Words
from symattn.pdf import pdf
from symattn.reading.problem_file import builtin_names
from symattn.views.options import Options
from symattn.views.worksheet import worksheet
from symattn.writers import WRITERS

FORMATS = [format for format in WRITERS if format != "json"]


def replaced(tree: Any, answer: str) -> Any:
    """The same tree with every answer replaced."""
    if isinstance(tree, Blank):
        return Blank(Words(answer), tree.width, tree.height)
    if isinstance(tree, tuple):
        return tuple(replaced(part, answer) for part in tree)
    if dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        values = {
            field.name: replaced(getattr(tree, field.name), answer)
            for field in dataclasses.fields(tree)
        }
        return dataclasses.replace(tree, **values)
    return tree


def blanks(tree: Any) -> Iterator[Blank]:
    if isinstance(tree, Blank):
        yield tree
    elif isinstance(tree, tuple):
        for part in tree:
            yield from blanks(part)
    elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
        for field in dataclasses.fields(tree):
            yield from blanks(getattr(tree, field.name))


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize("name", builtin_names())
def test_the_empty_sheet_does_not_depend_on_its_answers(name: str, format: str) -> None:
    page = worksheet(derive(load(name)))
    other = replaced(page, "SECRET")
    assert write(page, format) == write(other, format)
    assert "SECRET" in write(other, format, key=True)


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize(
    "options", [Options(), Options(convention=COLUMNS)], ids=["rows", "columns"]
)
def test_sheet_and_key_break_alike_and_only_the_key_has_the_digits(
    name: str, options: Options
) -> None:
    page = worksheet(derive(load(name)), options)
    empty, filled = (pages(pdf(page, key=key)) for key in (False, True))
    assert len(empty) == len(filled)
    for sheet, key in zip(empty, filled, strict=True):
        assert headings(sheet) == headings(key)
        decimals = set(re.findall(r"\d+\.\d{3}", key)) - set(re.findall(r"\d+\.\d{3}", sheet))
        assert not decimals or not re.search(r"\d+\.\d{3}", sheet)


def pages(data: bytes) -> list[str]:
    return [page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages]


def headings(text: str) -> list[str]:
    return re.findall(r"^\d+\. [A-Z].*", text, re.MULTILINE)


@pytest.mark.parametrize("name", builtin_names())
def test_every_entry_of_every_step_is_asked_for_once(name: str) -> None:
    derivation = derive(load(name))
    page = worksheet(derivation)
    hidden = 1 if derivation.problem.scale.is_none else 0
    expected = 0
    for head in derivation.heads:
        for letter, stage in head:
            if hasattr(stage, "kind") and not (letter == "Z" and hidden):
                expected += stage.shape[0] * stage.shape[1]
        n, m = head.A.shape
        expected += n * m + n  # exponentials and row sums
    for step in (derivation.joined, derivation.projected):
        expected += step.shape[0] * step.shape[1] if step else 0
    points = sum(int(x) for x in re.findall(r"\[(\d+) points\]", write(page, "text")))
    assert len(list(blanks(page.blocks))) == expected == points


def test_boxes_of_a_matrix_have_one_size() -> None:
    def grids(tree: Any) -> Iterator[Grid]:
        if isinstance(tree, Grid):
            yield tree
        elif isinstance(tree, tuple):
            for part in tree:
                yield from grids(part)
        elif dataclasses.is_dataclass(tree) and not isinstance(tree, type):
            for field in dataclasses.fields(tree):
                yield from grids(getattr(tree, field.name))

    page: Document = worksheet(derive(load("causal")))
    sized = [{(b.width, b.height) for b in blanks(grid)} for grid in grids(page.blocks)]
    assert any(sized) and all(len(sizes) <= 1 for sizes in sized)
