"""SymPy expressions and matrices to exact values and back.

What goes out is what SymPy itself builds from the same formula: only its own constructors are
used, each once for equal arguments. Nothing here simplifies: with python-flint or gmpy2 installed,
`simplify`, `cancel`, `together` or `equals` can end the process without an exception.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cache
from typing import Any, Final, TypeAlias

import sympy

from symattn.errors import OutOfScope
from symattn.exact import number as exact
from symattn.exact.decide import rational_value
from symattn.exact.expsum import ExpSum, exponential
from symattn.exact.matrix import (
    MINUS_INFINITY,
    Matrix,
    MatrixLike,
    MinusInfinity,
    Value,
)
from symattn.exact.mixture import Beside, Mixture, Sum, Weights
from symattn.exact.number import ONE, Atom, Number
from symattn.exact.quotient import Quotient

Expr: TypeAlias = Any
"""A SymPy expression (SymPy has no types)."""

LARGEST_POWER: Final = 2000

# ------------------------------------------------------------------ from SymPy


def from_sympy(expr: Expr) -> Value:
    """The exact value of a SymPy expression: a Number wherever it is one, or a Quotient.

    −oo is MINUS_INFINITY; a Float is the decimal that SymPy prints. OutOfScope for everything
    that is not built from rationals, symbols, roots, logarithms, exp and hyperbolic functions;
    ZeroDivisionError for a division by zero.
    """
    try:
        node = sympy.sympify(expr, strict=True)  # Not strict, it would evaluate text.
    except sympy.SympifyError:
        raise _outside(f"a {type(expr).__name__}") from None
    return MINUS_INFINITY if node is sympy.S.NegativeInfinity else _tidied(_value(node))


def _tidied(value: Number | Quotient) -> Number | Quotient:
    """A Number where the value is plainly one."""
    if isinstance(value, Number) or len(value.parts) != 1:
        return value
    ((top, bottom),) = value.parts
    if top.is_number and bottom.is_number:
        return _ratio(top.number, bottom.number)
    return value


def _ratio(top: Number, bottom: Number) -> Number | Quotient:
    try:
        return top * bottom.inverse()
    except OutOfScope:
        return Quotient.ratio(top, bottom)


def _value(node: Expr) -> Number | Quotient:
    if node.is_Rational:
        return Number.of(Fraction(int(node.p), int(node.q)))
    if node.is_Symbol:
        return Number.letter(node.name)
    if node.is_Float and node.is_finite:
        return Number.of(Fraction(str(node)))
    if node is sympy.S.Exp1:
        return _tidied(_exponential(ONE))
    if node.is_Add:
        return _tidied(_folded(node.args, lambda a, b: a + b))
    if node.is_Mul:
        return _tidied(_folded(node.args, lambda a, b: a * b))
    if isinstance(node, sympy.exp):
        return _tidied(_exponential(_number(node.args[0], node)))
    if node.is_Pow:
        return _tidied(_power(node))
    if isinstance(node, sympy.log) and len(node.args) == 1:
        return _logarithm(_value(node.args[0]), node)
    for kind, build in _HYPERBOLIC.items():
        if isinstance(node, kind):
            x = _number(node.args[0], node)
            return _tidied(build(_exponential(x), _exponential(-x)))
    raise _outside(node)


def _folded(
    nodes: tuple[Expr, ...], combine: Callable[[Any, Any], Number | Quotient]
) -> Number | Quotient:
    # Numbers first, each kind together: a Quotient's product is the costly one.
    values = sorted(map(_value, nodes), key=lambda value: isinstance(value, Quotient))
    result = values[0]
    for value in values[1:]:
        if isinstance(value, Quotient) and isinstance(result, Number):
            result = Quotient.of(result)
        result = combine(result, value)
    return result


def _exponential(exponent: Number) -> Quotient:
    return Quotient.of(exponential(exponent))


def _number(node: Expr, around: Expr) -> Number:
    """The value of a part that must be a Number."""
    value = _value(node)
    if isinstance(value, Number):
        return value
    rational = None if value.has(exact.LETTER) else rational_value(value)
    if rational is None:
        raise _outside(around)
    return Number.of(rational)


def _power(node: Expr) -> Number | Quotient:
    base_node, exponent_node = node.args
    exponent = _number(exponent_node, node)
    if base_node is sympy.S.Exp1:
        return _exponential(exponent)
    base = _value(base_node)
    if exponent.is_rational:
        wanted = exponent.rational
        if max(abs(wanted.numerator), wanted.denominator) > LARGEST_POWER:
            raise OutOfScope(f"an exponent above {LARGEST_POWER} is too large to expand")
        if wanted.denominator > 1:
            base = _root(wanted.denominator, base, node)
        return _whole_power(base, wanted.numerator)
    if isinstance(base, Quotient):
        raise _outside(node)
    # b^x = e^(x·ln b).
    return _exponential(exponent * _logarithm(base, node))


def _root(degree: int, base: Number | Quotient, node: Expr) -> Number | Quotient:
    if isinstance(base, Number):
        # SymPy's root of a negative number is the complex one, also for odd degrees.
        if not base.has(exact.LETTER) and exact.sign(base) < 0:
            raise _outside(node)
        return exact.root(degree, base)
    top, bottom = base.single()
    if len(top.terms) != 1 or len(bottom.terms) != 1:
        raise _outside(node)
    (((a, c),), ((b, d),)) = top.terms, bottom.terms
    factor = _ratio(c, d)
    if not isinstance(factor, Number) or factor.has(exact.LETTER) or exact.sign(factor) < 0:
        raise _outside(node)
    return _exponential((a - b) * Fraction(1, degree)) * exact.root(degree, factor)


def _whole_power(base: Number | Quotient, exponent: int) -> Number | Quotient:
    if exponent < 0:
        inverse = _ratio(ONE, base) if isinstance(base, Number) else 1 / base
        return _whole_power(inverse, -exponent)
    if isinstance(base, Number):
        return base**exponent
    top, bottom = base.single()
    return Quotient(((_expsum_power(top, exponent), _expsum_power(bottom, exponent)),))


def _expsum_power(base: ExpSum, exponent: int) -> ExpSum:
    result, square = ExpSum.of(1), base
    while exponent:
        if exponent & 1:
            result = result * square
        exponent >>= 1
        if exponent:
            square = square * square
    return result


def _logarithm(value: Number | Quotient, node: Expr) -> Number:
    """ln of a positive rational times roots of rationals, or of a power of e."""
    if isinstance(value, Quotient):
        top, bottom = value.single()
        if len(top.terms) != 1 or len(bottom.terms) != 1:
            raise _outside(node)
        (((a, c),), ((b, d),)) = top.terms, bottom.terms
        return a - b + _logarithm(c, node) - _logarithm(d, node)
    if len(value.terms) != 1:
        raise _outside(node)
    ((monomial, coefficient),) = value.terms
    result = exact.logarithm(coefficient)
    for atom, power in monomial:
        match atom:
            case Atom("prime", int(prime)):
                result = result + exact.logarithm(prime) * power
            case _:
                raise _outside(node)
    return result


_HYPERBOLIC: Final[dict[Any, Callable[[Quotient, Quotient], Quotient]]] = {
    sympy.sinh: lambda up, down: (up - down) * Number.of(Fraction(1, 2)),
    sympy.cosh: lambda up, down: (up + down) * Number.of(Fraction(1, 2)),
    sympy.tanh: lambda up, down: (up - down) / (up + down),
    sympy.coth: lambda up, down: (up + down) / (up - down),
    sympy.sech: lambda up, down: Quotient.of(2) / (up + down),
    sympy.csch: lambda up, down: Quotient.of(2) / (up - down),
}


def _outside(node: Expr) -> OutOfScope:
    text = str(node)
    return OutOfScope(
        f"{text if len(text) <= 60 else text[:60] + '…'} is outside what symattn can carry exactly",
        hint="Use rationals, symbols, roots, logarithms of rationals, exp, and sums of them.",
    )


# ------------------------------------------------------------------ to SymPy


def to_sympy(value: Value) -> Expr:
    """The SymPy expression of one exact value; −oo for MINUS_INFINITY."""
    match value:
        case MinusInfinity():
            return sympy.S.NegativeInfinity
        case Number():
            return _of_number(value)
        case Quotient():
            return sympy.Add(*(_of_sum(top) / _of_sum(bottom) for top, bottom in value.parts))


def matrix_to_sympy(matrix: MatrixLike) -> Expr:
    """The ImmutableMatrix that SymPy builds by the same law.

    Numbers are multiplied out. Weights are exp(M_ij)/Σ_k exp(M_ik), a Mixture is the product A·V,
    Beside stands side by side, and a Sum is the sum of its products. (Where W_O or V hold roots or
    letters, SymPy leaves C·W_O factored; `product_to_sympy` then gives that product.)
    """
    n, m = matrix.shape
    return sympy.ImmutableMatrix(n, m, [x for row in _rows(matrix) for x in row])


def product_to_sympy(left: MatrixLike, right: MatrixLike) -> Expr:
    """left·right exactly as SymPy multiplies the two matrices: Y as C·W_O."""
    return matrix_to_sympy(left) * matrix_to_sympy(right)


def _rows(matrix: MatrixLike) -> list[list[Expr]]:
    match matrix:
        case Weights():
            return _weights(matrix)
        case Mixture(A=A, V=None):
            return _weights(A)
        case Mixture(A=A, V=V):
            assert V is not None
            return _product(_weights(A), [[to_sympy(v) for v in row] for row in V.values()])
        case Beside(parts=parts):
            blocks = [_rows(part) for part in parts]
            return [[x for row in rows for x in row] for rows in zip(*blocks, strict=True)]
        case Sum(parts=parts):
            return _summed(parts)
        case Matrix():
            known: dict[Value, Expr] = {}
            for row in matrix.values():
                for value in row:
                    if value not in known:
                        known[value] = to_sympy(value)
            return [[known[value] for value in row] for row in matrix.values()]
        case _:
            n, m = matrix.shape
            return [[to_sympy(matrix.at(i, j)) for j in range(m)] for i in range(n)]


def _weights(weights: Weights) -> list[list[Expr]]:
    exponentials: dict[Value, Expr] = {}
    rows = []
    for values in weights.M.values():
        for value in values:
            if value not in exponentials:
                exponentials[value] = sympy.exp(to_sympy(value))
        row = [exponentials[value] for value in values]
        total = sympy.Add(*row)
        if not total:
            rows.append([sympy.S.Zero] * len(row))
            continue
        inverse = 1 / total
        shares = {x: x * inverse for x in set(row)}
        rows.append([shares[x] for x in row])
    return rows


def _product(left: list[list[Expr]], right: list[list[Expr]]) -> list[list[Expr]]:
    times = cache(lambda a, b: a * b)
    columns = list(zip(*right, strict=True))
    return [[sympy.Add(*map(times, row, column)) for column in columns] for row in left]


def _summed(parts: tuple[Mixture, ...]) -> list[list[Expr]]:
    """Σ_h A_h (V_h W_O,h), each entry of V_h W_O,h taken term by term."""
    times = cache(lambda a, b: a * b)
    terms = cache(_terms)
    n, m = parts[0].shape
    weights = [_weights(part.A) for part in parts]
    values = [part.V.values() if part.V else () for part in parts]
    return [
        [
            sympy.Add(
                *(
                    times(share, term)
                    for A, V in zip(weights, values, strict=True)
                    for share, row in zip(A[i], V, strict=True)
                    for term in terms(row[j])
                )
            )
            for j in range(m)
        ]
        for i in range(n)
    ]


def _terms(value: Value) -> tuple[Expr, ...]:
    if not isinstance(value, Number):
        return (to_sympy(value),)
    return tuple(_of_number(Number((term,))) for term in value.terms)


def _of_number(value: Number) -> Expr:
    return sympy.Add(
        *(
            sympy.Mul(_rational(coefficient), *(_of_atom(atom, power) for atom, power in monomial))
            for monomial, coefficient in value.terms
        )
    )


def _of_sum(value: ExpSum) -> Expr:
    return sympy.Add(
        *(
            _of_number(coefficient) * sympy.exp(_of_number(exponent))
            for exponent, coefficient in value.terms
        )
    )


def _of_atom(atom: Atom, power: Fraction) -> Expr:
    match atom:
        case Atom("prime", int(prime)):
            base = sympy.Integer(prime)
        case Atom("log", int(prime)):
            base = sympy.log(sympy.Integer(prime))
        case Atom("root", (int(), tuple(terms))):
            base = _of_number(Number(terms))
        case Atom("letter", str(name)):
            base = sympy.Symbol(name)
        case _:
            raise TypeError(atom)
    return base ** _rational(power)


def _rational(value: Fraction) -> Expr:
    return sympy.Rational(value.numerator, value.denominator)
