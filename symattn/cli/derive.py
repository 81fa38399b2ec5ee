"""`symattn derive` and `symattn problems`: worked solutions of problems that are given."""

from __future__ import annotations

import os
import sys
from typing import Any, Literal

import click

from symattn.cli.output import check_output, deliver
from symattn.errors import UsageError

SUFFIXES = {
    ".tex": "latex",
    ".md": "markdown",
    ".txt": "text",
    ".json": "json",
    ".html": "html",
    ".htm": "html",
    ".pdf": "pdf",
    ".typ": "typst",
    ".svg": "svg",
    ".png": "png",
}
BINARY = ("pdf", "png")
PICTURES = ("svg", "png")


@click.command()
@click.argument("problem", default="i-love-ai")
@click.option("--pdf", "format_", flag_value="pdf", help="A PDF, ready to print.")
@click.option("--html", "format_", flag_value="html", help="A web page that needs no network.")
@click.option("--latex", "format_", flag_value="latex", help="A complete LaTeX document.")
@click.option("--markdown", "format_", flag_value="markdown", help="For Jupyter and pandoc ($$).")
@click.option("--gfm", "format_", flag_value="gfm", help="For GitHub and VS Code (math fences).")
@click.option("--text", "format_", flag_value="text", help="For the terminal (the default).")
@click.option("--speech", "format_", flag_value="speech", help="In words, to be read aloud.")
@click.option("--typst", "format_", flag_value="typst", help="The source of the PDF.")
@click.option("--svg", "format_", flag_value="svg", help="A picture, with --stage or --heatmap.")
@click.option("--png", "format_", flag_value="png", help="The same as pixels; see --ppi.")
@click.option("--json", "format_", flag_value="json", help="Every stage as data.")
@click.option(
    "-o",
    "--output",
    type=click.Path(dir_okay=False),
    help="Write to a file; its suffix can choose the format.",
)
@click.option("--force", is_flag=True, help="Overwrite the output file.")
@click.option("--fragment", is_flag=True, help="LaTeX: only the body, to \\input elsewhere.")
@click.option(
    "--engine",
    metavar="NAME",
    default="typst",
    show_default=True,
    help="For --pdf: typst, or your own pdflatex, lualatex or xelatex.",
)
@click.option(
    "--paper", type=click.Choice(["a4", "letter"]), default="a4", show_default=True, help="Size."
)
@click.option("--header", default="", metavar="TEXT", help="A line at the top of each page.")
@click.option("--logo", type=click.Path(), help="A PNG, JPEG or SVG for the top of the page.")
@click.option("--author", default="", metavar="NAME", help="For the properties of the file.")
@click.option("--fonts", type=click.Path(), help="PDF: a folder with fonts for other scripts.")
@click.option("--template", type=click.Path(), help="Your own LaTeX, Typst or HTML page shell.")
@click.option("--ppi", type=click.IntRange(18, 1200), default=300, help="Pixels per inch of a PNG.")
@click.option("--sheet", is_flag=True, help="A practice sheet: every entry an empty box.")
@click.option("--key", is_flag=True, help="The practice sheet with its answers.")
@click.option(
    "--detail",
    type=click.Choice(["brief", "normal", "full"]),
    default="normal",
    help="No entry, one entry, or all entries worked out.",
    show_default=True,
)
@click.option("--focus", metavar="TOKEN", help="Work out this token's row only.")
@click.option("--stage", metavar="NAME", help="Only this stage: Q K V S Z M A O C Y.")
@click.option("--heatmap", is_flag=True, help="Only the weights, as a picture.")
@click.option(
    "--head", type=click.IntRange(min=1), help="The head of --stage or --heatmap, from 1."
)
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
    check_output(output, force)
    if format_ in BINARY and output is None and sys.stdout.isatty():
        raise UsageError(
            f"a {format_.upper()} is not for a terminal", hint=f"Add -o solution.{format_}"
        )
    if format_ in ("pdf", *PICTURES) and options["fragment"]:
        raise UsageError(
            f"a {format_.upper()} is never a fragment",
            hint="Leave out --fragment, or take --latex.",
        )
    if format_ in PICTURES and not (options["stage"] or options["heatmap"]):
        raise UsageError(
            f"{format_.upper()} is for one picture", hint="Say which: --stage A, or --heatmap."
        )
    made = _derived(problem, format_, to_terminal=output is None, **options)
    deliver(made, output, force)


@click.command()
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


def _derived(source: str, format_: str, *, to_terminal: bool, **options: Any) -> str | bytes:
    """The worked solution, a part of it, or its data."""
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
    document = _document(derivation, format_, rounding, options)
    if options["author"]:
        document = replace(document, author=options["author"])
    page = _page_options(format_, to_terminal, options)
    if format_ == "pdf":
        from symattn.pdf import pdf

        return pdf(document, engine=options["engine"], fonts=options["fonts"], **page)
    if format_ in PICTURES:
        from symattn.pdf import picture

        return picture(
            document, format_, ppi=options["ppi"], fonts=options["fonts"], key=page["key"]
        )
    from symattn.writers import write

    return write(document, format_, fragment=options["fragment"], **page)


def _document(derivation: Any, format_: str, rounding: Any, options: dict[str, Any]) -> Any:
    """The page that is asked for: the whole solution, one stage, or the weights as a picture."""
    from symattn.layout import PRINT, TERMINAL
    from symattn.views.options import Options

    chosen = Options(
        detail=options["detail"],
        focus=options["focus"],
        rounding=rounding,
        convention=_convention(derivation.problem.convention, options),
        exact=options["exact"],
        code=options["code"],
        page=TERMINAL if format_ == "text" else PRINT,
        traced=format_ == "html",
    )
    if options["stage"] or options["heatmap"]:
        from symattn.views.stage import one_stage, weights_picture

        if options["heatmap"]:
            return weights_picture(derivation, options["head"], chosen)
        return one_stage(derivation, options["stage"], options["head"], chosen)
    if options["sheet"] or options["key"]:
        from symattn.views.worksheet import worksheet

        return worksheet(derivation, chosen)
    from symattn.views.explain import explain

    return explain(derivation, chosen)


def _page_options(format_: str, to_terminal: bool, options: dict[str, Any]) -> dict[str, Any]:
    """What a writer wants to know."""
    page = {
        "key": options["key"],
        "colour": format_ == "text" and to_terminal and sys.stdout.isatty(),
    }
    page |= {name: options[name] for name in ("paper", "header", "template")}
    if options["logo"]:
        from symattn.writers.logo import Logo

        page["logo"] = Logo.read(options["logo"])
    return page


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
