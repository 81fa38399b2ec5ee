"""The report as data. Names of verdicts and tags are stable; rows and columns count from 1, tokens
as rows."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from symattn.exact.matrix import MinusInfinity, round_value
from symattn.exact.number import LETTER
from symattn.exact.rounding import Rounding
from symattn.verify.findings import Finding
from symattn.verify.reading.written import Blank, Cell, Unreadable, Written
from symattn.verify.report import Report
from symattn.verify.sources import EVERY_ROW
from symattn.verify.verdicts import Judged
from symattn.views.feedback import Feedback

VERSION = 1


def report_data(report: Report, how: Feedback) -> dict[str, Any]:
    """Everything that is known about a calculation; right values only with `how.reveal`."""
    earned, possible = report.points
    first = report.first_error
    return {
        "version": VERSION,
        "problem": report.derivation.problem.name or report.derivation.problem.title,
        "readable": report.is_readable,
        "right": report.is_right,
        "points": {"earned": _number(earned), "possible": possible},
        "first_error": first and {
            "stage": first[0].line.line.letter,
            "head": first[0].line.line.head,
            "row": first[1].spot[0] + 1,
            "column": first[1].spot[1] + 1,
        },
        "counts": {verdict.value: count for verdict, count in sorted(
            report.counts.items(), key=lambda item: item[0].value)},
        "steps": [
            {"stage": mark.letter, "head": mark.head, "earned": _number(mark.earned),
             "possible": mark.possible}
            for mark in report.marks
        ],
        "lines": [_line(finding, how) for finding in report.findings],
        "misfits": [
            {"stage": m.letter, "head": m.head, "line": m.at, "shape": list(m.grid.shape)}
            for m in report.misfits
        ],
        "notes": [{"line": n.at, "code": n.code, "text": n.text} for n in report.notes],
    }  # fmt: skip


def _number(value: Fraction) -> float | int:
    return int(value) if value.denominator == 1 else round(float(value), 4)


def _line(finding: Finding, how: Feedback) -> dict[str, Any]:
    line = finding.line.line
    diagnosis = finding.diagnosis.found if finding.diagnosis else ()
    return {
        "stage": line.letter,
        "head": line.head,
        "name": line.name,
        "line": line.at,
        "cells": [_cell(cell, how) for _, cell in sorted(finding.line.cells.items())],
        "diagnosis": [
            {"tags": [row.tag for row in each.rows],
             "title": " and ".join(row.title for row in each.rows),
             "question": each.rows[0].hint, "evidence": each.evidence}
            for each in diagnosis
        ],
        "slips": [
            {"row": s.spot[0] + 1, "column": s.spot[1] + 1, "tag": s.tag, "text": s.words}
            for s in finding.slips
        ],
        "fits": [{"tag": f.tag, "text": f.words} for f in finding.fits],
        "facts": [
            {"tag": f.tag, "text": f.words, **({} if f.row is None else {"row": f.row + 1})}
            for f in finding.facts
        ],
    }  # fmt: skip


def _cell(judged: Judged, how: Feedback) -> dict[str, Any]:
    out: dict[str, Any] = {
        "row": judged.spot[0] + 1,
        "column": judged.spot[1] + 1,
        "written": _text(judged.cell),
        "verdict": judged.verdict.value,
    }
    if judged.why:
        out["why"] = judged.why
    if judged.used:
        out["from"] = [
            {"stage": letter, "head": head, "row": "all" if row == EVERY_ROW else row + 1}
            for letter, head, row in sorted(judged.used)
        ]
    if judged.is_trivial:
        out["trivial"] = True
    if isinstance(judged.cell, Unreadable):
        out["code"] = judged.cell.refusal.code
    if how.reveal and judged.reference is not None:
        out["right"] = right_value(judged)
    return out


def _text(cell: Cell) -> str:
    match cell:
        case Blank(text) | Unreadable(text, _):
            return text
        case Written(text=text):
            return text


def right_value(judged: Judged) -> str:
    """The true value in decimals, to at least as many places as were written."""
    assert judged.reference is not None
    value = judged.reference.exactly()
    if isinstance(value, MinusInfinity):
        return "-inf"
    if value.has(LETTER):
        return ""
    cell = judged.cell
    places = cell.places if isinstance(cell, Written) and cell.places is not None else 3
    return str(round_value(value, Rounding(max(places, 0))))
