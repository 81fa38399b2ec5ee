"""LaTeX -> PDF with the user's own TeX, and its log as one message."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import sys
import tempfile
from dataclasses import dataclass, replace
from os import PathLike
from typing import Final, Literal, TypeAlias, get_args

from symattn.errors import InputError, MachineError, Place, SymattnError, UsageError, known_are
from symattn.templates import line_of
from symattn.writers.latex import LOGO
from symattn.writers.logo import Logo

TexEngine: TypeAlias = Literal["pdflatex", "lualatex", "xelatex"]
TEX_ENGINES: Final[tuple[TexEngine, ...]] = get_args(TexEngine)

TIME_LIMIT: Final = 120.0
"""Seconds for one run. The first run of lualatex on a machine collects its fonts."""
MOST_RUNS: Final = 2
"""One run is enough for the pages of symattn; a template of one's own may have references."""

_DEBIAN: Final[dict[TexEngine, str]] = {
    "pdflatex": "texlive-latex-recommended lmodern",
    "lualatex": "texlive-luatex lmodern",
    "xelatex": "texlive-xetex lmodern",
}
_PACKAGES: Final = {"amssymb": "amsfonts", "array": "tools", "bm": "tools", "lmodern": "lm"}
"""Where the file of a package is not called like the package that is installed."""

_FIRST: Final[dict[TexEngine, str]] = {
    "pdflatex": "page.tex",
    # The number that lualatex gives to a file depends on its folder: it is left out.
    "lualatex": r"\pdfvariable suppressoptionalinfo=512\relax\input{page.tex}",
    "xelatex": "page.tex",
}

_ENVIRONMENT: Final = {
    "SOURCE_DATE_EPOCH": "0",
    "FORCE_SOURCE_DATE": "1",
    "TZ": "UTC",
    # Neither read nor written is what lies outside the folder and TeX's own trees.
    "openin_any": "p",
    "openout_any": "p",
    # Lines of the log are not broken.
    "max_print_line": "10000",
    "error_line": "254",
    "half_error_line": "238",
}


def compile_tex(
    source: str,
    engine: TexEngine,
    logo: Logo | None = None,
    *,
    template: PathLike[str] | str | None = None,
) -> bytes:
    """The PDF that a TeX of this machine makes of a page; the same page gives the same bytes.

    TeX runs in an empty folder and can start no other program. It finds the logo there under the
    name `LOGO`, and finds the files beside the `template` that the page was made with. TeX
    itself reads and writes no others; what a template tells lualatex in Lua is not held back.

    UsageError for an engine that does not exist. InputError where the template is to blame,
    MachineError where TeX or a package of it is missing, or takes too long.
    """
    program = _found(engine)
    try:
        with tempfile.TemporaryDirectory(prefix="symattn-", ignore_cleanup_errors=True) as folder:
            _put(folder, "page.tex", source.encode("utf-8"))
            if logo is not None:
                _put(folder, f"{LOGO}.{logo.kind}", logo.data)
            return _Page(source, engine, logo, template).set(program, folder)
    except OSError as error:
        raise MachineError(
            f"{engine} cannot work: {error.strerror or error}",
            hint="It needs a folder for temporary files with some room; TMPDIR can name another.",
        ) from error


def _found(engine: str) -> str:
    if engine not in TEX_ENGINES:
        raise UsageError(f"there is no TeX {engine!r}", hint=known_are(engine, TEX_ENGINES))
    program = shutil.which(engine)
    if program is None:
        raise MachineError(
            f"{engine} is not installed",
            hint=f"Install TeX (on Debian: apt install {_DEBIAN[engine]}), "
            "or take the engine typst, which needs nothing.",
        )
    return program


def _put(folder: str, name: str, data: bytes) -> None:
    with open(os.path.join(folder, name), "wb") as file:
        file.write(data)


def _read(folder: str, name: str) -> bytes:
    try:
        with open(os.path.join(folder, name), "rb") as file:
            return file.read()
    except FileNotFoundError:
        return b""


def _got(folder: str, name: str) -> str:
    return _read(folder, name).decode("utf-8", "replace").replace("\r\n", "\n")


# ---------------------------------------------------------------- running


_TERMINAL: Final = "terminal.txt"
_ASKS_AGAIN: Final = re.compile(r"^(?:LaTeX|Package \w+) Warning:.*\b[Rr]erun\b", re.MULTILINE)


