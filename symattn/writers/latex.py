"""Document -> LaTeX that pdflatex, lualatex and xelatex compile in one run.

The body asks for nothing but `PACKAGES`: it carries the few macros it uses itself, so it can be
`\\input` into any document.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final, assert_never

from symattn.document import Display, Document, Heatmap, Line, Math, Strong, Text
from symattn.errors import UsageError
from symattn.formula import Formula, Role
from symattn.templates import fill
from symattn.writers import Options
from symattn.writers.base import LABEL_LIMIT, HeatCell, PageWriter, label, language, visible
from symattn.writers.latex_math import LatexMath, display_line
from symattn.writers.latex_text import fitted, latex_text, letters
from symattn.writers.theme import ACCENT, FOCUS, GREY, MAXIMUM, WRONG, shade

PACKAGES: Final = ("amsmath", "amssymb", "array", "[table]xcolor")

_MACROS: Final = {
    "saaccent": rf"\providecolor{{saaccent}}{{HTML}}{{{ACCENT}}}",
    "sagrey": rf"\providecolor{{sagrey}}{{HTML}}{{{GREY}}}",
    "samaximum": rf"\providecolor{{samaximum}}{{HTML}}{{{MAXIMUM}}}",
    "safocus": rf"\providecolor{{safocus}}{{HTML}}{{{FOCUS}}}",
    r"\saheading": r"""\providecommand{\saheading}[1]{\par\addvspace{14pt plus 4pt}%
  {\noindent\sffamily\bfseries\large #1\par}\nobreak\csname @afterheading\endcsname}""",
    r"\sasubheading": r"""\providecommand{\sasubheading}[1]{\par\addvspace{9pt plus 3pt}%
  {\noindent\sffamily\bfseries #1\par}\nobreak\csname @afterheading\endcsname}""",
    r"\sadisplay": r"""\providecommand{\sadisplay}{\allowdisplaybreaks\jot=5pt
  \abovedisplayskip=3pt plus 2pt\abovedisplayshortskip=\abovedisplayskip
  \belowdisplayskip=5pt plus 2pt\belowdisplayshortskip=\belowdisplayskip
  \delimiterfactor=1000\delimitershortfall=-1pt
  \arraycolsep=.5em\renewcommand{\arraystretch}{1.25}\noindent}""",
    r"\sawhy": r"\providecommand{\sawhy}[1]{\text{\footnotesize\color{sagrey}#1}}",
    r"\salabel": r"\providecommand{\salabel}[1]{\text{\scriptsize\color{sagrey}#1}}",
    r"\satall": r"""\providecommand{\satall}[1]{%
  \raisebox{0pt}[\dimexpr\height+.35em\relax][\dimexpr\depth+.35em\relax]{$#1$}}""",
    r"\samax": r"\providecommand{\samax}[1]{{\fboxsep=1.5pt\colorbox{samaximum}{$\mathbf{#1}$}}}",
    r"\safocus": r"""\providecommand{\safocus}[1]{{\fboxsep=1.5pt\fboxrule=.4pt
  \fcolorbox{saaccent}{safocus}{$#1$}}}""",
    r"\saanswer": r"\providecommand{\saanswer}[1]{{\fboxsep=2.5pt\fbox{$#1$}}}",
    "sawrongink": rf"\providecolor{{sawrongink}}{{HTML}}{{{WRONG}}}",
    r"\sawrong": r"""\providecommand{\sawrong}[1]{{\fboxsep=1.5pt\fboxrule=.8pt
  \fcolorbox{sawrongink}{white}{$#1$}^{\color{sawrongink}\boldsymbol\times}}}""",
    r"\safollows": r"\providecommand{\safollows}[1]{\underline{#1}_{\to}}",
    r"\sadigits": r"\providecommand{\sadigits}[1]{{#1}_{\sim}}",
    r"\sablank": r"""\providecommand{\sainside}[1]{#1}
\providecommand{\sablank}[3]{{\setbox0=\hbox{$\displaystyle\sainside{#3}$}%
  \dimen0=#1\relax\ifdim\wd0>\dimen0 \dimen0=\wd0 \fi\advance\dimen0 by 3pt
  \dimen2=\dimexpr#2/2+.25em\relax\dimen4=\dimexpr#2-\dimen2\relax
  \ifdim\ht0>\dimen2 \setbox0=\hbox{$\vcenter{\box0}$}\fi
  \ifdim\dp0>\dimen4 \setbox0=\hbox{$\vcenter{\box0}$}\fi
  \ht0=\dimen2 \dp0=\dimen4
  \vrule width 0pt height\dimexpr\dimen2+2pt\relax depth\dimexpr\dimen4+2pt\relax
  \fboxsep=0pt\fboxrule=.4pt\fcolorbox{sagrey}{white}{\hbox to\dimen0{\hfil\box0\hfil}}}}""",
    r"\samaxinside": r"""\providecommand{\samaxinside}[1]{{\fboxsep=1pt
  \colorbox{samaximum}{$\displaystyle\mathbf{#1}$}}}""",
    r"\sasquare": r"""\providecommand{\sasquare}[2]{\hbox to#1{%
  \vrule width 0pt height 1.25em depth .75em\hfil#2\hfil}}""",
    r"\saheat": r"""\providecommand{\saheat}[3]{{\fboxsep=0pt\fboxrule=.4pt
  \fcolorbox{white}[HTML]{#2}{\sasquare{#1}{#3}}}}""",
    r"\saempty": r"""\providecommand{\saempty}[1]{{\fboxsep=0pt\fboxrule=.4pt
  \fcolorbox{sagrey}{white}{\sasquare{#1}{}}}}""",
    r"\saheatmap": r"""\providecommand{\saheatmap}[4]{\par\addvspace{10pt plus 2pt}{\centering
  {#2\renewcommand{\arraystretch}{0}\begin{tabular}{@{}r@{\hskip.5em}*{#1}{c@{\hskip-.4pt}}}#4%
    \end{tabular}\par}\nobreak#3\par}%
  \addvspace{6pt plus 2pt}}""",
    r"\saaside": r"""\providecommand{\saaside}[1]{\unskip\hfil\penalty50\hskip1em\null\nobreak\hfil
  \mbox{\normalfont\footnotesize\color{sagrey}#1}\parfillskip=0pt}""",
    r"\sawork": r"""\providecommand{\sawork}[1]{\par\noindent
  \vrule width 0pt height\dimexpr8mm*#1-\parskip\relax\par}""",
    r"\sarule": r"\providecommand{\sarule}{\noalign{\hrule height .8pt}}",
    r"\sanote": r"""\providecommand{\sanote}[1]{\par\noindent
  \hbox to\linewidth{{\color{saaccent}\vrule width 1.5pt}\hskip 8pt
    \parbox{\dimexpr\linewidth-9.5pt\relax}{\raggedright\small\color{sagrey}\strut #1\strut}%
    \hss}\par}""",
}
"""What the body may use, each after what it uses itself. Only what is used is written down."""

_SIZES: Final = (
    (1.0, ""),
    (0.9, r"\small"),
    (0.8, r"\footnotesize"),
    (0.7, r"\scriptsize"),
    (0.0, r"\tiny"),
)
"""Font sizes of a 10 pt document, by the scale that they need at least."""

LINE_EM: Final = 47.0
"""The width of the page of `templates/latex.tex`, in em of its text."""

LABEL_LETTER: Final = 0.5
"""Em for a letter of a label."""

LOGO: Final = "symattn-logo"
"""The name, before its suffix, of a logo that lies beside the page."""

_WORDS_LIMIT: Final = 40
"""Words in mathematics cannot break: what is longer is cut off visibly."""

_CODE_WIDTH: Final = 94
_CODE_SIGNS: Final = {" ": r"\ ", "'": r"\textquotesingle{}"}
_PICTURE: Final = re.compile(r"[A-Za-z0-9._/:-]+\.(?:png|jpe?g|PNG|JPE?G)")
_LONG_WORD: Final = re.compile(r"\S{32,}")
_TABLE_ROWS: Final = 40
_PAGE_LINES: Final = 24
"""Lines to write on that surely fit on one page."""


class PageMath(LatexMath):
    """Formula -> LaTeX for a page that has colour."""

    def __init__(self, *, key: bool = False) -> None:
        super().__init__(key=key)
        self._blanks: set[str] = set()
        # What decides about sizes is the sheet: its key is to break alike.
        self._sheet = PageMath() if key else self

    def words(self, text: str) -> str:
        return rf"\text{{{latex_text(fitted(text, _WORDS_LIMIT))}}}"

    def entry(self, tree: Formula) -> str:
        written = super().entry(tree)
        shape = self._sheet.formula(tree)
        tall = "frac" in shape or "^{" in shape
        return rf"\satall{{{written}}}" if tall else written

    def paren(self, inner: str, fence: str) -> str:
        left, right = ("[", "]") if fence == "[" else ("(", ")")
        if r"\sablank" in inner:  # Always as high as the box, whatever is in it.
            return rf"\left{left}{inner}\right{right}"
        return super().paren(inner, fence)

    def mark(self, role: Role, inner: str) -> str:
        if inner in self._blanks:
            return self._marked_blank(role, inner)
        match role:
            case Role.MAXIMUM:
                return rf"\samax{{{inner}}}"
            case Role.FOCUS:
                return rf"\safocus{{{inner}}}"
            case Role.ANSWER:
                return rf"\boxed{{{inner}}}"
            case Role.MASKED:
                return rf"{{\color{{sagrey}}{inner}}}"
            case Role.WRONG:
                return rf"\sawrong{{{inner}}}"
            case Role.FOLLOWS:
                return rf"\safollows{{{inner}}}"
            case Role.DIGITS:
                return rf"\sadigits{{{inner}}}"
            case _:
                assert_never(role)

    def marked_cell(self, role: Role, content: str) -> str:
        if content in self._blanks:
            return self._marked_blank(role, content)
        if role is Role.MAXIMUM:
            return rf"\cellcolor{{samaximum}}\mathbf{{{content}}}"
        if role is Role.ANSWER:
            return rf"\saanswer{{{content}}}"
        return self.mark(role, content)

    def blank(self, answer: str | None, width: float, height: float) -> str:
        written = rf"\sablank{{{width:g}em}}{{{height:g}em}}{{{answer or ''}}}"
        self._blanks.add(written)
        return written

    def _marked_blank(self, role: Role, blank: str) -> str:
        """The mark is inside the box, which keeps its size."""
        if role is Role.MAXIMUM:
            return rf"{{\let\sainside\samaxinside{blank}}}"
        return rf"{{\color{{sagrey}}{blank}}}" if role is Role.MASKED else blank

    # The gap keeps the colour of a cell off the rule, which it would hide at low zoom.
    side_rule = r"!{\vrule\hskip.6pt}"

    def margin(self, text: str) -> str:
        return rf"\salabel{{{latex_text(fitted(text, LABEL_LIMIT))}}}" if text else ""

    def row_end(self, tall: bool) -> str:
        return r"\\"  # Tall entries bring their own distance, which a colour then fills.


class LatexWriter(PageWriter):
    """Document -> LaTeX, with the page shell `templates/latex.tex` or the user's own.

    The logo stands where it was read from, or with `beside` in the page's folder, as `LOGO`.
    """

    def __init__(self, ask: Options, *, beside: bool = False) -> None:
        super().__init__(key=ask.key)
        self.formulas = PageMath(key=ask.key)
        self.ask = ask
        self.beside = beside

    # ------------------------------------------------------------------ the page

    def page(self, document: Document, body: str) -> str:
        values = {
            "title": self.escape(visible(document.title)),
            "subtitle": self.escape(visible(document.subtitle)),
            "header": self.escape(visible(self.ask.header)),
            "logo": self._logo(),
            "author": self.escape(visible(document.author)),
            "paper": f"{self.ask.paper}paper",
            "footer": self.escape(visible(document.footer)),
            "language": language(document.language),
            "keywords": self.escape(visible(", ".join(document.keywords))),
            "metadata": _metadata(document),
            "body": self.fragment(body).rstrip("\n"),
        }
        return fill(values, name="latex.tex", path=self.ask.template)

    def _logo(self) -> str:
        """A command that shows the logo; its shell needs the package graphicx."""
        logo = self.ask.logo
        if logo is None:
            return ""
        path = f"{LOGO}.{logo.kind}" if self.beside else logo.path.replace("\\", "/")
        if logo.kind == "svg" or not _PICTURE.fullmatch(path):
            raise UsageError(
                f"LaTeX cannot show the logo {logo.path!r}",
                hint="It takes a .png, .jpg or .jpeg file whose path has only letters, digits and "
                "._-/ in it."
                if logo.kind != "svg"
                else "Save it as PNG or JPEG.",
            )
        return rf"\includegraphics[height=12mm,width=80mm,keepaspectratio]{{{path}}}"

    def fragment(self, body: str) -> str:
        used: list[str] = []
        for name, macro in reversed(_MACROS.items()):
            if name in body or any(name in later for later in used):
                used.append(macro)
        head = [f"% Needs the packages {', '.join(PACKAGES)}.", *reversed(used)]
        return "\n".join(head) + "\n\n" + body + "\n"

    # ------------------------------------------------------------------ running text

    def escape(self, text: str) -> str:
        if len(text) >= 32 and _LONG_WORD.search(text):
            # What has no place to break is given some, or it would run off the page.
            pieces = _LONG_WORD.split(text)
            words = [
                r"\hspace{0pt}".join(
                    latex_text(word[start : start + 8]) for start in range(0, len(word), 8)
                )
                for word in _LONG_WORD.findall(text)
            ]
            out = latex_text(pieces[0])
            for word, piece in zip(words, pieces[1:], strict=True):
                out += word + latex_text(piece)
            return out
        return latex_text(text)

    def math(self, part: Math) -> str:
        return f"${self.formulas.formula(part.formula)}$"

    def strong(self, text: str) -> str:
        return rf"\textbf{{{text}}}"

    # ------------------------------------------------------------------ blocks

    def heading(self, level: int, text: Text, aside: str) -> str:
        # What stands out in a heading is its number or its kind: "Step 1."
        inner = "".join(
            rf"\textcolor{{saaccent}}{{{self.escape(visible(part.text))}}}"
            if isinstance(part, Strong)
            else self.inline(part)
            for part in text
        )
        if aside:
            inner += rf"\saaside{{{self.escape(visible(aside))}}}"
        return rf"\sa{'sub' if level > 1 else ''}heading{{{inner}}}"

    def para(self, text: Text) -> str:
        return self.text(text)

    def items(self, items: list[tuple[str, Text]]) -> str:
        lines = [
            rf"\item[{number}] {self.text(text)}" if number else rf"\item {{}}{self.text(text)}"
            for number, text in items
        ]
        body = "\n".join(lines)
        return f"\\begin{{itemize}}\\setlength{{\\itemsep}}{{2pt}}\n{body}\n\\end{{itemize}}"

    def display(self, display: Display) -> str:
        lines = [(*display_line(self.formulas, line), self._why(line)) for line in display.lines]
        size = next(name for least, name in _SIZES if display.scale >= least)
        return f"{{{size}\\sadisplay\n{self._aligned(lines)}\\par}}"

    def _aligned(self, lines: list[tuple[str, str, str]]) -> str:
        if len(lines) == 1:
            left, right, why = lines[0]
            gap = r" \qquad " if why else ""
            return f"\\[\n{left} {right}{gap}{why}\n\\]"
        if not any(right for _, right, _ in lines):
            rows = [left + (r" \qquad " + why if why else "") for left, _, why in lines]
            return "\\begin{gather*}\n" + _rows(rows) + "\n\\end{gather*}"
        rows = [
            f"{left} & {right}" + (rf" &\qquad& {why}" if why else "") for left, right, why in lines
        ]
        return "\\begin{alignat*}{2}\n" + _rows(rows) + "\n\\end{alignat*}"

    def _why(self, line: Line) -> str:
        if not line.why:
            return ""
        why = self.escape(visible(line.why))
        if len(line.why) > 44:
            why = rf"\parbox[t]{{.36\linewidth}}{{\raggedright {why}}}"
        return rf"\sawhy{{{why}}}"

    def table(self, head: tuple[Text, ...], rows: list[tuple[Text, ...]]) -> str:
        if not head:
            return ""
        columns = _columns([head, *rows])
        top = " & ".join(rf"\textbf{{{self.text(cell)}}}" for cell in head)
        parts = []
        # A tabular does not break over pages: a long table becomes several.
        for start in range(0, max(len(rows), 1), _TABLE_ROWS):
            lines = [" & ".join(map(self.text, row)) for row in rows[start : start + _TABLE_ROWS]]
            body = _rows(lines) + " \\\\\n" if lines else ""
            parts.append(
                "\\begin{center}\\renewcommand{\\arraystretch}{1.2}\n"
                f"\\begin{{tabular}}{{{columns}}}\n\\sarule\n{{}}{top} \\\\\n\\hline\n{body}"
                "\\sarule\n\\end{tabular}\n\\end{center}"
            )
        return "\n\n".join(parts)

    def heatmap(self, heatmap: Heatmap) -> str:
        sides = [fitted(label(text), LABEL_LIMIT) for text in heatmap.row_labels]
        heads = [label(text) for text in heatmap.column_labels]
        count = max(map(len, heatmap.cells), default=0)
        heads += [""] * (count - len(heads))
        digits = max((len(text) for row in heatmap.cells for _, text in row), default=0)
        # All squares are as wide as the widest. Labels keep their size: they are cut off instead.
        room = (LINE_EM - LABEL_LETTER * max(map(_letters, sides), default=0) - 1) / max(count, 1)
        most = min(max(int((room - 0.6) / LABEL_LETTER), 3), LABEL_LIMIT)
        heads = [fitted(text, most) for text in heads]
        wide = max(0.58 * digits, *(LABEL_LETTER * _letters(text) for text in heads), 0) + 0.6
        scale = min(room / wide, 1)
        size = next(name for least, name in _SIZES if scale >= least)
        rows = []
        for number, row in enumerate(self.shown(heatmap)):
            side = sides[number] if number < len(sides) else ""
            cells = [self._heat(cell, 10 * scale * wide) for cell in row]
            rows.append(" & ".join([self._small(side), *cells]))
        top = " & ".join(["", *map(self._small, heads)])
        caption = self._small(visible(heatmap.caption))
        body = f"{top} \\\\[.4em]\n{_rows(rows, '[-.4pt]')}"
        return f"\\saheatmap{{{count}}}{{{size}}}{{{caption}}}{{\n{body}}}"

    def _small(self, text: str) -> str:
        return rf"{{\footnotesize\color{{sagrey}}{self.escape(text)}}}" if text else ""

    def note(self, text: Text) -> str:
        return rf"\sanote{{{self.text(text)}}}"

    def code(self, language: str, lines: list[str]) -> str:
        body = "\n".join(
            rf"\noindent\hspace*{{1em}}{piece}\par" for line in lines for piece in _code(line)
        )
        return f"{{\\smallskip\\parskip=0pt\\small\\ttfamily\\raggedright\n{body}\\smallskip}}"

    def form(self, fields: Sequence[tuple[str, float]]) -> str:
        room = sum(share for _, share in fields)
        parts = [
            rf"\makebox[{share / room * 0.96:.3f}\linewidth][l]"
            rf"{{{self.escape(visible(name))}:\ \hrulefill}}"
            for name, share in fields
        ]
        return r"\noindent" + "\\hfill\n".join(parts) + r"\par"

    def work_space(self, lines: int) -> str:
        # What is higher than a page may be divided.
        whole, rest = divmod(lines, _PAGE_LINES)
        parts = [_PAGE_LINES] * whole + [rest] * bool(rest)
        return "\n".join(rf"\sawork{{{part}}}" for part in parts)

    def page_break(self) -> str:
        return r"\clearpage"

    def _heat(self, cell: HeatCell, points: float) -> str:
        if cell.share is None:
            return rf"\saempty{{{points:.4g}pt}}"
        digits = self.escape(cell.digits)
        text = rf"\textbf{{{digits}}}" if cell.bold else digits
        fill, white_ink = shade(cell.share)
        ink = rf"\textcolor{{white}}{{{text}}}" if white_ink else text
        return rf"\saheat{{{points:.4g}pt}}{{{fill}}}{{{ink}}}"


# ---------------------------------------------------------------- details


def _rows(rows: Sequence[str], gap: str = "") -> str:
    """Rows of an alignment; after \\\\ a bracket or an asterisk would be read as an option."""
    safe = ["{}" + row if row.lstrip()[:1] in ("[", "*") else row for row in rows]
    return f" \\\\{gap}\n".join(safe)


def _columns(rows: Sequence[tuple[Text, ...]]) -> str:
    """Natural widths while the table is narrow, shares of the line when it is not."""
    widths = [max(map(_length, column)) for column in zip(*rows, strict=True)]
    if sum(widths) + 3 * len(widths) <= 84:
        return "l" * len(widths)
    usable = 0.97 - 0.026 * len(widths)
    shares = [min(width, 60) + 4 for width in widths]
    return "".join(
        rf">{{\raggedright\arraybackslash}}p{{{usable * share / sum(shares):.3f}\linewidth}}"
        for share in shares
    )


def _length(text: Text) -> int:
    return sum(len(part) if isinstance(part, str) else 8 for part in text)


def _letters(text: str) -> int:
    return sum(map(letters, text))


def _code(line: str) -> list[str]:
    """A line of a program as one or more lines that fit, broken at a space if there is one."""
    pieces: list[list[str]] = [[]]
    room = _CODE_WIDTH
    before = ""
    for position, character in enumerate(line):
        written = _CODE_SIGNS.get(character) or latex_text(character)
        if character == before and character in "-,":
            written = "{}" + written  # No ligatures in a program.
        width = letters(character)
        word = width if character == " " or before != " " else _word(line, position)
        before = character
        if width > room or (word > room and word < _CODE_WIDTH // 2):
            pieces.append([r"\textcolor{sagrey}{$\hookrightarrow$}\ "])
            room = _CODE_WIDTH - 3
        pieces[-1].append(written)
        room -= width
    return ["".join(piece) or r"\strut" for piece in pieces]


def _word(line: str, start: int) -> int:
    end = line.find(" ", start)
    return _letters(line[start : end if end >= 0 else len(line)])


def _metadata(document: Document) -> str:
    """Title and language for the PDF. As hexadecimal digits no text can break out of them."""
    entries = [
        ("Title", document.title),
        ("Author", document.author),
        ("Keywords", ", ".join(document.keywords)),
    ]
    info = " ".join(
        f"/{name} <FEFF{visible(text).encode('utf-16-be', 'replace').hex().upper()}>"
        for name, text in entries
        if text
    )
    lang = f"/Lang ({language(document.language)})"
    # The date and the random identifiers are left out: the same page gives the same file.
    return rf"""\ifdefined\pdfextension
  \pdfextension info{{{info}}}\pdfextension catalog{{{lang}}}
  \pdfvariable suppressoptionalinfo 1023\relax
\else\ifdefined\pdfinfo
  \pdfinfo{{{info}}}\pdfcatalog{{{lang}}}
  \pdfinfoomitdate=1 \pdftrailerid{{}}\pdfsuppressptexinfo=15
\else
  \special{{pdf:docinfo << {info} >>}}\special{{pdf:put @catalog << {lang} >>}}
\fi\fi"""
