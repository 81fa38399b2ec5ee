"""The catalogue of mistakes: each law once in exact numbers, once in floats, once in NumPy."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from symattn import derive, problem_of
from symattn import misconceptions as catalogue
from symattn.derivation import Derivation, Stage
from symattn.exact.matrix import MinusInfinity
from symattn.exact.rounding import Rounding
from symattn.misconceptions import ALL, Misconception
from symattn.misconceptions.differs import first_difference
from symattn.misconceptions.stages import Stages, in_floats
from symattn.problem import Problem

RNG = np.random.default_rng(4)
INF = np.inf


def drawn(*shape: int) -> np.ndarray:
    return RNG.integers(-2, 3, shape)


def given(n: int, d_model: int, d_k: int, d_v: int, **more: Any) -> dict[str, Any]:
    W = {"W_Q": drawn(d_model, d_k), "W_K": drawn(d_model, d_k), "W_V": drawn(d_model, d_v)}
    return {"X": drawn(n, d_model), **W, **more}


HIDING = [[0, 0, "-inf"], [0, "-inf", 0], [0, 0, 0]]
PROBLEMS: dict[str, dict[str, Any]] = {
    "plain": given(4, 5, 3, 2),
    "square": given(3, 3, 3, 3),
    "causal": given(3, 4, 2, 5, mask="causal"),
    "mask": given(3, 4, 2, 5, mask=HIDING),
    "bias": given(3, 4, 2, 5, mask={"bias": [[1, 0, 2], [0, 3, 0], [-1, 0, 1]]}),
    "biases": given(3, 4, 2, 5, b_Q=[[1, 2]], b_K=[[-1, 1]], b_V=[[1, 0, 2, 3, 1]]),
    "cache": {
        "Q": drawn(2, 3), "K": drawn(4, 3), "V": drawn(4, 2),
        "mask": [[0, 0, 0, "-inf"], [0, 0, 0, 0]],
    },
    "scores": {"S": [[1, 4, 2], [3, 0, -1], [2, 2, 5]], "V": drawn(3, 2), "d_k": 4},
    "heads": {
        "X": drawn(3, 4),
        "heads": [{f"W_{x}": drawn(4, 2) for x in "QKV"} for _ in range(2)],
    },
    "projected": {
        "X": drawn(3, 4),
        "heads": [{f"W_{x}": drawn(4, 2) for x in "QKV"} for _ in range(2)],
        "W_O": drawn(4, 4),
    },
}  # fmt: skip


def made(name: str) -> Problem:
    return problem_of(**PROBLEMS[name])


def array(stage: Stage | None) -> np.ndarray:
    """A stage to 20 figures, as doubles."""
    assert stage is not None
    if stage.value.shape == (0, 0):
        return np.zeros((0, 0))
    rows = stage.value.rounded(Rounding(figures=20))
    return np.array(
        [[-INF if isinstance(c, MinusInfinity) else float(c.fraction) for c in row] for row in rows]
    )


class Right:
    """A right derivation in NumPy, from the givens alone."""

    def __init__(self, name: str, head: int = 0) -> None:
        given = PROBLEMS[name]
        own = given["heads"][head] if "heads" in given else given
        self.X = np.array(given["X"], float) if "X" in given else np.zeros((0, 0))
        W = {x: np.array(own[f"W_{x}"], float) for x in "QKV" if f"W_{x}" in own}
        self.W_Q, self.W_K, self.W_V = (W.get(x, np.zeros((0, 0))) for x in "QKV")
        b = {x: np.array(own.get(f"b_{x}", 0), float) for x in "QKV"}
        self.b = b
        self.Q, self.K, self.V = (
            self.X @ W[x] + b[x] if x in W else np.array(own.get(x, [[0]]), float) for x in "QKV"
        )
        self.S = np.array(own["S"], float) if "S" in own else self.Q @ self.K.T
        self.n, self.m = self.S.shape
        self.d_k = own.get("d_k", self.Q.shape[1])
        self.Z = self.S / np.sqrt(self.d_k)
        self.B = np.zeros(self.S.shape)
        match given.get("mask"):
            case "causal":
                self.B[np.triu_indices(self.n, 1)] = -INF
            case {"bias": bias}:
                self.B = np.array(bias, float)
            case list(rows):
                self.B = np.array([[float(x) for x in row] for row in rows])
        self.hidden = self.B == -INF
        self.M = self.Z + self.B
        self.E = np.exp(self.M)
        self.A = self.E / self.E.sum(1, keepdims=True)
        self.O = self.A @ self.V
        self.name = name

    @property
    def outputs(self) -> list[np.ndarray]:
        return [Right(self.name, k).O for k in range(len(PROBLEMS[self.name].get("heads", [0])))]

    @property
    def C(self) -> np.ndarray:
        return np.hstack(self.outputs)

    @property
    def W_O(self) -> np.ndarray:
        return np.array(PROBLEMS[self.name]["W_O"], float)


def share(E: np.ndarray, axis: int | None = 1) -> np.ndarray:
    return E / E.sum(axis, keepdims=True)


def pick(r: Right, law: Callable[[Right, str], np.ndarray]) -> dict[str, np.ndarray]:
    return {x: law(r, x) for x in "QKV"}


def W(r: Right, x: str) -> np.ndarray:
    return getattr(r, f"W_{x}")


def masked(r: Right, hidden: np.ndarray) -> np.ndarray:
    return np.where(hidden, -INF, r.Z)


ORACLE: dict[str, Callable[[Right], np.ndarray]] = {
    "project-no-bias-q": lambda r: r.X @ r.W_Q,
    "project-no-bias-k": lambda r: r.X @ r.W_K,
    "project-no-bias-v": lambda r: r.X @ r.W_V,
    "project-w-transposed": lambda r: r.X @ r.W_Q.T,
    "project-elementwise": lambda r: r.X * r.W_Q,
    "project-w-left": lambda r: r.W_Q @ r.X,
    "project-not-q": lambda r: r.X,
    "project-not-k": lambda r: r.X,
    "project-not-v": lambda r: r.X,
    "score-no-transpose": lambda r: r.Q @ r.K,
    "score-ktq": lambda r: r.K.T @ r.Q,
    "score-transposed": lambda r: r.K @ r.Q.T,
    "score-qqt": lambda r: r.Q @ r.Q.T,
    "score-kkt": lambda r: r.K @ r.K.T,
    "score-elementwise": lambda r: r.Q * r.K,
    "scale-none": lambda r: r.S,
    "scale-by-dk": lambda r: r.S / r.d_k,
    "scale-times": lambda r: r.S * r.d_k**0.5,
    "scale-by-two": lambda r: r.S / 2,
    "scale-by-root-dmodel": lambda r: r.S / r.X.shape[1] ** 0.5,
    "scale-by-dmodel": lambda r: r.S / r.X.shape[1],
    "scale-by-root-n": lambda r: r.S / r.n**0.5,
    "scale-by-n": lambda r: r.S / r.n,
    "scale-after": lambda r: share(np.where(r.hidden, 0, np.exp(r.S))) / r.d_k**0.5,
    "mask-none": lambda r: r.Z,
    "mask-multiplied": lambda r: np.where(r.hidden, 0, r.Z),
    "mask-added-boolean": lambda r: r.Z + ~r.hidden,
    "mask-minus-one": lambda r: r.Z - r.hidden,
    "mask-flipped": lambda r: masked(r, ~r.hidden),
    "mask-strict": lambda r: masked(r, np.tri(r.n, r.m, r.m - r.n - 1) == 0),
    "mask-transposed": lambda r: masked(r, r.hidden.T),
    "mask-other-corner": lambda r: masked(r, np.tri(r.n, r.m) == 0),
    "mask-bias-sign": lambda r: r.Z - r.B,
    "mask-after": lambda r: np.where(r.hidden, 0, share(np.exp(r.Z))),
    "softmax-columns": lambda r: share(r.E, 0),
    "softmax-global": lambda r: share(r.E, None),
    "softmax-no-exponential": lambda r: share(np.where(r.hidden, 0, r.M)),
    "softmax-not-normalised": lambda r: r.E,
    "softmax-base-two": lambda r: share(2.0**r.M),
    "softmax-hard": lambda r: np.eye(r.m)[r.M.argmax(1)],
    "softmax-sigmoid": lambda r: 1 / (1 + np.exp(-r.M)),
    "softmax-by-maximum": lambda r: np.exp(r.M - r.M.max(1, keepdims=True)),
    "softmax-maximum-once": lambda r: (
        np.exp(r.M - r.M.max(1, keepdims=True)) / r.E.sum(1, keepdims=True)
    ),
    "softmax-transposed": lambda r: r.A.T,
    "mix-keys": lambda r: r.A @ r.K,
    "mix-queries": lambda r: r.A @ r.Q,
    "mix-embeddings": lambda r: r.A @ r.X,
    "mix-transposed": lambda r: r.A.T @ r.V,
    "mix-wrong-side": lambda r: r.V @ r.A,
    "mix-elementwise": lambda r: r.A * r.V,
    "mix-largest": lambda r: r.V[r.M.argmax(1)],
    "mix-mean": lambda r: np.tile(r.V.mean(0), (r.n, 1)),
    "mix-sum": lambda r: np.tile(r.V.sum(0), (r.n, 1)),
    "mix-own-value": lambda r: r.V,
    "heads-mean": lambda r: sum(r.outputs) / 2,
    "heads-sum": lambda r: np.array(sum(r.outputs)),
    "heads-order": lambda r: np.hstack(r.outputs[::-1]),
    "heads-reshaped": lambda r: np.stack(r.outputs).reshape(r.C.shape),
    "output-not-projected": lambda r: r.C,
    "output-w-transposed": lambda r: r.C @ r.W_O.T,
    "output-first-head": lambda r: r.outputs[0] @ r.W_O[: r.outputs[0].shape[1]],
}


def applying() -> list[Any]:
    pairs = []
    for row in ALL:
        for name in PROBLEMS:
            if row.applies(in_floats(made(name))[0]):
                pairs.append(pytest.param(row, name, id=f"{row.tag} {name}"))
    return pairs


def stage(derivation: Derivation, letter: str) -> Stage:
    if letter in "CY":
        return derivation.stage(letter)
    return derivation.stage(letter, 1 if len(derivation.heads) > 1 else None)


def close(a: Any, b: Any) -> bool:
    a, b = np.array(a, float), np.array(b, float)
    return a.shape == b.shape and bool(np.allclose(a, b, rtol=1e-9, atol=1e-9))


@pytest.mark.parametrize(("row", "name"), applying())
def test_each_law_says_the_same_in_exact_numbers_in_floats_and_in_numpy(
    row: Misconception, name: str
) -> None:
    wrong = derive(made(name), row.book)
    right = in_floats(made(name))[0]
    expected = ORACLE[row.tag](Right(name))
    if row.tag == "mask-after":  # Its mark shows in the weights; its masked scores are Z.
        assert close(array(stage(wrong, "A")), expected)
        expected = Right(name).Z
    assert close(array(stage(wrong, row.letter)), expected)
    assert close(row.rows(right, row.letter), expected)


@pytest.mark.parametrize(("row", "name"), applying())
def test_each_mistake_is_followed_to_the_answer(row: Misconception, name: str) -> None:
    wrong = derive(made(name), row.book)
    answer = array(wrong.answer)
    assert np.isfinite(answer).all()
    right = array(derive(made(name)).answer)
    unseen = answer.shape == right.shape and close(answer, right)
    # Without its bias every key of a query scores less by the same: the softmax does not see it.
    assert unseen is (row.tag == "project-no-bias-k")


@pytest.mark.parametrize(("row", "name"), applying())
def test_the_first_difference_is_where_the_matrices_differ(row: Misconception, name: str) -> None:
    right = in_floats(made(name))[0]
    letter = row.letter
    wrong, correct = row.rows(right, letter), right.rows[letter]
    found = first_difference(row, right, letter, 0.01)
    if np.shape(wrong) != np.shape(correct):
        assert found == (0, 0)
        return
    with np.errstate(invalid="ignore"):
        far = np.argwhere(~(np.abs(np.subtract(wrong, correct)) <= 0.01))
    hidden = {(i, j) for i, j in far if wrong[i][j] == correct[i][j]}
    expected = [(int(i), int(j)) for i, j in far if (i, j) not in hidden]
    assert found == (expected[0] if expected else None)


def test_every_mistake_can_be_made_somewhere() -> None:
    assert {param.values[0].tag for param in applying()} == {row.tag for row in ALL} == set(ORACLE)
    assert len(ALL) >= 45


def test_every_row_is_registered_once_and_asks_a_question() -> None:
    found = []
    for module in pkgutil.iter_modules(catalogue.__path__):
        constants = vars(importlib.import_module(f"{catalogue.__name__}.{module.name}")).values()
        found += [each for each in constants if isinstance(each, Misconception)]
    assert sorted(map(id, found)) == sorted(map(id, ALL))
    assert len({row.tag for row in ALL}) == len(ALL)
    for row in ALL:
        assert row.hint.endswith("?"), row.tag
        assert row.title[0].islower() or row.title[0] in "KQVXWA−", row.tag
        assert row.seen


def test_a_mistake_that_divides_by_nothing_does_not_apply() -> None:
    zero_sum = problem_of(S=[[1, -1], [2, 3]], V=[[1], [2]], scale="none")
    (right,) = in_floats(zero_sum)
    assert not catalogue.BY_TAG["softmax-no-exponential"].applies(right)


def test_letters_have_no_floats() -> None:
    with pytest.raises(ValueError, match="letter"):
        in_floats(problem_of(Q=[["a", 1]], K=[[1, 2]], V=[[1]]))


def test_surds_and_logarithms_are_known_in_floats() -> None:
    (head,) = in_floats(problem_of(S=[["sqrt(2)", "ln(3)"]], V=[["1/3"], [2]], scale="none"))
    assert isinstance(head, Stages)
    assert close(head.S, [[2**0.5, np.log(3)]])
    assert close(head.V, [[1 / 3], [2]])
