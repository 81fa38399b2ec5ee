"""LaTeX -> tokens, by walking pylatexenc's nodes with a context of our own.

Only commands of the table are known. A command that is not becomes a token of its own kind and is
refused where a value is read; in a name it does no harm.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from functools import cache
from typing import Any, Final

from pylatexenc import latexwalker as walker
from pylatexenc import macrospec as spec

from symattn.verify.reading.refusal import refuse
from symattn.verify.reading.tokens import Token, lex

DEEPEST: Final = 40
"""Groups, roots and environments inside each other."""
LONGEST: Final = 256 * 1024
"""Characters of one text."""
MOST_CELLS: Final = 4096
"""Of one matrix."""

MATRICES: Final = {
    f"{kind}matrix{star}" for kind in ("", "b", "p", "B", "v", "V", "small") for star in ("", "*")
} | {"array", "psmallmatrix", "bsmallmatrix", "tabular"}
DISPLAYS: Final = {
    f"{name}{star}"
    for name in ("equation", "align", "gather", "multline", "eqnarray", "flalign", "displaymath")
    for star in ("", "*")
} | {"aligned", "gathered", "split", "math", "alignat"}
"""Environments that hold formulas, one for each line."""

_ARGUMENTS: Final = {
    **dict.fromkeys(("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac", "flatfrac"), "{{"),
    **dict.fromkeys(("overset", "underset", "stackrel", "textcolor", "colorbox"), "{{"),
    "sqrt": "[{", "num": "[{", "hspace": "{", "vspace": "{", "color": "", "cellcolor": "{",
    "label": "{", "tag": "{", "rowcolor": "{", "arraystretch": "",
    **dict.fromkeys(("pmatrix", "matrix", "bmatrix"), "{"),
    **dict.fromkeys((
        "text", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal", "mathrm", "mathbf",
        "mathit", "mathsf", "mathtt", "mathnormal", "boldsymbol", "bm", "pmb", "operatorname",
        "mbox", "hbox", "fbox", "boxed", "underline", "overline", "dot", "underbrace", "overbrace",
        "phantom", "hphantom", "vphantom", "mathop", "ensuremath", "emph", "vec", "hat", "tilde",
        "bar", "smash", "mathcal", "mathbb", "section", "subsection", "subsubsection", "paragraph",
        "chapter", "title", "item", "caption", "cancel",
    ), "{"),
    "item": "",
    "cline": "{", "input": "{", "include": "{",
}  # fmt: skip
_WRAPPERS: Final = frozenset((
    "text", "textrm", "textbf", "textit", "texttt", "textsf", "textnormal", "mathrm", "mathbf",
    "mathit", "mathsf", "mathtt", "mathnormal", "boldsymbol", "bm", "pmb", "operatorname", "mbox",
    "hbox", "fbox", "boxed", "underline", "mathop", "ensuremath", "emph", "vec", "smash", "mathcal",
    "mathbb",
))  # fmt: skip
"""Commands that change the look of their argument only."""
_NOTHING: Final = frozenset((
    "left", "right", "big", "Big", "bigg", "Bigg", "bigl", "bigr", "Bigl", "Bigr", "biggl", "biggr",
    "Biggl", "Biggr", "middle", "displaystyle", "textstyle", "scriptstyle", "limits", "nolimits",
    "mathstrut", "strut", "hline", "toprule", "midrule", "bottomrule", "cline", "hspace", "vspace",
    "phantom", "hphantom", "vphantom", "rm", "bf", "it", "cellcolor", "rowcolor", "label", "tag",
    "nonumber", "notag", "noindent", "centering", "small", "large", "hfill", "color",
))  # fmt: skip
"""Commands that leave nothing behind, arguments included."""
_SPACES: Final = frozenset(
    (",", ";", ":", "!", " ", "quad", "qquad", ">", "thinspace", "enspace", "\n")
)
_SIGNS: Final = {
    "cdot": "*", "times": "*", "ast": "*", "div": "/", "infty": "∞", "%": "%", "pm": "±",
    "mp": "±", "{": "{", "}": "}", "lbrace": "{", "rbrace": "}", "lbrack": "[", "rbrack": "]",
    "lparen": "(", "rparen": ")", "vert": "|", "lvert": "|", "rvert": "|", "|": "|",
    "top": "⊤", "intercal": "⊤", "mathsf T": "⊤", "cdotp": "*", "langle": "(", "rangle": ")",
    "&": "&", "_": "_", "star": "*",
}  # fmt: skip
RELATIONS: Final = {
    "approx": "≈", "simeq": "≈", "doteq": "≈", "cong": "≈", "sim": "≈", "thickapprox": "≈",
    "equiv": "=", "coloneqq": "=", "to": "→", "rightarrow": "→", "Rightarrow": "→", "implies": "→",
    "longrightarrow": "→", "mapsto": "→", "Longrightarrow": "→", "leadsto": "→", "eq": "=",
}  # fmt: skip
_FORBIDDEN: Final = frozenset((
    "input", "include", "write", "openin", "openout", "read", "csname", "catcode", "immediate",
    "special", "usepackage", "loop", "includegraphics", "lstinputlisting", "directlua",
    "shellescape",
))  # fmt: skip
_DEFINITIONS: Final = frozenset((
    "newcommand", "renewcommand", "providecommand", "def", "edef", "gdef", "xdef", "let",
    "DeclareMathOperator", "newenvironment", "renewenvironment", "newcounter", "setcounter",
))  # fmt: skip
_UNITS: Final = ("pt", "em", "ex", "mm", "cm", "in", "pc", "bp", "mu", "sp", "dd", "cc")


@cache
def _context() -> Any:
    context = spec.LatexContextDb()
    context.add_context_category(
        "symattn",
        macros=[spec.MacroSpec(name, arguments) for name, arguments in _ARGUMENTS.items()]
        + [spec.MacroSpec("\\", "")],
        environments=[spec.EnvironmentSpec(name, "") for name in sorted(MATRICES | DISPLAYS)],
        specials=[],
    )
    context.set_unknown_macro_spec(spec.MacroSpec("", ""))
    context.set_unknown_environment_spec(spec.EnvironmentSpec(""))
    return context


def nodes(text: str) -> list[Any]:
    """pylatexenc's nodes. Refusal with a place where the text is not well formed."""
    if len(text) > LONGEST:
        refuse("too-large", 0, message=f"a text of more than {LONGEST} characters")
    _check_depth(text)
    _check_percent(text)
    try:
        found, _, _ = walker.LatexWalker(
            text, latex_context=_context(), tolerant_parsing=False
        ).get_latex_nodes()
    except RecursionError:
        refuse("too-deep", 0)
    except walker.LatexWalkerError as error:
        place = min(getattr(error, "pos", None) or 0, len(text))
        refuse(_code(str(getattr(error, "msg", error))), place)
    except (ValueError, IndexError, AttributeError, TypeError):
        refuse("malformed", 0)
    return list(found)


