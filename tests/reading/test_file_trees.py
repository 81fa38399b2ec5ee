"""YAML, JSON and TOML make the same tree; what is not well formed is refused with its place."""

from __future__ import annotations

import json
import time

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from symattn.errors import InputError
from symattn.reading import yaml_tree
from symattn.reading.tree import (
    LARGEST_FILE,
    Format,
    Listing,
    Mapping,
    Node,
    Scalar,
    decoded,
    guessed_format,
    parse,
)


def plain(node: Node) -> object:
    match node:
        case Scalar():
            return node.text
        case Listing():
            return [plain(item) for item in node.items]
        case Mapping():
            return {key.text: plain(value) for key, value in node.entries}


def scalars(node: Node) -> list[Scalar]:
    match node:
        case Scalar():
            return [node]
        case Listing():
            return [s for item in node.items for s in scalars(item)]
        case Mapping():
            return [s for _, value in node.entries for s in scalars(value)]


YAML = """\
# a comment
title: 'x: # [ y'
X:
  - [1, 2.50, √2]
  - [-1, "1/2", a]
mask: {padding: [1, 0]}
heads:
  - W_Q: 1 0
  - W_Q: 0 1
"""
JSON = """\
{"title": "x: # [ y",
 "X": [[1, 2.50, "√2"],
       [-1, "1/2", "a"]],
 "mask": {"padding": [1, 0]},
 "heads": [{"W_Q": "1 0"}, {"W_Q"
   : "0 1"}]}
"""
TOML = """\
# a comment
title = 'x: # [ y'
X = [[1, 2.50, "√2"], # another ]
     [-1, "1/2",
      "a"]]
mask = {padding = [1, 0]}
[[heads]]
W_Q = "1 0"
[[heads]]
"W_Q" = "0 1"
"""


@pytest.mark.parametrize(("text", "format"), [(YAML, "yaml"), (JSON, "json"), (TOML, "toml")])
def test_the_same_tree_from_each_format(text: str, format: Format) -> None:
    tree = parse(text, format)
    assert plain(tree) == {
        "title": "x: # [ y",
        "X": [["1", "2.50", "√2"], ["-1", "1/2", "a"]],
        "mask": {"padding": ["1", "0"]},
        "heads": [{"W_Q": "1 0"}, {"W_Q": "0 1"}],
    }
    assert guessed_format(text) == format
    # Each text is where the tree says it is, apart from its quote.
    lines = text.splitlines()
    for scalar in scalars(tree):
        rest = lines[scalar.line - 1][scalar.column - 1 :]
        assert rest.lstrip("\"'").startswith(scalar.text)


def test_the_pure_python_yaml_loader_gives_the_same_tree(monkeypatch: pytest.MonkeyPatch) -> None:
    fast = parse(YAML, "yaml")
    monkeypatch.setattr(yaml_tree, "_LOADER", yaml.SafeLoader)
    assert parse(YAML, "yaml") == fast


def test_a_literal_block_knows_its_lines() -> None:
    tree = parse("X: |\n  1 0\n  0 1\n", "yaml")
    assert scalars(tree) == [Scalar("1 0\n0 1\n", 2, 0, by_line=True)]


REFUSED = [
    ("yaml", "a: 1\nb: &x 1", (2, 4), "the YAML anchor &x is not read here"),
    ("yaml", "a: [1, *x]", (1, 8), "the YAML alias *x is not read here"),
    ("yaml", "a: !!python/name:os.system x", (1, 4),
     "the YAML tag tag:yaml.org,2002:python/name:os.system is not read here"),
    ("yaml", "a: 1\nb: 2\na: 3", (3, 1), 'the key "a" is given in line 1 and in line 3'),
    ("yaml", "a: 1\n---\nb: 2", (2, 1), "a second document starts here"),
    ("yaml", "? [1]\n: 2", (1, 3), "a key must be a word"),
    ("yaml", "[" * 100, (1, 21), "more than 20 lists and mappings inside each other"),
    ("yaml", "[" * 100_000, (1, 1001), "this is not YAML: exceeded maximum nesting depth"),
    ("yaml", "{b: " * 60, (1, 81), "more than 20 lists and mappings inside each other"),
    ("yaml", "a:\n\t- 1", (2, 1),
     "this is not YAML: found character that cannot start any token"),
    ("yaml", "a: x\n\nb: \x07", (3, 4), "the character U+0007 cannot stand in a text"),
    ("yaml", 'a: "\\0"', (1, 4), "the character U+0000 cannot stand in a text"),
    ("yaml", "# nothing", (0, 0), "the file is empty"),
    ("yaml", " \n\n", (0, 0), "the file is empty"),
    ("json", '{"a": 1,\n "a": 2}', (2, 2), 'the key "a" is given in line 1 and in line 2'),
    ("json", '{"a": [NaN]}', (1, 8), "NaN is not JSON"),
    ("json", '{"a": -Infinity}', (1, 7), "-Infinity is not JSON"),
    ("json", '{"a":\n [1,]}', (2, 5), None),
    ("json", "[" * 100_000, (1, 21), "more than 20 lists and mappings inside each other"),
    ("json", '"\\"' + '\\"' * 400_000, (1, 1), "this is not JSON: Unterminated string starting at"),
    ("json", '{"a": "\\ud800"}', (1, 7), "the character U+D800 cannot stand in a text"),
    ("toml", "a = 1\nb = = 2", (2, 5), "this is not TOML: Invalid value"),
    ("toml", "[x]\n[x]\n", (2, 3), "this is not TOML: Cannot declare ('x',) twice"),
    ("toml", "a = " + "[" * 100_000, (1, 25), "more than 20 lists and mappings inside each other"),
    ("toml", "a" + ".a" * 500 + " = 1", (1, 1),
     "more than 20 lists and mappings inside each other"),
    ("toml", "a = " + "9" * 6000, (0, 0), "a number in this file is too large"),
    ("toml", 'a = "' + '\\"' * 400_000, None, None),
]  # fmt: skip


