"""Speech: what is heard says all that is seen, and nothing that is still to be found."""

from __future__ import annotations

import itertools
import math
import re
import string
from collections.abc import Iterator
from dataclasses import fields, replace
from typing import Any, get_args

import pytest
import samples
from hypothesis import given
from hypothesis import strategies as st

from symattn import derive, explain, load
from symattn.convention import COLUMNS, Convention
from symattn.document import (
    Block,
    Code,
    Display,
    Document,
    Form,
    Heading,
    Heatmap,
    Items,
    Math,
    Note,
    PageBreak,
    Para,
    Part,
    Strong,
    Table,
    WorkSpace,
)
from symattn.exact.rounding import Rounding
from symattn.formula import (
    DOTS,
    MINUS_INFINITY,
    VERTICAL_DOTS,
    Blank,
    Call,
    Formula,
    Frac,
    Grid,
    Line,
    Mark,
    Num,
    Op,
    Paren,
    Power,
    Role,
    Root,
    Seq,
    Sub,
    Sym,
    Words,
    factor,
    is_negative,
    is_sum,
    joined,
    num,
    product,
    seq,
    transpose,
)
from symattn.reading.problem_file import builtin_names
from symattn.views.options import Options
from symattn.writers import write
from symattn.writers.base import visible
from symattn.writers.latex_math import SIGNS as LATEX_SIGNS
from symattn.writers.speech import Speech, SpeechWriter

Q, K, V, S, O, A, W, E, e, r, x, n = map(Sym, "QKVSOAWEerxn")  # noqa: E741
ROOT_3 = Root(num(3))
HEAD_2 = Paren(num(2))
NUMBERS = Grid(((num(1), num(0)), (num(-2), num(3))))


def root_of(k: int) -> Formula:
    """e^(k/√3)."""
    return Power(e, Frac(num(k), ROOT_3, slanted=True))


# ------------------------------------------------------------------ formula → words