def _code(message: str) -> str:
    """pylatexenc tells kinds of errors apart by words only."""
    lowered = message.lower()
    if "closing brace" in lowered:
        return "extra-brace"
    if "\\end" in lowered or ("environment" in lowered and "mismatching" in lowered):
        return "mismatched-environment"
    if "expecting '}'" in lowered or "closing environment" in lowered:
        return "missing-brace"
    if "end of input while parsing arguments" in lowered:
        return "missing-argument"
    return "missing-brace" if "end of stream" in lowered else "malformed"


def _check_percent(text: str) -> None:
    """70.7% & 29.3%: a comment directly after a digit hides what was meant to be read."""
    at = text.find("%")
    while at >= 0:
        end = text.find("\n", at)
        hidden = text[at + 1 : len(text) if end < 0 else end].strip()
        if at and text[at - 1].isdigit() and hidden:
            refuse(
                "unescaped-percent",
                at,
                hint=r"In LaTeX % begins a comment: write \% for per cent.",
            )
        at = text.find("%", at + 1)


def _check_depth(text: str) -> None:
    depth = 0
    for at, c in enumerate(text):
        if c == "{" or text.startswith("\\begin", at):
            depth += 1
            if depth > DEEPEST:
                refuse("too-deep", at)
        elif c == "}" or text.startswith("\\end", at):
            depth = max(0, depth - 1)


