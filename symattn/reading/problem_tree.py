"""Tree -> Problem. The keys are listed in `problem_file`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Final, TypeVar

from symattn.convention import Convention
from symattn.errors import SymattnError
from symattn.exact.number import ONE
from symattn.problem import (
    DEFAULT_SCALE,
    NO_SCALE,
    Given,
    HeadGiven,
    Problem,
    Scale,
    checked,
)
from symattn.reading import bounded, cells, masks
from symattn.reading.cells import Source
from symattn.reading.keys import Reading
from symattn.reading.tree import Listing, Mapping, Node, Scalar

HEAD_KEYS: Final = ("W_Q", "W_K", "W_V", "b_Q", "b_K", "b_V", "Q", "K", "V", "S")
KEYS: Final = (
    "title", "note", "tokens", "tokens_kv", "X", "X_kv", *HEAD_KEYS, "heads", "W_O", "mask",
    "scale", "d_k", "fully_masked", "convention",
)  # fmt: skip
MOST_HEADS: Final = 64
LONGEST_TITLE: Final = 200
LONGEST_NOTE: Final = 4000

T = TypeVar("T")


def problem(tree: Node, *, file: str = "", name: str = "") -> Problem:
    """The problem that a tree describes, checked.

    Raises InputError, with the place, for what is not understood or does not fit together, and
    OutOfScope for numbers that cannot be carried exactly.
    """
    return _Reader(file, tree, name).problem()


@dataclass(frozen=True, eq=False, slots=True)
class _Reader(Reading):
    tree: Node
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
        mask = masks.mask(self, node, n, m, transposed=columns)
        return self.placed(keys, lambda: checked(replace(fitting, mask=mask)))

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