SAID: list[tuple[Formula, str]] = [
    # numbers and letters
    (num(-3), "minus 3"),
    (Num("0.707"), "0.707"),
    (Sym("α"), "alpha"),
    (Sym("λ"), "lambda"),
    (Sym("Δ"), "capital delta"),
    (Sym("ℝ"), "the real numbers"),
    (MINUS_INFINITY, "minus infinity"),
    (Q, "Q"),
    (x, "small x"),
    (n, "n"),
    (Sym("N"), "capital N"),
    (E, "capital E"),
    (Sym("o", bold=True), "vector o"),
    (Words("New York"), "New York"),
    (Words("."), "period"),
    # sums, products, signs
    (seq(n, "+", num(-2), "−", Sym("h")), "n plus minus 2 minus h"),
    (seq(Sym("−"), Paren(seq(n, "+", Sym("h")))), "minus open paren n plus h close paren"),
    (seq(Sym("−"), n, "+", Sym("h")), "minus n plus h"),
    (product(num(2), num(-1)), "2 times minus 1"),
    (seq(num(2), n), "2 n"),
    (seq(num(2), ROOT_3), "2 times the square root of 3"),
    (seq(num(3), root_of(5)), "3 times e to the power 5 over the square root of 3, end power"),
    (joined("+", [n, DOTS, r]), "n plus and so on plus r"),
    (seq(n, "→", num(0)), "n to 0"),
    (seq(n, "∈", Sym("ℕ")), "n in the natural numbers"),
    (seq(num(4), "×", num(3)), "4 by 3"),
    (seq(n, "≈", Num("0.5")), "n is approximately 0.5"),
    (Paren(joined(",", [num(1), num(0)]), "["), "open bracket 1, 0 close bracket"),
    # fractions
    (Frac(num(1), num(3)), "one third"),
    (Frac(num(5), num(12), slanted=True), "five twelfths"),
    (Frac(num(3), num(2)), "three halves"),
    (Frac(num(17), num(23)), "17 over 23"),
    (Frac(num(5), ROOT_3), "5 over the square root of 3"),
    (Frac(S, Root(Sub(Sym("d"), Sym("k")))), "S over the square root of d sub k"),
    (Frac(n, seq(r, "+", num(1))), "the fraction with top n and bottom r plus 1, end fraction"),
    (seq(Frac(n, r), "+", num(1)), "n over r, plus 1"),
    (
        Frac(root_of(4), Sub(r, num(2))),
        "e to the power 4 over the square root of 3, end power, over r sub 2",
    ),
    (
        Frac(Power(e, num(4)), Sub(r, num(2))),
        "the fraction with top e to the power 4 and bottom r sub 2, end fraction",
    ),
    # roots
    (ROOT_3, "the square root of 3"),
    (Root(n, 3), "the cube root of n"),
    (Root(n, 5), "the fifth root of n"),
    (Root(n, 24), "the 24th root of n"),
    (Root(seq(n, r)), "the square root of n r, end root"),
    (seq(Root(n), "·", r), "the square root of n, times r"),
    (Root(Frac(num(1), num(2))), "the square root of one half, end root"),
    # powers and subscripts
    (Power(n, num(2)), "n squared"),
    (Power(Paren(seq(n, "+", num(1))), num(3)), "open paren n plus 1 close paren cubed"),
    (Power(num(10), num(-12)), "10 to the power minus 12"),
    (Power(e, Frac(num(1), num(2), slanted=True)), "e to the power one half"),
    (Power(e, ROOT_3), "e to the power the square root of 3, end power"),
    (Power(e, seq(n, "+", r)), "e to the power n plus r, end power"),
    (seq(Power(e, n), "+", r), "e to the power n, plus r"),
    (seq(Q, transpose(K)), "Q K transpose"),
    (Power(O, HEAD_2), "O of head 2"),
    (transpose(Power(K, HEAD_2)), "K of head 2, transpose"),
    (Power(Sub(S, num(12)), HEAD_2), "S sub 1 2 of head 2"),
    (Sub(Power(S, HEAD_2), num(12)), "S of head 2, sub 1 2"),
    (Sub(S, num(12)), "S sub 1 2"),
    (Sub(r, num(12)), "r sub 12"),
    (Sub(S, seq(num(11), Sym(","), num(2))), "S sub 11 comma 2"),
    (Sub(S, seq(Sym("i"), Sym("j"))), "S sub i j"),
    (Sub(W, Q), "W sub Q"),
    (Sub(Sym("d"), Sym("k")), "d sub k"),
    (Sub(Sym("d"), Words("model")), "d sub model"),
    (Sub(n, seq(r, "+", num(1))), "n sub r plus 1, end sub"),
    # functions
    (Call("softmax", S), "softmax of S"),
    (Call("ln", num(2)), "the natural log of 2"),
    (
        seq(Call("softmax", Frac(seq(Q, transpose(K)), ROOT_3)), V),
        "softmax of open paren Q K transpose over the square root of 3 close paren times V",
    ),
    (
        seq(Words("Attention"), Paren(joined(",", [Q, K, V]))),
        "Attention of open paren Q, K, V close paren",
    ),
    # roles and blanks
    (Mark(Role.MAXIMUM, num(5)), "5 the largest"),
    (Mark(Role.MASKED, MINUS_INFINITY), "minus infinity, masked"),
    (Mark(Role.FOCUS, num(4)), "4 in focus"),
    (Mark(Role.ANSWER, Frac(num(5), ROOT_3)), "5 over the square root of 3, the answer"),
    (Blank(num(4)), "blank"),
    (Mark(Role.MAXIMUM, Blank(num(4))), "blank"),
    (Frac(Blank(num(1)), num(3)), "blank over 3"),
    # matrices
    (seq(Q, "=", NUMBERS), "Q equals 2 by 2 matrix; row 1: 1, 0; row 2: minus 2, 3"),
    (Grid(((num(1), num(0)),)), "1 by 2 matrix: 1, 0"),
    (Grid(((num(1),), (num(0),))), "2 by 1 matrix: 1, 0"),
    (
        Grid(NUMBERS.rows, row_labels=("I", "love")),
        "2 by 2 matrix; row I: 1, 0; row love: minus 2, 3",
    ),
    (
        Grid(((num(1), Mark(Role.MAXIMUM, num(5))),), ("I",), ("I", "love")),
        "1 by 2 matrix; row I: column I: 1, column love: 5 the largest",
    ),
    (
        Grid(((num(1), root_of(1)),)),
        "1 by 2 matrix: column 1: 1, "
        "column 2: e to the power 1 over the square root of 3, end power",
    ),
    (
        seq(num(2), NUMBERS, "+", n),
        "2 times 2 by 2 matrix; row 1: 1, 0; row 2: minus 2, 3; end matrix plus n",
    ),
    (
        seq(Q, "=", NUMBERS, Sym("\u2003"), n, "=", num(2)),
        "Q equals 2 by 2 matrix; row 1: 1, 0; row 2: minus 2, 3. n equals 2",
    ),
    (
        Grid(
            (
                (num(1), DOTS, num(9)),
                (VERTICAL_DOTS, VERTICAL_DOTS, VERTICAL_DOTS),
                (num(3), DOTS, num(7)),
            )
        ),
        "matrix with its middle left out; row 1: 1, and so on, 9; and so on; "
        "last row: 3, and so on, 7",
    ),
    (
        Grid(((root_of(5),), (VERTICAL_DOTS,), (num(2),))),
        "matrix with its middle left out: "
        "row 1: e to the power 5 over the square root of 3, end power, and so on, last row: 2",
    ),
    (
        Grid(
            ((num(1), DOTS, num(9)), (VERTICAL_DOTS, VERTICAL_DOTS, VERTICAL_DOTS)),
            ("the", "⋮"),
            ("the", "⋯", "end"),
        ),
        "matrix with its middle left out; row the: column the: 1, and so on, column end: 9; "
        "and so on",
    ),
    (Grid(((num(1), num(2)), (num(3),))), "2 by 2 matrix; row 1: 1, 2; row 2: 3, empty"),
    (Grid(()), "empty matrix"),
]