def tokens_of(text: str, found: list[Any]) -> list[Token]:
    """The tokens of some nodes of the text, closed by an "end"."""
    walk = _Walk(text)
    walk.all(found)
    end = found[-1].pos + found[-1].len if found else 0
    return [*_merged(walk.out), Token("end", "", end, end)]


class _Walk:
    def __init__(self, text: str) -> None:
        self.text = text
        self.out: list[Token] = []
        self.spaced = False

    def all(self, found: list[Any]) -> None:
        k = 0
        while k < len(found):
            k = self.one(found, k)

    def emit(self, kind: Any, text: str, node: Any, **more: Any) -> None:
        self.out.append(Token(kind, text, node.pos, node.pos + node.len, self.spaced, **more))
        self.spaced = False

    def one(self, found: list[Any], k: int) -> int:
        """The tokens of node k; the index of the next one to look at."""
        node = found[k]
        match node:
            case walker.LatexCharsNode():
                self.chars(node)
            case walker.LatexGroupNode():
                self.group(node)
            case walker.LatexMathNode():
                self.all(list(node.nodelist))
            case walker.LatexCommentNode():
                self.comment(node)
            case walker.LatexEnvironmentNode():
                self.environment(node)
            case walker.LatexMacroNode():
                return self.macro(found, k)
            case _:
                self.emit("unknown", node.latex_verbatim(), node)
        return k + 1

    def chars(self, node: Any) -> None:
        made = lex(node.chars, node.pos, latex=True, spaced=self.spaced)
        self.out += made
        self.spaced = (not made and self.spaced) or node.chars[-1:].isspace()

    def comment(self, node: Any) -> None:
        before = self.out[-1] if self.out else None
        touching = before is not None and before.kind == "number" and before.end == node.pos
        if touching:
            self.emit("sign", "%", node, is_bare=True)
        self.spaced = True

    def group(self, node: Any, bare: bool = False) -> None:
        inner = list(node.nodelist) if hasattr(node, "nodelist") else [node]
        if not bare and len(inner) == 1 and (chars := getattr(inner[0], "chars", "")):
            if chars == ",":
                self.emit("sign", "{,}", node)
                return
            if chars.strip() in ("+", "-", "=", "−"):  # {-} is set without space around it.
                self.chars(inner[0])
                return
        self.out.append(Token("open", "{", node.pos, node.pos + 1, self.spaced, is_bare=bare))
        self.spaced = False
        self.all(inner)
        end = node.pos + node.len
        self.out.append(Token("close", "}", end - (not bare), end))
        self.spaced = False

    def argument(self, node: Any, argument: Any) -> None:
        """An argument as a group."""
        if argument is None:
            refuse("missing-argument", node.pos, node.pos + node.len)
        if isinstance(argument, walker.LatexGroupNode):
            self.group(argument)
        elif isinstance(argument, walker.LatexMacroNode) and _ARGUMENTS.get(argument.macroname):
            # TeX hands over the command without its own arguments.
            refuse(
                "missing-argument",
                argument.pos,
                argument.pos + argument.len,
                hint="Put the argument in braces.",
            )
        else:
            self.group(argument, bare=True)

    def inlined(self, argument: Any) -> None:
        """An argument in place, without a group of its own where it is one number or word."""
        if isinstance(argument, walker.LatexGroupNode):
            inner = list(argument.nodelist)
            single = len(inner) == 1 and isinstance(inner[0], walker.LatexCharsNode)
            made = (
                lex(inner[0].chars, inner[0].pos, latex=True, spaced=self.spaced) if single else []
            )
            if single and (len(made) == 1 or (made and made[0].text == "-" and len(made) == 2)):
                self.out += made
                self.spaced = False
                return
            if single and not made:
                self.spaced = True
                return
        self.argument(argument, argument)

    def macro(self, found: list[Any], k: int) -> int:
        node = found[k]
        name = node.macroname
        arguments = list(node.nodeargd.argnlist) if node.nodeargd and node.nodeargd.argnlist else []
        if name in _DEFINITIONS:
            refuse("macro-definition", node.pos, node.pos + node.len, hint="Write it out instead.")
        if name in _FORBIDDEN:
            refuse("forbidden-macro", node.pos, node.pos + node.len)
        if name in _SPACES:
            self.emit("sign", "\\,", node) if name in (",", "thinspace") else None
            self.spaced = True
        elif name in ("left", "right", "middle") or name.lower().rstrip("lr") in ("big", "bigg"):
            return self.delimiter(found, k)
        elif name == "color" or name in _NOTHING:
            if (
                name == "color"
                and k + 1 < len(found)
                and isinstance(found[k + 1], walker.LatexGroupNode)
            ):
                return k + 2
            self.spaced = True
        elif name in _SIGNS:
            self.emit("sign", _SIGNS[name], node)
        elif name in RELATIONS:
            self.emit("relation", RELATIONS[name], node)
        elif name in ("ldots", "dots", "cdots", "dotsc", "dotsb", "vdots", "ddots"):
            self.emit("sign", "…", node)
        elif name in ("frac", "dfrac", "tfrac", "cfrac", "nicefrac", "sfrac", "flatfrac"):
            self.emit("command", "frac", node)
            for argument in arguments:
                self.argument(node, argument)
        elif name == "sqrt":
            self.root(node, arguments)
        elif (
            name in ("overset", "underset", "stackrel")
            or name in ("textcolor", "colorbox")
            or name == "num"
        ):
            self.inlined(arguments[1])
        elif name in ("overline", "dot"):
            self.emit("command", "repeat", node)
            self.argument(node, arguments[0])
        elif name in ("underbrace", "overbrace"):
            self.argument(node, arguments[0])
            self.out.append(Token("command", "note", node.pos, node.pos))
        elif name in ("pmatrix", "matrix", "bmatrix"):
            if not arguments or not isinstance(arguments[0], walker.LatexGroupNode):
                refuse("missing-argument", node.pos, node.pos + node.len)
            self.matrix(node, list(arguments[0].nodelist), "matrix")
        elif name in _WRAPPERS:
            self.inlined(arguments[0])
        elif name in ("exp", "ln", "log", "over", "softmax", "cr"):
            self.emit("command" if name != "softmax" else "word", name, node)
        elif name == "\\":
            self.emit("command", "row", node)
        elif name == "e":
            self.emit("word", "e", node)
        else:
            self.emit("unknown", "\\" + name, node, is_bare=True)
            for argument in arguments:
                self.argument(node, argument)
        return k + 1

    def delimiter(self, found: list[Any], k: int) -> int:
        """\\left( and its like: the bracket alone; \\left. is nothing."""
        following = found[k + 1] if k + 1 < len(found) else None
        if following is not None and isinstance(following, walker.LatexCharsNode):
            chars = following.chars.lstrip()
            if chars[:1] == ".":
                cut = following.pos + following.chars.index(".") + 1
                rest = chars[1:]
                made = lex(rest, cut, latex=True)
                self.out += made
                self.spaced = rest[-1:].isspace()
                return k + 2
        return k + 1

    def root(self, node: Any, arguments: list[Any]) -> None:
        degree, radicand = arguments
        self.emit("command", "sqrt", node)
        if degree is not None:
            self.out.append(Token("command", "degree", degree.pos, degree.pos))
            self.argument(node, degree)
        if radicand is not None and getattr(radicand, "chars", "") == "(":
            # \sqrt(3) is typeset as a root over the bracket alone, but its meaning is plain.
            self.out.append(Token("sign", "(", radicand.pos, radicand.pos + 1))
        else:
            self.argument(node, radicand)

    def environment(self, node: Any) -> None:
        name = node.environmentname
        if name in ("vmatrix", "Vmatrix"):
            refuse(
                "ambiguous",
                node.pos,
                node.pos + node.len,
                readings=("a matrix", "a determinant"),
                hint="Write bmatrix for a matrix.",
            )
        if name in MATRICES:
            self.matrix(node, list(node.nodelist), name)
        elif name in DISPLAYS:
            self.all(list(node.nodelist))
        else:
            self.emit("unknown", f"\\begin{{{name}}}", node)

    def matrix(self, node: Any, inner: list[Any], name: str) -> None:
        if name in ("array", "tabular"):
            inner = _without_column_spec(inner)
        elif name.endswith("*"):
            inner = _without_optional(inner)
        rows = _rows(self.text, inner, node.pos + node.len)
        self.emit("matrix", name, node, rows=rows)


