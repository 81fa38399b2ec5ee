"""Simulated students: honest work is accepted, the first wrong line is found, and known mistakes
are told by their names."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction

import pytest

from symattn.attention import derive
from symattn.errors import InputError
from symattn.misconceptions import ALL
from symattn.verify.diagnose import diagnosed, in_heads
from symattn.verify.judge import judged
from symattn.verify.lines import Line
from symattn.verify.reading.table import cell_of
from symattn.verify.reading.written import Written
from symattn.verify.verdicts import ERRORS, RIGHT, Verdict
from tests.verify.students import STAGES, problem, worked


def honest(count: int, places: int, seed: int, **how: object) -> Counter[str]:
    """Hand-ins without a slip, and what is said of one-unit slips in them."""
    rng, found = random.Random(seed), Counter[str]()
    for k in range(count):
        given = problem(rng, masked=bool(k % 2))
        derivation = derive(given)
        try:
            lines = worked(given, places, carries=rng.random() < 0.7, **how)  # type: ignore[arg-type]
        except ZeroDivisionError:
            continue  # All exponentials of a row were rounded to 0.
        assert lines
        cells = [
            c for line in judged(derivation, list(lines.values())) for c in line.cells.values()
        ]
        found["right"] += all(cell.verdict in RIGHT for cell in cells)
        found["hand-ins"] += 1
        letter = rng.choice([x for x in "ZAO" if x in lines])
        line = lines[letter]
        spot = rng.choice(list(line.cells))
        cell = line.cells[spot]
        if not isinstance(cell, Written) or cell.places != places:
            continue
        slipped = Fraction(cell.text) + Fraction(rng.choice((-1, 1)), 10**places)
        text = f"{float(slipped):.{places}f}"
        before = [x for y, x in lines.items() if STAGES.index(y) < STAGES.index(letter)]
        changed = Line(letter, 1, {**line.cells, spot: cell_of(text)})
        verdict = judged(derivation, [*before, changed])[-1].cells[spot].verdict
        found["slips"] += 1
        found["accepted"] += verdict in RIGHT
    return found


@pytest.mark.parametrize("places", [1, 2, 3, 4])
def test_honest_work_is_accepted(places: int) -> None:
    found = honest(120, places, places)
    assert found["right"] == found["hand-ins"] == 120


def test_slips_of_one_unit_are_seen(capsys: pytest.CaptureFixture[str]) -> None:
    found = honest(300, 2, 11) + honest(300, 3, 12)
    with capsys.disabled():
        print(f"\nhonest students and one-unit slips: {dict(found)}")
    assert found["slips"] > 400
    assert found["accepted"] <= 0.05 * found["slips"], found


@pytest.mark.parametrize("more", [0, 1])
def test_rounded_exponentials_that_are_not_written_are_accepted(more: int) -> None:
    found = honest(100, 3, 20 + more, exponentials=3 + more)
    assert found["right"] == found["hand-ins"] > 60


def mistaken(count: int, places: int, seed: int) -> tuple[Counter[str], Counter[str], list[str]]:
    """Hand-ins with one known mistake each: what came out, by mistake, and what went wrong."""
    rng, found, seen, wrong = random.Random(seed), Counter[str](), Counter[str](), []
    for k in range(count):
        given = problem(rng, masked=bool(k % 2))
        row = ALL[k % len(ALL)]
        try:
            lines = worked(given, places, row)
            derivation = derive(given)
        except (ArithmeticError, AttributeError, ValueError, IndexError, InputError):
            continue
        if lines is None or not set(row.entries) & set(lines):
            continue
        marked = judged(derivation, list(lines.values()))
        errors = [line for line in marked if line.errors]
        if not errors:
            found["invisible"] += 1
            continue
        found["visible"] += 1
        seen[row.tag] += 1
        if errors[0].line.letter in row.entries:
            found["first line right"] += 1
        else:
            wrong.append(f"{row.tag}: first error in {errors[0].line.letter}")
        heads = in_heads(given)
        assert heads
        diagnosis = diagnosed(marked, errors[0], heads)
        tags = [each.tag for each in diagnosis.found] if diagnosis else []
        if row.tag in tags:
            found["alone" if len(tags) == 1 else "in a tie"] += 1
        elif tags:
            wrong.append(f"{row.tag} is called {tags}")
        else:
            found["none"] += 1
    return found, seen, wrong


def test_known_mistakes_are_found_and_named() -> None:
    found, _, wrong = mistaken(900, 3, 31)
    assert not wrong, "\n".join(wrong[:10])
    assert found["first line right"] == found["visible"] > 250
    # Too few digits or cells say nothing: then no mistake is named.
    assert found["none"] <= 0.02 * found["visible"], found
    assert found["alone"] > 0.75 * found["visible"], found


@pytest.mark.slow
def test_every_mistake_of_one_head_is_named(capsys: pytest.CaptureFixture[str]) -> None:
    total, seen, wrong = Counter[str](), Counter[str](), list[str]()
    for places in (2, 3, 4):
        found, by_tag, errors = mistaken(6000, places, places)
        total, seen, wrong = total + found, seen + by_tag, wrong + errors
    with capsys.disabled():
        print(f"\nstudents with a known mistake: {dict(total)}")
    assert not wrong, "\n".join(wrong[:10])
    assert total["first line right"] == total["visible"]
    never = {row.tag for row in ALL if row.letter in STAGES} - set(seen)
    # These need biases, other shapes, or more queries than keys: see the catalogue's own tests.
    assert never <= {
        "project-no-bias-q", "project-no-bias-k", "project-no-bias-v", "mask-other-corner",
        "mask-bias-sign",
    }, never  # fmt: skip


def test_right_work_gets_no_diagnosis() -> None:
    rng = random.Random(41)
    for k in range(60):
        given = problem(rng, masked=bool(k % 2))
        lines = worked(given, 3)
        assert lines
        for line in judged(derive(given), list(lines.values())):
            assert not line.errors


def test_what_follows_from_a_slip_is_not_wrong_again() -> None:
    """A wrong score, and everything after it worked out from it."""
    rng, checked = random.Random(51), 0
    for _ in range(40):
        given = problem(rng, masked=False)
        lines = worked(given, 3)
        assert lines
        score = lines["S"].cells[0, 0]
        assert isinstance(score, Written)
        slipped = {**lines["S"].cells, (0, 0): cell_of(str(int(score.text) + 3))}
        again = worked_from(given, slipped)
        marked = {line.line.letter: line for line in judged(derive(given), again)}
        assert marked["S"].cells[0, 0].verdict is Verdict.WRONG
        rest = [c for x in "ZAO" if x in marked for c in marked[x].cells.values()]
        assert not [cell for cell in rest if cell.verdict in ERRORS]
        checked += any(cell.verdict is Verdict.FOLLOWS for cell in rest)
    assert checked > 30


def worked_from(given: object, scores: dict) -> list[Line]:  # type: ignore[type-arg]
    """The lines of a student who goes on with these scores."""
    from symattn.misconceptions.stages import in_floats
    from symattn.problem import Problem
    from tests.verify.students import changed, law, printed, value

    assert isinstance(given, Problem)
    stages = in_floats(given)[0]
    n, m = stages.shape("S")
    stages = changed(stages, "S", [[value(scores[i, j]) for j in range(m)] for i in range(n)])
    out = [Line("S", 1, scores)]
    for letter in "ZAO":
        if letter == "O" and "V" not in stages.rows:
            continue
        made = law(stages, letter, None)
        cells = {(i, j): printed(x, 3) for i, row in enumerate(made) for j, x in enumerate(row)}
        out.append(Line(letter, 1, cells))
        rows = [[value(cells[i, j]) for j in range(len(made[0]))] for i in range(len(made))]
        stages = changed(stages, letter, rows)
    return out


def test_every_tag_of_a_slip_has_its_words() -> None:
    """The one-cell slips and fits, each in a calculation of its own, and their titles."""
    from pathlib import Path

    from symattn.verify import fits, slips
    from symattn.verify.findings import TITLES

    used = set()
    for module in (slips, fits):
        text = Path(module.__file__).read_text("utf-8")
        used |= {
            part.split('"')[0] for part in text.split('"') if part.startswith(("slip-", "fit-"))
        }
    assert used == set(TITLES)
