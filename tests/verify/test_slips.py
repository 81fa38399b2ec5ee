"""Slips in one cell, constant factors, and what a line shows by itself."""

from __future__ import annotations

import pytest

from symattn import derive, load
from symattn.misconceptions import BY_TAG
from symattn.misconceptions.stages import in_floats
from symattn.reading.problem_file import loads
from symattn.verify import Report, verify
from symattn.verify.verdicts import Verdict

I_LOVE_AI = derive(load("i-love-ai"))
S = [["1", "5", "3"], ["3", "3", "3"], ["2", "4", "3"]]
Z = [["0.577", "2.887", "1.732"], ["1.732", "1.732", "1.732"], ["1.155", "2.309", "1.732"]]
A = [["0.070", "0.707", "0.223"], ["0.333", "0.333", "0.333"], ["0.168", "0.533", "0.299"]]
O = [["1.000", "1.637", "0.070"], ["1.000", "1.000", "0.333"], ["1.000", "1.365", "0.168"]]  # noqa: E741
RIGHT = {"S": S, "Z": Z, "A": A, "O": O}


def marked(**lines: list[list[str]]) -> Report:
    """The report on these lines of i-love-ai, the others right."""
    text = [f"{name} = {rows}".replace("'", "") for name, rows in (RIGHT | lines).items()]
    return verify(I_LOVE_AI, "\n".join(text), "plain")


def with_cell(rows: list[list[str]], i: int, j: int, text: str) -> list[list[str]]:
    changed = [list(row) for row in rows]
    changed[i][j] = text
    return changed


@pytest.mark.parametrize(
    ("letter", "spot", "text", "tag"),
    [
        ("S", (0, 1), "-5", "slip-sign"),
        ("Z", (0, 1), "2.878", "slip-digits"),
        ("A", (0, 1), "7.07", "slip-point"),
        ("S", (0, 1), "1", "slip-term-dropped"),
        ("S", (0, 1), "9", "slip-term-twice"),
        ("Z", (0, 1), "5.000", "slip-not-divided"),
        ("Z", (0, 1), "1.667", "slip-divided-twice"),
        ("A", (0, 1), "0.533", "slip-row"),
        ("A", (2, 0), "0.299", "slip-column"),
    ],
)
def test_a_slip_in_one_cell(letter: str, spot: tuple[int, int], text: str, tag: str) -> None:
    report = marked(**{letter: with_cell(RIGHT[letter], *spot, text)})
    finding = next(f for f in report.findings if f.line.line.letter == letter)
    assert [slip.tag for slip in finding.slips if slip.spot == spot] == [tag]
    assert report.first_error and report.first_error[1].spot == spot


def test_a_slip_is_seen_from_the_writers_own_line() -> None:
    """A wrong score before it does not hide that a scaled score was not divided."""
    report = marked(S=with_cell(S, 0, 0, "2"), Z=with_cell(Z, 0, 0, "2.000"))
    (finding,) = [f for f in report.findings if f.line.line.letter == "Z"]
    assert [slip.tag for slip in finding.slips] == ["slip-not-divided"]


def outputs(factor: float) -> list[list[str]]:
    """The true outputs times a factor, to three places."""
    rows = in_floats(load("i-love-ai"))[0].rows["O"]
    return [[f"{x * factor:.3f}" for x in row] for row in rows]


@pytest.mark.parametrize(
    ("factor", "tag", "words"),
    [(10, "fit-factor", "10 times"), (100, "fit-factor", "100 times"), (1.37, "fit-ratio", "1.37")],
)
def test_a_constant_factor(factor: float, tag: str, words: str) -> None:
    report = marked(O=outputs(factor))
    (finding,) = [f for f in report.findings if f.line.line.letter == "O"]
    assert finding.fits[0].tag == tag and words in finding.fits[0].words


def test_rows_in_another_order() -> None:
    report = marked(O=[O[2], O[0], O[1]])
    (finding,) = [f for f in report.findings if f.line.line.letter == "O"]
    assert [fit.tag for fit in finding.fits] == ["fit-rows"]


