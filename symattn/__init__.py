"""Exact, step-by-step derivations of scaled dot-product attention."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

__version__ = "0.1.0"

if TYPE_CHECKING:
    from symattn.attention import derive as derive
    from symattn.reading.problem_file import load as load
    from symattn.reading.values import problem_of as problem_of
    from symattn.views.explain import explain as explain
    from symattn.writers import write as write

_HOMES = {
    "derive": "symattn.attention",
    "load": "symattn.reading.problem_file",
    "problem_of": "symattn.reading.values",
    "explain": "symattn.views.explain",
    "write": "symattn.writers",
}


def __getattr__(name: str) -> Any:
    """The public names, loaded when first asked for: `import symattn` itself costs nothing."""
    if name not in _HOMES:
        raise AttributeError(f"module 'symattn' has no attribute {name!r}")
    from importlib import import_module

    return getattr(import_module(_HOMES[name]), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_HOMES])
