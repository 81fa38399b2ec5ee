"""What can be seen on a line without knowing the answer: sums, ranges, copied cells."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction

from symattn.exact.number import Number
from symattn.verify.findings import Fact
from symattn.verify.lines import Line
from symattn.verify.reading.written import Written
from symattn.verify.verdicts import JudgedLine, Verdict


def facts(
    line: JudgedLine, V: Sequence[Sequence[Fraction]] | None, places: int | None = None
) -> list[Fact]:
    """What the written numbers show by themselves.

    `V` are the value rows, where they are plain, `places` the decimals that are asked for.
    """
    found = [*_few_digits(line.line, places)] if places else []
    match line.line.letter:
        case "A":
            found += _sums(line)
        case "O" if V:
            found += _range(line.line, V)
        case "S":
            found += _mirrored(line)
    return found


def _few_digits(line: Line, places: int) -> Iterator[Fact]:
    if line.has_points and line.places < places:
        yield Fact("too-few-digits", f"{places} decimal places are asked for")


def _row(line: Line, i: int) -> list[tuple[Fraction, Fraction]] | None:
    """(value, half a unit) of a row that is completely written in decimals."""
    out = []
    for (k, _), cell in sorted(line.cells.items()):
        if k != i:
            continue
        if not isinstance(cell, Written) or cell.places is None:
            return None
        if not isinstance(cell.value, Number):
            return None
        out.append((cell.value.rational, Fraction(10) ** -cell.places / 2))
    return out


def _sums(line: JudgedLine) -> Iterator[Fact]:
    rows = line.line.rows
    columns: dict[int, Fraction] = {}
    plain = True
    for i in rows:
        row = _row(line.line, i)
        if row is None:
            plain = False
            continue
        total = sum((x for x, _ in row), Fraction(0))
        slack = sum((h for _, h in row), Fraction(0))
        if abs(total - 1) > slack:
            yield Fact("row-sum", f"row {i + 1} sums to {_decimal(total)}, not to 1", i)
        elif total == 1 and (bent := _bent(line, i)):
            yield bent
        for j, (x, _) in enumerate(row):
            columns[j] = columns.get(j, Fraction(0)) + x
    if plain and len(rows) > 1 and all(abs(x - 1) < Fraction(1, 50) for x in columns.values()):
        first = _row(line.line, rows[0])
        if first and abs(sum((x for x, _ in first), Fraction(-1))) > Fraction(1, 50):
            yield Fact("column-sums", "the columns sum to 1, not the rows")


def _bent(line: JudgedLine, i: int) -> Fact | None:
    """One last digit changed so that the row sums to exactly 1."""
    off = [
        c
        for spot, c in line.cells.items()
        if spot[0] == i and c.verdict in (Verdict.LAST_DIGIT, Verdict.TRUNCATED)
    ]
    if len(off) != 1:
        return None
    return Fact(
        "row-sum-forced", f"row {i + 1}: a last digit was changed so that the row sums to 1", i
    )


def _range(line: Line, V: Sequence[Sequence[Fraction]]) -> Iterator[Fact]:
    for (i, j), cell in sorted(line.cells.items()):
        if not isinstance(cell, Written) or not isinstance(cell.value, Number):
            continue
        if not cell.value.is_rational or j >= len(V[0]):
            continue
        column = [row[j] for row in V]
        half = Fraction(10) ** -(cell.places or 0) / 2
        value = cell.value.rational
        if not min(column) - half <= value <= max(column) + half:
            low, high = _decimal(min(column)), _decimal(max(column))
            among = f"from {low} to {high}" if low != high else f"all {low}"
            yield Fact(
                "outside-values",
                f"row {i + 1}, column {j + 1} cannot be {cell.text}: the values that it is a "
                f"mixture of are {among}",
                i,
            )


def _mirrored(line: JudgedLine) -> Iterator[Fact]:
    """A wrong score that equals the one across the diagonal was copied."""
    for (i, j), judged in sorted(line.cells.items()):
        other = line.cells.get((j, i))
        if i == j or other is None or judged.verdict is not Verdict.WRONG:
            continue
        a, b = judged.cell, other.cell
        if isinstance(a, Written) and isinstance(b, Written) and a.value == b.value:
            yield Fact(
                "copied-across",
                f"row {i + 1}, column {j + 1} is the same as row {j + 1}, column {i + 1}: "
                "scores are not symmetric in general",
                i,
            )


def _decimal(value: Fraction) -> str:
    text = f"{float(value):.6f}".rstrip("0")
    return text.rstrip(".")
