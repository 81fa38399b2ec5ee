"""Problem files: every key, every form of a matrix, and each mistake with its exact message."""

from __future__ import annotations

import io
import json
import os
import time
from fractions import Fraction
from pathlib import Path

import pytest

from symattn.convention import Convention
from symattn.errors import InputError, MachineError, OutOfScope, SymattnError, UsageError
from symattn.exact.matrix import MINUS_INFINITY, Matrix, Value
from symattn.exact.number import Number, square_root
from symattn.problem import Given
from symattn.reading.problem_file import builtin_names, builtin_text, load, loads

X = "X: [[1, 0], [0, 1]]\n"
W = "W_Q: [[1, 2], [3, 4]]\nW_K: [[1, 0], [0, 1]]\nW_V: [[1, 0], [0, 1]]\n"
CROSS = "Q: [[1, 0]]\nK: [[1, 0], [0, 1], [1, 1]]\nV: [[1], [2], [3]]\n"


def ints(rows: list[list[int]]) -> tuple[tuple[Value, ...], ...]:
    return tuple(tuple(Number.of(x) for x in row) for row in rows)


def values(given: Given | None) -> tuple[tuple[Value, ...], ...]:
    assert given
    return given.value.values()


def visible(given: Given | None) -> list[str]:
    assert given
    return ["".join(".x"[c is not MINUS_INFINITY] for c in row) for row in given.value.rows]


# ---------------------------------------------------------------------- what is read


@pytest.mark.parametrize(
    "matrix",
    [
        "[[1, 0.5], [-2, √3]]",
        '[["1", "1/2"], ["-2", "sqrt(3)"]]',
        '["1 0.5", "-2 √3"]',
        '"1 1/2; -2 √3"',
        '"1 1/2; -2 √3;"',
        "|\n  1  ½\n  -2 √3\n",
        "\n  - [1, 1/2]\n  - -2 √3\n",
    ],
)
def test_every_form_of_a_matrix(matrix: str) -> None:
    problem = loads(f"X: {matrix}\n{W}")
    half = Number.of(Fraction(1, 2))
    assert values(problem.X) == ((Number.of(1), half), (Number.of(-2), square_root(3)))


def test_cells_are_kept_as_typed() -> None:
    problem = loads("X: [[0.50, 1/2], [−1, +2]]\n" + W, file="p.yaml")
    assert problem.X
    assert problem.X.typed == (("0.50", "1/2"), ("−1", "+2"))
    assert (problem.X.place.file, problem.X.place.line) == ("p.yaml", 1)


def test_columns_and_left_weights_are_turned_on_reading() -> None:
    turned = loads(
        "convention: {tokens: columns}\n"
        "X: [[1, 2, 3], [4, 5, 6]]\n"
        "W_Q: [[1, 2], [3, 4], [5, 6]]\nW_K: [[1, 0], [0, 1], [1, 1]]\nW_V: [[7, 8]]\n"
        "b_Q: [1, 2, 3]\nb_K: [[1], [2], [3]]\n"
        "mask: {visible: [[1, 1, 1], [0, 1, 1], [0, 0, 1]]}\n"
    )
    (head,) = turned.heads
    assert turned.convention == Convention(tokens="columns", weights="left")
    assert values(turned.X) == ints([[1, 4], [2, 5], [3, 6]])
    assert turned.X
    assert turned.X.transposed
    assert turned.X.typed == (("1", "2", "3"), ("4", "5", "6"))
    assert turned.X.size == "X (2×3)"
    assert values(head.W_Q) == ints([[1, 3, 5], [2, 4, 6]])
    assert values(head.W_V) == ints([[7], [8]])
    for bias in (head.b_Q, head.b_K):
        assert values(bias) == ints([[1, 2, 3]])
        assert bias
        assert bias.typed == (("1",), ("2",), ("3",))
        assert bias.transposed
    # Written with one column for each query, read with one row for each.
    assert visible(turned.mask.B) == ["x..", "xx.", "xxx"]


