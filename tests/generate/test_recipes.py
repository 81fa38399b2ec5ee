"""What every recipe promises, decided on the exact derivation, not on the floats it drew with."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest

from symattn.attention import derive
from symattn.derivation import Derivation, Step
from symattn.errors import UsageError
from symattn.exact import decide
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Weights
from symattn.exact.order import largest_in_row
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounding
from symattn.generate.exercise import Exercise, last_row
from symattn.generate.recheck import recheck
from symattn.generate.recipes import BY_NAME, RECIPES
from symattn.generate.settings import Settings
from symattn.generate.tasks import Choose, Fill, FindMistake, Reverse, Shapes
from symattn.misconceptions import ALL, BY_TAG
from symattn.misconceptions.stages import exact
from symattn.views.record import record

NUMBERS = [
    "first-steps", "scores", "scale-softmax", "full-attention", "causal-mask", "padding-mask",
    "cross-attention", "two-heads", "kv-cache",
]  # fmt: skip
LEVELS = (1, 2, 3, 4, 5)


def worked(exercise: Exercise) -> Derivation:
    """What is asked, worked out."""
    alone = any(isinstance(task, Fill) and task.last_row for task in exercise.tasks)
    return derive(last_row(exercise.problem)) if alone else exercise.derivation


def letters(exercise: Exercise) -> set[str]:
    return {x for task in exercise.tasks if isinstance(task, Fill) for x in task.letters}


def asked(exercise: Exercise) -> list[tuple[str, Step]]:
    return [
        (name, stage)
        for _, name, stage in worked(exercise)
        if name in letters(exercise) and isinstance(stage, Step)
    ]


def distance_from_a_tie(step: Step, places: int) -> Fraction:
    """In units of the last place, from six more proved digits; a value that needs none is far."""
    least = Fraction(1, 2)
    grids = [step.value.rounded(Rounding(places + 6))]
    if isinstance(step.value, Weights):
        n, m = step.value.shape
        rounding = Rounding(places + 6)
        grids.append(
            tuple(
                tuple(step.value.rounded_exponential(i, j, rounding) for j in range(m))
                for i in range(n)
            )
        )
        grids.append(tuple((step.value.rounded_row_sum(i, rounding),) for i in range(n)))
    for grid in grids:
        for row in grid:
            for cell in row:
                if not isinstance(cell, MinusInfinity):
                    least = min(least, abs(cell.fraction * 10**places % 1 - Fraction(1, 2)))
    return least


def check(exercise: Exercise) -> None:
    """All promises of a sheet with numbers."""
    settings = exercise.settings
    for _, step in asked(exercise):
        assert distance_from_a_tie(step, settings.places) > Fraction(49, 10_000)
    derivation = worked(exercise)
    for head in derivation.heads:
        if exercise.identity.recipe != "first-steps":
            check_scores(head, settings)
        if head.V:
            rows = head.V.value.values()
            assert len(set(rows)) == len(rows)
        n, m = head.S.shape
        S = head.S.value.values()
        if n == m:
            assert any(S[i][j] != S[j][i] for i in range(n) for j in range(i))
    check_mistakes(exercise, derivation)


def check_scores(head: Any, settings: Settings) -> None:
    n, m = head.S.shape
    for i in range(n):
        row = [head.S.value.at(i, j) for j in range(m)]
        assert all(abs(x.rational) <= 20 for x in row)
        best, finite = largest_in_row(head.M.value, i)
        assert finite == 1 or (len(best) >= 2 if settings.tied else len(best) == 1)
        for j in range(m):
            weight = head.A.value.rounded(Rounding(6))[i][j]
            assert weight.coefficient > 1000 or weight.exact  # masked
    shares = {head.A.value.rounded(Rounding(12))[i] for i in range(n)}
    assert len(shares) == n


def check_mistakes(exercise: Exercise, derivation: Derivation) -> None:
    """Every mistake that can be made gives another printed number in its stage."""
    rounding = exercise.settings.rounding
    for row in ALL:
        if row.letter not in letters(exercise):
            continue
        heads = [exact([derivation.answer, head.O or head.A]) for head in derivation.heads]
        if not all(map(row.applies, heads)):
            continue
        differs = False
        for head, name, stage in derive(derivation.problem, row.book):
            if name == row.letter:
                own = head if len(derivation.heads) > 1 and name not in "CY" else None
                right = derivation.stage(name, own)
                differs |= stage.shape != right.shape or (
                    stage.value.rounded(rounding) != right.value.rounded(rounding)
                )
        assert differs, (row.tag, str(exercise.identity))


@pytest.mark.parametrize("level", LEVELS)
@pytest.mark.parametrize("name", NUMBERS)
def test_promises_hold_exactly(name: str, level: int) -> None:
    for seed in range(2):
        check(BY_NAME[name].exercise(seed, Settings(level=level)))


@pytest.mark.slow
@pytest.mark.parametrize("name", NUMBERS)
def test_promises_hold_on_two_thousand_seeds(name: str) -> None:
    for seed in range(2000):
        exercise = BY_NAME[name].exercise(seed, Settings(level=1 + seed % 3))
        check(exercise)
        recheck(exercise)


@pytest.mark.parametrize(
    "settings",
    [
        Settings(tied=True), Settings(places=2), Settings(places=6), Settings(ties="up"),
        Settings(tokens=4), Settings(low=-1, high=1), Settings(level=3, places=2),
    ],
    ids=str,
)  # fmt: skip
@pytest.mark.parametrize("name", ["scores", "causal-mask", "full-attention"])
def test_settings_are_kept(name: str, settings: Settings) -> None:
    exercise = BY_NAME[name].exercise(11, settings)
    check(exercise)
    if settings.tokens:
        assert len(exercise.problem.tokens) == settings.tokens
    if settings.low is not None:
        givens = [exercise.problem.X] if exercise.problem.X else [exercise.problem.heads[0].Q]
        for given in givens:
            assert given
            assert all(-1 <= x.rational <= 1 for row in given.value.values() for x in row)


def test_what_cannot_be_promised_is_refused_and_does_not_loop() -> None:
    with pytest.raises(UsageError, match="too few integers"):
        BY_NAME["scores"].exercise(1, Settings(low=3, high=4))
    with pytest.raises(UsageError) as refused:
        BY_NAME["scores"].exercise(1, Settings(low=90, high=99))
    assert refused.value.hint
    with pytest.raises(UsageError, match="minutes"):
        BY_NAME["scores"].exercise(1, Settings(minutes=170))
    with pytest.raises(UsageError, match="level"):
        Settings(level=6)
    with pytest.raises(UsageError, match="between 5 and 2"):
        Settings(low=5, high=2)
    with pytest.raises(UsageError, match="seed"):
        BY_NAME["scores"].exercise(-1)


@pytest.mark.parametrize(
    ("name", "settings", "option"),
    [
        ("first-steps", Settings(tied=True), "--tied"),
        ("letters", Settings(tied=True), "--tied"),
        ("shapes", Settings(tokens=5), "--tokens"),
        ("reverse", Settings(low=-2, high=3), "--range"),
    ],
)
def test_a_setting_without_a_use_is_refused(name: str, settings: Settings, option: str) -> None:
    with pytest.raises(UsageError, match=f"no use for {option}"):
        BY_NAME[name].exercise(1, settings)


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
@pytest.mark.parametrize(
    "settings",
    [Settings(low=-3, high=3), Settings(tokens=3), Settings(tied=True), Settings(places=5)],
    ids=["range", "tokens", "tied", "places"],
)
def test_every_setting_gives_a_sheet_or_one_message(recipe: Any, settings: Settings) -> None:
    """Never another error, never a loop."""
    try:
        made = recipe.exercise(4, settings)
    except UsageError as refused:
        message = refused
    else:
        recheck(made)
        return
    assert message.hint


@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_variants_take_the_same_time(recipe: Any) -> None:
    found = [recipe.exercise(seed, Settings(level=3)).minutes for seed in range(6)]
    assert max(found) - min(found) <= max(1, 0.25 * min(found))


def test_minutes_choose_the_level() -> None:
    for minutes in (5, 9, 19):
        exercise = BY_NAME["full-attention"].exercise(1, Settings(minutes=minutes))
        assert abs(exercise.minutes - minutes) <= 0.3 * minutes


@pytest.mark.parametrize("name", NUMBERS)
def test_harder_levels_take_longer(name: str) -> None:
    recipe = BY_NAME[name]
    times = [recipe.typical(recipe.plan(Settings(level=k)), Settings(level=k)) for k in LEVELS]
    assert times == sorted(times)


def test_widths_are_told_apart() -> None:
    """d_k, n, d_model and d_v are pairwise different, and d_k is not √d_model."""
    for name in NUMBERS:
        for plan in BY_NAME[name].plans:
            sizes = [x for x in (plan.n, plan.m, plan.d_model, plan.d_k, plan.d_v) if x]
            assert len(set(sizes)) == len(sizes), (name, plan)
            assert plan.d_model != plan.d_k**2 or plan.d_k == 1, (name, plan)


# ------------------------------------------------------------------ the other kinds


def test_tidy_weights_are_fractions() -> None:
    for seed in range(20):
        (head,) = BY_NAME["tidy-weights"].exercise(seed).derivation.heads
        assert head.O
        for stage in (head.A, head.O):
            n, m = stage.shape
            for i in range(n):
                for j in range(m):
                    assert decide.rational_value(Quotient.of(stage.value.at(i, j))) is not None  # type: ignore[arg-type]


def test_reverse_has_one_answer() -> None:
    for seed in range(20):
        exercise = BY_NAME["reverse"].exercise(seed)
        assert exercise.tasks == (Reverse(),)
        (head,) = exercise.derivation.heads
        E = head.A.value.exponentials  # type: ignore[union-attr]
        for row in E:
            assert min(x.number.rational for x in row) == 1


def test_letters_stand_in_the_scores() -> None:
    for seed in range(20):
        exercise = BY_NAME["letters"].exercise(seed)
        S = exercise.derivation.heads[0].S.value
        assert S.letters
        cells = [cell for row in S.values() for cell in row]  # type: ignore[union-attr]
        assert len(set(cells)) == len(cells)


def test_find_the_mistake_has_a_mistake_that_shows() -> None:
    tags = set()
    for seed in range(40):
        exercise = BY_NAME["find-the-mistake"].exercise(seed)
        (task,) = exercise.tasks
        assert isinstance(task, FindMistake)
        row = BY_TAG[task.tag]
        tags.add(task.tag)
        wrong = derive(exercise.problem, row.book).stage(row.letter)
        right = exercise.derivation.stage(row.letter)
        assert wrong.shape == right.shape
        assert wrong.value.rounded(Rounding(3)) != right.value.rounded(Rounding(3))
    assert len(tags) > 8


def test_each_option_is_another_matrix_and_one_is_right() -> None:
    places = set()
    for seed in range(12):
        exercise = BY_NAME["multiple-choice"].exercise(seed)
        for task in exercise.tasks:
            assert isinstance(task, Choose)
            assert len({option.cells for option in task.options}) == len(task.options) == 4
            assert [option.tag for option in task.options].count("") == 1
            right = exercise.derivation.stage(task.letter).value.rounded(Rounding(3))
            shown = [[Fraction(x) for x in row] for row in task.options[task.right].cells]
            assert shown == [[c.fraction for c in row] for row in right]  # type: ignore[union-attr]
            places.add(task.right)
    assert places == {0, 1, 2, 3}


def test_the_mask_can_be_told_from_the_weights() -> None:
    for seed in range(30):
        exercise = BY_NAME["which-mask"].exercise(seed)
        (task,) = exercise.tasks
        assert isinstance(task, Choose)
        hidden = [[cell == "0.000" for cell in row] for row in task.shown]
        assert any(map(any, hidden))
        B = exercise.problem.mask.B
        assert B
        assert hidden == [[isinstance(x, MinusInfinity) for x in row] for row in B.value.values()]
        assert len({option.words for option in task.options}) == 4


def test_shapes_are_all_different_and_fit() -> None:
    for level in LEVELS:
        for seed in range(10):
            (task,) = BY_NAME["shapes"].exercise(seed, Settings(level=level)).tasks
            assert isinstance(task, Shapes)
            told = {name: (n, m) for name, n, m in task.given}
            found = {name: (n, m) for name, n, m in task.asked}
            source = told.get("X_kv", told["X"])
            assert told["X"][1] == told["W_Q"][0] == source[1]
            assert found["Q"] == (told["X"][0], told["W_Q"][1])
            assert found["S"] == found["A"] == (found["Q"][0], found["K"][0])
            assert found["O"] == (found["Q"][0], told["W_V"][1])
            if "W_O" in told:
                assert told["W_O"] == (task.heads * told["W_V"][1], told["X"][1])
                assert found["Y"] == told["X"]


def test_the_cached_step_is_the_last_row_of_the_whole() -> None:
    for seed in range(10):
        exercise = BY_NAME["kv-cache"].exercise(seed)
        whole, alone = exercise.derivation.heads[0].O, worked(exercise).heads[0].O
        assert whole
        assert alone
        for j in range(whole.shape[1]):
            left, right = whole.value.at(whole.shape[0] - 1, j), alone.value.at(0, j)
            assert decide.equal(left, right)  # type: ignore[arg-type]


# ------------------------------------------------------------------ the same again

GOLDEN = Path(__file__).parent / "golden_ids.json"


def digest(exercise: Exercise) -> str:
    """Of everything that is told and asked."""
    return hashlib.sha256(json.dumps(record(exercise), sort_keys=True).encode()).hexdigest()[:16]


def found_digests() -> dict[str, str]:
    out = {}
    for recipe in RECIPES:
        for seed, settings in ((0, Settings()), (77, Settings(level=3, places=4))):
            exercise = recipe.exercise(seed, settings)
            out[str(exercise.identity)] = digest(exercise)
    return out


def test_golden_ids_give_the_same_sheets_in_every_release() -> None:
    found = found_digests()
    if os.environ.get("UPDATE_GOLDEN"):
        GOLDEN.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    assert found == json.loads(GOLDEN.read_text(encoding="utf-8"))


def test_another_process_makes_the_same() -> None:
    code = (
        "from tests.generate.test_recipes import found_digests; import json;"
        "print(json.dumps(found_digests()))"
    )
    root = Path(__file__).parent.parent.parent
    environment = os.environ | {
        "PYTHONHASHSEED": "123",
        "TZ": "Asia/Tokyo",
        "PYTHONPATH": str(root),
    }
    done = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True, text=True, check=True, env=environment, cwd=root,
    )  # fmt: skip
    assert json.loads(done.stdout) == json.loads(GOLDEN.read_text(encoding="utf-8"))


def content(exercise: Exercise) -> str:
    """What a student sees, without the id."""
    problem = exercise.problem
    parts: list[object] = [exercise.tasks, problem.tokens]
    for given in (problem.X, problem.X_kv, problem.W_O, problem.mask.B):
        parts.append(given and given.value.values())
    for head in problem.heads:
        for name in head.__slots__:
            given = getattr(head, name)
            parts.append(given and given.value.values())
    return hashlib.sha256(repr(parts).encode()).hexdigest()


@pytest.mark.parametrize("name", ["scores", "reverse", "shapes", "which-mask"])
def test_two_students_never_get_the_same_sheet(name: str) -> None:
    found = {content(BY_NAME[name].exercise(seed)) for seed in range(1000)}
    assert len(found) == 1000


@pytest.mark.slow
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_a_hundred_thousand_ids_are_a_hundred_thousand_sheets(recipe: Any) -> None:
    # Multiple choice derives every wrong option: it takes twenty times as long.
    count = 10_000 if recipe.name == "multiple-choice" else 100_000
    found = {content(recipe.exercise(seed)) for seed in range(count)}
    assert len(found) == count


def test_the_registry_is_the_folder() -> None:
    folder = Path(__file__).parent.parent.parent / "symattn" / "generate" / "recipes"
    files = {path.stem.replace("_", "-") for path in folder.glob("*.py")} - {"--init--"}
    assert files == set(BY_NAME) == {recipe.name for recipe in RECIPES}
