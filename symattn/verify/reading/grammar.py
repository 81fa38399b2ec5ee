"""Tokens -> exact values and chains of them: one grammar for LaTeX and plain text.

    chain   = [relation] segment { relation segment }
    segment = sum | label                    a label is what cannot be read, but never at the end
    sum     = product { ("+" | "-") product }
    product = signed { ("*" | "/" | nothing) signed }
    signed  = { "+" | "-" } power
    power   = atom [ "^" exponent ] [ "%" ]
    atom    = number | e | exp … | ln … | frac | sqrt | "(" sum ")" | list | matrix | "∞"

What can be read two ways is refused with both readings.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextvars import ContextVar
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, NoReturn, assert_never

from symattn.exact.matrix import MINUS_INFINITY
from symattn.exact.number import Number
from symattn.reading.tokens import GREEK
from symattn.verify.reading import arithmetic
from symattn.verify.reading.arithmetic import INFINITY, Amount, guarded
from symattn.verify.reading.labels import label_of
from symattn.verify.reading.pieces import (
    OPENING,
    at_spaces,
    closing_sign,
    end_after,
    is_decimal_comma,
    nesting,
    separated,
    split,
    top,
    without_full_stop,
)
from symattn.verify.reading.refusal import Refusal, refuse
from symattn.verify.reading.tokens import Token
from symattn.verify.reading.written import (
    Blank,
    Cell,
    Grid,
    Label,
    Link,
    Unreadable,
    Written,
)

DEEPEST: Final = 40
"""Brackets, roots and powers inside each other."""
MOST_TOKENS: Final = 20_000
MOST_CELLS: Final = 4096
MOST_PRODUCTS: Final = 20_000
"""Multiplications in a product of matrices."""

LETTERS: Final[ContextVar[frozenset[str]]] = ContextVar("letters", default=frozenset())
"""The letters of the problem, such as a or w_12, while its answers are read. All other letters are
names at most."""
_E: Final = frozenset(("e", "ℯ"))
_FUNCTIONS: Final = {"exp": "exp", "ln": "ln", "log": "ln", "sqrt": "sqrt", "np.exp": "exp",
                     "math.exp": "exp", "np.sqrt": "sqrt", "math.sqrt": "sqrt"}  # fmt: skip
_INFINITE: Final = frozenset((
    "inf", "infinity", "oo", "infty", "np.inf", "math.inf", "torch.inf", "numpy.inf", "jnp.inf",
))  # fmt: skip
_WRAPPERS: Final = frozenset((
    "array", "np.array", "numpy.array", "jnp.array", "tensor", "torch.tensor", "Tensor",
    "torch.Tensor", "tf.Tensor", "tf.constant", "Matrix", "sympy.Matrix", "Array", "DeviceArray",
    "ImmutableMatrix", "ImmutableDenseMatrix", "mx.array", "list", "tuple",
))  # fmt: skip
_BLANKS: Final = frozenset(("?", "_", "…?", "□"))


@dataclass(frozen=True, eq=False, slots=True)
class _Value:
    """A number on its way: with how it was written, as far as it is still one literal."""

    amount: Amount
    places: int | None = None
    has_decimals: bool = False
    has_point: bool = False
    is_cut: bool = False
    ten: int | None = None
    """k where it was written as 10^k."""
    is_integer_fraction: bool = False
    warnings: tuple[str, ...] = ()


_Node = _Value | Grid

WRAPPED: Final = 60
"""Width from which a line of a list may have been broken by the page: NumPy breaks at 75."""
_SUMS: Final = frozenset("+*/^")
_GOES_ON: Final = _SUMS | {"-", ","}
"""What a line ends with that goes on."""


class Parser:
    """One chain of tokens, closed by an "end". `text` is what the places refer to."""

    def __init__(self, text: str, tokens: Sequence[Token], *, tex: bool) -> None:
        if len(tokens) > MOST_TOKENS:
            refuse("too-large", 0, message=f"more than {MOST_TOKENS} signs in one formula")
        self.text = text
        self.tokens = tokens
        self.tex = tex
        self.at = 0
        self.depth = 0
        self.is_row = False
        """Whether this is a bracket in the bracket of a matrix."""

    # ------------------------------------------------------------ the tokens

    @property
    def next(self) -> Token:
        return self.tokens[self.at]

    def take(self) -> Token:
        token = self.tokens[self.at]
        self.at += token.kind != "end"
        return token

    def follows(self, *signs: str) -> bool:
        return self.next.kind == "sign" and self.next.text in signs

    def deeper(self, token: Token) -> None:
        self.depth += 1
        if self.depth > DEEPEST:
            refuse("too-deep", token.start)

    # ------------------------------------------------------------ chains

    def chain(self) -> tuple[Link, ...]:
        """The parts of the chain; the last one is a value. Refusal where it is not."""
        segments = self._segments()
        links: list[Link] = []
        for k, (relation, part) in enumerate(segments):
            is_last = k == len(segments) - 1
            links += self._link(relation, part, is_first=not k, is_last=is_last)
        return tuple(links)

    def _segments(self) -> list[tuple[str, Sequence[Token]]]:
        """The tokens between relations outside of all brackets, each with the relation before."""
        found: list[tuple[str, Sequence[Token]]] = []
        start, depth, relation = 0, 0, ""
        for k, token in enumerate(self.tokens):
            depth += nesting(token)
            if depth == 0 and token.kind in ("relation", "end"):
                part = self.tokens[start:k]
                if part or found or token.kind == "end":
                    found.append((relation, part))
                start, relation = k + 1, token.text
        if depth and not found:
            found.append((relation, self.tokens[start:-1]))
        return found

    def _link(
        self, relation: str, part: Sequence[Token], *, is_first: bool, is_last: bool
    ) -> list[Link]:
        part = without_full_stop(part) if is_last else part
        if not part:
            if is_last or not is_first:
                at = self.tokens[-1].start
                refuse("missing-operand", max(0, at - 1), at)
            return []
        start, end = part[0].start, part[-1].end
        closed = (*part, Token("end", "", end, end))
        inner = Parser(self.text, closed, tex=self.tex)
        try:
            return [Link(relation, inner.whole(), start, end)]
        except Refusal:
            if is_last:
                raise
            return [Link(relation, Label(label_of(part)), start, end)]

    # ------------------------------------------------------------ one value

    def whole(self) -> Written | Grid:
        """All tokens as one value or matrix."""
        if self._is_row():
            grid = self._listed(self.tokens[:-1], self.tokens[-1])
            for row in grid.rows:
                for cell in row:
                    if isinstance(cell, Unreadable):
                        raise cell.refusal  # Commas alone do not make a list.
            return grid
        self._check_middle_dot()
        node = self.sum()
        if self.next.kind != "end":
            node = self._restated(node)
        return self.finished(node)

    def _restated(self, node: _Node) -> _Node:
        """0.25 (25%): the same once more."""
        begin = self.at
        if isinstance(node, _Value) and self.follows("("):
            tail = [t.text for t in self.tokens[begin:-1]]
            if tail[0] == "(" and tail[-2:] == ["%", ")"] and len(tail) == 4:
                return node
        return self.unexpected()

    def finished(self, node: _Node) -> Written | Grid:
        if isinstance(node, Grid):
            return node
        start, end = self.tokens[0].start, self.tokens[-1].start
        if node.amount is INFINITY:
            refuse("not-a-value", start, end, message="+∞ stands nowhere in attention")
        assert not isinstance(node.amount, arithmetic.Infinity)
        text = self.text[start : max(end, start)].strip()
        return Written(
            node.amount, text, node.places, node.has_decimals, node.has_point, node.is_cut,
            node.warnings,
        )  # fmt: skip

    def _is_row(self) -> bool:
        """Whether commas or semicolons stand outside of all brackets."""
        depth = 0
        separators = []
        for k, token in enumerate(self.tokens[:-1]):
            depth += nesting(token)
            if depth == 0 and token.kind == "sign" and token.text in (",", ";"):
                separators.append(k)
        if not separators:
            return False
        if all(self._glued(k) for k in separators):
            first = self.tokens[separators[0] - 1]
            last = self.tokens[separators[-1] + 1]
            typed = self.text[first.start : last.end]
            readings = (typed.replace(".", "").replace(",", "."), f"({typed})")
            if len(separators) > 1:
                readings = ("decimal commas", f"({typed})")
            refuse(
                "ambiguous",
                first.start,
                last.end,
                readings=readings,
                hint="Write a decimal point, or a space after a comma between two numbers.",
            )
        return True

    def _glued(self, k: int) -> bool:
        """Whether the comma k stands between two digits without any space."""
        token, before, after = self.tokens[k], self.tokens[k - 1], self.tokens[k + 1]
        return (
            k > 0
            and token.text == ","
            and before.kind == after.kind == "number"
            and not token.spaced
            and not after.spaced
            and after.text.isdigit()
        )

    def _check_middle_dot(self) -> None:
        """0·5 alone is a product or an old decimal point."""
        if self.tex or len(self.tokens) != 4:
            return
        left, dot, right, _ = self.tokens
        numbers = left.kind == right.kind == "number" and left.text == "0" != right.text
        glued = dot.text == "*" and dot.is_vulgar and not dot.spaced and not right.spaced
        if numbers and glued:
            refuse(
                "ambiguous",
                left.start,
                right.end,
                readings=("0", f"0.{right.text}"),
                hint="Write 0.5 with a point, or the product with spaces.",
            )

    # ------------------------------------------------------------ sums and products

    def sum(self) -> _Node:
        node = self.product()
        while self.follows("+", "-"):
            sign = self.take()
            right = self.product()
            work = arithmetic.add if sign.text == "+" else arithmetic.subtract
            node = self.each(work, node, right, sign)
        return node

    def product(self) -> _Node:
        node = self.signed()
        divided = False
        while True:
            if self.follows("*", "/"):
                sign = self.take()
                divided = sign.text == "/"
                right = self.signed()
                if divided:
                    node = self.quotient(node, right, sign)
                else:
                    node = self.multiplied(node, right, sign)
            elif self.touches():
                token = self.next
                before = self.tokens[self.at - 1]
                if divided:
                    self._two_readings(before, token)
                right = self.power()
                self._check_mixed(node, right, before, token)
                node = self.multiplied(node, right, token)
            else:
                return node

    def touches(self) -> bool:
        """Whether a factor follows without a sign, as in 2e, (3)(4), 2√3."""
        token = self.next
        before = self.tokens[self.at - 1]
        match token.kind:
            case "number":
                if before.kind == "number" and token.is_vulgar and not token.spaced:
                    refuse(
                        "ambiguous",
                        before.start,
                        token.end,
                        readings=(f"{before.text}+{token.text}", f"{before.text}·{token.text}"),
                        hint="Write the sign between them.",
                    )
                if before.kind == "number" or before.text in ("%", ")", "]", "}"):
                    refuse(
                        "two-numbers",
                        before.start,
                        token.end,
                        hint="Put a sign between them. In LaTeX a row ends with two backslashes.",
                    )
                return False
            case "word" | "unknown":
                known = token.text in _E or token.text in _FUNCTIONS
                return known or bool(self._letters_at(self.at))
            case "command":
                return token.text in ("frac", "sqrt", "exp", "ln", "log")
            case "matrix" | "open":
                return True
            case "sign":
                if token.text in ("[", "{") and not self.tex:
                    return not token.spaced
                restated = token.spaced and self._is_percent_note()
                return token.text in ("(", "[", "√", "∛", "∜") and not restated
            case _:
                return False

    def _is_percent_note(self) -> bool:
        texts = [t.text for t in self.tokens[self.at : self.at + 5]]
        kinds = [t.kind for t in self.tokens[self.at : self.at + 5]]
        return texts[0] == "(" and texts[2:4] == ["%", ")"] and kinds[4:] == ["end"]

    def _two_readings(self, before: Token, token: Token) -> NoReturn:
        refuse(
            "ambiguous",
            before.start,
            token.end,
            readings=("1/(ab)", "(1/a)·b"),
            hint="Put brackets around what stands below the bar.",
        )

    def _check_mixed(self, left: _Node, right: _Node, before: Token, token: Token) -> None:
        if token.text != "frac" or before.kind != "number" or "." in before.text:
            return
        if isinstance(right, _Value) and right.is_integer_fraction:
            assert isinstance(left, _Value)
            whole, part = arithmetic.fraction(left.amount), arithmetic.fraction(right.amount)
            if whole is not None and part is not None:
                refuse(
                    "ambiguous",
                    before.start,
                    self.tokens[self.at - 1].end,
                    readings=(str(whole * part), str(whole + part)),
                    hint=r"Write \cdot for a product, + for a mixed number.",
                )

    def multiplied(self, left: _Node, right: _Node, sign: Token) -> _Node:
        if isinstance(left, Grid) and isinstance(right, Grid):
            return self.matrix_product(left, right, sign)
        if isinstance(left, Grid) or isinstance(right, Grid):
            return self.each(arithmetic.multiply, left, right, sign)
        made = self.calculated(arithmetic.multiply, sign, left, right)
        if right.ten is not None and left.places is not None:
            return replace(made, places=left.places - right.ten, has_point=True)
        return made

    def quotient(self, left: _Node, right: _Node, sign: Token) -> _Node:
        if isinstance(right, Grid):
            if right.shape != (1, 1):
                refuse("shape", sign.start, message="nothing is divided by a matrix")
            right = self._cell_value(right.rows[0][0], sign)
        return self.each(arithmetic.divide, left, right, sign)

    def signed(self) -> _Node:
        negative = False
        first = self.next
        while self.follows("+", "-"):
            negative ^= self.take().text == "-"
        node = self.power()
        if not negative:
            return node
        if isinstance(node, Grid):
            return self.each(arithmetic.subtract, _zero(), node, first)
        return replace(node, amount=arithmetic.negative(node.amount), ten=None)

    def power(self) -> _Node:
        node = self.raised()
        while self.follows("%"):
            sign = self.take()
            node = self._percent(node, sign)
        return node

    def _percent(self, node: _Node, sign: Token) -> _Node:
        if isinstance(node, Grid):
            refuse("not-a-value", sign.start)
        hundred = _Value(Number.of(100))
        made = self.calculated(arithmetic.divide, sign, node, hundred)
        warnings = (*node.warnings, "% was taken as per cent") if sign.is_bare else node.warnings
        places = None if node.places is None else node.places + 2
        return replace(made, places=places, has_point=True, is_cut=node.is_cut, warnings=warnings)

    def raised(self) -> _Node:
        start = self.next
        is_e = start.kind == "word" and start.text in _E
        node = self.atom()
        if isinstance(node, Grid):
            self._skip_shape_note()
        if not self.follows("^"):
            return node
        sign = self.take()
        self.deeper(sign)
        if isinstance(node, Grid):
            node = self._transposed(node, sign)
        else:
            exponent = self.exponent(sign)
            if isinstance(exponent, Grid):
                refuse("not-a-value", sign.start)
            if is_e:
                made = self.calculated(arithmetic.exponential, sign, exponent)
            else:
                made = self.calculated(arithmetic.power, sign, node, exponent)
                if node.amount == Number.of(10) and not node.has_point:
                    k = arithmetic.fraction(exponent.amount)
                    whole = k is not None and k.denominator == 1 and not exponent.has_point
                    made = replace(made, ten=int(k) if whole and k is not None else None)
            node = replace(made, warnings=(*made.warnings, *exponent.warnings))
        self.depth -= 1
        if self.follows("^"):
            refuse("double-superscript", self.next.start, hint="Put braces or brackets.")
        return node

    def exponent(self, sign: Token) -> _Node:
        token = self.next
        if not self.tex:
            negative = False
            while self.follows("+", "-"):
                negative ^= self.take().text == "-"
            node = self.raised()
            if isinstance(node, _Value) and negative:
                return replace(node, amount=arithmetic.negative(node.amount))
            return node
        if token.kind == "open":
            return self.group()
        if token.kind == "number" and (len(token.text) > 1 or self._number_follows(token)):
            # TeX raises one digit only; the author nearly always meant all of them.
            digit, rest = token.text[:1], token.text[1:]
            refuse(
                "ambiguous",
                token.start,
                token.end,
                readings=(f"(…)^{digit}·{rest}", f"(…)^{{{token.text}}}"),
                hint="Put the exponent in braces.",
            )
        if self.follows("-", "+"):
            sign = self.take()
            number = self.take()
            if number.kind != "number":
                refuse("missing-operand", sign.start)
            value = number.value if sign.text == "+" else -number.value
            warning = f"^{sign.text}{number.text} was taken as ^{{{sign.text}{number.text}}}"
            return _Value(Number.of(value), number.places, warnings=(warning,))
        return self.atom()

    def _number_follows(self, token: Token) -> bool:
        following = self.tokens[self.at + 1]
        return following.kind == "number" and not following.spaced

    def _transposed(self, node: Grid, sign: Token) -> Grid:
        braced = self.next.kind == "open"
        if braced:
            self.take()
        token = self.take()
        if not (token.text in ("⊤", "T", "t") or token.text == "\\intercal"):
            refuse("not-a-value", sign.start, token.end, message="a power of a matrix is not read")
        if braced and self.take().kind != "close":
            refuse("not-a-value", sign.start, token.end)
        turned = tuple(zip(*node.rows, strict=True))
        return Grid(turned, is_computed=node.is_computed)

    def _skip_shape_note(self) -> None:
        """[[…]]_{2×2}: the note below a matrix is no part of it."""
        if self.follows("_") and self.tex:
            self.take()
            depth = 0
            while True:
                token = self.take()
                depth += nesting(token)
                if not depth or token.kind == "end":
                    break

    # ------------------------------------------------------------ atoms

    def atom(self) -> _Node:
        token = self.take()
        match token.kind:
            case "number":
                return _literal(token)
            case "word" | "unknown" if letters := self._letters_at(self.at - 1):
                return self.letter(letters)
            case "word":
                return self.word(token)
            case "command":
                return self.command(token)
            case "open":
                self.at -= 1
                return self.group()
            case "matrix":
                return self.matrix(token)
            case "sign" if token.text in OPENING:
                return self.bracket(token)
            case "sign" if token.text in ("√", "∛", "∜"):
                self.deeper(token)
                inner = self.atom()
                self.depth -= 1
                degree = _Value(Number.of("√∛∜".index(token.text) + 2))
                return self.calculated(arithmetic.root, token, degree, inner)
            case "sign" if token.text == "∞":
                return _Value(INFINITY)
        if self.at and self.tokens[self.at - 1] is token:
            self.at -= 1
        return self.unexpected()

    def word(self, token: Token) -> _Node:
        if token.text in _E:
            return self.calculated(arithmetic.exponential, token, _Value(Number.of(1)))
        if token.text in _FUNCTIONS:
            return self.function(_FUNCTIONS[token.text], token)
        if token.text.lower() in _INFINITE:
            return _Value(INFINITY)
        if token.text.lower() == "nan":
            refuse("not-a-value", token.start, token.end, message="NaN is not a number")
        if token.text in _WRAPPERS and self.follows("("):
            return self.wrapped(token)
        if token.text == "float" and self.follows("("):
            return self.wrapped(token)
        self.at -= 1
        return self.unexpected()

    def _letters_at(self, k: int) -> list[str]:
        """The problem's letters that the token k stands for: α, w_{12}, or a and b in ab."""
        known = LETTERS.get()
        if not known:
            return []
        word = self.tokens[k].text.removeprefix("\\")
        word = GREEK.get(word, word)
        index = self._index_at(k + 1)
        for name in (f"{word}_{index}" if index else word, _indexed(word)):
            if name in known:
                return [name]
        if not index and self.tokens[k].kind == "word" and all(c in known for c in word):
            return list(word)
        return []

    def _index_at(self, k: int) -> str:
        """12 where _{12} or _1 begins at token k."""
        texts = [token.text for token in self.tokens[k : k + 4]]
        match texts:
            case ["_", "{", index, "}"] if index.isalnum():
                return index
            case ["_", index, *_] if index.isalnum():
                return index
            case _:
                return ""

    def letter(self, names: Sequence[str]) -> _Value:
        if self._index_at(self.at) and "_" in names[0]:
            self.at += 4 if self.tokens[self.at + 1].kind == "open" else 2
        amount: Amount = Number.of(1)
        for name in names:
            amount = arithmetic.multiply(amount, Number.letter(name))
        return _Value(amount)

    def function(self, name: str, token: Token) -> _Node:
        """exp, ln or sqrt of what follows: a bracket, a group, or one atom."""
        self.deeper(token)
        argument = self.atom()
        self.depth -= 1
        match name:
            case "exp":
                return self.calculated(arithmetic.exponential, token, argument)
            case "ln":
                return self.calculated(arithmetic.logarithm, token, argument)
            case _:
                return self.calculated(arithmetic.root, token, _Value(Number.of(2)), argument)

    def command(self, token: Token) -> _Node:
        match token.text:
            case "frac":
                self.deeper(token)
                top, bottom = self.group(), self.group()
                self.depth -= 1
                made = self.quotient(top, bottom, token)
                plain = all(isinstance(x, _Value) and _is_whole(x) for x in (top, bottom))
                if plain and isinstance(made, _Value):
                    return replace(made, is_integer_fraction=True)
                return made
            case "sqrt":
                self.deeper(token)
                degree: _Node = _Value(Number.of(2))
                if self.next.text == "degree":
                    self.take()
                    degree = self.group()
                if self.next.kind == "open" and self.next.is_bare:
                    self._check_bare_root(token)
                    radicand = self.group()
                elif self.next.kind == "open":
                    radicand = self.group()
                else:
                    radicand = self.atom()
                self.depth -= 1
                return self.calculated(arithmetic.root, token, degree, radicand)
            case "exp":
                return self.function("exp", token)
            case "ln" | "log":
                return self.function("ln", token)
        self.at -= 1
        return self.unexpected()

    def _check_bare_root(self, token: Token) -> None:
        """\\sqrt12 is set as √1 and then 2; the author nearly always meant √12."""
        inside = self.tokens[self.at + 1]
        after = self.tokens[self.at + 3] if self.at + 3 < len(self.tokens) else self.tokens[-1]
        if inside.kind == "number" and after.kind == "number" and not after.spaced:
            refuse(
                "ambiguous",
                token.start,
                after.end,
                readings=(f"{after.text}*sqrt({inside.text})", f"sqrt({inside.text}{after.text})"),
                hint="Put what stands under the root in braces.",
            )

    def group(self) -> _Node:
        """{…} of TeX; also {a \\over b}."""
        opened = self.take()
        if opened.kind != "open":
            refuse("missing-argument", opened.start, hint="Put the argument in braces.")
        self.deeper(opened)
        first = self.next
        if first.kind == "close":
            refuse("empty-argument", opened.start, first.end)
        node: _Node
        if self._group_has_comma():
            close = self._closing()
            node = self._listed(self.tokens[self.at : close], self.tokens[close])
            self.at = close
        else:
            node = self.sum()
        if self.next.kind == "command" and self.next.text == "over":
            over = self.take()
            node = self.quotient(node, self.sum(), over)
        if self.next.kind != "close":
            self.unexpected()
        self.take()
        self.depth -= 1
        return node

    def _closing(self) -> int:
        """The index of the token that closes the group we are in."""
        depth, k = 0, self.at
        while k < len(self.tokens) - 1:
            depth += nesting(self.tokens[k])
            if depth < 0:
                return k
            k += 1
        return k

    def _group_has_comma(self) -> bool:
        depth = 0
        for token in self.tokens[self.at : self._closing()]:
            depth += nesting(token)
            if depth == 0 and token.kind == "sign" and token.text == ",":
                return True
        return False

    # ------------------------------------------------------------ brackets and lists

    def bracket(self, opened: Token) -> _Node:
        """(a) is a, (a, b) and [a b; c d] are lists."""
        self.deeper(opened)
        close = self._match(opened)
        inside = self.tokens[self.at : close]
        end = self.tokens[close]
        if not inside:
            refuse(
                "empty-matrix" if opened.text != "(" else "empty-argument", opened.start, end.end
            )
        node: _Node
        if opened.text == "(" and not separated(inside):
            inner = Parser(self.text, (*inside, replace(end, kind="end")), tex=self.tex)
            inner.depth = self.depth
            node = inner.sum()
            if inner.next.kind != "end":
                inner.unexpected()
        else:
            node = self._listed(inside, end, opened)
        self.at = close + 1
        self.depth -= 1
        return node

    def _match(self, opened: Token) -> int:
        """The index of the bracket that closes the one just taken."""
        stack = [OPENING[opened.text]]
        for k in range(self.at, len(self.tokens)):
            token = self.tokens[k]
            if token.kind == "sign" and token.text in OPENING:
                stack.append(OPENING[token.text])
                if len(stack) > DEEPEST:
                    refuse("too-deep", token.start)
            elif token.kind == "open":
                stack.append("close")
            elif (found := closing_sign(token)) is not None:
                wanted = stack.pop()
                if wanted != found:
                    refuse("mismatched-delimiter", opened.start, token.end)
                if not stack:
                    return k
        return refuse(
            "missing-delimiter", opened.start, hint=f"Close it with {OPENING[opened.text]}."
        )

    def _listed(self, inside: Sequence[Token], end: Token, opened: Token | None = None) -> Grid:
        """A list of cells, or of rows."""
        rows = split(inside, ";")
        if len(rows) > 1 and not rows[-1]:
            rows.pop()
        if len(rows) == 1 and any(t.kind == "matrix" for t in inside) and not separated(inside):
            return self._bracketed(inside)
        if len(rows) > 1 and all(is_decimal_comma(row) for row in rows):
            cells = tuple(self._comma_cell(row) for row in rows)
            return Grid((cells,))
        if len(rows) == 1 and opened and opened.text == "[" and not self.is_row:
            rows = self._lines(inside)
        made: list[tuple[Cell, ...]] = []
        for row in rows:
            parts = self._parts(row, many=len(rows) > 1)
            if len(parts) > 1 and not parts[-1]:
                parts.pop()
            grids = [self._nested(part) for part in parts]
            if any(grids):
                for grid, part in zip(grids, parts, strict=True):
                    if grid is None:
                        at = part[0].start if part else end.start
                        refuse("ragged", at, message="rows and numbers stand side by side")
                    made += grid.rows
            else:
                made.append(tuple(self._cell(part, end) for part in parts))
            if sum(map(len, made)) > MOST_CELLS:
                refuse("too-large", end.start, message=f"more than {MOST_CELLS} cells")
        return _rectangular(made, opened.start if opened else end.start, end.end)

    def _lines(self, inside: Sequence[Token]) -> list[Sequence[Token]]:
        """Rows that stand on lines of their own: with as many cells each, and no comma at the end.
        A print-out wraps a long row too, but at the edge of the page."""
        lines: list[list[Token]] = [[]]
        for before, token in zip((None, *inside), inside, strict=False):
            if before and not self.tex and "\n" in self.text[before.end : token.start]:
                lines.append([])
            lines[-1].append(token)
        wrapped = any(line[-1].end - line[0].start > WRAPPED for line in lines)
        broken = any(
            line[0].text in _SUMS or line[-1].text in _GOES_ON or any(t.text == "[" for t in line)
            for line in lines
        )
        if len(lines) == 1 or wrapped or broken:
            return [inside]
        counts = {len(self._parts(line, many=False)) for line in lines}
        return list(lines) if len(counts) == 1 else [inside]

    def _bracketed(self, inside: Sequence[Token]) -> Grid:
        """A matrix in brackets that are typed beside it."""
        inner = Parser(self.text, (*inside, end_after(inside)), tex=self.tex)
        inner.depth = self.depth
        node = inner.sum()
        if inner.next.kind != "end":
            inner.unexpected()
        return node if isinstance(node, Grid) else Grid(((self._worked(node),),))

    def _parts(self, row: Sequence[Token], many: bool) -> list[Sequence[Token]]:
        """The cells of a row: between commas or, without any, between spaces."""
        if self.tex or any(t.text == "," and t.kind == "sign" for t in top(row)):
            return split(row, ",")
        pieces = at_spaces(row)
        lone = [p for p in pieces if len(p) == 1 and p[0].kind == "sign" and p[0].text in "+-*/^"]
        if not lone or len(pieces) == 1:
            return pieces
        if any(p[0].text in "+-" for p in lone) and (many or len(pieces) > 3):
            refuse(
                "ambiguous",
                row[0].start,
                row[-1].end,
                readings=("cells between spaces", "a sum in one cell"),
                hint="Put commas between the cells.",
            )
        return [row]

    def _nested(self, part: Sequence[Token]) -> Grid | None:
        """The rows in [..] or {..} or (.., ..) where the part is nothing else."""
        if not part or part[0].kind != "sign" or part[0].text not in OPENING:
            return None
        inner = Parser(self.text, (*part, end_after(part)), tex=self.tex)
        inner.depth, inner.is_row = self.depth, True
        opened = inner.take()
        if inner._match(opened) != len(part) - 1:
            return None
        if opened.text == "(" and not separated(part[1:-1]):
            return None
        node = inner.bracket(opened)
        return node if isinstance(node, Grid) else None

    def _cell(self, part: Sequence[Token], end: Token) -> Cell:
        if not part:
            return Blank()
        return read_cell(self.text, (*part, end_after(part)), tex=self.tex, depth=self.depth)

    def _comma_cell(self, row: Sequence[Token]) -> Written:
        """0,422 as a cell between semicolons."""
        sign = 1
        if row[0].text == "-":
            sign, row = -1, row[1:]
        whole, _, part = row
        value = whole.value + part.value / Fraction(10) ** len(part.text)
        text = self.text[row[0].start : row[-1].end]
        warning = f"{text} was taken as {whole.text}.{part.text}"
        return Written(
            Number.of(sign * value), text, len(part.text), True, True, warnings=(warning,)
        )

    def wrapped(self, token: Token) -> _Node:
        """array([[…]], dtype=…): the list, whatever else is said about it."""
        opened = self.take()
        close = self._match(opened)
        parts = split(self.tokens[self.at : close], ",")
        if not parts or not parts[0]:
            refuse("empty-matrix", token.start, self.tokens[close].end)
        for extra in parts[1:]:
            keyword = len(extra) > 2 and extra[0].kind == "word" and extra[1].text == "="
            if extra and not keyword:
                refuse("not-a-value", extra[0].start, extra[-1].end)
        if token.text == "float":
            text = "".join(t.text for t in parts[0]).strip("'\"").lower()
            if text.lstrip("+-") in _INFINITE:
                self.at = close + 1
                return _Value(MINUS_INFINITY if text.startswith("-") else INFINITY)
        inner = Parser(self.text, (*parts[0], end_after(parts[0])), tex=self.tex)
        inner.depth = self.depth
        node = inner.sum()
        if inner.next.kind != "end":
            inner.unexpected()
        self.at = close + 1
        return node

    def matrix(self, token: Token) -> Grid:
        self.deeper(token)
        rows = token.rows
        if not rows or (len(rows) == 1 and len(rows[0]) == 1 and len(rows[0][0]) == 1):
            refuse("empty-matrix", token.start, token.end)
        made = [
            tuple(
                Blank() if len(cell) == 1
                else read_cell(self.text, cell, tex=self.tex, depth=self.depth)
                for cell in row
            )
            for row in rows
        ]  # fmt: skip
        self.depth -= 1
        return _rectangular(made, token.start, token.end)

    # ------------------------------------------------------------ values of matrices

    def each(self, work: Callable[..., Amount], left: _Node, right: _Node, sign: Token) -> _Node:
        """The work on two numbers, entry by entry on two matrices, or on one and a number."""
        if isinstance(left, _Value) and isinstance(right, _Value):
            return self.calculated(work, sign, left, right)
        if isinstance(left, Grid) and isinstance(right, Grid) and left.shape != right.shape:
            refuse(
                "shape",
                sign.start,
                sign.end,
                message=f"a {_size(left)} and a {_size(right)} matrix do not fit",
            )
        grid = left if isinstance(left, Grid) else right
        assert isinstance(grid, Grid)

        def entry(node: _Node, i: int, j: int) -> _Value:
            return self._cell_value(node.rows[i][j], sign) if isinstance(node, Grid) else node

        n, m = grid.shape
        rows = [
            tuple(
                self._worked(self.calculated(work, sign, entry(left, i, j), entry(right, i, j)))
                for j in range(m)
            )
            for i in range(n)
        ]
        return Grid(tuple(rows), is_computed=True)

    def matrix_product(self, left: Grid, right: Grid, sign: Token) -> _Node:
        (n, k), (l, m) = left.shape, right.shape  # noqa: E741
        if k != l and n == l == 1 and k == m:
            # Two rows side by side: their scalar product.
            right = Grid(tuple(zip(*right.rows, strict=True)))
            (l, m) = right.shape  # noqa: E741
            return self._dot(left.rows[0], [row[0] for row in right.rows], sign)
        if k != l:
            refuse(
                "shape",
                sign.start,
                sign.end,
                message=f"a {_size(left)} matrix cannot be multiplied by a {_size(right)} one",
            )
        if n * k * m > MOST_PRODUCTS:
            refuse("too-large", sign.start, message="a product of matrices too large to be meant")
        rows = []
        for row in left.rows:
            cells = []
            for j in range(m):
                column = [other[j] for other in right.rows]
                cells.append(self._worked(self._dot(row, column, sign)))
            rows.append(tuple(cells))
        return Grid(tuple(rows), is_computed=True, factors=(left, right))

    def _dot(self, row: Sequence[Cell], column: Sequence[Cell], sign: Token) -> _Value:
        total: _Value | None = None
        for a, b in zip(row, column, strict=True):
            x, y = self._cell_value(a, sign), self._cell_value(b, sign)
            term = self.calculated(arithmetic.multiply, sign, x, y)
            total = term if total is None else self.calculated(arithmetic.add, sign, total, term)
        assert total is not None
        return total

    def _cell_value(self, cell: Cell, sign: Token) -> _Value:
        match cell:
            case Written():
                return _Value(cell.value, cell.places, cell.has_decimals, cell.has_point)
            case Blank():
                return refuse("empty-cell", sign.start)
            case Unreadable(_, refusal):
                raise refusal
            case _:
                assert_never(cell)

    def _worked(self, value: _Value) -> Written:
        written = self.finished(value)
        assert isinstance(written, Written)
        return replace(written, text="")

    def calculated(self, work: Callable[..., Amount], sign: Token, *operands: _Node) -> _Value:
        values = []
        for operand in operands:
            if isinstance(operand, Grid):
                if operand.shape != (1, 1):
                    refuse("not-a-value", sign.start, sign.end, message="a matrix, not a number")
                operand = self._cell_value(operand.rows[0][0], sign)
            values.append(operand)
        amount = guarded(work, sign.start, sign.end, *(v.amount for v in values))
        decimals = any(v.has_decimals for v in values)
        warnings = tuple(w for v in values for w in v.warnings)
        return _Value(amount, has_decimals=decimals, warnings=warnings)

    # ------------------------------------------------------------ what is wrong here

    def unexpected(self) -> NoReturn:
        token = self.next
        before = self.tokens[self.at - 1] if self.at else None
        start, end = token.start, max(token.end, token.start + 1)
        match token.kind:
            case "end" | "close" | "relation":
                refuse("missing-operand", max(0, start - 1), start)
            case "number":
                refuse("two-numbers", before.start if before else start, end)
            case "word" | "unknown":
                self._unknown(token)
            case "command":
                refuse("unknown-macro", start, end)
        match token.text:
            case "±" | "→":
                refuse("not-a-value", start, end, hint="Give one value.")
            case "…":
                code = "ellipsis-cell" if len(self.tokens) == 2 else "not-a-value"
                refuse(code, start, end, hint="Write every number out.")
            case ")" | "]" | "}":
                refuse("mismatched-delimiter", start, end)
            case "//":
                refuse("bad-number", start, end, hint="Write one sign for a division.")
            case "+" | "-" | "*" | "/" | "^" | "%" | ",":
                refuse("missing-operand", start, end)
            case ":":
                refuse("bad-number", before.start if before else start, end)
        refuse("unknown-symbol", start, end)

    def _unknown(self, token: Token) -> NoReturn:
        if token.text.startswith("\\"):
            if token.text in ("\\pm", "\\mp"):
                refuse("not-a-value", token.start, token.end)
            refuse(
                "unknown-macro",
                token.start,
                token.end,
                message=f"the command {token.text} is not known",
                hint="Write the number without it.",
            )
        hint = "Write numbers, fractions, roots and powers of e."
        if self.tex and token.text in ("frac", "sqrt", "exp", "cdot", "times"):
            hint = f"A backslash seems to be missing: \\{token.text}."
        shown = token.text if len(token.text) <= 20 else token.text[:20] + "…"
        refuse(
            "unknown-symbol", token.start, token.end, message=f"{shown!r} is not part of a number",
            hint=hint,
        )  # fmt: skip


