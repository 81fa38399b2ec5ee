"""The files of `output/`: which command makes which, read from the table in its README."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

from click.testing import CliRunner

from symattn.cli import cli

OUTPUT = Path(__file__).parent.parent / "output"
ROW = re.compile(r"\| \[(?P<file>[\w.-]+)\]\([\w.-]+\) \| `symattn (?P<command>[^`]+)` \|")


def commands() -> dict[str, list[str]]:
    """File name → arguments of symattn."""
    text = (OUTPUT / "README.md").read_text(encoding="utf-8")
    return {row["file"]: shlex.split(row["command"]) for row in ROW.finditer(text)}


def printed(arguments: list[str]) -> str:
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


if __name__ == "__main__":
    for name, arguments in commands().items():
        (OUTPUT / name).write_text(printed(arguments), encoding="utf-8", newline="\n")
