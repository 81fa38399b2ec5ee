"""Where entries come from: names, sources and decimals, against the derivation itself."""

from __future__ import annotations

import pytest

from symattn import derive, explain, load, problem_of
from symattn.convention import COLUMNS
from symattn.derivation import Derivation
from symattn.document import Display, Document, Math, Para
from symattn.exact.matrix import MinusInfinity
from symattn.exact.rounding import Rounding
from symattn.formula import Grid, Line, Seq
from symattn.reading.problem_file import builtin_names
from symattn.views.options import Options
from symattn.views.traces import MOST_PLACES, MOST_TRACES, traces

OPTIONS = {
    "normal": Options(traced=True),
    "columns": Options(traced=True, convention=COLUMNS),
    "ties up": Options(traced=True, rounding=Rounding(2, ties="up")),
}


def grids(page: Document) -> list[Grid]:
    """The matrices that a page shows."""
    found = []
    for block in page.blocks:
        if isinstance(block, Display):
            for line in block.lines:
                parts = line.right.parts if isinstance(line.right, Seq) else (line.right,)
                found += [part for part in parts if isinstance(part, Grid)]
    return found


def cells(page: Document) -> set[str]:
    """The names of all entries that a page shows."""
    return {
        name
        for grid in grids(page)
        if grid.origin
        for i, row in enumerate(grid.rows)
        for j, _ in enumerate(row)
        if (name := grid.origin.cell(i, j))
    }


@pytest.mark.parametrize("mode", OPTIONS)
@pytest.mark.parametrize("name", builtin_names())
def test_every_entry_that_is_shown_can_be_asked_and_comes_from_one_that_can(
    name: str, mode: str
) -> None:
    page = explain(derive(load(name)), OPTIONS[mode])
    told = {trace.cell: trace for trace in page.traces}
    assert len(told) == len(page.traces)
    assert cells(page) <= set(told)
    for trace in page.traces:
        assert set(trace.sources) <= set(told)
        assert trace.cell not in trace.sources
        assert bool(trace.working) == bool(trace.sources)


def test_nothing_is_traced_unless_it_is_asked_for() -> None:
    assert explain(derive(load("i-love-ai"))).traces == ()


SOURCES = {
    "Q-0-2": "X-0-0 X-0-1 X-0-2 X-0-3 W_Q-0-2 W_Q-1-2 W_Q-2-2 W_Q-3-2",
    "S-1-2": "Q-1-0 Q-1-1 Q-1-2 K-2-0 K-2-1 K-2-2",
    "Z-1-2": "S-1-2",
    "E-1-2": "Z-1-2",
    "A-1-2": "E-1-0 E-1-1 E-1-2",
    "O-1-2": "A-1-0 A-1-1 A-1-2 V-0-2 V-1-2 V-2-2",
    "X-1-2": "",
}


@pytest.mark.parametrize("convention", [None, COLUMNS])
@pytest.mark.parametrize("cell", SOURCES)
def test_sources_by_hand(cell: str, convention: object) -> None:
    options = Options(convention=convention)  # type: ignore[arg-type]
    told = {trace.cell: trace for trace in traces(derive(load("i-love-ai")), options)}
    assert " ".join(told[cell].sources) == SOURCES[cell]


def test_sources_of_masks_heads_and_biases() -> None:
    told = {trace.cell: trace.sources for trace in traces(derive(load("causal")), Options())}
    assert told["M-0-1"] == ("Z-0-1", "B-0-1")
    assert told["E-0-1"] == ("M-0-1",)
    told = {trace.cell: trace.sources for trace in traces(derive(load("two-heads")), Options())}
    assert told["S2-0-1"] == ("Q2-0-0", "Q2-0-1", "K2-1-0", "K2-1-1")
    assert told["C-1-0"] == ("O1-1-0",)
    assert told["C-1-2"] == ("O2-1-0",)
    assert told["Y-1-2"] == (
        "C-1-0", "C-1-1", "C-1-2", "C-1-3", "W_O-0-2", "W_O-1-2", "W_O-2-2", "W_O-3-2",
    )  # fmt: skip
    problem = problem_of(
        tokens=["a", "b"], X=[[1, 0], [0, 1]], W_Q=[[1], [2]], W_K=[[1], [2]], W_V=[[1], [2]],
        b_Q=[3],
    )  # fmt: skip
    told = {trace.cell: trace.sources for trace in traces(derive(problem), Options())}
    assert told["Q-1-0"] == ("X-1-0", "X-1-1", "W_Q-0-0", "W_Q-1-0", "b_Q-0-0")


