"""Somebody's calculation -> verdicts: reading it, judging every cell, saying what happened.

`verify(problem, text, format)` is the whole of it.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from symattn.verify.report import Report as Report
    from symattn.verify.report import verify as verify

__all__ = ["Report", "verify"]


def __getattr__(name: str) -> Any:
    if name not in __all__:
        raise AttributeError(name)
    from symattn.verify import report

    return getattr(report, name)
