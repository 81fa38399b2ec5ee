"""`symattn verify`: hand calculations marked cell by cell."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from symattn.cli.output import check_output, deliver
from symattn.errors import InputError, MachineError, UsageError

if TYPE_CHECKING:
    from symattn.derivation import Derivation
    from symattn.verify.reading.formats import Found
    from symattn.verify.report import Report

RIGHT, WRONG, UNREADABLE = 0, 1, 2
"""Exit statuses."""
SUFFIXES = {
    ".pdf": "pdf", ".html": "html", ".htm": "html", ".tex": "latex", ".md": "markdown",
    ".json": "json", ".txt": "text",
}  # fmt: skip
ENDINGS = {"pdf": ".pdf", "html": ".html", "latex": ".tex", "markdown": ".md", "json": ".json",
           "text": ".txt"}  # fmt: skip
LARGEST = 1 << 20
"""Bytes of one hand-in."""
FORMATS = ("latex", "markdown", "plain", "csv", "yaml", "json")


@dataclass(frozen=True)
class Asked:
    """A problem to hold answers against."""

    derivation: Derivation
    letters: tuple[str, ...] | None = None
    """The stages that a sheet asks for; None for a problem of one's own."""
    places: int | None = None
    """The decimals that a sheet asks for."""


@click.command()
@click.argument("problem")
@click.argument("answers", nargs=-1, type=click.Path())
@click.option("--format", "reads", type=click.Choice(FORMATS), help="How ANSWERS are written.")
@click.option("--text", "writes", flag_value="text", help="For the terminal (the default).")
@click.option("--markdown", "writes", flag_value="markdown", help="A feedback page in Markdown.")
@click.option("--latex", "writes", flag_value="latex", help="A feedback page in LaTeX.")
@click.option("--html", "writes", flag_value="html", help="A feedback page for the browser.")
@click.option("--pdf", "writes", flag_value="pdf", help="A feedback page, ready to print.")
@click.option("--json", "writes", flag_value="json", help="Every verdict as data.")
@click.option("-o", "--output", type=click.Path(), help="A file; for several ANSWERS a folder.")
@click.option("--force", is_flag=True, help="Overwrite what is there.")
@click.option(
    "--hints",
    type=click.IntRange(1, 3),
    default=3,
    show_default=True,
    help="1 says where, 2 asks a question, 3 says what happened.",
)
@click.option("--reveal", is_flag=True, help="Show right values; work out the first error.")
@click.option(
    "--rounded-inputs",
    metavar="NAMES",
    default="",
    help="Given matrices that are printed rounded: W_Q,W_K,V.",
)
@click.option("--points", metavar="S=3,A=4", default="", help="Points of the steps.")
@click.option("--whole-steps", is_flag=True, help="A step earns all its points or none.")
@click.option("--report", type=click.Path(dir_okay=False), help="A CSV, a line for each file.")
@click.option("--overview", type=click.Path(dir_okay=False), help="An HTML page about the class.")
@click.option("--resume", is_flag=True, help="Leave out files that are in the report already.")
def verify(problem: str, answers: tuple[str, ...], **options: Any) -> None:
    """Mark ANSWERS, a calculation by hand, against PROBLEM, cell by cell.

    PROBLEM is a file, a built-in name, the id at the foot of a practice sheet, or "auto" to take
    the id from the answers. ANSWERS are LaTeX, Markdown, plain text, print-outs of NumPy or
    PyTorch, CSV, YAML or JSON; - is standard input. A single page that gives its own problem needs
    no PROBLEM before it.

    The exit status is 0 where all is right, 1 where something is wrong, 2 where nothing can be
    read.
    """
    if not answers:
        if problem != "-" and not os.path.exists(problem):
            raise UsageError(
                f"there are no answers to mark, and {problem} is no file",
                hint="Name both: symattn verify i-love-ai answers.md.",
            )
        status = _one(None, problem, options)
    elif len(answers) == 1 and not (options["report"] or options["overview"]):
        status = _one(problem, answers[0], options)
    else:
        from symattn.cli.stack import stack

        status = stack(problem, answers, options)
    sys.exit(status)


# ---------------------------------------------------------------------- one hand-in


def _one(problem: str | None, path: str, options: dict[str, Any]) -> int:
    writes = options["writes"] or SUFFIXES.get(_suffix(options["output"])) or "text"
    check_output(options["output"], options["force"])
    if writes == "pdf" and not options["output"] and sys.stdout.isatty():
        raise UsageError("a PDF is not for a terminal", hint="Add -o feedback.pdf")
    text = read(path)
    report = marked(problem, text, path, options)
    deliver(page(report, writes, path, options), options["output"], options["force"])
    return status_of(report)


def status_of(report: Report) -> int:
    if not report.is_readable:
        return UNREADABLE
    return RIGHT if report.is_right else WRONG


def read(path: str) -> str:
    """The text of a file, or of standard input."""
    from symattn.reading.tree import decoded

    if path == "-":
        return decoded(sys.stdin.buffer.read(LARGEST + 1), "standard input")
    try:
        with open(path, "rb") as file:
            return decoded(file.read(LARGEST + 1), path)
    except OSError as error:
        raise MachineError(
            f"{path} cannot be read: {error.strerror}", hint="Check the name of the file."
        ) from None