def _without_column_spec(inner: list[Any]) -> list[Any]:
    inner = _without_optional(inner)
    k = 0
    while (
        k < len(inner)
        and isinstance(inner[k], walker.LatexCharsNode)
        and not inner[k].chars.strip()
    ):
        k += 1
    if k < len(inner) and isinstance(inner[k], walker.LatexGroupNode):
        return inner[k + 1 :]
    return inner


def _chars(chars: str, pos: int) -> Any:
    """A part of a node of characters."""
    return walker.LatexCharsNode(chars=chars, pos=pos, len=len(chars))


def _without_optional(inner: list[Any]) -> list[Any]:
    """The nodes after a leading [..]."""
    if inner and isinstance(inner[0], walker.LatexCharsNode):
        chars = inner[0].chars
        start = len(chars) - len(chars.lstrip())
        if chars[start : start + 1] == "[" and (end := chars.find("]")) > 0:
            return [_chars(chars[end + 1 :], inner[0].pos + end + 1), *inner[1:]]
    return inner


def _rows(text: str, inner: list[Any], end: int) -> tuple[tuple[tuple[Token, ...], ...], ...]:
    """The cells of a matrix. Rows end with \\\\ (and *, [2pt]) or \\cr, cells with &."""
    rows: list[list[list[Any]]] = [[[]]]
    cells = 1
    k = 0
    while k < len(inner):
        node = inner[k]
        if isinstance(node, walker.LatexMacroNode) and node.macroname in (
            "\\",
            "cr",
            "tabularnewline",
        ):
            rows.append([[]])
            if node.macroname == "\\" and k + 1 < len(inner):
                inner[k + 1] = _after_row_end(inner[k + 1])
        elif isinstance(node, walker.LatexCharsNode) and "&" in node.chars:
            at = 0
            for n, part in enumerate(node.chars.split("&")):
                if n:
                    rows[-1].append([])
                    cells += 1
                rows[-1][-1].append(_chars(part, node.pos + at))
                at += len(part) + 1
        else:
            rows[-1][-1].append(node)
        if cells > MOST_CELLS or len(rows) > MOST_CELLS:
            refuse("too-large", node.pos, message=f"a matrix of more than {MOST_CELLS} cells")
        k += 1
    made = [tuple(_cell(text, cell, end) for cell in row) for row in rows]
    # A trailing row end adds no row; a rule or a comment after it neither.
    while len(made) > 1 and len(made[-1]) == 1 and len(made[-1][0]) == 1:
        made.pop()
    return tuple(made)


