"""The worked solution: every step with its law, one entry worked out, and what a teacher remarks."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import Final, cast

from symattn import layout
from symattn.derivation import Derivation, Head, Stage, Step
from symattn.document import (
    Block,
    Code,
    Document,
    Heading,
    Heatmap,
    Inline,
    Items,
    Line,
    Math,
    Note,
    Para,
    Strong,
    Table,
)
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Mixture, Weights
from symattn.formula import (
    Formula,
    Frac,
    Paren,
    Power,
    Root,
    Sub,
    Sym,
    Words,
    factor,
    joined,
    num,
    seq,
    transpose,
)
from symattn.notation import elided_sum, stage_symbol
from symattn.problem import Given
from symattn.views import remarks
from symattn.views.options import Options
from symattn.views.paper import Paper
from symattn.views.program import program

MOST_WORKINGS: Final = 64
"""Entries of one step that `--detail full` works out before it says that it stops."""
MOST_HEATMAP: Final = 12
"""Tokens up to which the weights are also drawn."""


def explain(derivation: Derivation, options: Options = Options()) -> Document:
    """The worked solution as a document.

    UsageError where `options.focus` is not a token of the problem.
    """
    paper = Paper.of(derivation, options)
    problem = derivation.problem
    blocks: list[Block] = [*_opening(paper), *_given(paper)]
    steps = _numbered()
    several = len(derivation.heads) > 1
    for number, head in enumerate(derivation.heads, 1):
        own = paper.for_head(number if several else None)
        if several:
            blocks.append(Heading(1, (f"Head {number}",)))
            steps = _numbered()
        blocks += _head(own, head, steps, level=2 if several else 1)
    if derivation.C:
        blocks.append(Heading(1, ("Joining the heads",)))
        blocks += _concat(paper, derivation.C)
    if derivation.Y:
        blocks += _output(paper, derivation.Y, None if derivation.C else next(steps))
    blocks += _summary(paper)
    if options.code:
        blocks += _code(paper)
    title = problem.title or problem.name or "Scaled dot-product attention"
    return Document(
        title,
        "Worked solution — " + _sizes(paper),
        tuple(blocks),
        footer=f"symattn · {problem.name}" if problem.name else "symattn",
        keywords=("attention", "worked solution"),
    )


def _sizes(paper: Paper) -> str:
    problem, head = paper.problem, paper.derivation.heads[0]
    n, m = head.S.shape
    sizes = [f"{n} tokens" if n != 1 else "1 token"]
    if problem.is_cross:
        sizes = [f"{n} {'queries' if n != 1 else 'query'}", f"{m} {'keys' if m != 1 else 'key'}"]
    width = head.K.shape[1] if head.K else problem.d_k
    if width:
        sizes.append(f"key width {width}")
    if len(paper.derivation.heads) > 1:
        sizes.append(f"{len(paper.derivation.heads)} heads")
    return ", ".join(sizes)


def _numbered() -> Iterator[int]:
    number = 0
    while True:
        number += 1
        yield number


# ------------------------------------------------------------------ before the steps


def _opening(paper: Paper) -> list[Block]:
    rows = paper.convention.tokens == "rows"
    q, k, v = Sym("Q"), Sym("K"), Sym("V")
    scale = paper.problem.scale
    scores = seq(q, transpose(k)) if rows else seq(transpose(k), q)
    inner: Formula = scores
    if scale.is_default:
        inner = Frac(scores, Root(Sub(Sym("d"), Sym("k"))))
    elif scale.divisor is not None:
        inner = Frac(scores, paper.writing.number(scale.divisor))
    elif scale.factor is not None and not scale.is_none:
        inner = seq(factor(paper.writing.number(scale.factor)), scores)
    if paper.problem.mask.B:
        inner = seq(inner, "+", Sym("B"))
    softmax = seq(Words("softmax"), Paren(inner))
    law = seq(
        Words("Attention"), Paren(joined(",", [q, k, v])), "=",
        *([softmax, v] if rows else [v, softmax]),
    )  # fmt: skip
    return [paper.display(Line(None, "", law)), _symbols(paper)]


_MEANINGS: Final = (
    ("X", "embeddings, one {line} for each token", ("n", "d_model")),
    ("X_kv", "embeddings of the sequence that is looked at", ("m", "d_model")),
    ("W_Q", "turns an embedding into a query", ("d_model", "d_k")),
    ("W_K", "turns an embedding into a key", ("d_model", "d_k")),
    ("W_V", "turns an embedding into a value", ("d_model", "d_v")),
    ("b_Q", "bias added to each query", ("1", "d_k")),
    ("b_K", "bias added to each key", ("1", "d_k")),
    ("b_V", "bias added to each value", ("1", "d_v")),
    ("Q", "queries: what each token looks for", ("n", "d_k")),
    ("K", "keys: what each token offers", ("m", "d_k")),
    ("V", "values: what each token passes on", ("m", "d_v")),
    ("S", "scores: every query against every key", ("n", "m")),
    ("Z", "scaled scores", ("n", "m")),
    ("B", "what the mask adds", ("n", "m")),
    ("M", "masked scores", ("n", "m")),
    ("A", "weights: each {line} sums to 1", ("n", "m")),
    ("O", "output: values mixed by the weights", ("n", "d_v")),
    ("C", "outputs of the heads side by side", ("n", "h d_v")),
    ("W_O", "output projection", ("h d_v", "d_model")),
    ("Y", "the answer", ("n", "d_model")),
)


def _symbols(paper: Paper) -> Table:
    """Each symbol that occurs: what it means, its shape here and in general."""
    derivation = paper.derivation
    head = derivation.heads[0]
    shapes = {name: stage.shape for name, stage in head}
    given = derivation.problem.heads[0]
    for name in given.__slots__:
        if matrix := getattr(given, name):
            shapes[name] = matrix.shape
    extra = {"X": paper.problem.X, "X_kv": paper.problem.X_kv, "B": paper.problem.mask.B}
    extra["W_O"] = paper.problem.W_O
    shapes |= {name: g.shape for name, g in extra.items() if g}
    shapes |= {name: s.shape for name, s in (("C", derivation.C), ("Y", derivation.Y)) if s}
    rows = []
    for name, meaning, general in _MEANINGS:
        if name in shapes:
            here = shapes[name][::-1] if paper.turned(name) else shapes[name]
            sides = [_dimension(side) for side in (general[::-1] if paper.turned(name) else general)]
            rows.append(
                (
                    (Math(stage_symbol(name)),),
                    (meaning.format(line=paper.convention.line),),
                    (Math(seq(num(here[0]), "×", num(here[1]))),),
                    (Math(seq(sides[0], "×", sides[1])),),
                )
            )
    return Table((("Symbol",), ("Meaning",), ("Here",), ("In general",)), tuple(rows))


def _dimension(name: str) -> Formula:
    base, _, index = name.partition("_")
    if base.startswith("h "):
        return seq(Sym("h"), _dimension(name[2:]))
    if not index:
        return num(base) if base.isdigit() else Sym(base)
    return Sub(Sym(base), Words(index) if len(index) > 1 else Sym(index))


def _given(paper: Paper) -> list[Block]:
    problem = paper.problem
    blocks: list[Block] = [Heading(1, ("Given",))]
    if problem.note:
        blocks.append(Para((problem.note,)))
    blocks += paper.beside([_named(paper, g) for g in (problem.X, problem.X_kv) if g])
    several = len(problem.heads) > 1
    for number, head in enumerate(problem.heads, 1):
        own = paper.for_head(number if several else None)
        matrices = [getattr(head, name) for name in head.__slots__]
        blocks += own.beside([_named(own, matrix) for matrix in matrices if matrix])
    blocks += paper.beside([_named(paper, g) for g in (problem.mask.B, problem.W_O) if g])
    return blocks


def _named(paper: Paper, given: Given) -> Formula:
    room = paper.options.page.width - layout.width(paper.writing.symbol(given.name), paper.options.page)
    grid = paper.grid(given.name, given.shape, paper.exact_cell(given), room=room - 3)
    return seq(paper.writing.symbol(given.name), "=", grid)


# ------------------------------------------------------------------ the steps of one head


def _head(paper: Paper, head: Head, steps: Iterator[int], *, level: int) -> list[Block]:
    blocks: list[Block] = []

    def section(title: str) -> None:
        blocks.append(Heading(level, (Strong(f"Step {next(steps)}."), f" {title}")))

    projected = [stage for stage in (head.Q, head.K, head.V) if isinstance(stage, Step)]
    if projected:
        section("Project: queries, keys, values")
        for step in projected:
            blocks += _law(paper, step, *_project_words(paper, step))
    if isinstance(head.S, Step):
        section("Score: every query against every key")
        blocks += _law(
            paper, head.S,
            "Each score is the dot product of one token's query with one token's key.",
            _pair(paper, head.S, "{i} → {j}: the query of {i} with the key of {j}."),
        )  # fmt: skip
        blocks += remarks.scores(paper, head.S)
    if not paper.problem.scale.is_none:
        section("Scale: divide by the root of the key width" if paper.problem.scale.is_default
                else "Scale")
        blocks += _law(
            paper, head.Z,
            "Dot products grow with the key width; scaling keeps softmax from saturating."
            if paper.problem.scale.is_default
            else "The scores are multiplied by the factor that the problem gives.",
            _pair(paper, head.Z, "{i} → {j}:"),
        )  # fmt: skip
        blocks += remarks.scaled(paper, head)
    if head.M is not head.Z:
        section("Mask: who may look at whom")
        blocks += _law(
            paper, head.M,
            "The mask is added to the scaled scores; −∞ removes a key, since its exponential is 0.",
            _pair(paper, head.M, "{i} → {j}:"),
        )  # fmt: skip
        blocks += remarks.masked(paper, head)
    section("Softmax: scores become shares")
    blocks += _softmax(paper, head)
    if head.O:
        section("Mix: the values by their weights")
        blocks += _mix(paper, head, head.O)
    return blocks


def _project_words(paper: Paper, step: Step) -> tuple[str, Callable[[int, int], str]]:
    X = step.inputs[0]
    words = {
        "Q": "A query says what a token looks for.",
        "K": "A key says what a token offers.",
        "V": "A value is what a token passes on.",
    }[step.name]
    name = paper.token if step.name == "Q" else paper.token_kv
    line, across = ("row", "column") if paper.convention.tokens == "rows" else ("column", "row")
    first = paper.convention.index_from

    def caption(i: int, j: int) -> str:
        return (
            f"{step.name} of {name(i)}, component {j + first}: the {line} of {name(i)} in "
            f"{X.name.partition('_')[0]} with {across} {j + first} of W."
        )

    return words, caption


def _pair(paper: Paper, step: Step, text: str) -> Callable[[int, int], str]:
    return lambda i, j: text.format(i=paper.token(i), j=paper.token_kv(j))


def _law(
    paper: Paper, step: Step, words: str, caption: Callable[[int, int], str]
) -> list[Block]:
    """What the step does, its law with shapes, entries worked out, and the matrix."""
    blocks: list[Block] = []
    if paper.options.detail != "brief":
        blocks.append(Para((words,)))
    blocks += _workings(paper, step, caption)
    blocks += _matrix(paper, step)
    return blocks


def _workings(
    paper: Paper, step: Step, caption: Callable[[int, int], str]
) -> list[Block]:
    cells = _worked_cells(paper, step)
    if len(cells) == 1:
        ((i, j),) = cells
        return [Para((caption(i, j),)), paper.display(*step.rule.working(step, i, j, paper.writing))]
    blocks: list[Block] = []
    for i, j in cells[:MOST_WORKINGS]:
        left, *rest = step.rule.working(step, i, j, paper.writing)
        one = _on_one_line(left, rest)
        blocks += [Para((caption(i, j),))]
        blocks.append(paper.display(*([one] if paper.fits(one) else [left, *rest])))
    if len(cells) > MOST_WORKINGS:
        left_out = len(cells) - MOST_WORKINGS
        blocks.append(Note((f"The other {left_out} entries of {step.name} are found the same way.",)))
    return blocks


def _on_one_line(first: Line, rest: Sequence[Line]) -> Line:
    parts: list[Formula | str] = [first.right or num(0)]
    for line in rest:
        parts += [line.relation, line.right or num(0)]
    return Line(first.left, first.relation, seq(*parts), first.why)


def _worked_cells(paper: Paper, step: Step) -> list[tuple[int, int]]:
    """Which entries are worked out: none, one that says something, or all."""
    n, m = step.shape
    rows = paper.rows if step.name in ("Q", "S", "Z", "M", "A", "O", "Y") else tuple(range(n))
    match paper.options.detail:
        case "brief":
            return []
        case "full":
            return [(i, j) for i in rows for j in range(m)]
        case _:
            return [(rows[0], _telling_column(paper, step, rows[0]))]


def _telling_column(paper: Paper, step: Step, i: int) -> int:
    """The largest score of a row, or the masked one, or the first column."""
    if step.name == "M":
        hidden = [j for j in range(step.shape[1]) if isinstance(step.value.at(i, j), MinusInfinity)]
        return hidden[0] if hidden else step.shape[1] - 1
    if step.name in ("S", "Z", "A"):
        return min(paper.maxima(step).get(i, {0}))
    if step.name == "O":
        return min(1, step.shape[1] - 1)
    return 0


def _matrix(paper: Paper, step: Step) -> list[Block]:
    """name = law = grid, with the shapes beside it, then decimals where the grid is not rational."""
    writing = paper.writing
    rows = paper.rows if step.name in ("Q", "S", "Z", "M") else None
    symbol = writing.symbol(step.name)
    law = step.rule.law(step, writing)
    maxima = step.name in ("S", "Z", "M")
    page = paper.options.page
    room = page.width - layout.width(seq(symbol, "=", law, "="), page)
    exact = paper.grid(step.name, step.shape, paper.exact_cell(step, maxima=maxima), rows=rows,
                       room=room)
    lines = [Line(symbol, "=", seq(law, "=", exact))]
    blocks: list[Block] = [_shapes(paper, step, law)] if paper.options.detail != "brief" else []
    blocks.append(paper.display(*lines))
    if not step.value.letters and _needs_decimals(paper, step, rows):
        decimals = paper.grid(
            step.name, step.shape, paper.decimal_cell(step, maxima=maxima), rows=rows
        )
        blocks.append(paper.display(Line(symbol, "≈", decimals)))
    return blocks


def _needs_decimals(paper: Paper, stage: Stage, rows: Sequence[int] | None) -> bool:
    grid = paper.writing.rounded(stage)
    chosen = grid if rows is None else [grid[i] for i in rows]
    return any(not isinstance(c, MinusInfinity) and not c.exact for row in chosen for c in row)


def _shapes(paper: Paper, step: Step, law: Formula) -> Para:
    """The law with its shapes: S = Q Kᵀ, 3×3 · 3×3 → 3×3."""
    shapes = [stage.shape for stage in step.inputs[:2]]
    if step.kind == "score":
        shapes[1] = shapes[1][::-1]
    if paper.convention.tokens == "columns":
        shapes = [shape[::-1] for shape in reversed(shapes)]
    result = paper.size(step.shape)
    if step.kind in ("project", "score", "mix", "output"):
        text = " · ".join(f"{n}×{m}" for n, m in shapes) + f" → {result}"
    else:
        text = f"{result} → {result}"
    return Para(
        (Math(seq(paper.writing.symbol(step.name), "=", law)), f", shapes {text}:")
    )


# ------------------------------------------------------------------ softmax and mix


def _softmax(paper: Paper, head: Head) -> list[Block]:
    writing, weights = paper.writing, cast(Weights, head.A.value)
    numeric = not weights.letters
    line = paper.convention.line
    blocks: list[Block] = []
    if paper.options.detail != "brief":
        blocks.append(
            Para(
                (
                    f"In each {line}: exponentials, their sum, then each exponential over the sum. "
                    f"No {line} looks at another.",
                )
            )
        )
    E, M = writing.symbol("E"), writing.symbol(head.A.inputs[0].name)
    page = paper.options.page
    room = page.width - layout.width(seq(E, "=", Power(Sym("e"), M), "="), page)
    exponentials = paper.grid(
        "E", weights.shape, lambda i, j: writing.exp_sum(weights.exponentials[i][j])
        if weights.exponentials[i][j].is_number else writing.exp(weights.M.at(i, j)),
        rows=paper.rows, room=room,
    )  # fmt: skip
    blocks.append(paper.display(Line(E, "=", seq(Power(Sym("e"), M), "=", exponentials))))
    if numeric:
        decimals = weights.rounded_exponentials(writing.rounding)
        blocks.append(
            paper.display(
                Line(E, "≈", paper.grid(
                    "E", weights.shape, lambda i, j: writing.decimal(decimals[i][j]),
                    rows=paper.rows))
            )
        )  # fmt: skip
    blocks += _row_sums(paper, weights, numeric)
    blocks += _workings(paper, head.A, _pair(paper, head.A, "The share of {j} in what {i} reads:"))
    blocks += _weights(paper, head.A, weights)
    if numeric:
        blocks.append(
            paper.display(
                Line(writing.symbol("A"), writing.relation(
                    *(c for i in paper.rows for c in writing.rounded(head.A)[i])),
                    paper.grid("A", weights.shape, paper.decimal_cell(head.A, maxima=True),
                               rows=paper.rows))
            )
        )  # fmt: skip
        blocks += _heatmap(paper, head)
    blocks += remarks.weights(paper, head)
    return blocks


def _row_sums(paper: Paper, weights: Weights, numeric: bool) -> list[Block]:
    """r_i, one line each, with its decimals."""
    writing = paper.writing
    sums = weights.rounded_row_sums(writing.rounding) if numeric else ()
    lines = []
    for k in layout.pick(len(paper.rows), paper.options.page.rows):
        if k is None:
            lines.append(Line(Sym("⋮"), "", None))
            continue
        i = paper.rows[k]
        parts: list[Formula | str] = [writing.row_sum(weights, i)]
        if numeric and not (sums[i].exact and parts == [writing.decimal(sums[i])]):
            parts += [writing.relation(sums[i]), writing.decimal(sums[i])]
        why = f"{paper.convention.line} {paper.token(i)}"
        lines.append(Line(writing.indexed(Sym("r"), i), "=", seq(*parts), why))
    return [paper.display(*lines)]


def _weights(paper: Paper, step: Step, weights: Weights) -> list[Block]:
    """A exactly: written out where that fits, else over the named row sums."""
    if not paper.options.exact:
        return []
    writing = paper.writing
    symbol = writing.symbol("A")
    law = step.rule.law(step, writing)
    best = paper.maxima(step)
    page = paper.options.page
    room = page.width - layout.width(seq(symbol, "=", law, "="), page)

    def cell(named: bool) -> Callable[[int, int], Formula]:
        def one(i: int, j: int) -> Formula:
            rational = Mixture(weights, None).rational(i, j)
            if rational is not None:
                return writing.rational(rational)
            return paper.marked(writing.weight(weights, i, j, named=named), j in best.get(i, ()))

        return one

    if weights.shape[1] <= 8:
        full = paper.grid("A", weights.shape, cell(False), rows=paper.rows, room=1e9)
        line = Line(symbol, "=", seq(law, "=", full))
        if paper.fits(line):
            return [paper.display(line)]
    short = paper.grid("A", weights.shape, cell(True), rows=paper.rows, room=room)
    return [paper.display(Line(symbol, "=", seq(law, "=", short)))]


def _heatmap(paper: Paper, head: Head) -> list[Block]:
    n, m = len(paper.rows), head.A.shape[1]
    if max(n, m) > MOST_HEATMAP or paper.options.detail == "brief" or n == 1:
        return []
    decimals = paper.writing.rounded(head.A)
    cells = tuple(
        tuple(
            (float(cell.fraction), str(cell)) if not isinstance(cell, MinusInfinity) else (0.0, "")
            for cell in decimals[i]
        )
        for i in paper.rows
    )
    return [
        Heatmap(
            "Who looks at whom: each row is a query, each column a key.",
            tuple(paper.token(i) for i in paper.rows),
            tuple(paper.token_kv(j) for j in range(m)),
            cells,
        )
    ]


def _mix(paper: Paper, head: Head, step: Step) -> list[Block]:
    writing = paper.writing
    blocks: list[Block] = []
    if paper.options.detail != "brief":
        blocks.append(
            Para(("Each token's output is the sum of all value rows, each taken by its weight.",))
        )
        blocks += _weighted_rows(paper, head, step)
    first = paper.convention.index_from
    blocks += _workings(
        paper, step,
        lambda i, j: f"Component {j + first} of the output of {paper.token(i)}:",
    )  # fmt: skip
    symbol, law = writing.symbol("O"), step.rule.law(step, writing)
    page = paper.options.page
    room = page.width - layout.width(seq(symbol, "=", law, "="), page)
    if paper.options.exact or step.value.letters:
        for named in (False, True):
            cell = _mixture_cell(paper, head, named)
            grid = paper.grid(
                "O", step.shape, cell, rows=paper.rows, room=1e9 if not named else room
            )
            line = Line(symbol, "=", seq(law, "=", grid))
            if named or (head.A.shape[1] <= 8 and paper.fits(line)):
                blocks.append(paper.display(line))
                break
    if not step.value.letters:
        decimals = writing.rounded(step)
        relation = writing.relation(*(c for i in paper.rows for c in decimals[i]))
        grid = paper.grid("O", step.shape, paper.decimal_cell(step), rows=paper.rows)
        blocks.append(paper.display(Line(symbol, relation, grid)))
    blocks += remarks.outputs(paper, head, step)
    return blocks


def _mixture_cell(paper: Paper, head: Head, named: bool) -> Callable[[int, int], Formula]:
    """O_ij exactly, its numerator in the order of the keys; a rational value as itself."""
    writing, weights = paper.writing, cast(Weights, head.A.value)
    assert head.V and head.O
    V, mixture = head.V.value, cast(Mixture, head.O.value)

    def cell(i: int, j: int) -> Formula:
        if (rational := mixture.rational(i, j)) is not None:
            return writing.rational(rational)
        terms = []
        for k in range(weights.shape[1]):
            exponent, value = weights.M.at(i, k), V.at(k, j)
            if not isinstance(exponent, MinusInfinity):
                terms.append((value, writing.exp(exponent)))  # type: ignore[arg-type]
        top = writing.weighted_sum(terms)  # type: ignore[arg-type]
        bottom = writing.indexed(Sym("r"), i) if named else writing.row_sum(weights, i)
        return num(0) if top == num(0) else Frac(top, bottom)

    return cell


def _weighted_rows(paper: Paper, head: Head, step: Step) -> list[Block]:
    """o = A_1 · v_1 + A_2 · v_2 + …, for the first row that is worked out."""
    assert head.V
    writing = paper.writing
    i = paper.rows[0]
    keys = range(head.A.shape[1])
    terms = []
    for k in keys:
        row = paper.grid("V", head.V.shape, paper.exact_cell(head.V), rows=[k], labelled=False)
        share = (
            writing.entry(writing.symbol("A"), i, k)
            if step.value.letters
            else writing.decimal(writing.rounded(head.A)[i][k])
        )
        terms.append(seq(share, row))
    left = Sub(Sym("o", bold=True), Words(paper.token(i)))
    relation = "=" if step.value.letters else writing.relation(*writing.rounded(head.A)[i])
    line = Line(left, relation, elided_sum(terms, longest=5))
    return [paper.display(line)] if paper.scale([line]) > paper.options.page.smallest else []


# ------------------------------------------------------------------ after the heads


def _concat(paper: Paper, step: Step) -> list[Block]:
    blocks: list[Block] = []
    if paper.options.detail != "brief":
        blocks.append(Para(("The outputs of the heads stand side by side.",)))
    symbol, law = paper.writing.symbol("C"), step.rule.law(step, paper.writing)
    if step.value.letters:
        blocks.append(paper.display(Line(symbol, "=", law)))
        return blocks
    decimals = paper.writing.rounded(step)
    relation = paper.writing.relation(*(c for i in paper.rows for c in decimals[i]))
    grid = paper.grid("C", step.shape, paper.decimal_cell(step), rows=paper.rows,
                      room=paper.options.page.width - 14)
    blocks.append(paper.display(Line(symbol, "=", seq(law, relation, grid))))
    return blocks


def _output(paper: Paper, step: Step, number: int | None) -> list[Block]:
    blocks: list[Block] = []
    if number is not None:
        blocks.append(Heading(1, (Strong(f"Step {number}."), " Project the output")))
    first = paper.convention.index_from
    if paper.options.detail != "brief":
        blocks.append(Para(("The output projection brings the result back to the model's width.",)))
    blocks += _workings(
        paper, step, lambda i, j: f"Component {j + first} of the answer for {paper.token(i)}:"
    )
    symbol, law = paper.writing.symbol("Y"), step.rule.law(step, paper.writing)
    if paper.options.detail != "brief":
        blocks.append(_shapes(paper, step, law))
    if step.value.letters:
        blocks.append(paper.display(Line(symbol, "=", law)))
        return blocks
    decimals = paper.writing.rounded(step)
    relation = paper.writing.relation(*(c for i in paper.rows for c in decimals[i]))
    grid = paper.grid("Y", step.shape, paper.decimal_cell(step), rows=paper.rows,
                      room=paper.options.page.width - 10)
    blocks.append(paper.display(Line(symbol, "=", seq(law, relation, grid))))
    return blocks


def _summary(paper: Paper) -> list[Block]:
    """The method once more, a line a step."""
    derivation, writing = paper.derivation, paper.writing
    head = derivation.heads[0]
    several = len(derivation.heads) > 1
    own = paper.for_head(None)
    items: list[tuple[Inline, ...]] = []

    def item(name: str, *text: Inline) -> None:
        items.append((Strong(name), " ", *text))

    X = paper.problem.X
    if X:
        item("Embed.", "The tokens are the ", paper.convention.line + "s of ", Math(Sym("X")),
             f" ({paper.size(X.shape)}).")  # fmt: skip
    projected = [stage for stage in (head.Q, head.K, head.V) if isinstance(stage, Step)]
    if projected:
        laws: list[Inline] = []
        for step in projected:
            laws += [", "] if laws else []
            laws.append(Math(seq(Sym(step.name), "=", step.rule.law(step, own.writing))))
        item("Project.", *laws, ".")
    if isinstance(head.S, Step):
        item("Score.", Math(seq(Sym("S"), "=", head.S.rule.law(head.S, own.writing))),
             ": every query against every key.")  # fmt: skip
    if not paper.problem.scale.is_none:
        item("Scale.", Math(seq(Sym("Z"), "=", head.Z.rule.law(head.Z, own.writing))), ".")
    if head.M is not head.Z:
        item("Mask.", Math(seq(Sym("M"), "=", head.M.rule.law(head.M, own.writing))), ".")
    item("Softmax.", Math(seq(Sym("A"), "=", head.A.rule.law(head.A, own.writing))),
         f": each {paper.convention.line} sums to exactly 1.")  # fmt: skip
    if head.O:
        item("Mix.", Math(seq(Sym("O"), "=", head.O.rule.law(head.O, own.writing))), ".")
    if derivation.C:
        item("Join.", f"The {len(derivation.heads)} heads stand side by side in ",
             Math(Sym("C")), ".")  # fmt: skip
    if derivation.Y:
        item("Project back.", Math(seq(Sym("Y"), "=", derivation.Y.rule.law(derivation.Y, writing))),
             ".")  # fmt: skip
    blocks: list[Block] = [Heading(1, ("Summary",)), Items(tuple(items), numbered=True)]
    answer = derivation.answer
    if not answer.value.letters and not several or derivation.Y:
        name = answer.name
        decimals = writing.rounded(answer) if not answer.value.letters else None
        if decimals:
            relation = writing.relation(*(c for i in paper.rows for c in decimals[i]))
            grid = paper.grid(name, answer.shape, paper.decimal_cell(answer), rows=paper.rows)
            blocks.append(paper.display(Line(writing.symbol(name), relation, grid)))
    return blocks


def _code(paper: Paper) -> list[Block]:
    blocks: list[Block] = [Heading(1, ("The same in code",))]
    for library, source in program(paper.derivation.problem):
        blocks += [Para((f"With {library}:",)), Code("python", source)]
    return blocks
