"""Short ids: recipe, version, settings and seed in a few characters that can be typed from paper.

The name of the recipe, then groups in Crockford's base 32 (no I, L, O, U; read with either case,
O as 0, I and L as 1), the last two characters a check: full-attention-G200-7XY.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, fields
from functools import cache
from hashlib import sha256
from typing import Final, Literal

from symattn.errors import InputError, Place, UsageError
from symattn.generate.settings import DEFAULTS, Settings

_SIGNS: Final = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_READ: Final = {sign: n for n, sign in enumerate(_SIGNS)} | {"O": 0, "I": 1, "L": 1}
_TIES: Final[tuple[Literal["even", "up"], ...]] = ("even", "up")
MOST_SEED: Final = (1 << 64) - 1


@dataclass(frozen=True, slots=True)
class Identity:
    """What a sheet is made from: the same identity gives the same sheet."""

    recipe: str
    version: int
    seed: int
    settings: Settings = DEFAULTS

    def __str__(self) -> str:
        numbers = [self.version, *_packed(self.settings), self.seed]
        data = b"".join(map(_varint, numbers))
        value = int.from_bytes(b"\1" + data, "big")
        digits = ""
        while value:
            value, last = divmod(value, 32)
            digits = _SIGNS[last] + digits
        digits += _check(self.recipe, [_READ[sign] for sign in digits])
        groups = [digits[k : k + 4] for k in range(0, len(digits), 4)]
        return "-".join([self.recipe, *groups])


def identity_of(text: str, recipes: Iterable[str]) -> Identity:
    """The identity that an id stands for; InputError where it is mistyped."""
    typed = text.strip()
    name = max(
        (name for name in recipes if typed.lower().startswith(name + "-")), key=len, default=""
    )
    place = Place(typed=typed, caret=0)
    if not name:
        raise InputError(
            "this is not the id of a sheet: it does not begin with the name of a recipe",
            place=place,
            hint="Copy the whole id from the foot of the sheet. `symattn recipes` lists the names.",
        )
    value = 0
    signs = []
    for position, sign in enumerate(typed[len(name) + 1 :].upper(), len(name) + 1):
        if sign == "-":
            continue
        if sign not in _READ:
            raise InputError(
                f"{typed[position]!r} does not occur in an id",
                place=Place(typed=typed, caret=position),
                hint="Ids have digits and capital letters except I, L, O and U.",
            )
        signs.append(_READ[sign])
    for sign_value in signs[:-2]:
        value = value * 32 + sign_value
    data = value.to_bytes((value.bit_length() + 7) // 8, "big")[1:]
    if len(signs) < 5 or [_READ[c] for c in _check(name, signs[:-2])] != signs[-2:]:
        raise InputError(
            "the id is mistyped: its last two characters do not fit the others",
            place=place,
            hint="Compare it with the foot of the sheet, character by character.",
        )
    try:
        version, *packed, seed = _numbers(data)
        return Identity(name, version, seed, _unpacked(packed))
    except (ValueError, IndexError, UsageError):
        raise InputError("the id is damaged", place=place) from None


def _check(recipe: str, digits: list[int]) -> str:
    """Two characters c = Σ d_k and c' = Σ α^k d_k over GF(32), begun with the recipe's name.

    One wrong character changes c, two neighbours exchanged change c', since α^k ≠ α^(k+1): both
    are always noticed (Reed and Solomon, 1960). Other slips are missed once in 1024.
    """
    begin = sha256(recipe.encode()).digest()
    plain, weighted = begin[0] & 31, begin[1] & 31
    for digit in reversed(digits):
        plain ^= digit
        weighted = _times_alpha(weighted) ^ digit
    return _SIGNS[plain] + _SIGNS[weighted]


def _times_alpha(digit: int) -> int:
    """digit · α in GF(32) with α⁵ = α² + 1."""
    digit <<= 1
    return digit ^ 0b100101 if digit & 32 else digit


@cache
def _packed(settings: Settings) -> tuple[int, ...]:
    """Which settings are not the default, as bits, then their values."""
    which, values = 0, []
    for bit, field in enumerate(fields(Settings)):
        value = getattr(settings, field.name)
        if value == getattr(DEFAULTS, field.name):
            continue
        which |= 1 << bit
        if field.name == "ties":
            value = _TIES.index(value)
        elif field.name in ("low", "high"):
            value = 2 * value if value >= 0 else -2 * value - 1
        values.append(int(value))
    return (which, *values)


def _unpacked(numbers: list[int]) -> Settings:
    which, *values = numbers
    chosen: dict[str, object] = {}
    for bit, field in enumerate(fields(Settings)):
        if which >> bit & 1:
            value = values.pop(0)
            if field.name == "ties":
                chosen[field.name] = _TIES[value]
            elif field.name in ("low", "high"):
                chosen[field.name] = -(value + 1) // 2 if value % 2 else value // 2
            elif field.name == "tied":
                chosen[field.name] = bool(value)
            else:
                chosen[field.name] = value
    if values or which >> len(fields(Settings)):
        raise ValueError(numbers)
    return Settings(**chosen)  # type: ignore[arg-type]


def _varint(number: int) -> bytes:
    out = [number & 127]
    while number := number >> 7:
        out.append(number & 127 | 128)
    return bytes(reversed(out))


def _numbers(data: bytes) -> list[int]:
    out, value = [], 0
    for byte in data:
        value = value << 7 | byte & 127
        if not byte & 128:
            out.append(value)
            value = 0
    return out
