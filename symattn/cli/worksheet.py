"""`symattn worksheet`, `recipes` and `reproduce`: practice sheets from a seed."""

from __future__ import annotations

import csv
import json
import os
import secrets
import sys
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final, TypeVar

import click

from symattn.errors import InputError, MachineError, Place, UsageError

if TYPE_CHECKING:
    from symattn.generate.settings import Settings
    from symattn.press import File, Look, Order

F = TypeVar("F", bound=Callable[..., Any])

DOCUMENTS: Final = ("sheet", "faded", "key", "solution", "marking")
FORMATS: Final = {
    "pdf": "A PDF of each document, ready to print (the default).",
    "html": "Web pages.",
    "latex": "LaTeX documents.",
    "markdown": "For Jupyter and pandoc ($$).",
    "gfm": "For GitHub and VS Code (math fences).",
    "text": "For the terminal.",
    "typst": "The sources of the PDFs.",
    "jsonl": "One record a line: the problem and every asked stage as data.",
}
MOST_SHEETS: Final = 100_000
MOST_ROSTER: Final = 1 << 20
"""Bytes of a roster."""
FEW: Final = 4
"""Jobs up to which no process is started."""
KEYS_A_FILE: Final = 100
"""Keys of a class that stand in one file."""


def output_options(command: F) -> F:
    """What `worksheet` and `reproduce` both know: where sheets go and how they look."""
    options = [
        click.option(
            "-o",
            "--output",
            default="output",
            show_default=True,
            metavar="DIR",
            help="The folder for the files; with --jsonl a file, or - for the terminal.",
        ),
        *(
            click.option(f"--{name}", "format_", flag_value=name, help=words)
            for name, words in FORMATS.items()
        ),
        click.option("--fade", is_flag=True, help="Also a sheet whose first rows are worked out."),
        click.option(
            "--only",
            metavar="LIST",
            help=f"Only these documents: {', '.join(DOCUMENTS)}.",
        ),
        click.option("--force", is_flag=True, help="Overwrite files."),
        click.option("--paper", type=click.Choice(["a4", "letter"]), default="a4", help="Size."),
        click.option("--header", default="", metavar="TEXT", help="A line on top of each page."),
        click.option("--logo", type=click.Path(), help="A PNG, JPEG or SVG for the top."),
        click.option("--author", default="", metavar="NAME", help="For the file's properties."),
        click.option("--fonts", type=click.Path(), help="PDF: a folder with more fonts."),
        click.option("--template", type=click.Path(), help="Your own page shell."),
        click.option("--engine", default="typst", metavar="NAME", help="PDF: typst or your TeX."),
    ]
    for option in reversed(options):
        command = option(command)
    return command


@click.command()
@click.argument("recipe")
@click.option("--seed", type=click.IntRange(0), help="Drawn and printed where it is not given.")
@click.option(
    "--count",
    type=click.IntRange(1, MOST_SHEETS),
    help="So many different sheets, and one key for all.",
)
@click.option("--roster", type=click.Path(), help="A CSV with a student's name in each row.")
@click.option("--merge", is_flag=True, help="All sheets of a class in one file with bookmarks.")
@click.option("--level", type=click.IntRange(1, 5), default=2, show_default=True)
@click.option("--minutes", type=click.IntRange(1, 180), help="About as long, instead of --level.")
@click.option("--range", "range_", type=int, nargs=2, metavar="LOW HIGH", help="Given integers.")
@click.option("--tokens", type=click.IntRange(2, 8), help="How many tokens there are.")
@click.option("--tied", is_flag=True, help="Two largest scores in each row instead of one.")
@click.option("--places", type=click.IntRange(1, 6), default=3, show_default=True)
@click.option("--ties", type=click.Choice(["even", "up"]), default="even", show_default=True)
@click.option("--resume", is_flag=True, help="Make only the files that are missing.")
@click.option("--workers", type=click.IntRange(1), help="Processes; by default one for each core.")
@click.option("--scheduler", metavar="ADDRESS", default="", help="A Dask cluster instead.")
@output_options
def worksheet(recipe: str, **asked: Any) -> None:
    """Make practice sheets from RECIPE (see `symattn recipes`), each with its key.

    One sheet comes with its key, its worked solution and its marking key. With --count or
    --roster every student gets another sheet, and one file has the keys of all.
    """
    from symattn.generate.settings import Settings

    low, high = asked["range_"] or (None, None)
    settings = Settings(
        asked["level"],
        asked["minutes"],
        low,
        high,
        asked["tokens"],
        asked["places"],
        asked["ties"],
        asked["tied"],
    )
    _check_recipe(recipe)
    seed = asked["seed"]
    if seed is None:
        seed = secrets.randbelow(10**6)
        click.echo(f"seed {seed}", err=True)
    students = _students(asked["roster"]) if asked["roster"] else []
    if students and asked["count"] not in (None, len(students)):
        raise UsageError(
            f"--count {asked['count']} does not fit the roster, which has {len(students)} names",
            hint="Leave out --count.",
        )
    count = len(students) or asked["count"] or 1
    _print(recipe, seed, settings, count, students, asked)


