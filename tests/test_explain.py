"""What a worked solution says: the facts a good teacher would not leave out."""

from __future__ import annotations

import pytest

from symattn import derive, explain, load, write
from symattn.convention import Convention
from symattn.document import Block, Display, Heading, Heatmap, Table
from symattn.errors import UsageError
from symattn.exact.rounding import Rounding
from symattn.formula import Mark, Role
from symattn.layout import PRINT, TERMINAL, Page, scale_for
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names
from symattn.reading.values import problem_of
from symattn.views.options import Options


def solution(problem: Problem, **options: object) -> str:
    document = explain(derive(problem), Options(page=TERMINAL, **options))  # type: ignore[arg-type]
    return write(document, "text")


def said(problem: Problem, **options: object) -> str:
    """The text with its line breaks and margins folded, to look for sentences in."""
    return " ".join(solution(problem, **options).replace("▌", " ").split())


I_LOVE_AI = load("i-love-ai")


@pytest.mark.parametrize(
    "sentence",
    [
        "“I” scores “love” highest (5).",
        "“love” scores every key the same (3).",
        "The largest entry of each row stays the largest",
        "Each row sums to exactly 1.",
        "“love” has equal scores, so each weight is exactly 1/3.",
        "The rounded weights of “love” sum to 0.999",
        "The output of “I” is dominated by the value of “love” (0.707).",
        "is mostly 0.707 · 2",
        "3×4 · 4×3 → 3×3",
        "lies between the smallest and the largest entry",
    ],
)
def test_remarks_on_i_love_ai(sentence: str) -> None:
    assert sentence.replace(" · ", "·") in said(I_LOVE_AI).replace(" · ", "·")


def test_remarks_are_found_from_the_numbers_not_written_by_hand() -> None:
    text = said(load("i-love-cats"))
    assert "dominated by the value of “love” (0.707)" not in text
    tie = problem_of(tokens=["a", "b"], Q=[[1], [1]], K=[[2], [2]], V=[[1], [5]])
    assert "scores every key the same" in said(tie)
    two = problem_of(Q=[[1]], K=[[3], [3], [1]], V=[[1], [2], [3]])
    assert "a tie" in said(two)


def test_the_page_s_slips_are_not_repeated() -> None:
    """A published page has e^1.732 as 5.651 and e^2.309 as 10.063."""
    text = solution(I_LOVE_AI)
    assert "5.652" in text
    assert "10.068" in text
    assert "5.651" not in text
    assert "10.063" not in text


def test_carried_rounding_is_pointed_out() -> None:
    """Weights of three digits give 0.999 where the true component is 1."""
    assert "Working on with the rounded weights gives 0.999" in said(I_LOVE_AI)


def test_the_mask_says_what_it_removed() -> None:
    assert "The mask removes 6 of 16 pairs" in said(load("causal"))
    padded = said(load("padded"))
    assert "nobody looks at" in padded


def test_softmax_in_order() -> None:
    text = solution(I_LOVE_AI)
    places = [text.index(x) for x in ("E = e^Z", "r₁ =", "A₁₂ =", "A = softmax(Z)")]
    assert places == sorted(places)


def test_sections_open_with_symbols_and_close_with_a_summary() -> None:
    blocks = explain(derive(I_LOVE_AI)).blocks
    assert any(isinstance(block, Table) for block in blocks[:3])
    heads = [str(block.text[-1]) for block in blocks if isinstance(block, Heading)]
    assert heads[-1] == "Summary"
    steps = [head for head in heads if head.startswith(" ")]
    assert len(steps) == 5
    coded = explain(derive(I_LOVE_AI), Options(code=True)).blocks
    assert "code" in str([block.text for block in coded if isinstance(block, Heading)][-1])


