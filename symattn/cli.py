"""The command line: the only module that reads arguments, prints, and exits."""

from __future__ import annotations

import gc
import os
import sys
from typing import Any, Literal

import click

from symattn import __version__
from symattn.errors import MachineError, SymattnError, UsageError

FORMATS = ("latex", "markdown", "gfm", "text", "json")
SUFFIXES = {".tex": "latex", ".md": "markdown", ".txt": "text", ".json": "json"}


@click.group(context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="symattn")
def cli() -> None:
    """Exact, step-by-step derivations of scaled dot-product attention."""


@cli.command()
@click.argument("problem", default="i-love-ai")
@click.option("--latex", "format_", flag_value="latex", help="A complete LaTeX document.")
@click.option("--markdown", "format_", flag_value="markdown", help="For Jupyter and pandoc ($$).")
@click.option("--gfm", "format_", flag_value="gfm", help="For GitHub and VS Code (math fences).")
@click.option("--text", "format_", flag_value="text", help="For the terminal (the default).")
@click.option("--json", "format_", flag_value="json", help="Every stage as data.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write to a file; its suffix can choose the format.",
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.option("--fragment", is_flag=True, help="LaTeX: only the body, to \\input elsewhere.")
@click.option("--template", type=click.Path(), help="Your own LaTeX page shell.")
@click.option(
    "--detail",
    type=click.Choice(["brief", "normal", "full"]),
    default="normal",
    help="No entry, one entry, or all entries worked out.",
    show_default=True,
)
@click.option("--focus", metavar="TOKEN", help="Work out this token's row only.")
@click.option("--stage", metavar="NAME", help="Only this stage: Q K V S Z M A O C Y.")
@click.option("--head", type=click.IntRange(min=1), help="The head of --stage, from 1.")
@click.option(
    "--places",
    type=click.IntRange(0, 100_000),
    default=3,
    show_default=True,
    help="Decimal places.",
)
@click.option(
    "--figures",
    type=click.IntRange(1, 100_000),
    help="Significant figures instead of decimal places.",
)
@click.option(
    "--ties",
    type=click.Choice(["even", "up"]),
    default="even",
    show_default=True,
    help="Round ties to the even digit or away from zero.",
)
@click.option("--tokens", type=click.Choice(["rows", "columns"]), help="Tokens as rows or columns.")
@click.option("--weights", type=click.Choice(["right", "left"]), help="X W or W X.")
@click.option("--index-from", type=click.Choice(["0", "1"]), help="Count entries from 0 or 1.")
@click.option("--brackets", type=click.Choice(["square", "round"]), help="Around matrices.")
@click.option(
    "--scores",
    type=click.Choice(["QKt", "KtQ"]),
    help="Write scores as Q Kᵀ (tokens as rows) or Kᵀ Q (tokens as columns).",
)
@click.option(
    "--exact/--no-exact", default=True, help="Exact weights and outputs, or decimals only."
)
@click.option("--code", is_flag=True, help="Close with NumPy, PyTorch and SymPy code.")
@click.option("--zeros", is_flag=True, help="A fully masked row gives zeros instead of an error.")
def derive(
    problem: str, format_: str | None, output: str | None, force: bool, **options: Any
) -> None:
    """Write the complete worked solution of PROBLEM.

    PROBLEM is a file (YAML, JSON, TOML), a built-in name (see `symattn problems`), or - for
    standard input.
    """
    format_ = format_ or (output and SUFFIXES.get(os.path.splitext(output)[1].lower())) or "text"
    _check_output(output, force)
    text = _derived(problem, format_, to_terminal=output is None, **options)
    _deliver(text, output)


@cli.command()
@click.argument("name", required=False)
def problems(name: str | None) -> None:
    """List the built-in problems, or print the file of one, as a start for your own."""
    from symattn.reading import problem_file

    if name:
        click.echo(problem_file.builtin_text(name), nl=False)
        return
    width = max(map(len, problem_file.builtin_names()))
    for each in problem_file.builtin_names():
        click.echo(f"{each:<{width}}  {problem_file.load(each).title}")


def _derived(source: str, format_: str, *, to_terminal: bool, **options: Any) -> str:
    """The worked solution as text."""
    from dataclasses import replace

    from symattn.attention import derive as derive_
    from symattn.exact.rounding import Rounding
    from symattn.reading.problem_file import load

    problem = load(source)
    if options["zeros"]:
        problem = replace(problem, zeros_if_masked=True)
    derivation = derive_(problem)
    rounding = Rounding(options["places"], options["figures"], options["ties"])
    if format_ == "json":
        import json

        from symattn.views.data import data

        return json.dumps(data(derivation, rounding), ensure_ascii=False, indent=1) + "\n"
    from symattn.layout import PRINT, TERMINAL
    from symattn.views.explain import explain
    from symattn.views.options import Options
    from symattn.writers import write

    chosen = Options(
        detail=options["detail"],
        focus=options["focus"],
        rounding=rounding,
        convention=_convention(problem.convention, options),
        exact=options["exact"],
        code=options["code"],
        page=TERMINAL if format_ == "text" else PRINT,
    )
    if options["stage"]:
        from symattn.views.stage import one_stage

        document = one_stage(derivation, options["stage"], options["head"], chosen)
    else:
        document = explain(derivation, chosen)
    colour = format_ == "text" and to_terminal and sys.stdout.isatty()
    return write(
        document, format_, fragment=options["fragment"], template=options["template"], colour=colour
    )


def _convention(base: Any, options: dict[str, Any]) -> Any:
    """The problem's convention with what the command line changes."""
    from dataclasses import replace

    changes: dict[str, object] = {}
    if options["scores"]:
        tokens: Literal["rows", "columns"] = "rows" if options["scores"] == "QKt" else "columns"
        if options["tokens"] not in (None, tokens):
            raise UsageError(
                f"--scores {options['scores']} needs tokens as {tokens}",
                hint="Leave out --tokens or --scores.",
            )
        options = options | {"tokens": tokens}
    if options["tokens"]:
        changes["tokens"] = options["tokens"]
        # W stands beside X on the side that fits, unless it is said otherwise.
        changes["weights"] = "right" if options["tokens"] == "rows" else "left"
    if options["weights"]:
        changes["weights"] = options["weights"]
    if options["index_from"]:
        changes["index_from"] = int(options["index_from"])
    if options["brackets"]:
        changes["fence"] = "[" if options["brackets"] == "square" else "("
    return replace(base, **changes)


def _check_output(output: str | None, force: bool) -> None:
    """Refuse before the work is done, not after."""
    if output and os.path.exists(output) and not force:
        raise MachineError(f"{output} exists already", hint="Choose another name, or add --force.")


def _deliver(text: str, output: str | None) -> None:
    if output is None:
        click.echo(text, nl=False)
        return
    try:
        with open(output, "w", encoding="utf-8", newline="\n") as file:
            file.write(text)
    except OSError as error:
        raise MachineError(
            f"{output} cannot be written: {error.strerror}", hint="Choose another place with -o."
        ) from None
    click.echo(f"wrote {output}", err=True)


def main() -> None:
    """The entry point: errors become one message and an exit code."""
    if hasattr(sys.stdout, "reconfigure"):
        sys.stdout.reconfigure(encoding="utf-8")  # mathematics needs more than ASCII
    # One short run makes next to no garbage in cycles; looking for it costs a tenth of the time.
    gc.set_threshold(100_000)
    try:
        cli(standalone_mode=False)
    except click.ClickException as error:
        error.show()
        sys.exit(error.exit_code)
    except click.Abort:
        sys.exit(130)
    except SymattnError as error:
        click.echo(click.style("symattn: ", fg="red") + str(error), err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(0)