@pytest.mark.parametrize(
    ("format", "text", "spot", "message"), REFUSED, ids=[f"{r[0]} {r[1][:20]!r}" for r in REFUSED]
)
def test_refuses_with_line_and_column(
    format: Format, text: str, spot: tuple[int, int] | None, message: str | None
) -> None:
    started = time.perf_counter()
    with pytest.raises(InputError) as caught:
        parse(text, format, "p." + format)
    assert time.perf_counter() - started < 2
    place = caught.value.place
    assert place.file == f"p.{format}"
    assert caught.value.hint
    if message:
        assert caught.value.message == message
    else:
        assert caught.value.message.startswith(f"this is not {format.upper()}: ")
    if spot:
        assert (place.line, place.column) == spot


def test_toml_values_stay_as_typed() -> None:
    tree = parse("a = [1.50, -inf, 1_000, true, 1e-3]\n[b.c]\nd = '''x'''\n", "toml")
    assert plain(tree) == {
        "a": ["1.50", "-inf", "1000", "true", "1e-3"],
        "b": {"c": {"d": "x"}},
    }


def test_json_escapes_and_pairs() -> None:
    tree = parse('{"tokens": ["\\ud83d\\ude00", "a\\/b", "\\u00e9"], "n": null}', "json")
    assert plain(tree) == {"tokens": ["😀", "a/b", "é"], "n": "null"}
    assert scalars(tree)[-1].is_null


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b"\xff\xfea\0", "the file is UTF-16 text"),
        (b"\x7fELF\0\0", "this is a binary file, not a text"),
        (b"a: 1\nb: \xff", "the file is not UTF-8 text"),
        (b"#" * (LARGEST_FILE + 1), "the file is larger than 1 MiB"),
    ],
)
def test_bytes_that_are_no_text(data: bytes, message: str) -> None:
    with pytest.raises(InputError) as caught:
        decoded(data, "p.yaml")
    assert caught.value.message == message
    assert caught.value.place.file == "p.yaml"


def test_a_byte_order_mark_is_accepted() -> None:
    assert decoded(b"\xef\xbb\xbfa: 1") == "a: 1"


TREES = st.recursive(
    st.text(st.characters(codec="utf-8", exclude_categories=("Cc", "Cs")), max_size=8)
    | st.integers().map(str),
    lambda inner: (
        st.lists(inner, max_size=4)
        | st.dictionaries(st.text("abcXYZ_", min_size=1, max_size=5), inner, max_size=4)
    ),
    max_leaves=12,
)


@given(TREES, st.sampled_from([None, 1]))
def test_what_json_writes_is_read_back(value: object, indent: int | None) -> None:
    for ascii_only in (True, False):
        text = json.dumps(value, indent=indent, ensure_ascii=ascii_only)
        assert plain(parse(text, "json")) == value


@given(st.one_of(st.text(max_size=80), st.text("[]{}\"'\\#=:,-|>&*!%@ \n\tab1.", max_size=80)))
def test_any_text_is_a_tree_or_refused(text: str) -> None:
    for format in ("yaml", "json", "toml"):
        try:
            tree = parse(text, format)  # type: ignore[arg-type]
        except InputError:
            continue
        assert isinstance(tree, (Scalar, Listing, Mapping))
