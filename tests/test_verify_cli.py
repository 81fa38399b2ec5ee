"""`symattn verify` as students, teachers and authors meet it."""

from __future__ import annotations

import csv
import io
import json
import os
import subprocess
import sys
from pathlib import Path

import jsonschema
import pypdf
import pytest
from click.testing import CliRunner

from symattn import derive, load
from symattn.cli import cli
from symattn.errors import InputError, MachineError, SymattnError, UsageError
from symattn.exact.matrix import MinusInfinity
from symattn.exact.rounding import Rounding
from symattn.generate.recipes import BY_NAME
from symattn.problem import Problem
from symattn.reading.problem_file import builtin_names
from symattn.verify.reading.refusal import Refusal

SCHEMA = json.loads(
    (Path(__file__).parent.parent / "symattn" / "views" / "report.schema.json").read_text("utf-8")
)
SLIP = """
Scores S:

    1 5 3
    3 3 3
    2 4 2

Scaled scores

    0.58 2.89 1.73
    1.73 1.73 1.73
    1.15 2.31 1.15

| weights | I | love | AI |
|---|---|---|---|
| I | 0.07 | 0.71 | 0.22 |
| love | 1/3 | 1/3 | 1/3 |
| AI | 0.19 | 0.61 | 0.19 |

Output = [[1, 1.64, 0.07], [1, 1, 0.333], [0.99, ?, 0.19]]
"""
"""A score is wrong; what comes after it follows from it, but for one cell; one is left open."""


def verify(*arguments: str) -> tuple[int, str, str]:
    """Exit status, output and messages; refusals as exceptions."""
    try:
        done = CliRunner().invoke(
            cli, ["verify", *arguments], catch_exceptions=False, standalone_mode=False
        )
    except SystemExit as ended:  # pragma: no cover
        return int(ended.code or 0), "", ""
    if done.exception and not isinstance(done.exception, SystemExit):
        raise done.exception
    return done.exit_code, done.stdout, done.stderr


def hand_in(folder: Path, text: str, name: str = "answers.md") -> str:
    path = folder / name
    path.write_text(text, "utf-8")
    return str(path)


def printed(problem: Problem, places: int = 3) -> str:
    """All stages of a problem, rounded from the truth, as plain lists."""
    derivation, lines = derive(problem), []
    turned = problem.convention.tokens == "columns"
    for head, letter, stage in derivation:
        grid = stage.value.rounded(Rounding(places))
        rows = [["-inf" if isinstance(c, MinusInfinity) else str(c) for c in row] for row in grid]
        if turned:
            rows = [list(column) for column in zip(*rows, strict=True)]
        name = f"{letter}_{head}" if head and len(derivation.heads) > 1 else letter
        lines.append(f"{name} = [{', '.join('[' + ', '.join(row) + ']' for row in rows)}]")
    return "\n".join(lines) + "\n"


# ---------------------------------------------------------------------- one hand-in


@pytest.mark.parametrize("name", [n for n in builtin_names() if n != "letters"])
def test_right_work_is_right(tmp_path: Path, name: str) -> None:
    path = hand_in(tmp_path, printed(load(name)), "answers.txt")
    status, out, _ = verify(name, path, "--json")
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    assert status == 0 and report["right"], report["counts"]
    assert set(report["counts"]) <= {"exact", "rounded"}
    assert not report["notes"] and not report["misfits"]
    assert report["points"]["earned"] == report["points"]["possible"] > 0
    stages = sum(1 for _ in derive(load(name)))
    assert len(report["lines"]) == stages


def test_letters_are_decided(tmp_path: Path) -> None:
    right = "S = [[3a + 4b, 4a + 2 b], [9*a+2b, 12a+b]]"
    assert verify("letters", hand_in(tmp_path, right, "a.txt"))[0] == 0
    wrong = right.replace("12a+b", "12a+2b")
    assert verify("letters", hand_in(tmp_path, wrong, "b.txt"))[0] == 1