def marks(blocks: tuple[Block, ...], role: Role) -> int:
    def count(node: object) -> int:
        if isinstance(node, tuple):
            return sum(map(count, node))
        found = isinstance(node, Mark) and node.role is role
        slots = getattr(type(node), "__slots__", ())
        return found + sum(count(getattr(node, name)) for name in slots)

    return sum(count(block) for block in blocks if isinstance(block, Display))


def test_row_maxima_are_marked_and_uniform_rows_are_not() -> None:
    scores = [
        block
        for block in explain(derive(I_LOVE_AI), Options(detail="brief")).blocks
        if isinstance(block, Display)
    ]
    assert marks(tuple(scores), Role.MAXIMUM) > 0
    uniform = problem_of(Q=[[0]], K=[[1], [2]], V=[[1], [2]])
    assert marks(explain(derive(uniform)).blocks, Role.MAXIMUM) == 0


def test_a_focused_solution_has_no_other_row() -> None:
    text = said(I_LOVE_AI, focus="love")
    assert "“I”" not in text
    assert "“love”" in text
    with pytest.raises(UsageError, match="no token"):
        solution(I_LOVE_AI, focus="hate")


def test_digits_stay_as_typed() -> None:
    problem = problem_of(Q=[["0.50", "1"]], K=[["2", "0.25"]], V=[["1.0"]])
    text = solution(problem)
    assert "0.50" in text
    assert "0.25" in text
    assert "1.25" in text  # the score, in decimals since the inputs were


def test_heat_maps_only_where_they_can_be_read() -> None:
    small = explain(derive(I_LOVE_AI)).blocks
    assert any(isinstance(block, Heatmap) for block in small)
    large = problem_of(Q=[[k] for k in range(20)], K=[[1]] * 20, V=[[k] for k in range(20)])
    assert not any(isinstance(block, Heatmap) for block in explain(derive(large)).blocks)


@pytest.mark.parametrize("page", [PRINT, TERMINAL], ids=["print", "terminal"])
@pytest.mark.parametrize("size", [1, 2, 5, 9, 16, 40])
def test_no_line_is_wider_than_the_page(size: int, page: Page) -> None:
    rows = [[(3 * i + 5 * j) % 7 - 3 for j in range(4)] for i in range(size)]
    mixed = [[(2 * i + j) % 5 - 2 for j in range(3)] for i in range(4)]
    names = [f"token-number-{i}" for i in range(size)]
    problem = problem_of(tokens=names, X=rows, W_Q=mixed, W_K=mixed, W_V=mixed, mask="causal")
    document = explain(derive(problem), Options(page=page))
    for block in document.blocks:
        if isinstance(block, Display):
            assert scale_for(block.lines, page) >= min(block.scale, 1) - 1e-9
            assert block.scale >= page.smallest
    if page is TERMINAL:
        assert max(map(len, write(document, "text").splitlines())) <= 80


@pytest.mark.parametrize("name", builtin_names())
@pytest.mark.parametrize(
    "convention",
    [
        Convention(),
        Convention(weights="left"),
        Convention(tokens="columns", weights="left"),
        Convention(tokens="columns", weights="right", index_from=0, fence="("),
    ],
    ids=["rows-right", "rows-left", "columns-left", "columns-right"],
)
def test_every_convention_shows_shapes_that_multiply(name: str, convention: Convention) -> None:
    """a×b · b×c → a×c, in every law of every page."""
    text = said(load(name), convention=convention)
    found = [word for word in text.split() if "×" in word]
    products = 0
    words = text.split()
    for k, word in enumerate(words[:-4]):
        if "×" in word and words[k + 1] == "·" and words[k + 3] == "→":
            (a, b), (c, d), (e, f) = (words[k + s].split("×") for s in (0, 2, 4))
            assert b == c, word
            assert (a, d) == (e, f), word
            products += 1
    assert found
    assert products >= 1 or "S" in text


def test_decimals_follow_the_rounding() -> None:
    text = solution(I_LOVE_AI, rounding=Rounding(places=5))
    assert "0.70698" in text or "0.70699" in text
    assert "0.707 " not in text