@pytest.mark.parametrize(("tree", "words"), SAID, ids=[words[:40] for _, words in SAID])
def test_a_formula_is_said(tree: Formula, words: str) -> None:
    assert Speech().formula(tree) == words


def test_every_kind_of_node_is_in_the_table() -> None:
    found: set[str] = set()

    def look(value: Any) -> None:
        if isinstance(value, tuple):
            for part in value:
                look(part)
        elif isinstance(value, get_args(Formula)):
            found.add(type(value).__name__)
            for field in fields(value):
                look(getattr(value, field.name))

    look(tuple(tree for tree, _ in SAID))
    assert found == {kind.__name__ for kind in get_args(Formula)}


@pytest.mark.parametrize(
    ("answer", "words"),
    [
        (num(4), "answer 4"),
        (num(-4), "answer minus 4"),
        (Frac(num(1), num(3)), "answer one third"),
        (seq(n, "+", num(1)), "answer n plus 1, end answer"),
    ],
)
def test_the_key_says_that_it_is_the_answer(answer: Formula, words: str) -> None:
    assert Speech(key=True).formula(Blank(answer)) == words
    assert Speech(key=True).formula(seq(Blank(answer), "+", r)) == f"{words} plus r"


def test_every_sign_that_latex_has_a_name_for_has_words() -> None:
    spaces = {"\u2002", "\u2003"}
    assert len(LATEX_SIGNS) > 80
    for sign in LATEX_SIGNS.keys() - spaces:
        said = Speech().sym(sign, False)
        assert re.fullmatch("[A-Za-z ]+", said), sign


def test_no_two_letters_sound_alike() -> None:
    letters = string.ascii_letters + "αβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΣΥΦΨΩ"
    names = {Speech().sym(letter, False).lower() for letter in letters}
    assert len(names) == len(letters)
    vectors = {Speech().sym(letter, True).lower() for letter in string.ascii_letters}
    assert len(vectors) == 52 and not vectors & names


