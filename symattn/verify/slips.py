"""Slips in one cell: a term left out, a sign, a neighbour's row, digits exchanged.

Tried where most of a line is right, from the writer's own lines before it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from symattn.misconceptions.stages import Rows, Stages
from symattn.verify.diagnose import lawful
from symattn.verify.findings import Slip
from symattn.verify.floats import agrees
from symattn.verify.reading.written import Written
from symattn.verify.verdicts import ERRORS, Judged, JudgedLine

MOST_WRONG = 0.5
"""Share of wrong cells up to which each of them is looked at by itself."""


def slips(line: JudgedLine, stages: Stages) -> list[Slip]:
    """What explains single wrong cells of the line; `stages` are the writer's own before it."""
    wrong = [cell for cell in line.cells.values() if cell.verdict in ERRORS]
    if not wrong or len(wrong) > max(1, MOST_WRONG * len(line.cells)):
        return []
    letter = line.line.letter
    if letter not in stages.rows and letter not in "SZMAOC":
        return []
    try:
        right = _right(stages, letter)
    except (ValueError, ArithmeticError, KeyError, AttributeError):
        return []
    found = []
    for judged in wrong:
        slip = next((s for s in _tried(judged, right, stages, letter) if s), None)
        if slip:
            found.append(slip)
    return found


def _right(stages: Stages, letter: str) -> Rows:
    if letter == "E":
        return [[math.exp(x) for x in row] for row in stages.M]
    if letter == "r":
        return [[sum(math.exp(x) for x in row)] for row in stages.M]
    return lawful(stages, letter)


def _tried(judged: Judged, right: Rows, stages: Stages, letter: str) -> Iterator[Slip | None]:
    cell, (i, j) = judged.cell, judged.spot
    assert isinstance(cell, Written)
    true = right[i][j]
    if math.isinf(true) or cell.places is None:
        return

    def slip(tag: str, words: str, value: float) -> Slip | None:
        differs = not agrees(true, cell)
        return Slip(judged.spot, tag, words) if differs and agrees(value, cell) else None

    yield slip("slip-sign", "the sign is wrong", -true)
    yield _digits(judged, true, cell)
    yield _point(judged, true, cell)
    terms = _terms(stages, letter, i, j)
    for k, (a, b) in enumerate(terms, 1):
        whole = sum(x * y for x, y in terms)
        yield slip("slip-term-dropped", f"term {k} of the sum is left out", whole - a * b)
        yield slip("slip-term-sign", f"term {k} of the sum has the wrong sign", whole - 2 * a * b)
        yield slip("slip-term-twice", f"term {k} of the sum is counted twice", whole + a * b)
        yield slip("slip-plus", f"in term {k} the factors are added", whole - a * b + a + b)
    if letter == "Z":
        S = stages.S[i][j]
        yield slip("slip-not-divided", "the score is not divided", S)
        if d := stages.d_k:
            words = "the score is divided by d_k, not by its root"
            yield slip("slip-divided-twice", words, S / d)
    for k, row in enumerate(right):
        if k != i:
            yield slip("slip-row", f"the entry of row {k + 1} stands here", row[j])
    for k, value in enumerate(right[i]):
        if k != j:
            yield slip("slip-column", f"the entry of column {k + 1} stands here", value)
    if len(right) == len(right[0]):
        yield slip("slip-mirrored", "the entry from across the diagonal stands here", right[j][i])
    if terms:
        whole = sum(x * y for x, y in terms)
        for off in (1, -1):
            yield slip("slip-product", "one product is off by 1", whole + off)


def _terms(stages: Stages, letter: str, i: int, j: int) -> list[tuple[float, float]]:
    """The products that are added for the entry."""
    match letter:
        case "S" if stages.has("Q", "K"):
            left: Sequence[float] = stages.Q[i]
            right: Sequence[float] = stages.K[j]
        case "O" if stages.has("A", "V"):
            left, right = stages.A[i], [row[j] for row in stages.V]
        case "Q" | "K" | "V" if stages.has(f"W_{letter}"):
            source = stages.X_kv if letter != "Q" and stages.has("X_kv") else stages.X
            left, right = source[i], [row[j] for row in stages.rows[f"W_{letter}"]]
        case "Y" if stages.has("W_O"):
            before = stages.C if stages.has("C") else stages.O
            left, right = before[i], [row[j] for row in stages.W_O]
        case _:
            return []
    return list(zip(left, right, strict=True))


def _point(judged: Judged, true: float, cell: Written) -> Slip | None:
    """0.707 written as 7.07."""
    assert cell.places is not None
    for power in (1, -1, 2, -2):
        right = f"{abs(true):.{max(cell.places + power, 0)}f}".replace(".", "").strip("0")
        wrong = "".join(c for c in cell.text if c.isdigit()).strip("0")
        # Digits that say something; a lone 1 says nothing.
        if len(wrong) > 1 and right == wrong and agrees(true * 10.0**power, cell, 1.0):
            return Slip(judged.spot, "slip-point", "the decimal point is moved")
    return None


def _digits(judged: Judged, true: float, cell: Written) -> Slip | None:
    """0.707 written as 0.770."""
    assert cell.places is not None
    if cell.places < 0:
        return None
    right = f"{abs(true):.{cell.places}f}"
    wrong = cell.text.lstrip("+-−")
    if len(right) != len(wrong) or right == wrong:
        return None
    different = [k for k, (a, b) in enumerate(zip(right, wrong, strict=True)) if a != b]
    if len(different) == 2:
        a, b = different
        if right[a] == wrong[b] and right[b] == wrong[a]:
            return Slip(judged.spot, "slip-digits", "two digits are exchanged")
    return None