# ---------------------------------------------------------------------- pieces


def read_cell(text: str, tokens: Sequence[Token], *, tex: bool, depth: int = 0) -> Cell:
    """One cell, from its tokens: blank where it is left open, never a refusal."""
    first = tokens[0]
    if len(tokens) == 1 or (len(tokens) == 2 and first.text in _BLANKS):
        return Blank(first.text if len(tokens) == 2 else "")
    if len(tokens) == 2 and first.kind == "word" and first.text.lower() == "masked":
        warning = '"masked" was taken as a weight of 0'
        return Written(Number.of(0), first.text, warnings=(warning,))
    shown = text[first.start : tokens[-1].start].strip()
    try:
        parser = Parser(text, tokens, tex=tex)
        parser.depth = depth
        relation = next((t for t in tokens if t.kind == "relation"), None)
        if relation:
            refuse("not-a-value", first.start, tokens[-1].start, hint="Give one value in a cell.")
        if parser._is_row():
            refuse("not-a-value", first.start, tokens[-1].start)
        node = parser.sum()
        if parser.next.kind != "end":
            node = parser._restated(node)
        made = parser.finished(node)
    except Refusal as refusal:
        return Unreadable(shown, refusal)
    if isinstance(made, Written):
        return made
    alone = made.rows[0][0] if made.shape == (1, 1) else None
    if isinstance(alone, Written) and not any(token.kind == "matrix" for token in tokens):
        return alone
    return Unreadable(shown, Refusal("not-a-value", first.start, tokens[-1].start))


def _indexed(word: str) -> str:
    """w12 and w₁₂ as w_12."""
    letters = word.rstrip("0123456789")
    return f"{letters}_{word[len(letters) :]}" if letters and letters != word else word


def _literal(token: Token) -> _Value:
    value = Number.of(token.value)
    if token.is_vulgar:
        return _Value(value)
    decimal = token.value.denominator != 1 or token.places > 0
    return _Value(value, token.places, decimal, token.has_point, token.is_cut)


def _zero() -> _Value:
    return _Value(Number.of(0))


def _is_whole(value: _Value) -> bool:
    number = arithmetic.fraction(value.amount)
    return number is not None and number.denominator == 1 and value.places == 0


def _rectangular(rows: list[tuple[Cell, ...]], start: int, end: int) -> Grid:
    if not rows or not rows[0]:
        refuse("empty-matrix", start, end)
    lengths = {len(row) for row in rows}
    if len(lengths) > 1:
        counts = ", ".join(str(len(row)) for row in rows[:8])
        refuse("ragged", start, end, message=f"the rows have different lengths: {counts}")
    return Grid(tuple(rows))


def _size(grid: Grid) -> str:
    return f"{grid.shape[0]}×{grid.shape[1]}"
