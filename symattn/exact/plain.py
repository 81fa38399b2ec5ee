"""Exact values as one line of Python text: for JSON, and for code that runs."""

from __future__ import annotations

from fractions import Fraction
from typing import assert_never

from symattn.exact.expsum import ExpSum
from symattn.exact.matrix import MinusInfinity, Value
from symattn.exact.number import Atom, Number
from symattn.exact.quotient import Quotient


def plain(value: Value, *, exact: bool = True) -> str:
    """The value in SymPy's syntax; with `exact` False as floating-point Python.

    Names used: sqrt, log, exp and, where exact, Rational and oo; else inf.
    """
    match value:
        case MinusInfinity():
            return "-oo" if exact else "-inf"
        case Number():
            return _number(value, exact)
        case Quotient(parts):
            return " + ".join(_ratio(top, bottom, exact) for top, bottom in parts)
        case _:
            assert_never(value)


def _ratio(top: ExpSum, bottom: ExpSum, exact: bool) -> str:
    if bottom.is_number and bottom.number == Number.of(1):
        return _exp_sum(top, exact)
    return f"({_exp_sum(top, exact)})/({_exp_sum(bottom, exact)})"


def _exp_sum(value: ExpSum, exact: bool) -> str:
    terms = []
    for exponent, coefficient in value.terms:
        factor = _number(coefficient, exact)
        if not exponent:
            terms.append(factor)
            continue
        power = f"exp({_number(exponent, exact)})"
        if coefficient != Number.of(1):
            power = f"{factor if len(coefficient.terms) == 1 else f'({factor})'}*{power}"
        terms.append(power)
    return " + ".join(terms) or "0"


def _number(value: Number, exact: bool) -> str:
    terms = []
    for monomial, coefficient in value.terms:
        factors = [] if coefficient == 1 and monomial else [_rational(coefficient, exact)]
        factors += [_atom(atom, power, exact) for atom, power in monomial]
        terms.append("*".join(factors))
    return " + ".join(terms) or "0"


def _atom(atom: Atom, power: Fraction, exact: bool) -> str:
    match atom:
        case Atom("prime", int(prime)):
            base = str(prime)
        case Atom("log", int(prime)):
            base = f"log({prime})"
        case Atom("letter", str(name)):
            base = name
        case Atom("root", (int(), tuple(terms))):
            base = f"({_number(Number(terms), exact)})"
        case _:
            raise TypeError(atom)
    if power == Fraction(1, 2):
        return f"sqrt({base})"
    return base if power == 1 else f"{base}**({_rational(power, exact)})"


def _rational(value: Fraction, exact: bool) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    if exact:
        return f"Rational({value.numerator}, {value.denominator})"
    return f"{value.numerator}/{value.denominator}"
