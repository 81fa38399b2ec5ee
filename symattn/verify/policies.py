"""How somebody may have rounded on the way: each policy is one exact computation.

A cell that is not the truth rounded is *carried* if a policy gives exactly its digits, from what
is written above it: "from your 0.71". Nothing is accepted for being near.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import floor
from typing import Final

from symattn.exact.matrix import Matrix, MatrixLike, MinusInfinity, Value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number, square_root
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounded, Rounding
from symattn.verify.reference import (
    Reference,
    References,
    exponentials,
    of_fraction,
    row_of,
    row_sums,
)
from symattn.verify.sources import EVERY_ROW, Base, Place, Sources, can_be_weighed

MORE: Final = (0, 1, 2)
"""Places beyond those of the line to which hidden intermediate values may have been rounded."""


@dataclass(frozen=True, eq=False, slots=True)
class Candidate:
    """What a row would be, and by which way of rounding."""

    references: References
    words: str
    used: frozenset[Place]
    is_plain: bool = False
    """From the written lines with nothing else rounded."""
    is_route: bool = False
    """Another way to the same weights: what it gives is as right as the usual line."""


def candidates(
    sources: Sources, letter: str, head: int, i: int, places: int
) -> Iterator[Candidate]:
    """What row i may be for somebody who rounded on the way, the simplest first."""
    for base in sources.followed(letter, head, i):
        if base.is_own:
            yield Candidate(row_of(base.row, 0, places), base.words, base.used, True)
    if letter in "ZMEr":
        yield from _shifted(sources, letter, head, i, places)
    match letter:
        case "Q" | "K" | "V":
            yield from _projected(sources, letter, head, i, places)
        case "S":
            yield from _scores(sources, head, i, places)
        case "Z":
            yield from _scaled(sources, head, i, places)
        case "E":
            yield from _exponentials(sources, head, i, places)
        case "r":
            yield from _sums(sources, head, i, places)
        case "A":
            yield from _weights(sources, head, i, places)
        case "O":
            yield from _outputs(sources, head, i, places)
        case "Y":
            yield from _answers(sources, i, places)


# ---------------------------------------------------------------------- other ways


def _shifted(s: Sources, letter: str, head: int, i: int, places: int) -> Iterator[Candidate]:
    """The row's largest score subtracted from all: the softmax is the same."""
    words = "the row's largest score subtracted"
    for base in s.followed(letter, head, i) if letter in "ZM" else s.bases("M", head, i):
        row = base.row
        if not isinstance(row, Matrix) or not row.is_plain:
            continue
        finite = [x for x in row.rows[0] if isinstance(x, int)]
        if not finite:
            continue
        top = max(finite) if row.unit.coefficient > 0 else min(finite)
        cells = tuple(x - top if isinstance(x, int) else x for x in row.rows[0])
        moved = Matrix((cells,), row.unit)
        match letter:
            case "E":
                references = exponentials(Weights(moved, True), places)[0]
            case "r":
                references = row_sums(Weights(moved, True), places)[0]
            case _:
                references = row_of(moved, 0, places)
        yield Candidate(references, words, base.used, is_route=True)


# ---------------------------------------------------------------------- one law each


def _projected(s: Sources, letter: str, head: int, i: int, places: int) -> Iterator[Candidate]:
    given = s.problem.heads[head - 1]
    W = getattr(given, f"W_{letter}")
    X = s.problem.X if letter == "Q" else (s.problem.X_kv or s.problem.X)
    if W is None or X is None:
        return
    b = getattr(given, f"b_{letter}")
    row = _rationals(X.value, i)
    columns = _columns(W.value)
    start = _rationals(b.value, 0) if b else None
    if row is None or columns is None or (b and start is None):
        return
    yield from _summed(row, columns, start, places, frozenset())


