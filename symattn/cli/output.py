"""What a command made, to the terminal or into a file that is not overwritten unasked."""

from __future__ import annotations

import os

import click

from symattn.errors import MachineError


def check_output(output: str | None, force: bool) -> None:
    """Refuse before the work is done, not after."""
    if not output:
        return
    if os.path.exists(output) and not force:
        raise MachineError(f"{output} exists already", hint="Choose another name, or add --force.")
    folder = os.path.dirname(output) or "."
    if not os.path.isdir(folder):
        raise MachineError(f"there is no folder {folder}", hint="Make it first, or choose another.")
    if not os.access(folder, os.W_OK):
        raise MachineError(f"{output} cannot be written", hint="Choose another place with -o.")


def deliver(made: str | bytes, output: str | None, force: bool) -> None:
    if output is None:
        click.echo(made, nl=False)
        return
    try:
        with open(output, "wb" if force else "xb") as file:
            file.write(made.encode() if isinstance(made, str) else made)
    except OSError as error:
        raise MachineError(
            f"{output} cannot be written: {error.strerror}", hint="Choose another place with -o."
        ) from None
    click.echo(f"wrote {output}", err=True)
