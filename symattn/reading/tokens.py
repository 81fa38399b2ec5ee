"""Typed mathematics -> tokens. Strict: a character that is not known is refused, with its place."""

from __future__ import annotations

import unicodedata
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal, NoReturn

from symattn.errors import InputError, Place
from symattn.reading.bounded import MOST_BITS

LONGEST: Final = 200
"""Characters in one expression."""

Kind = Literal["number", "letter", "function", "sign", "end"]


@dataclass(frozen=True, eq=False, slots=True)
class Token:
    kind: Kind
    text: str
    """The sign, the function's name or the letter's name, in one spelling."""
    start: int
    spaced: bool
    """Whether a space stands before it."""
    value: Fraction = Fraction(0)
    """Of a number."""


GREEK: Final = {
    "α": "alpha", "β": "beta", "γ": "gamma", "δ": "delta", "ε": "epsilon", "ζ": "zeta",
    "η": "eta", "θ": "theta", "ι": "iota", "κ": "kappa", "λ": "lambda", "μ": "mu", "ν": "nu",
    "ξ": "xi", "ρ": "rho", "σ": "sigma", "τ": "tau", "υ": "upsilon", "φ": "phi", "χ": "chi",
    "ψ": "psi", "ω": "omega", "ϵ": "epsilon", "ϑ": "theta", "ϕ": "phi", "ϱ": "rho",
    "ς": "sigma", "µ": "mu",
}  # fmt: skip
"""Greek letters and the names under which they are known."""
FUNCTIONS: Final = {
    "sqrt": "sqrt", "cbrt": "cbrt", "root": "root", "ln": "ln", "log": "ln", "exp": "exp",
}  # fmt: skip
_SIGNS: Final = dict(zip("+-*/^(),√∛∜", "+-*/^(),√∛∜", strict=True)) | {
    "−": "-", "–": "-", "·": "*", "×": "*", "⋅": "*", "∙": "*", "÷": "/", "∕": "/", "⁄": "/",
}  # fmt: skip
_FRACTIONS: Final = {
    "½": (1, 2), "⅓": (1, 3), "⅔": (2, 3), "¼": (1, 4), "¾": (3, 4), "⅕": (1, 5), "⅖": (2, 5),
    "⅗": (3, 5), "⅘": (4, 5), "⅙": (1, 6), "⅚": (5, 6), "⅐": (1, 7), "⅛": (1, 8), "⅜": (3, 8),
    "⅝": (5, 8), "⅞": (7, 8), "⅑": (1, 9), "⅒": (1, 10),
}  # fmt: skip
_SUPERSCRIPTS: Final = str.maketrans("⁰¹²³⁴⁵⁶⁷⁸⁹", "0123456789")
_SUBSCRIPTS: Final = str.maketrans("₀₁₂₃₄₅₆₇₈₉", "0123456789")
_DIGITS: Final = frozenset("0123456789")
_LETTERS: Final = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")
_INFINITE: Final = frozenset(("inf", "infinity", "oo"))


def refuse(text: str, caret: int, message: str, hint: str = "") -> NoReturn:
    """Raise an InputError that points at a character of the typed text."""
    raise InputError(message, place=Place(typed=shown(text), caret=caret), hint=hint)


def shown(text: str) -> str:
    """The text on one line, each character in its place, as a message shows it."""
    return "".join(c if c.isprintable() else " " for c in text[: 2 * LONGEST])


def tokens(text: str) -> list[Token]:
    """The tokens of the text, closed by an "end". InputError with a caret for anything unknown."""
    if len(text) > LONGEST:
        refuse(
            text,
            0,
            f"the expression has {len(text)} characters, at most {LONGEST} are read",
            "Write a shorter one, or work part of it out.",
        )
    found: list[Token] = []
    at, spaced = 0, False
    while at < len(text):
        character = text[at]
        if character.isspace():
            at, spaced = at + 1, True
            continue
        if character in _DIGITS or (character == "." and text[at + 1 : at + 2] in _DIGITS):
            end, value = _number(text, at)
            found.append(Token("number", text[at:end], at, spaced, value))
        elif character in _FRACTIONS:
            end = at + 1
            found.append(Token("number", character, at, spaced, Fraction(*_FRACTIONS[character])))
        elif character in _LETTERS or character in GREEK:
            end, token = _word(text, at, spaced)
            found.append(token)
        elif text.startswith("**", at):
            end = at + 2
            found.append(Token("sign", "^", at, spaced))
        elif character in _SIGNS:
            end = at + 1
            found.append(Token("sign", _SIGNS[character], at, spaced))
        elif character in "⁻⁰¹²³⁴⁵⁶⁷⁸⁹":
            end = _superscript(text, at, found)
        else:
            _unknown_character(text, at)
        at, spaced = end, False
    found.append(Token("end", "", len(text), spaced))
    return found


def _run(text: str, at: int, allowed: frozenset[str]) -> int:
    while at < len(text) and text[at] in allowed:
        at += 1
    return at