@click.command()
@click.argument("id")
@click.option("--resume", is_flag=True, help="Make only the files that are missing.")
@output_options
def reproduce(id: str, **asked: Any) -> None:
    """Make the sheet with this ID again: the same bytes, whenever and wherever it is made."""
    from symattn.generate.identity import identity_of
    from symattn.generate.recipes import BY_NAME

    identity = identity_of(id, BY_NAME)
    recipe = BY_NAME[identity.recipe]
    if recipe.version != identity.version:
        raise UsageError(
            f"the sheet was made by version {identity.version} of the recipe {recipe.name}; "
            f"this release has version {recipe.version}",
            hint="Install the release that made the sheet.",
        )
    asked |= {"merge": False, "workers": 1, "scheduler": "", "roster": None, "count": None}
    _print(recipe.name, identity.seed, identity.settings, 1, [], asked)


@click.command()
@click.argument("name", required=False)
def recipes(name: str | None) -> None:
    """List the recipes of practice sheets, or tell what one of them promises."""
    from symattn.generate.recipes import RECIPES
    from symattn.generate.settings import LEVELS, Settings
    from symattn.press import recipe_of

    if name is None:
        width = max(len(recipe.name) for recipe in RECIPES)
        for recipe in RECIPES:
            click.echo(f"{recipe.name:<{width}}  {recipe.summary}")
        return
    recipe = recipe_of(name)
    click.echo(f"{recipe.title}: {recipe.summary}\n")
    for level in LEVELS:
        plan = recipe.plan(Settings(level=level))
        takes = recipe.typical(plan, Settings(level=level)) / 60
        click.echo(f"  --level {level}  {plan}, about {takes:.0f} min")
    click.echo("\nEvery sheet promises that")
    for promise in recipe.promises:
        click.echo(f"  - {promise.words};")
    click.echo(f"  - variants with the same settings take the same time, within {SPREAD}.")


SPREAD: Final = "10 %"


# ------------------------------------------------------------------ making files


def _print(
    recipe: str,
    seed: int,
    settings: Settings,
    count: int,
    students: Sequence[str],
    asked: dict[str, Any],
) -> None:
    from symattn.press import Order

    format_ = asked["format_"] or "pdf"
    alone = count == 1 and not students
    documents = _documents(asked, alone)
    width = len(str(count))
    orders = [
        Order(
            recipe,
            seed + k,
            settings,
            documents,
            students[k] if students else "",
            _prefix(k, width, students),
        )
        for k in range(count)
    ]
    if format_ == "jsonl":
        _records(orders, asked)
        return
    look = _look(format_, asked)
    if asked["merge"]:
        _merged(orders, look, asked)
    else:
        _separate(orders, look, asked, alone)