def test_a_slip_and_what_follows_from_it(tmp_path: Path) -> None:
    status, out, _ = verify("i-love-ai", hand_in(tmp_path, SLIP), "--json")
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    assert status == 1
    assert report["first_error"] == {"stage": "S", "head": 1, "row": 3, "column": 3}
    lines = {line["stage"]: line for line in report["lines"]}
    assert [slip["tag"] for slip in lines["S"]["slips"]] == ["slip-term-dropped"]
    said = {x: {(c["row"], c["column"]): c["verdict"] for c in lines[x]["cells"]} for x in lines}
    assert said["S"][3, 3] == "wrong"
    assert said["Z"][3, 3] == "follows" and said["Z"][3, 1] == "rounded"
    assert {said["A"][3, j] for j in (1, 2, 3)} == {"follows"}
    assert said["O"][3, 2] == "blank"
    assert said["O"][3, 1] == "follows", "0.19 + 0.61 + 0.19 = 0.99"
    facts = [fact["tag"] for fact in lines["O"]["facts"]]
    assert facts == ["outside-values"]
    assert all("right" not in cell for line in report["lines"] for cell in line["cells"])


def test_hints_do_not_give_the_answer_away(tmp_path: Path) -> None:
    path = hand_in(tmp_path, SLIP)
    one, two, three = (verify("i-love-ai", path, "--hints", k)[1] for k in "123")
    assert "row 3, column 3" in " ".join(one.split())
    assert "Which query" not in one and "left out" not in two
    assert "Which query" in two
    assert "term 1 of the sum is left out" in three
    assert "Right:" not in three
    told = verify("i-love-ai", path, "--reveal")[1]
    assert "Right: 3" in told and "worked out" in told


@pytest.mark.parametrize("tag", ["scale-by-dk", "mask-transposed", "softmax-columns"])
def test_a_known_mistake_is_named(tmp_path: Path, tag: str) -> None:
    from symattn.misconceptions import BY_TAG
    from tests.verify.students import worked

    problem = load("causal")
    lines = worked(problem, 3, BY_TAG[tag])
    assert lines
    text = []
    for letter, line in lines.items():
        n, m = (max(spot[k] for spot in line.cells) + 1 for k in (0, 1))
        rows = [[line.cells[i, j].text for j in range(m)] for i in range(n)]  # type: ignore[union-attr]
        text.append(f"{letter} = {rows}".replace("'", ""))
    status, out, _ = verify("causal", hand_in(tmp_path, "\n".join(text), "a.txt"), "--json")
    report = json.loads(out)
    jsonschema.validate(report, SCHEMA)
    found = [d["tags"] for line in report["lines"] for d in line["diagnosis"]]
    assert status == 1 and [tag] in found
    assert report["counts"]["known-mistake"] > 1
    if len(found) > 1:
        out = verify("causal", str(tmp_path / "a.txt"))[1]
        assert "cannot be told apart" in " ".join(out.split())
        assert "They differ on this small problem" in " ".join(out.split())


@pytest.mark.parametrize("format", ["pdf", "html", "latex", "markdown", "text"])
def test_the_feedback_page_in_every_format(tmp_path: Path, format: str) -> None:
    answers, page = hand_in(tmp_path, SLIP), tmp_path / "page"
    status, _, said = verify("i-love-ai", answers, f"--{format}", "-o", str(page))
    assert status == 1 and "wrote" in said
    again = tmp_path / "again"
    verify("i-love-ai", answers, f"--{format}", "-o", str(again))
    assert page.read_bytes() == again.read_bytes()
    if format == "pdf":
        reader = pypdf.PdfReader(io.BytesIO(page.read_bytes()))
        text = reader.pages[0].extract_text()
    else:
        text = page.read_text("utf-8")
    assert "first error" in " ".join(text.split())


def test_the_page_speaks_its_marks(tmp_path: Path) -> None:
    """No mark is only a colour: the words for a matrix name it."""
    from symattn.verify.report import verify as judged
    from symattn.views.feedback import feedback
    from symattn.writers import write

    document = feedback(judged(load("i-love-ai"), SLIP, "markdown"))
    assert "marked wrong" in write(document, "speech")
    assert "✗" in write(document, "text", colour=False)
    assert "✗" in write(document, "html")


