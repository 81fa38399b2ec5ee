"""`--json`: valid against its schema, and the same numbers that everything else shows."""

from __future__ import annotations

import json
from importlib import resources

import jsonschema
import pytest
import sympy

from symattn import derive, load
from symattn.exact.rounding import Rounding
from symattn.reading.problem_file import builtin_names
from symattn.views.data import data

SCHEMA = json.loads((resources.files("symattn.views") / "derivation.schema.json").read_text())
NAMES = {name: getattr(sympy, name) for name in ("sqrt", "log", "exp", "Rational", "oo")}


@pytest.mark.parametrize("name", builtin_names())
def test_schema(name: str) -> None:
    jsonschema.Draft202012Validator.check_schema(SCHEMA)
    found = data(derive(load(name)))
    jsonschema.validate(found, SCHEMA)
    ids = [step["id"] for step in found["steps"]]
    assert len(set(ids)) == len(ids)
    for position, step in enumerate(found["steps"]):
        assert set(step["inputs"]) <= set(ids[:position]), step["id"]
        assert len(step["exact"]) == step["shape"][0]
        assert all(len(row) == step["shape"][1] for row in step["exact"])
    assert found["answer"] in ids


def test_the_schema_can_fail() -> None:
    found = data(derive(load("i-love-ai")))
    found["steps"][0]["kind"] = "guess"
    with pytest.raises(jsonschema.ValidationError):
        jsonschema.validate(found, SCHEMA)


@pytest.mark.parametrize("name", ["i-love-ai", "two-heads", "logs", "causal"])
def test_exact_entries_are_sympy_and_agree_with_the_decimals(name: str) -> None:
    found = data(derive(load(name)), Rounding(places=12))
    for step in found["steps"]:
        for row, digits in zip(step["exact"], step["decimals"], strict=True):
            for exact, decimal in zip(row, digits, strict=True):
                value = sympy.sympify(exact, locals=NAMES)
                if decimal == "-oo":
                    assert value == -sympy.oo
                else:
                    assert abs(sympy.N(value, 30) - sympy.Rational(decimal)) < sympy.Rational(
                        6, 10**13
                    )
