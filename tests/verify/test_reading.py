"""What hand calculations look like, and what is to be read from them.

`inputs.tsv` holds inputs with their meaning as SymPy text, as rows of it, as a chain of
[relation, name, value], or as a code; `notations.txt` how public pages write matrices.
SymPy evaluates the meanings: it shares nothing with the reader.
"""

from __future__ import annotations

import json
import time
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest
import sympy

from symattn.exact import decide
from symattn.exact.matrix import MINUS_INFINITY, round_value
from symattn.exact.rounding import Rounding
from symattn.verify.reading.formats import FORMATS, detected, page, read, statements
from symattn.verify.reading.refusal import CODES, Refusal
from symattn.verify.reading.table import cell_of
from symattn.verify.reading.written import Grid, Label, Link, Statement, Unreadable, Written

HERE = Path(__file__).parent
BEYOND = {
    "I061": "unknown-macro",  # A sum sign: the list calls a refusal right too.
    "I062": "unknown-symbol",  # Bars of an absolute value: likewise.
}
"""Rows that are outside the grammar and must be refused with these codes."""
READ = {"I305"}
"""A row that may be refused or read: 398 exponentials of roots are within the bounds."""


@dataclass(frozen=True)
class Case:
    id: str
    format: str
    text: str
    kind: str
    meaning: Any


def cases() -> list[Case]:
    lines = (HERE / "inputs.tsv").read_text("utf-8").rstrip("\n").split("\n")[1:]
    out = []
    for line in lines:
        name, _, format, text, kind, meaning, *_ = line.split("\t")
        out.append(Case(name, format, json.loads(text), kind, json.loads(meaning)))
    return out


CASES = cases()


@cache
def oracle(meaning: str) -> Any:
    """The value by SymPy, to 40 digits. Only texts of the list come here."""
    value = sympy.sympify(meaning, rational=True)
    return value if value is sympy.S.NegativeInfinity else sympy.N(value, 40)


def places_of(meaning: str) -> int | None:
    """Digits after the point where the meaning is a decimal literal."""
    body = meaning.lstrip("-")
    whole, point, decimals = body.partition(".")
    return len(decimals) if point and whole.isdigit() and decimals.isdigit() else None


def same(part: object, meaning: Any) -> bool:
    match part:
        case Grid(rows=rows):
            return (
                isinstance(meaning, list)
                and len(meaning) == len(rows)
                and all(
                    len(a) == len(b) and all(same(x, y) for x, y in zip(a, b, strict=True))
                    for a, b in zip(rows, meaning, strict=True)
                )
            )
        case Written(value=value, places=places) if isinstance(meaning, str):
            wanted = oracle(meaning)
            if value is MINUS_INFINITY or wanted is sympy.S.NegativeInfinity:
                return value is MINUS_INFINITY and wanted is sympy.S.NegativeInfinity
            found = sympy.Float(str(round_value(value, Rounding(35))), 45)
            if abs(found - wanted) > sympy.Float("1e-30") * (1 + abs(wanted)):
                return False
            digits = places_of(meaning)
            return digits is None or places == digits
        case _:
            return False


def tried(text: str, format: str) -> tuple[tuple[Link, ...], Refusal | None]:
    try:
        return read(text, format), None
    except Refusal as refusal:
        return (), refusal


def linked(link: Link, meaning: list[Any]) -> bool:
    relation, name, value = meaning
    if value == "(name)":
        return isinstance(link.part, Label) and (link.relation, link.part.text) == (relation, name)
    return link.relation == relation and same(link.part, value)


@pytest.mark.parametrize("case", CASES, ids=lambda case: case.id)
def test_each_input(case: Case) -> None:
    start = time.process_time()
    links, refusal = tried(case.text, case.format)
    code = refusal.code if refusal else None
    if refusal:
        assert str(refusal)
        assert (len(refusal.readings) > 1) == (code == "ambiguous")
    assert time.process_time() - start < 1
    if case.id in BEYOND:
        assert code == BEYOND[case.id]
        return
    if case.id in READ and code is None:
        return
    match case.kind:
        case "error":
            assert code == case.meaning
        case "ambiguous" if code is None:
            # Read in the one way that is meant, and said so.
            last = links[-1].part
            assert len(case.meaning) == 1 and same(last, case.meaning[0])
            assert isinstance(last, Written) and last.warnings
        case "ambiguous":
            assert code == "ambiguous"
        case "scalar" | "matrix":
            assert len(links) == 1, code
            assert same(links[0].part, case.meaning)
        case "chain":
            assert len(links) == len(case.meaning), code
            assert all(map(linked, links, case.meaning))
        case _:
            pytest.fail(case.kind)


