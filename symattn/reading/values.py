"""Python values -> Problem: nested lists, fractions, arrays, tensors, SymPy matrices.

They become the same tree as a file does, so that keys, checks and messages are the same.
"""

from __future__ import annotations

import struct
from collections.abc import Iterable
from collections.abc import Mapping as MappingType
from decimal import Decimal
from fractions import Fraction
from numbers import Rational
from typing import Any, Final

from symattn.convention import Convention
from symattn.errors import InputError, Place, SymattnError
from symattn.exact.matrix import MINUS_INFINITY, Matrix, MinusInfinity
from symattn.exact.number import Number
from symattn.problem import Problem
from symattn.reading import problem_tree
from symattn.reading.tree import Listing, Mapping, Node, Scalar, check_text, short

_DEEPEST: Final = 8


def problem_of(
    *,
    tokens: Any = None,
    tokens_kv: Any = None,
    X: Any = None,
    X_kv: Any = None,
    W_Q: Any = None,
    W_K: Any = None,
    W_V: Any = None,
    b_Q: Any = None,
    b_K: Any = None,
    b_V: Any = None,
    Q: Any = None,
    K: Any = None,
    V: Any = None,
    S: Any = None,
    heads: Any = None,
    W_O: Any = None,
    mask: Any = None,
    scale: Any = None,
    d_k: int | None = None,
    fully_masked: str | None = None,
    convention: Any = None,
    title: str = "",
    note: str = "",
) -> Problem:
    """The problem with these values, checked; the keys are those of files (`problem_file`).

    A matrix is a nested list of int, Fraction, Decimal, float (0.1 is 1/10: its shortest decimal),
    text as in a file, or `Number`; or a NumPy array, a tensor, or a SymPy matrix.

    Raises InputError for what is not a number or does not fit together, OutOfScope for numbers
    that cannot be carried exactly.
    """
    entries = tuple(
        (Scalar(key), _node(value, key, ()))
        for key, value in locals().items()
        if value is not None and not (isinstance(value, str) and not value)
    )
    return problem_tree.problem(Mapping(entries))


def _node(value: Any, name: str, path: tuple[int, ...]) -> Node:
    """The tree of a value; `path` are the positions that lead to it, from 0."""
    if len(path) > _DEEPEST:
        raise InputError(f"{name} is nested too deep", hint="A matrix is a list of rows.")
    match value:
        case Convention():
            return _convention(value)
        case Matrix():
            return _node(value.values(), name, path)
        case MappingType():
            return Mapping(
                tuple((_scalar(str(key)), _node(item, str(key), ())) for key, item in value.items())
            )
        case list() | tuple():
            return Listing(tuple(_node(item, name, (*path, i)) for i, item in enumerate(value)))
        case _ if _is_sympy(value):
            return _sympy(value, name, path)
        case _ if hasattr(value, "tolist"):
            return _array(value, name, path)
        case _:
            try:
                return _cell(value)
            except SymattnError as error:
                error.place = _place(name, path)
                raise


def _place(name: str, path: tuple[int, ...]) -> Place:
    cell = (path[0] + 1, path[1] + 1) if len(path) == 2 else None
    return Place(matrix=name, cell=cell)


def _scalar(text: str) -> Scalar:
    check_text(text, 0, 0)
    return Scalar(text)


def _cell(value: Any) -> Scalar:
    match value:
        case bool():
            return Scalar("true" if value else "false")
        case str():
            return _scalar(value)
        case int():
            if value.bit_length() > 10_000:
                raise InputError("the number is too large for an exercise")
            return Scalar(str(int(value)))
        case float():
            return Scalar(_written(Decimal(repr(float(value)))))
        case Decimal():
            return Scalar(_written(value))
        case Number() | MinusInfinity():
            return Scalar("−∞" if value is MINUS_INFINITY else "", value=value)
        case Rational():  # Fraction, and what other libraries register.
            exact = Fraction(int(value.numerator), int(value.denominator))
            if max(exact.numerator.bit_length(), exact.denominator.bit_length()) > 10_000:
                raise InputError("the number is too large for an exercise")
            return Scalar(str(exact))
        case None:
            raise InputError("None is not a number", hint="Give the number that belongs here.")
        case complex():
            raise InputError("a complex number is not read", hint="Give real numbers.")
    raise InputError(
        f"a {type(value).__name__} is not read",
        hint="Give lists of int, Fraction, Decimal, float or text, or an array.",
    )