def test_a_line_says_what_stands_beside_it() -> None:
    lines = (
        Line(Sub(S, num(12)), "=", product(num(2), num(2)), "I → love"),
        Line(None, "=", num(4), "3×4 · 4×3 → 3×3"),
        Line(VERTICAL_DOTS, "", None),
        Line(None, "", NUMBERS),
        Line(None, "≈", num(4)),
    )
    assert Speech().line(lines[0]) == "S sub 1 2 equals 2 times 2 (I to love)"
    assert Speech().display(Display(lines)) == (
        "S sub 1 2 equals 2 times 2 (I to love). "
        "Equals 4 (3 by 4 times 4 by 3 to 3 by 3). and so on. "
        "2 by 2 matrix; row 1: 1, 0; row 2: minus 2, 3. Is approximately 4"
    )


# ------------------------------------------------------------------ heard, not seen

POINT = {"x": 1.37, "n": 0.71}


def value(tree: Formula) -> float:
    """The value at `POINT`, as the formula is read on paper: a sum of products."""
    match tree:
        case Num(digits):
            return float(digits)
        case Sym(name):
            return POINT[name]
        case Paren(inner):
            return value(inner)
        case Frac(top, bottom):
            return value(top) / value(bottom)
        case Root(radicand, degree):
            return _power(value(radicand), 1 / degree)
        case Power(base, exponent):
            return _power(value(base), value(exponent))
        case Seq(parts):
            total, sign, term = 0.0, 1.0, 1.0
            for part in parts:
                if part in (Op("+"), Op("−")):
                    total, sign, term = total + sign * term, 1.0 if part == Op("+") else -1.0, 1.0
                elif part == Sym("−"):
                    sign = -sign
                elif part != Op("·"):
                    term *= value(part)
            return total + sign * term
        case _:
            raise TypeError(tree)


def _power(base: float, exponent: float) -> float:
    """A stand-in for powers of negative numbers: only that equal inputs give equal results."""
    return math.copysign(abs(base) ** exponent, base) * (1 if base > 0 else 7.3)


def grown(trees: list[Formula]) -> Iterator[Formula]:
    """Every formula one step larger."""
    for a in trees:
        yield seq(Sym("−"), factor(a))
        yield Root(a)
        yield Root(a, 3)
    for a, b in itertools.product(trees, trees):
        yield seq(a, "+", Paren(b) if is_negative(b) else b)
        yield seq(a, "−", factor(b))
        yield product(a, b)
        yield seq(Paren(a) if is_sum(a) else a, factor(b))
        yield Frac(a, b)
        yield Power(a, b)


def test_what_sounds_alike_is_equal_even_without_pauses() -> None:
    atoms: list[Formula] = [x, n, num(2), num(-2)]
    small = [*atoms, *grown(atoms)]
    heard: dict[str, tuple[float, Formula]] = {}
    for tree in itertools.chain(small, grown(small)):
        try:
            found = value(tree)
        except (ZeroDivisionError, OverflowError):
            continue
        words = Speech().formula(tree).replace(",", "")
        known, first = heard.setdefault(words, (found, tree))
        assert math.isclose(found, known, rel_tol=1e-9), (words, first, tree)
    assert len(heard) > 50_000


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (Frac(n, seq(r, "+", x)), seq(Frac(n, r), "+", x)),
        (Power(e, seq(n, "+", r)), seq(Power(e, n), "+", r)),
        (Root(seq(n, r)), seq(Root(n), r)),
        (seq(Sym("−"), Paren(seq(n, "+", r))), seq(Sym("−"), n, "+", r)),
        (Sub(n, seq(r, "+", x)), seq(Sub(n, r), "+", x)),
        (Call("ln", seq(n, "+", r)), seq(Call("ln", n), "+", r)),
        (transpose(Paren(seq(Q, K))), seq(Q, transpose(K))),
        (Power(e, Power(n, num(2))), Power(Paren(Power(e, n)), num(2))),
        (Grid(((n, r),)), Grid(((n,), (r,)))),
        (Grid(((num(1), num(2)),)), Grid(((num(12),),))),
        (seq(Q, "=", NUMBERS, "+", n), seq(Q, "=", Grid((*NUMBERS.rows[:1], (num(-2), n))))),
        (E, e),
        (V, Sym("v")),
        (O, Sym("o", bold=True)),
    ],
)
def test_what_differs_sounds_different(one: Formula, other: Formula) -> None:
    first, second = Speech().formula(one), Speech().formula(other)
    assert first.replace(",", "").lower() != second.replace(",", "").lower()