def _documents(asked: dict[str, Any], alone: bool) -> tuple[str, ...]:
    if asked["only"]:
        names = tuple(filter(None, (name.strip() for name in asked["only"].split(","))))
        for name in names:
            if name not in DOCUMENTS:
                raise UsageError(
                    f"there is no document {name!r}", hint=f"Known are {', '.join(DOCUMENTS)}."
                )
        return names
    faded = ("faded",) if asked["fade"] else ()
    return ("sheet", *faded, "key", "solution", "marking") if alone else (faded or ("sheet",))


def _prefix(k: int, width: int, students: Sequence[str]) -> str:
    """The number and the name of a student: 07-ada-lovelace-."""
    if not students:
        return ""
    plain = unicodedata.normalize("NFKD", students[k]).encode("ascii", "ignore").decode()
    words = "".join(c if c.isalnum() else " " for c in plain.lower()).split()
    return "-".join([f"{k + 1:0{width}}", *words])[:60] + "-"


def _look(format_: str, asked: dict[str, Any]) -> Look:
    from symattn.press import Look

    page: dict[str, Any] = {}
    if format_ in ("pdf", "latex", "html", "typst"):
        page = {name: asked[name] for name in ("paper", "header", "template")}
        if asked["logo"]:
            from symattn.writers.logo import Logo

            page["logo"] = Logo.read(asked["logo"])
    pdf = {"engine": asked["engine"], "fonts": asked["fonts"]} if format_ == "pdf" else {}
    return Look(format_, asked["author"], pdf, page)


def _separate(orders: list[Order], look: Look, asked: dict[str, Any], alone: bool) -> None:
    """A file for each document of each order; for a class, one with the keys of all."""
    from symattn.bulk import call, folder_for, in_order, workers, write_files
    from symattn.press import print_class, print_order

    names = {order: [order.file(name, look) for name in order.documents] for order in orders}
    keys = [] if alone or asked["only"] else _class_keys(orders)
    every = [name for files in names.values() for name in files]
    every += [f"{name}.{look.suffix}" for name, _ in keys]
    folder = folder_for(
        asked["output"], every, force=asked["force"], resume=asked.get("resume", False)
    )
    missing = [
        order
        for order in orders
        if asked["force"] or not all((folder / name).exists() for name in names[order])
    ]
    jobs: list[Callable[[], list[File]]] = [partial(print_order, order, look) for order in missing]
    for name, some in keys:
        if asked["force"] or not (folder / f"{name}.{look.suffix}").exists():
            jobs.append(partial(print_class, _title(orders), "key", some, look, name))
    written = 0
    count = asked["workers"] or (os.cpu_count() or 1)
    count = 1 if len(jobs) <= FEW and not asked["scheduler"] else count
    with (
        _progress(len(jobs)) as advance,
        workers(count, asked["scheduler"]) as (executor, window),
    ):
        try:
            for files in in_order(call, jobs, executor, window):
                fresh = [f for f in files if asked["force"] or not (folder / f[0]).exists()]
                write_files(fresh, folder, force=asked["force"])
                written += len(fresh)
                advance()
        except KeyboardInterrupt:
            click.echo(
                f"\n{written} of {len(every)} files are written, each of them whole. "
                f"Run it again with --seed {orders[0].seed} --resume to make the others.",
                err=True,
            )
            raise
    _report(written, len(every), folder, orders)


def _class_keys(orders: list[Order]) -> list[tuple[str, list[Order]]]:
    """The files with the keys of a class: their names and whose keys are in them."""
    if len(orders) <= KEYS_A_FILE:
        return [(_class_file(orders, "key"), orders)]
    parts = range(0, len(orders), KEYS_A_FILE)
    return [
        (
            f"{_class_file(orders, 'key')}-{start + 1}-to-{min(start + KEYS_A_FILE, len(orders))}",
            orders[start : start + KEYS_A_FILE],
        )
        for start in parts
    ]