def test_the_whole_convention() -> None:
    text = "convention: {tokens: columns, weights: right, index_from: 0, brackets: round}\n"
    problem = loads(text + "X: [[1], [2]]\n" + W)
    assert problem.convention == Convention("columns", "right", 0, "(")
    (head,) = problem.heads
    assert values(head.W_Q) == ints([[1, 2], [3, 4]])


@pytest.mark.parametrize(
    ("mask", "kind", "seen"),
    [
        ("causal-top-left", "causal", ["x.."]),
        ("causal-bottom-right", "causal", ["xxx"]),
        ("{padding: 2}", "padding", ["xx."]),
        ("{padding: [0, 1, 1]}", "padding", [".xx"]),
        ("{padding: 0 1 true}", "padding", [".xx"]),
        ("{visible: [[1, 0, true]]}", "matrix", ["x.x"]),
        ("{hidden: [[1, 0, false]]}", "matrix", [".xx"]),
        ("[[0, -inf, 0]]", "matrix", ["x.x"]),
        ('"0 -inf 0"', "matrix", ["x.x"]),
        ("[[1/2, -∞, ln(2)]]", "bias", ["x.x"]),
        ("{bias: [[1, 0, 1]]}", "bias", ["xxx"]),
    ],
)
def test_every_mask(mask: str, kind: str, seen: list[str]) -> None:
    problem = loads(CROSS + f"mask: {mask}\n")
    assert problem.mask.kind == kind
    assert visible(problem.mask.B) == seen


def test_no_mask_and_a_square_causal_one() -> None:
    assert loads(X + W + "mask: none").mask.B is None
    assert visible(loads(X + W + "mask: causal").mask.B) == ["x.", "xx"]


@pytest.mark.parametrize(
    ("scale", "factor", "divisor"),
    [
        ("default", None, None),
        ("none", Number.of(1), None),
        ("1/4", Number.of(Fraction(1, 4)), None),
        ("√2", square_root(2), None),
        ("{multiply_by: 3}", Number.of(3), None),
        ("{divide_by: 8}", Number.of(Fraction(1, 8)), Number.of(8)),
        ("{divide_by: √2}", square_root(2) * Fraction(1, 2), square_root(2)),
    ],
)
def test_every_scale(scale: str, factor: Number | None, divisor: Number | None) -> None:
    problem = loads(X + W + f"scale: {scale}\n")
    assert (problem.scale.factor, problem.scale.divisor) == (factor, divisor)


def test_the_other_keys() -> None:
    problem = loads(
        "title: A title\nnote: >-\n  Some\n  words.\nd_k: 3\nS: [[1, 2, 3]]\nV: [[1], [2], [3]]\n"
        "tokens: [yes]\ntokens_kv: [1, ~x, 'null']\nfully_masked: zeros\nmask: {padding: 0}\n"
    )
    assert (problem.title, problem.note, problem.d_k) == ("A title", "Some words.", 3)
    assert (problem.tokens, problem.tokens_kv) == (("yes",), ("1", "~x", "null"))
    assert problem.zeros_if_masked


def test_heads_and_output_projection() -> None:
    problem = loads(builtin_text("two-heads"))
    assert len(problem.heads) == 2
    assert values(problem.heads[1].W_K) == ints([[0, 2], [2, 0], [0, 1]])
    assert problem.W_O
    assert problem.W_O.shape == (4, 3)


def test_the_formats_agree() -> None:
    keys = {"tokens": ["a", "b"], "X": [[1, 0.5], [-2, "√3"]], "mask": "causal", "W_Q": "1 2; 3 4"}
    keys |= {"W_K": [["1", "0"], ["0", "1"]], "W_V": [[1], [2]], "scale": {"divide_by": 2}}
    toml = "\n".join(f"{k} = {json.dumps(v)}" for k, v in keys.items() if k != "scale")
    toml += "\nscale = {divide_by = 2}\n"
    read = [
        loads(json.dumps(keys), format="json"),
        loads(json.dumps(keys, indent=1), format="yaml"),
        loads(toml, format="toml"),
        loads(toml),
        loads(json.dumps(keys)),
    ]
    assert len({(p.tokens, p.X and (p.X.value, p.X.typed), p.scale) for p in read}) == 1
    assert len({(p.heads[0].W_V and p.heads[0].W_V.value, visible(p.mask.B)[0]) for p in read}) == 1


