"""The public face in Python: SymPy matrices out, many kinds of matrices in, a page in Jupyter."""

from __future__ import annotations

import numpy
import pytest
import sympy

from symattn import derive, load, problem_of
from symattn.errors import InputError, UsageError


def test_every_stage_is_a_sympy_matrix() -> None:
    d = derive(load("i-love-ai"))
    for letter in "QKVSZAO":
        assert isinstance(getattr(d, letter), sympy.ImmutableMatrix), letter
    assert sympy.ImmutableMatrix([[1, 5, 3], [3, 3, 3], [2, 4, 3]]) == d.S
    assert d.S / sympy.sqrt(3) == d.Z
    assert (d.A * sympy.ones(3, 1)).applyfunc(sympy.cancel) == sympy.ImmutableMatrix([[1, 1, 1]]).T


def test_several_heads_are_asked_for_by_number() -> None:
    d = derive(load("two-heads"))
    assert isinstance(d.sympy("A", head=2), sympy.ImmutableMatrix)
    assert isinstance(d.C, sympy.ImmutableMatrix)
    assert isinstance(d.Y, sympy.ImmutableMatrix)
    assert d.C.shape == (2, 4)
    with pytest.raises(UsageError, match="each of 2 heads"):
        _ = d.A
    with pytest.raises(UsageError, match="no head 3"):
        d.sympy("A", head=3)
    with pytest.raises(UsageError, match="no stage 'H'"):
        d.stage("H")


def test_what_a_problem_does_not_have_is_said() -> None:
    d = derive(load("i-love-ai"))
    with pytest.raises(UsageError, match="no stage Y"):
        _ = d.Y
    with pytest.raises(AttributeError):
        _ = d.nonsense


def test_lists_numpy_and_sympy_go_in() -> None:
    rows = [[1, 2], [0, 1]]
    kinds = [rows, numpy.array(rows), numpy.array(rows, dtype=float), sympy.Matrix(rows)]
    found = {derive(problem_of(Q=kind, K=kind, V=kind)).O for kind in kinds}
    assert len(found) == 1


def test_letters_come_back_as_sympy_symbols() -> None:
    a = sympy.Symbol("a")
    d = derive(problem_of(Q=sympy.Matrix([[a, 1]]), K=[[2, 3]], V=[[1]]))
    assert sympy.ImmutableMatrix([[2 * a + 3]]) == d.S


def test_a_misfit_is_one_message() -> None:
    with pytest.raises(InputError, match=r"W_Q has 3 rows but X has 4 columns: X \(3×4\) · W_Q"):
        problem_of(X=[[1] * 4] * 3, W_Q=[[1] * 3] * 3, W_K=[[1]] * 4, W_V=[[1]] * 4)


def test_it_shows_itself_in_jupyter() -> None:
    page = derive(load("i-love-cats"))._repr_markdown_()
    assert page.startswith("# I love cats")
    assert "$$" in page
