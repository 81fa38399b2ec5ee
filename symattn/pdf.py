"""Document -> PDF, SVG or PNG. Typst runs in this process, with its own fonts and no network."""

from __future__ import annotations

import os
import re
from collections.abc import Callable
from functools import cache
from os import PathLike
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from symattn.document import Document
from symattn.errors import InputError, MachineError, Place, UsageError, known_are
from symattn.writers import Options
from symattn.writers.typst import TypstWriter

if TYPE_CHECKING:
    import typst

Engine: TypeAlias = Literal["typst", "pdflatex", "lualatex", "xelatex"]
ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)

STANDARDS: Final = ("ua-1", "a-2a")
"""PDF/UA-1 (ISO 14289-1), PDF/A-2a (ISO 19005-2): the compiler refuses what does not meet them."""

_UNSHOWN: Final = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed')
_ESCAPED: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))")


def pdf(
    document: Document,
    *,
    engine: str = "typst",
    fonts: PathLike[str] | str | None = None,
    **options: Any,
) -> bytes:
    """The document as a PDF; the same document gives the same bytes.

    `options` are those of `writers.Options`. With the engine typst the file is tagged and meets
    `STANDARDS`, and `fonts` is a folder with fonts for scripts that its own do not have; the other
    engines are the user's own TeX. UsageError for an engine that does not exist,
    InputError for a template that does not compile, MachineError where TeX is missing.
    """
    ask = Options(**options)
    match engine:
        case "typst":
            return _set(
                lambda missing: TypstWriter(ask, missing).document(document),
                ask,
                fonts,
                {"format": "pdf", "pdf_standards": list(STANDARDS)},
            )
        case "pdflatex" | "lualatex" | "xelatex":
            from symattn.tex import compile_tex
            from symattn.writers.latex import LatexWriter

            page = LatexWriter(ask, beside=True).document(document)
            return compile_tex(page, engine, ask.logo, template=ask.template)
        case _:
            raise UsageError(f"there is no engine {engine!r}", hint=known_are(engine, ENGINES))


def picture(
    document: Document,
    format: str,
    *,
    ppi: float = 300,
    fonts: PathLike[str] | str | None = None,
    key: bool = False,
) -> bytes:
    """The blocks of the document, without title and margins, as "svg" or "png".

    The background is transparent in SVG and white in PNG; `ppi` are the pixels per inch of a PNG.
    """
    options: dict[str, Any] = {"format": format}
    if format == "png":
        options["ppi"] = ppi
    ground = "none" if format == "svg" else "white"
    head = (
        f"#set page(width: auto, height: auto, margin: 4pt, fill: {ground})\n"
        '#set text(font: "New Computer Modern", size: 10pt)\n'
    )
    return _set(
        lambda missing: head + TypstWriter(Options(key), missing).document(document, fragment=True),
        Options(key),
        fonts,
        options,
    )


def _set(
    source: Callable[[frozenset[str]], str],
    ask: Options,
    fonts: PathLike[str] | str | None,
    options: dict[str, Any],
) -> bytes:
    """What the compiler makes of a source. Characters that no font has are named instead.

    The compiler finds them; `source` writes the page for a set of such characters.
    """
    import typst

    if ask.template is not None:
        # A template finds the files beside it, and no others.
        options["root"] = os.path.dirname(os.path.abspath(ask.template))
    is_picture = options["format"] != "pdf"
    compiler = _compiler(None if fonts is None else os.fspath(fonts), is_picture)
    missing: frozenset[str] = frozenset()
    while True:
        try:
            made = compiler.compile(source(missing).encode(), timestamp=0, **options)
        except typst.TypstError as error:
            unshown = _unshown(error.diagnostic) - missing
            if not unshown:
                raise _refused(error, ask) from error
            missing |= unshown
        else:
            assert made is not None
            return made[0] if isinstance(made, list) else made


@cache
def _compiler(fonts: str | None, is_picture: bool) -> typst.Compiler:
    """One compiler for the whole process: it keeps its fonts and what did not change."""
    import typst

    if fonts is not None and not os.path.isdir(fonts):
        raise MachineError(
            "there is no such folder", place=Place(file=fonts), hint="--fonts takes a folder."
        )
    return typst.Compiler(
        ignore_system_fonts=True,
        font_paths=[fonts] if fonts else [],
        sys_inputs={"picture": "yes"} if is_picture else {},
    )


def _unshown(diagnostic: str) -> frozenset[str]:
    """The characters that the compiler says it has no glyph for."""
    texts = (_unescaped(found) for found in _UNSHOWN.findall(diagnostic))
    return frozenset("".join(texts)) - frozenset(" \u200b")


def _unescaped(text: str) -> str:
    return _ESCAPED.sub(lambda m: chr(int(m[1], 16)) if m[1] else m[2], text)


def _refused(error: typst.TypstError, ask: Options) -> Exception:
    """The compiler's complaint about a user's template as one message; about our own as a bug."""
    if ask.template is None and ask.logo is None:
        return error
    blamed = ask.template if ask.template is not None else ask.logo and ask.logo.path
    hints = " ".join(f"{hint[:1].upper()}{hint[1:]}." for hint in error.hints)
    return InputError(
        f"Typst says: {error.message}",
        place=Place(file=os.fspath(blamed or "")),
        hint=hints or "Check the template or the logo.",
    )
