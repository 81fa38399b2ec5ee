"""Typed text -> an exact number. "2sqrt(3)", "−0.5", "½", "a^2/3", "ln(2)", and "-inf" in masks.

| written | read as |
|---|---|
| 12, 0.5, .5, 1e-3, ½ | exact rationals: 0.5 is 1/2 |
| + - * / ^ ** and − · × ÷ x² | as usual; -2^2 is −4, 2^3^2 is 2^9 |
| 2a, 2sqrt(3), 3(a+b) | products; not directly after a division, where 1/2a reads two ways |
| sqrt(x) √x √(x) cbrt(x) root(n, x) 2^(1/3) | real roots |
| ln(x), log(x) | the natural logarithm of a positive rational |
| exp(x) | only where no e is left: exp(ln(2)) is 2 |
| a, x1 = x_1, w_12, alpha = α | letters |
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Final, Literal, NoReturn, overload

from symattn.errors import Place, SymattnError
from symattn.exact.matrix import MINUS_INFINITY, MinusInfinity
from symattn.exact.number import Number
from symattn.reading import bounded
from symattn.reading.tokens import LONGEST, Token, refuse, shown, tokens

DEEPEST: Final = 50
"""Brackets, roots and powers inside each other."""

_NOWHERE: Final = Place()
_MINUS_INFINITY: Final = frozenset(("-inf", "-infinity", "-∞", "-oo", "-.inf"))


@overload
def read(text: str, *, place: Place = ..., allow_infinity: Literal[False] = ...) -> Number: ...


@overload
def read(text: str, *, place: Place = ..., allow_infinity: bool) -> Number | MinusInfinity: ...


def read(
    text: str, *, place: Place = _NOWHERE, allow_infinity: bool = False
) -> Number | MinusInfinity:
    """The exact value of what was typed; MINUS_INFINITY only where it is allowed.

    Raises InputError for what cannot be read and OutOfScope for what cannot be carried exactly,
    both with the given place, the typed text and a caret under what is wrong.
    """
    try:
        if len(text) <= LONGEST and text.strip().replace("−", "-").lower() in _MINUS_INFINITY:
            if allow_infinity:
                return MINUS_INFINITY
            refuse(text, 0, "−∞ may only stand in a mask", "Give a number here.")
        return _read(text) if len(text) <= LONGEST else _parsed(text)
    except SymattnError as error:
        where = error.place
        error.place = replace(place, typed=where.typed or shown(text), caret=where.caret)
        raise


@lru_cache(maxsize=4096)
def _read(text: str) -> Number:
    # Whole matrices are mostly small integers: no tokens for them.
    digits = text[1:] if text[:1] == "-" else text
    if digits.isascii() and digits.isdigit():
        return bounded.checked(Number.of(int(text)))
    return _parsed(text)


def _parsed(text: str) -> Number:
    if not text.strip():
        refuse(text, 0, "the cell is empty", "Write 0 where nothing stands.")
    return _Parser(text).whole()


class _Parser:
    """Precedence climbing: sum > product > sign > power > atom."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens = tokens(text)
        self.at = 0
        self.depth = 0

    # ------------------------------------------------------------ the tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        self.at += 1
        return self.tokens[self.at - 1]

    def follows(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def expect(self, sign: str, opened: Token) -> None:
        if self.follows(sign):
            self.take()
        elif self.next.kind == "end":
            refuse(
                self.text,
                opened.start,
                f"the bracket is not closed: {sign} is missing",
                'Close it. A cell with a comma in it needs quotes: "root(3, 2)".',
            )
        else:
            self.unexpected()

    def deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            refuse(
                self.text,
                token.start,
                f"more than {DEEPEST} brackets, roots or powers inside each other",
                "Write the number with fewer of them.",
            )

    def calculated(self, token: Token, work: Callable[..., Number], *values: object) -> Number:
        """What the work gives; its refusals point at the token."""
        try:
            return work(*values)
        except SymattnError as error:
            error.place = Place(typed=shown(self.text), caret=token.start)
            raise

    # ------------------------------------------------------------ the grammar

    def whole(self) -> Number:
        value = self.sum()
        if self.next.kind != "end":
            self.unexpected()
        return value

    def sum(self) -> Number:
        value = self.product()
        while self.follows("+", "-"):
            sign = self.take()
            right = self.product()
            value = self.calculated(sign, bounded.add, value, -right if sign.text == "-" else right)
        return value

    def product(self) -> Number:
        first = self.next
        value = self.signed()
        divided = False
        while True:
            if self.follows("*", "/"):
                sign = self.take()
                divided = sign.text == "/"
                first = self.next
                work = bounded.divide if divided else bounded.multiply
                value = self.calculated(sign, work, value, self.signed())
            elif self.touches(first):
                if divided:
                    refuse(
                        self.text,
                        self.next.start,
                        "a product after a fraction bar can be read two ways",
                        "Write brackets: 1/(2a), or (1/2)a.",
                    )
                first = self.next
                value = self.calculated(first, bounded.multiply, value, self.power())
            else:
                return value

    def touches(self, before: Token) -> bool:
        """Whether the next token is multiplied without a sign, as in 2a, 2 sqrt(3), (a+b)(a-b)."""
        opens = self.next.kind in ("letter", "function") or self.follows("(", "√", "∛", "∜")
        number = self.tokens[self.at - 1] is before and before.kind == "number"
        return opens and (not self.next.spaced or number)

    def signed(self) -> Number:
        negative = False
        sign = self.next
        while self.follows("+", "-"):
            negative ^= self.take().text == "-"
        if negative and self.next.kind == "end":
            refuse(self.text, sign.start, "a number is missing after the sign", "Complete it.")
        value = self.power()
        return -value if negative else value

    def power(self) -> Number:
        base = self.atom()
        if not self.follows("^"):
            return base
        sign = self.take()
        self.deeper(sign)
        exponent = self.signed()
        self.depth -= 1
        return self.calculated(sign, bounded.power, base, exponent)

    def atom(self) -> Number:
        token = self.take()
        match token.kind:
            case "number":
                return self.calculated(token, bounded.checked, Number.of(token.value))
            case "letter":
                return Number.letter(token.text)
            case "function":
                return self.function(token)
            case "sign" if token.text == "(":
                self.deeper(token)
                value = self.sum()
                self.expect(")", token)
                self.depth -= 1
                return value
            case "sign" if token.text in "√∛∜":
                self.deeper(token)
                value = self.atom()
                self.depth -= 1
                return self.calculated(token, bounded.root, "√∛∜".index(token.text) + 2, value)
        self.at -= 1
        return self.unexpected()

    def function(self, token: Token) -> Number:
        if not self.follows("("):
            refuse(
                self.text,
                token.start,
                f"brackets are missing after {token.text}",
                f"Write {token.text}(2), for example.",
            )
        opened = self.take()
        self.deeper(token)
        value = self.sum()
        degree = Number.of(3 if token.text == "cbrt" else 2)
        if token.text == "root":
            self.expect_comma(token)
            degree, value = value, self.sum()
        self.expect(")", opened)
        self.depth -= 1
        match token.text:
            case "ln":
                return self.calculated(token, bounded.logarithm, value)
            case "exp":
                return self.calculated(token, bounded.exponential_number, value)
            case _:
                whole = degree.is_rational and degree.rational.denominator == 1
                wanted = int(degree.rational) if whole else 0
                return self.calculated(token, bounded.root, wanted, value)

    def expect_comma(self, token: Token) -> None:
        if not self.follows(","):
            refuse(
                self.text,
                token.start,
                "root needs a degree and a number",
                "Write root(3, 2) for the cube root of 2 (in quotes inside a list).",
            )
        self.take()

    # ------------------------------------------------------------ what is wrong here

    def unexpected(self) -> NoReturn:
        token = self.next
        before = self.tokens[self.at - 1] if self.at else None
        after = self.tokens[min(self.at + 1, len(self.tokens) - 1)]
        if token.kind == "end":
            start = before.start if before else 0
            refuse(self.text, start, "the expression stops too early", "Complete it.")
        if token.text == ",":
            self.comma(before, after)
        if token.text == ")":
            empty = before is not None and before.text == "("
            what = "the brackets are empty" if empty else "a bracket is closed that was not opened"
            refuse(self.text, token.start, what, "Check the brackets.")
        if token.kind == "sign" and token.text != "(":
            where = f"before {token.text}"
            refuse(self.text, token.start, f"a number is missing {where}", "Complete it.")
        if token.kind == "number" and before and before.kind == "number":
            refuse(
                self.text,
                token.start,
                "two numbers stand next to each other",
                "Put a sign between them, or a comma if they are two cells; write 2½ as 2+1/2.",
            )
        refuse(
            self.text,
            token.start,
            "a sign is missing here",
            "Write products with a sign, as in a*b, or put a comma between two cells.",
        )

    def comma(self, before: Token | None, after: Token) -> NoReturn:
        comma = self.next
        if before and before.kind == "number" and after.kind == "number" and not after.spaced:
            left, right = before.text, after.text
            refuse(
                self.text,
                comma.start,
                f'the comma in "{left},{right}" can be read two ways',
                f"Write {left}.{right} for one number, or {left}, {right} as two cells of a list.",
            )
        refuse(
            self.text,
            comma.start,
            "a comma does not belong in a number",
            "Put each number in a cell of its own; within one text, separate them by spaces.",
        )
