"""Problem files: YAML, JSON or TOML, all with the same keys.

| key | value |
|---|---|
| tokens, tokens_kv | a list of words: the queries' tokens; the keys' where they are others |
| X, X_kv | embeddings, one row for each token; X_kv where keys and values come from elsewhere |
| W_Q W_K W_V, b_Q b_K b_V | a head's projections and their biases (a list of numbers) |
| Q K V, S | instead of projections: the matrices themselves, or only the scores |
| heads | several heads: a list, each with the keys of the two lines above |
| W_O | the output projection |
| mask | none; causal (causal-top-left, causal-bottom-right); {padding: 2}: the first two keys are visible; {padding: [1, 1, 0]}; {visible: matrix of 1 and 0}; {hidden: …}; a matrix of 0 and -inf or of biases; {bias: matrix} |
| scale | default: 1/√d_k; none; a number that multiplies the scores; {divide_by: v}; {multiply_by: v} |
| d_k | the key width, only where the scores S are given |
| fully_masked | refuse (a row that sees nothing is an error when derived) or zeros |
| convention | {tokens: rows or columns, weights: right or left, index_from: 1 or 0, brackets: square or round}; with columns, weights are left unless said otherwise |
| title, note | words for the page |

With tokens as columns the matrices X, X_kv, Q, K, V, S and the mask's are written with one column
for each token, and with weights on the left W_Q, W_K, W_V, W_O are written transposed.

A matrix is a list of rows; a row is a list of cells, or one text with spaces between its cells; a
whole matrix may be one text with its rows in lines or separated by ";". What a cell may hold is
said in `expression`.
"""  # noqa: E501

from __future__ import annotations

import os
import sys
from functools import cache
from typing import IO, Any, Final

from symattn.errors import InputError, MachineError, UsageError
from symattn.problem import Problem
from symattn.reading import problem_tree
from symattn.reading.tree import (
    FORMATS,
    LARGEST_FILE,
    Format,
    decoded,
    guessed_format,
    parse,
    too_large,
)

_SUFFIXES: Final[dict[str, Format]] = {
    ".yaml": "yaml", ".yml": "yaml", ".json": "json", ".toml": "toml",
}  # fmt: skip


def load(
    source: str | os.PathLike[str], *, stdin: IO[Any] | None = None, format: str | None = None
) -> Problem:
    """The problem in a file, on standard input ("-"), or built in under a name.

    The format follows from the file's suffix, or from `format`, or from how the text looks.
    Raises InputError for what is wrong in the problem, UsageError for a name that does not exist,
    MachineError for a file that cannot be read, OutOfScope for numbers beyond symattn's.
    """
    wanted = _format(format)
    path = os.fspath(source)
    if path == "-":
        data = _read_stream(stdin if stdin is not None else sys.stdin)
        return _from_text(decoded(data, "standard input"), wanted, "standard input", "")
    named = isinstance(source, str) and path in builtin_names()
    if named:
        return _built_in(path)
    text = decoded(_read_file(path), path)
    suffix = _SUFFIXES.get(os.path.splitext(path)[1].lower())
    return _from_text(text, wanted or suffix, path, os.path.basename(path))


def loads(text: str, *, format: str | None = None, file: str = "") -> Problem:
    """The problem in a text; raises as `load` does."""
    data = text.encode("utf-8", "surrogatepass")
    if len(data) > LARGEST_FILE:
        raise too_large(file)
    return _from_text(text, _format(format), file, os.path.basename(file))


BUILT_IN: Final = os.path.join(os.path.dirname(os.path.dirname(__file__)), "problems")
"""The folder of the built-in problems. They are TOML, which needs no import from elsewhere."""


@cache
def builtin_names() -> tuple[str, ...]:
    """The names of the problems that come with symattn: `i-love-ai` first, the others sorted."""
    found = (os.path.splitext(file) for file in os.listdir(BUILT_IN))
    names = [name for name, suffix in found if suffix == ".toml"]
    return tuple(sorted(names, key=lambda name: (name != "i-love-ai", name)))


def builtin_text(name: str) -> str:
    """The text of a built-in problem file. UsageError if there is none of this name."""
    if name not in builtin_names():
        raise _no_such(name)
    with open(os.path.join(BUILT_IN, f"{name}.toml"), encoding="utf-8") as file:
        return file.read()


def _built_in(name: str) -> Problem:
    return problem_tree.problem(
        parse(builtin_text(name), "toml", f"{name}.toml"), file=f"{name}.toml", name=name
    )


def _from_text(text: str, format: Format | None, file: str, name: str) -> Problem:
    tree = parse(text, format or guessed_format(text), file)
    return problem_tree.problem(tree, file=file, name=name)


def _format(format: str | None) -> Format | None:
    if format is None:
        return None
    for known in FORMATS:
        if format.lower() == known:
            return known
    raise UsageError(f'there is no format "{format}"', hint=f"Formats are {', '.join(FORMATS)}.")


def _read_stream(stream: IO[Any]) -> bytes:
    """At most one byte more than a file may have."""
    raw: IO[Any] = getattr(stream, "buffer", stream)
    data = raw.read(LARGEST_FILE + 1)
    return data if isinstance(data, bytes) else data.encode("utf-8", "surrogatepass")


def _read_file(path: str) -> bytes:
    try:
        if os.path.isdir(path):
            raise InputError(f"{path} is a folder", hint="Name a problem file in it.")
        # By its size, before anything is read.
        if os.path.getsize(path) > LARGEST_FILE:
            raise too_large(path)
        with open(path, "rb") as file:
            return file.read(LARGEST_FILE + 1)
    except FileNotFoundError:
        raise _no_such(path) from None
    except (OSError, ValueError) as error:
        reason = getattr(error, "strerror", None) or str(error)
        raise MachineError(
            f"{path!r} cannot be read: {reason}", hint="Check the name and the permissions."
        ) from None


def _no_such(name: str) -> UsageError:
    names = builtin_names()
    import difflib

    near = difflib.get_close_matches(
        os.path.splitext(os.path.basename(name))[0].lower(), names, 3, 0.5
    )
    return UsageError(
        f'there is no file "{name}", and no built-in problem of that name',
        hint=f"Did you mean {' or '.join(near)}?" if near else f"Built in are {', '.join(names)}.",
    )
