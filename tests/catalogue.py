"""The list of known mistakes in `symattn/misconceptions/README.md`, from the catalogue itself.

`python -m tests.catalogue` writes it anew.
"""

from __future__ import annotations

from pathlib import Path

from symattn.misconceptions import ALL

PAGE = Path(__file__).parent.parent / "symattn" / "misconceptions" / "README.md"


HEAD = """# The catalogue of known mistakes

{count} wrong laws, one row each. A row makes a diagnosis, a find-the-mistake sheet, the wrong
options of multiple choice, the warnings of a marking key, and its own test.

| tag | stage | what goes wrong | the question to ask | seen |
|---|---|---|---|---|
"""


def written() -> str:
    cells = [(f"`{row.tag}`", row.letter, row.title, row.hint, row.seen) for row in ALL]
    return HEAD.format(count=len(ALL)) + "".join(f"| {' | '.join(row)} |\n" for row in cells)


if __name__ == "__main__":
    PAGE.write_text(written(), encoding="utf-8")