def test_what_a_line_shows_by_itself() -> None:
    def tags(letter: str, **lines: list[list[str]]) -> list[str]:
        report = marked(**lines)
        return [x.tag for f in report.findings if f.line.line.letter == letter for x in f.facts]

    assert tags("A", A=with_cell(A, 0, 1, "0.607")) == ["row-sum"]
    # 0.333 three times sums to 0.999: one last digit was changed so that the sum is 1.
    assert tags("A", A=with_cell(A, 1, 2, "0.334")) == ["row-sum-forced"]
    assert "outside-values" in tags("O", O=with_cell(O, 0, 1, "2.637"))
    assert tags("S", S=with_cell(S, 1, 0, "5")) == ["copied-across"]
    assert tags("A") == []


def test_two_mistakes_where_only_the_end_is_written() -> None:
    """Nothing but the weights: not scaled, and softmax down the columns."""
    from symattn.verify.diagnose import lawful, with_rows

    stages = in_floats(load("i-love-ai"))[0]
    stages = with_rows(stages, {"Z": BY_TAG["scale-none"].rows(stages, "Z")})
    weights = BY_TAG["softmax-columns"].rows(stages, "A")
    assert lawful(stages, "A") != weights
    text = f"A = {[[f'{x:.4f}' for x in row] for row in weights]}".replace("'", "")
    report = verify(I_LOVE_AI, text, "plain")
    diagnosis = report.findings[0].diagnosis
    assert diagnosis and "scale-none+softmax-columns" in [each.tag for each in diagnosis.found]


def test_heads_are_kept_apart() -> None:
    """A mistake in the second head only."""
    problem = load("two-heads")
    derivation = derive(problem)
    from symattn.exact.rounding import Rounding

    text = []
    for head, letter, stage in derivation:
        rows = [[str(cell) for cell in row] for row in stage.value.rounded(Rounding(3))]
        if (head, letter) == (2, "Z"):
            scores = derivation.heads[1].S.value.rounded(Rounding(3))
            rows = [[str(cell) for cell in row] for row in scores]
        name = f"{letter}_{head}" if head else letter
        text.append(f"{name} = {rows}".replace("'", ""))
    report = verify(problem, "\n".join(text), "plain")
    assert report.first_error
    finding, _ = report.first_error
    assert (finding.line.line.letter, finding.line.line.head) == ("Z", 2)
    assert finding.diagnosis and [each.tag for each in finding.diagnosis.found] == ["scale-none"]
    wrong = {f.line.line.key for f in report.findings if f.line.errors}
    # A₂ was worked out rightly from the right Z, so it is right, but not from the line before it.
    assert wrong == {("Z", 2)}


# ---------------------------------------------------------------------- what other tools got wrong


def test_zeros_are_no_multiple_of_anything() -> None:
    zeros = [["0"] * 3] * 3
    finding = marked(S=zeros).findings[0]
    assert finding.line.line.letter == "S" and finding.line.errors and not finding.fits


def test_lines_are_matched_by_name_in_any_order() -> None:
    """D05: reordering breaks nothing."""
    text = "\n".join(f"{x} = {RIGHT[x]}".replace("'", "") for x in "OASZ")
    report = verify(I_LOVE_AI, text, "plain")
    assert [line.line.letter for line in report.lines] == list("SZAO") and report.is_right


def test_cells_in_a_sentence() -> None:
    report = verify(I_LOVE_AI, "s_11 = 1, so s_12 = 5 and s_13 = 3\nthen a_12 = 0.71", "plain")
    assert report.is_right and report.counts == {Verdict.EXACT: 3, Verdict.ROUNDED: 1}


ONE_QUERY = derive(loads("Q: [[1, 2]]\nK: [[1, 0], [2, 1]]\nV: [[1, 2], [3, 4]]\n"))


def test_a_row_may_be_written_as_a_vector_but_not_as_a_column() -> None:
    """B20: a matrix of one row."""
    report = verify(ONE_QUERY, "S = [1, 4]\nZ = [0.71, 2.83]\nA = [[0.11], [0.89]]", "plain")
    assert report.counts == {Verdict.EXACT: 2, Verdict.ROUNDED: 2}
    assert [misfit.letter for misfit in report.misfits] == ["A"] and not report.is_right


def test_each_cell_is_judged_by_its_own_form() -> None:
    """B23: fractions, decimals and roots in one matrix."""
    report = verify(ONE_QUERY, "Z = [1/√2, 2.828]\nA = [[0.107, 1/(1+e^(-3/√2))]]", "plain")
    verdicts = [[cell.verdict for cell in line.cells.values()] for line in report.lines]
    assert verdicts == [[Verdict.EXACT, Verdict.ROUNDED], [Verdict.ROUNDED, Verdict.EXACT]]
