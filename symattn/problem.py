"""What is given: tokens, embeddings, the heads' weights, mask, scale — checked so that it fits."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from typing import Final, Literal, TypeAlias

from symattn.convention import ROWS, Convention
from symattn.errors import InputError, Place
from symattn.exact.matrix import MINUS_INFINITY, Matrix
from symattn.exact.number import Number

Typed: TypeAlias = tuple[tuple[str, ...], ...]


@dataclass(frozen=True)
class Given:
    """A matrix that needs no working.

    `typed` keeps the cells as they were typed, so that 0.50 stays two decimals on the page;
    `transposed` says that it was written the other way round than `value` has it.
    """

    name: str
    value: Matrix
    typed: Typed = ()
    transposed: bool = False
    place: Place = field(default_factory=Place)

    @property
    def shape(self) -> tuple[int, int]:
        return self.value.shape

    @property
    def size(self) -> str:
        """Name and shape as its author wrote it: "W_Q (4×3)"."""
        n, m = reversed(self.shape) if self.transposed else self.shape
        return f"{self.name} ({n}×{m})"


@dataclass(frozen=True, slots=True)
class Scale:
    """The factor in Z = factor · S. Without a factor it is 1/√d_k."""

    factor: Number | None = None
    divisor: Number | None = None
    """Set where the author wrote what to divide by; then factor = 1/divisor."""

    @property
    def is_default(self) -> bool:
        return self.factor is None

    @property
    def is_none(self) -> bool:
        return self.factor == Number.of(1)


DEFAULT_SCALE: Final = Scale()
NO_SCALE: Final = Scale(Number.of(1))


@dataclass(frozen=True, slots=True)
class Mask:
    """What is added to the scaled scores: B, n×m, of 0, −∞ or exact biases; None adds nothing."""

    kind: Literal["none", "causal", "padding", "matrix", "bias"] = "none"
    B: Given | None = None


NO_MASK: Final = Mask()


@dataclass(frozen=True, slots=True)
class HeadGiven:
    """What is given for one head; whatever is None is computed or does not occur.

    W_Q, W_K d_model×d_k, W_V d_model×d_v with biases b_Q, b_K 1×d_k, b_V 1×d_v; or Q n×d_k,
    K m×d_k, V m×d_v directly; or only the scores S n×m.
    """

    W_Q: Given | None = None
    W_K: Given | None = None
    W_V: Given | None = None
    b_Q: Given | None = None
    b_K: Given | None = None
    b_V: Given | None = None
    Q: Given | None = None
    K: Given | None = None
    V: Given | None = None
    S: Given | None = None


@dataclass(frozen=True)
class Problem:
    """A whole problem that fits together. Make one with `checked` or `symattn.problem_of`."""

    tokens: tuple[str, ...]
    tokens_kv: tuple[str, ...]
    heads: tuple[HeadGiven, ...]
    X: Given | None = None
    X_kv: Given | None = None
    mask: Mask = NO_MASK
    scale: Scale = DEFAULT_SCALE
    d_k: int | None = None
    """Only where it cannot be seen from Q or W_Q, because the scores are given."""
    W_O: Given | None = None
    zeros_if_masked: bool = False
    """A fully masked row gives zeros instead of being refused."""
    title: str = ""
    note: str = ""
    name: str = ""
    """The built-in name or file it came from, printed in the footer."""
    convention: Convention = ROWS

    @property
    def is_cross(self) -> bool:
        """Whether keys and values come from another sequence than the queries."""
        return self.X_kv is not None or self.tokens_kv != self.tokens


def checked(problem: Problem) -> Problem:
    """The problem with its tokens named and every shape checked; InputError where it does not fit.

    Tokens that are not named get t1, t2, … (keys of another sequence s1, s2, …).
    """
    if not problem.heads:
        raise InputError("there is nothing to attend with", hint="Give W_Q, W_K and W_V.")
    several = len(problem.heads) > 1
    for index, head in enumerate(problem.heads):
        try:
            _check_head(problem, head)
        except InputError as error:
            if several:
                error.message = f"head {index + 1}: {error.message}"
            raise
    n, m = _lengths(problem, problem.heads[0])
    for index, head in enumerate(problem.heads[1:], 2):
        if _lengths(problem, head) != (n, m):
            raise InputError(
                f"head {index} has {_lengths(problem, head)} queries and keys, head 1 has {(n, m)}"
            )
    _check_output(problem)
    tokens, tokens_kv = _names(problem, n, m)
    return replace(problem, tokens=tokens, tokens_kv=tokens_kv, mask=_sized(problem.mask, n, m))


def _fits(left: Given, right: Given) -> None:
    """left · right must be a product (inside: tokens are rows, W on the right)."""
    if left.shape[1] != right.shape[0]:
        rows = right.shape[0]
        inside = "columns" if not left.transposed else "rows"
        outside = "rows" if not right.transposed else "columns"
        raise InputError(
            f"{right.name} has {rows} {outside} but {left.name} has {left.shape[1]} {inside}: "
            f"{left.size} · {right.size} does not fit",
            place=right.place,
            hint=f"Make both numbers the same: change {right.name} or {left.name}.",
        )


def _same(left: Given, axis: int, right: Given, other: int, what: str) -> None:
    if left.shape[axis] != right.shape[other]:
        raise InputError(
            f"{left.size} and {right.size} do not fit: {what} "
            f"({left.shape[axis]} and {right.shape[other]})",
            place=right.place,
        )


def _check_head(problem: Problem, head: HeadGiven) -> None:
    X, X_kv = problem.X, problem.X_kv or problem.X
    for letter, source in (("Q", X), ("K", X_kv), ("V", X_kv)):
        W: Given | None = getattr(head, f"W_{letter}")
        b: Given | None = getattr(head, f"b_{letter}")
        direct: Given | None = getattr(head, letter)
        if W and direct:
            raise InputError(
                f"both {direct.name} and {W.name} are given",
                place=direct.place,
                hint=f"Keep one of them: {letter} is either given or computed.",
            )
        if W and not source:
            raise InputError(
                f"{W.name} is given, but there is no X to multiply it with",
                place=W.place,
                hint=f"Add X, or give {letter} directly.",
            )
        if W and source:
            _fits(source, W)
        if b and not W:
            raise InputError(f"{b.name} is given without W_{letter}", place=b.place)
        if b and W and (b.shape[0] != 1 or b.shape[1] != W.shape[1]):
            raise InputError(
                f"{b.size} does not fit {W.size}: a bias is one row of {W.shape[1]} numbers",
                place=b.place,
            )
    if head.S:
        extra = [g.name for g in (head.Q, head.K, head.W_Q, head.W_K) if g]
        if extra:
            raise InputError(
                f"the scores S are given together with {', '.join(extra)}",
                place=head.S.place,
                hint="Keep S, or what it is computed from.",
            )
        if problem.scale.is_default and not problem.d_k:
            raise InputError(
                "only the scores S are given, so d_k is not known",
                place=head.S.place,
                hint='Add "d_k: 3" (the key width), or "scale: none".',
            )
        source_v = head.V or (X_kv if head.W_V else None)
        if source_v:
            _same(head.S, 1, source_v, 0, "one column of S for each value row")
        return
    for letter in "QK":
        if not (getattr(head, letter) or getattr(head, f"W_{letter}")):
            have = sorted(name for name in head.__slots__ if getattr(head, name))
            raise InputError(
                f"neither {letter} nor W_{letter} is given",
                hint=f"Add W_{letter} (or {letter} itself, or the scores S)."
                + (f" Given so far: {', '.join(have)}." if have else ""),
            )
    queries, keys = head.Q or head.W_Q, head.K or head.W_K
    assert queries and keys
    _same(queries, 1, keys, 1, "queries and keys need the same width d_k")
    source_k = head.K or X_kv
    source_v = head.V or (X_kv if head.W_V else None)
    if source_k and source_v:
        _same(source_k, 0, source_v, 0, "each key needs one value")


def _lengths(problem: Problem, head: HeadGiven) -> tuple[int, int]:
    """n queries and m keys of a head that passed `_check_head`."""
    if head.S:
        return head.S.shape
    queries = head.Q or problem.X
    keys = head.K or problem.X_kv or problem.X
    assert queries and keys
    return queries.shape[0], keys.shape[0]


def _value_width(head: HeadGiven) -> int | None:
    value = head.V or head.W_V
    return value.shape[1] if value else None


def _check_output(problem: Problem) -> None:
    widths = [_value_width(head) for head in problem.heads]
    if None in widths and (problem.W_O or len(widths) > 1):
        raise InputError(
            "the outputs are to be joined, but a head has no V",
            hint="Give V or W_V for each head.",
        )
    joined = sum(width or 0 for width in widths)
    if problem.W_O and problem.W_O.shape[0] != joined:
        n = len(problem.tokens) or "n"
        raise InputError(
            f"{problem.W_O.size} does not fit: C ({n}×{joined}), the heads side by side, needs "
            f"{joined} rows in W_O",
            place=problem.W_O.place,
        )


def _names(problem: Problem, n: int, m: int) -> tuple[tuple[str, ...], tuple[str, ...]]:
    tokens = problem.tokens or tuple(f"t{i + 1}" for i in range(n))
    if len(tokens) != n:
        raise InputError(
            f"there are {len(tokens)} tokens but {n} queries",
            place=Place(matrix="tokens"),
            hint="Give one token for each row.",
        )
    alone = not problem.X_kv and n == m
    tokens_kv = problem.tokens_kv or (tokens if alone else tuple(f"s{i + 1}" for i in range(m)))
    if len(tokens_kv) != m:
        raise InputError(
            f"there are {len(tokens_kv)} tokens_kv but {m} keys",
            place=Place(matrix="tokens_kv"),
            hint="Give one token for each key.",
        )
    return tokens, tokens_kv


def _sized(mask: Mask, n: int, m: int) -> Mask:
    if mask.B and mask.B.shape != (n, m):
        raise InputError(
            f"the mask is {mask.B.shape[0]}×{mask.B.shape[1]}, the scores are {n}×{m}",
            place=mask.B.place,
            hint="A mask has one row for each query and one column for each key.",
        )
    return mask


def mask_matrix(visible: Sequence[Sequence[bool]], *, transposed: bool = False) -> Given:
    """B with 0 where a key is visible and −∞ where it is not."""
    zero = Number.of(0)
    rows = [[zero if cell else MINUS_INFINITY for cell in row] for row in visible]
    return Given("B", Matrix.of(rows), transposed=transposed)


def causal_mask(n: int, m: int, *, corner: Literal["top-left", "bottom-right"]) -> Mask:
    """Query i sees keys up to its own position, counted from the given corner."""
    shift = m - n if corner == "bottom-right" else 0
    return Mask("causal", mask_matrix([[j <= i + shift for j in range(m)] for i in range(n)]))


def padding_mask(n: int, visible: Sequence[bool]) -> Mask:
    """Every query sees the same keys."""
    return Mask("padding", mask_matrix([visible] * n))
