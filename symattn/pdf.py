"""Document -> PDF, SVG or PNG. Typst runs in this process, with its own fonts and no network."""

from __future__ import annotations

import os
import re
from functools import cache
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias, get_args

from symattn.document import Document
from symattn.errors import InputError, MachineError, Place, UsageError
from symattn.writers import Options

if TYPE_CHECKING:
    import typst

Engine: TypeAlias = Literal["typst", "pdflatex", "lualatex", "xelatex"]
ENGINES: Final[tuple[Engine, ...]] = get_args(Engine)

STANDARDS: Final = ("ua-1", "a-2a")
"""PDF/UA-1 (ISO 14289-1) and PDF/A-2a (ISO 19005-2): the compiler refuses what does not meet them."""

_UNSHOWN: Final = re.compile(r'the text `"((?:[^"\\]|\\.)*)"` could not be displayed')
_ESCAPED: Final = re.compile(r"\\(?:u\{([0-9a-fA-F]+)\}|(.))")


def pdf(document: Document, *, engine: str = "typst", **options: Any) -> bytes:
    """The document as a PDF; the same document gives the same bytes.

    `options` are those of `writers.Options`. With the engine typst the file is tagged and meets
    `STANDARDS`; the others are the user's own TeX. UsageError for an engine that does not exist,
    InputError for a template that does not compile, MachineError where TeX is missing.
    """
    ask = Options(**options)
    match engine:
        case "typst":
            return _typeset(document, ask, "pdf")[0]
        case "pdflatex" | "lualatex" | "xelatex":
            from symattn.tex import compile_tex
            from symattn.writers.latex import LatexWriter

            return compile_tex(LatexWriter(ask).document(document), engine, ask.logo)
        case _:
            import difflib

            near = difflib.get_close_matches(engine, ENGINES, 1)
            guess = f"Did you mean {near[0]}? " if near else ""
            raise UsageError(
                f"there is no engine {engine!r}", hint=f"{guess}Known are {', '.join(ENGINES)}."
            )


def pictures(
    document: Document, format: Literal["svg", "png"], *, ppi: float = 192, **options: Any
) -> list[bytes]:
    """Each page of the document as a picture; `ppi` are the pixels per inch of a PNG."""
    return _typeset(document, Options(**options), format, ppi)


def _typeset(
    document: Document, ask: Options, format: Literal["pdf", "svg", "png"], ppi: float = 192
) -> list[bytes]:
    """The pages. Characters that no font has are found by the compiler, and named instead."""
    import typst

    from symattn.writers.typst import LOGO, TypstWriter

    options: dict[str, Any] = {"format": format, "timestamp": 0}
    if format == "pdf":
        options["pdf_standards"] = list(STANDARDS)
    elif format == "png":
        options["ppi"] = ppi
    if ask.template is not None:
        options["root"] = os.path.dirname(os.path.abspath(ask.template))
    missing: frozenset[str] = frozenset()
    while True:
        source: Any = TypstWriter(ask, missing).document(document).encode()
        if ask.logo is not None:
            source = {"main.typ": source, f"{LOGO}.{ask.logo.kind}": ask.logo.data}
        try:
            made = _compiler().compile(source, **options)
        except typst.TypstError as error:
            unshown = _unshown(error.diagnostic) - missing
            if not unshown:
                raise _refused(error, ask) from error
            missing |= unshown
        else:
            assert made is not None
            return made if isinstance(made, list) else [made]


@cache
def _compiler() -> typst.Compiler:
    """One compiler for the whole process: it keeps its fonts and what did not change."""
    try:
        import typst
    except ImportError as error:
        raise MachineError(
            "the package typst, which makes PDFs, is not installed",
            hint="Install it with pip install typst, or use --engine pdflatex.",
        ) from error
    return typst.Compiler(ignore_system_fonts=True)


def _unshown(diagnostic: str) -> frozenset[str]:
    """The characters that the compiler says it has no glyph for."""
    texts = (_unescaped(found) for found in _UNSHOWN.findall(diagnostic))
    return frozenset("".join(texts)) - frozenset(" ")


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
