"""What a name stands for: Q, QK^T/sqrt(d_k), "attention weights", s_{12}, Scores[0][1]."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final


@dataclass(frozen=True, slots=True)
class Meaning:
    """Stages that a name may mean, the likeliest first, with a head, a row or a cell if it says so.

    `row` and `cell` count from 0 where they were written in brackets, else from `base`.
    """

    letters: str = ""
    head: int | None = None
    row: int | None = None
    column: int | None = None
    is_exact: bool = False
    """The whole name is known, not only a word in a sentence."""


_EXACT: Final = {
    "q": "Q", "queries": "Q", "query": "Q", "xw_q": "Q", "xwq": "Q", "xw^q": "Q",
    "k": "K", "keys": "K", "key": "K", "xw_k": "K", "xwk": "K", "xw^k": "K",
    "v": "V", "values": "V", "value": "V", "xw_v": "V", "xwv": "V", "xw^v": "V",
    "s": "S", "scores": "S", "score": "S", "qk^t": "S", "qkt": "S", "qkᵀ": "S", "q@k.t": "S",
    "q·k^t": "S", "q*k^t": "S", "qk": "S", "rawscores": "S", "attentionscores": "SA",
    "similarities": "S", "dotproducts": "S", "logits": "SZ", "attnscores": "SA",
    "z": "ZO", "scaled": "Z", "scaledscores": "Z", "qk^t/sqrt(d_k)": "Z", "s/sqrt(d_k)": "Z",
    "scaledattentionscores": "Z", "scaleddotproducts": "Z", "scaledlogits": "Z",
    "m": "M", "masked": "M", "maskedscores": "M", "z+b": "M", "z+m": "M",
    "e": "E", "exp": "E", "exponentials": "E", "e^m": "E", "e^z": "E", "exp(z)": "E",
    "exp(m)": "E", "expscores": "E",
    "r": "r", "rowsum": "r", "rowsums": "r", "sum": "r", "sums": "r",
    "a": "A", "weights": "A", "attentionweights": "A", "softmax": "A", "p": "A", "alpha": "A",
    "α": "A", "attention": "AO", "attn": "A", "attnweights": "A", "probabilities": "A",
    "attentionmatrix": "A", "w": "A",
    "o": "O", "output": "OY", "outputs": "OY", "av": "O", "context": "O", "contextvectors": "O",
    "attentionoutput": "O", "attention(q,k,v)": "O", "headoutput": "O", "head": "O", "out": "OY",
    "result": "OY", "contextvector": "O",
    "c": "C", "concat": "C", "concatenated": "C", "concatenation": "C",
    "y": "Y", "mha": "Y", "finaloutput": "YO", "multihead(q,k,v)": "Y", "cw_o": "Y", "cw^o": "Y",
    "multihead": "Y", "ow_o": "Y", "multiheadoutput": "Y", "projected": "Y",
}  # fmt: skip
"""Whole names, in lower case without spaces."""

_WORDS: Final = (
    (("softmax", "weight", "probabilit", "attention matrix"), "A"),
    (("concat", "side by side"), "C"),
    (("mask",), "M"),
    (("scal", "divid", "√d", "sqrt"), "Z"),
    (("exponential", "exp("), "E"),
    (("row sum", "denominator"), "r"),
    (("output", "context", "result", "mix", "blend", "weighted sum"), "OY"),
    (("score", "similar", "dot product", "qkᵀ", "qk^t", "logit"), "S"),
    (("quer",), "Q"),
    (("key",), "K"),
    (("value",), "V"),
)
"""Words in a sentence or heading, the more telling first."""

_GIVEN: Final = {
    "x": "X", "embeddings": "X", "embedding": "X", "input": "X", "inputs": "X", "x_kv": "X_kv",
    "inputmatrix": "X", "tokenembeddings": "X", "inputembeddings": "X",
    "w_q": "W_Q", "wq": "W_Q", "w^q": "W_Q", "w_k": "W_K", "wk": "W_K", "w^k": "W_K",
    "w_v": "W_V", "wv": "W_V", "w^v": "W_V", "w_o": "W_O", "wo": "W_O", "w^o": "W_O",
    "b_q": "b_Q", "b_k": "b_K", "b_v": "b_V", "mask": "mask",
}  # fmt: skip
"""Names of what a problem gives."""

# One level of brackets only, on a short name.
_INDEXED: Final = re.compile(r"\[(\d{1,3})\](?:\[(\d{1,3})\])?$|\[(\d{1,3}), ?(\d{1,3})\]$")
_LOWERED: Final = re.compile(r"_\{?(\d)[,; ]?(\d)\}?$|_\{(\d{1,3})[,; ](\d{1,3})\}$")
_NUMBERED: Final = re.compile(r"(?:_\{?|\^\{?\(?|)(\d{1,2})\)?\}?$")
_HEAD: Final = re.compile(r"(?:head|h)[ _-]?(\d{1,2})\b", re.IGNORECASE)
LONGEST: Final = 200
_LEADING: Final = frozenset((
    "so", "then", "and", "thus", "hence", "with", "now", "therefore", "finally", "next", "also",
    "we", "get",
))  # fmt: skip
"""Words of a sentence before a name: so s₁₂ = 5."""


def given(name: str) -> str:
    """The key of a problem file that the name means, or ""."""
    return _GIVEN.get(_bare(name), "")


def meaning(name: str, *, heads: int, base: int = 1) -> Meaning:
    """What a name stands for. With several heads, Q_1 is head 1; with one, row 1."""
    text = name.strip()[:LONGEST]
    while (start := text.partition(" "))[2] and start[0].lower().rstrip(",") in _LEADING:
        text = start[2].lstrip()
    head: int | None = None
    if match := _HEAD.search(text):
        head = int(match[1])
        rest = (text[: match.start()] + text[match.end() :]).strip(" ._:-()")
        if not rest:
            return Meaning("O", head, is_exact=True)
        text = rest
    if letters := _letters(text):
        return Meaning(letters, head, is_exact=True)
    if match := _INDEXED.search(text):
        row, column = match[1] or match[3], match[2] or match[4]
        if letters := _letters(text[: match.start()]):
            return Meaning(letters, head, int(row), int(column) if column else None, True)
    if match := _LOWERED.search(text):
        row, column = match[1] or match[3], match[2] or match[4]
        if letters := _letters(text[: match.start()]):
            return Meaning(letters, head, int(row) - base, int(column) - base, True)
    match = _NUMBERED.search(text)
    if match and (letters := _letters(text[: match.start()].rstrip(" _^({"))):
        number = int(match[1])
        if heads > 1 and head is None:
            return Meaning(letters, number, is_exact=True)
        return Meaning(letters, head, number - base, None, True)
    words_in = text.split()
    if 1 < len(words_in) <= 4 and (letters := _letters(words_in[-1])):
        return Meaning(letters, head, is_exact=True)  # "Then Q", "and the weights"
    lowered = text.lower()
    for words, letters in _WORDS:
        if any(word in lowered for word in words):
            return Meaning(letters, head)
    return Meaning("", head)


def _letters(text: str) -> str:
    bare = _bare(text)
    if found := _EXACT.get(bare):
        return found
    if bare.startswith(("softmax(", "softmax{", "softmax[")):
        return "O" if bare.endswith(")v") else "A"
    if bare.startswith("concat("):
        return "Y" if bare.endswith(("w_o", "w^o", "wo")) else "C"
    top, slash, bottom = bare.partition("/")
    if slash and _EXACT.get(top.strip("()")) in ("S", "SA") and bottom:
        return "Z"
    if bare.startswith(("exp(", "e^")) and len(bare) < 20:
        return "E"
    return ""


def _bare(name: str) -> str:
    text = name.strip().strip("*`:=").lower()
    for old, new in (
        ("\\", ""),
        ("√", "sqrt"),
        ("{", ""),
        ("}", ""),
        (" ", ""),
        ("⊤", "^t"),
        ("ᵀ", "^t"),
    ):
        text = text.replace(old, new)
    text = (
        text.replace("sqrtd_k", "sqrt(d_k)")
        .replace("sqrtdk", "sqrt(d_k)")
        .replace("sqrt(dk)", "sqrt(d_k)")
    )
    if text.endswith(("matrix", "vectors", "vector")) and text not in _EXACT:
        text = text.removesuffix("matrix").removesuffix("vectors").removesuffix("vector")
    return text
