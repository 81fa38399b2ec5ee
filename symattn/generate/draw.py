"""What recipes draw: matrices of small integers whose scores fit a sheet, and words for tokens.

Integers are looked at before anything is built from them, so a draw that fits nothing costs little.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import cache
from itertools import product as product_of
from math import sqrt
from operator import mul
from typing import Final

from symattn.exact.matrix import MINUS_INFINITY, Matrix
from symattn.generate.plan import Plan
from symattn.generate.settings import Settings
from symattn.generate.stream import Ints, Stream
from symattn.problem import NO_MASK, Given, HeadGiven, Mask, Problem

LARGEST_SCORE: Final = 20
"""|S| stays within what is multiplied in one's head."""
SMALLEST_EXPONENT, LARGEST_EXPONENT = -4.0, 6.0
"""e⁻⁴ = 0.018 and e⁶ = 403: what a pocket calculator shows with three places."""
LARGEST_GAP: Final = 5.0
"""A visible score is at most so far below its row's largest: no weight is next to nothing."""
REDRAWS: Final = 40
"""Matrices drawn for one place before the whole candidate is given up."""

WORDS: Final = {
    2: ("AI learns", "cats sleep", "birds sing", "we read", "stars shine", "rain falls"),
    3: ("I love AI", "the cat sat", "she reads books", "we like tea", "dogs chase cats"),
    4: ("the bird sings well", "we walk to school", "she gave him tea", "all cats like fish"),
    5: ("the old man feeds birds", "we all read good books", "he sold his old boat"),
    6: ("the cat sat on the mat", "we saw a film last night", "she put her hat on again"),
}
"""Short sentences, a word for each token."""

Sees = Callable[[int, int], bool]
"""Whether query i may look at key j."""


def sentence(stream: Stream, count: int) -> tuple[str, ...]:
    """So many tokens; numbered ones where no sentence has as many."""
    if count in WORDS:
        return tuple(stream.choice(WORDS[count]).split())
    return tuple(f"t{k}" for k in range(1, count + 1))


def given(name: str, rows: Ints) -> Given:
    return Given(name, Matrix(rows, columns=len(rows[0])))


def integers(stream: Stream, rows: int, columns: int, low: int, high: int) -> Ints | None:
    """Integers from low to high with no two rows alike and no row or column all zero."""
    for _ in range(REDRAWS):
        drawn = stream.matrix(rows, columns, low, high)
        if (
            len(set(drawn)) == rows
            and all(map(any, drawn))
            and all(map(any, zip(*drawn, strict=True)))
        ):
            return drawn
    return None


def weights(stream: Stream, rows: int, columns: int, low: int) -> Ints:
    """A projection whose columns have one or two entries that are not 0."""
    found = _columns(rows, low)
    (chosen,) = stream.matrix(1, columns, 0, len(found) - 1)
    return tuple(zip(*[found[k] for k in chosen], strict=True))


@cache
def _columns(rows: int, low: int) -> Ints:
    """Columns with one or two entries that are 1 or, where `low` is negative, also −1."""
    signs = (1,) if low >= 0 else (1, -1)
    spread = []
    for column in product_of((0, *signs), repeat=rows):
        if 1 <= rows - column.count(0) <= 2:
            spread.append(column)
    return tuple(spread)


def product(left: Ints, right: Ints) -> Ints:
    columns = tuple(zip(*right, strict=True))
    return tuple([tuple([sum(map(mul, row, c)) for c in columns]) for row in left])


def fit(Q: Ints, K: Ints, settings: Settings, sees: Sees | None = None) -> bool:
    """Whether the scores of Q and K suit a sheet."""
    # Row by row: most candidates fail in the first one.
    S = ([sum(map(mul, q, k)) for k in K] for q in Q)
    return fits_scores(S, len(K[0]), settings, sees)


def fits_scores(
    S: Iterable[Sequence[int]], d_k: int, settings: Settings, sees: Sees | None = None
) -> bool:
    """Whether scores suit a sheet: bounded, with exponentials that a calculator shows, one largest
    in each row (two, where ties are asked), rows whose weights differ, and no S = Sᵀ that would
    hide a transpose."""
    root = sqrt(d_k)
    low, high, widest = SMALLEST_EXPONENT * root, LARGEST_EXPONENT * root, LARGEST_GAP * root
    rows: list[Sequence[int]] = []
    shares = set()
    for i, row in enumerate(S):
        if max(row) > LARGEST_SCORE or min(row) < -LARGEST_SCORE:
            return False
        seen = row if sees is None else [s for j, s in enumerate(row) if sees(i, j)]
        most, least = max(seen), min(seen)
        if least < low or most > high or most - least > widest:
            return False
        if len(seen) > 1 and (seen.count(most) > 1) is not settings.tied:
            return False
        # Rows that differ by a constant have the same weights.
        shares.add(tuple([most - s for s in seen]))
        rows.append(row)
    n, m = len(rows), len(rows[0])
    if len(shares) < n:
        return False
    return n != m or any(rows[i][j] != rows[j][i] for i in range(n) for j in range(i))


