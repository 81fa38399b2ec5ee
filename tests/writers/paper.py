"""What the tests ask of a finished PDF: its text, its tags, and whether ink lies on a margin."""

from __future__ import annotations

import io
from typing import Any

import numpy as np
import pypdf
import pypdfium2

POINT = 72 / 25.4
"""Points to a millimetre."""
TEXT_WIDTH = 166.0
TOP, BOTTOM = 22.0, 24.0
"""Margins in mm; the header and the footer stand in them."""
HEADER, FOOTER = (8.0, 20.0), (8.0, 20.0)
"""Where a header or a footer may stand, in mm from the edge."""


def text(data: bytes) -> str:
    """The text layer, page by page."""
    return "\f".join(page.extract_text() for page in pypdf.PdfReader(io.BytesIO(data)).pages)


def ink_on_margins(data: bytes, *, scale: float = 0.75) -> list[tuple[int, str]]:
    """(page, side) for each margin on which something is printed."""
    found = []
    document = pypdfium2.PdfDocument(data)
    for number in range(len(document)):
        page = document[number]
        width, height = page.get_size()
        grey = (
            page.render(scale=scale, grayscale=True)
            .to_numpy()
            .reshape(round(height * scale + 0.49), -1)
        )
        side = int(((width / POINT - TEXT_WIDTH) / 2 - 0.7) * POINT * scale)
        areas = {
            "left": grey[:, :side],
            "right": grey[:, -side:],
            "top": grey[: _px(HEADER[0], scale)],
            "below the header": grey[_px(HEADER[1], scale) : _px(TOP - 0.7, scale)],
            "above the footer": grey[-_px(BOTTOM - 1.3, scale) : -_px(FOOTER[1], scale)],
            "bottom": grey[-_px(FOOTER[0], scale) :],
        }
        found += [(number + 1, name) for name, area in areas.items() if np.any(area < 250)]
    document.close()
    return found


def _px(millimetres: float, scale: float) -> int:
    return round(millimetres * POINT * scale)


def structure(data: bytes) -> list[dict[str, Any]]:
    """The elements of the structure tree, in reading order."""
    root = pypdf.PdfReader(io.BytesIO(data)).trailer["/Root"]
    found: list[dict[str, Any]] = []

    def walk(node: Any) -> None:
        node = node.get_object() if hasattr(node, "get_object") else node
        if isinstance(node, list):
            for kid in node:
                walk(kid)
        elif isinstance(node, dict):
            if "/S" in node:
                found.append(node)
            if "/K" in node:
                walk(node["/K"])

    walk(root["/StructTreeRoot"]["/K"])
    return found
