"""Documents to try writers on: a realistic page, and one full of hostile text."""

from __future__ import annotations

from symattn.document import (
    Block,
    Code,
    Display,
    Document,
    Heading,
    Heatmap,
    Items,
    Line,
    Math,
    Note,
    PageBreak,
    Para,
    Strong,
    Table,
)
from symattn.formula import (
    MINUS_INFINITY,
    Blank,
    Call,
    Formula,
    Frac,
    Grid,
    Mark,
    Num,
    Power,
    Role,
    Root,
    Sub,
    Sym,
    Words,
    joined,
    num,
    product,
    seq,
    transpose,
)

TOKENS = ("the", "cat", "sat", "on")
Q, K, V, S, A = map(Sym, "QKVSA")
E = Sym("e")
ROOT_D = Root(Sub(Sym("d"), Sym("k")))


def sub(name: Formula, index: int) -> Formula:
    return Sub(name, num(index))


def exponential(score: int) -> Formula:
    """e^(score/√3) as a student writes it."""
    if score == 0:
        return num(1)
    if score == 3:
        return Power(E, Root(num(3)))
    return Power(E, Frac(num(score), Root(num(3)), slanted=True))


def grid(
    rows: list[list[int | str]],
    marked: tuple[tuple[int, int], ...] = (),
    labels: tuple[str, ...] = (),
) -> Grid:
    return Grid(
        tuple(
            tuple(
                Mark(Role.MAXIMUM, num(value)) if (i, j) in marked else num(value)
                for j, value in enumerate(row)
            )
            for i, row in enumerate(rows)
        ),
        row_labels=labels,
        column_labels=labels,
    )


SCORES: list[list[int | str]] = [[6, -4, -4, 2], [4, -2, 0, 4], [2, -1, 1, 5], [-3, 1, -1, -2]]
MAXIMA = ((0, 0), (1, 0), (1, 3), (2, 3), (3, 1))


def softmax_row() -> Grid:
    row_sum = joined("+", [exponential(n) for n in (1, 5, 3)])
    return Grid(
        (
            (
                Frac(exponential(1), row_sum),
                Mark(Role.MAXIMUM, Frac(exponential(5), row_sum)),
                Frac(exponential(3), row_sum),
            ),
        )
    )


def named_rows() -> Grid:
    r = Sym("r")
    return Grid(
        (
            (num(1), num(0), num(0)),
            (Blank(Frac(exponential(4), sub(r, 2))), Frac(num(1), sub(r, 2)), num(0)),
            (
                Frac(exponential(4), sub(r, 3)),
                Mark(Role.MAXIMUM, Blank(Frac(exponential(-1), sub(r, 3)))),
                Mark(Role.MAXIMUM, Frac(exponential(2), sub(r, 3))),
            ),
        )
    )


