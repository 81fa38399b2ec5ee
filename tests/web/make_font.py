"""Makes the two fonts of `templates/fonts` from Latin Modern Math.

    python tests/web/make_font.py /path/to/latinmodern-math.otf templates/fonts

`math.woff2` holds what `symattn` writes, with the table that stretches brackets and roots.
`bold.woff2` holds bold digits and letters in the places of the plain ones, so a number that is
bold on the page is still that number to whoever copies it or has it read out.

Needs fonttools and brotli. The same source gives the same bytes.
"""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Final

from fontTools import subset
from fontTools.ttLib import TTFont

SIGNS: Final = (
    "−·⋅×÷±∓≈≠≡≤≥∝→↦⇒⇔∈∉⊂∪∩∘⊙⊗⊕∣∥⊤⊥∞∅∂∇∀∃∑Σ∏∫⋯…⋮⋱′ℓℝℕℤℚ□√"
    "αβγδεζηθικλμνξοπρςστυφχψωΓΔΘΛΞΠΥΦΨΩϵϕ\u2061\u2062\u2063\u2002\u2003\u00a0"
)
ITALIC_LETTERS: Final = [0x210E, *(c for c in range(0x1D434, 0x1D468) if c != 0x1D455)]
ITALIC_GREEK: Final = range(0x1D6E2, 0x1D71C)
DIGITS: Final = range(0x30, 0x3A)
UPPER, LOWER = range(0x41, 0x5B), range(0x61, 0x7B)

BOLD: Final = {
    **{c: 0x1D7CE + n for n, c in enumerate(DIGITS)},
    **{c: 0x1D400 + n for n, c in enumerate(UPPER)},
    **{c: 0x1D41A + n for n, c in enumerate(LOWER)},
    **{0x1D44E + n: 0x1D482 + n for n in range(26) if n != 7},
    0x210E: 0x1D489,
}
"""A plain character, and the bold one that is drawn in its place."""


def cut(source: Path, wanted: set[int], name: str) -> TTFont:
    """The part of the font that draws the wanted characters, under a name of its own.

    The licence asks that a changed font does not carry the name of the original.
    """
    font = TTFont(source, recalcTimestamp=False)
    options = subset.Options(
        layout_features=[], hinting=False, desubroutinize=False,
        drop_tables=["FFTM", "GPOS", "GDEF", "GSUB"], name_IDs=[0, 1, 2, 4, 6, 13, 14],
        notdef_outline=True,
    )  # fmt: skip
    cutter = subset.Subsetter(options)
    cutter.populate(unicodes=wanted)
    cutter.subset(font)
    for record in [*font["name"].names]:
        if record.nameID in (1, 4):
            font["name"].setName(name, record.nameID, 3, 1, 0x409)
        elif record.nameID == 6:
            font["name"].setName(name.replace(" ", ""), 6, 3, 1, 0x409)
    font["name"].names = [record for record in font["name"].names if record.platformID == 3]
    compact = font["CFF "].cff
    compact.fontNames = [name.replace(" ", "")]
    top = compact.topDictIndex[0]
    top.FullName = top.FamilyName = name
    return font


def save(font: TTFont, path: Path) -> None:
    font.flavor = "woff2"
    font.save(path, reorderTables=True)


def make(source: Path, folder: Path) -> None:
    """Write both fonts into the folder."""
    plain = {*range(0x20, 0x7F), *map(ord, SIGNS), *ITALIC_LETTERS, *ITALIC_GREEK}
    save(cut(source, plain, "symattn math"), folder / "math.woff2")
    bold = cut(source, {ord("."), *BOLD.values()}, "symattn bold")
    bold_glyphs = bold.getBestCmap()
    for table in bold["cmap"].tables:
        table.cmap = {c: bold_glyphs[b] for c, b in BOLD.items()} if table.format == 12 else {
            c: bold_glyphs[b] for c, b in BOLD.items() if c < 0x10000
        }  # fmt: skip
        table.cmap[ord(".")] = bold_glyphs[ord(".")]
    del bold["MATH"]
    save(bold, folder / "bold.woff2")


if __name__ == "__main__":
    make(Path(sys.argv[1]), Path(sys.argv[2]))