def _cell(text: str, found: list[Any], end: int) -> tuple[Token, ...]:
    walk = _Walk(text)
    walk.all(found)
    last = found[-1].pos + found[-1].len if found else end
    return (*_merged(walk.out), Token("end", "", last, last))


def _after_row_end(node: Any) -> Any:
    """What follows \\\\ without * and [2pt]; [2] without a unit is content, and so is a space."""
    if not isinstance(node, walker.LatexCharsNode):
        return node
    chars, cut = node.chars, 0
    if chars.startswith("*"):
        cut = 1
    close = chars.find("]", cut) if chars.startswith("[", cut) else -1
    if close > 0 and chars[cut + 1 : close].strip().endswith(_UNITS):
        cut = close + 1
    return _chars(chars[cut:], node.pos + cut)


# ------------------------------------------------------------------ numbers in several pieces


def _merged(tokens: list[Token]) -> list[Token]:
    """0{,}707, 1\\,234, 0.333\\ldots and 0.\\overline{3} as single numbers; notes and thin spaces
    dropped."""
    out: list[Token] = []
    k = 0
    while k < len(tokens):
        token = tokens[k]
        if token.kind == "number" and not token.is_vulgar:
            k = _number(tokens, k, out)
            continue
        if token.text == "note" and token.kind == "command":
            k = _after_note(tokens, k + 1)
            continue
        if token.kind == "sign" and token.text == "\\,":
            if k + 1 < len(tokens):
                tokens[k + 1] = replace(tokens[k + 1], spaced=True)
        else:
            out.append(token)
        k += 1
    return out


