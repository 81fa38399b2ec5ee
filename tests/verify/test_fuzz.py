"""Mutated inputs: only the reader's own error, never slow, nothing run."""

from __future__ import annotations

import json
import random
import time
from contextlib import suppress
from pathlib import Path

import pytest

from symattn.verify.reading.formats import FORMATS, read
from symattn.verify.reading.refusal import Refusal

HERE = Path(__file__).parent
BITS = (
    "{", "}", "(", ")", "[", "]", "\\frac", "\\sqrt", "^", "_", "&", "\\\\", "%", "$", "|", ",",
    ";", "=", "≈", "→", "\n", "e", "-", "−", ".", "..", "1", "0", "∞", "\\begin{bmatrix}",
    "\\end{bmatrix}", "\\left", "\\right", '"', "'", "#", "`", "*", "\0", "\t", "é", "½", "²", "٣",
    "１", "nan", "inf", "True", "null", "- ", ": ", "&a ", "*a", "!!python/object:os.system ", "{{",
    "}}", "\\text{", "\\over", "\\cr", "\\", "~", "<", ">", "masked", "?", "…", "\\ldots",
    "\\hline", "float(", "array(", "tensor(", "__import__('os').system('touch CANARY')",
)  # fmt: skip
"""What is put into the texts."""


def seeds() -> list[tuple[str, str]]:
    lines = (HERE / "inputs.tsv").read_text("utf-8").rstrip("\n").split("\n")[1:]
    found = [(json.loads(line.split("\t")[3]), line.split("\t")[2]) for line in lines]
    for block in (HERE / "notations.txt").read_text("utf-8").split("\n@@ ")[1:]:
        text = block.partition("\n")[2]
        found += [(text, "plain"), (text, "markdown")]
    return [(text, format) for text, format in found if len(text) < 3000]


def mutated(text: str, texts: list[tuple[str, str]], rng: random.Random) -> str:
    for _ in range(rng.randint(1, 4)):
        i = rng.randint(0, len(text))
        j = min(len(text), i + rng.randint(0, 6))
        match rng.randint(0, 5):
            case 0:
                text = text[:i] + rng.choice(BITS) + text[i:]
            case 1:
                text = text[:i] + text[j:]
            case 2:
                text = text[:i] + rng.choice(BITS) + text[j:]
            case 3:
                text = text[:i] + rng.choice(texts)[0][: rng.randint(0, 40)] + text[i:]
            case 4:
                text = text[:j] + text[i:j] * rng.randint(1, 20) + text[j:]
            case _:
                text = text[:i][::-1] + text[i:]
    return text


def campaign(count: int, seed: int) -> None:
    rng, texts = random.Random(seed), seeds()
    for _ in range(count):
        text, format = rng.choice(texts)
        text = mutated(text, texts, rng)
        if rng.random() < 0.1:
            format = rng.choice(list(FORMATS))
        start = time.process_time()
        with suppress(Refusal):
            read(text, format)
        assert time.process_time() - start < 1, (format, text)


def test_mutated_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    campaign(3000, 1)
    assert not list(tmp_path.iterdir()), "something was run"


@pytest.mark.slow
def test_a_hundred_thousand_mutated_inputs(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    campaign(100_000, 2)
    assert not list(tmp_path.iterdir()), "something was run"


@pytest.mark.parametrize("format", FORMATS)
@pytest.mark.parametrize(
    "text", ["(" * 100_000, "{" * 100_000, "[" * 100_000, "1+" * 60_000, "x" * 300_000,
             "\\frac" * 20_000, "9" * 5000, "-" * 100_000, "^" * 50_000, "e^" * 50_000]
)  # fmt: skip
def test_large_inputs_are_refused_at_once(format: str, text: str) -> None:
    start = time.process_time()
    with pytest.raises(Refusal):
        read(text, format)
    assert time.process_time() - start < 1.5