# ---------------------------------------------------------------------- what is refused

WORD_HINT = "Write a number such as 2, 0.5, 1/2 or sqrt(3), or one letter such as a or w_12."
REFUSED = {
    "ragged": (
        "X:\n- [1, 2, 3, 4]\n- [1, 2, 3]\n" + W,
        "p.yaml:3:3: row 2 of X has 3 numbers, row 1 has 4\n"
        "Give every row the same number of cells.",
    ),
    "a word": (
        "X: [[1, 0], [foo, 1]]\n" + W,
        'p.yaml:1:14: X, row 2, column 1: "foo" is not a number\n    foo\n    ^\n' + WORD_HINT,
    ),
    "a word in a row of text": (
        'X: ["1 0", "0 foo"]\n' + W,
        'p.yaml:1:12: X, row 2, column 2: "foo" is not a number\n    0 foo\n      ^\n' + WORD_HINT,
    ),
    "a word in a matrix of text": (
        'X: "1 0; 0 2foo"\n' + W,
        'p.yaml:1:4: X, row 2, column 2: "foo" is not a number\n    1 0; 0 2foo\n            ^\n'
        + WORD_HINT,
    ),
    "a word in a block": (
        "X: |\n  1 0\n  0 foo\n" + W,
        'p.yaml:3: X, row 2, column 2: "foo" is not a number\n    0 foo\n      ^\n' + WORD_HINT,
    ),
    "a decimal comma": (
        'X: [["0,5", 1]]\n' + W,
        'p.yaml:1:6: X, row 1, column 1: the comma in "0,5" can be read two ways\n    0,5\n     ^\n'
        "Write 0.5 for one number, or 0, 5 as two cells of a list.",
    ),
    "division by zero": (
        "X: [[1/0, 1]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: division by zero\n    1/0\n     ^\n"
        "Change what stands below the bar.",
    ),
    "out of scope": (
        "X: [[sqrt(-2), 1]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: an even root of a negative number is not real\n"
        "    sqrt(-2)\n    ^",
    ),
    "a key in the wrong case": (
        X + "W_q: [[1]]\n" + W,
        'p.yaml:2:1: unknown key "W_q"\nDid you mean W_Q?',
    ),
    "a misspelt key": (
        X + W + "maks: causal",
        'p.yaml:5:1: unknown key "maks"\nDid you mean mask?',
    ),
    "a key twice": (
        X + X + W,
        'p.yaml:2:1: the key "X" is given in line 1 and in line 2\nKeep one of them.',
    ),
    "an empty matrix": ("X: []\n" + W, "p.yaml:1:4: X is empty\nGive its rows, or leave X out."),
    "an empty text": ('X: " "\n' + W, "p.yaml:1:4: X is empty\nGive its rows, or leave X out."),
    "an empty row": (
        "X: [[], []]\n" + W,
        "p.yaml:1:5: row 1 of X is empty\nGive its numbers, or leave the row out.",
    ),
    "no value": (
        "X:\n" + W,
        "p.yaml:1:1: X has no value\nGive it one, or leave the key out.",
    ),
    "an empty cell": (
        "X: [[1, ~]]\n" + W,
        "p.yaml:1:9: X, row 1, column 2: the cell is empty\nWrite 0 where nothing stands.",
    ),
    "NaN": (
        "X: [[.nan, 1]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: NaN is not a number\n    .nan\n    ^\n"
        "Give the number that belongs here.",
    ),
    "−∞ outside a mask": (
        "X: [[-inf, 1]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: −∞ may only stand in a mask\n    -inf\n    ^\n"
        "Give a number here.",
    ),
    "+∞ in a mask": (
        X + W + "mask: [[0, inf], [0, 0]]",
        "p.yaml:5:12: mask, row 1, column 2: infinity is not a number\n    inf\n    ^\n"
        "Only a mask may hold −∞ (written -inf, alone in its cell); +∞ stands nowhere.",
    ),
    "a flat list": (
        "X: [1, 2]\n" + W,
        "p.yaml:1:4: X is a list of numbers, not of rows\n"
        "Write one row as X: [[1, 2]], one column as X: [[1], [2]].",
    ),
    "a single number": (
        "X: 1\n" + W,
        "p.yaml:1:4: X is a single value, not a matrix\n"
        "Write X: [[1, 0], [0, 1]], one list for each row.",
    ),
    "a list in a cell": (
        "X: [[[1], 2]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: a list stands where a number belongs\n"
        "A matrix is a list of rows, and a row is a list of numbers.",
    ),
    "a mapping for a row": (
        "X: [{a: 1}]\n" + W,
        "p.yaml:1:5: row 1 of X is a mapping, not a row of numbers\n"
        "A matrix is a list of rows, and a row is a list of numbers.",
    ),
    "deep nesting": (
        "X: " + "[" * 60 + "]" * 60,
        "p.yaml:1:23: more than 20 lists and mappings inside each other\n"
        "A matrix is a list of lists.",
    ),
    "too many columns": (
        "X: [[" + ",".join("1" * 3000) + "]]\n" + W,
        "p.yaml:1:4: X has 3000 columns, at most 2048 are read\nUse a smaller matrix.",
    ),
    "shapes": (
        "X: [[1, 0, 1], [0, 1, 0]]\n" + W,
        "p.yaml:2:6: W_Q has 2 rows but X has 3 columns: X (2×3) · W_Q (2×2) does not fit\n"
        "Make both numbers the same: change W_Q or X.",
    ),
    "nothing to attend with": (
        X,
        "p.yaml: neither Q nor W_Q is given\nAdd W_Q (or Q itself, or the scores S).",
    ),
    "the name of a matrix for a letter": (
        "X: [[1, 2Q]]\n" + W,
        "p.yaml:1:9: X, row 1, column 2: the letter Q is the name of something in the solution\n"
        "    2Q\n    ^\nChoose another letter, such as a, b or w_12.",
    ),
    "d_k for a letter": (
        "X: [[d_k, 1]]\n" + W,
        "p.yaml:1:6: X, row 1, column 1: the letter d_k is the name of something in the solution\n"
        "    d_k\n    ^\nChoose another letter, such as a, b or w_12.",
    ),
    "tokens as a text": (
        "tokens: I love\n" + X + W,
        "p.yaml:1:9: tokens is not a list\n"
        "Write tokens: [I, love, cats], one for each row.",
    ),
    "a list of lists of tokens": (
        "tokens: [[I], b]\n" + X + W,
        "p.yaml:1:10: number 1 of tokens is not a text\nA token is a word or a sign.",
    ),
    "the wrong number of tokens": (
        "title: x\ntokens: [I, love, AI]\n" + X + W,
        "p.yaml:2:9: tokens: there are 3 tokens but 2 queries\nGive one token for each row.",
    ),
    "a title that is a list": (
        "title: [1]\n" + X + W,
        "p.yaml:1:8: title is not a text\nWrite title: and some words.",
    ),
    "a mask that is unknown": (
        X + W + "mask: casual",
        'p.yaml:5:7: "casual" is not a mask\nDid you mean causal?',
    ),
    "a mask of 0 and 1": (
        X + W + "mask: [[1, 0], [1, 1]]",
        "p.yaml:5:7: a mask of 0 and 1 can be read in several ways\n"
        "Write {visible: …} if 1 means seen, {hidden: …} if 1 means masked, or {bias: …} to add "
        "these numbers to the scores.",
    ),
    "a mask of true and false": (
        X + W + "mask: [[true, false], [true, true]]",
        "p.yaml:5:7: a mask of true and false can be read two ways\n"
        "Write {visible: …} if true means seen, or {hidden: …} if it means masked.",
    ),
    "a mask of another shape": (
        X + W + "mask: {visible: [[1, 1]]}",
        "p.yaml:5:17: the mask is 1×2, the scores are 2×2\n"
        "A mask has one row for each query and one column for each key.",
    ),
    "a flag that is none": (
        X + W + "mask: {visible: [[1, 2], [1, 1]]}",
        'p.yaml:5:22: visible, row 1, column 2: "2" is not a flag\n    2\n    ^\n'
        "Write 1 for yes and 0 for no.",
    ),
    "a causal mask that is not square": (
        CROSS + "mask: causal",
        "p.yaml:4:7: causal can be read two ways with 1 queries and 3 keys\n"
        "Write causal-top-left (query 1 sees key 1) or causal-bottom-right (the last query sees "
        "the last key).",
    ),
    "more valid keys than keys": (
        X + W + "mask: {padding: 3}",
        "p.yaml:5:17: padding does not say how many of the 2 keys are visible\n"
        "Write {padding: 2} if the first two are, or flags: {padding: [1, 1, 0]}.",
    ),
    "too many padding flags": (
        X + W + "mask: {padding: [1, 0, 1]}",
        "p.yaml:5:17: padding has 3 flags, but there are 2 keys\n"
        "Give one flag for each key: 1 where it is visible, 0 where it is padding.",
    ),
    "two masks": (
        X + W + "mask: {padding: 1, visible: [[1, 1], [1, 1]]}",
        "p.yaml:5:7: a mask is written in one way only\n"
        "Keep one of padding, visible, hidden, bias.",
    ),
    "a scale with d_k": (
        X + W + "scale: 1/sqrt(d_k)",
        "p.yaml:5:8: scale cannot be written with d_k\n"
        "Leave scale out to divide by √d_k, or give the number itself.",
    ),
    "a scale that is a word": (
        X + W + "scale: 2 foo",
        'p.yaml:5:8: scale: "foo" is not a number\n    2 foo\n      ^\n' + WORD_HINT,
    ),
    "a scale that divides by zero": (
        X + W + "scale: {divide_by: 0}",
        "p.yaml:5:20: divide_by: division by zero\nChange what stands below the bar.",
    ),
    "a scale with an unknown key": (
        X + W + "scale: {divide: 2}",
        'p.yaml:5:9: unknown key "divide"\nDid you mean divide_by?',
    ),
    "a d_k that contradicts": (
        X + W + "d_k: 3",
        "p.yaml:5:6: d_k is 3, but W_K (2×2) makes it 2\n"
        "Leave d_k out: it is only needed where the scores S are given.",
    ),
    "weights beside heads": (
        X + W + "heads: [{W_Q: [[1]]}]",
        "p.yaml:2:6: W_Q stands beside heads\n"
        "Move it into each head: a head has its own W_Q, W_K and W_V.",
    ),
    "no heads": (
        X + "heads: []",
        "p.yaml:2:8: heads is not a list of heads\nStart each head with a dash: - W_Q: …",
    ),
    "a word in a head": (
        X + "heads:\n- W_Q: [[1], [x y]]\n",
        "p.yaml:3:15: head 1, W_Q, row 2, column 1: a sign is missing here\n    x y\n      ^\n"
        "Write products with a sign, as in a*b, or put a comma between two cells.",
    ),
    "a head without keys": (
        X + "heads:\n- Q: [[1], [0]]\n  K: [[1], [0]]\n  V: [[1], [2]]\n- Q: [[1], [0]]\n",
        "p.yaml:6:3: head 2: neither K nor W_K is given\n"
        "Add W_K (or K itself, or the scores S). Given so far: Q.",
    ),
    "a choice that does not exist": (
        X + W + "fully_masked: zero",
        'p.yaml:5:15: fully_masked is "zero"\nWrite refuse or zeros.',
    ),
    "a convention that does not exist": (
        X + W + "convention: {tokens: row}",
        'p.yaml:5:22: tokens is "row"\nWrite rows or columns.',
    ),
    "a bias that does not fit": (
        X + W + "b_Q: [1, 2, 3]",
        "p.yaml:5:6: b_Q (1×3) does not fit W_Q (2×2): a bias is one row of 2 numbers",
    ),
    "not a mapping": (
        "[[1, 2]]",
        "p.yaml:1:1: a problem is written as names with their values\n"
        "Names are: title, note, tokens, tokens_kv, X, X_kv, W_Q, W_K, W_V, b_Q, b_K, b_V, Q, K, "
        "V, S, heads, W_O, mask, scale, d_k, fully_masked, convention.",
    ),
}  # fmt: skip


