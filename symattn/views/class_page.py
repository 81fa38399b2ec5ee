"""A class at a glance: which mistake in which step, the hardest cell, everybody's points."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import Final

from symattn.document import Block, Document, Heading, Para, Table, Text
from symattn.misconceptions import BY_TAG
from symattn.verify.findings import TITLES
from symattn.verify.overview import Row

ORDER: Final = "QKVSZMErAOCY"


def class_page(rows: Sequence[Row]) -> Document:
    """The overview of a stack of hand-ins."""
    return Document(
        "Class overview",
        f"{len(rows)} hand-ins",
        tuple(_blocks(rows)),
        footer="symattn",
        keywords=("attention", "feedback", "class"),
    )


def _blocks(rows: Sequence[Row]) -> Iterator[Block]:
    read = [row for row in rows if row.exit_status != 2]
    right = sum(row.exit_status == 0 for row in rows)
    said = f"{right} of {len(rows)} hand-ins are all right."
    if read:
        mean = sum(row.points for row in read) / len(read)
        said += f" On average {mean:.1f} of {max(row.possible for row in read)} points."
    if len(read) < len(rows):
        said += f" {len(rows) - len(read)} could not be read."
    yield Para((said,))
    yield from _mistakes(rows)
    yield from _hardest(rows)
    yield from _everybody(rows)


def _mistakes(rows: Sequence[Row]) -> Iterator[Block]:
    """Mistakes down, steps across."""
    found = Counter(tag for row in rows for tag in row.tags)
    if not found:
        return
    letters = [x for x in ORDER if any(tag.startswith(x + ":") for tag in found)]
    names = Counter[str]()
    for tag, count in found.items():
        names[tag.partition(":")[2]] += count
    yield Heading(1, ("What went wrong",))
    lines: list[tuple[Text, ...]] = []
    for name, total in sorted(names.items(), key=lambda item: (-item[1], item[0])):
        cells: list[Text] = [(str(found.get(f"{x}:{name}", "")),) for x in letters]
        lines.append(((_title(name),), *cells, (str(total),)))
    head: list[Text] = [("Mistake",), *((x,) for x in letters), ("Together",)]
    yield Table(tuple(head), tuple(lines))


def _title(name: str) -> str:
    """The words for a tag, with the tag."""
    if name in TITLES:
        return f"{TITLES[name]} [{name}]"
    words = [
        " and ".join(BY_TAG[part].title if part in BY_TAG else part for part in each.split("+"))
        for each in name.split("|")
    ]
    plain = " or ".join(words)
    return f"{plain} [{name}]" if plain != name else name


def _hardest(rows: Sequence[Row]) -> Iterator[Block]:
    """Where most first errors are."""
    cells = Counter(row.first for row in rows if row.first)
    if not cells:
        return
    yield Heading(1, ("Where the first error is",))
    lines: list[tuple[Text, ...]] = [
        ((f"{stage}, row {i}, column {j}",), (str(count),))
        for (stage, i, j), count in sorted(cells.items(), key=lambda item: (-item[1], item[0]))[:10]
    ]
    yield Table((("Cell",), ("Hand-ins",)), tuple(lines))


def _everybody(rows: Sequence[Row]) -> Iterator[Block]:
    yield Heading(1, ("Hand-ins",))
    lines: list[tuple[Text, ...]] = []
    for row in rows:
        first = f"{row.first[0]}, row {row.first[1]}, column {row.first[2]}" if row.first else ""
        points = f"{row.points:g} of {row.possible}" if row.exit_status != 2 else ""
        told = row.message or ", ".join(_title(tag.partition(":")[2]) for tag in row.tags)
        lines.append(((row.file,), (row.status,), (points,), (first,), (told,)))
    head = (("File",), ("Status",), ("Points",), ("First error",), ("What happened",))
    yield Table(head, tuple(lines))
