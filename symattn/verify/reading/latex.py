"""LaTeX: one formula, or a text with formulas in it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from pylatexenc import latexwalker as walker

from symattn.verify.reading.grammar import Parser
from symattn.verify.reading.latex_tokens import DISPLAYS, MATRICES, RELATIONS, nodes, tokens_of
from symattn.verify.reading.pieces import end_after, split, top
from symattn.verify.reading.refusal import Refusal
from symattn.verify.reading.tokens import Token
from symattn.verify.reading.written import Grid, Label, Statement

Found = Statement | Refusal


def statements(text: str, line: int = 1) -> list[Found]:
    """Everything that is claimed, in order, and what could not be read."""
    found = nodes(text)
    if not _is_document(found):
        return _statements(text, found, line, "")
    out: list[Found] = []
    passing: list[Found] = []
    heading = ""
    for part, words in _formulas(text, found):
        heading = words or heading
        for row in _lines(part):
            for made in _statements(text, row, line, heading):
                if isinstance(made, Refusal) and not _looks_claimed(text, row):
                    continue
                if isinstance(made, Statement) and not _claims(made):
                    passing.append(made)  # A number in passing claims nothing.
                else:
                    out.append(made)
    return _joined(out) if out or len(passing) != 1 else passing


def _statements(text: str, found: list[Any], line: int, heading: str) -> list[Found]:
    """One chain, or several between commas: Q = …, K = …"""
    if not found:
        return []
    try:
        tokens = tokens_of(text, found)
    except Refusal as refusal:
        return [refusal.within(text, line=line)]
    parts = split(tokens[:-1], ",")
    if len(parts) < 2 or not all(any(t.kind == "relation" for t in top(p)) for p in parts):
        parts = [tokens[:-1]]
    return [_statement(text, part, tokens[-1], line, heading) for part in parts]


def _statement(text: str, part: Sequence[Token], end: Token, line: int, heading: str) -> Found:
    closed = (*part, end_after(part) if part else end)
    try:
        links = Parser(text, closed, tex=True).chain()
    except Refusal as refusal:
        return refusal.within(text, line=line)
    return Statement(links, line + text.count("\n", 0, links[0].start), heading)


def _is_document(found: list[Any]) -> bool:
    """Whether formulas are set apart from prose."""
    for node in found:
        match node:
            case walker.LatexMathNode():
                return True
            case walker.LatexEnvironmentNode():
                if node.environmentname not in MATRICES:
                    return True
    return False


def _formulas(text: str, found: list[Any]) -> Iterator[tuple[list[Any], str]]:
    """The nodes of each formula, and the words before it."""
    words = ""
    for node in found:
        match node:
            case walker.LatexMathNode():
                yield list(node.nodelist), words.strip()
                words = ""
            case walker.LatexEnvironmentNode():
                if node.environmentname in DISPLAYS or node.environmentname in MATRICES:
                    inner = [node] if node.environmentname in MATRICES else list(node.nodelist)
                    yield inner, words.strip()
                    words = ""
                else:
                    yield from _formulas(text, list(node.nodelist))
            case walker.LatexMacroNode() if node.macroname.endswith("section"):
                words = text[node.pos : node.pos + node.len].partition("{")[2].rstrip("}")
            case walker.LatexCharsNode():
                paragraphs = (words + node.chars).rsplit("\n\n", 1)
                words = paragraphs[-1][-300:]


def _lines(found: list[Any]) -> Iterator[list[Any]]:
    """The rows of a display: split at \\\\."""
    row: list[Any] = []
    for k, node in enumerate(found):
        if isinstance(node, walker.LatexMacroNode) and node.macroname == "\\":
            yield row
            row = []
        elif isinstance(node, walker.LatexCharsNode) and "&" in node.chars:
            at = 0
            for n, part in enumerate(node.chars.split("&")):
                if n and not _is_aligned(part, found[k + 1 :]):
                    yield row  # Another formula in the same line.
                    row = []
                row.append(walker.LatexCharsNode(chars=part, pos=node.pos + at, len=len(part)))
                at += len(part) + 1
        elif isinstance(node, walker.LatexEnvironmentNode) and node.environmentname in DISPLAYS:
            yield row
            row = []
            yield from _lines(list(node.nodelist))
        else:
            row.append(node)
    yield row


def _claims(statement: Statement) -> bool:
    first, *others = statement.links
    return bool(others) or bool(first.relation) or isinstance(first.part, Grid)


def _is_aligned(after: str, following: list[Any]) -> bool:
    """Whether & stands before a relation, and so is layout."""
    if after.strip():
        return after.strip()[0] in "=≈<>~"
    first = following[0] if following else None
    return isinstance(first, walker.LatexMacroNode) and first.macroname in RELATIONS


def _looks_claimed(text: str, row: list[Any]) -> bool:
    """Whether a formula that could not be read has a relation and a number in it."""
    typed = text[row[0].pos : row[-1].pos + row[-1].len]
    return any(c.isdigit() for c in typed) and any(r in typed for r in ("=", "approx", "matrix"))


def _joined(found: list[Found]) -> list[Found]:
    """A row that begins with a relation goes on with the chain before it."""
    out: list[Found] = []
    for each in found:
        before = out[-1] if out else None
        if (
            isinstance(each, Statement)
            and isinstance(before, Statement)
            and each.links[0].relation
            and not isinstance(each.links[0].part, Label)
        ):
            out[-1] = Statement(before.links + each.links, before.line, before.heading)
        else:
            out.append(each)
    return out