def test_the_list_is_whole_and_can_fail() -> None:
    assert len(CASES) == 220
    assert {case.format for case in CASES} == set(FORMATS)
    codes = {case.meaning for case in CASES if case.kind == "error"}
    assert codes <= set(CODES)
    assert not same(read("0.70", "latex")[0].part, "0.7"), "the digits count"
    assert not same(read("0.71", "latex")[0].part, "1/sqrt(2)")


# ---------------------------------------------------------------------- how pages write matrices


def notations() -> list[tuple[str, str, str]]:
    """(label, what is expected, the literal text)."""
    blocks: list[tuple[str, str, list[str]]] = []
    for line in (HERE / "notations.txt").read_text("utf-8").split("\n"):
        if line.startswith("@@ "):
            label, _, expected = line[3:].partition(" => ")
            blocks.append((label, expected, []))
        elif blocks:
            blocks[-1][2].append(line)
    return [(label, expected, "\n".join(lines).rstrip()) for label, expected, lines in blocks]


def format_of(text: str) -> str:
    if "| query" in text or "**`" in text:
        return "markdown"
    return "latex" if "\\" in text else "plain"


def cell_is(cell: object, text: str) -> bool:
    wanted = cell_of(text)
    if not isinstance(cell, Written) or not isinstance(wanted, Written):
        return False
    if cell.value is MINUS_INFINITY or wanted.value is MINUS_INFINITY:
        return cell.value is wanted.value
    return decide.equal(cell.value, wanted.value)


def answer_is(part: object, wanted: Any) -> bool:
    if isinstance(part, Written):
        return isinstance(wanted, str) and cell_is(part, wanted)
    assert isinstance(part, Grid)
    if isinstance(wanted, str):
        return part.shape == (1, 1) and cell_is(part.rows[0][0], wanted)
    return part.shape == (len(wanted), len(wanted[0])) and all(
        cell_is(cell, text)
        for row, texts in zip(part.rows, wanted, strict=True)
        for cell, text in zip(row, texts, strict=True)
    )


@pytest.mark.parametrize(
    ("label", "expected", "text"), notations(), ids=lambda value: value[:2] if value else ""
)
def test_each_notation(label: str, expected: str, text: str) -> None:
    found = [each for each in statements(text, format_of(text)) if isinstance(each, Statement)]
    if not expected.startswith("note:"):
        assert len(found) == 1
        assert answer_is(found[0].links[-1].part, json.loads(expected))


def test_two_matrices_in_one_table() -> None:
    text = next(text for label, _, text in notations() if label.startswith("55"))
    scores, weights = statements(text, "markdown")
    assert isinstance(scores, Statement) and isinstance(weights, Statement)
    assert (scores.names, weights.names) == (["S"], ["A"])
    assert answer_is(scores.links[-1].part, [["0.4047", "0.1967", "0.2500"]])
    assert answer_is(weights.links[-1].part, [["0.3747", "0.3043", "0.3210"]])


def test_three_matrices_in_one_line() -> None:
    found = statements("[[1,2],[3,4]] [[5,6],[7,8]] [[9,10],[11,12]]", "plain")
    assert len(found) == 3


def test_dots_inside_a_row_are_reported() -> None:
    (found,) = statements("x1: [0.2, 0.5, ..., 0.3]", "plain")
    assert isinstance(found, Statement)
    grid = found.links[-1].part
    assert isinstance(grid, Grid)
    cell = grid.rows[0][2]
    assert isinstance(cell, Unreadable) and cell.refusal.code == "ellipsis-cell"


# ---------------------------------------------------------------------- public bug reports

