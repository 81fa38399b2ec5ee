"""The whole method on one page: Attention(Q, K, V) = softmax(Q Kᵀ / √d_k + B) V."""

from __future__ import annotations

from symattn.derivation import Derivation, Head, RuleBook, Stage
from symattn.errors import InputError, Place
from symattn.exact.mixture import MaskedRow
from symattn.problem import HeadGiven, Problem
from symattn.steps import CORRECT


def derive(problem: Problem, by: RuleBook = CORRECT) -> Derivation:
    """Every stage of the problem, exactly. InputError where a row is masked everywhere.

    Vaswani et al., "Attention is all you need" (2017), sections 3.2.1 and 3.2.2.
    """
    heads = tuple(attend(problem, given, by) for given in problem.heads)
    outputs = [head.O for head in heads if head.O]
    C = by.concat("C", *outputs) if len(outputs) > 1 else None
    Y = by.output("Y", C or outputs[0], problem.W_O) if problem.W_O else None
    return Derivation(problem, heads, C, Y)


def attend(problem: Problem, given: HeadGiven, by: RuleBook) -> Head:
    """One head."""
    X = problem.X
    X_kv = problem.X_kv or X
    B = problem.mask.B

    Q: Stage | None = given.Q or (given.W_Q and by.query("Q", X, given.W_Q, given.b_Q))
    K: Stage | None = given.K or (given.W_K and by.key("K", X_kv, given.W_K, given.b_K))
    V: Stage | None = given.V or (given.W_V and by.value("V", X_kv, given.W_V, given.b_V))
    S = given.S or by.score("S", Q, K)
    Z = by.scale("Z", S, K, scale=problem.scale, d_k=problem.d_k)
    M = by.mask("M", Z, B) if B else Z
    try:
        A = by.softmax("A", M, zeros=problem.zeros_if_masked)
    except MaskedRow as error:
        place = B.place if B else Place(matrix="S")
        raise InputError(
            f"row {error.row + 1} ({problem.tokens[error.row]}) may not look at any key, "
            "so its softmax would be 0/0",
            place=place,
            hint="Let it see a key, or say that such rows give zeros (fully_masked: zeros).",
        ) from None
    O = by.mix("O", A, V) if V else None  # noqa: E741  (the letter of the paper)
    return Head(Q, K, V, S, Z, M, A, O)
