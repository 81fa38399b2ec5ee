"""Many hand-ins at once: a line for each, a report as CSV, a page about the class."""

from __future__ import annotations

import csv
import os
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any, Final

import click

from symattn.cli.output import deliver
from symattn.cli.verify import ENDINGS, RIGHT, UNREADABLE, WRONG, marked, page, read, status_of
from symattn.errors import MachineError, SymattnError, UsageError

COLUMNS: Final = (
    "file", "status", "points", "possible", "first_error_stage", "first_error_row",
    "first_error_column", "tags", "right", "carried", "follows", "wrong", "blank", "unreadable",
    "message",
)  # fmt: skip


def stack(problem: str, paths: tuple[str, ...], options: dict[str, Any]) -> int:
    """Mark every file; one that cannot be read never stops the rest. The worst exit status."""
    from symattn.verify.overview import Row, row_of

    writes = options["writes"]
    folder = _folder(options["output"], writes)
    done = _already(options["report"], options["resume"], options["force"])
    if options["overview"] and os.path.exists(options["overview"]) and not options["force"]:
        raise MachineError(
            f"{options['overview']} exists already",
            hint="Choose another name, or add --force.",
        )
    rows: list[Row] = list(done.values())
    worst = max([row.exit_status for row in rows], default=RIGHT)
    with _Report(options["report"], done) as report:
        for path in _shown(paths, options):
            if path in done:
                continue
            try:
                result = marked(problem, read(path), path, options)
                row = row_of(path, result, status_of(result))
                if folder is not None:
                    made = page(result, writes, path, options)
                    target = folder / (Path(path).stem + ENDINGS[writes])
                    _write(target, made, options["force"])
            except SymattnError as error:
                row = Row(path, "unreadable", UNREADABLE, message=str(error).split("\n")[0])
            rows.append(row)
            report.add(row)
            worst = max(worst, row.exit_status)
            if not options["report"] and not options["overview"]:
                _say(row)
    if options["overview"]:
        from symattn.views.class_page import class_page
        from symattn.writers import write

        deliver(write(class_page(rows), "html"), options["overview"], options["force"])
    _summary(rows)
    return worst


def _shown(paths: tuple[str, ...], options: dict[str, Any]) -> Iterator[str]:
    """The files in order, with a bar on a terminal that is not written to otherwise."""
    if len(paths) < 3 or not sys.stderr.isatty() or not (options["report"] or options["overview"]):
        yield from paths
        return
    from rich.console import Console
    from rich.progress import track

    yield from track(paths, "Marking", console=Console(stderr=True))


def _folder(output: str | None, writes: str | None) -> Path | None:
    """Where feedback pages go; None where none are asked for."""
    if writes is None:
        if output:
            raise UsageError(
                "there are no pages to write", hint="Say which: --pdf, --html, --markdown, --json …"
            )
        return None
    folder = Path(output or "output")
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise MachineError(f"{folder} cannot be made: {error.strerror}") from None
    return folder


def _write(target: Path, made: str | bytes, force: bool) -> None:
    try:
        with open(target, "wb" if force else "xb") as file:
            file.write(made.encode() if isinstance(made, str) else made)
    except FileExistsError:
        raise MachineError(
            f"{target} exists already", hint="Choose another folder with -o, or add --force."
        ) from None
    except OSError as error:
        raise MachineError(f"{target} cannot be written: {error.strerror}") from None


def _already(report: str | None, resume: bool, force: bool) -> dict[str, Any]:
    """The rows of an earlier run, by file."""
    from symattn.verify.overview import Row

    if not report or not os.path.exists(report):
        return {}
    if not resume:
        if force:
            return {}
        raise MachineError(
            f"{report} exists already",
            hint="Go on with --resume, choose another name, or add --force.",
        )
    with open(report, encoding="utf-8-sig", newline="") as file:
        reader = csv.DictReader(file)
        if tuple(reader.fieldnames or ()) != COLUMNS:
            raise UsageError(
                f"{report} is no report of symattn verify", hint="Choose another name for --report."
            )
        return {line["file"]: Row.of(line) for line in reader if line["status"]}


class _Report:
    """The CSV, written line by line so that an interrupt loses nothing."""

    def __init__(self, path: str | None, done: dict[str, Any]) -> None:
        self.path, self.done = path, done
        self.file: Any = None

    def __enter__(self) -> _Report:
        if self.path:
            try:
                self.file = open(self.path, "w", encoding="utf-8", newline="")
            except OSError as error:
                raise MachineError(
                    f"{self.path} cannot be written: {error.strerror}",
                    hint="Choose another place for --report.",
                ) from None
            self.writer = csv.DictWriter(self.file, COLUMNS)
            self.writer.writeheader()
            for row in self.done.values():
                self.add(row)
        return self

    def add(self, row: Any) -> None:
        if self.file:
            self.writer.writerow({name: _safe(value) for name, value in row.as_csv().items()})
            self.file.flush()

    def __exit__(self, *_: object) -> None:
        if self.file:
            self.file.close()


def _safe(value: object) -> object:
    """No cell that a spreadsheet would take for a formula."""
    text = str(value)
    is_formula = text.startswith(("=", "+", "-", "@", "\t")) and not _is_number(text)
    return f"'{text}" if is_formula else value


def _is_number(text: str) -> bool:
    return text.lstrip("-").replace(".", "", 1).isdigit()


def _say(row: Any) -> None:
    sign = {RIGHT: "✓", WRONG: "✗", UNREADABLE: "?"}[row.exit_status]
    colour = {RIGHT: "green", WRONG: "red", UNREADABLE: "yellow"}[row.exit_status]
    click.echo(click.style(sign, fg=colour) + f" {row.file}: {row.words}")


def _summary(rows: list[Any]) -> None:
    right = sum(row.exit_status == RIGHT for row in rows)
    unread = sum(row.exit_status == UNREADABLE for row in rows)
    wrong = len(rows) - right - unread
    click.echo(
        f"{len(rows)} hand-ins: {right} all right, {wrong} with something wrong, "
        f"{unread} not readable",
        err=True,
    )
