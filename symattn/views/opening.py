"""The top of a worked solution: the law, a table of symbols and shapes, and what is given."""

from __future__ import annotations

from typing import Final

from symattn.document import Block, Heading, Math, Para, Table
from symattn.formula import (
    Call,
    Formula,
    Frac,
    Paren,
    Root,
    Sub,
    Sym,
    Words,
    factor,
    joined,
    num,
    seq,
    transpose,
)
from symattn.notation import stage_symbol
from symattn.problem import Given
from symattn.steps.scale import D_K
from symattn.views.paper import Paper

MEANINGS: Final = (
    ("X", "embeddings, one {line} for each token", ("n", "d_model")),
    ("X_kv", "embeddings of the sequence that is looked at", ("m", "d_model")),
    ("W_Q", "turns an embedding into a query", ("d_model", "d_k")),
    ("W_K", "turns an embedding into a key", ("d_model", "d_k")),
    ("W_V", "turns an embedding into a value", ("d_model", "d_v")),
    ("b_Q", "bias added to each query", ("1", "d_k")),
    ("b_K", "bias added to each key", ("1", "d_k")),
    ("b_V", "bias added to each value", ("1", "d_v")),
    ("Q", "queries: what each token looks for", ("n", "d_k")),
    ("K", "keys: what each token offers", ("m", "d_k")),
    ("V", "values: what each token passes on", ("m", "d_v")),
    ("S", "scores: every query against every key", ("n", "m")),
    ("Z", "scaled scores", ("n", "m")),
    ("B", "what the mask adds", ("n", "m")),
    ("M", "masked scores", ("n", "m")),
    ("A", "weights: each {line} sums to 1", ("n", "m")),
    ("O", "output: values mixed by the weights", ("n", "d_v")),
    ("C", "outputs of the heads side by side", ("n", "h·d_v")),
    ("W_O", "output projection", ("h·d_v", "d_model")),
    ("Y", "the answer", ("n", "d_model")),
)
"""Every symbol in reading order: what it means, and its shape with tokens as rows."""


def attention_law(paper: Paper) -> Formula:
    """Attention(Q, K, V) = softmax(Q Kᵀ/√d_k + B) V, as this problem has it."""
    rows = paper.convention.tokens == "rows"
    q, k, v = Sym("Q"), Sym("K"), Sym("V")
    scale = paper.problem.scale
    inner: Formula = seq(q, transpose(k)) if rows else seq(transpose(k), q)
    if paper.problem.heads[0].S:
        inner = Sym("S")
    if scale.factor is None:
        inner = Frac(inner, Root(D_K))
    elif scale.divisor is not None:
        inner = Frac(inner, paper.writing.number(scale.divisor))
    elif not scale.is_none:
        inner = seq(factor(paper.writing.number(scale.factor)), inner)
    if paper.problem.mask.B:
        inner = seq(inner, "+", Sym("B"))
    softmax = Call("softmax", inner)
    result: Formula = seq(softmax, v) if rows else seq(v, softmax)
    if not paper.derivation.heads[0].V:
        result = softmax
    if paper.problem.heads[0].S:
        return seq(paper.writing.symbol(paper.derivation.answer.name), "=", result)
    return seq(Words("Attention"), Paren(joined(",", [q, k, v])), "=", result)


def symbols(paper: Paper) -> Table:
    """The symbols that occur: what each means, its shape here and in general."""
    shapes = _shapes(paper)
    rows = []
    for name, meaning, general in MEANINGS:
        if name in shapes and not (name == "Z" and paper.problem.scale.is_none):
            here, sides = shapes[name], [_dimension(side) for side in general]
            if paper.turned(name):
                here, sides = here[::-1], sides[::-1]
            rows.append(
                (
                    (Math(stage_symbol(name)),),
                    (meaning.format(line=paper.convention.line),),
                    (Math(seq(num(here[0]), "×", num(here[1]))),),
                    (Math(seq(sides[0], "×", sides[1])),),
                )
            )
    return Table((("Symbol",), ("Meaning",), ("Here",), ("In general",)), tuple(rows))


def _shapes(paper: Paper) -> dict[str, tuple[int, int]]:
    derivation, problem = paper.derivation, paper.problem
    found = {name: stage.shape for name, stage in derivation.heads[0]}
    head = problem.heads[0]
    shared = {"X": problem.X, "X_kv": problem.X_kv, "B": problem.mask.B, "W_O": problem.W_O}
    own = {name: getattr(head, name) for name in head.__slots__}
    joined_up = {"C": derivation.joined, "Y": derivation.projected}
    return found | {k: v.shape for k, v in (own | shared | joined_up).items() if v}


def _dimension(name: str) -> Formula:
    """n, d_k, d_model, h·d_v."""
    if "·" in name:
        return seq(*map(_dimension, name.split("·")))
    base, _, index = name.partition("_")
    stem: Formula = num(base) if base.isdigit() else Sym(base)
    return Sub(stem, Words(index) if len(index) > 1 else Sym(index)) if index else stem


def given(paper: Paper) -> list[Block]:
    """The given matrices, as many side by side as fit."""
    problem = paper.problem
    blocks: list[Block] = [Heading(1, ("Given",))]
    if problem.note:
        blocks.append(Para((problem.note,)))
    blocks += paper.beside([named(paper, g) for g in (problem.X, problem.X_kv) if g])
    for number, head in enumerate(problem.heads, 1):
        own = paper.for_head(number)
        matrices = [getattr(head, name) for name in head.__slots__]
        blocks += own.beside([named(own, matrix) for matrix in matrices if matrix])
    blocks += paper.beside([named(paper, g) for g in (problem.mask.B, problem.W_O) if g])
    return blocks


def named(paper: Paper, given: Given) -> Formula:
    """A given matrix with its letter."""
    symbol = paper.writing.symbol(given.name)
    room = paper.options.page.width - paper.width(seq(symbol, "="))
    return seq(symbol, "=", paper.grid(given.name, given.shape, paper.exact_cell(given), room=room))
