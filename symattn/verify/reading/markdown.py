"""Markdown: tables, code, formulas and lines of text, under their headings."""

from __future__ import annotations

from functools import cache
from typing import Any

from markdown_it import MarkdownIt

from symattn.verify.reading import plain
from symattn.verify.reading.refusal import Refusal
from symattn.verify.reading.table import table_statements
from symattn.verify.reading.tokens import LONGEST
from symattn.verify.reading.written import Statement

Found = Statement | Refusal


@cache
def _reader() -> Any:
    return MarkdownIt("commonmark").enable("table")


def statements(text: str, line: int = 1) -> list[Found]:
    """Everything that is claimed, in order, and what could not be read."""
    for number, each in enumerate(text.split("\n"), line):
        if len(each) > LONGEST:
            refusal = Refusal("too-large", 0, message=f"a line of more than {LONGEST} characters")
            raise refusal.within(each[:80], line=number)
    tokens = _reader().parse(text.removeprefix("\ufeff"))
    out: list[Found] = []
    heading = ""
    k = 0
    while k < len(tokens):
        token = tokens[k]
        at = line + (token.map[0] if token.map else 0)
        match token.type:
            case "heading_open":
                heading = tokens[k + 1].content.strip().strip("*`")
                k += 1
            case "fence" | "code_block":
                tex = token.info.strip().lower() in ("latex", "tex", "math")
                inside = at + (token.type == "fence")
                if tex:
                    from symattn.verify.reading import latex

                    out += _headed(latex.statements(token.content, inside), heading)
                else:
                    out += _claimed(plain.statements(token.content, inside, heading))
            case "table_open":
                k, header, body = _table(tokens, k)
                out += table_statements(header, body, at, heading)
            case "inline":
                words, found = _paragraph(token.content, at, heading)
                out += found
                heading = words or heading
        k += 1
    return out


def _table(tokens: Any, k: int) -> tuple[int, list[str], list[list[str]]]:
    rows: list[list[str]] = []
    while tokens[k].type != "table_close":
        match tokens[k].type:
            case "tr_open":
                rows.append([])
            case "inline":
                rows[-1].append(tokens[k].content)
        k += 1
    return k, rows[0], rows[1:]


def _paragraph(text: str, line: int, heading: str) -> tuple[str, list[Found]]:
    """What a paragraph claims, and the words that announce what comes next."""
    out: list[Found] = []
    words = ""
    for is_tex, piece, start in _formulas(text):
        at = line + text.count("\n", 0, start)
        if is_tex:
            from symattn.verify.reading import latex  # pylatexenc only where it is needed

            found = latex.statements(f"\\[{piece}\\]", at)
            out += _headed(found, words or heading)
        else:
            out += _claimed(plain.statements(_unadorned(piece), at, words or heading))
            words = piece.strip().rsplit("\n", 1)[-1].strip().strip("*`:") or words
    announces = (
        text.rstrip().endswith(":")
        or (text.startswith("**") and text.endswith("**"))
        or (not out and len(words.split()) <= 5)
    )
    return (words if announces else ""), out


def _unadorned(text: str) -> str:
    """Without emphasis and code marks around values."""
    return text.replace("**", "").replace("`", "").replace("\\", "")


def _formulas(text: str) -> list[tuple[bool, str, int]]:
    """The pieces of a paragraph: (is it LaTeX, what it says, where)."""
    pieces: list[tuple[bool, str, int]] = []
    at = start = 0
    marks = (("$$", "$$"), ("\\[", "\\]"), ("\\(", "\\)"), ("$", "$"))
    while at < len(text):
        for opening, closing in marks:
            if text.startswith(opening, at):
                end = text.find(closing, at + len(opening))
                if end > 0:
                    if text[start:at].strip():
                        pieces.append((False, text[start:at], start))
                    pieces.append((True, text[at + len(opening) : end], at))
                    at = start = end + len(closing)
                    break
        else:
            at += 1
    if text[start:].strip():
        pieces.append((False, text[start:], start))
    return pieces


def _headed(found: list[Found], heading: str) -> list[Found]:
    return [
        Statement(each.links, each.line, each.heading or heading)
        if isinstance(each, Statement)
        else each
        for each in found
    ]


def _claimed(found: list[Found]) -> list[Found]:
    """Without the lines of prose that are no mathematics."""
    return [
        each
        for each in found
        if isinstance(each, Statement) or plain.looks_claimed(each.place.typed)
    ]
