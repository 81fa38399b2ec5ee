"""Tokens that typed text and LaTeX have in common, and the signs and numbers among them.

Nothing is refused here: a character that is not known becomes a token of its own kind, and whoever
reads the tokens refuses it where it stands.
"""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, Literal

from symattn.verify.reading.refusal import refuse

LONGEST: Final = 1 << 15
"""Characters of one formula: a matrix of 64×64 numbers fits."""
DEEPEST: Final = 40
"""Brackets inside each other."""
MOST_DIGITS: Final = 60
"""Of one number."""
LARGEST_POWER_OF_TEN: Final = 308

Kind = Literal[
    "number", "word", "sign", "relation", "open", "close", "command", "matrix", "unknown", "end"
]
"""`open` and `close` are TeX's groups; `command` is a function with groups after it."""


@dataclass(frozen=True, eq=False, slots=True)
class Token:
    kind: Kind
    text: str
    start: int
    end: int
    spaced: bool = False
    """Whether a space stands before it."""
    value: Fraction = Fraction(0)
    """Of a number."""
    places: int = 0
    has_point: bool = False
    is_cut: bool = False
    is_bare: bool = False
    """Of a group or number: one sign, taken as an argument without braces."""
    is_vulgar: bool = False
    """½ and its like."""
    rows: tuple[tuple[tuple[Token, ...], ...], ...] = ()
    """Of a matrix: the tokens of each cell, closed by an "end"."""


RELATIONS: Final = {
    "=": "=", "≈": "≈", "~": "≈", "≅": "≈", "≃": "≈", "∼": "≈", "≐": "≈", "≡": "=",
    "→": "→", "⇒": "→", "⟶": "→", "↦": "→",
}  # fmt: skip
_SIGNS: Final = {c: c for c in "+-*/^_()[]{}|,.;%√∛∜<>:'\"&∞±"} | {
    "−": "-", "–": "-", "‑": "-", "·": "*", "×": "*", "⋅": "*", "∙": "*", "•": "*", "÷": "/",
    "∕": "/", "⁄": "/", "│": "|", "‖": "|", "⟨": "(", "⟩": ")", "⊤": "⊤", "ᵀ": "⊤", "¬": "¬",
}  # fmt: skip
MIDDLE_DOTS: Final = frozenset("·⋅∙•")
_VULGAR: Final = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5),
    "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8),
    "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_RAISED: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻", "0123456789+-")
_LOWERED: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DIGITS: Final = frozenset("0123456789")
_OPEN, _CLOSE = frozenset("([{"), frozenset(")]}")


def _is_letter(c: str) -> bool:
    return (c.isalpha() and c != "ᵀ") or c in "₀₁₂₃₄₅₆₇₈₉√∑"[:10]


def lex(text: str, offset: int = 0, *, latex: bool = False, spaced: bool = False) -> list[Token]:
    """The tokens of plain characters; places count from `offset`. Refusal for what is too long or
    nested too deep, and for what is no number."""
    if len(text) > LONGEST:
        refuse("too-large", offset, message=f"a formula of more than {LONGEST} characters")
    text = _narrowed(text)
    found: list[Token] = []
    at = depth = 0
    while at < len(text):
        c = text[at]
        if c.isspace() or c in "\u200b\ufeff" or (latex and c == "~"):
            at, spaced = at + 1, True
            continue
        if c in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
            at = _raised(text, at, offset, found)
        else:
            token = _token(text, at, latex)
            depth += (token.text in _OPEN) - (token.text in _CLOSE)
            if depth > DEEPEST:
                refuse("too-deep", at + offset)
            at = token.end
            if offset or spaced:
                start, end = token.start + offset, token.end + offset
                token = replace(token, start=start, end=end, spaced=spaced)
            found.append(token)
        spaced = False
    return found


def _token(text: str, at: int, latex: bool) -> Token:
    """The token that begins here, with places in this text."""
    c = text[at]
    if c in _DIGITS or (c == "." and text[at + 1 : at + 2] in _DIGITS and text[at + 1 :]):
        return _number(text, at, latex)
    if c in _VULGAR:
        return Token("number", c, at, at + 1, value=Fraction(*_VULGAR[c]), is_vulgar=True)
    if _is_letter(c) or (c == "_" and _starts_word(text, at, latex)):
        return _word(text, at, latex)
    if text.startswith(("**", "//"), at):
        return Token("sign", "^" if c == "*" else "//", at, at + 2)
    if text.startswith(("=>", "->"), at):
        return Token("relation", "→", at, at + 2)
    if text.startswith(("~=", "=="), at):
        return Token("relation", "≈" if c == "~" else "=", at, at + 2)
    if text.startswith("...", at) or c == "…":
        return Token("sign", "…", at, at + (1 if c == "…" else 3))
    if c in RELATIONS:
        return Token("relation", RELATIONS[c], at, at + 1)
    if c in _SIGNS:
        return Token("sign", _SIGNS[c], at, at + 1, is_vulgar=c in MIDDLE_DOTS)
    return Token("unknown", c, at, at + 1)


def _narrowed(text: str) -> str:
    """Full-width digits and signs as plain ones, each in its place."""
    if text.isascii():
        return text
    return "".join(unicodedata.normalize("NFKC", c) if "！" <= c <= "～" else c for c in text)