REPORTED = [
    ("A02", "{\\rm e}^{2}", "exp(2)"),
    ("A05", "24! \\times 24!", "unknown-symbol"),
    ("A04", "1 -", "missing-operand"),
    ("A11", "8-4-2", "2"),
    ("A11", "8/4/2", "1"),
    ("A10", "\\exp\\left(2\\right)", "exp(2)"),
    ("A14", "\\left( \\begin{array} { l l } { 2} & { 7} \\\\ {1} & {3} \\end{array} \\right)",
     [["2", "7"], ["1", "3"]]),
    ("A16", "\\frac12", "1/2"),
    ("A16", "1 2", "two-numbers"),
    ("A17", "frac12", "unknown-symbol"),
    ("A19", "1{,}234", "ambiguous"),
    ("A22", "\\left(\\frac{1}{2}\\right)^2", "1/4"),
    ("A25", "\\frac{1}\\sqrt{3}", "missing-argument"),
    ("A25", "\\sqrt\\frac12", "missing-argument"),
    ("A26", "1#2", "unknown-symbol"),
    ("A29", "4\\frac{1}{2}", "ambiguous"),
    ("A31", "\\begin{pmatrix}1 & 2 \\\\\\end{pmatrix}", [["1", "2"]]),
    ("A32", "\\begin{bmatrix}1\\\\2\\end{bmatrix}\\begin{bmatrix}3&4\\end{bmatrix}",
     [["3", "4"], ["6", "8"]]),
    ("A34", "1.78e0", "1.78"),
    ("A34", "1+1/0", "undefined"),
    ("A35", "(3)(4)", "12"),
    ("A35", "3(4)", "12"),
    ("A35", "(1)(2)+(0)(1)", "2"),
    ("B05", "\\sqrt{\\frac{1}{3}}", "1/sqrt(3)"),
    ("B08", "5^{5^{5^{5^5}}}", "too-large"),
    ("B13", "\\text{13}", "13"),
    ("E02", "\\begin{bmatrix}1\\\\2\\\\[2pt]\\end{bmatrix}", [["1"], ["2"]]),
    ("E05", "1 } 2", "extra-brace"),
    ("E10", "\\begin{bmatrix}70.7% & 29.3%\\\\ 1 & 2\\end{bmatrix}", "unescaped-percent"),
    ("F07", "^{" * 60 + "1" + "}" * 60, "too-deep"),
    ("F07", "\\frac{" * 60, "too-deep"),
]  # fmt: skip


@pytest.mark.parametrize(("report", "text", "wanted"), REPORTED)
def test_each_report(report: str, text: str, wanted: Any) -> None:
    if isinstance(wanted, str) and wanted in CODES:
        with pytest.raises(Refusal) as caught:
            read(text, "latex")
        assert caught.value.code == wanted
    else:
        assert same(read(text, "latex")[-1].part, wanted)


MORE = [
    ("plain", "0.5, 0.5\n0.27, 0.73", [["0.5", "0.5"], ["0.27", "0.73"]]),
    ("plain", "1\n2\n3", [["1"], ["2"], ["3"]]),
    ("plain", "1 -2\n3 4", [["1", "-2"], ["3", "4"]]),
    ("plain", "[1, 2], [3, 4]", [["1", "2"], ["3", "4"]]),
    ("plain", "[ 1 -2\n  3  4 ]", [["1", "-2"], ["3", "4"]]),
    ("plain", "[1, 2\n 3, 4]", [["1", "2"], ["3", "4"]]),
    ("plain", "[1, 2,\n 3, 4]", [["1", "2", "3", "4"]]),
    ("plain", "[1 2 3\n 4 5]", [["1", "2", "3", "4", "5"]]),
    ("plain", "[[1 2\n  3 4]\n [5 6\n  7 8]]", [["1", "2", "3", "4"], ["5", "6", "7", "8"]]),
    (
        "plain",
        "[" + "1.00000000 " * 6 + "\n " + "2.00000000 " * 6 + "]",
        [["1.00000000"] * 6 + ["2.00000000"] * 6],
    ),
    ("plain", "[[1.e+03 2.e-01]]", [["1000", "0.2"]]),
    ("plain", "0.25 (25%)", "0.25"),
    ("plain", "2e+1", "2*E+1"),
    ("plain", "1.234,5", "ambiguous"),
    ("plain", "1 = = 2", "missing-operand"),
    ("plain", "0.5 =", "missing-operand"),
    ("latex", "$0.42$", "0.42"),
    ("latex", "\\begin{bmatrix}1 & \\begin{bmatrix}2\\end{bmatrix}\\end{bmatrix}", "not-a-value"),
    ("latex", "\\begin{bmatrix}1 & 2", "mismatched-environment"),
    ("latex", "\\begin{bmatrix}1 & & 3\\end{bmatrix}", "empty-cell"),
    ("yaml", "B: [[-.inf, 1]]", [["-oo", "1"]]),
    ("yaml", "B: |\n  1 2\n  3 4", [["1", "2"], ["3", "4"]]),
    ("json", '{"x": 1e999}', "too-large"),
    ("csv", "0,5;0,5\n0,27;0,73\n", [["0.5", "0.5"], ["0.27", "0.73"]]),
    ("csv", "0,5,0,5\n", "ambiguous"),
]


