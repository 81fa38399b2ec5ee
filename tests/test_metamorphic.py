"""Laws of attention that hold whatever the numbers are: decided equal, not compared as decimals."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from random import Random

from hypothesis import assume, given, settings
from hypothesis import strategies as st

from symattn.attention import derive
from symattn.exact import decide
from symattn.exact.matrix import MINUS_INFINITY, Value
from symattn.exact.quotient import NOTHING, Quotient
from symattn.exact.rounding import Rounding
from tests import strategies as draw
from tests.oracle import Case, Cell, MaskRows, Rows, Surd
from tests.strategies import finite, problem_of, rational

Grid = list[list[Value]]
H = MINUS_INFINITY

small_cases = draw.direct_cases(most=3, widest=3)
surd_cases = draw.direct_cases(st.one_of(draw.integers, draw.surds), most=2, widest=2)
both = st.one_of(small_cases, surd_cases)
projected = draw.projected_cases(most_heads=2)


def grid(case: Case, letter: str = "O", head: int | None = 1) -> Grid:
    """The exact entries of a stage."""
    stage = derive(problem_of(case)).stage(letter, None if letter in "CY" else head)
    n, m = stage.shape
    return [[stage.value.at(i, j) for j in range(m)] for i in range(n)]


def answer(case: Case) -> Grid:
    value = derive(problem_of(case)).answer.value
    n, m = value.shape
    return [[value.at(i, j) for j in range(m)] for i in range(n)]


def same(left: Sequence[Sequence[Value]], right: Sequence[Sequence[Value]]) -> bool:
    """Entry by entry the same shape and, decided, the same numbers."""
    return [len(row) for row in left] == [len(row) for row in right] and all(
        a is b if MINUS_INFINITY in (a, b) else decide.equal(finite(a), finite(b))
        for r, s in zip(left, right, strict=True)
        for a, b in zip(r, s, strict=True)
    )


def changed(case: Case, **matrices: Rows) -> Case:
    """The case with some matrices of its only head replaced."""
    (head,) = case.heads
    return replace(case, heads=({**head, **matrices},))


def picked(rows: Rows, order: Sequence[int]) -> list[Sequence[Cell]]:
    return [rows[i] for i in order]


def times(factor: Fraction, rows: Rows) -> list[list[Cell]]:
    return [
        [
            c._replace(coefficient=c.coefficient * factor) if isinstance(c, Surd) else c * factor
            for c in row
        ]
        for row in rows
    ]


def plus(left: Cell, right: Cell) -> Fraction:
    """The sum of two rational cells."""
    assert isinstance(left, Fraction) and isinstance(right, Fraction)
    return left + right


def raised(case: Case, shift: Sequence[Fraction]) -> Case:
    """The same scores, each row i raised by shift_i through the bias (−∞ stays)."""
    (head,) = case.heads
    n, m = len(head["Q"]), len(head["K"])
    B: MaskRows = case.B or [[Fraction(0)] * m for _ in range(n)]
    biases = [
        [None if b is None else plus(b, by) for b in row] for row, by in zip(B, shift, strict=True)
    ]
    return replace(case, B=biases)


nonzero = st.fractions(-4, 4, max_denominator=3).filter(bool)

# ---------------------------------------------------------------------- order of tokens


@given(both, st.randoms(use_true_random=False))
def test_permuting_queries_permutes_rows(case: Case, source: Random) -> None:
    (head,) = case.heads
    order = list(range(len(head["Q"])))
    source.shuffle(order)
    other = replace(
        changed(case, Q=picked(head["Q"], order)),
        B=case.B and [case.B[i] for i in order],
    )
    for letter in "SZMAO":
        before = grid(case, letter)
        assert same(grid(other, letter), [before[i] for i in order])


@given(both, st.randoms(use_true_random=False))
def test_permuting_keys_permutes_columns_and_no_output(
    case: Case,
    source: Random,
) -> None:
    (head,) = case.heads
    order = list(range(len(head["K"])))
    source.shuffle(order)
    other = replace(
        changed(case, K=picked(head["K"], order), V=picked(head["V"], order)),
        B=case.B and [[row[j] for j in order] for row in case.B],
    )
    assert same(grid(other, "A"), [[row[j] for j in order] for row in grid(case, "A")])
    assert same(grid(other), grid(case))


@given(projected, st.randoms(use_true_random=False))
@settings(max_examples=30)
def test_self_attention_is_equivariant(
    case: Case,
    source: Random,
) -> None:
    assume(case.X_kv is None and case.X is not None)
    assert case.X is not None
    order = list(range(len(case.X)))
    source.shuffle(order)
    other = replace(
        case,
        X=picked(case.X, order),
        B=case.B and [[case.B[i][j] for j in order] for i in order],
    )
    before = answer(case)
    assert same(answer(other), [before[i] for i in order])


# ---------------------------------------------------------------------- softmax


@given(both)
def test_weights_are_positive_where_seen_and_sum_to_one(case: Case) -> None:
    M = grid(case, "M")
    for scores, row in zip(M, grid(case, "A"), strict=True):
        assert decide.equal(sum((Quotient.of(finite(a)) for a in row), NOTHING), 1)
        for score, a in zip(scores, row, strict=True):
            assert decide.sign(finite(a)) == (score is not MINUS_INFINITY)


@given(both, st.data())
def test_a_constant_added_to_a_row_changes_no_weight(case: Case, data: st.DataObject) -> None:
    n = len(case.heads[0]["Q"])
    shift = data.draw(st.lists(draw.rationals, min_size=n, max_size=n))
    other = raised(case, shift)
    assert same(grid(other, "A"), grid(case, "A"))
    assert same(grid(other, "O"), grid(case, "O"))


@given(small_cases)
def test_subtracting_the_largest_score_changes_no_weight(case: Case) -> None:
    """What libraries do against overflow. The largest is found in the exact scores."""
    half = replace(case, factor=Fraction(1, 2))

    def largest(of: Case) -> list[Fraction]:
        return [max(rational(x) for x in row if x is not H) for row in grid(of, "M")]

    other = raised(half, [-x for x in largest(half)])
    assert not any(largest(other))
    assert same(grid(other, "A"), grid(half, "A"))


@given(small_cases, st.data())
def test_equal_scores_share_equally(case: Case, data: st.DataObject) -> None:
    (head,) = case.heads
    key = head["K"][0]
    B = case.B and [[None if b is None else Fraction(0) for b in row] for row in case.B]
    A = grid(replace(changed(case, K=[key] * len(head["K"])), B=B), "A")
    for i, row in enumerate(A):
        seen = [b is not None for b in B[i]] if B else [True] * len(row)
        for sees, a in zip(seen, row, strict=True):
            assert decide.equal(finite(a), Fraction(int(sees), sum(seen)))


@given(small_cases)
def test_order_of_weights_is_order_of_scores(case: Case) -> None:
    for scores, row in zip(grid(case, "M"), grid(case, "A"), strict=True):
        for s, a in zip(scores, row, strict=True):
            for t, b in zip(scores, row, strict=True):
                if s is not H and t is not H:
                    by_scores = Quotient.of(finite(s)) - finite(t)
                    by_weights = Quotient.of(finite(a)) - finite(b)
                    assert decide.sign(by_weights) == decide.sign(by_scores)


# ---------------------------------------------------------------------- masks


@given(both, st.data())
def test_hiding_a_key_is_leaving_it_out(case: Case, data: st.DataObject) -> None:
    (head,) = case.heads
    n, m = len(head["Q"]), len(head["K"])
    assume(m > 1)
    out = data.draw(st.integers(0, m - 1))
    rest = [j for j in range(m) if j != out]
    hidden = [[None if j == out else Fraction(0) for j in range(m)] for _ in range(n)]
    masked = replace(case, B=hidden)
    left_out = replace(changed(case, K=picked(head["K"], rest), V=picked(head["V"], rest)), B=None)
    A = grid(masked, "A")
    assert all(decide.is_zero(finite(row[out])) for row in A)
    assert same([[row[j] for j in rest] for row in A], grid(left_out, "A"))
    assert same(grid(masked), grid(left_out))


@given(projected, st.data())
@settings(max_examples=30)
def test_a_causal_prefix_does_not_see_later_tokens(case: Case, data: st.DataObject) -> None:
    assume(case.X_kv is None and case.X is not None and len(case.X) > 1)
    assert case.X is not None
    n, k = len(case.X), data.draw(st.integers(1, len(case.X) - 1))
    later = data.draw(draw.rows_of(n - k, len(case.X[0]), draw.decimals))

    def causal(size: int) -> MaskRows:
        return [[Fraction(0) if j <= i else None for j in range(size)] for i in range(size)]

    whole = answer(replace(case, B=causal(n)))
    changed_later = answer(replace(case, X=[*case.X[:k], *later], B=causal(n)))
    prefix = answer(replace(case, X=case.X[:k], B=causal(k)))
    assert same(whole[:k], prefix)
    assert same(changed_later[:k], prefix)


# ---------------------------------------------------------------------- scale and linearity


@given(both, nonzero)
def test_scaling_queries_undoes_the_scale(case: Case, c: Fraction) -> None:
    (head,) = case.heads
    other = replace(changed(case, Q=times(c, head["Q"])), factor=1 / c)
    plain = replace(case, factor=Fraction(1))
    for letter in "ZMAO":
        assert same(grid(other, letter), grid(plain, letter))


@given(both)
def test_default_scale_is_the_root_of_the_width(case: Case) -> None:
    d = case.width
    named = replace(case, factor=Surd(Fraction(1, d), d))
    for letter in "ZAO":
        assert same(grid(replace(case, factor=None), letter), grid(named, letter))


@given(small_cases, draw.rationals)
def test_a_constant_added_to_the_values_is_added_to_the_output(case: Case, c: Fraction) -> None:
    (head,) = case.heads
    shifted = changed(case, V=[[plus(v, c) for v in row] for row in head["V"]])
    expected = [[Quotient.of(finite(o)) + c for o in row] for row in grid(case)]
    assert same(grid(shifted), expected)
    level = changed(case, V=[[c for _ in row] for row in head["V"]])
    assert all(decide.equal(finite(o), c) for row in grid(level) for o in row)


@given(small_cases, st.data())
def test_output_is_linear_in_the_values(case: Case, data: st.DataObject) -> None:
    (head,) = case.heads
    V = head["V"]
    W = data.draw(draw.rows_of(len(V), len(V[0]), draw.rationals))
    added = [[plus(a, b) for a, b in zip(r, s, strict=True)] for r, s in zip(V, W, strict=True)]
    expected = [
        [Quotient.of(finite(a)) + finite(b) for a, b in zip(r, s, strict=True)]
        for r, s in zip(grid(case), grid(changed(case, V=W)), strict=True)
    ]
    assert same(grid(changed(case, V=added)), expected)


@given(small_cases)
def test_values_of_the_unit_matrix_give_the_weights(case: Case) -> None:
    m = len(case.heads[0]["K"])
    unit = [[Fraction(i == j) for j in range(m)] for i in range(m)]
    assert same(grid(changed(case, V=unit)), grid(case, "A"))


# ---------------------------------------------------------------------- heads


@given(projected)
@settings(max_examples=30)
def test_each_head_is_attention_by_itself(case: Case) -> None:
    for number, head in enumerate(case.heads, 1):
        alone = replace(case, heads=(head,), W_O=None)
        for letter in "QKVSZMAO":
            assert same(grid(case, letter, number), grid(alone, letter))


@given(projected)
@settings(max_examples=30)
def test_heads_are_joined_side_by_side(case: Case) -> None:
    many = replace(case, heads=case.heads * 2, W_O=None)
    outputs = [grid(many, "O", h + 1) for h in range(len(many.heads))]
    rows = [[cell for o in outputs for cell in o[i]] for i in range(len(outputs[0]))]
    assert same(grid(many, "C"), rows)


@given(projected)
@settings(max_examples=30)
def test_output_projection_picks_a_head(case: Case) -> None:
    """W_O with a unit block gives that head's output, and zeros give zero."""
    d_v, h = len(case.heads[0]["W_V"][0]), len(case.heads)
    for number in range(h):
        block = [[Fraction(i == number * d_v + j) for j in range(d_v)] for i in range(h * d_v)]
        assert same(answer(replace(case, W_O=block)), grid(case, "O", number + 1))
    zeros = [[Fraction(0)] for _ in range(h * d_v)]
    found = derive(problem_of(replace(case, W_O=zeros))).answer.value.rounded(Rounding())
    assert {str(cell) for row in found for cell in row} == {"0.000"}


@given(projected)
@settings(max_examples=30)
def test_projected_matrices_may_be_given_directly(case: Case) -> None:
    """Projecting first and giving the result are the same problem."""
    heads = []
    for number in range(1, len(case.heads) + 1):
        rows = {}
        for letter in "QKV":
            rows[letter] = [[rational(v) for v in row] for row in grid(case, letter, number)]
        heads.append(rows)
    direct = replace(case, heads=tuple(heads), X=None, X_kv=None)
    assert same(answer(direct), answer(case))
