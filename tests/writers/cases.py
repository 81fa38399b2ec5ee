"""Golden cases: Markdown files of prose in which fenced blocks show what a writer makes of a tree.

A case is a heading, words on why it is so, an expression in a ``python`` fence, and one fence per
format with what is expected. `UPDATE_GOLDEN=1 pytest tests/writers` writes the expectations anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import symattn.document
import symattn.formula

FOLDER = Path(__file__).parent / "golden"
_FENCE = re.compile(r"^~~~~ (\w+)\n(.*?)^~~~~$", re.MULTILINE | re.DOTALL)


@dataclass(frozen=True)
class Case:
    file: Path
    name: str
    source: str
    expected: dict[str, str]

    @property
    def tree(self) -> Any:
        """The formula or block that the expression builds."""
        names = {**vars(symattn.formula), **vars(symattn.document)}
        return eval(self.source, names)  # The expressions are part of these tests.

    def __str__(self) -> str:
        return f"{self.file.stem}: {self.name}"


def read(file: Path) -> Iterator[Case]:
    text = file.read_text(encoding="utf-8")
    for section in re.split(r"^## ", text, flags=re.MULTILINE)[1:]:
        name, _, rest = section.partition("\n")
        fences = dict(_FENCE.findall(rest))
        yield Case(file, name, fences.pop("python", ""), fences)


def every_case() -> list[Case]:
    return [case for file in sorted(FOLDER.glob("*.md")) for case in read(file)]


def update(file: Path, write: Any) -> None:
    """Replace what is expected by what `write(tree, format)` says."""
    text = file.read_text(encoding="utf-8")
    for case in read(file):
        start = text.index(f"## {case.name}\n")
        head, section = text[:start], text[start:]
        end = section.find("\n## ", 1)
        section, tail = (section, "") if end < 0 else (section[:end], section[end:])

        def fresh(fence: re.Match[str], case: Case = case) -> str:
            if fence[1] == "python":
                return fence[0]
            return f"~~~~ {fence[1]}\n{write(case.tree, fence[1])}\n~~~~"

        text = head + _FENCE.sub(fresh, section) + tail
    file.write_text(text, encoding="utf-8")
