"""The golden cases, which are also the specification of the writers."""

from __future__ import annotations

import os
from typing import Any, get_args

import cases
import pytest

from symattn.document import Block
from symattn.formula import Formula
from symattn.writers import WRITERS, Options
from symattn.writers.latex import PageMath
from symattn.writers.markdown import MarkdownMath
from symattn.writers.text_math import TextMath
from symattn.writers.typst_math import TypstMath

FORMULAS = {"latex": PageMath, "markdown": MarkdownMath, "typst": TypstMath}


def written(tree: Any, format: str) -> str:
    if isinstance(tree, get_args(Block)):
        return WRITERS[format](Options()).block(tree).replace("\xa0", " ")
    if format == "text":
        return "\n".join(line.rstrip() for line in TextMath().formula(tree).lines)
    return str(FORMULAS[format]().formula(tree))


if os.environ.get("UPDATE_GOLDEN"):
    for file in sorted(cases.FOLDER.glob("*.md")):
        cases.update(file, written)

CASES = cases.every_case()


def test_there_are_cases() -> None:
    files = sorted(cases.FOLDER.glob("*.md"))
    assert files
    for file in files:
        assert list(cases.read(file)), f"{file.name} has no case"


@pytest.mark.parametrize("case", CASES, ids=str)
def test_golden(case: cases.Case) -> None:
    assert case.source.strip() and case.expected, "a case needs an expression and an expectation"
    for format, expected in case.expected.items():
        assert written(case.tree, format) + "\n" == expected, format


def test_every_kind_of_node_has_a_case() -> None:
    sources = " ".join(case.source for case in CASES)
    kinds = get_args(Formula) + get_args(Block)
    builders = {"Num": "num(", "Op": 'seq("', "Seq": "Seq("}
    missing = [
        k.__name__ for k in kinds if builders.get(k.__name__, k.__name__ + "(") not in sources
    ]
    assert not missing