@pytest.mark.parametrize("name", REFUSED)
def test_each_mistake_has_one_clear_message(name: str) -> None:
    text, message = REFUSED[name]
    with pytest.raises((InputError, OutOfScope)) as caught:
        loads(text, format="yaml", file="p.yaml")
    assert str(caught.value) == message
    assert caught.value.exit_code == (3 if name == "out of scope" else 2)


def test_a_row_that_sees_nothing_is_left_to_the_softmax() -> None:
    problem = loads("\n" + CROSS + "mask: {padding: 0}", file="p.yaml")
    assert visible(problem.mask.B) == ["..."]
    assert not problem.zeros_if_masked
    assert problem.mask.B
    assert (problem.mask.B.place.file, problem.mask.B.place.line) == ("p.yaml", 5)


# ---------------------------------------------------------------------- where it comes from


def test_load_from_a_path(tmp_path: Path) -> None:
    for name, text in (("p.yaml", X + W), ("p.yml", X + W), ("p", X + W)):
        file = tmp_path / name
        file.write_text("\ufeff" + text, encoding="utf-8")
        problem = load(file)
        assert problem.name == name
        assert load(str(file)) == problem
    (tmp_path / "p.json").write_text("X: [[1]]")
    with pytest.raises(InputError, match="this is not JSON"):
        load(str(tmp_path / "p.json"))