def marked(problem: str | None, text: str, path: str, options: dict[str, Any]) -> Report:
    """The report on one text."""
    from symattn.verify.matching import matched
    from symattn.verify.report import judge_lines, letters_of

    asked = asked_of(problem, text) or asked_of_page(text, path, options["reads"])
    found = found_in(text, path, options["reads"], letters_of(asked.derivation))
    names = frozenset(filter(None, options["rounded_inputs"].replace(" ", "").split(",")))
    return judge_lines(
        asked.derivation,
        matched(asked.derivation, found),
        rounded=names,
        policy=policy(options["points"], options["whole_steps"]),
        asked=asked.letters,
        places=asked.places,
    )


def found_in(
    text: str, path: str, reads: str | None, letters: frozenset[str] = frozenset()
) -> list[Found]:
    from symattn.verify.reading import formats
    from symattn.verify.reading.refusal import Refusal

    chosen = reads or formats.SUFFIXES.get(_suffix(path)) or formats.detected(text)
    try:
        return formats.page(text, chosen, letters)
    except Refusal as refusal:
        if not refusal.place.typed:
            refusal.within(text)
        from dataclasses import replace

        refusal.place = replace(refusal.place, file=path)
        raise


def asked_of_page(text: str, path: str, reads: str | None) -> Asked:
    """The problem that the page gives."""
    from symattn.attention import derive
    from symattn.verify.page_problem import problem_on

    return Asked(derive(problem_on(found_in(text, path, reads))))


def asked_of(problem: str | None, text: str) -> Asked | None:
    """The problem of a name or file, or of the id on the sheet; None where the page gives it."""
    from symattn.attention import derive

    if problem is None:
        identity = printed_id(text)
        return of_sheet(identity) if identity else None
    if problem == "auto":
        identity = printed_id(text)
        if identity is None:
            raise InputError(
                "there is no id of a sheet in the answers",
                hint="Copy the id from the foot of the sheet into the file, or name the problem.",
            )
        return of_sheet(identity)
    if not os.path.exists(problem) and is_id(problem):
        return of_sheet(problem)
    from symattn.reading.problem_file import load

    return Asked(derive(load(problem)))


def is_id(text: str) -> bool:
    """Whether this looks like full-attention-G200-7RP, and its recipe exists."""
    last = text.rpartition("-")[2]
    if not (last.isupper() or last.isdigit()) or len(last) > 4:
        return False
    from symattn.generate.recipes import BY_NAME

    return any(text.lower().startswith(name + "-") for name in BY_NAME)


def printed_id(text: str) -> str | None:
    """The id of a sheet that stands in the text."""
    from symattn.generate.recipes import BY_NAME

    lowered = text.lower()
    for name in sorted(BY_NAME, key=len, reverse=True):
        at = lowered.find(name + "-")
        while at >= 0:
            end = at + len(name) + 1
            while end < len(text) and (text[end].isalnum() or text[end] == "-"):
                end += 1
            found = text[at:end].rstrip("-")
            if any(c.isdigit() for c in found[len(name) :]) and found[len(name) + 1 :].isupper():
                return found
            at = lowered.find(name + "-", at + 1)
    return None


def of_sheet(text: str) -> Asked:
    from symattn.generate.identity import identity_of
    from symattn.generate.recipes import BY_NAME
    from symattn.generate.tasks import Fill

    identity = identity_of(text, BY_NAME)
    exercise = BY_NAME[identity.recipe].exercise(identity.seed, identity.settings)
    letters = tuple(x for task in exercise.tasks if isinstance(task, Fill) for x in task.letters)
    return Asked(exercise.derivation, letters or None, identity.settings.places)


def policy(points: str, whole_steps: bool) -> Any:
    from symattn.verify.marks import POINTS, Policy

    chosen = dict(POINTS)
    for part in filter(None, points.replace(" ", "").split(",")):
        letter, equals, number = part.partition("=")
        if letter not in POINTS or not equals or not number.isdigit() or len(number) > 4:
            raise UsageError(
                f"{part!r} gives no points", hint=f"Write S=3,A=4 with {' '.join(POINTS)}."
            )
        chosen[letter] = int(number)
    return Policy(points=chosen, full_step=whole_steps)


def page(report: Report, writes: str, path: str, options: dict[str, Any]) -> str | bytes:
    """The feedback in one format."""
    from symattn.views.feedback import Feedback

    how = Feedback(options["hints"], options["reveal"], os.path.basename(path))
    if writes == "json":
        import json

        from symattn.views.report_data import report_data

        return json.dumps(report_data(report, how), ensure_ascii=False, indent=1) + "\n"
    from symattn.layout import PRINT, TERMINAL
    from symattn.views.feedback import feedback
    from symattn.views.options import Options

    terminal = writes == "text"
    document = feedback(report, how, Options(page=TERMINAL if terminal else PRINT))
    if writes == "pdf":
        from symattn.pdf import pdf

        return pdf(document)
    from symattn.writers import write

    colour = terminal and options["output"] is None and sys.stdout.isatty()
    return write(document, writes, **({"colour": colour} if terminal else {}))


def _suffix(path: str | None) -> str:
    return os.path.splitext(path or "")[1].lower()
