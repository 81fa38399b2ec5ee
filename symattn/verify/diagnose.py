"""Which known mistake gives what was written: the catalogue tried from the writer's own lines on.

Looked through in floats. The digits that are compared are far coarser, and a diagnosis needs
several of them: it is evidence, and is worded so.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import replace
from itertools import combinations
from typing import Final

from symattn.misconceptions import ALL
from symattn.misconceptions.misconception import Misconception
from symattn.misconceptions.stages import Rows, Stages, in_floats, is_hidden
from symattn.verify.findings import Diagnosis, Explanation
from symattn.verify.floats import agrees, floated
from symattn.verify.judge import ORDER_OF_LAWS
from symattn.verify.lines import Line
from symattn.verify.reading.written import Written
from symattn.verify.verdicts import ERRORS, JudgedLine

LOOSE: Final = 1.5
"""Units of the last place by which hidden rounding may move an entry."""
BASE_TWO: Final = "softmax-base-two"


def diagnosed(
    lines: Sequence[JudgedLine], line: JudgedLine, heads: Sequence[Stages]
) -> Diagnosis | None:
    """What explains the errors of the line, given all lines; None where nothing known does.

    `heads` are the true stages in floats.
    """
    if not line.errors:
        return None
    shown = _shown(lines, line.line)
    start = _own(heads, shown, line.line)
    if start is None:
        return None
    rows = [row for row in ALL if _may_start(row, line.line, shown)]
    for tolerance in (0.5, LOOSE):
        found = _explaining([(row,) for row in rows], start, line, shown, tolerance)
        if found:
            return Diagnosis(line.line, tuple(found))
    pairs = [
        (a, b)
        for a, b in combinations(rows, 2)
        if ORDER_OF_LAWS.index(a.letter) < ORDER_OF_LAWS.index(b.letter)
    ]
    found = _explaining(pairs, start, line, shown, 0.5)
    return Diagnosis(line.line, tuple(found[:5])) if found else None


def own_stages(
    lines: Sequence[JudgedLine], line: JudgedLine, heads: Sequence[Stages]
) -> Stages | None:
    """The stages before the line as the writer has them."""
    made = _own(heads, _shown(lines, line.line), line.line)
    return made[line.line.head - 1] if made else None


def in_heads(problem) -> list[Stages] | None:  # type: ignore[no-untyped-def]
    """The true stages in floats; None where there are letters."""
    try:
        return in_floats(problem)
    except (ValueError, ZeroDivisionError, OverflowError):
        return None


# ---------------------------------------------------------------------- what was written before


def _shown(lines: Sequence[JudgedLine], upto: Line) -> dict[tuple[str, int], Line]:
    return {each.line.key: each.line for each in lines}


def _own(
    heads: Sequence[Stages], shown: Mapping[tuple[str, int], Line], line: Line
) -> list[Stages] | None:
    """The stages before the line as the writer has them, every head; what is not written follows
    from what is."""
    made = []
    for number, head in enumerate(heads, 1):
        stages = head
        for letter in ORDER_OF_LAWS:
            if letter in "CY" or ORDER_OF_LAWS.index(letter) >= ORDER_OF_LAWS.index(
                _law_of(line.letter)
            ):
                break
            if letter not in stages.rows:
                continue
            own = _complete(shown.get((letter, number)), stages.shape(letter))
            if own is not None:
                stages = with_rows(stages, {letter: own})
            elif any(_changed(stages, head, before) for before in _BEFORE.get(letter, "")):
                stages = with_rows(stages, {letter: lawful(stages, letter)})
        made.append(stages)
    outputs = [stages.rows["O"] for stages in made if "O" in stages.rows]
    return [replace(stages, outputs=outputs, _kept={}) for stages in made]


_BEFORE: Final = {"S": "QK", "Z": "S", "M": "Z", "A": "M", "O": "AV"}


def _law_of(letter: str) -> str:
    """E and r are working of the softmax."""
    return "A" if letter in "Er" else letter


def _changed(stages: Stages, true: Stages, letter: str) -> bool:
    return letter in stages.rows and stages.rows[letter] is not true.rows[letter]


def _complete(line: Line | None, shape: tuple[int, int]) -> Rows | None:
    if line is None:
        return None
    rows = []
    for i in range(shape[0]):
        row = []
        for j in range(shape[1]):
            cell = line.cells.get((i, j))
            if not isinstance(cell, Written):
                return None
            value = floated(cell)
            if value is None:
                return None
            row.append(-math.inf if line.letter == "M" and value <= -1e4 else value)
        rows.append(row)
    return rows


def with_rows(stages: Stages, rows: Mapping[str, Rows]) -> Stages:
    """The stages with other rows for some letters; what is kept of them is forgotten."""
    changed = dict(stages.rows) | dict(rows)
    if ("Z" in rows and "B" not in stages.rows) or "M" not in changed:
        changed["M"] = changed["Z"]
    return replace(stages, rows=changed, _kept={})


# ---------------------------------------------------------------------- the laws, in floats


def lawful(s: Stages, letter: str) -> Rows:
    """The stage by the right law, from the stages before it."""
    match letter:
        case "S":
            return [[sum(a * b for a, b in zip(q, k, strict=True)) for k in s.K] for q in s.Q]
        case "Z":
            factor = _factor(s)
            return [[x * factor for x in row] for row in s.S]
        case "M":
            if not s.has("B"):
                return s.Z
            return [
                [z + b for z, b in zip(zs, bs, strict=True)]
                for zs, bs in zip(s.Z, s.B, strict=True)
            ]
        case "A":
            return [_shares(row) for row in s.M]
        case "O":
            return _product(s.A, s.V)
        case "C":
            return [[x for o in s.outputs for x in o[i]] for i in range(len(s.outputs[0]))]
        case "Y":
            return _product(s.C if s.has("C") else s.O, s.W_O)
        case _:
            return s.rows[letter]


def _factor(s: Stages) -> float:
    own = s.scale.factor
    if own is None:
        return 1 / math.sqrt(s.d_k)
    near = floated(Written(own, ""))
    assert near is not None
    return near


def _shares(row: Sequence[float]) -> list[float]:
    try:
        E = [math.exp(x) for x in row]
    except OverflowError:
        top = max(row)
        E = [math.exp(x - top) for x in row]
    whole = sum(E)
    return [x / whole for x in E] if whole else [0.0] * len(E)


def _product(left: Rows, right: Rows) -> Rows:
    columns = list(zip(*right, strict=True))
    if left and columns and len(left[0]) != len(columns[0]):
        raise ValueError("the shapes do not fit")
    return [[sum(a * b for a, b in zip(row, c, strict=True)) for c in columns] for row in left]


# ---------------------------------------------------------------------- trying the catalogue


def _may_start(row: Misconception, line: Line, shown: Mapping[tuple[str, int], Line]) -> bool:
    """Whether the mistake may be made in the line, or in a hidden stage just before it."""
    law = _law_of(line.letter)
    if ORDER_OF_LAWS.index(row.letter) > ORDER_OF_LAWS.index(law):
        return False
    between = ORDER_OF_LAWS[ORDER_OF_LAWS.index(row.letter) : ORDER_OF_LAWS.index(law)]
    hidden = all((letter, line.head) not in shown for letter in between)
    # A mistake of two stages shows its first as the truth would be without it.
    return hidden or law in row.entries


def _explaining(
    alternatives: Sequence[tuple[Misconception, ...]],
    start: Sequence[Stages],
    line: JudgedLine,
    shown: Mapping[tuple[str, int], Line],
    tolerance: float,
) -> list[Explanation]:
    found: list[Explanation] = []
    for rows in alternatives:
        predicted = _predicted(rows, start, line.line, shown)
        if predicted is None:
            continue
        evidence = _evidence(predicted, line, tolerance)
        if evidence and evidence >= _needed(line):
            found.append(Explanation(rows, evidence, tolerance > 0.5))
    return found


def _needed(line: JudgedLine) -> int:
    """Two cells, or one with three digits."""
    for error in line.errors:
        cell = error.cell
        if isinstance(cell, Written) and _digits(cell.text) >= 3:
            return 1
    return min(2, max(1, len(line.cells)))


def predicted(rows: Sequence[Misconception], heads: Sequence[Stages], letter: str) -> Rows | None:
    """A stage of a whole problem worked out with these mistakes; None where they do not apply."""
    return _predicted(rows, heads, Line(letter, 1, {}), {})


def _digits(text: str) -> int:
    """Significant digits."""
    return len("".join(c for c in text if c.isdigit()).lstrip("0"))


def _predicted(
    rows: Sequence[Misconception],
    start: Sequence[Stages],
    line: Line,
    shown: Mapping[tuple[str, int], Line],
) -> Rows | None:
    """The line as somebody with these mistakes writes it."""
    stages = start[line.head - 1]
    law = _law_of(line.letter)
    try:
        for letter in ORDER_OF_LAWS:
            if letter not in stages.rows and letter not in ("C", "Y"):
                continue
            if letter == "C" and not (len(stages.outputs) > 1):
                continue
            if letter == "Y" and not stages.has("W_O"):
                continue
            wrong = next((row for row in rows if letter in row.entries), None)
            if wrong is not None:
                if not wrong.applies(stages):
                    return None
                made: Rows = wrong.rows(stages, letter)
            elif ORDER_OF_LAWS.index(letter) < ORDER_OF_LAWS.index(rows[0].letter) or (
                letter != law and (letter, line.head) in shown
            ):
                continue
            else:
                made = lawful(stages, letter)
            if letter == law:
                return _working(line.letter, made, stages, rows)
            stages = with_rows(stages, {letter: made})
            if letter == "O":
                outputs = list(stages.outputs)
                if outputs:
                    outputs[line.head - 1] = made
                    stages = replace(stages, outputs=outputs, _kept={})
    except (ArithmeticError, ValueError, IndexError, AttributeError, TypeError, AssertionError):
        return None
    return None


def _working(letter: str, A: Rows, stages: Stages, rows: Sequence[Misconception]) -> Rows | None:
    """E or r instead of A, where the line is one of them."""
    if letter not in "Er":
        return A
    base = 2.0 if any(row.tag == BASE_TWO for row in rows) else math.e
    if any("A" in row.entries and row.tag != BASE_TWO for row in rows):
        return None
    E = [[0.0 if is_hidden(x) else base**x for x in row] for row in stages.M]
    return E if letter == "E" else [[sum(row)] for row in E]


def _evidence(predicted: Rows, line: JudgedLine, tolerance: float) -> int:
    """How many wrong cells the prediction explains; 0 where a cell contradicts it."""
    shape = (len(predicted), len(predicted[0]) if predicted else 0)
    explained = 0
    for spot, judged in line.cells.items():
        if not isinstance(judged.cell, Written):
            continue
        if spot[0] >= shape[0] or spot[1] >= shape[1]:
            return 0
        if not agrees(predicted[spot[0]][spot[1]], judged.cell, tolerance):
            return 0
        explained += judged.verdict in ERRORS
    return explained