# ------------------------------------------------------------------ blocks

BLOCKS: list[tuple[Block, str]] = [
    (Heading(1, (Strong("Step 1."), " Project"), "[8 points]"), "Step 1. Project [8 points]"),
    (Para(("Each ", Math(Sub(Sym("d"), Sym("k"))), "-th of 3×3.")), "Each d sub k-th of 3 by 3."),
    (Para(("the", Math(n), "th")), "the n th"),
    (Items((("one",), ("two ", Math(num(-1)))), numbered=True), "1. one\n2. two minus 1"),
    (Items((("one",), ("two",))), "one\ntwo"),
    (Display((Line(Q, "=", NUMBERS),)), "Q equals 2 by 2 matrix; row 1: 1, 0; row 2: minus 2, 3."),
    (
        Table((("Symbol",), ("Meaning",)), (((Math(Q),), ("queries",)), ((Math(n),), ()))),
        "Symbol: Q. Meaning: queries.\nSymbol: n.",
    ),
    (
        Heatmap("Weights", ("I", "love"), ("I", "."), (((0.25, "0.25"), (0.75, "0.75")),) * 2),
        "Weights. Row I: I 0.25, period 0.75 the largest; "
        "row love: I 0.25, period 0.75 the largest.",
    ),
    (
        Heatmap("Weights:", ("I",), (), (((0.25, "0.25"), (0.75, "0.75")),), blank=True),
        "Weights: Blank squares; rows: I; columns: column 1, column 2.",
    ),
    (Note(("−∞ removes (−3).",)), "Note: minus infinity removes (minus 3)."),
    (Code("python", "a = 1\n\nb = {a}\n"), "a = 1\n\nb = {a}"),
    (Form((("Name", 2), ("Date", 1))), "Name: blank. Date: blank."),
    (WorkSpace(4), "Room for 4 lines of working."),
    (WorkSpace(1), "Room for 1 line of working."),
    (PageBreak(), ""),
    (Part("Scores", "Practice sheet", "symattn · s-1"), "Scores\n\nPractice sheet, symattn, s-1"),
]


@pytest.mark.parametrize(("block", "words"), BLOCKS, ids=[type(b).__name__ for b, _ in BLOCKS])
def test_a_block_is_said(block: Block, words: str) -> None:
    assert SpeechWriter().block(block) == words


def test_every_kind_of_block_is_in_the_table() -> None:
    assert {type(block) for block, _ in BLOCKS} == set(get_args(Block))


def test_a_page_is_paragraphs_with_blank_lines_between() -> None:
    page = Document("Title", "Worked — here", (Para(("a",)), Para(("b",))), footer="symattn · one")
    assert write(page, "speech") == "Title\n\nWorked, here\n\na\n\nb\n\nsymattn, one\n"
    assert write(page, "speech", fragment=True) == "a\n\nb\n"


# ------------------------------------------------------------------ whole pages

MODES = {
    "brief": Options(detail="brief"),
    "normal": Options(),
    "full": Options(detail="full"),
    "decimals only, ten places": Options(exact=False, rounding=Rounding(10)),
    "forty places": Options(rounding=Rounding(40)),
    "columns": Options(convention=COLUMNS),
    "left, from 0, round": Options(
        convention=Convention(weights="left", index_from=0, fence="("),
        rounding=Rounding(figures=6, ties="up"),
    ),
}
PLAIN = re.compile("[A-Za-z0-9 .,;:()'\"?!/“”’-]*")
"""What every voice and every braille display can say."""


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", builtin_names())
def test_a_solution_is_words_and_nothing_else(name: str, mode: str) -> None:
    problem = load(name)
    page = explain(derive(problem), MODES[mode])
    text = write(page, "speech")
    assert "equals" in text and "row" in text
    for typed in (*problem.tokens, *problem.tokens_kv, problem.note):
        if not PLAIN.fullmatch(typed):
            text = text.replace(typed, "")
    for line in text.split("\n"):
        assert line.isprintable() and PLAIN.fullmatch(line), line
    speech = Speech()
    for block in page.blocks:
        if isinstance(block, Display):
            assert "\n" not in speech.display(block)


