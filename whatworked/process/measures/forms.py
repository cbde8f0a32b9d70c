"""Scores as rows for a table, as CSV, and as canonical JSON."""

from __future__ import annotations

from collections.abc import Sequence

import msgspec

from whatworked.process.measures.scores import MeasureScore, Scores
from whatworked.storage.canonical import canonical_json
from whatworked.wording import csv_lines, fixed, interval_text

COLUMNS = (
    "run", "model", "task", "scorer", "judge", "cheap", "axis", "measure", "form", "taken", "offered", "score", "low",
    "high", "published_low", "published_high", "averaged", "abstains",
)  # fmt: skip
"""Columns of the CSV form; a row of an axis has no measure."""


def scores_bytes(scores: Scores) -> bytes:
    """Scores as the bytes of a file, with every opportunity.

    Parameters
    ----------
    scores : Scores
        Of a run.

    Returns
    -------
    bytes
        A line of canonical JSON.
    """
    return canonical_json(msgspec.to_builtins(scores)) + b"\n"


def scores_csv(scores: Sequence[Scores]) -> str:
    """Scores of some runs as CSV: a row an axis, and a row a measure.

    Parameters
    ----------
    scores : sequence of Scores
        Of the runs, in order.

    Returns
    -------
    str
    """
    return csv_lines([COLUMNS, *(row for entry in scores for row in _csv_rows(entry))])


def measure_rows(scores: Scores) -> list[list[str]]:
    """Scores as rows of a table for people: axes with their measures below them.

    Parameters
    ----------
    scores : Scores
        Of a run.

    Returns
    -------
    list of list of str
        With a heading.
    """
    rows = [["axis", "measure", "taken", "score", "95 % interval", "abstains"]]
    for axis in scores.axes:
        name = f"{axis.id} {axis.name}"
        score = "-" if axis.score is None else fixed(axis.score, 3)
        rows.append([name, "", "", score, interval_text(axis.low, axis.high), "" if axis.score is not None else "yes"])
        rows += [_measure_row(entry) for entry in scores.measures if entry.axis == axis.id]
    return rows


def _measure_row(entry: MeasureScore) -> list[str]:
    taken = f"{entry.taken} of {entry.offered}" if entry.form == "rate" else ""
    if entry.form == "count" and entry.score is not None:
        taken = f"k = {entry.taken}"
    score = "-" if entry.score is None else fixed(entry.score, 3)
    return ["", entry.id, taken, score, interval_text(entry.low, entry.high), entry.abstains or ""]


def _csv_rows(scores: Scores) -> list[list[object]]:
    head: list[object] = [scores.run, scores.model, scores.task, scores.scorer, scores.judge, scores.cheap]
    rows: list[list[object]] = []
    for axis in scores.axes:
        ends = [axis.low, axis.high, axis.published_low, axis.published_high]
        rows.append([*head, axis.id, None, "mean", None, None, axis.score, *ends, None, axis.abstains])
        for entry in scores.measures:
            if entry.axis == axis.id:
                counts = [entry.taken, entry.offered, entry.score, entry.low, entry.high, None, None]
                rows.append([*head, axis.id, entry.id, entry.form, *counts, entry.averaged, entry.abstains])
    return rows