def test_load_from_standard_input() -> None:
    text = X + W
    data = text.encode()
    for stream in (io.StringIO(text), io.BytesIO(data), io.TextIOWrapper(io.BytesIO(data))):
        assert load("-", stdin=stream).X
    assert load("-", stdin=io.StringIO('{"S": [[1]], "scale": "none"}'), format="json").heads[0].S
    with pytest.raises(InputError, match=r"^standard input: the file is empty"):
        load("-", stdin=io.StringIO(""))
    with pytest.raises(UsageError, match='there is no format "xml"'):
        load("-", stdin=io.StringIO(text), format="xml")


class Endless(io.RawIOBase):
    """A stream without an end, which counts what is taken from it."""

    taken = 0

    def read(self, size: int = -1) -> bytes:
        assert size >= 0
        self.taken += size
        return b" " * size


def test_an_endless_stream_is_read_up_to_the_bound() -> None:
    stream = Endless()
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load("-", stdin=stream)  # type: ignore[arg-type]
    assert stream.taken == (1 << 20) + 1


def test_a_huge_sparse_file_is_refused_by_its_size(tmp_path: Path) -> None:
    file = tmp_path / "huge.yaml"
    with file.open("wb") as out:
        out.truncate(2 << 30)
    started = time.perf_counter()
    with pytest.raises(InputError, match="larger than 1 MiB"):
        load(file)
    assert time.perf_counter() - started < 0.5