def _starts_word(text: str, at: int, latex: bool) -> bool:
    return not latex and text[at + 1 : at + 2].replace("_", "a").isalpha()


def _run(text: str, at: int, allowed: frozenset[str] = _DIGITS) -> int:
    while at < len(text) and text[at] in allowed:
        at += 1
    return at


def _number(text: str, start: int, latex: bool) -> Token:
    """A decimal number: 12, 0.5, .5, 3., 1.5e-3, 1,234.5, 0.8f."""
    at = _run(text, start)
    whole, decimals, point = text[start:at], "", False
    if not latex and (grouped := _grouped(text, start)):
        at, whole = grouped
    if text[at : at + 1] == "." and text[at + 1 : at + 3] != "..":
        end = _run(text, at + 1)
        following = text[at + 1 : at + 2] or " "
        written_out = following in "eE" and _scientific(text, at + 1, True)  # 1.e+03
        if end > at + 1 or not _is_letter(following) or _suffix(text, at + 1) or written_out:
            decimals, at, point = text[at + 1 : end], end, True
    if (
        text[at : at + 1] == "."
        and text[at + 1 : at + 2] in {".", *_DIGITS}
        and point
        and not (text.startswith("...", at))
    ):
        refuse("bad-number", start, _run(text, at, _DIGITS | {"."}))
    if text[at : at + 1] == "_" and text[at + 1 : at + 2] in _DIGITS and not latex:
        refuse("bad-number", start, at + 2, hint="Write the digits without signs between them.")
    exponent = 0
    if text[at : at + 1] in ("e", "E") and (power := _scientific(text, at, point)):
        end, digits = power
        if len(digits.lstrip("+-").lstrip("0")) > 6 or abs(int(digits)) > LARGEST_POWER_OF_TEN:
            refuse("too-large", start, end, message="a power of ten too large to be meant")
        exponent, at, point = int(digits), end, True
    elif not latex and (after := _suffix(text, at)):
        at = after
    if len(whole) + len(decimals) > MOST_DIGITS:
        refuse("too-large", start, at, message=f"a number of more than {MOST_DIGITS} digits")
    if not latex and text[start:at] == "0" and text[at : at + 1].lower() in ("x", "b", "o"):
        refuse("bad-number", start, at + 1, hint="Write the number in decimals.")
    places = len(decimals) - exponent
    value = Fraction(int((whole or "0") + decimals)) * Fraction(10) ** (exponent - len(decimals))
    token = Token("number", text[start:at], start, at, value=value, places=places, has_point=point)
    if text.startswith(("...", "…"), at):
        return replace(token, end=at + (1 if text[at] == "…" else 3), is_cut=True)
    return token


def _scientific(text: str, at: int, point: bool) -> tuple[int, str] | None:
    """The end and the digits of e-3 after a number. 2e+1 is a product with e and a sum."""
    sign = text[at + 1 : at + 2]
    digits = at + 1 + (sign in ("+", "-", "−") and sign != "")
    end = _run(text, digits)
    if end == digits or text[end : end + 1] == "^" or text[end : end + 2] == "**":
        return None
    if sign == "+" and not point and end - digits < 2:
        return None
    return end, ("-" if sign in ("-", "−") else "") + text[digits:end]


def _grouped(text: str, start: int) -> tuple[int, str] | None:
    """1,234.5 and 1,234,567: commas that can only be thousands."""
    at = _run(text, start)
    if not 1 <= at - start <= 3 or text[start] == "0":
        return None
    digits, groups = text[start:at], 0
    while text[at : at + 1] == "," and _run(text, at + 1) - at == 4:
        digits, at, groups = digits + text[at + 1 : at + 4], at + 4, groups + 1
    certain = groups > 1 or (
        groups == 1 and text[at : at + 1] == "." and text[at + 1 : at + 2] in _DIGITS
    )
    return (at, digits) if certain else None


def _suffix(text: str, at: int) -> int | None:
    """The end of C's f after a number."""
    after = text[at + 1 : at + 2]
    return (
        at + 1
        if text[at : at + 1] in ("f", "F") and not (after.isalnum() or after == "_")
        else None
    )


def _word(text: str, start: int, latex: bool) -> Token:
    """Letters, with digits and underscores in plain text: np.inf, score_12, softmax."""
    at = start
    inside = "" if latex else "_"
    while at < len(text) and (
        _is_letter(text[at])
        or (text[at] in inside)
        or (not latex and text[at] in _DIGITS)
        or (not latex and text[at] == "." and text[at + 1 : at + 2].isalpha() and at > start + 1)
    ):
        at += 1
        if at - start == 1 and text[start] in "eE" and not latex and text[at : at + 1] == "_":
            break
    return Token("word", text[start:at].translate(_LOWERED), start, at)


def _raised(text: str, start: int, offset: int, found: list[Token]) -> int:
    """x² as the tokens of x^2, the exponent as one number."""
    at = start
    while at < len(text) and text[at] in "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻":
        at += 1
    digits = text[start:at].translate(_RAISED)
    if not digits.lstrip("+-").isdigit() or len(digits) > 7 or digits.count("-") > 1:
        refuse("bad-number", start + offset, at + offset)
    found.append(Token("sign", "^", start + offset, start + offset))
    found.append(Token("number", digits, start + offset, at + offset, value=Fraction(int(digits))))
    return at