def _run(command: list[str], folder: str, environment: dict[str, str]) -> bool:
    """Run TeX once; whether it failed."""
    with open(os.path.join(folder, _TERMINAL), "wb") as terminal:
        process = subprocess.Popen(
            command,
            cwd=folder,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=terminal,
            stderr=subprocess.STDOUT,
            start_new_session=True,
        )
        try:
            return process.wait(TIME_LIMIT) != 0
        except subprocess.TimeoutExpired as error:
            raise MachineError(
                f"{os.path.basename(command[0])} did not finish in {TIME_LIMIT:g} seconds",
                hint="Does the template run in circles? If it is the first run on this machine, "
                "try once more.",
            ) from error
        finally:
            if process.poll() is None:
                _end(process)


def _end(process: subprocess.Popen[bytes]) -> None:
    """End TeX and what it started."""
    if sys.platform == "win32":
        process.kill()
    else:
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


# ---------------------------------------------------------------- what the log says


@dataclass(frozen=True, slots=True)
class Fault:
    """What TeX complained about first."""

    message: str
    file: str = ""
    """Where it was found: "./page.tex" is the page."""
    line: int = 0
    """From 1; 0 where TeX does not say."""
    read: str = ""
    """The line up to where TeX stopped reading it."""
    near: str = ""
    """What stands in the line that is to blame: a name, a character."""
    missing: str = ""
    """A file that TeX did not find."""
    unshown: bool = False
    """A character has no letterform."""


_FAULT: Final = re.compile(
    r"^(?:!(?: |(?=\w*TeX error: ))|(?P<file>\S[^\n]*?\.\w+):(?P<line>\d+): )"
    r"(?P<message>\S.*(?:\n(?:\(\w+\))? {8,}\S.*)*)",
    re.MULTILINE,
)
_GAP: Final = re.compile(r"\n(?:\(\w+\))? +")
_READ: Final = re.compile(r"^l\.(\d+) (.*)", re.MULTILINE)
_NAME: Final = re.compile(r"\\(?:[A-Za-z@]+|.)(?= ?$)")
_RUNAWAY: Final = re.compile(r"^Runaway \w+\?\n(.{1,40}?)(?: \\par .*)?\n\Z", re.MULTILINE)
_NOT_FOUND: Final = re.compile(r"File `(([^']+?)(?:\.\w+)?)' not found")
_NOT_SET_UP: Final = re.compile(r"Unicode character (\S) ")
_UNSHOWN: Final = re.compile(r"^Missing character: There is no (\S)", re.MULTILINE)
_SAID: Final = re.compile(r"^.*(?:\berror\b|fatal|can't).*", re.MULTILINE | re.IGNORECASE)


def first_fault(log: str) -> Fault | None:
    r"""What stopped TeX, from its log (made with ``-file-line-error``).

    >>> fault = first_fault("./page.tex:3: Undefined control sequence.\nl.3 a \\school\n{} b")
    >>> print(fault.line, fault.message)
    3 undefined control sequence \school
    """
    found = _FAULT.search(log)
    if found is None:
        return None
    message = _GAP.sub(" ", found["message"]).removeprefix("LaTeX Error: ")
    message = re.sub(r" \.$", ".", message.strip())
    after = log[found.end() :].lstrip("\n")
    read = _READ.search(after)
    fault = Fault(
        message,
        found["file"] or "",
        int(found["line"] or 0),
        read[2] if read and read[1] == found["line"] else "",
    )
    if message == "Undefined control sequence.":
        # The line below ends with it.
        name = _NAME.search(after.partition("\n")[0])
        near = name[0] if name else ""
        return replace(fault, message=f"undefined control sequence {near}", near=near)
    if message == "Emergency stop." and after.startswith("<*>"):
        return replace(fault, message=r"the page ends without \end{document}")
    if missing := _NOT_FOUND.search(message):
        # TeX has read on when it asks for another name: its line is a later one.
        return replace(fault, line=0, near=missing[2], missing=missing[1])
    if character := _NOT_SET_UP.match(message):
        return replace(fault, near=character[1], unshown=True)
    if runaway := _RUNAWAY.search(log[: found.start()]):
        return replace(fault, near=runaway[1])
    return fault