def test_files_that_cannot_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(InputError, match="is a folder"):
        load(tmp_path)
    with pytest.raises(MachineError, match="cannot be read"):
        load("a\0b")

    def refuse(path: str) -> int:
        raise PermissionError(13, "Permission denied", path)

    monkeypatch.setattr(os.path, "getsize", refuse)
    file = tmp_path / "p.yaml"
    file.touch()
    with pytest.raises(MachineError, match="cannot be read: Permission denied"):
        load(file)


@pytest.mark.parametrize(
    ("name", "hint"),
    [
        ("i-love-cat", "Did you mean i-love-cats or i-love-ai?"),
        ("causal.yaml", "Did you mean causal?"),
        ("zzzz.yaml", "Built in are " + ", ".join(builtin_names()) + "."),
    ],
)
def test_a_name_that_does_not_exist(name: str, hint: str) -> None:
    with pytest.raises(UsageError) as caught:
        load(name)
    assert str(caught.value).startswith(
        f'there is no file "{name}", and no built-in problem of that name\n'
    )
    assert caught.value.hint == hint


def test_a_file_beside_a_built_in_name_needs_its_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("causal").write_text(X + W)
    assert load("causal").name == "causal"
    assert load("causal").title
    assert not load("./causal").title


def test_a_large_matrix_is_read_fast() -> None:
    row = "[" + ", ".join(str(j % 19 - 9) for j in range(64)) + "]"
    text = f"Q: [{', '.join([row] * 512)}]\nK: [{row}]\nV: [[1]]\n"
    started = time.perf_counter()
    assert loads(text).heads[0].Q
    assert time.perf_counter() - started < 3


