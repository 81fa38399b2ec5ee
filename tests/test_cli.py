"""The command line as a person meets it."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

from symattn.reading.problem_file import builtin_names

FORMATS = ["latex", "markdown", "gfm", "text", "json"]


def symattn(*arguments: str, stdin: str = "", cwd: Path | None = None) -> tuple[int, str, str]:
    """Exit code, output and messages of a real process."""
    done = subprocess.run(
        [sys.executable, "-m", "symattn", *arguments],
        input=stdin, capture_output=True, text=True, encoding="utf-8", cwd=cwd, check=False,
    )  # fmt: skip
    return done.returncode, done.stdout, done.stderr


def test_the_default_is_i_love_ai_in_the_terminal() -> None:
    code, out, err = symattn("derive")
    assert (code, err) == (0, "")
    assert "I love AI" in out
    assert "[2, 0, 1]" in out
    assert "0.070" in out
    assert "0.707" in out
    assert max(map(len, out.splitlines())) <= 80


@pytest.mark.parametrize("format_", FORMATS)
def test_every_built_in_in_every_format(format_: str) -> None:
    from click.testing import CliRunner

    from symattn.cli import cli

    for name in builtin_names():
        result = CliRunner().invoke(cli, ["derive", name, f"--{format_}"])
        assert result.exit_code == 0, (name, result.exception)
        assert result.output.strip()
        if format_ == "text":
            assert max(map(len, result.output.splitlines())) <= 80, name


def test_the_same_input_gives_the_same_bytes() -> None:
    assert symattn("derive", "two-heads", "--latex") == symattn("derive", "two-heads", "--latex")


def test_a_problem_from_standard_input() -> None:
    code, out, _ = symattn("derive", "-", "--stage", "S", stdin="Q: [[1, 2]]\nK: [[3, 4]]\n")
    assert code == 0
    assert "11" in out


def test_a_file_is_written_once_and_never_overwritten_unasked(tmp_path: Path) -> None:
    target = tmp_path / "solution.tex"
    assert symattn("derive", "-o", str(target))[0] == 0
    written = target.read_text(encoding="utf-8")
    assert "\\end{document}" in written
    target.write_text("mine")
    code, _, err = symattn("derive", "-o", str(target))
    assert code == 4
    assert "exists already" in err
    assert "--force" in err
    assert target.read_text() == "mine"
    assert symattn("derive", "-o", str(target), "--force")[0] == 0
    assert target.read_text(encoding="utf-8") == written


def test_the_suffix_chooses_the_format(tmp_path: Path) -> None:
    assert symattn("derive", "-o", str(tmp_path / "a.json"))[0] == 0
    assert json.loads((tmp_path / "a.json").read_text(encoding="utf-8"))["answer"] == "O.1"


def test_one_stage_of_one_head() -> None:
    code, out, _ = symattn("derive", "two-heads", "--stage", "A", "--head", "2", "--places", "5")
    assert code == 0
    assert "Head" not in out
    code, _, err = symattn("derive", "two-heads", "--stage", "A")
    assert code == 2
    assert "head" in err


def test_focus_works_out_one_row_only() -> None:
    _, everything, _ = symattn("derive")
    code, out, _ = symattn("derive", "--focus", "love")
    assert code == 0
    assert "1/3" in out
    assert "0.707" in everything
    assert "0.707" not in out
    code, _, err = symattn("derive", "--focus", "hate")
    assert code == 2
    assert "I, love, AI" in err


def test_detail() -> None:
    lengths = [len(symattn("derive", "--detail", d)[1]) for d in ("brief", "normal", "full")]
    assert lengths == sorted(set(lengths))
    full = symattn("derive", "--detail", "full")[1]
    for i in "123":
        for j in "123":
            digits = str.maketrans("123", "₁₂₃")
            assert f"S{(i + j).translate(digits)} =" in full


def test_digits_and_ties(tmp_path: Path) -> None:
    problem = tmp_path / "p.yaml"
    # Eight equal scores: each weight is 0.125, a tie at two places.
    problem.write_text("S: [[0, 0, 0, 0, 0, 0, 0, 0]]\nscale: none\n")
    even = symattn("derive", str(problem), "--stage", "A", "--places", "2")[1]
    up = symattn("derive", str(problem), "--stage", "A", "--places", "2", "--ties", "up")[1]
    assert "0.12 " in even
    assert "0.13" not in even
    assert "0.13 " in up
    figures = symattn("derive", "--stage", "A", "--figures", "2")[1]
    assert "0.071" not in figures
    assert "0.070" in figures


@pytest.mark.parametrize(
    ("arguments", "expected"),
    [
        (["--tokens", "columns"], "Kᵀ"),
        (["--scores", "KtQ"], "Kᵀ"),
        (["--index-from", "0"], "S₀₁"),
        (["--brackets", "round"], "⎛"),
        (["--weights", "left"], "W_Qᵀ"),
    ],
)
def test_conventions(arguments: list[str], expected: str) -> None:
    plain = symattn("derive")[1]
    code, out, _ = symattn("derive", *arguments)
    assert code == 0
    assert expected in out
    assert out != plain


def test_tokens_as_columns_shows_every_matrix_transposed() -> None:
    out = symattn("derive", "--tokens", "columns", "--stage", "O")[1]
    rows = [line.split("⎡")[-1].split("⎢")[-1].split("⎣")[-1] for line in out.splitlines()]
    assert any("1.000" in row and row.count("1.000") >= 3 for row in rows)


def test_contradicting_conventions_are_refused() -> None:
    code, _, err = symattn("derive", "--scores", "KtQ", "--tokens", "rows")
    assert code == 2
    assert "columns" in err


def test_unknown_problem_and_bad_file(tmp_path: Path) -> None:
    code, out, err = symattn("derive", "i-love-dogs")
    assert code == 2
    assert out == ""
    assert "i-love-cats" in err
    assert "Traceback" not in err
    bad = tmp_path / "bad.yaml"
    bad.write_text("X: [[1, 2], [3]]\nW_Q: [[1], [1]]\nW_K: [[1], [1]]\n")
    code, _, err = symattn("derive", str(bad))
    assert code == 2
    assert "bad.yaml:1" in err
    assert "Traceback" not in err


def test_a_fully_masked_row_is_named_or_gives_zeros(tmp_path: Path) -> None:
    problem = tmp_path / "p.yaml"
    problem.write_text(
        "tokens: [here, there]\nQ: [[1], [2]]\nK: [[1], [1]]\nV: [[1], [2]]\n"
        "mask: [[0, 0], [-inf, -inf]]\n"
    )
    code, _, err = symattn("derive", str(problem))
    assert code == 2
    assert "there" in err
    assert "row 2" in err
    code, out, _ = symattn("derive", str(problem), "--zeros")
    assert code == 0
    assert "sees nobody" in out


def test_unwritable_place(tmp_path: Path) -> None:
    code, _, err = symattn("derive", "-o", str(tmp_path / "no" / "such" / "folder.tex"))
    assert code == 4
    assert "Traceback" not in err


def test_help_names_every_option() -> None:
    code, out, _ = symattn("derive", "--help")
    assert code == 0
    for option in ("--latex", "--markdown", "--gfm", "--text", "--json", "--fragment", "--focus"):
        assert option in out


def test_problems_lists_and_prints_a_start_for_ones_own() -> None:
    code, out, _ = symattn("problems")
    assert code == 0
    assert [line.split()[0] for line in out.splitlines()] == list(builtin_names())
    code, text, _ = symattn("problems", "i-love-ai")
    assert code == 0
    again = symattn("derive", "-", "--json", stdin=text)[1]
    first = json.loads(symattn("derive", "i-love-ai", "--json")[1])
    assert json.loads(again)["steps"] == first["steps"]
