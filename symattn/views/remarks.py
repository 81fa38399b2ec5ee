"""What a good teacher would remark, found from the numbers."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Final, cast

from symattn.derivation import Head, Stage, Step
from symattn.document import Block, Math, Note, Text
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Mixture, Weights
from symattn.exact.order import largest_in_row
from symattn.exact.rounding import Rounded, Rounding, positional, round_rational
from symattn.formula import product
from symattn.views.paper import Paper

MOST_ROWS: Final = 6
"""Rows that are remarked on one by one."""
DOMINANT: Final = Fraction(1, 2)
"""A weight above this dominates its row."""


def _quiet(paper: Paper, stage: Stage) -> bool:
    return bool(stage.value.letters) or paper.is_brief


def _list(words: Sequence[str]) -> str:
    """a, b and c."""
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def scores(paper: Paper, S: Step) -> list[Block]:
    """Whom each token scores highest; ties; rows that are the same throughout."""
    if _quiet(paper, S):
        return []
    sentences = []
    for i in paper.rows[:MOST_ROWS]:
        columns, finite = largest_in_row(S.value, i)
        value = paper.writing.cell(S, i, min(columns))
        names = _list([paper.quoted_kv(j) for j in sorted(columns)])
        who = paper.quoted(i)
        if len(columns) == finite > 1:
            sentences.append((f"{who} scores every key the same (", Math(value), "). "))
        elif len(columns) > 1:
            sentences.append((f"{who} scores {names} highest, a tie (", Math(value), "). "))
        elif finite > 1:
            sentences.append((f"{who} scores {names} highest (", Math(value), "). "))
    text = tuple(part for sentence in sentences for part in sentence)
    return [Note(_trimmed(text))] if text else []


def scaled(paper: Paper, head: Head) -> list[Block]:
    """Scaling by a positive factor keeps the order; a negative one turns it round."""
    if _quiet(paper, head.Z):
        return []
    before = [largest_in_row(head.S.value, i)[0] for i in paper.rows]
    after = [largest_in_row(head.Z.value, i)[0] for i in paper.rows]
    line = paper.convention.line
    if before == after:
        text = (
            f"The largest entry of each {line} stays the largest: "
            "scaling only changes how sharp the softmax will be."
        )
    else:
        text = (
            f"The factor is not positive: the largest entry of a {line} does not stay the largest."
        )
    return [Note((text,))]


def masked(paper: Paper, head: Head) -> list[Block]:
    """What the mask removed, token by token."""
    if paper.is_brief:
        return []
    weights = cast(Weights, head.A.value)
    m = weights.shape[1]
    hidden = {
        i: [j for j in range(m) if isinstance(weights.M.at(i, j), MinusInfinity)]
        for i in paper.rows
    }
    count = sum(map(len, hidden.values()))
    if not count:
        return [Note(("Nothing is hidden: the mask only leans towards some keys.",))]
    columns = {tuple(found) for found in hidden.values()}
    pairs = f"{count} of {len(paper.rows) * m} pairs"
    if len(columns) == 1 and len(paper.rows) > 1:
        (same,) = columns
        names = _list([paper.quoted_kv(j) for j in same])
        return [Note((f"The mask removes {pairs}: nobody looks at {names}.",))]
    told = [
        f"{paper.quoted(i)} does not see {_list([paper.quoted_kv(j) for j in found])}"
        for i, found in list(hidden.items())[:MOST_ROWS]
        if found and len(found) <= MOST_ROWS
    ]
    return [Note((f"The mask removes {pairs}" + (f": {'; '.join(told)}." if told else "."),))]


def weights(paper: Paper, head: Head) -> list[Block]:
    """Row sums of exactly 1, rounded rows that do not show it, uniform and dominated rows."""
    if paper.is_brief:
        return []
    line = paper.convention.line
    value = cast(Weights, head.A.value)
    if value.letters:
        return [Note((f"Each {line} sums to exactly 1, whatever the letters stand for.",))]
    text: list[str] = []
    if all(value.sees_any(i) for i in paper.rows):
        text.append(f"Each {line} sums to exactly 1.")
    text += [_uniform(paper, head, i) for i in paper.rows[:MOST_ROWS]]
    text += [_rounded_sum(paper, head, i) for i in paper.rows[:MOST_ROWS]]
    return [Note((" ".join(filter(None, text)),))]


def _uniform(paper: Paper, head: Head, i: int) -> str:
    columns, finite = largest_in_row(head.A.value, i)
    if not finite:
        return f"{paper.quoted(i)} sees nobody, so its weights are 0 by the chosen convention."
    if finite == 1:
        return f"{paper.quoted(i)} sees only {paper.quoted_kv(min(columns))}, so that weight is 1."
    if len(columns) == finite:
        return f"{paper.quoted(i)} has equal scores, so each weight is exactly 1/{finite}."
    return ""


def _rounded_sum(paper: Paper, head: Head, i: int) -> str:
    """Why printed weights may sum to 0.999."""
    row = [c for c in paper.writing.rounded(head.A)[i] if isinstance(c, Rounded)]
    total = sum((c.fraction for c in row), Fraction(0))
    if total == 1 or not any(c.coefficient for c in row):
        return ""
    places = max(-c.exponent for c in row)
    shown = round_rational(total, Rounding(max(places, 0)))
    return (
        f"The rounded weights of {paper.quoted(i)} sum to {shown}: each is rounded by itself, "
        "and the small errors add up."
    )


def outputs(paper: Paper, head: Head, O: Step) -> list[Block]:  # noqa: E741
    """Whose value dominates, which term makes most of a component, and the range of V."""
    if _quiet(paper, O):
        return []
    assert head.V
    blocks: list[Block] = []
    for i in paper.rows[:MOST_ROWS]:
        if text := _dominated(paper, head, O, i):
            blocks.append(Note(text))
    if text := _carried(paper, head, O):
        blocks.append(Note(text))
    if isinstance(O.value, Mixture) and all(
        cast(Weights, head.A.value).sees_any(i) for i in paper.rows
    ):
        blocks.append(
            Note(
                (
                    "Every component of an output lies between the smallest and the largest entry "
                    f"of its {_other(paper)} of V: weights are positive and sum to 1.",
                )
            )
        )
    return blocks


def _other(paper: Paper) -> str:
    return "column" if paper.convention.tokens == "rows" else "row"


def _dominated(paper: Paper, head: Head, O: Step, i: int) -> Text:  # noqa: E741
    shares = paper.writing.rounded(head.A)[i]
    columns, finite = largest_in_row(head.A.value, i)
    if len(columns) != 1 or finite < 2:
        return ()
    (j,) = columns
    share = shares[j]
    if not isinstance(share, Rounded) or share.fraction <= DOMINANT:
        return ()
    text: Text = (
        f"The output of {paper.quoted(i)} is dominated by the value of {paper.quoted_kv(j)} (",
        Math(paper.writing.scalar(share)),
        ").",
    )
    return text + _main_term(paper, head, O, i, j)


def _main_term(paper: Paper, head: Head, O: Step, i: int, j: int) -> Text:  # noqa: E741
    """The component of row i in which the value of j weighs most, if it makes most of one."""
    assert head.V
    share = _size(paper.writing.rounded(head.A)[i][j])
    best, column = Fraction(0), None
    for c, result in enumerate(paper.writing.rounded(O)[i]):
        terms = [
            abs(_size(weight) * _size(row[c]))
            for weight, row in zip(
                paper.writing.rounded(head.A)[i], paper.writing.rounded(head.V), strict=True
            )
        ]
        margin = 2 * terms[j] - sum(terms)
        if margin > best and _size(result):
            best, column = margin, c
    if column is None or not share:
        return ()
    result = paper.writing.rounded(O)[i][column]
    share_formula = paper.writing.scalar(paper.writing.rounded(head.A)[i][j])
    return (
        f" Its component {column + paper.convention.index_from} (",
        Math(paper.writing.scalar(result)),
        ") is mostly ",
        Math(product(share_formula, paper.writing.cell(head.V, j, column))),
        ".",
    )


def _size(cell: Rounded | MinusInfinity) -> Fraction:
    return cell.fraction if isinstance(cell, Rounded) else Fraction(0)


def _carried(paper: Paper, head: Head, O: Step) -> Text:  # noqa: E741
    """Where the rounded weights would give other last digits than the true weights do."""
    assert head.V
    if (isinstance(O.value, Mixture) and not O.value.is_plain) or paper.options.rounding.figures:
        return ()
    V = head.V.value
    for i in paper.rows[:MOST_ROWS]:
        shares = paper.writing.rounded(head.A)[i]
        for c, result in enumerate(paper.writing.rounded(O)[i]):
            carried = Fraction(0)
            for share, k in zip(shares, range(V.shape[0]), strict=True):
                value = V.at(k, c)
                if not isinstance(share, Rounded) or isinstance(value, MinusInfinity):
                    return ()
                carried += share.fraction * value.rational  # type: ignore[union-attr]
            shown = round_rational(carried, paper.options.rounding)
            if isinstance(result, Rounded) and shown.fraction != result.fraction:
                first = paper.convention.index_from
                return (
                    f"Working on with the rounded weights gives {shown} for component "
                    f"{c + first} of {paper.quoted(i)}; the true digits are "
                    f"{positional(result.coefficient, result.exponent)}. "
                    "Keep more digits than you write down.",
                )
    return ()


def _trimmed(text: Text) -> Text:
    *most, last = text
    return (*most, last.rstrip()) if isinstance(last, str) else text
