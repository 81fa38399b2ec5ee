"""Powers of e^(−u) in fixed point with proved error bounds, by integer arithmetic alone.

Everything here is a pair (a, error) that stands for a value in [a − error, a + error] / 2^bits.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from symattn.errors import Undecided
from symattn.exact.number import MOST_BITS
from symattn.exact.rounding import Rounded, Rounding, round_enclosed, round_rational


@dataclass(frozen=True, eq=False, slots=True)
class Powers:
    """x^k for x = e^(−u), u > 0: `table[k]` is x^k · 2^bits, off by at most `error`."""

    table: Mapping[int, int]
    error: int
    bits: int


def powers_of_decay(square: Fraction, gaps: Iterable[int], bits: int) -> Powers:
    """x^k for each k ≥ 0 in `gaps`, where x = e^(−√square).

    A product of two values in [0, 1] with errors a and b, rounded down, is off by at most
    a + b + 1 (+1 for the product of the errors), so x^k is off by at most k·(error of x + 2)
    in whatever order the k factors are multiplied. That many guard bits are added and dropped.
    """
    wanted = set(gaps)
    # e^(−b) < 2^(−b): what lies further down is 0, off by less than one unit.
    last = isqrt(bits * bits * square.denominator // square.numerator) + 1
    kept = sorted(k for k in wanted if k <= last)
    largest = kept[-1] if kept else 0
    if not largest:
        return Powers({k: 0 if k else 1 << bits for k in wanted}, 1 if any(wanted) else 0, bits)
    guard = largest.bit_length() + 10
    working = bits + guard
    x, error = exp_of_minus_root(square, working)
    powers, power_of_two = {0: 1 << working}, x
    for size in range(largest.bit_length()):
        if size % 5 == 0:
            powers[1 << size] = power_of_two
        power_of_two = power_of_two * power_of_two >> working

    def power(k: int) -> int:
        found = powers.get(k)
        if found is None:
            # Neighbours in the table share their digits to base 32.
            size = 5 * ((k.bit_length() - 1) // 5)
            low = k & ((1 << size) - 1)
            found = power(k - (low or 1 << size)) * power(low or 1 << size) >> working
            powers[k] = found
        return found

    bound = (largest * (error + 2) >> guard) + 2
    return Powers({**dict.fromkeys(wanted, 0), **{k: power(k) >> guard for k in kept}}, bound, bits)


@lru_cache(maxsize=256)
def exp_of_minus_root(square: Fraction, bits: int) -> tuple[int, int]:
    """e^(−√square) in fixed point, for square > 0."""
    working = bits + 24 + isqrt(bits)
    # √square·2^working rounded down is below the true value by less than 2.
    root = isqrt(square.numerator * square.denominator << 2 * working) // square.denominator
    if root >> working > bits:
        return 0, 1  # e^(−b) < 2^(−b)
    halvings = max(0, root.bit_length() - working) + isqrt(bits) // 2 + 4
    y = root >> halvings
    # e^(−y) = 1 − y + y²/2 − …: each term is off by less than 2, and the series alternates.
    term, result, k = 1 << working, 1 << working, 0
    while term:
        k += 1
        term = -(term * y >> working) // k if term > 0 else (-term * y >> working) // k
        result += term
    error = 2 * k + 4
    for _ in range(halvings):
        result = result * result >> working
        error = 2 * error + 2
    drop = working - bits
    return result >> drop, (error >> drop) + 2


def sign_of_polynomial(terms: Mapping[int, int], square: Fraction) -> int:
    """The sign of Σ c_k x^k with x = e^(−√square) transcendental: 0 only for no terms.

    The lowest power is divided out first, so what is left is not small by itself.
    """
    kept = {k: c for k, c in terms.items() if c}
    if not kept:
        return 0
    if len(signs := {c > 0 for c in kept.values()}) == 1:
        return 1 if signs.pop() else -1
    lowest = min(kept)
    mass = sum(abs(c) for c in kept.values())
    bits = 64
    while bits <= 64 * MOST_BITS:
        powers = powers_of_decay(square, (k - lowest for k in kept), bits)
        value = sum(c * powers.table[k - lowest] for k, c in kept.items())
        if abs(value) > mass * powers.error:
            return 1 if value > 0 else -1
        bits *= 2
    raise Undecided(f"a value agrees with zero to {bits} bits")


def round_powers(
    terms: Mapping[int, int],
    square: Fraction,
    table: Callable[[int], Powers],
    rounding: Rounding,
) -> Rounded:
    """Proved decimals of Σ c_k x^k for x = e^(−√square), c_k > 0, and k of either sign.

    `table` has x^|k| to so many bits.
    """
    if not square or set(terms) == {0}:
        return round_rational(Fraction(sum(terms.values())), rounding)

    def enclose(bits: int) -> tuple[Fraction, Fraction]:
        powers = table(bits)
        low = high = 0
        for k, count in terms.items():
            near, far = powers.table[abs(k)] - powers.error, powers.table[abs(k)] + powers.error
            if k < 0:
                if near <= 0:
                    raise OverflowError("more bits are needed")
                near, far = (1 << 2 * powers.bits) // far, (1 << 2 * powers.bits) // near + 1
            low += count * near
            high += count * far
        return Fraction(low, 1 << powers.bits), Fraction(high, 1 << powers.bits)

    def sign_minus(point: Fraction) -> int:
        shift = min(min(terms), 0)
        scaled = {k - shift: c * point.denominator for k, c in terms.items()}
        scaled[-shift] = scaled.get(-shift, 0) - point.numerator
        return sign_of_polynomial(scaled, square)

    return round_enclosed(enclose, sign_minus, rounding, 64 * MOST_BITS)
