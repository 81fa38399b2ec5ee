"""Files that a user names: read in one piece, up to a limit, with one message where that fails."""

from __future__ import annotations

from symattn.errors import InputError, MachineError, Place


def read_whole(file: str, limit: int, what: str, *, too_long: str, hint: str) -> bytes:
    """The bytes of a file. MachineError where it cannot be read.

    InputError with the message `too_long` and the hint where it has more bytes than `limit`.
    """
    try:
        with open(file, "rb") as stream:
            data = stream.read(limit + 1)
    except OSError as error:
        raise MachineError(
            f"cannot read {what}: {error.strerror or error}",
            place=Place(file=file),
            hint="Check the path and its permissions.",
        ) from error
    if len(data) > limit:
        raise InputError(too_long, place=Place(file=file), hint=hint)
    return data