def unshown(log: str) -> Fault | None:
    """The characters that were left out because the font does not have them."""
    characters = list(dict.fromkeys(_UNSHOWN.findall(log)))
    if not characters:
        return None
    names = ", ".join(f"{c} (U+{ord(c):04X})" for c in characters)
    return Fault(f"the font has no {names}", near=characters[0], unshown=True)


# ---------------------------------------------------------------- whom to tell


@dataclass(frozen=True, slots=True)
class _Page:
    """A page on its way through TeX."""

    source: str
    engine: TexEngine
    logo: Logo | None
    template: PathLike[str] | str | None

    def set(self, program: str, folder: str) -> bytes:
        command = [
            program, "-interaction=nonstopmode", "-halt-on-error", "-file-line-error",
            "-no-shell-escape", "-jobname=page", _FIRST[self.engine],
        ]  # fmt: skip
        for _ in range(MOST_RUNS):
            failed = _run(command, folder, self.environment())
            log = _got(folder, "page.log")
            made = _read(folder, "page.pdf")
            fault = first_fault(log) if failed else unshown(log)
            if fault is None and failed:
                said = _SAID.search(_got(folder, _TERMINAL))
                fault = Fault(said[0] if said else "nothing")
            if fault is None and not made:
                fault = Fault("No pages of output.")
            if fault is not None:
                raise self.refused(fault)
            if not _ASKS_AGAIN.search(log):
                break
        return made

    def environment(self) -> dict[str, str]:
        environment = os.environ | _ENVIRONMENT
        # What stands below this folder could be read and written.
        environment.pop("TEXMFOUTPUT", None)
        if self.template is not None:
            # Files beside the template; then those of the user, and at the empty end TeX's own.
            trees = [".", _folder(self.template), os.environ.get("TEXINPUTS", "")]
            environment["TEXINPUTS"] = os.pathsep.join(trees)
        return environment

    def refused(self, fault: Fault) -> SymattnError:
        """One message: what is wrong, in which line, and what to do."""
        says = f"{self.engine} says: {fault.message}"
        if self.logo is not None and _ON_PICTURES.search(fault.message):
            return InputError(
                f"{self.engine} cannot read the logo",
                place=Place(file=self.logo.path),
                hint="Save it again, as PNG or JPEG.",
            )
        place = self.place(fault)
        if fault.missing.endswith((".sty", ".cls")):
            stem = fault.near
            install = f"Install it (tlmgr install {_PACKAGES.get(stem, stem)})"
            return MachineError(
                f"{self.engine} does not find {fault.missing}",
                place=place,
                hint=f"{install}, or take it out of the template."
                if self.template is not None
                else f"{install}; on Debian, apt install {_DEBIAN[self.engine]}. {_OTHERWISE}",
            )
        if self.template is None:
            return MachineError(says, place=place, hint=f"Is this TeX complete? {_OTHERWISE}")
        if fault.missing:
            hint = "A template can use the files beside it, and those of TeX."
        elif fault.unshown:
            hint = "Take a font that has it, with lualatex or xelatex; or leave it out."
        else:
            hint = "Check the template."
        return InputError(says, place=place, hint=hint)

    def place(self, fault: Fault) -> Place:
        """The line to blame: of the template or a file beside it, where it is known."""
        if self.template is not None and _folder(fault.file) == _folder(self.template):
            return Place(file=fault.file, line=fault.line, typed=fault.read)
        lines = self.source.split("\n")
        number = fault.line if fault.file == "./page.tex" else 0
        if not number and fault.near:
            number = next((n for n, line in enumerate(lines, 1) if fault.near in line), 0)
        line = lines[number - 1] if 0 < number <= len(lines) else ""
        caret = line.find(fault.near) if fault.near else -1
        if caret < 0 and line.startswith(fault.read):
            caret = len(fault.read) - 1
        file = "page.tex"
        if self.template is not None:
            file = os.fspath(self.template)
            number = line_of(line, file)
        return Place(file=file, line=number, typed=line, caret=max(caret, 0))


_ON_PICTURES: Final = re.compile(
    rf"{LOGO}|png|\bjpe?g|\bimage|\bpicture file|\bdriver\b", re.IGNORECASE
)
_OTHERWISE: Final = "The engine typst needs nothing."


def _folder(file: PathLike[str] | str) -> str:
    return os.path.dirname(os.path.abspath(file))
