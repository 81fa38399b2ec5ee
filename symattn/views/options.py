"""What a reader may choose about a worked solution."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from symattn.convention import Convention
from symattn.exact.rounding import Rounding
from symattn.layout import PRINT, Page


@dataclass(frozen=True, eq=False, slots=True)
class Options:
    """`focus` is the token whose row alone is worked out; None means all.

    `convention` None keeps the one the problem was written in.
    """

    detail: Literal["brief", "normal", "full"] = "normal"
    focus: str | None = None
    rounding: Rounding = Rounding()
    convention: Convention | None = None
    exact: bool = True
    """Show exact forms before the decimals of weights and outputs."""
    code: bool = False
    """Close with the same computation as runnable code."""
    page: Page = PRINT
    traced: bool = False
    """Say of each entry where it comes from: for HTML, whose pages can be asked."""
