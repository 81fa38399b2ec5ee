"""Exact arithmetic on what somebody typed, refused before it becomes slow or large.

Each function checks the size of its operands first, so that one cell costs milliseconds at most,
whatever is in it.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from symattn.errors import InputError, OutOfScope
from symattn.exact import number as exact
from symattn.exact.expsum import exponential
from symattn.exact.number import LETTER, ONE, PRIME, ROOT, Atom, Number

MOST_BITS: Final = 4000
"""Of a numerator or denominator: about 1200 digits."""
MOST_TERMS: Final = 200
"""Of a sum."""
LARGEST_EXPONENT: Final = 1000
MOST_POWERS_OF_SUMS: Final = 100
MOST_POWERS_OF_LETTERS: Final = 40
MOST_POWERS_OF_ROOTS: Final = 12
"""Of sums with three terms or more, with letters, and of numbers with roots of sums in them."""
LARGEST_DEGREE: Final = 100
"""Of a root."""
LARGEST_FACTORED: Final = 10**10
"""Under a root or logarithm, apart from factors 2 and 5 (which decimals bring along)."""
LARGEST_RADICAND: Final = 16
"""Terms of a sum under a root."""
MOST_NESTED_ROOTS: Final = 2
"""Different roots of sums in one number: each doubles the degree in which it is compared."""
MOST_PRIMES_BELOW: Final = 4
"""Different square roots below a fraction bar: the conjugates number 2 to this power."""


def checked(value: Number) -> Number:
    """The value; InputError if it is too large to be a number in an exercise."""
    if len(value.terms) > MOST_TERMS:
        raise _too_large(f"a sum of more than {MOST_TERMS} terms")
    for monomial, coefficient in value.terms:
        numerator, denominator = coefficient.numerator, coefficient.denominator
        if max(numerator.bit_length(), denominator.bit_length()) > MOST_BITS:
            raise _too_large(f"a number of more than {MOST_BITS * 3 // 10} digits")
        if any(abs(power) > LARGEST_EXPONENT for _, power in monomial):
            raise _too_large(f"an exponent above {LARGEST_EXPONENT}")
    return value


def add(left: Number, right: Number) -> Number:
    return checked(left + right)


def multiply(left: Number, right: Number) -> Number:
    if len(left.terms) * len(right.terms) > 2 * MOST_TERMS:
        raise _too_large("a product of two such long sums")
    product = checked(left * right)
    _check_roots(product)
    return product


def divide(left: Number, right: Number) -> Number:
    return multiply(left, invert(right))


def invert(value: Number) -> Number:
    """1/value. InputError for zero, OutOfScope where it has no normal form."""
    primes = {a for m, _ in value.terms for a, _ in m if a.kind == PRIME}
    if len(value.terms) > 1 and len(primes) > MOST_PRIMES_BELOW:
        raise _too_large(f"more than {MOST_PRIMES_BELOW} different roots below a fraction bar")
    try:
        return checked(value.inverse())
    except ZeroDivisionError:
        raise InputError("division by zero", hint="Change what stands below the bar.") from None


def power(base: Number, exponent: Number) -> Number:
    """base^exponent for a rational exponent; a fractional one takes the real root."""
    if not exponent.is_rational:
        raise InputError(
            "an exponent must be a whole number or a fraction",
            hint="Write powers such as a^2, 2^(1/2) or 3^-1.",
        )
    wanted = exponent.rational
    if abs(wanted) > LARGEST_EXPONENT:
        raise _too_large(f"an exponent above {LARGEST_EXPONENT}")
    if wanted.denominator == 1:
        return _whole_power(base, int(wanted))
    if not base.has(LETTER) and exact.sign(base) < 0:
        raise InputError(
            "a negative number has no fractional power here",
            hint="Write root(3, -8) for the real cube root of -8.",
        )
    return _whole_power(root(wanted.denominator, base), wanted.numerator)


def _whole_power(base: Number, exponent: int) -> Number:
    if exponent < 0:
        return _whole_power(invert(base), -exponent)
    bits = max((_bits(coefficient) - 1 for _, coefficient in base.terms), default=0)
    if bits * exponent > MOST_BITS:
        raise _too_large(f"a number of more than {MOST_BITS * 3 // 10} digits")
    if exponent > _most_powers(base):
        raise _too_large(f"a power of such a sum above the {_most_powers(base)}th")
    result, square = ONE, base
    while exponent:
        if exponent & 1:
            result = multiply(result, square)
        exponent >>= 1
        if exponent:
            square = multiply(square, square)
    return result


def _most_powers(base: Number) -> int:
    if base.has(ROOT):
        return MOST_POWERS_OF_ROOTS
    if len(base.terms) > 1 and base.has(LETTER):
        return MOST_POWERS_OF_LETTERS
    return LARGEST_EXPONENT if len(base.terms) < 3 else MOST_POWERS_OF_SUMS


def root(degree: int, value: Number) -> Number:
    """The real root. OutOfScope for letters, and for even roots of negative numbers."""
    if not 2 <= degree <= LARGEST_DEGREE:
        raise InputError(
            f"the degree of a root is a whole number from 2 to {LARGEST_DEGREE}",
            hint="Write root(3, x) for the cube root of x.",
        )
    if len(value.terms) == 1:
        _check_factors(value.terms[0][1])
    elif len(value.terms) > LARGEST_RADICAND or any(_bits(c) > 256 for _, c in value.terms):
        raise _too_large("so long a sum under a root")
    result = exact.root(degree, value)
    _check_roots(result)
    return checked(result)


def logarithm(value: Number) -> Number:
    """ln(value) of a positive rational number."""
    if not value.is_rational:
        raise OutOfScope(
            "only the logarithm of a whole number or a fraction has an exact form here",
            hint="Write logarithms such as ln(2) or ln(3/4).",
        )
    rational = value.rational
    if rational > 0:
        _check_factors(rational)
    return checked(exact.logarithm(rational))


def exponential_number(value: Number) -> Number:
    """e^value where that is a number without e, as e^(ln 2) is 2; OutOfScope otherwise."""
    size = Fraction(0)
    for monomial, coefficient in value.terms:
        match monomial:
            case ((Atom(kind="log", key=int(prime)), Fraction(numerator=1, denominator=1)),):
                size += abs(coefficient) * prime.bit_length()
                if coefficient.denominator > LARGEST_DEGREE:
                    raise _too_large(f"a root above the {LARGEST_DEGREE}th")
            case _:
                raise OutOfScope(
                    "exp is read only where no e is left, as in exp(ln(2)) = 2",
                    hint="e^x appears when the softmax is taken: give x as a score instead.",
                )
    if size > MOST_BITS:
        raise _too_large(f"a number of more than {MOST_BITS * 3 // 10} digits")
    return checked(exponential(value).number)


def _bits(value: Fraction) -> int:
    return max(value.numerator.bit_length(), value.denominator.bit_length())


def _check_factors(value: Fraction) -> None:
    for part in (abs(value.numerator), value.denominator):
        for prime in (2, 5):
            while part and part % prime == 0:
                part //= prime
        if part > LARGEST_FACTORED:
            raise _too_large("a number above 10^10 under a root or logarithm")


def _check_roots(value: Number) -> None:
    if sum(atom.kind == ROOT for atom in value.atoms()) > MOST_NESTED_ROOTS:
        raise InputError(
            "there are too many roots of sums in one number",
            hint=f"At most {MOST_NESTED_ROOTS} roots such as sqrt(2 + sqrt(3)) can be combined.",
        )


def _too_large(what: str) -> InputError:
    return InputError(f"{what} is too large for an exercise", hint="Use smaller numbers.")
