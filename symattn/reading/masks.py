"""The mask of a problem: by name, by padding, by flags, or as a matrix that is added."""

from __future__ import annotations

from dataclasses import replace
from typing import Final, Literal

from symattn.errors import InputError, Place
from symattn.exact.matrix import MINUS_INFINITY
from symattn.exact.number import Number
from symattn.problem import NO_MASK, Mask, causal_mask, mask_matrix, padding_mask
from symattn.reading import cells
from symattn.reading.cells import Source
from symattn.reading.keys import Reading, nearest
from symattn.reading.tree import Listing, Mapping, Node, Scalar, short

NAMES: Final = ("none", "causal", "causal-top-left", "causal-bottom-right")
KEYS: Final = ("padding", "visible", "hidden", "bias")

_FLAGS: Final = {"1": True, "true": True, "0": False, "false": False}


def mask(reading: Reading, node: Node, n: int, m: int, *, transposed: bool) -> Mask:
    """The mask for n queries and m keys; `transposed` says that matrices have a column a query."""
    match node:
        case Scalar(value=None) if node.text.strip() in NAMES:
            return _named(reading, node, n, m)
        case Scalar(value=None) if len(node.text.split()) < 2:
            near = nearest(node.text.strip(), NAMES)
            raise reading.refuse(
                node,
                f'"{short(node.text)}" is not a mask',
                f"Did you mean {near}?"
                if near
                else "Write none, causal, {padding: 2}, {visible: [[1, 0], [1, 1]]}, "
                "or a matrix of 0 and -inf.",
            )
        case Mapping():
            keys = reading.mapping(node, KEYS, "a mask")
            if len(keys) != 1:
                raise reading.refuse(
                    node,
                    "a mask is written in one way only",
                    f"Keep one of {', '.join(KEYS)}.",
                )
            ((key, value),) = keys.items()
            if key == "padding":
                return _padding(reading, value, n, m)
            if key == "bias":
                return _bias(reading, value, transposed=transposed, named=True)
            flags = _flags(reading, value, key)
            turned = [list(line) for line in zip(*flags, strict=True)] if transposed else flags
            visible = [[cell is (key == "visible") for cell in line] for line in turned]
            B = replace(mask_matrix(visible, transposed=transposed), place=reading.place(value))
            return Mask("matrix", B)
        case _:
            return _bias(reading, node, transposed=transposed, named=False)


def _named(reading: Reading, node: Scalar, n: int, m: int) -> Mask:
    name = node.text.strip()
    if name == "none":
        return NO_MASK
    if name == "causal" and n != m:
        raise reading.refuse(
            node,
            f"causal can be read two ways with {n} queries and {m} keys",
            "Write causal-top-left (query 1 sees key 1) or causal-bottom-right (the last "
            "query sees the last key).",
        )
    corner: Literal["top-left", "bottom-right"] = (
        "bottom-right" if name == "causal-bottom-right" else "top-left"
    )
    return _at(causal_mask(n, m, corner=corner), reading.place(node))


def _padding(reading: Reading, node: Node, n: int, m: int) -> Mask:
    """The number of keys that are real, or a flag for each key."""
    several = isinstance(node, Listing) or (isinstance(node, Scalar) and len(node.text.split()) > 1)
    if several:
        flags = _flags(reading, node, "padding", flat=True)
        if len(flags) != 1 or len(flags[0]) != m:
            count = len(flags[0]) if len(flags) == 1 else f"{len(flags)} rows of"
            raise reading.refuse(
                node, f"padding has {count} flags, but there are {m} keys",
                "Give one flag for each key: 1 where it is visible, 0 where it is padding.",
            )  # fmt: skip
        return _at(padding_mask(n, flags[0]), reading.place(node))
    count_ = reading.whole(node)
    if count_ is None or not 0 <= count_ <= m:
        raise reading.refuse(
            node,
            f"padding does not say how many of the {m} keys are visible",
            "Write {padding: 2} if the first two are, or flags: {padding: [1, 1, 0]}.",
        )
    return _at(padding_mask(n, [j < count_ for j in range(m)]), reading.place(node))


def _flags(reading: Reading, node: Node, name: str, *, flat: bool = False) -> list[list[bool]]:
    source = Source(reading.file, name)
    return cells.converted(cells.rows_of(node, source, flat=flat), source, _flag)


def _bias(reading: Reading, node: Node, *, transposed: bool, named: bool) -> Mask:
    """A matrix that is added: of 0 and −∞, or of exact biases."""
    _refuse_booleans(node, reading)
    source = Source(reading.file, "mask")
    given = cells.given(node, source, transposed=transposed, allow_infinity=True)
    given = replace(given, name="B")
    values = {value for row in given.value.values() for value in row}
    zero, one = Number.of(0), Number.of(1)
    if values <= {zero, MINUS_INFINITY}:
        return Mask("matrix", given)
    if values <= {zero, one} and not named:
        raise reading.refuse(
            node,
            "a mask of 0 and 1 can be read in several ways",
            "Write {visible: …} if 1 means seen, {hidden: …} if 1 means masked, or "
            "{bias: …} to add these numbers to the scores.",
        )
    return Mask("bias", given)


def _at(mask: Mask, place: Place) -> Mask:
    return replace(mask, B=replace(mask.B, place=place)) if mask.B else mask


def _flag(cell: Scalar) -> bool:
    text = cell.text.strip().lower()
    if text in _FLAGS:
        return _FLAGS[text]
    if isinstance(cell.value, Number) and cell.value in (Number.of(0), Number.of(1)):
        return cell.value == Number.of(1)
    raise InputError(
        f'"{short(cell.text)}" is not a flag',
        place=Place(typed=short(cell.text)),
        hint="Write 1 for yes and 0 for no.",
    )


def _refuse_booleans(node: Node, reading: Reading) -> None:
    first = node
    while isinstance(first, Listing) and first.items:
        first = first.items[0]
    if isinstance(first, Scalar) and first.text.strip().lower() in ("true", "false"):
        raise reading.refuse(
            node,
            "a mask of true and false can be read two ways",
            "Write {visible: …} if true means seen, or {hidden: …} if it means masked.",
        )