def test_a_cut_digit_is_not_marked_as_following(tmp_path: Path) -> None:
    """Two kinds of cells that are nearly right, told apart in every format."""
    cut = hand_in(tmp_path, "A = [[0.070, 0.707, 0.222]]")
    marks = {"text": ("0.222∼", "→"), "html": ("<mtext> ∼</mtext>", "<mtext> →</mtext>"),
             "latex": (r"\sadigits{0.222}", r"\safollows{"),
             "markdown": (r"{0.222}_{\sim}", r"_{\to}")}  # fmt: skip
    for format, (there, absent) in marks.items():
        _, page, _ = verify("i-love-ai", cut, f"--{format}")
        assert there in page and absent not in page, format


def test_a_page_that_gives_its_own_problem(tmp_path: Path) -> None:
    page = (
        "# A small example\n\nX = [[1,0],[0,1],[1,1]]\n\nW_Q = [[1,0],[0,1]]\n\n"
        "W_K = [[1,1],[0,1]]\n\nW_V = [[1,2],[3,4]]\n\n"
        "Then Q = [[1,0],[0,1],[1,1]] and K = [[1,1],[0,1],[1,2]].\n\n"
        "Scores: [[1,0,1],[1,1,2],[2,1,4]]\n"
    )
    status, out, _ = verify(hand_in(tmp_path, page), "--json")
    report = json.loads(out)
    assert status == 1
    assert report["first_error"] == {"stage": "S", "head": 1, "row": 3, "column": 3}
    assert {line["stage"] for line in report["lines"]} == {"Q", "K", "S"}
    with pytest.raises(InputError, match="does not give the problem"):
        verify(hand_in(tmp_path, "# Nothing\n\nA = [[1, 2]]\n", "b.md"))


@pytest.mark.parametrize("recipe", ["full-attention", "two-heads", "causal-mask"])
def test_a_sheet_is_known_by_its_id(tmp_path: Path, recipe: str) -> None:
    exercise = BY_NAME[recipe].exercise(7)
    text = f"Sheet {exercise.identity}\n\n" + printed(exercise.problem)
    path = hand_in(tmp_path, text, "a.txt")
    for problem in (str(exercise.identity), "auto"):
        status, out, _ = verify(problem, path, "--json")
        assert status == 0, out
    assert verify(path)[0] == 0
    with pytest.raises(InputError, match="no id"):
        verify("auto", hand_in(tmp_path, "S = [[1]]", "b.txt"))


def test_the_first_page_that_symattn_was_made_for(tmp_path: Path) -> None:
    """Its exponentials, as they were printed: four of them are not what they say."""
    text = (
        "e^0.577 ≈ 1.781 | e^2.887 ≈ 17.940 | e^1.732 ≈ 5.651\nsum ≈ 25.372\n"
        "weights ≈ [0.070, 0.707, 0.223]\n"
        "e^1.155 ≈ 3.174 | e^2.309 ≈ 10.063 | e^1.732 ≈ 5.651\n"
        "sum ≈ 18.888 → weights ≈ [0.168, 0.533, 0.299]\n"
    )
    status, out, _ = verify("i-love-ai", hand_in(tmp_path, text, "a.txt"), "--json")
    report = json.loads(out)
    assert status == 1
    slips = [note["text"] for note in report["notes"] if note["code"] == "broken-chain"]
    assert [slip.split()[0] for slip in slips] == ["e^2.887", "e^1.732", "e^2.309", "e^1.732"]
    lines = {line["stage"]: line for line in report["lines"]}
    assert {(c["row"], c["column"]) for c in lines["E"]["cells"]} == {
        (i, j) for i in (1, 3) for j in (1, 2, 3)
    }
    assert {c["verdict"] for c in lines["A"]["cells"]} == {"rounded"}