def _after_note(tokens: list[Token], k: int) -> int:
    """Past the _{…} that belongs to a brace under or over something."""
    if k + 1 < len(tokens) and tokens[k].text in ("_", "^"):
        k += 1
        if tokens[k].kind != "open":
            return k + 1
        depth = 0
        while k < len(tokens):
            depth += {"open": 1, "close": -1}.get(tokens[k].kind, 0)
            k += 1
            if not depth:
                break
    return k


def _number(tokens: list[Token], k: int, out: list[Token]) -> int:
    token = tokens[k]
    while k + 2 < len(tokens) and tokens[k + 1].text == "\\," and tokens[k + 2].kind == "number":
        following = tokens[k + 2]
        if len(following.text) != 3 or not following.text.isdigit():
            break
        if "." in token.text:
            scale = Fraction(10) ** -(token.places + 3)
            token = replace(
                token, text=token.text + following.text, end=following.end,
                value=token.value + following.value * scale, places=token.places + 3,
            )  # fmt: skip
        elif len(token.text) <= 3 or (k and tokens[k - 1].text == "\\,"):
            token = replace(
                token, text=token.text + following.text, end=following.end,
                value=token.value * 1000 + following.value,
            )  # fmt: skip
        k += 2
    if k + 2 < len(tokens) and tokens[k + 1].text == "{,}" and tokens[k + 2].kind == "number":
        token, k = _decimal_comma(token, tokens[k + 2]), k + 2
    if k + 1 < len(tokens) and tokens[k + 1].text == "…" and not tokens[k + 1].spaced:
        token, k = replace(token, end=tokens[k + 1].end, is_cut=True), k + 1
    if k + 1 < len(tokens) and tokens[k + 1].text == "repeat" and token.text.find(".") >= 0:
        token, k = _repeating(token, tokens, k + 1)
    out.append(token)
    return k + 1


def _decimal_comma(left: Token, right: Token) -> Token:
    if not right.text.isdigit() or not left.text.isdigit():
        refuse("bad-number", left.start, right.end)
    if len(right.text) == 3 and left.text.lstrip("0") and len(left.text) <= 3:
        refuse(
            "ambiguous",
            left.start,
            right.end,
            readings=(f"{left.text}.{right.text}", left.text + right.text),
            hint="Write a decimal point, or no sign between thousands.",
        )
    places = len(right.text)
    return replace(
        left, text=f"{left.text},{right.text}", end=right.end,
        value=left.value + right.value / Fraction(10) ** places, places=places, has_point=True,
    )  # fmt: skip


def _repeating(token: Token, tokens: list[Token], k: int) -> tuple[Token, int]:
    """0.1\\overline{6}: an exact fraction."""
    inner = tokens[k + 1 : k + 4]
    if len(inner) < 3 or inner[1].kind != "number" or not inner[1].text.isdigit():
        refuse("bad-number", token.start, tokens[k].end)
    digits = inner[1].text
    shift = Fraction(10) ** -token.places
    value = token.value + shift * Fraction(int(digits), 10 ** len(digits) - 1)
    made = replace(
        token, text=f"{token.text}({digits})", end=inner[2].end, value=value, is_vulgar=True,
        has_point=False,
    )  # fmt: skip
    return made, k + 3
