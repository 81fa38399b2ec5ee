"""`symattn worksheet`, `recipes` and `reproduce` as a teacher meets them."""

from __future__ import annotations

import io
import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import jsonschema
import pypdf
import pytest
from click.testing import CliRunner

from symattn.cli import cli
from symattn.errors import SymattnError
from symattn.generate.recipes import RECIPES

SCHEMA = Path(__file__).parent.parent / "symattn" / "views" / "exercise.schema.json"


def symattn(*arguments: str) -> tuple[str, str]:
    """Output and messages of a command in this process; its errors as exceptions."""
    done = CliRunner().invoke(cli, list(arguments), catch_exceptions=False, standalone_mode=False)
    if done.exception:
        raise done.exception
    return done.stdout, done.stderr


def refused(*arguments: str) -> SymattnError:
    with pytest.raises(SymattnError) as error:
        symattn(*arguments)
    return error.value


def files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.iterdir()}


def test_a_sheet_comes_with_its_key_its_solution_and_its_marking_key(tmp_path: Path) -> None:
    _, said = symattn("worksheet", "full-attention", "--seed", "3", "-o", str(tmp_path))
    names = sorted(files(tmp_path))
    assert [name.rsplit("-", 1)[1] for name in names] == [
        "key.pdf", "marking.pdf", "sheet.pdf", "solution.pdf",
    ]  # fmt: skip
    id = names[0].removesuffix("-key.pdf")
    assert id in said
    assert "4 files" in said
    for data in files(tmp_path).values():
        assert id in pypdf.PdfReader(io.BytesIO(data)).pages[0].extract_text()


@pytest.mark.parametrize("format", ["markdown", "latex", "html", "text", "typst", "gfm"])
def test_other_formats(tmp_path: Path, format: str) -> None:
    symattn("worksheet", "scores", "--seed", "3", "--fade", f"--{format}", "-o", str(tmp_path))
    found = files(tmp_path)
    assert len(found) == 5
    assert all(data.decode() for data in found.values())


def test_reproduce_gives_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    asked = ["--level", "3", "--places", "4", "--range", "-2", "2", "--seed", "99"]
    symattn("worksheet", "causal-mask", *asked, "-o", str(tmp_path / "one"))
    first = files(tmp_path / "one")
    id = next(iter(first)).rsplit("-", 1)[0]
    again = [sys.executable, "-m", "symattn", "reproduce", id, "-o", str(tmp_path / "two")]
    subprocess.run(again, check=True, env=os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"})
    assert files(tmp_path / "two") == first


def test_nothing_is_overwritten_unasked(tmp_path: Path) -> None:
    asked = ["worksheet", "scores", "--seed", "3", "--text", "-o", str(tmp_path)]
    symattn(*asked)
    before = files(tmp_path)
    spoilt = next(tmp_path.glob("*-key.txt"))
    spoilt.write_text("mine")
    error = refused(*asked)
    assert "would be overwritten" in error.message
    assert "--resume" in error.hint
    assert spoilt.read_text() == "mine"
    symattn(*asked, "--force")
    assert files(tmp_path) == before


def test_resume_makes_only_what_is_missing(tmp_path: Path) -> None:
    asked = ["worksheet", "scores", "--seed", "3", "--count", "5", "--text", "-o", str(tmp_path)]
    symattn(*asked)
    before = files(tmp_path)
    assert len(before) == 6
    kept = sorted(tmp_path.iterdir())[0]
    kept.write_text("kept")
    for path in sorted(tmp_path.iterdir())[3:]:
        path.unlink()
    _, said = symattn(*asked, "--resume")
    assert "wrote 3 files" in said
    assert files(tmp_path) == before | {kept.name: b"kept"}


def test_every_student_gets_a_sheet_and_one_key_is_for_all(tmp_path: Path) -> None:
    roster = tmp_path / "names.csv"
    hostile = "<b>Bob</b> $x$ #let \\input{a}"
    roster.write_text(f'id,name\n1,Ada Lovelace\n2,"Turing, Alan"\n3,李雷\n4,{hostile}\n', "utf-8")
    folder = tmp_path / "class"
    symattn("worksheet", "scores", "--seed", "3", "--roster", str(roster), "-o", str(folder))
    found = files(folder)
    assert len(found) == 5
    texts = {
        name: "".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)
        for name, data in found.items()
    }
    (ada,) = (name for name in found if name.startswith("1-ada-lovelace-scores-"))
    assert "for Ada Lovelace" in texts[ada]
    assert any("Turing, Alan" in text for text in texts.values())
    assert any(hostile in text for text in texts.values())
    (key,) = (name for name in found if name.endswith("-key.pdf"))
    ids = [name.partition("scores-")[2].removesuffix("-sheet.pdf") for name in found if name != key]
    assert len(set(ids)) == 4
    assert all(id in texts[key] for id in ids)


