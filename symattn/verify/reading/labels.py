"""Names in one spelling, from their tokens."""

from __future__ import annotations

from collections.abc import Sequence

from symattn.verify.reading.tokens import Token


def label_of(tokens: Sequence[Token]) -> str:
    """A name in one spelling: QK^T/sqrt(d_k), s_{12}, softmax(Z)."""
    out: list[str] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "command" and token.text == "frac":
            top, k = _grouped(tokens, k + 1)
            bottom, k = _grouped(tokens, k)
            out.append(f"{_braced(top)}/{_braced(bottom)}")
            continue
        if token.kind == "command" and token.text == "sqrt":
            inner, k = _grouped(tokens, k + 1)
            out.append(f"sqrt({inner})")
            continue
        if token.text in ("^", "_") and k + 1 < len(tokens):
            inner, k = _grouped(tokens, k + 1)
            inner = "T" if inner in ("⊤", "T", "\\intercal", "^T") else inner
            out.append(token.text + (inner if len(inner) == 1 else f"{{{inner}}}"))
            continue
        if token.text == "⊤":
            out.append("^T")
        elif token.kind == "matrix":
            out.append("[…]")
        elif token.kind not in ("open", "close"):
            before = tokens[k - 1].text if k else ""
            words = before[-1:].isalnum() and max(len(before), len(token.text)) > 1
            space = " " if token.spaced and words else ""  # QKᵀ is one name, "then Q" is two.
            out.append(space + token.text)
        k += 1
    return "".join(out).strip()


def _grouped(tokens: Sequence[Token], k: int) -> tuple[str, int]:
    """The label of the group or token at k, and the place after it."""
    if k >= len(tokens):
        return "", k
    if tokens[k].kind != "open":
        return label_of(tokens[k : k + 1]), k + 1
    depth, start = 0, k
    while k < len(tokens):
        depth += {"open": 1, "close": -1}.get(tokens[k].kind, 0)
        k += 1
        if not depth:
            break
    return label_of(tokens[start + 1 : k - 1]), k


def _braced(label: str) -> str:
    return f"({label})" if any(c in label for c in "+- ") else label
