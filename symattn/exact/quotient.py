"""Values of the form Σ N/D with N and D sums of exponentials: what attention makes."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Final, TypeAlias, Union

from symattn.exact.expsum import ExpSum, Summable, exponential
from symattn.exact.number import Number, Numeric

Valued: TypeAlias = Union["Quotient", ExpSum, Number, int, Fraction]


@dataclass(frozen=True, slots=True)
class Quotient:
    """Σ N/D, kept apart: with several heads one common bottom would be their product.

    `parts` are (N, D). Two Quotients that are equal may have different parts; ask
    `decide.equal`.
    """

    parts: tuple[tuple[ExpSum, ExpSum], ...]

    @staticmethod
    def of(value: Valued) -> Quotient:
        match value:
            case Quotient():
                return value
            case _:
                return Quotient(((ExpSum.of(value), UNIT),))

    @staticmethod
    def ratio(top: Summable, bottom: Summable) -> Quotient:
        """top/bottom. ZeroDivisionError if bottom has an empty normal form."""
        below = ExpSum.of(bottom)
        if not below:
            raise ZeroDivisionError("division by zero")
        return Quotient(((ExpSum.of(top), below),))

    def __add__(self, other: Valued) -> Quotient:
        tops: dict[ExpSum, ExpSum] = {}
        for top, bottom in (*self.parts, *Quotient.of(other).parts):
            tops[bottom] = tops[bottom] + top if bottom in tops else top
        parts = tuple((top, bottom) for bottom, top in tops.items() if top)
        return Quotient(parts) if parts else NOTHING

    __radd__ = __add__

    def __neg__(self) -> Quotient:
        return Quotient(tuple((-top, bottom) for top, bottom in self.parts))

    def __sub__(self, other: Valued) -> Quotient:
        return self + -Quotient.of(other)

    def __rsub__(self, other: Valued) -> Quotient:
        return Quotient.of(other) - self

    def __mul__(self, other: Valued) -> Quotient:
        result = NOTHING
        for top, bottom in self.parts:
            for right_top, right_bottom in Quotient.of(other).parts:
                result = result + Quotient(((top * right_top, bottom * right_bottom),))
        return result

    __rmul__ = __mul__

    def __truediv__(self, other: Valued) -> Quotient:
        top, bottom = Quotient.of(other).single()
        return self * Quotient.ratio(bottom, top)

    def __rtruediv__(self, other: Valued) -> Quotient:
        return Quotient.of(other) / self

    def single(self) -> tuple[ExpSum, ExpSum]:
        """The same value as one N/D."""
        bottom = self.parts[0][1]
        for _, other in self.parts[1:]:
            bottom = bottom * other
        return self.top(), bottom

    def top(self) -> ExpSum:
        """N of `single` alone."""
        (top, bottom), *rest = self.parts
        for k, (other_top, other_bottom) in enumerate(rest, 1):
            top = top * other_bottom + other_top * bottom
            if k < len(rest):
                bottom = bottom * other_bottom
        return top

    def has(self, kind: str) -> bool:
        return any(top.has(kind) or bottom.has(kind) for top, bottom in self.parts)


UNIT: Final = ExpSum.of(1)
NOTHING: Final = Quotient(((ExpSum.of(0), UNIT),))


def exp(exponent: Numeric) -> Quotient:
    """e^exponent as a value."""
    return Quotient.of(exponential(exponent))