def _number(text: str, start: int) -> tuple[int, Fraction]:
    """A decimal number from `start`: its end and its exact value."""
    at = _run(text, start, _DIGITS)
    whole, decimals = text[start:at], ""
    if text[at : at + 1] == ".":
        end = _run(text, at + 1, _DIGITS)
        decimals, at = text[at + 1 : end], end
    if text[at : at + 1] == ".":
        refuse(text, at, "a number has only one decimal point", "Write numbers such as 1.25.")
    if text[at : at + 1] == "_" or (text[at : at + 1] == "'" and text[at + 1 : at + 2] in _DIGITS):
        refuse(text, at, "digits are not grouped here", "Write 1000, without signs between digits.")
    exponent = 0
    if text[at : at + 1] in ("e", "E"):
        digits = at + 1 + (text[at + 1 : at + 2] in ("+", "-", "−"))
        end = _run(text, digits, _DIGITS)
        if end > digits:
            if len(text[digits:end].lstrip("0")) > 4:
                refuse(text, start, "the number is too large for an exercise", "Use fewer digits.")
            exponent = int(text[digits:end]) * (-1 if text[digits - 1] in "-−" else 1)
            at = end
    if abs(exponent) * 10 > 3 * MOST_BITS:
        refuse(text, start, "the number is too large for an exercise", "Use fewer digits.")
    return at, Fraction(int(whole + decimals)) * Fraction(10) ** (exponent - len(decimals))


def _word(text: str, start: int, spaced: bool) -> tuple[int, Token]:
    """A letter with its index, or a function's name."""
    greek = text[start] in GREEK
    end = start + 1 if greek else _run(text, start, _LETTERS)
    word = GREEK[text[start]] if greek else text[start:end]
    known = len(word) == 1 or word in GREEK.values()
    if word.lower() in FUNCTIONS and not greek:
        name = FUNCTIONS[word.lower()]
        if text[end : end + 1] in _DIGITS:
            _glued_function(text, start, word, name)
        return end, Token("function", name, start, spaced)
    if word in ("e", "E") and text[end : end + 1] not in ("_", *_DIGITS):
        refuse(
            text,
            start,
            "the number e cannot be typed: it appears when the softmax is taken",
            "For a letter, choose another one.",
        )
    if not known:
        _unknown_word(text, start, word)
    index = ""
    if text[end : end + 1] == "_":
        stop = _run(text, end + 1, _DIGITS | _LETTERS)
        index = text[end + 1 : stop]
        if not index:
            refuse(text, end, "an index is missing after _", "Write letters such as w_12.")
        end = stop
    else:
        stop = _run(text, end, _DIGITS)
        if stop == end:
            stop = _run(text, end, frozenset("₀₁₂₃₄₅₆₇₈₉"))
        index, end = text[end:stop].translate(_SUBSCRIPTS), stop
    return end, Token("letter", f"{word}_{index}" if index else word, start, spaced)


def _superscript(text: str, at: int, found: list[Token]) -> int:
    """x² as the tokens of x^2."""
    digits = at + (text[at] == "⁻")
    end = _run(text, digits, frozenset("⁰¹²³⁴⁵⁶⁷⁸⁹"))
    if end == digits or not found:
        refuse(text, at, "a raised sign without a number", "Write powers such as x^2.")
    value = int(text[digits:end].translate(_SUPERSCRIPTS)) * (-1 if digits > at else 1)
    found.append(Token("sign", "^", at, False))
    found.append(Token("number", text[at:end], at, False, Fraction(value)))
    return end


def _glued_function(text: str, start: int, word: str, name: str) -> NoReturn:
    hint = f"Write {word}(…) with brackets."
    if name == "ln":
        hint = "log is the natural logarithm; the binary one of 8 is ln(8)/ln(2)."
    refuse(text, start, f"brackets are missing after {word}", hint)


def _unknown_word(text: str, start: int, word: str) -> NoReturn:
    if word.lower() == "nan":
        refuse(text, start, "NaN is not a number", "Give the number that belongs here.")
    if word.lower() in _INFINITE:
        _infinity(text, start)
    if word.lower() == "pi":
        _pi(text, start)
    names = [*FUNCTIONS, *GREEK.values()]
    import difflib

    near = difflib.get_close_matches(word.lower(), names, 1, 0.7)
    shown_word = word if len(word) <= 20 else word[:20] + "…"
    refuse(
        text,
        start,
        f'"{shown_word}" is not a number',
        f"Did you mean {near[0]}?"
        if near
        else "Write a number such as 2, 0.5, 1/2 or sqrt(3), or one letter such as a or w_12.",
    )


def _infinity(text: str, at: int) -> NoReturn:
    refuse(
        text,
        at,
        "infinity is not a number",
        "Only a mask may hold −∞ (written -inf, alone in its cell); +∞ stands nowhere.",
    )


def _pi(text: str, at: int) -> NoReturn:
    refuse(text, at, "the number π is outside what symattn can compare exactly", "Use another one.")


def _unknown_character(text: str, at: int) -> NoReturn:
    character = text[at]
    if character == "∞":
        _infinity(text, at)
    if character == "π":
        _pi(text, at)
    if text.strip().lower() in (".nan", ".inf", "-.inf", "+.inf"):
        _unknown_word(text, at, text.strip().lower().lstrip("+-."))
    if character in "[]{}":
        refuse(text, at, f"only round brackets are read, not {character}", "Write (…) instead.")
    if character == "%":
        refuse(text, at, "percent signs are not read", "Write 50/100 or 0.5 for 50%.")
    if character in "<>=":
        refuse(text, at, f"{character} does not belong in a number", "Give one number or letter.")
    name = unicodedata.name(character, f"U+{ord(character):04X}")
    sign = f"{character} ({name})" if character.isprintable() and character > "~" else character
    if not character.isprintable():
        sign = name
    refuse(text, at, f"the character {sign} is not understood", "Write numbers such as 2 or 1/2.")