@pytest.mark.parametrize("key", [False, True])
def test_hostile_text_is_said_as_it_is_and_cannot_act(key: bool) -> None:
    text = write(samples.hostile_page(), "speech", key=key)
    assert "<b>bold</b>" in text and "\\input{/etc/passwd}" in text and "[U+001B]" in text
    shown = text.replace("\n", "").replace("\u200d", "").replace("\u200c", "")
    assert shown.isprintable()


@pytest.mark.parametrize("hostile", samples.HOSTILE)
def test_hostile_labels_stay_on_one_line(hostile: str) -> None:
    grid = Grid(((num(1), Words(hostile)),), (hostile,), (hostile, hostile))
    page = Display((Line(Words(hostile), "=", grid, hostile),))
    said = Speech().display(page)
    assert "\n" not in said and "\r" not in said and "\x1b" not in said
    assert visible(hostile)[:20].strip() in said


def test_the_same_page_is_said_in_the_same_words() -> None:
    first, second = (write(explain(derive(load("i-love-ai"))), "speech") for _ in range(2))
    assert first == second


# ------------------------------------------------------------------ blanks keep their answers

ANSWERS = st.one_of(
    st.integers(7_000_000, 7_999_999).map(num),
    st.integers(-7_999_999, -7_000_000).map(num),
    st.integers(7_000_000, 7_999_999).map(lambda k: Frac(num(k), num(2))),
    st.integers(7_000_000, 7_999_999).map(lambda k: Power(e, seq(num(k), "+", num(1)))),
    st.integers(7_000_000, 7_999_999).map(lambda k: Grid(((num(k), num(1)),))),
)
FORMULAS: st.SearchStrategy[Formula] = st.recursive(
    st.one_of(ANSWERS.map(Blank), st.sampled_from([x, K, num(2), num(-1), num(3), Words("cat")])),
    lambda inner: st.one_of(
        st.builds(lambda a, b: seq(a, "+", b), inner, inner),
        st.builds(lambda a, b: Seq((a, b)), inner, inner),
        st.builds(Frac, inner, inner, st.booleans()),
        st.builds(Root, inner),
        st.builds(Power, inner, inner),
        st.builds(Sub, inner, inner),
        st.builds(Paren, inner),
        st.builds(lambda a: Call("softmax", a), inner),
        st.builds(Mark, st.sampled_from(Role), inner),
        st.builds(lambda a, b: Grid(((a, b),), ("I",), ("I", "love")), inner, inner),
        st.builds(lambda a, b: Grid(((a, b), (b, a))), inner, inner),
    ),
    max_leaves=12,
)


def answered(tree: Any, answer: Formula) -> Any:
    """The tree with another answer in every blank."""
    match tree:
        case Blank():
            return replace(tree, answer=answer)
        case tuple():
            return tuple(answered(part, answer) for part in tree)
        case _ if isinstance(tree, get_args(Formula)):
            parts = {f.name: answered(getattr(tree, f.name), answer) for f in fields(tree)}
            return replace(tree, **parts)
        case _:
            return tree


@given(tree=FORMULAS, answer=ANSWERS)
def test_a_blank_never_tells_its_answer(tree: Formula, answer: Formula) -> None:
    said = Speech().formula(tree)
    assert not re.search("7[0-9]{6}", said)
    assert said == Speech().formula(answered(tree, answer))
    page = Document("", "", (Para(("Find ", Math(tree))), Display((Line(x, "=", tree, "why"),))))
    assert not re.search("7[0-9]{6}", write(page, "speech"))
    # The search would find an answer: the key tells them all.
    told = Speech(key=True).formula(answered(tree, num(7_654_321)))
    assert ("7654321" in told) == ("blank" in said)


def test_a_blank_picture_tells_nothing() -> None:
    page = Document(
        "", "", (Heatmap("Weights", ("I",), ("I",), (((0.707, "0.707"),),), blank=True),)
    )
    assert "707" not in write(page, "speech")
    assert "0.707" in write(page, "speech", key=True)
