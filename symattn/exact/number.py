"""Numbers in normal form: sums of rational multiples of products of radicals, logarithms, letters.

A `Number` is a finite sum of terms q·m with q rational and m a product of atoms:

* prime^e with 0 < e < 1 rational: √2, 3^(1/4). Different products of such powers are linearly
  independent over the rationals (A. S. Besicovitch, "On the linear independence of fractional
  powers of integers", J. London Math. Soc. 15, 1940), so a sum of them is zero only if it is empty.
* letter^k, with k any integer: indeterminates.
* ln(prime)^k: logarithms of different primes are linearly independent, together with 1, over the
  algebraic numbers (A. Baker, "Linear forms in the logarithms of algebraic numbers", 1966).
* root(n, x)^e: real radicals that do not split into the above, such as √(2 + √3). They are
  algebraic integers, and a non-zero algebraic integer of degree D whose conjugates are at most u
  is at least u^(1−D): its norm is a non-zero integer. That decides whether a sum of them is zero.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import lcm
from typing import Final, NamedTuple, TypeAlias, Union

from symattn.errors import OutOfScope, Undecided

LARGEST_RADICAND: Final = 10**12
"""Numbers under a root are factored by trial division up to this size."""
MOST_TERMS: Final = 20_000
"""A product with more terms than this is refused rather than computed for minutes."""
MOST_BITS: Final = 1 << 16
"""Precision at which a sign that no theorem bounds is given up as undecided."""


class Atom(NamedTuple):
    """One factor of a term. `key` is the prime, the letter, or (degree, terms of the radicand)."""

    kind: str
    key: int | str | tuple[int, tuple[Term, ...]]


Monomial: TypeAlias = tuple[tuple[Atom, Fraction], ...]
"""Atoms in order, each with its power."""
Term: TypeAlias = tuple[Monomial, Fraction]
"""A monomial and its coefficient."""
Rational: TypeAlias = Union[int, Fraction]
Numeric: TypeAlias = Union["Number", int, Fraction]

PRIME: Final = "prime"
LETTER: Final = "letter"
LOG: Final = "log"
ROOT: Final = "root"


@dataclass(frozen=True, slots=True)
class Number:
    """An exact real number, or a polynomial over such numbers where it has letters.

    `terms` is the normal form. Without `root` atoms two Numbers are equal exactly when their
    terms are; with them, ask `is_zero` of the difference.
    """

    terms: tuple[Term, ...]

    # -------------------------------------------------------------- making

    @staticmethod
    def of(value: Numeric) -> Number:
        match value:
            case Number():
                return value
            case _:
                return Number((((), Fraction(value)),)) if value else ZERO

    @staticmethod
    def letter(name: str) -> Number:
        """The indeterminate with this name."""
        return Number(((((Atom(LETTER, name), Fraction(1)),), Fraction(1)),))

    # -------------------------------------------------------------- looking

    @property
    def is_rational(self) -> bool:
        return not self.terms or (len(self.terms) == 1 and not self.terms[0][0])

    @property
    def rational(self) -> Fraction:
        """The value, if `is_rational`; ValueError otherwise."""
        if not self.is_rational:
            raise ValueError(f"{self!r} is not rational")
        return self.terms[0][1] if self.terms else Fraction(0)

    def atoms(self) -> set[Atom]:
        """All atoms, also those inside the radicands of roots."""
        found: set[Atom] = set()
        for monomial, _ in self.terms:
            for atom, _ in monomial:
                found.add(atom)
                if isinstance(atom.key, tuple):
                    found |= Number(atom.key[1]).atoms()
        return found

    def has(self, kind: str) -> bool:
        """Whether an atom of this kind (PRIME, LETTER, LOG, ROOT) occurs anywhere."""
        return any(atom.kind == kind for atom in self.atoms())

    @property
    def letters(self) -> frozenset[str]:
        return frozenset(str(atom.key) for atom in self.atoms() if atom.kind == LETTER)

    # -------------------------------------------------------------- the field operations

    def __add__(self, other: Numeric) -> Number:
        if not isinstance(other, (Number, int, Fraction)):
            return NotImplemented
        total = dict(self.terms)
        for monomial, coefficient in Number.of(other).terms:
            total[monomial] = total.get(monomial, Fraction(0)) + coefficient
        return from_terms(total)

    __radd__ = __add__

    def __neg__(self) -> Number:
        return Number(tuple((monomial, -coefficient) for monomial, coefficient in self.terms))

    def __sub__(self, other: Numeric) -> Number:
        if not isinstance(other, (Number, int, Fraction)):
            return NotImplemented
        return self + -Number.of(other)

    def __rsub__(self, other: Numeric) -> Number:
        return Number.of(other) - self

    def __mul__(self, other: Numeric) -> Number:
        if not isinstance(other, (Number, int, Fraction)):
            return NotImplemented
        right = Number.of(other)
        if len(self.terms) * len(right.terms) > MOST_TERMS:
            raise OutOfScope(
                f"a product of {len(self.terms)} by {len(right.terms)} terms is too large",
                hint="Use smaller matrices or fewer letters.",
            )
        total: dict[Monomial, Fraction] = {}
        for left_monomial, left in self.terms:
            for right_monomial, coefficient in right.terms:
                for monomial, extra in _product(left_monomial, right_monomial):
                    value = total.get(monomial, Fraction(0)) + left * coefficient * extra
                    total[monomial] = value
        return from_terms(total)

    __rmul__ = __mul__

    def __pow__(self, exponent: int) -> Number:
        if exponent < 0:
            return self.inverse() ** -exponent
        result, square = ONE, self
        while exponent:
            if exponent & 1:
                result = result * square
            exponent >>= 1
            if exponent:
                square = square * square
        return result

    def __truediv__(self, other: Numeric) -> Number:
        if not isinstance(other, (Number, int, Fraction)):
            return NotImplemented
        return self * Number.of(other).inverse()

    def __rtruediv__(self, other: Numeric) -> Number:
        return Number.of(other) * self.inverse()

    def inverse(self) -> Number:
        """1/self for a single term or a sum of square roots.

        ZeroDivisionError for zero; OutOfScope for other sums, whose inverse has no normal form
        here (a quotient of two Numbers is still exact: see `Quotient`).
        """
        if is_zero(self):
            raise ZeroDivisionError("division by zero")
        if len(self.terms) == 1:
            ((monomial, coefficient),) = self.terms
            result = Number.of(1 / coefficient)
            for atom, power in monomial:
                result = result * _atom_power(atom, -power)
            return result
        # Multiply by the conjugate √p → −√p for one prime after another.
        prime = next((a for m, _ in self.terms for a, e in m if _is_square_root(a, e)), None)
        if prime is None or any(not _is_square_root(a, e) for m, _ in self.terms for a, e in m):
            raise OutOfScope(
                "a sum that is not made of square roots cannot stand below a fraction bar here",
                hint="Write the number without this fraction, or choose another one.",
            )
        conjugate = Number(
            tuple((m, -c if any(a == prime for a, _ in m) else c) for m, c in self.terms)
        )
        return conjugate * (self * conjugate).inverse()

    def __bool__(self) -> bool:
        return bool(self.terms)


ZERO: Final = Number(())
ONE: Final = Number((((), Fraction(1)),))


def from_terms(terms: Mapping[Monomial, Fraction]) -> Number:
    """The Number with these terms: zeros dropped, in order."""
    return Number(tuple(sorted((m, c) for m, c in terms.items() if c)))


def total(values: Iterable[Numeric]) -> Number:
    """The sum of many Numbers, ordered once."""
    terms: dict[Monomial, Fraction] = {}
    for value in values:
        for monomial, coefficient in Number.of(value).terms:
            terms[monomial] = terms.get(monomial, Fraction(0)) + coefficient
    return from_terms(terms)


def _is_square_root(atom: Atom, power: Fraction) -> bool:
    return atom.kind == PRIME and power == Fraction(1, 2)


def _product(left: Monomial, right: Monomial) -> tuple[Term, ...]:
    """The product of two monomials, in normal form."""
    if not left or not right:
        return ((left or right, Fraction(1)),)
    powers = dict(left)
    clean = True
    for atom, power in right:
        powers[atom] = power = powers.get(atom, Fraction(0)) + power
        clean = clean and bool(power) and (atom.kind in (LETTER, LOG) or power < 1)
    if clean:
        return ((tuple(sorted(powers.items())), Fraction(1)),)
    result = ONE
    for atom, power in powers.items():
        factor = _atom_power(atom, power)
        result = factor if result is ONE else result * factor
    return result.terms


def _atom_power(atom: Atom, power: Fraction) -> Number:
    """atom^power in normal form, for any power that occurs: whole parts leave the root."""
    if not power:
        return ONE
    if atom.kind in (LETTER, LOG):
        return Number(((((atom, power),), Fraction(1)),))
    whole, rest = divmod(power, 1)
    base = _base(atom)
    result = ONE if not rest else Number(((((atom, rest),), Fraction(1)),))
    return result * base ** int(whole) if whole else result


def _base(atom: Atom) -> Number:
    """What atom^1 is: the prime itself, or the radicand (a root atom's powers are in n-ths)."""
    match atom.key:
        case int(prime):
            return Number.of(prime)
        case (int(), tuple(terms)):
            return Number(terms)
        case _:
            raise TypeError(f"{atom} is neither a prime nor a root")


# ------------------------------------------------------------------ roots and logarithms


@lru_cache(maxsize=4096)
def factorisation(value: int) -> tuple[tuple[int, int], ...]:
    """Primes and exponents of a positive integer; OutOfScope when it cannot be factored here."""
    factors: list[tuple[int, int]] = []
    divisor = 2
    while divisor * divisor <= value and divisor * divisor <= LARGEST_RADICAND:
        exponent = 0
        while value % divisor == 0:
            value //= divisor
            exponent += 1
        if exponent:
            factors.append((divisor, exponent))
        divisor += 1 if divisor == 2 else 2
    if value > LARGEST_RADICAND:
        raise OutOfScope(
            "a number under a root or logarithm has a factor above 10^12",
            hint="Use a smaller number there.",
        )
    if value > 1:
        factors.append((value, 1))
    return tuple(factors)


def square_root(value: Numeric) -> Number:
    """√value; see `root`."""
    return root(2, value)


def root(degree: int, value: Numeric) -> Number:
    """The real root of the given degree, in normal form.

    OutOfScope for an even root of a negative number or a root of letters or logarithms.
    """
    radicand = Number.of(value)
    if is_zero(radicand):
        return ZERO
    if radicand.has(LETTER) or radicand.has(LOG):
        raise OutOfScope(
            "a root of a letter or logarithm has no exact normal form here",
            hint="Use a number under the root.",
        )
    if sign(radicand) < 0:
        if degree % 2 == 0:
            raise OutOfScope("an even root of a negative number is not real")
        return -root(degree, -radicand)
    if len(radicand.terms) == 1 and all(a.kind == PRIME for a, _ in radicand.terms[0][0]):
        ((monomial, coefficient),) = radicand.terms
        powers = {atom: power / degree for atom, power in monomial}
        for prime, exponent in factorisation(coefficient.numerator):
            _raise(powers, prime, Fraction(exponent, degree))
        for prime, exponent in factorisation(coefficient.denominator):
            _raise(powers, prime, Fraction(-exponent, degree))
        result = ONE
        for atom, power in powers.items():
            result = result * _atom_power(atom, power)
        return result
    # Clear the denominators, so that the new atom is an algebraic integer.
    scale = lcm(*(c.denominator for _, c in radicand.terms))
    integral = radicand * scale**degree
    atom = Atom(ROOT, (degree, integral.terms))
    return Number(((((atom, Fraction(1, degree)),), Fraction(1, scale)),))


def _raise(powers: dict[Atom, Fraction], prime: int, by: Fraction) -> None:
    atom = Atom(PRIME, prime)
    powers[atom] = powers.get(atom, Fraction(0)) + by


def logarithm(value: Rational) -> Number:
    """ln(value) of a positive rational, as a combination of logarithms of primes."""
    rational = Fraction(value)
    if rational <= 0:
        raise OutOfScope("the logarithm of zero or of a negative number is not real")
    terms: dict[Monomial, Fraction] = {}
    for part, signed in ((rational.numerator, 1), (rational.denominator, -1)):
        for prime, exponent in factorisation(part):
            monomial = ((Atom(LOG, prime), Fraction(1)),)
            terms[monomial] = terms.get(monomial, Fraction(0)) + signed * exponent
    return from_terms(terms)


# ------------------------------------------------------------------ decisions


def is_zero(value: Number) -> bool:
    """Whether the value is zero: by its normal form, or by the norm bound where it has roots.

    Undecided only where roots meet products of logarithms (no theorem covers those).
    """
    if not value.terms or not any(a.kind == ROOT for m, _ in value.terms for a, _ in m):
        return not value.terms
    # Letters are independent: zero means that the coefficient of each monomial in them is zero.
    parts: dict[Monomial, dict[Monomial, Fraction]] = {}
    for monomial, coefficient in value.terms:
        outer = tuple((a, e) for a, e in monomial if a.kind in (LETTER, LOG))
        inner = tuple((a, e) for a, e in monomial if a.kind not in (LETTER, LOG))
        parts.setdefault(outer, {})[inner] = coefficient
    zero = [_is_zero_algebraic(from_terms(part)) for part in parts.values()]
    return all(zero)


def _is_zero_algebraic(value: Number) -> bool:
    if not any(a.kind == ROOT for m, _ in value.terms for a, _ in m):
        return not value.terms
    from symattn.exact import enclosure  # mpmath is only loaded for roots within roots

    integral = value * lcm(*(c.denominator for _, c in value.terms))
    bits = (_degree(integral.atoms(), integral) - 1) * _conjugate_bits(integral) + 2
    if bits > MOST_BITS:
        raise Undecided(
            "the roots in this number are too many or too deep to decide whether it is zero",
            hint="Write it with fewer nested roots.",
        )
    precision = 64
    while True:
        size = enclosure.largest_magnitude_bits(integral, precision)
        if not enclosure.contains_zero(integral, precision):
            return False
        if size < -bits:
            return True
        precision *= 2


def _degree(atoms: set[Atom], value: Number) -> int:
    """A bound for the degree over Q of everything made from these atoms."""
    degree = 1
    for atom in atoms:
        match atom:
            case Atom("root", (int(n), tuple())):
                degree *= n
            case Atom("prime", int()):
                degree *= lcm(*(e.denominator for e in _powers_of(atom, value)))
    return degree


def _powers_of(atom: Atom, value: Number) -> Iterable[Fraction]:
    for monomial, _ in value.terms:
        for other, power in monomial:
            if other == atom:
                yield power
            if isinstance(other.key, tuple):
                yield from _powers_of(atom, Number(other.key[1]))


def _conjugate_bits(value: Number) -> int:
    """b such that every conjugate of this algebraic integer is below 2^b."""
    largest = 0
    for monomial, coefficient in value.terms:
        bits = Fraction(abs(coefficient.numerator).bit_length())
        for atom, power in monomial:
            bits += power * _conjugate_bits(_base(atom))
        largest = max(largest, -(-bits.numerator // bits.denominator))
    return largest + len(value.terms).bit_length()


def sign(value: Number) -> int:
    """−1, 0 or 1. Raises Undecided where no theorem bounds the value, ValueError for letters."""
    if value.is_rational:
        rational = value.rational
        return (rational > 0) - (rational < 0)
    if value.has(LETTER):
        raise ValueError("a letter has no sign")
    if is_zero(value):
        return 0
    from symattn.exact import enclosure

    return enclosure.sign_of(lambda precision: enclosure.of_number(value, precision))