def test_other_routes_are_right(tmp_path: Path) -> None:
    """The row maximum subtracted; −1e9 for −∞."""
    text = (
        "E = [[0.099, 1, 0.315], [1, 1, 1], [0.315, 1, 0.561]]\n"
        "weights = [[0.070, 0.707, 0.223], [0.333, 0.333, 0.333], [0.168, 0.533, 0.299]]\n"
    )
    status, out, _ = verify("i-love-ai", hand_in(tmp_path, text, "a.txt"), "--json")
    assert status == 0, out
    masked = printed(load("causal")).replace("-inf", "-1e9")
    assert verify("causal", hand_in(tmp_path, masked, "b.txt"))[0] == 0


def test_trivial_lines_are_named(tmp_path: Path) -> None:
    """Zeros for scores make the rest easy: it follows, but earns nothing."""
    text = (
        "S = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]\nZ = [[0, 0, 0], [0, 0, 0], [0, 0, 0]]\n"
        "A = [[0.333, 0.333, 0.333], [0.333, 0.333, 0.333], [0.333, 0.333, 0.333]]\n"
    )
    _, out, _ = verify("i-love-ai", hand_in(tmp_path, text, "a.txt"), "--json")
    report = json.loads(out)
    weights = next(line for line in report["lines"] if line["stage"] == "A")
    follows = [cell for cell in weights["cells"] if cell["verdict"] == "follows"]
    assert follows and all(cell["trivial"] for cell in follows)
    _, out, _ = verify("i-love-ai", hand_in(tmp_path, text, "a.txt"))
    assert " ".join(out.split()).count("that leaves no work to do") == 2


# ---------------------------------------------------------------------- what cannot be read


def test_nothing_to_read_is_status_two(tmp_path: Path) -> None:
    assert verify("i-love-ai", hand_in(tmp_path, "I did not do it."))[0] == 2


def test_a_broken_file_is_refused_with_its_place(tmp_path: Path) -> None:
    path = hand_in(
        tmp_path, "\\begin{bmatrix}\n1 & 2 \\\\\n3 & \\frac{4}{\n\\end{bmatrix}", "a.tex"
    )
    with pytest.raises(Refusal) as caught:
        verify("i-love-ai", path)
    assert caught.value.place.file == path and caught.value.place.line == 4
    assert caught.value.exit_code == 2
    with pytest.raises(MachineError):
        verify("i-love-ai", str(tmp_path / "missing.md"))
    with pytest.raises(UsageError):
        verify("i-love-ai", hand_in(tmp_path, SLIP), "--points", "S=many")
    with pytest.raises(UsageError, match="no answers"):
        verify("i-love-ai")
    with pytest.raises(SymattnError):
        verify("nothing-like-it", hand_in(tmp_path, SLIP))


def test_a_cell_that_cannot_be_read_leaves_the_rest(tmp_path: Path) -> None:
    text = "S = \\begin{bmatrix}1 & 5 & x \\\\ 3 & 3 & 3 \\\\ 2 & 4 & 3\\end{bmatrix}"
    status, out, _ = verify("i-love-ai", hand_in(tmp_path, text, "a.tex"), "--json")
    report = json.loads(out)
    assert status == 1
    assert report["counts"] == {"exact": 8, "unreadable": 1}
    (cell,) = [c for c in report["lines"][0]["cells"] if c["verdict"] == "unreadable"]
    assert (cell["row"], cell["column"], cell["code"]) == (1, 3, "unknown-symbol")


def test_a_matrix_of_another_shape_is_named(tmp_path: Path) -> None:
    status, out, _ = verify(
        "i-love-ai", hand_in(tmp_path, "S = [[1, 2], [3, 4]]", "a.txt"), "--json"
    )
    assert status != 0
    assert json.loads(out)["misfits"][0]["shape"] == [2, 2]


