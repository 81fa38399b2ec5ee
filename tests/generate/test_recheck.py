"""The second path: it agrees with every sheet, and refuses one whose numbers were tampered with."""

from __future__ import annotations

from dataclasses import replace

import pytest

from symattn import derive, load
from symattn.derivation import Derivation, RuleBook
from symattn.generate.recheck import Refused, recheck
from symattn.generate.recipes import BY_NAME, RECIPES
from symattn.generate.settings import Settings
from symattn.misconceptions import ALL, BY_TAG
from symattn.misconceptions.stages import in_floats
from symattn.steps import CORRECT


@pytest.mark.parametrize("level", [1, 4])
@pytest.mark.parametrize("recipe", RECIPES, ids=lambda recipe: recipe.name)
def test_two_ways_of_computing_agree(recipe, level: int) -> None:  # type: ignore[no-untyped-def]
    for seed in range(3):
        recheck(recipe.exercise(seed, Settings(level=level, places=3 + seed)))


def test_built_in_problems_agree_too() -> None:
    exercise = BY_NAME["scores"].exercise(1)
    for name in ("i-love-ai", "two-heads", "causal", "cross", "padded", "logs", "perfect-square"):
        recheck(exercise, derive(load(name)))


@pytest.mark.parametrize("row", ALL, ids=lambda row: row.tag)
def test_a_wrong_law_is_refused(row) -> None:  # type: ignore[no-untyped-def]
    for name in ("full-attention", "causal-mask", "two-heads"):
        exercise = BY_NAME[name].exercise(5)
        if all(map(row.applies, in_floats(exercise.problem))):
            wrong = derive(exercise.problem, row.book)
            right = exercise.derivation
            if any(a.shape != b.shape for (_, _, a), (_, _, b) in zip(wrong, right, strict=True)):
                continue
            with pytest.raises(Refused) as refused:
                recheck(exercise, wrong)
            assert str(exercise.identity) in refused.value.message
            assert refused.value.hint


@pytest.mark.parametrize("tag", ["score-transposed", "score-qqt", "scale-none", "scale-by-dk"])
def test_a_wrong_formula_in_letters_is_refused(tag: str) -> None:
    exercise = BY_NAME["letters"].exercise(3)
    recheck(exercise)
    with pytest.raises(Refused, match="another formula"):
        recheck(exercise, derive(exercise.problem, BY_TAG[tag].book))


@pytest.mark.parametrize("page", ["query", "score", "scale", "mix"])
def test_one_digit_in_the_last_place_is_noticed(page: str) -> None:
    """A law that is off by 0.001 in one entry."""
    exercise = BY_NAME["full-attention"].exercise(9)
    with pytest.raises(Refused):
        recheck(exercise, tampered(exercise.problem, page))


def tampered(problem, page: str) -> Derivation:  # type: ignore[no-untyped-def]
    from fractions import Fraction

    from symattn.exact.matrix import Matrix, entries
    from symattn.exact.quotient import Quotient

    right = getattr(CORRECT, page)

    def compute(*values, **options):  # type: ignore[no-untyped-def]
        rows = [list(row) for row in entries(right.compute(*values, **options)).values()]
        nudge = Fraction(1, 1000)
        rows[0][0] = rows[0][0] + (Quotient.of(nudge) if page == "mix" else nudge)
        return Matrix.of(rows)

    book: RuleBook = replace(CORRECT, **{page: replace(right, compute=compute)})
    return derive(problem, book)