@pytest.mark.parametrize(("format", "text", "wanted"), MORE)
def test_other_ways_to_write(format: str, text: str, wanted: Any) -> None:
    links, refusal = tried(text, format)
    if isinstance(wanted, str) and wanted in CODES:
        assert refusal and refusal.code == wanted
    else:
        assert not refusal and same(links[-1].part, wanted)


@pytest.mark.parametrize(
    "text",
    ["a_11 = 0.07, a_12 = 0.71", "a_11 = 0.07 and a_12 = 0.71", "a_11 = 0.07; so a_12 = 0.71",
     "A[0] = [0.1, 0.9], A[1] = [0.2, 0.8]", "A = [[1]] and V = [[2]]",
     "1/√3 ≈ 0.577, 5/√3 ≈ 2.887", "o_1 = (1, 2), o_2 = (3, 4)"],
)  # fmt: skip
def test_two_statements_in_one_line(text: str) -> None:
    assert len(page(text, "plain")) == 2


def test_words_before_a_matrix_are_its_name() -> None:
    links = read("output [[1, 2], [3, 4]]", "plain")
    assert isinstance(links[0].part, Label) and same(links[-1].part, [["1", "2"], ["3", "4"]])


def test_a_small_difference_is_a_difference() -> None:
    """B02: 2^-99 is not 2^-98."""
    (a,), (b,) = read("2^{-99}", "latex"), read("2^{-98}", "latex")
    assert isinstance(a.part, Written) and isinstance(b.part, Written)
    assert not decide.equal(a.part.value, b.part.value)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("format", "text"),
    [("yaml", "A: [[0.70, 1]]"), ("json", '{"A": [[0.70, 1]]}'), ("csv", "0.70,1"),
     ("latex", "\\begin{bmatrix}0.70 & 1\\end{bmatrix}"), ("plain", "[[0.70, 1]]"),
     ("markdown", "| a | b |\n|--|--|\n| 0.70 | 1 |")],
)  # fmt: skip
def test_digits_survive_each_format(format: str, text: str) -> None:
    """C04: 0.70 keeps two decimals."""
    grid = read(text, format)[-1].part
    assert isinstance(grid, Grid)
    cell = grid.rows[0][0]
    assert isinstance(cell, Written) and cell.places == 2


# ---------------------------------------------------------------------- places, pages, formats


def test_a_refusal_says_where() -> None:
    with pytest.raises(Refusal) as caught:
        read("\\begin{bmatrix}\n1 & 2 \\\\\n3 & x\n\\end{bmatrix}", "latex")
    refusal = caught.value
    refusal.within("\\begin{bmatrix}\n1 & 2 \\\\\n3 & x\n\\end{bmatrix}")
    assert (refusal.place.line, refusal.place.column) == (3, 5)
    text = str(refusal)
    assert "3 & x" in text and text.splitlines()[2].endswith("    ^")


def test_prose_is_passed_over() -> None:
    text = (
        "# Attention by hand\n\nWe have three tokens, so n = 3 rows, and d is 2.\n\n"
        "The scores are:\n\n```\n1 5 3\n3 3 3\n2 4 3\n```\n\n"
        "and then the *weights* $A = \\begin{bmatrix} 0.5 & 0.5 \\end{bmatrix}$ follow.\n"
    )
    found = [each for each in page(text, "markdown") if isinstance(each, Statement)]
    grids = [each for each in found if isinstance(each.links[-1].part, Grid)]
    assert [each.line for each in grids] == [8, 13]
    assert "scores" in grids[0].heading.lower()
    assert grids[1].names == ["A"]


@pytest.mark.parametrize(
    ("text", "format"),
    [
        ('{"Q": [[1]]}', "json"),
        ("Q: [[1]]\n", "yaml"),
        ("1,2\n3,4\n", "csv"),
        ("# Q\n\n```\n1 2\n```\n", "markdown"),
        ("\\begin{bmatrix}1\\end{bmatrix}", "latex"),
        ("Q = [[1, 2]]", "plain"),
    ],
)
def test_formats_are_told_apart(text: str, format: str) -> None:
    assert detected(text) == format
