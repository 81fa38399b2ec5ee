"""Tree -> Problem. The keys are listed in `problem_file`."""

from __future__ import annotations

import difflib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Final, Literal, TypeVar

from symattn.convention import Convention
from symattn.errors import InputError, Place, SymattnError
from symattn.exact.matrix import MINUS_INFINITY, MinusInfinity
from symattn.exact.number import ONE, Number
from symattn.problem import (
    DEFAULT_SCALE,
    NO_MASK,
    NO_SCALE,
    Given,
    HeadGiven,
    Mask,
    Problem,
    Scale,
    causal_mask,
    checked,
    mask_matrix,
    padding_mask,
)
from symattn.reading import bounded, cells
from symattn.reading.cells import Source
from symattn.reading.tree import Listing, Mapping, Node, Scalar, short

HEAD_KEYS: Final = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "V", "S")
KEYS: Final = (
    "title", "note", "tokens", "tokens_kv", "X", "X_kv", *HEAD_KEYS, "heads", "W_O", "mask",
    "scale", "d_k", "fully_masked", "convention",
)  # fmt: skip
MASKS: Final = ("none", "causal", "causal-top-left", "causal-bottom-right")
MASK_KEYS: Final = ("padding", "visible", "hidden", "bias")
MOST_HEADS: Final = 64
LONGEST_TITLE: Final = 200
LONGEST_NOTE: Final = 4000

_FLAGS: Final = {"1": True, "true": True, "0": False, "false": False}

T = TypeVar("T")


def problem(tree: Node, *, file: str = "", name: str = "") -> Problem:
    """The problem that a tree describes, checked.

    Raises InputError, with the place, for what is not understood or does not fit together, and
    OutOfScope for numbers that cannot be carried exactly.
    """
    return _Reader(tree, file, name).problem()


