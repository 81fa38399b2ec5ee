"""The arrows between modules, as the README draws them: what may import what."""

from __future__ import annotations

import ast
import subprocess
import sys
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parent.parent / "symattn"
MODULES = {
    ".".join(("symattn", *path.relative_to(PACKAGE).with_suffix("").parts)).removesuffix(
        ".__init__"
    ): path
    for path in PACKAGE.rglob("*.py")
}

MATHEMATICS = ("symattn.exact", "symattn.problem", "symattn.steps", "symattn.attention")
PAPER = ("symattn.document", "symattn.views", "symattn.writers", "symattn.layout")

FORBIDDEN = {
    "symattn.exact": (
        *PAPER, "symattn.formula", "symattn.notation", "symattn.steps", "symattn.derivation",
        "symattn.problem", "symattn.reading", "symattn.cli",
    ),
    "symattn.formula": ("symattn.exact", "symattn.notation", "symattn.document"),
    "symattn.document": ("symattn.exact", "symattn.notation", "symattn.derivation"),
    "symattn.layout": ("symattn.exact", "symattn.derivation", "symattn.views", "symattn.writers"),
    "symattn.notation": (*PAPER, "symattn.derivation", "symattn.steps"),
    "symattn.problem": (*PAPER, "symattn.formula", "symattn.derivation", "symattn.reading"),
    "symattn.steps": (*PAPER, "symattn.reading", "symattn.attention"),
    "symattn.attention": (*PAPER, "symattn.reading"),
    "symattn.writers": (
        "symattn.exact", "symattn.problem", "symattn.derivation", "symattn.steps",
        "symattn.notation", "symattn.views", "symattn.reading", "symattn.attention",
    ),
    "symattn.misconceptions": (
        *PAPER, "symattn.reading", "symattn.generate", "symattn.cli", "symattn.verify",
    ),
    "symattn.generate": (
        *PAPER, "symattn.reading", "symattn.press", "symattn.bulk", "symattn.cli", "symattn.verify",
    ),
    "symattn.verify": (*PAPER, "symattn.press", "symattn.bulk", "symattn.cli"),
    "symattn.verify.reading": (
        "symattn.derivation", "symattn.steps", "symattn.attention", "symattn.misconceptions",
        "symattn.generate",
    ),
    "symattn.bulk": (*MATHEMATICS, *PAPER, "symattn.generate", "symattn.cli"),
    "symattn.press": ("symattn.reading", "symattn.bulk", "symattn.cli"),
    "symattn.views": ("symattn.reading", "symattn.cli", "symattn.pdf", "symattn.tex"),
    "symattn.pdf": (*MATHEMATICS, "symattn.views", "symattn.layout", "symattn.reading"),
    "symattn.tex": (*MATHEMATICS, "symattn.views", "symattn.layout", "symattn.reading"),
    "symattn.reading": (*PAPER, "symattn.derivation", "symattn.steps", "symattn.attention"),
}  # fmt: skip
"""For each room, the rooms it may not look into. Imports inside functions count too, except the
two public conveniences of `Derivation` (SymPy matrices, Jupyter)."""


def imports(path: Path) -> set[str]:
    """The modules a file imports at the top level or in functions, TYPE_CHECKING blocks too."""
    found: set[str] = set()
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        match node:
            case ast.Import(names):
                found |= {alias.name for alias in names}
            case ast.ImportFrom(module=str(module), names=names):
                found |= {module} | {f"{module}.{alias.name}" for alias in names}
    return found


def inside(name: str, rooms: tuple[str, ...]) -> bool:
    return any(name == room or name.startswith(room + ".") for room in rooms)


@pytest.mark.parametrize("room", FORBIDDEN)
def test_arrows(room: str) -> None:
    files = {name: path for name, path in MODULES.items() if inside(name, (room,))}
    assert files
    for name, path in files.items():
        wrong = {found for found in imports(path) if inside(found, FORBIDDEN[room])}
        assert not wrong, f"{name} imports {sorted(wrong)}"


def test_only_the_command_line_prints_or_exits() -> None:
    for name, path in MODULES.items():
        if inside(name, ("symattn.cli",)):
            continue
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                assert node.func.id not in ("print", "exit", "quit", "input", "eval", "exec"), name
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
                assert (node.value.id, node.attr) != ("sys", "exit"), name


def test_each_law_has_its_file_and_the_book_knows_it() -> None:
    from symattn.derivation import RuleBook
    from symattn.steps import CORRECT

    kinds = {getattr(CORRECT, field).kind for field in RuleBook.__dataclass_fields__}
    files = {path.stem for path in (PACKAGE / "steps").glob("*.py")} - {"__init__", "working"}
    assert kinds == files


@pytest.mark.parametrize(
    ("code", "absent"),
    [
        ("import symattn", {"symattn.exact", "click", "sympy", "mpmath", "yaml"}),
        ("import symattn.cli", {"symattn.exact", "sympy", "mpmath", "yaml", "rich"}),
        (
            "from symattn import derive, explain, load, write\n"
            "write(explain(derive(load('i-love-ai'))), 'latex')",
            {"sympy", "mpmath", "rich", "flint", "numpy", "jinja2"},
        ),
        (
            "from symattn import load\nfrom symattn.verify import verify\n"
            "verify(load('i-love-ai'), 'S = [[1, 5, 3], [3, 3, 3], [2, 4, 3]]', 'plain')",
            {"sympy", "mpmath", "rich", "numpy", "yaml", "markdown_it", "pylatexenc"},
        ),
    ],
    ids=["import", "cli", "a whole LaTeX solution", "a hand-in marked"],
)
def test_plain_numbers_never_pay_for_heavy_imports(code: str, absent: set[str]) -> None:
    check = f"import sys\n{code}\nprint(*sorted(set(sys.modules) & {absent!r}))"
    done = subprocess.run([sys.executable, "-c", check], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == ""
