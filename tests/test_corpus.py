"""Every printed cell of 114 published examples, derived anew and compared digit by digit.

See corpus/README.md for what the files hold and what the grades mean.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cache
from pathlib import Path
from typing import Any, Final, Literal

import pytest
import yaml

from symattn.attention import derive
from symattn.derivation import Derivation
from symattn.exact import decide
from symattn.exact.matrix import MINUS_INFINITY, Matrix, Value, round_value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number, logarithm, square_root
from symattn.exact.quotient import Quotient, exp
from symattn.exact.rounding import Rounded, Rounding
from symattn.problem import (
    DEFAULT_SCALE,
    NO_MASK,
    NO_SCALE,
    Given,
    HeadGiven,
    Mask,
    Problem,
    Scale,
    causal_mask,
    checked,
    mask_matrix,
)

FOLDER: Final = Path(__file__).parent / "corpus"
IDS: Final = sorted(path.stem for path in FOLDER.glob("*.yaml"))

EXAMPLES: Final = 114
STAGES: Final = 459
CELLS: Final = {
    "exact": 1004,
    "rounded": 930,
    "float32": 18,
    "input_rounding": 14,
    "carried": 87,
    "truncated": 14,
    "last_digit": 21,
    "propagated": 137,
    "wrong": 165,
}
STAGE_LETTERS: Final = {
    "Q": "Q",
    "K": "K",
    "V": "V",
    "scores": "S",
    "scaled": "Z",
    "masked": "M",
    "masked_raw": "M",
    "exp": "E",
    "rowsum": "r",
    "weights": "A",
    "weights_cut": "E",
    "weights_renorm": "A",
    "output": "O",
    "concat": "C",
    "mha": "Y",
}
HIDDEN: Final = ("-inf", "-∞")


# ---------------------------------------------------------------------- reading


@cache
def example(name: str) -> dict[str, Any]:
    loaded: dict[str, Any] = yaml.safe_load((FOLDER / f"{name}.yaml").read_text("utf-8"))
    return loaded


@dataclass(frozen=True)
class Printed:
    """A decimal as printed: its value and how many places it was given to."""

    value: Fraction
    places: int

    @staticmethod
    def of(text: str) -> Printed:
        body, percent = text.rstrip("%"), text.endswith("%")
        mantissa, _, exponent = body.partition("e")
        places = len(mantissa.partition(".")[2]) - int(exponent or 0)
        value = Fraction(mantissa.rstrip(".")) * Fraction(10) ** int(exponent or 0)
        return Printed(value / 100, places + 2) if percent else Printed(value, places)


def symbolic(text: str) -> Quotient | None:
    """What is printed as 1/√2 or e^1/(e^1+e^2); None for decimals."""
    if root := re.fullmatch(r"1/√(\d+)", text):
        return Quotient.of(1 / square_root(int(root[1])))
    if ratio := re.fullmatch(r"e\^(\d+)/\((e\^\d+(?:\+e\^\d+)*)\)", text):
        bottom = [exp(int(k)) for k in re.findall(r"e\^(\d+)", ratio[2])]
        return exp(int(ratio[1])) / sum(bottom, Quotient.of(0))
    return None


Cells = list[list[str]]


def numbers(rows: Cells, *, transposed: bool = False) -> Matrix:
    cells = [[Printed.of(cell).value for cell in row] for row in rows]
    return Matrix.of(zip(*cells, strict=True) if transposed else cells)


def problem_of(name: str) -> Problem:
    """The example as symattn takes it."""
    data = example(name)
    convention, cells = data["convention"], dict(data["given"])
    transposed = convention["tokens"] == "columns"
    mask, scale = NO_MASK, DEFAULT_SCALE

    match convention["scale"]:
        case "sqrt(d_k)":
            pass
        case "none":
            scale = NO_SCALE
        case divisor:
            scale = Scale(1 / Number.of(int(divisor)), Number.of(int(divisor)))
    if "scaled" in cells:
        cells["scores"], scale = cells.pop("scaled"), NO_SCALE
    if scores := cells.get("scores"):
        hidden = [[cell in HIDDEN for cell in row] for row in scores]
        if any(map(any, hidden)):
            mask = Mask("matrix", mask_matrix([[not x for x in row] for row in hidden]))
            cells["scores"] = [["0" if c in HIDDEN else c for c in row] for row in scores]
    if name == "pytorch_linear_transposed":
        cells["K"] = [["0"] * len(cells["W_Q"][0])]

    def given(matrix: str, rows: Cells) -> Given:
        bias = matrix.startswith("b")
        return Given(matrix, numbers(rows, transposed=transposed and not bias))

    shared = {key: given(key, cells.pop(key)) for key in ("X", "W_O") if key in cells}
    heads = []
    for own in data.get("heads", [{}]):
        head = {key: given(key, rows) for key, rows in (cells | own).items() if key[0] in "WbQKV"}
        if "scores" in cells:
            head["S"] = given("S", cells["scores"])
        if "weights" in cells:
            weights = [[Printed.of(cell).value for cell in row] for row in cells["weights"]]
            head["S"] = Given("S", Matrix.of([[logarithm(w) for w in row] for row in weights]))
        heads.append(HeadGiven(**head))
    problem = Problem((), (), tuple(heads), shared.get("X"), scale=scale, W_O=shared.get("W_O"))
    if heads[0].S:
        problem = replace(problem, d_k=convention["d_k"])
    match convention["mask"]:
        case "none":
            pass
        case "causal":
            first = shared.get("X") or heads[0].Q or heads[0].S
            assert first
            n = first.shape[0]
            mask = causal_mask(n, n, corner="top-left")
        case rows:
            mask = Mask("matrix", mask_matrix([[cell == "1" for cell in row] for row in rows]))
    return checked(replace(problem, mask=mask))


# ---------------------------------------------------------------------- comparing


class Derived:
    """An example derived: its entries and their decimals by published stage."""

    def __init__(self, name: str) -> None:
        self.derivation: Derivation = derive(problem_of(name))
        self.grids: dict[tuple[str, Rounding], Any] = {}

    def _where(self, stage: str) -> tuple[str, int | None]:
        head, _, rest = stage.rpartition(".")
        letter = STAGE_LETTERS[rest]
        return letter, None if letter in "CY" else int(head[1:] or 1)

    def _exponentials(self, stage: str, i: int, j: int) -> Quotient | None:
        letter, head = self._where(stage)
        if letter not in "Er":
            return None
        weights = self.derivation.heads[(head or 1) - 1].A.value
        assert isinstance(weights, Weights)
        return Quotient.of(weights.exponentials[i][j] if letter == "E" else weights.row_sums[i])

    def entry(self, stage: str, i: int, j: int) -> Value:
        if (value := self._exponentials(stage, i, j)) is not None:
            return value
        return self.derivation.stage(*self._where(stage)).value.at(i, j)

    def rounded(self, stage: str, i: int, j: int, rounding: Rounding) -> Rounded:
        if (value := self._exponentials(stage, i, j)) is not None:
            cell = round_value(value, rounding)
        else:
            key = stage, rounding
            if key not in self.grids:
                matrix = self.derivation.stage(*self._where(stage)).value
                self.grids[key] = matrix.rounded(rounding)
            cell = self.grids[key][i][j]
        assert isinstance(cell, Rounded)
        return cell


Outcome = Literal["exact", "rounded", "other"]


def outcome(derived: Derived, stage: str, i: int, j: int, text: str) -> Outcome:
    """How the printed cell relates to the true value, at the digits that were printed."""
    if text in HIDDEN:
        return "exact" if derived.entry(stage, i, j) is MINUS_INFINITY else "other"
    value = derived.entry(stage, i, j)
    if value is MINUS_INFINITY:
        return "other"
    if (written := symbolic(text)) is not None:
        assert isinstance(value, (Number, Quotient))
        return "exact" if decide.equal(value, written) else "other"
    printed = Printed.of(text)
    even = derived.rounded(stage, i, j, Rounding(places=printed.places))
    if even.exact:
        return "exact" if even.fraction == printed.value else "other"
    if even.fraction == printed.value:
        return "rounded"
    finer = derived.rounded(stage, i, j, Rounding(places=printed.places + 1))
    half = Fraction(1, 2 * 10**printed.places)
    tie = finer.exact and abs(finer.fraction - printed.value) == half
    return "rounded" if tie else "other"


@dataclass(frozen=True)
class Cell:
    stage: str
    row: int
    column: int
    text: str
    grade: str | None
    """None for exact or rounded."""


def cells_of(name: str) -> Iterator[Cell]:
    for block in example(name)["published"]:
        bad = {
            tuple(spot): grade
            for grade, spots in block.get("not_correctly_rounded", {}).items()
            for spot in spots
        }
        rows = block.get("rows", range(len(block["cells"])))
        for i, row in zip(rows, block["cells"], strict=True):
            for j, text in enumerate(row):
                if text is not None:
                    yield Cell(block["stage"], i, j, text, bad.pop((i, j), None))
        assert not bad, "a grade for a cell that was not printed"


@cache
def judged(name: str) -> Counter[tuple[str, str]]:
    """(stage, grade) → cells, each compared with what we derive."""
    derived = Derived(name)
    found: Counter[tuple[str, str]] = Counter()
    disagreements = []
    for cell in cells_of(name):
        ours = outcome(derived, cell.stage, cell.row, cell.column, cell.text)
        grade = cell.grade or ours
        if (ours == "other") != (cell.grade is not None):
            disagreements.append(f"{cell} is {ours}")
        found[cell.stage, grade] += 1
    assert not disagreements, "\n".join(disagreements)
    return found


@pytest.mark.parametrize("name", IDS)
def test_each_printed_cell(name: str) -> None:
    """Cells called exact or rounded are our digits; all others are not."""
    found = judged(name)
    counts = example(name)["counts"]
    expected = {(stage, grade): k for stage, by in counts.items() for grade, k in by.items()}
    assert dict(found) == expected


def test_nothing_was_skipped(capsys: pytest.CaptureFixture[str]) -> None:
    total: Counter[str] = Counter()
    for name in IDS:
        for (_, grade), count in judged(name).items():
            total[grade] += count
    stages = sum(len(example(name)["published"]) for name in IDS)
    right = total["exact"] + total["rounded"]
    with capsys.disabled():
        print(
            f"\ncorpus: {len(IDS)} examples, {stages} stages, {total.total()} cells: {right} are "
            f"our digits, {total.total() - right} are not and are graded so"
        )
    assert len(IDS) == EXAMPLES
    assert stages == STAGES
    assert dict(total) == CELLS


# ---------------------------------------------------------------------- the comparison can fail


@pytest.mark.parametrize("name", ["worked24_q_eq_k", "two_heads_cat_sat", "udl_12_1_columns"])
def test_a_changed_digit_is_noticed(name: str) -> None:
    derived = Derived(name)
    for cell in cells_of(name):
        if cell.grade is None:
            printed = Printed.of(cell.text)
            for step in (-1, 1):
                nudged = printed.value + Fraction(step, 10**printed.places)
                text = f"{float(nudged):.{max(printed.places, 0)}f}"
                if outcome(derived, cell.stage, cell.row, cell.column, text) != "other":
                    exact = derived.rounded(
                        cell.stage, cell.row, cell.column, Rounding(places=printed.places + 1)
                    )
                    assert exact.exact, "only a tie may be printed in two ways"


@pytest.mark.parametrize(
    ("text", "value", "places"),
    [
        ("0.50", "1/2", 2),
        ("73%", "73/100", 2),
        ("-0.2%", "-1/500", 3),
        ("1.1917e-01", "0.11917", 5),
        ("550.", "550", 0),
        ("3", "3", 0),
    ],
)
def test_printed_numbers(text: str, value: str, places: int) -> None:
    assert Printed.of(text) == Printed(Fraction(value), places)


def test_printed_formulas() -> None:
    written = symbolic("e^1/(e^1+e^1+e^2)")
    assert written is not None and decide.equal(written, 1 / (2 + exp(1)))
    assert not decide.equal(written, 1 / (1 + exp(1)))
    assert symbolic("0.5") is None