@dataclass(frozen=True, slots=True)
class _Reader:
    tree: Node
    file: str
    name: str

    # ------------------------------------------------------------ the whole

    def problem(self) -> Problem:
        keys = self.mapping(self.tree, KEYS, "a problem")
        convention = self.convention(keys.get("convention"))
        heads = self.heads(keys, convention)
        columns = convention.tokens == "columns"
        left = convention.weights == "left"

        def matrix(key: str, transposed: bool) -> Given | None:
            node = keys.get(key)
            source = Source(self.file, key)
            return cells.given(node, source, transposed=transposed) if node else None

        plain = Problem(
            tokens=self.tokens(keys.get("tokens"), "tokens"),
            tokens_kv=self.tokens(keys.get("tokens_kv"), "tokens_kv"),
            heads=heads,
            X=matrix("X", columns),
            X_kv=matrix("X_kv", columns),
            W_O=matrix("W_O", left),
            scale=self.scale(keys.get("scale")),
            d_k=self.d_k(keys.get("d_k"), heads),
            zeros_if_masked=self.word(keys, "fully_masked", ("refuse", "zeros")) == "zeros",
            title=self.text(keys, "title", LONGEST_TITLE),
            note=self.text(keys, "note", LONGEST_NOTE),
            name=self.name,
            convention=convention,
        )
        fitting = self.placed(keys, lambda: checked(plain))
        node = keys.get("mask")
        if not node:
            return fitting
        n, m = len(fitting.tokens), len(fitting.tokens_kv)
        mask = self.mask(node, n, m, transposed=columns)
        masked = self.placed(keys, lambda: checked(replace(fitting, mask=mask)))
        self.refuse_fully_masked(masked, node)
        return masked

    def placed(self, keys: dict[str, Node], check: Callable[[], T]) -> T:
        """What the check gives; an error of it gets the file, and the line where one is known."""
        try:
            return check()
        except SymattnError as error:
            place = error.place
            node = keys.get(place.matrix)
            if not node and error.message.startswith("head "):
                index = int(error.message.split(":")[0].split()[1]) - 1
                heads = keys.get("heads")
                node = heads.items[index] if isinstance(heads, Listing) else None
            if not place.line and node:
                place = replace(place, line=node.line, column=node.column)
            error.place = replace(place, file=self.file)
            raise

    def place(self, node: Node) -> Place:
        return Place(self.file, node.line, node.column)

    def refuse(self, node: Node, message: str, hint: str) -> InputError:
        return InputError(message, place=self.place(node), hint=hint)

    # ------------------------------------------------------------ small things

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
                near = _nearest(key.text, known)
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

    def tokens(self, node: Node | None, key: str) -> tuple[str, ...]:
        if not node:
            return ()
        if not isinstance(node, Listing):
            raise self.refuse(
                node, f"{key} is not a list", f"Write {key}: [I, love, cats], one for each row."
            )
        if not node.items:
            raise self.refuse(node, f"{key} is empty", "Name the tokens, or leave the key out.")
        for i, item in enumerate(node.items):
            if not isinstance(item, Scalar) or item.is_null or not item.text.strip():
                raise self.refuse(
                    item, f"number {i + 1} of {key} is not a text", "A token is a word or a sign."
                )
            if len(item.text) > LONGEST_TITLE:
                raise self.refuse(
                    item,
                    f"number {i + 1} of {key} has {len(item.text)} characters",
                    f"At most {LONGEST_TITLE} fit on a page.",
                )
        return tuple(item.text for item in node.items if isinstance(item, Scalar))

    def convention(self, node: Node | None) -> Convention:
        if not node:
            return Convention()
        keys = self.mapping(node, ("tokens", "weights", "index_from", "brackets"), "convention")
        tokens = self.word(keys, "tokens", ("rows", "columns"))
        # Who writes tokens as columns writes W X.
        sides = ("right", "left") if tokens == "rows" else ("left", "right")
        return Convention(
            tokens="columns" if tokens == "columns" else "rows",
            weights="left" if self.word(keys, "weights", sides) == "left" else "right",
            index_from=0 if self.word(keys, "index_from", ("1", "0")) == "0" else 1,
            fence="(" if self.word(keys, "brackets", ("square", "round")) == "round" else "[",
        )

    def d_k(self, node: Node | None, heads: Sequence[HeadGiven]) -> int | None:
        """The key width; only kept where it cannot be seen."""
        if not node:
            return None
        value = self.whole(node)
        if value is None or not 1 <= value <= cells.LARGEST:
            raise self.refuse(
                node, "d_k is not a number of columns", f"Write d_k: 3 (1 to {cells.LARGEST})."
            )
        for head in heads:
            for given in (head.K, head.W_K, head.Q, head.W_Q):
                if given and given.shape[1] != value:
                    raise self.refuse(
                        node,
                        f"d_k is {value}, but {given.size} makes it {given.shape[1]}",
                        "Leave d_k out: it is only needed where the scores S are given.",
                    )
        return value if any(head.S for head in heads) else None

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

    def scale(self, node: Node | None) -> Scale:
        if not node:
            return DEFAULT_SCALE
        if isinstance(node, Mapping):
            keys = self.mapping(node, ("divide_by", "multiply_by"), "scale")
            if len(keys) != 1:
                raise self.refuse(
                    node,
                    "scale needs one of divide_by and multiply_by",
                    'Write scale: {divide_by: "sqrt(3)"}, for example.',
                )
            ((key, value),) = keys.items()
            factor = self.scalar(value, key)
            if key == "multiply_by":
                return Scale(factor)
            try:
                return Scale(bounded.divide(ONE, factor), factor)
            except SymattnError as error:
                error.place = replace(self.place(value), matrix=key)
                raise
        if isinstance(node, Scalar) and node.text.strip() in ("default", "none"):
            return DEFAULT_SCALE if node.text.strip() == "default" else NO_SCALE
        return Scale(self.scalar(node, "scale"))

    # ------------------------------------------------------------ the heads

    def heads(self, keys: dict[str, Node], convention: Convention) -> tuple[HeadGiven, ...]:
        node = keys.get("heads")
        if not node:
            return (self.head(keys, convention),)
        beside = [key for key in HEAD_KEYS if key in keys]
        if beside:
            raise self.refuse(
                keys[beside[0]],
                f"{beside[0]} stands beside heads",
                "Move it into each head: a head has its own W_Q, W_K and W_V.",
            )
        if not isinstance(node, Listing) or not node.items:
            raise self.refuse(
                node, "heads is not a list of heads", "Start each head with a dash: - W_Q: …"
            )
        if len(node.items) > MOST_HEADS:
            raise self.refuse(
                node, f"there are {len(node.items)} heads", f"At most {MOST_HEADS} are read."
            )
        heads = []
        for number, item in enumerate(node.items, 1):
            try:
                heads.append(self.head(self.mapping(item, HEAD_KEYS, "a head"), convention))
            except SymattnError as error:
                if error.place.matrix:
                    matrix = f"head {number}, {error.place.matrix}"
                    error.place = replace(error.place, matrix=matrix)
                else:
                    error.message = f"head {number}: {error.message}"
                raise
        return tuple(heads)

    def head(self, keys: dict[str, Node], convention: Convention) -> HeadGiven:
        read: dict[str, Given] = {}
        for key in HEAD_KEYS:
            node = keys.get(key)
            if not node:
                continue
            if key.startswith("b_"):
                read[key] = self.bias(node, key, convention)
            else:
                turned = (
                    convention.weights == "left"
                    if key.startswith("W_")
                    else convention.tokens == "columns"
                )
                read[key] = cells.given(node, Source(self.file, key), transposed=turned)
        return HeadGiven(**read)

    def bias(self, node: Node, key: str, convention: Convention) -> Given:
        """One row inside; on paper a column where tokens are columns, however it was typed."""
        given = cells.given(node, Source(self.file, key), flat=True)
        if convention.tokens == "rows":
            return given
        n, m = given.shape
        if n > 1 and m == 1:
            return replace(given, value=given.value.T, transposed=True)
        if n == 1:
            typed = tuple((text,) for row in given.typed for text in row)
            return replace(given, typed=typed, transposed=True)
        return given

    # ------------------------------------------------------------ the mask

    def mask(self, node: Node, n: int, m: int, *, transposed: bool) -> Mask:
        match node:
            case Scalar(value=None) if node.text.strip() in MASKS:
                return self.named_mask(node, n, m)
            case Scalar(value=None) if len(node.text.split()) < 2:
                near = _nearest(node.text.strip(), MASKS)
                raise self.refuse(
                    node,
                    f'"{short(node.text)}" is not a mask',
                    f"Did you mean {near}?"
                    if near
                    else "Write none, causal, {padding: 2}, {visible: [[1, 0], [1, 1]]}, "
                    "or a matrix of 0 and -inf.",
                )
            case Mapping():
                keys = self.mapping(node, MASK_KEYS, "a mask")
                if len(keys) != 1:
                    raise self.refuse(
                        node,
                        "a mask is written in one way only",
                        f"Keep one of {', '.join(MASK_KEYS)}.",
                    )
                ((key, value),) = keys.items()
                if key == "padding":
                    return self.padding(value, n, m)
                if key == "bias":
                    return self.bias_mask(value, transposed=transposed, named=True)
                flags = self.flags(value, key)
                turned = [list(line) for line in zip(*flags, strict=True)] if transposed else flags
                visible = [[cell is (key == "visible") for cell in line] for line in turned]
                B = replace(mask_matrix(visible, transposed=transposed), place=self.place(value))
                return Mask("matrix", B)
            case _:
                return self.bias_mask(node, transposed=transposed, named=False)

    def named_mask(self, node: Scalar, n: int, m: int) -> Mask:
        name = node.text.strip()
        if name == "none":
            return NO_MASK
        if name == "causal" and n != m:
            raise self.refuse(
                node,
                f"causal can be read two ways with {n} queries and {m} keys",
                "Write causal-top-left (query 1 sees key 1) or causal-bottom-right (the last "
                "query sees the last key).",
            )
        corner: Literal["top-left", "bottom-right"] = (
            "bottom-right" if name == "causal-bottom-right" else "top-left"
        )
        return _at(causal_mask(n, m, corner=corner), self.place(node))

    def padding(self, node: Node, n: int, m: int) -> Mask:
        """The number of keys that are real, or a flag for each key."""
        several = isinstance(node, Listing) or (
            isinstance(node, Scalar) and len(node.text.split()) > 1
        )
        if several:
            flags = self.flags(node, "padding", flat=True)
            if len(flags) != 1 or len(flags[0]) != m:
                count = len(flags[0]) if len(flags) == 1 else f"{len(flags)} rows of"
                raise self.refuse(
                    node, f"padding has {count} flags, but there are {m} keys",
                    "Give one flag for each key: 1 where it is visible, 0 where it is padding.",
                )  # fmt: skip
            return _at(padding_mask(n, flags[0]), self.place(node))
        count_ = self.whole(node)
        if count_ is None or not 0 <= count_ <= m:
            raise self.refuse(
                node,
                f"padding does not say how many of the {m} keys are visible",
                "Write {padding: 2} if the first two are, or flags: {padding: [1, 1, 0]}.",
            )
        return _at(padding_mask(n, [j < count_ for j in range(m)]), self.place(node))

    def flags(self, node: Node, name: str, *, flat: bool = False) -> list[list[bool]]:
        source = Source(self.file, name)
        return cells.converted(cells.rows_of(node, source, flat=flat), source, _flag)

    def bias_mask(self, node: Node, *, transposed: bool, named: bool) -> Mask:
        """A matrix that is added: of 0 and −∞, or of exact biases."""
        _refuse_booleans(node, self)
        source = Source(self.file, "mask")
        given = cells.given(node, source, transposed=transposed, allow_infinity=True)
        given = replace(given, name="B")
        values = {value for row in given.value.values() for value in row}
        zero, one = Number.of(0), Number.of(1)
        if values <= {zero, MINUS_INFINITY}:
            return Mask("matrix", given)
        if values <= {zero, one} and not named:
            raise self.refuse(
                node,
                "a mask of 0 and 1 can be read in several ways",
                "Write {visible: …} if 1 means seen, {hidden: …} if 1 means masked, or "
                "{bias: …} to add these numbers to the scores.",
            )
        return Mask("bias", given)

    def refuse_fully_masked(self, problem: Problem, node: Node) -> None:
        if problem.zeros_if_masked or not problem.mask.B:
            return
        for i, row in enumerate(problem.mask.B.value.rows):
            if all(cell is MINUS_INFINITY for cell in row):
                from symattn.exact.mixture import MaskedRow

                error = MaskedRow(i)
                error.place = self.place(node)
                error.hint = 'Let it see a key, or add "fully_masked: zeros".'
                raise error


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


def _refuse_booleans(node: Node, reader: _Reader) -> None:
    first = node
    while isinstance(first, Listing) and first.items:
        first = first.items[0]
    if isinstance(first, Scalar) and first.text.strip().lower() in ("true", "false"):
        raise reader.refuse(
            node,
            "a mask of true and false can be read two ways",
            "Write {visible: …} if true means seen, or {hidden: …} if it means masked.",
        )


def _nearest(word: str, known: Sequence[str]) -> str:
    """The known word that is meant, or ""."""
    folded = {name.lower(): name for name in known}
    if word.lower() in folded:
        return folded[word.lower()]
    near = difflib.get_close_matches(word[:80], known, 1, 0.6)
    return near[0] if near else ""