def test_every_error_of_a_broken_built_in_is_a_clear_one() -> None:
    """Each line of each built-in left out, and each bracket: read, or refused on purpose."""
    for name in builtin_names():
        text = builtin_text(name)
        lines = text.splitlines(keepends=True)
        broken = ["".join(lines[:i] + lines[i + 1 :]) for i in range(len(lines))]
        broken += [text[:i] + text[i + 1 :] for i, c in enumerate(text) if c in "[]{}:,-"]
        for variant in broken:
            try:
                problem = loads(variant, format="yaml")
            except SymattnError as error:
                assert str(error)  # noqa: PT017  (most variants are refused, some are not)
            else:
                assert isinstance((problem.X or problem.heads[0].S or problem.heads[0].Q), Given)


# ---------------------------------------------------------------------- the built-in problems


def test_the_built_in_problems() -> None:
    assert builtin_names() == (
        "i-love-ai", "causal", "cross", "i-love-cats", "letters", "logs", "padded",
        "perfect-square", "two-heads",
    )  # fmt: skip
    problems = {name: load(name) for name in builtin_names()}
    for name, problem in problems.items():
        assert problem.name == name
        assert problem.title
        assert problem.note
        assert problem.tokens
    assert len({problem.title for problem in problems.values()}) == len(problems)
    assert problems["causal"].mask.kind == "causal"
    assert problems["padded"].mask.kind == "padding"
    assert problems["cross"].is_cross
    assert len(problems["two-heads"].heads) == 2
    assert problems["logs"].scale.is_none
    assert problems["letters"].heads[0].W_Q
    assert problems["letters"].heads[0].W_Q.value.letters == {"a", "b"}
    keys = problems["perfect-square"].heads[0].K
    assert keys
    assert keys.shape[1] == 4


def test_i_love_ai_is_the_known_problem() -> None:
    problem = load("i-love-ai")
    (head,) = problem.heads
    assert problem.tokens == ("I", "love", "AI")
    expected = {
        "X": [[1, 0, 1, 0], [0, 1, 0, 1], [1, 1, 0, 0]],
        "W_Q": [[1, 0, 1], [0, 1, 0], [1, 0, 0], [0, 1, 1]],
        "W_K": [[0, 0, 1], [1, 1, 0], [0, 1, 0], [1, 0, 1]],
        "W_V": [[1, 0, 0], [0, 1, 0], [0, 0, 1], [1, 1, 0]],
    }
    assert values(problem.X) == ints(expected["X"])
    for name in ("W_Q", "W_K", "W_V"):
        assert values(getattr(head, name)) == ints(expected[name])
        assert isinstance(getattr(head, name).value, Matrix)