def test_scores_that_are_not_scaled_are_called_scores() -> None:
    problem = problem_of(tokens=["a", "b"], S=[[1, 2], [3, 4]], scale="none")
    told = {trace.cell: trace.sources for trace in traces(derive(problem), Options())}
    assert told["E-0-1"] == ("S-0-1",)
    assert "Z-0-1" not in told


@pytest.mark.parametrize("name", ["i-love-ai", "causal", "two-heads", "logs"])
@pytest.mark.parametrize("ties", ["even", "up"])
def test_decimals_are_those_of_the_derivation(name: str, ties: str) -> None:
    derivation = derive(load(name))
    options = Options(rounding=Rounding(3, ties=ties))  # type: ignore[arg-type]
    told = {trace.cell: trace.decimals for trace in traces(derivation, options)}
    seen = 0
    for number, letter, stage in derivation:
        shared = letter in ("C", "Y") or len(derivation.heads) == 1
        matrix = letter if shared else f"{letter}{number}"
        for places in range(MOST_PLACES + 1):
            for i, row in enumerate(stage.value.rounded(Rounding(places, ties=ties))):  # type: ignore[arg-type]
                for j, value in enumerate(row):
                    found = told.get(f"{matrix}-{i}-{j}")
                    if found is None:
                        assert letter == "Z" and derivation.problem.scale.is_none
                        continue
                    seen += 1
                    if isinstance(value, MinusInfinity):
                        assert found == ()
                    elif len(found) == 1:  # an integer: zeros may follow
                        assert str(value) == found[0] + ("." + "0" * places if places else "")
                    else:
                        assert str(value) == found[places]
    assert seen > 100


def test_letters_have_no_decimals() -> None:
    told = {trace.cell: trace for trace in traces(derive(load("letters")), Options())}
    assert told["A-0-0"].decimals == ()
    assert told["A-0-0"].working
    assert told["X-0-0"].decimals == ("1",)


def test_a_focus_leaves_the_other_queries_out() -> None:
    derivation = derive(load("i-love-ai"))
    page = explain(derivation, Options(focus="love", traced=True))
    told = {trace.cell for trace in page.traces}
    assert cells(page) <= told
    assert {"S-1-0", "K-0-0", "X-0-0"} <= told
    assert not {"S-0-0", "A-2-0", "O-0-0"} & told


def size(n: int) -> Derivation:
    rows = [[(3 * i + 5 * j) % 7 - 3 for j in range(2)] for i in range(n)]
    weights = [[1, 0], [0, 1]]
    return derive(problem_of(tokens=[f"t{i}" for i in range(n)], X=rows, W_Q=weights, W_K=weights,
                             W_V=weights))  # fmt: skip


def test_a_large_page_has_no_traces() -> None:
    # X Q K V O are n×2 each, S Z E A n×n, W three times 2×2.
    counts = {n: 10 * n + 4 * n * n + 12 for n in (8, 9)}
    assert counts[8] <= MOST_TRACES < counts[9]
    assert len(traces(size(8), Options())) == counts[8]
    assert traces(size(9), Options()) == ()


def test_titles_and_workings_say_what_they_are_about() -> None:
    from symattn.writers import write

    for trace in traces(derive(load("i-love-ai")), Options()):
        assert isinstance(trace.title[0], Math)
        letter, i, j = trace.cell.rsplit("-", 2)
        words = write(Document("", "", (Para(trace.title),)), "text", fragment=True)
        numbered = {"I": "0", "love": "1", "AI": "2"}
        if letter in ("S", "Z", "E", "A"):
            query, key = words.strip().split(", ")[1].split(" → ")
            assert (numbered[query], numbered[key]) == (i, j)
        elif letter in ("X", "Q", "K", "V", "O"):
            assert f"component {int(j) + 1} of " in words
            assert numbered[words.split()[-1]] == i
        else:
            assert f"row {int(i) + 1}, column {int(j) + 1} of " in words
        if trace.working:
            assert isinstance(trace.working[0], Line)
            assert trace.working[0].left == trace.title[0].formula