def queries_and_keys(
    stream: Stream,
    X: Ints,
    X_kv: Ints,
    d_k: int,
    low: int,
    settings: Settings,
    sees: Sees | None = None,
) -> tuple[Ints, Ints] | None:
    """W_Q and W_K whose scores fit; the second is drawn anew until they do."""
    W_Q = weights(stream, len(X[0]), d_k, low)
    Q = product(X, W_Q)
    if not all(map(any, Q)) or len(set(Q)) < len(Q):
        return None
    found = _columns(len(X_kv[0]), low)
    # A column of W_K gives a column of K, and comes again and again.
    projected_by: dict[int, tuple[int, ...]] = {}
    for _ in range(REDRAWS):
        (chosen,) = stream.matrix(1, d_k, 0, len(found) - 1)
        for k in chosen:
            if k not in projected_by:
                projected_by[k] = tuple([sum(map(mul, row, found[k])) for row in X_kv])
        if fit(Q, tuple(zip(*[projected_by[k] for k in chosen], strict=True)), settings, sees):
            W_K = tuple(zip(*[found[k] for k in chosen], strict=True))
            if W_K != W_Q:
                return W_Q, W_K
    return None


def values(stream: Stream, X: Ints, d_v: int, low: int) -> Ints | None:
    """W_V whose values are all different, none of them all zero."""
    for _ in range(REDRAWS):
        W_V = weights(stream, len(X[0]), d_v, low)
        if len(set(product(X, W_V))) == len(X):
            return W_V
    return None


# ------------------------------------------------------------------ whole problems


def embedded(stream: Stream, plan: Plan, settings: Settings) -> Problem | None:
    """X (and X_kv, where the plan has other keys) with three projections."""
    X = integers(stream, plan.n, plan.d_model, plan.low, plan.high)
    X_kv = integers(stream, plan.m, plan.d_model, plan.low, plan.high) if plan.m else X
    if X is None or X_kv is None:
        return None
    pair = queries_and_keys(stream, X, X_kv, plan.d_k, plan.low, settings)
    W_V = pair and values(stream, X_kv, plan.d_v, plan.low)
    if not pair or not W_V:
        return None
    tokens = sentence(stream, plan.n)
    head = HeadGiven(given("W_Q", pair[0]), given("W_K", pair[1]), given("W_V", W_V))
    if not plan.m:
        return Problem(tokens, tokens, (head,), given("X", X))
    others = sentence(stream, plan.m)
    return Problem(tokens, others, (head,), given("X", X), given("X_kv", X_kv))


def projected(
    stream: Stream,
    plan: Plan,
    settings: Settings,
    mask: Mask = NO_MASK,
    tokens: tuple[str, ...] = (),
) -> Problem | None:
    """Q, K and V themselves, of one head."""
    sees: Sees | None = None
    if mask.B:
        rows = mask.B.value.rows
        sees = lambda i, j: rows[i][j] is not MINUS_INFINITY  # noqa: E731
    head = _head(stream, plan, settings, sees)
    tokens = tokens or sentence(stream, plan.n)
    return Problem(tokens, tokens, (head,), mask=mask) if head else None


def heads_side_by_side(stream: Stream, plan: Plan, settings: Settings) -> Problem | None:
    """Q, K and V themselves, of several heads."""
    heads = [_head(stream, plan, settings, None) for _ in range(plan.heads)]
    tokens = sentence(stream, plan.n)
    found = tuple(head for head in heads if head)
    return Problem(tokens, tokens, found) if len(found) == plan.heads else None


def _head(stream: Stream, plan: Plan, settings: Settings, sees: Sees | None) -> HeadGiven | None:
    Q = integers(stream, plan.n, plan.d_k, plan.low, plan.high)
    V = integers(stream, plan.n, plan.d_v, plan.low, plan.high + 2)
    if Q is None or V is None:
        return None
    K = keys(stream, Q, plan, settings, sees)
    return None if K is None else HeadGiven(Q=given("Q", Q), K=given("K", K), V=given("V", V))


def keys(
    stream: Stream, Q: Ints, plan: Plan, settings: Settings, sees: Sees | None = None
) -> Ints | None:
    """Keys whose scores with the given queries fit, found one after the other."""
    root = sqrt(plan.d_k)
    for _ in range(REDRAWS):
        found: list[tuple[int, ...]] = []
        for key in stream.matrix(6 * plan.n, plan.d_k, plan.low, plan.high):
            scores = [sum(map(mul, q, key)) for q in Q]
            if any(key) and key not in found and _bounded(scores, root):
                found.append(key)
            if len(found) == plan.n:
                break
        K = tuple(found)
        if len(K) == plan.n and Q != K and fit(Q, K, settings, sees):
            return K
    return None


def _bounded(scores: list[int], root: float) -> bool:
    """A little narrower than what fits, so that a whole row is likely to."""
    return all(-2.5 <= s / root <= 3.5 and abs(s) <= LARGEST_SCORE for s in scores)
