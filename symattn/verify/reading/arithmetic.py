"""What the signs do, with the size of every result bounded before it is computed."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Final, TypeAlias, Union

from symattn.errors import InputError, OutOfScope, SymattnError
from symattn.exact.matrix import MINUS_INFINITY, MinusInfinity
from symattn.exact.number import Number
from symattn.exact.quotient import NOTHING, Quotient
from symattn.exact.quotient import exp as exact_exp
from symattn.reading import bounded
from symattn.verify.reading.refusal import Refusal

MOST_EXPONENTIALS: Final = 4000
"""Terms that a sum of exponentials may multiply out to."""
LARGEST_EXPONENT: Final = 20_000
"""Of e."""


class Infinity:
    """+∞ on its way to becoming −∞ or nothing."""


INFINITY: Final = Infinity()
Amount: TypeAlias = Union[Number, Quotient, MinusInfinity, Infinity]


def negative(x: Amount) -> Amount:
    match x:
        case MinusInfinity():
            return INFINITY
        case Infinity():
            return MINUS_INFINITY
        case _:
            return -x


def add(x: Amount, y: Amount) -> Amount:
    if _infinite(x) or _infinite(y):
        if _infinite(x) and _infinite(y) and x is not y:
            raise _undefined("∞ − ∞ has no value")
        return x if _infinite(x) else y
    if isinstance(x, Number) and isinstance(y, Number):
        return bounded.add(x, y)
    return _sum(_quotient(x), _quotient(y))


def subtract(x: Amount, y: Amount) -> Amount:
    return add(x, negative(y))


def multiply(x: Amount, y: Amount) -> Amount:
    if _infinite(x) or _infinite(y):
        finite = y if _infinite(x) else x
        infinite = x if _infinite(x) else y
        if _infinite(finite):
            return INFINITY if x is y else MINUS_INFINITY
        from symattn.exact import decide  # mpmath only where it is needed

        sign = decide.sign(_quotient(finite))
        if not sign:
            raise _undefined("0 · ∞ has no value")
        return infinite if sign > 0 else negative(infinite)
    if isinstance(x, Number) and isinstance(y, Number):
        return bounded.multiply(x, y)
    left, right = _quotient(x), _quotient(y)
    if _terms(left) * _terms(right) > MOST_EXPONENTIALS:
        raise _large()
    return _small(left * right)


def divide(x: Amount, y: Amount) -> Amount:
    if _infinite(y):
        if _infinite(x):
            raise _undefined("∞/∞ has no value")
        return Number.of(0)
    if _infinite(x):
        return multiply(x, divide(Number.of(1), y))
    if isinstance(x, Number) and isinstance(y, Number):
        if not y:
            raise _undefined("division by zero")
        return bounded.divide(x, y)
    left, right = _quotient(x), _quotient(y)
    if is_zero(right):
        raise _undefined("division by zero")
    bottoms = 1
    for _, bottom in right.parts:
        bottoms *= len(bottom.terms)
    if _terms(left) * max(_terms(right), bottoms * len(right.parts)) > MOST_EXPONENTIALS:
        raise _large()
    if len(right.parts) == 1 and len(left.parts) == 1:
        (top, under), (other, below) = left.parts[0], right.parts[0]
        return _small(Quotient.ratio(top * below, under * other))
    return _small(left / right)


def power(base: Amount, exponent: Amount) -> Amount:
    if not isinstance(exponent, Number) or not exponent.is_rational:
        raise _outside("only powers with a whole number or a fraction are read")
    wanted = exponent.rational
    if isinstance(base, Number):
        if not base and wanted < 0:
            raise _undefined("division by zero")
        return bounded.power(base, exponent)
    if _infinite(base) or wanted.denominator != 1:
        raise _outside("only whole powers of such a number are read")
    if abs(wanted) > 512:
        raise _large()
    result: Amount = Number.of(1)
    for _ in range(abs(int(wanted))):
        result = multiply(result, base)
    return divide(Number.of(1), result) if wanted < 0 else result


def root(degree: Amount, x: Amount) -> Amount:
    if not isinstance(x, Number):
        raise _outside("only roots of numbers without e are read")
    if not isinstance(degree, Number) or not degree.is_rational:
        raise _outside("the degree of a root is a whole number")
    wanted = degree.rational
    if x.is_rational and x.rational < 0 and (wanted % 2 == 0):
        raise Refusal("not-real", 0, message="a root of a negative number")
    return bounded.root(int(wanted) if wanted.denominator == 1 else 0, x)


def logarithm(x: Amount) -> Amount:
    if not isinstance(x, Number):
        raise _outside("only logarithms of numbers without e are read")
    if x.is_rational and x.rational <= 0:
        raise _undefined("only positive numbers have a logarithm")
    return bounded.logarithm(x)


def exponential(x: Amount) -> Amount:
    """e^x; 0 for −∞."""
    match x:
        case MinusInfinity():
            return Number.of(0)
        case Infinity():
            raise _undefined("e^∞ has no value")
        case Quotient():
            raise _large("an exponential in an exponent")
    if any(abs(c) > LARGEST_EXPONENT for _, c in x.terms):
        raise _large()
    if not x:
        return Number.of(1)
    made = exact_exp(bounded.checked(x))
    top, bottom = made.parts[0]
    return top.number if top.is_number else Quotient(((top, bottom),))


def guarded(work: Callable[..., Amount], start: int, end: int, *operands: Amount) -> Amount:
    """What the work gives; whatever it cannot do is refused at this place of the text."""
    try:
        return work(*operands)
    except Refusal as refusal:
        refusal.start, refusal.end = start, end
        raise
    except OutOfScope as error:
        raise Refusal("out-of-scope", start, end, message=error.message, hint=error.hint) from None
    except InputError as error:
        code = "too-large" if "too large" in error.message or "too many" in error.message else ""
        if "zero" in error.message:
            code = "undefined"
        elif "negative" in error.message:
            code = "not-real"
        raise Refusal(
            code or "out-of-scope", start, end, message=error.message, hint=error.hint
        ) from None
    except SymattnError as error:
        raise Refusal("out-of-scope", start, end, message=error.message, hint=error.hint) from None
    except (ZeroDivisionError, ValueError, OverflowError):
        raise Refusal("undefined", start, end) from None


def is_zero(x: Quotient) -> bool:
    from symattn.exact import decide

    return decide.is_zero(x)


def is_infinite(x: Amount) -> bool:
    return isinstance(x, (MinusInfinity, Infinity))


_infinite = is_infinite


def _quotient(x: Amount) -> Quotient:
    assert isinstance(x, (Number, Quotient))
    return Quotient.of(x)


def _sum(x: Quotient, y: Quotient) -> Amount:
    return _small(x + y)


def _small(x: Quotient) -> Amount:
    if x is NOTHING or not x.parts:
        return Number.of(0)
    if _terms(x) > MOST_EXPONENTIALS:
        raise _large()
    if len(x.parts) == 1:
        (top, bottom) = x.parts[0]
        if bottom.is_number and len(bottom.number.terms) == 1 and top.is_number:
            return bounded.divide(top.number, bottom.number)
    return x


def _terms(x: Quotient) -> int:
    return sum(len(top.terms) + len(bottom.terms) for top, bottom in x.parts)


def _undefined(message: str) -> Refusal:
    return Refusal("undefined", 0, message=message)


def _outside(message: str) -> Refusal:
    return Refusal("out-of-scope", 0, message=message)


def _large(what: str = "this") -> Refusal:
    return Refusal(
        "too-large", 0, message=f"{what} is too large for a hand calculation",
        hint="Write smaller numbers, or the value in decimals.",
    )  # fmt: skip


def fraction(value: Amount) -> Fraction | None:
    """The value where it is plainly rational, else None."""
    return value.rational if isinstance(value, Number) and value.is_rational else None
