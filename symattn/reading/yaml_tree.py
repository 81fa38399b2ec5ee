"""YAML text -> tree, event by event: nothing is constructed, and no recursion follows the text."""

from __future__ import annotations

from typing import Any, Final

import yaml

from symattn.errors import InputError
from symattn.reading.tree import Builder, Node, Scalar, malformed

_LOADER: Final[Any] = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
_NULL: Final = frozenset(("", "~", "null", "Null", "NULL"))


def parse(text: str) -> Node:
    """The tree. InputError for malformed YAML, anchors, aliases, tags and duplicate keys."""
    builder = Builder()
    documents = 0
    try:
        for event in yaml.parse(text, Loader=_LOADER):
            assert event.start_mark
            line, column = event.start_mark.line + 1, event.start_mark.column + 1
            match event:
                case yaml.DocumentStartEvent():
                    documents += 1
                    if documents > 1:
                        raise malformed(
                            "a second document starts here", line, column, "Use one file for each."
                        )
                case yaml.AliasEvent():
                    raise _refused("alias", f"*{event.anchor}", line, column)
                case yaml.NodeEvent() if event.anchor:
                    raise _refused("anchor", f"&{event.anchor}", line, column)
                case yaml.ScalarEvent() | yaml.CollectionStartEvent() if event.tag:
                    raise _refused("tag", event.tag, line, column)
                case yaml.ScalarEvent():
                    builder.text(_scalar(event, line, column))
                case yaml.CollectionStartEvent():
                    builder.start(line, column, mapping=isinstance(event, yaml.MappingStartEvent))
                case yaml.CollectionEndEvent():
                    builder.end()
    except yaml.YAMLError as error:
        raise _malformed(error, text) from None
    if builder.root is None:
        raise malformed("the file is empty", 0, 0, "A problem needs X, W_Q, W_K, W_V.")
    return builder.root


def _scalar(event: yaml.ScalarEvent, line: int, column: int) -> Scalar:
    plain = not event.style
    # A literal block starts in the line after its "|", and keeps its lines.
    block = event.style == "|"
    return Scalar(
        event.value,
        line + block,
        0 if block else column,
        is_null=plain and event.value in _NULL,
        by_line=block,
    )


def _refused(what: str, sign: str, line: int, column: int) -> InputError:
    return malformed(
        f"the YAML {what} {sign[:40]} is not read here", line, column,
        "Write the value itself; put text that starts with *, & or ! in quotes.",
    )  # fmt: skip


def _malformed(error: yaml.YAMLError, text: str) -> InputError:
    if isinstance(error, yaml.MarkedYAMLError) and (mark := error.problem_mark):
        problem = str(error.problem)
        hint = "Check the brackets, quotes and indentation there and just above."
        lines = text.split("\n")
        line = min(mark.line, len(lines) - 1)  # The mark may be behind the end.
        if lines[line].lstrip(" ").startswith("\t"):
            hint = "Indent with spaces, not tabs."
        elif "mapping values" in problem:
            hint = "Put text with a colon in quotes."
        return malformed(f"this is not YAML: {problem}", line + 1, mark.column + 1, hint)
    if isinstance(error, yaml.reader.ReaderError):
        bad = next((i for i, c in enumerate(text) if yaml.reader.Reader.NON_PRINTABLE.match(c)), 0)
        line = text.count("\n", 0, bad) + 1
        column = bad - text.rfind("\n", 0, bad)
        code = f"U+{ord(text[bad]):04X}"
        return malformed(
            f"the character {code} cannot stand in a text", line, column, "Leave it out."
        )
    return malformed("this is not YAML", 0, 0, "Check the brackets, quotes and indentation.")