def _written(value: Decimal) -> str:
    """The digits of a decimal: 0.1, -0.25, 3; "-inf" and "nan" are judged where they are read."""
    if not value.is_finite():
        return str(value).lower().replace("infinity", "inf").replace("snan", "nan")
    if abs(value.adjusted()) > 2000:
        raise InputError("the number is too large or too small for an exercise")
    text = format(value, "f")
    # A float that is whole was not typed with a decimal point.
    return text.removesuffix(".0")


def _convention(value: Convention) -> Mapping:
    entries = {
        "tokens": value.tokens,
        "weights": value.weights,
        "index_from": str(value.index_from),
        "brackets": "round" if value.fence == "(" else "square",
    }
    return Mapping(tuple((Scalar(key), Scalar(text)) for key, text in entries.items()))


# ------------------------------------------------------------------ arrays and tensors


def _array(value: Any, name: str, path: tuple[int, ...]) -> Node:
    """A NumPy array or scalar, or a tensor: its values in the decimals of its own precision."""
    plain = value.tolist()
    if isinstance(plain, type(value)):
        raise InputError(
            f"numbers of type {type(value).__name__} are not read",
            place=_place(name, path),
            hint="Give int, Fraction or text instead.",
        )
    dtype = str(getattr(value, "dtype", "")).rpartition(".")[2]
    return _node(_shortened(plain, dtype) if dtype in _PACKED else plain, name, path)


def _shortened(value: Any, dtype: str) -> Any:
    if isinstance(value, list):
        return [_shortened(item, dtype) for item in value]
    return _shortest(value, dtype) if isinstance(value, float) else value


def _pack_bfloat16(value: float) -> bytes:
    (bits,) = struct.unpack("<I", struct.pack("<f", value))
    # Round to nearest, ties to even, as the conversion from float32 does.
    return struct.pack("<H", (bits + 0x7FFF + ((bits >> 16) & 1)) >> 16 & 0xFFFF)


_PACKED: Final = {
    "float32": lambda value: struct.pack("<f", value),
    "float16": lambda value: struct.pack("<e", value),
    "bfloat16": _pack_bfloat16,
}


def _shortest(value: float, dtype: str) -> float:
    """The shortest decimal that is this number in its own precision: 0.1 for float32's 0.1."""
    if value - value != 0:  # An infinity or NaN.
        return value
    pack = _PACKED[dtype]
    wanted = pack(value)
    for digits in range(1, 10):
        candidate = float(f"{value:.{digits}g}")
        try:
            if pack(candidate) == wanted:
                return candidate
        except OverflowError:
            continue  # Rounded up past the largest number of this precision.
    return value


# ------------------------------------------------------------------ SymPy


def _is_sympy(value: Any) -> bool:
    """Without importing it: whoever hands over such an object has done so."""
    return any(cls.__module__.partition(".")[0] == "sympy" for cls in type(value).__mro__)


def _sympy(value: Any, name: str, path: tuple[int, ...]) -> Node:
    if hasattr(value, "tolist"):
        items: Iterable[Any] = value.tolist()
        return _node(list(items), name, path)
    from symattn.exact.sympy_bridge import from_sympy

    try:
        number = from_sympy(value)
    except SymattnError as error:
        error.place = _place(name, path)
        raise
    if not isinstance(number, (Number, MinusInfinity)):
        raise InputError(
            f"{short(str(value))} is not a number without e",
            place=_place(name, path),
            hint="e^x appears when the softmax is taken: give x as a score instead.",
        )
    if isinstance(number, Number) and number.is_rational and len(str(value)) < 100:
        return Scalar(str(number.rational))
    return Scalar("", value=number)