def _scores(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    if s.problem.heads[head - 1].S:
        return
    own = s.all_written("K", head)
    K = own if own is not None else s.truth("K", head)
    used = frozenset({("K", head, EVERY_ROW)}) if own is not None else frozenset()
    for base in s.bases("Q", head, i):
        row = _rationals(base.row, 0)
        keys = _columns(K.T) if isinstance(K, Matrix) else None
        if row is not None and keys is not None:
            yield from _summed(row, keys, None, places, base.used | used)


def _scaled(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    d_k = s.d_k
    if not s.problem.scale.is_default or d_k is None:
        return
    root = square_root(d_k)
    if root.is_rational:
        return
    divisors: list[Fraction] = []
    for more in MORE:
        rounded = row_of_number(root, places + more)
        if rounded.fraction not in divisors:
            divisors.append(rounded.fraction)
    for base in s.bases("S", head, i):
        row = _rationals(base.row, 0)
        if row is None:
            continue
        for divisor in divisors:
            values = [x / divisor for x in row]
            words = f"√{d_k} taken as {_decimal(divisor)}"
            yield Candidate([of_fraction(x) for x in values], words, base.used)


def _exponentials(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    for base in s.bases("M", head, i):
        A = _softmax(base)
        if A is not None and base.is_own:
            yield Candidate(exponentials(A, places)[0], "", base.used, True)


def _sums(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    E = s.written("E", head, i)
    row = _rationals(E, 0) if E is not None else None
    if row is not None:
        used = frozenset({("E", head, i)})
        yield Candidate([of_fraction(sum(row, Fraction(0)))], "", used, True)
    for base in s.bases("M", head, i):
        A = _softmax(base)
        if A is None:
            continue
        if base.is_own:
            yield Candidate(row_sums(A, places)[0], "", base.used, True)
        for more in MORE:
            E_row = _rounded_exponentials(A, places + more)
            words = f"exponentials rounded to {places + more} places"
            yield Candidate([of_fraction(sum(E_row, Fraction(0)))], words, base.used)


def _weights(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    for base in s.bases("M", head, i):
        A = _softmax(base)
        if A is None:
            continue
        for more in MORE:
            E = _rounded_exponentials(A, places + more)
            bottom = sum(E, Fraction(0))
            words = f"exponentials rounded to {places + more} places"
            if bottom:
                yield Candidate([of_fraction(x / bottom) for x in E], words, base.used)
    yield from _by_written_exponentials(s, head, i, places)
    yield from _by_written_sum(s, head, i, places)


def _by_written_exponentials(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    """E is written, r is not or is not what was divided by."""
    E = s.written("E", head, i)
    row = _rationals(E, 0) if E is not None else None
    if row is None:
        return
    used = frozenset({("E", head, i)})
    bottom = sum(row, Fraction(0))
    bottoms = [(bottom, "")]
    bottoms += [
        (_rounded(bottom, places + more), f"their sum taken to {places + more} places")
        for more in MORE
    ]
    for value, words in bottoms:
        if value:
            yield Candidate([of_fraction(x / value) for x in row], words, used, not words)


def _by_written_sum(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    """r is written, the exponentials are not."""
    r = s.written("r", head, i)
    bottom = r.at(0, 0) if r is not None and s.written("E", head, i) is None else None
    if not isinstance(bottom, Number) or not bottom.is_rational or not bottom:
        return
    for base in s.bases("M", head, i):
        if (A := _softmax(base)) is None:
            continue
        used = base.used | {("r", head, i)}
        E = exponentials(A, places + 6)[0]
        yield Candidate([_over(e, bottom.rational) for e in E], "", used, True)
        for more in MORE:
            row = _rounded_exponentials(A, places + more)
            words = f"exponentials rounded to {places + more} places"
            yield Candidate([of_fraction(x / bottom.rational) for x in row], words, used)


def _over(e: Reference, bottom: Fraction) -> Reference:
    ends = sorted((e.low / bottom, e.high / bottom))

    def exactly() -> Value:
        value = e.exactly()
        assert not isinstance(value, MinusInfinity)
        return Quotient.of(value) * (1 / bottom)

    return Reference(ends[0], ends[1], exactly)


def _outputs(s: Sources, head: int, i: int, places: int) -> Iterator[Candidate]:
    own = s.all_written("V", head)
    V = own if own is not None else s.truth("V", head)
    if not isinstance(V, Matrix):
        return
    used = frozenset({("V", head, EVERY_ROW)}) if own is not None else frozenset()
    columns = _columns(V)
    for base in s.bases("A", head, i):
        row = _rationals(base.row, 0)
        if row is not None and columns is not None and base.is_own:
            yield from _summed(row, columns, None, places, base.used | used)
    if columns is not None:
        for each in _by_rounded_exponentials(s, head, i, places, columns):
            yield replace(each, used=each.used | used)


def _by_rounded_exponentials(
    s: Sources, head: int, i: int, places: int, V: Sequence[Sequence[Fraction]]
) -> Iterator[Candidate]:
    """Weights gone on with in full, made of rounded exponentials; `V` by columns."""
    for base in s.bases("M", head, i):
        if (A := _softmax(base)) is None:
            continue
        for more in MORE:
            E = _rounded_exponentials(A, places + more)
            bottom = sum(E, Fraction(0))
            if not bottom:
                continue
            sums = [sum((a * b for a, b in zip(E, c, strict=True)), Fraction(0)) for c in V]
            words = f"exponentials rounded to {places + more} places"
            yield Candidate([of_fraction(x / bottom) for x in sums], words, base.used)


def _answers(s: Sources, i: int, places: int) -> Iterator[Candidate]:
    W_O = s.problem.W_O
    columns = _columns(W_O.value) if W_O else None
    for base in s.bases("C" if s.derivation.joined else "O", 1, i):
        row = _rationals(base.row, 0)
        if row is not None and columns is not None:
            yield from _summed(row, columns, None, places, base.used)


# ---------------------------------------------------------------------- pieces

_EVEN, _UP = "even", "up"


def _summed(
    row: Sequence[Fraction],
    columns: Sequence[Sequence[Fraction]],
    start: Sequence[Fraction] | None,
    places: int,
    used: frozenset[Place],
) -> Iterator[Candidate]:
    """Products rounded before they are added."""
    for more in (0, 1):
        for mode in (_EVEN, _UP):
            sums = [
                sum(
                    (_rounded(a * b, places + more, mode) for a, b in zip(row, c, strict=True)),
                    Fraction(0),
                )
                for c in columns
            ]
            if start is not None:
                sums = [x + y for x, y in zip(sums, start, strict=True)]
            words = "products rounded before adding"
            if more:
                words = f"products rounded to {places + more} places before adding"
            yield Candidate([of_fraction(x) for x in sums], words, used, not more)


def _rounded(value: Fraction, places: int, mode: str = _EVEN) -> Fraction:
    scaled = value * Fraction(10) ** places
    if mode == _UP:
        whole = floor(abs(scaled) + Fraction(1, 2)) * (1 if scaled > 0 else -1)
    else:
        whole = round(scaled)
    return Fraction(whole) / Fraction(10) ** places


def _softmax(base: Base) -> Weights | None:
    row = base.row
    if isinstance(row, Matrix) and row.is_plain and can_be_weighed(row):
        return Weights(row, True)
    return None


def _rounded_exponentials(A: Weights, places: int) -> list[Fraction]:
    out = []
    for j, score in enumerate(A.M.rows[0]):
        if isinstance(score, MinusInfinity):
            out.append(Fraction(0))
        else:
            out.append(A.rounded_exponential(0, j, Rounding(places)).fraction)
    return out


def _rationals(matrix: MatrixLike | None, i: int) -> list[Fraction] | None:
    """A row as fractions; None where an entry is no rational number."""
    if not isinstance(matrix, Matrix):
        return None
    out = []
    for x in matrix.row(i):
        if not isinstance(x, Number) or not x.is_rational:
            return None
        out.append(x.rational)
    return out


def _columns(matrix: Matrix) -> list[list[Fraction]] | None:
    rows = [_rationals(matrix, k) for k in range(matrix.shape[0])]
    if any(row is None for row in rows):
        return None
    return [list(column) for column in zip(*rows, strict=True)]


def row_of_number(value: Number, places: int) -> Rounded:
    from symattn.exact.matrix import round_value

    rounded = round_value(value, Rounding(places))
    assert isinstance(rounded, Rounded)
    return rounded


def _decimal(value: Fraction) -> str:
    places = 0
    while (value * 10**places).denominator != 1:
        places += 1
    whole = f"{abs(value.numerator * 10**places // value.denominator):0{places + 1}d}"
    return f"{whole[:-places]}.{whole[-places:]}" if places else whole