def _merged(orders: list[Order], look: Look, asked: dict[str, Any]) -> None:
    """One file with the sheets of all, one with the keys of all."""
    from symattn.bulk import folder_for, write_files
    from symattn.press import print_class

    kinds = [orders[0].documents[0], "key"] if not asked["only"] else list(orders[0].documents)
    names = [_class_file(orders, kind) for kind in kinds]
    files = [f"{name}.{look.suffix}" for name in names]
    resume = asked.get("resume", False)
    folder = folder_for(asked["output"], files, force=asked["force"], resume=resume)
    written = 0
    with _progress(len(kinds)) as advance:
        for kind, name, file in zip(kinds, names, files, strict=True):
            if asked["force"] or not (folder / file).exists():
                made = print_class(_title(orders), kind, orders, look, name)
                write_files(made, folder, force=asked["force"])
                written += 1
            advance()
    _report(written, len(files), folder, orders)


def _class_file(orders: list[Order], kind: str) -> str:
    return f"{orders[0].id}-and-{len(orders) - 1}-more-{kind}"


def _title(orders: list[Order]) -> str:
    from symattn.press import recipe_of

    return recipe_of(orders[0].recipe).title


def _report(written: int, wanted: int, folder: Path, orders: list[Order]) -> None:
    there = f", {wanted - written} were there" if written < wanted else ""
    what = orders[0].id if len(orders) == 1 else f"{len(orders)} sheets from {orders[0].id} on"
    files = f"{written} file{'' if written == 1 else 's'}"
    click.echo(f"wrote {files} to {folder}{os.sep}{there}: {what}", err=True)


def _records(orders: list[Order], asked: dict[str, Any]) -> None:
    """A line of JSON for each order."""
    from symattn.press import exercise_of
    from symattn.views.record import record

    output = None if asked["output"] in ("-", "output") else asked["output"]
    if output and os.path.exists(output) and not asked["force"]:
        raise MachineError(f"{output} exists already", hint="Choose another -o, or add --force.")
    lines = (json.dumps(record(exercise_of(order)), ensure_ascii=False) for order in orders)
    if output is None:
        for line in lines:
            click.echo(line)
        return
    try:
        with open(output, "w" if asked["force"] else "x", encoding="utf-8") as file:
            for line in lines:
                file.write(line + "\n")
    except OSError as error:
        raise MachineError(f"{output} cannot be written: {error.strerror}") from None
    click.echo(f"wrote {output}", err=True)


# ------------------------------------------------------------------ what is asked


def _check_recipe(name: str) -> None:
    from symattn.press import recipe_of

    recipe_of(name)


def _students(path: str) -> list[str]:
    """The names of a CSV: the column headed name, or else the first column without a head."""
    from symattn.files import read_whole

    hint = "Give a CSV in UTF-8 with a name in each row."
    data = read_whole(path, MOST_ROSTER, "the roster", too_long="the roster is too long", hint=hint)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError:
        raise InputError("the roster is not UTF-8", place=Place(file=path), hint=hint) from None
    rows = [row for row in csv.reader(text.splitlines()) if any(cell.strip() for cell in row)]
    heads = [cell.strip().lower() for cell in rows[0]] if rows else []
    column = heads.index("name") if "name" in heads else 0
    if "name" in heads:
        rows = rows[1:]
    names = [row[column].strip() if column < len(row) else "" for row in rows]
    for line, name in enumerate(names, 2 if "name" in heads else 1):
        if not name:
            raise InputError(
                "a row has no name",
                place=Place(file=path, line=line),
                hint="Give a name in each row, in the column headed name or in the first one.",
            )
    if not names:
        raise InputError("there are no names", place=Place(file=path), hint="One name a row.")
    return names


def _progress(total: int) -> Any:
    """A progress bar on the terminal where there is much to do."""
    from contextlib import contextmanager

    @contextmanager
    def bar() -> Iterator[Callable[[], None]]:
        if total < 3 or not sys.stderr.isatty():
            yield lambda: None
            return
        from rich.console import Console
        from rich.progress import Progress

        with Progress(console=Console(stderr=True)) as progress:
            task = progress.add_task("sheets", total=total)
            yield lambda: progress.advance(task)

    return bar()
