"""The keys of a problem: what they may be called, and the small values that stand under them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from symattn.errors import InputError, Place, SymattnError
from symattn.exact.matrix import MinusInfinity
from symattn.exact.number import Number
from symattn.reading import cells
from symattn.reading.tree import Mapping, Node, Scalar, short


@dataclass(frozen=True, eq=False, slots=True)
class Reading:
    """Reads nodes of one file, and says in errors where they stand."""

    file: str

    def place(self, node: Node) -> Place:
        return Place(self.file, node.line, node.column)

    def refuse(self, node: Node, message: str, hint: str) -> InputError:
        return InputError(message, place=self.place(node), hint=hint)

    def mapping(self, node: Node, known: Iterable[str], what: str) -> dict[str, Node]:
        """The entries. InputError for unknown keys and missing values."""
        known = tuple(known)
        if not isinstance(node, Mapping):
            raise self.refuse(
                node,
                f"{what} is written as names with their values",
                f"Names are: {', '.join(known)}.",
            )
        for key, value in node.entries:
            if key.text not in known:
                near = nearest(key.text, known)
                raise self.refuse(
                    key,
                    f'unknown key "{short(key.text)}"',
                    f"Did you mean {near}?" if near else f"Keys are: {', '.join(known)}.",
                )
            if isinstance(value, Scalar) and value.is_null:
                raise self.refuse(
                    key, f"{key.text} has no value", "Give it one, or leave the key out."
                )
        return {key.text: value for key, value in node.entries}

    def word(self, keys: dict[str, Node], key: str, choices: Sequence[str]) -> str:
        """One of a few words, the first where the key is not given."""
        node = keys.get(key)
        if not node:
            return choices[0]
        if isinstance(node, Scalar) and node.text in choices:
            return node.text
        given = f'"{short(node.text)}"' if isinstance(node, Scalar) else "not a word"
        raise self.refuse(node, f"{key} is {given}", f"Write {' or '.join(choices)}.")

    def text(self, keys: dict[str, Node], key: str, longest: int) -> str:
        node = keys.get(key)
        if not node:
            return ""
        if not isinstance(node, Scalar):
            raise self.refuse(node, f"{key} is not a text", f"Write {key}: and some words.")
        if len(node.text) > longest:
            raise self.refuse(
                node, f"{key} has {len(node.text)} characters", f"At most {longest} fit on a page."
            )
        return node.text.strip()

    def whole(self, node: Node) -> int | None:
        """A whole number, or None."""
        if not isinstance(node, Scalar):
            return None
        try:
            value = cells.number(node)
        except SymattnError:
            return None
        if isinstance(value, MinusInfinity) or not value.is_rational:
            return None
        return int(value.rational) if value.rational.denominator == 1 else None

    def scalar(self, node: Node, name: str) -> Number:
        """An exact number that stands alone."""
        if not isinstance(node, Scalar):
            raise self.refuse(node, f"{name} is not a number", f"Write {name}: 1/2, for example.")
        if "d_k" in node.text:
            raise self.refuse(
                node,
                f"{name} cannot be written with d_k",
                "Leave scale out to divide by √d_k, or give the number itself.",
            )
        try:
            value = cells.number(node)
        except SymattnError as error:
            where = error.place
            error.place = replace(
                self.place(node), matrix=name, typed=where.typed, caret=where.caret
            )
            raise
        assert not isinstance(value, MinusInfinity)
        return value


def nearest(word: str, known: Sequence[str]) -> str:
    """The known word that is meant, or ""."""
    folded = {name.lower(): name for name in known}
    if word.lower() in folded:
        return folded[word.lower()]
    import difflib

    near = difflib.get_close_matches(word[:80], known, 1, 0.6)
    return near[0] if near else ""
