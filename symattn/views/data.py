"""A derivation as plain data, for `--json`: the schema is `derivation.schema.json` beside this."""

from __future__ import annotations

from typing import Any, Final

from symattn.derivation import Derivation, Stage, Step
from symattn.exact.matrix import MinusInfinity
from symattn.exact.mixture import Weights
from symattn.exact.plain import plain
from symattn.exact.quotient import Quotient
from symattn.exact.rounding import Rounded, Rounding
from symattn.problem import Given, Scale

EVERY_STAGE: Final = "QKVSZMAOCY"
SCHEMA: Final = "symattn/derivation/1"


def data(
    derivation: Derivation, rounding: Rounding = Rounding(), *, letters: str = EVERY_STAGE
) -> dict[str, Any]:
    """Every stage with its kind, inputs, shape, exact entries and proved decimals.

    Exact entries are in SymPy's syntax. Decimals are null where letters have no value. Of the
    steps only those with these letters are told, and what they come from.
    """
    problem = derivation.problem
    names = {id(stage): _id(head, name) for head, name, stage in derivation}
    steps: list[dict[str, Any]] = []
    for head, name, stage in derivation:
        if isinstance(stage, Step) and name not in letters:
            continue
        if isinstance(stage, Step):
            for source in stage.inputs:
                if id(source) not in names:
                    names[id(source)] = _id(_head_of(derivation, source), source.name)
                    steps.append(_stage(source, names, _head_of(derivation, source), rounding))
        steps.append(_stage(stage, names, head, rounding, name))
    return {
        "schema": SCHEMA,
        "problem": {
            "name": problem.name,
            "title": problem.title,
            "tokens": list(problem.tokens),
            "tokens_kv": list(problem.tokens_kv),
            "heads": len(problem.heads),
            "mask": problem.mask.kind,
            "scale": _scale(problem.scale),
        },
        "rounding": {
            "places": rounding.places if rounding.figures is None else None,
            "figures": rounding.figures,
            "ties": rounding.ties,
        },
        "steps": steps,
        "answer": names[id(derivation.answer)] if derivation.answer.name in letters else None,
    }


def _id(head: int | None, name: str) -> str:
    return name if head is None else f"{name}.{head}"


def _head_of(derivation: Derivation, source: Stage) -> int | None:
    """The head a given matrix belongs to, or None for one that all heads share."""
    for number, head in enumerate(derivation.problem.heads, 1):
        if any(getattr(head, name) is source for name in head.__slots__):
            return number
    return None


def _scale(scale: Scale) -> str:
    return "1/sqrt(d_k)" if scale.factor is None else plain(scale.factor)


def _stage(
    stage: Stage,
    names: dict[int, str],
    head: int | None,
    rounding: Rounding,
    letter: str = "",
) -> dict[str, Any]:
    n, m = stage.shape
    value = stage.value
    out: dict[str, Any] = {
        "id": names[id(stage)],
        "name": letter or stage.name,
        "head": head,
        "kind": "given" if isinstance(stage, Given) else stage.kind,
        "inputs": [] if isinstance(stage, Given) else [names[id(s)] for s in stage.inputs],
        "shape": [n, m],
        "exact": [[plain(value.at(i, j)) for j in range(m)] for i in range(n)],
    }
    grid = None if value.letters else value.rounded(rounding)
    out["decimals"] = grid and [[_digits(cell) for cell in row] for row in grid]
    out["decimals_are_exact"] = grid and [
        [isinstance(cell, MinusInfinity) or cell.exact for cell in row] for row in grid
    ]
    if isinstance(value, Weights):
        out["exponentials"] = [[plain(Quotient.of(e)) for e in row] for row in value.exponentials]
        out["row_sums"] = [plain(Quotient.of(r)) for r in value.row_sums]
    return out


def _digits(cell: Rounded | MinusInfinity) -> str:
    return "-oo" if isinstance(cell, MinusInfinity) else str(cell)
