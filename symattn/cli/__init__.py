"""The command line: the only room that reads arguments, prints, and exits.

Each command lives in a module that is loaded when it is called for.
"""

from __future__ import annotations

import gc
import sys
from importlib import import_module
from typing import Final

import click

from symattn import __version__
from symattn.errors import SymattnError

COMMANDS: Final = {
    "derive": ("derive", "Write the complete worked solution of a problem."),
    "problems": ("derive", "List the built-in problems, or print the file of one."),
    "worksheet": ("worksheet", "Make practice sheets from a recipe, with their keys."),
    "recipes": ("worksheet", "List the recipes, or tell what one of them promises."),
    "reproduce": ("worksheet", "Make a sheet again from the id at its foot."),
    "verify": ("verify", "Mark a calculation by hand, cell by cell, and say why."),
}
"""The commands, each with the module that it is in and what it does."""


class Commands(click.Group):
    """The commands of `COMMANDS`, loaded one by one; listing them loads none."""

    def list_commands(self, ctx: click.Context) -> list[str]:
        return list(COMMANDS)

    def get_command(self, ctx: click.Context, name: str) -> click.Command | None:
        if name not in COMMANDS:
            return None
        module = import_module(f"symattn.cli.{COMMANDS[name][0]}")
        command: click.Command = getattr(module, name)
        return command

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        with formatter.section("Commands"):
            formatter.write_dl([(name, words) for name, (_, words) in COMMANDS.items()])


@click.group(cls=Commands, context_settings={"help_option_names": ["-h", "--help"]})
@click.version_option(__version__, prog_name="symattn")
def cli() -> None:
    """Exact, step-by-step derivations of scaled dot-product attention, and practice sheets."""


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
    except (click.Abort, KeyboardInterrupt):
        click.echo("symattn: interrupted", err=True)
        sys.exit(130)
    except SymattnError as error:
        click.echo(click.style("symattn: ", fg="red") + str(error), err=True)
        sys.exit(error.exit_code)
    except BrokenPipeError:
        # The reader (head, less) has seen enough.
        sys.stderr.close()
        sys.exit(0)
