"""Which entries of a row are its largest: decided exactly, ties included."""

from __future__ import annotations

from symattn.exact.matrix import Matrix, MatrixLike, MinusInfinity, Value
from symattn.exact.mixture import Weights
from symattn.exact.number import Number, sign
from symattn.exact.quotient import Quotient


def largest_in_row(value: MatrixLike, i: int) -> tuple[frozenset[int], int]:
    """The columns of row i's largest finite entries, and how many finite entries there are.

    Softmax keeps the order, so weights are compared by their scores. ValueError for letters.
    """
    if isinstance(value, Weights):
        value = value.M
    if isinstance(value, Matrix) and value.is_plain:
        factor = value.unit.coefficient
        turn = (factor > 0) - (factor < 0)  # 0 makes all entries equal
        counts = {j: turn * c for j, c in enumerate(value.rows[i]) if isinstance(c, int)}
        best = max(counts.values(), default=0)
        return frozenset(j for j, c in counts.items() if c == best), len(counts)
    entries = {j: value.at(i, j) for j in range(value.shape[1])}
    finite = {j: entry for j, entry in entries.items() if not isinstance(entry, MinusInfinity)}
    found: list[int] = []
    for j, entry in finite.items():
        where = sign_of_difference(entry, finite[found[0]]) if found else 1
        if where > 0:
            found = [j]
        elif where == 0:
            found.append(j)
    return frozenset(found), len(finite)


def sign_of_difference(a: Value, b: Value) -> int:
    """The exact sign of a − b."""
    if isinstance(a, Number) and isinstance(b, Number):
        return sign(a - b)
    from symattn.exact import decide

    assert not isinstance(a, MinusInfinity) and not isinstance(b, MinusInfinity)
    return decide.sign(Quotient.of(a) - b)