def test_nothing_is_run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    text = (
        "S = [[__import__('os').system('touch CANARY'), 1, 2]]\n"
        "$\\input{/etc/passwd}$ <script>alert(1)</script> #evil\n"
        "A = [[\"#eval('1')\", 1, 2]]\n"
    )
    path = hand_in(tmp_path, text)
    for format in ("html", "latex", "pdf", "markdown"):
        verify("i-love-ai", path, f"--{format}", "-o", f"page.{format}")
    assert not (tmp_path / "CANARY").exists()
    page = (tmp_path / "page.html").read_text("utf-8")
    assert "<script>alert" not in page
    assert "\\input" not in (tmp_path / "page.latex").read_text("utf-8")


# ---------------------------------------------------------------------- stacks


def stack(folder: Path) -> list[str]:
    right = printed(load("i-love-ai"))
    return [
        hand_in(folder, right, "anna.txt"),
        hand_in(folder, SLIP, "bob.md"),
        hand_in(folder, "no idea", "carl.md"),
        hand_in(folder, "\\frac{1}{", "dora.tex"),
    ]


def test_a_stack_with_a_report_and_an_overview(tmp_path: Path) -> None:
    files = stack(tmp_path)
    report, overview, pages = (tmp_path / name for name in ("class.csv", "class.html", "pages"))
    status, _, said = verify(
        "i-love-ai", *files, "--report", str(report), "--overview", str(overview),
        "--markdown", "-o", str(pages),
    )  # fmt: skip
    assert status == 2
    assert "4 hand-ins: 1 all right, 1 with something wrong, 2 not readable" in said
    rows = list(csv.DictReader(report.open(encoding="utf-8")))
    assert [row["status"] for row in rows] == ["right", "wrong", "unreadable", "unreadable"]
    assert rows[1]["tags"].split() == ["S:slip-term-dropped"]
    assert (rows[1]["first_error_stage"], rows[1]["first_error_row"]) == ("S", "3")
    assert "dora.tex" in rows[3]["message"]
    page = overview.read_text("utf-8")
    assert "slip-term-dropped" in page and "S, row 3, column 3" in page
    assert sorted(path.name for path in pages.iterdir()) == ["anna.md", "bob.md", "carl.md"]


def test_a_stack_goes_on_where_it_stopped(tmp_path: Path) -> None:
    files, report = stack(tmp_path), tmp_path / "class.csv"
    verify("i-love-ai", *files[:2], "--report", str(report))
    with pytest.raises(MachineError, match="exists already"):
        verify("i-love-ai", *files, "--report", str(report))
    os.remove(files[0])  # It is not read again.
    _, _, said = verify("i-love-ai", *files, "--report", str(report), "--resume")
    assert "4 hand-ins: 1 all right" in said
    rows = list(csv.DictReader(report.open(encoding="utf-8")))
    assert [Path(row["file"]).name for row in rows] == ["anna.txt", "bob.md", "carl.md", "dora.tex"]


def test_each_hand_in_may_be_another_sheet(tmp_path: Path) -> None:
    files = []
    for seed in (1, 2, 3):
        exercise = BY_NAME["scores"].exercise(seed)
        text = f"{exercise.identity}\n\n{printed(exercise.problem)}"
        files.append(hand_in(tmp_path, text, f"{seed}.txt"))
    status, _, said = verify("auto", *files)
    assert status == 0 and "3 hand-ins: 3 all right" in said


def test_real_processes_have_the_three_statuses(tmp_path: Path) -> None:
    for text, status in ((printed(load("i-love-ai")), 0), (SLIP, 1), ("nothing", 2)):
        path = hand_in(tmp_path, text, "a.md" if text is SLIP else "a.txt")
        done = subprocess.run(
            [sys.executable, "-m", "symattn", "verify", "i-love-ai", path],
            capture_output=True, check=False,
        )  # fmt: skip
        assert done.returncode == status, done.stderr
        assert b"Traceback" not in done.stderr


def test_standard_input(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "symattn", "verify", "i-love-ai", "-"],
        input="S = [[1, 5, 3], [3, 3, 3], [2, 4, 3]]", capture_output=True, text=True, check=False,
    )  # fmt: skip
    assert done.returncode == 0
    assert "All 9 cells are right." in done.stdout