def test_a_class_in_one_file(tmp_path: Path) -> None:
    asked = ["worksheet", "scores", "--seed", "3", "--count", "3", "--merge", "-o", str(tmp_path)]
    symattn(*asked)
    assert len(files(tmp_path)) == 2
    (sheets,) = tmp_path.glob("*-sheet.pdf")
    outline = pypdf.PdfReader(sheets).outline
    assert sum(not isinstance(entry, list) for entry in outline) == 3


def test_records_follow_their_schema(tmp_path: Path) -> None:
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    for recipe in RECIPES:
        out, _ = symattn("worksheet", recipe.name, "--seed", "1", "--count", "2", "--jsonl")
        lines = [json.loads(line) for line in out.splitlines()]
        assert [line["seed"] for line in lines] == [1, 2]
        for line in lines:
            jsonschema.validate(line, schema)
            assert line["recipe"] == recipe.name
    target = tmp_path / "bank.jsonl"
    symattn("worksheet", "scores", "--seed", "1", "--count", "3", "--jsonl", "-o", str(target))
    assert len(target.read_text(encoding="utf-8").splitlines()) == 3
    assert "exists" in refused("worksheet", "scores", "--jsonl", "-o", str(target)).message


def test_a_seed_is_drawn_and_told(tmp_path: Path) -> None:
    _, said = symattn("worksheet", "scores", "--text", "--only", "sheet", "-o", str(tmp_path))
    assert said.startswith("seed ")
    assert len(files(tmp_path)) == 1


def test_recipes_are_listed_and_told() -> None:
    out, _ = symattn("recipes")
    assert [line.split()[0] for line in out.splitlines()] == [recipe.name for recipe in RECIPES]
    out, _ = symattn("recipes", "full-attention")
    assert "--level 5" in out
    assert "every known mistake shows" in out


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["worksheet", "nope"], "no recipe"),
        (["recipes", "full"], "no recipe"),
        (["reproduce", "scores-G200-0M0"], "mistyped"),
        (["reproduce", "hello"], "does not begin"),
        (["worksheet", "scores", "--range", "3", "1"], "no integers"),
        (["worksheet", "scores", "--minutes", "170"], "no sheet of 170 minutes"),
        (["worksheet", "scores", "--roster", "/nowhere.csv"], "cannot read"),
        (["worksheet", "scores", "--only", "poem"], "no document"),
        (
            ["worksheet", "scores", "--seed", "1", "--scheduler", "tcp://127.0.0.1:9"],
            "no scheduler",
        ),
    ],
)
def test_what_cannot_be_done_is_one_message_with_a_next_step(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, arguments: list[str], words: str
) -> None:
    monkeypatch.chdir(tmp_path)
    error = refused(*arguments)
    assert words in error.message
    assert error.hint


def test_a_bad_roster_is_told_by_its_line(tmp_path: Path) -> None:
    roster = tmp_path / "r.csv"
    roster.write_text("name,group\nAda,1\n,2\n", "utf-8")
    error = refused("worksheet", "scores", "--roster", str(roster))
    assert error.place.line == 3
    roster.write_bytes(b"\xff\xfe\x00")
    assert "UTF-8" in refused("worksheet", "scores", "--roster", str(roster)).message
    roster.write_text("", "utf-8")
    assert "no names" in refused("worksheet", "scores", "--roster", str(roster)).message


def test_a_folder_that_cannot_be_made(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    error = refused("worksheet", "scores", "--seed", "1", "-o", str(tmp_path / "file" / "x"))
    assert "cannot be made" in error.message


def test_an_interrupt_leaves_whole_files_that_resume_completes(tmp_path: Path) -> None:
    asked = ["worksheet", "scores", "--seed", "50", "--count", "40", "--workers", "1"]
    command = [sys.executable, "-m", "symattn", *asked, "-o", str(tmp_path / "a")]
    process = subprocess.Popen(command, stderr=subprocess.PIPE)
    for _ in range(600):
        if len(list((tmp_path / "a").glob("*.pdf"))) >= 3:
            break
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=60)
    assert process.returncode == 130
    assert b"Traceback" not in said
    assert b"--resume" in said
    part = files(tmp_path / "a")
    assert 3 <= len(part) < 41
    assert not [name for name in part if not name.endswith(".pdf")]
    symattn(*asked, "--resume", "-o", str(tmp_path / "a"))
    symattn(*asked, "-o", str(tmp_path / "b"))
    assert files(tmp_path / "a") == files(tmp_path / "b")