def worked_page() -> Document:
    """What a worked solution looks like: every kind of block, every kind of formula."""
    attention = seq(
        Call("Attention", seq(Q, ",", K, ",", V)),
        "=",
        Call("softmax", Frac(seq(Q, transpose(K)), ROOT_D)),
        V,
    )
    return Document(
        title="Attention by hand",
        subtitle="Worked solution — 4 tokens, key width 3",
        blocks=(
            Heading(1, (Strong("1."), " Scaled dot-product attention")),
            Para(
                (
                    "Each of the 4 tokens has a query, a key and a value (",
                    Math(seq(Sub(Sym("d"), Sym("k")), "=", num(3))),
                    "). Compute ",
                    Math(attention),
                    ".",
                )
            ),
            Display(
                (
                    Line(
                        None,
                        "",
                        seq(
                            Q,
                            "=",
                            grid([[2, 2, 2], [0, 0, 2], [0, -1, 2], [1, 0, -1]]),
                            ",",
                            K,
                            "=",
                            grid([[-1, 2, 2], [0, -1, -1], [-1, -1, 0], [0, -1, 2]]),
                            ",",
                            V,
                            "=",
                            grid([[1, 2], [0, 0], [1, 2], [-1, -1]]),
                        ),
                    ),
                )
            ),
            Heading(2, (Strong("Step 1."), " Scores: every query against every key")),
            Para(("Entry 2, 1 is the dot product of query 2 (“cat”) with key 1 (“the”).",)),
            Display(
                (
                    Line(
                        Sub(S, num(21)),
                        "=",
                        product(sub(Sym("q", bold=True), 2), sub(Sym("k", bold=True), 1)),
                        "row 2 of Q, row 1 of K",
                    ),
                    Line(
                        None,
                        "=",
                        joined(
                            "+",
                            [
                                product(num(0), num(-1)),
                                product(num(0), num(2)),
                                product(num(2), num(2)),
                            ],
                        ),
                        "multiply pairwise",
                    ),
                    Line(None, "=", Mark(Role.FOCUS, num(4)), "add"),
                )
            ),
            Display(
                (
                    Line(
                        seq(S, "=", Q, transpose(K)),
                        "=",
                        grid(SCORES, MAXIMA, TOKENS),
                    ),
                )
            ),
            Note(("The largest score of each row is highlighted.",)),
            Heading(2, (Strong("Step 2."), " Scale by the square root of the key width")),
            Display(
                (
                    Line(
                        Frac(S, ROOT_D),
                        "=",
                        seq(Frac(num(1), Root(num(3))), grid(SCORES, MAXIMA)),
                        "keeps the variance near 1",
                    ),
                )
            ),
            Heading(2, (Strong("Step 3."), " Softmax of row 2, exactly and in decimals")),
            Display(
                (
                    Line(sub(A, 2), "=", softmax_row()),
                    Line(
                        None,
                        "≈",
                        grid([["0.070", "0.705", "0.225"]], ((0, 1),)),
                        "each row sums to exactly 1",
                    ),
                )
            ),
            Display((Line(A, "=", named_rows()),)),
            Heading(1, (Strong("2."), " What is asked, in a table")),
            Items(
                (
                    ("Compute ", Math(seq(S, "=", Q, transpose(K))), "."),
                    ("Divide by ", Math(ROOT_D), ", then apply softmax."),
                ),
                numbered=True,
            ),
            Items((("a masked score is ", Math(MINUS_INFINITY)), ("an empty cell is 0",))),
            Table(
                (("letter",), ("what",), ("shape",)),
                (
                    (
                        (Math(Q),),
                        ("queries",),
                        (Math(seq(Sym("n"), "×", Sub(Sym("d"), Sym("k")))),),
                    ),
                    ((Math(S),), ("scores",), (Math(seq(Sym("n"), "×", Sym("m"))),)),
                ),
            ),
            Display(
                (
                    Line(
                        Sub(S, Words("masked")),
                        "=",
                        Grid(
                            (
                                (num(6), *[Mark(Role.MASKED, MINUS_INFINITY)] * 2),
                                (Blank(num(4)), num(-2), Mark(Role.MASKED, MINUS_INFINITY)),
                                (Blank(num(2)), Blank(num(-1)), Mark(Role.ANSWER, num(1))),
                            ),
                            row_labels=TOKENS[:3],
                            column_labels=TOKENS[:3],
                        ),
                    ),
                )
            ),
            Heatmap(
                "Attention weights",
                TOKENS[:3],
                TOKENS[:3],
                (
                    ((1.0, "1.000"), (0.0, "0.000"), (0.0, "0.000")),
                    ((0.469, "0.469"), (0.531, "0.531"), (0.0, "0.000")),
                    ((0.070, "0.070"), (0.705, "0.705"), (0.225, "0.225")),
                ),
            ),
            PageBreak(),
            Heading(2, (Strong("Check."), " The same with NumPy")),
            Code(
                "python",
                "import numpy as np\n\nS = Q @ K.T / np.sqrt(3)  # 'scores' -- scaled\n"
                "A = np.exp(S) / np.exp(S).sum(axis=1, keepdims=True)\n"
                "assert np.allclose(A.sum(axis=1), 1), "
                "'every row of the attention weights must sum to one, whatever the scores are'\n",
            ),
        ),
        footer="symattn · seed 11",
        keywords=("attention", "softmax"),
    )


HOSTILE = (
    "<b>bold</b>",
    "$x$",
    "$$",
    "#let x = 1",
    "\\input{/etc/passwd}",
    "\\end{document}",
    "100%",
    "a_b^c~d",
    "^^M",
    "{}{",
    "&nbsp;",
    "|pipe|",
    "`tick` ```",
    "*star* _under_",
    "[link](http://example.org)",
    "@{body}",
    "--- ''quotes'' ,, \"",
    "line\nbreak\ttab",
    "\x1b[31mred\x1b[0m",
    "\u202eright to left\u2066",
    "nul\x00bell\x07",
    "日本語の文字",
    "हिन्दी",
    "مرحبا",
    "👩\u200d🔬 emoji",
    "naïve café Œuvre ŉ ½ €",
    "Привет",
    "e\u0301",
    "\ud800",
    "W" * 150,
    "",
)


def hostile_page() -> Document:
    """Every hostile text in every place where a user's text can stand."""
    blocks: list[Block] = []
    for text in HOSTILE:
        blocks += [
            Heading(1, (Strong(text), text)),
            Para((text, Math(Sub(Words(text[:30]), Sym(text[:3]))), Strong(text), Math(Sym("x")))),
            Items(((text,), (Strong(text),))),
            Items(((text,),), numbered=True),
            Display(
                (
                    Line(
                        Words(text[:20]),
                        "=",
                        Grid(
                            ((num(1), num(2)),),
                            row_labels=(text,),
                            column_labels=(text, text),
                        ),
                        why=text,
                    ),
                    Line(None, "=", Call(text[:12], Num(text[:5]))),
                )
            ),
            Table(((text,), ("plain",)), (((text,), (Math(Words(text[:20])),)),)),
            Heatmap(text, (text,), (text,), (((0.5, "0.5"),),)),
            Note((text,)),
            Code("python", text),
        ]
    return Document("".join(HOSTILE), HOSTILE[0], tuple(blocks), footer=HOSTILE[4])
