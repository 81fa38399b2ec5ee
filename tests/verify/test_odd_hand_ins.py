"""Hand-ins with odd things in them: every one gets its report, soon, and every page of it."""

from __future__ import annotations

import random
import time
from contextlib import suppress

import pytest

from symattn.attention import derive
from symattn.cli.verify import page
from symattn.derivation import Derivation
from symattn.errors import Undecided
from symattn.exact.matrix import MatrixLike
from symattn.exact.rounding import Rounding
from symattn.reading.problem_file import builtin_names, load
from symattn.verify.reading.refusal import Refusal
from symattn.verify.report import verify
from symattn.verify.verdicts import Verdict

ODD = (
    "?", "", "1/3", "e^(1/√3)/(1+e^(1/√3))", "e^0.5/(e^0.5+1)", "-inf", "−∞", "masked", "a", "x",
    "nan", "1/0", "1e9", "-1e9", "1e300", "10^40", "100000", "999999999999", "√2", "2√3/3", "0",
    "-0", "0.00", "1e-30", "e^3", "e^1000", "e^(10^6)", "ln 3", "log(7)/2", "5/√2", "a+b", "2a/3",
    "e^a", "1/(1-1)", "√-1", "0.5000000000000000000000001", "12.34e5", "50%", "...", "1,5", "True",
    "e^(√2+√3)", "3.0e-2", "1 2", "(", "1..2", "½", "10^-6", "√(1+√2)", "1/(√2-√3)",
)  # fmt: skip
WRITES = ("text", "markdown", "latex", "html", "json")
LONGEST = 3.0
"""Seconds of CPU for one hand-in with one page of feedback."""


def lines_of(derivation: Derivation, places: int) -> list[tuple[str, list[list[str]]]]:
    """All stages as somebody may write them, by name."""
    found = []
    for number, letter, stage in derivation:
        name = f"{letter}_{number}" if number and len(derivation.heads) > 1 else letter
        found.append((name, cells_of(stage.value, places)))
    return found


def cells_of(matrix: MatrixLike, places: int) -> list[list[str]]:
    n, m = matrix.shape
    if matrix.letters:
        return [["1"] * m for _ in range(n)]
    grid = matrix.rounded(Rounding(places=places))
    return [[str(cell) if "inf" not in repr(cell).lower() else "-inf" for cell in r] for r in grid]


def odd(lines: list[tuple[str, list[list[str]]]], rng: random.Random) -> str:
    lines = [(name, [list(row) for row in rows]) for name, rows in lines]
    for _ in range(rng.randint(1, 6)):
        k = rng.randrange(len(lines))
        name, rows = lines[k]
        match rng.randint(0, 9):
            case 0 if len(lines) > 1:
                del lines[k]
            case 1:
                lines[k] = (rng.choice("QKVSZMEAOCYBXr"), rows)
            case 2 if len(rows) > 1:
                del rows[rng.randrange(len(rows))]
            case 3:
                rows[rng.randrange(len(rows))] = [rng.choice(ODD) for _ in rows[0]]
            case 4:
                lines[k] = (name, [list(row) for row in zip(*rows, strict=False)] or rows)
            case 5:
                lines[k] = (name, [[rng.choice(ODD)] * len(row) for row in rows])
            case _ if rows and rows[0]:
                row = rng.choice(rows)
                if row:
                    row[rng.randrange(len(row))] = rng.choice(ODD)
    return "\n".join(
        f"{name} = [" + ", ".join("[" + ", ".join(row) + "]" for row in rows) + "]"
        for name, rows in lines
    )


def campaign(count: int, seed: int) -> None:
    rng = random.Random(seed)
    derivations = [derive(load(name)) for name in builtin_names()]
    for _ in range(count):
        derivation = rng.choice(derivations)
        text = odd(lines_of(derivation, rng.randint(0, 4)), rng)
        how = {"hints": rng.randint(1, 3), "reveal": rng.random() < 0.5}
        start = time.process_time()
        with suppress(Refusal):
            report = verify(derivation, text, "plain")
            assert page(report, rng.choice(WRITES), "answers.txt", {**how, "output": "-"})
        assert time.process_time() - start < LONGEST, text


def test_odd_hand_ins() -> None:
    campaign(300, 1)


@pytest.mark.slow
def test_twenty_thousand_odd_hand_ins() -> None:
    campaign(20_000, 2)


def test_what_cannot_be_decided_is_said(monkeypatch: pytest.MonkeyPatch) -> None:
    def claim(*_: object, **__: object) -> None:
        raise Undecided("no theorem tells whether they are equal")

    monkeypatch.setattr("symattn.verify.judge.claim", claim)
    report = verify(load("i-love-ai"), "S = [[1, 5, 3], [3, 3, 3], [2, 4, 3]]", "plain")
    assert set(report.counts) == {Verdict.UNDECIDED} and not report.is_right
    text = page(report, "text", "answers.txt", {"hints": 3, "reveal": False, "output": "-"})
    assert "could not be judged: no theorem tells" in str(text)
