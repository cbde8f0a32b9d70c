"""One self-contained HTML page about runs."""

from __future__ import annotations

from pathlib import Path

from whatworked.arguments import path, text
from whatworked.comparing.collection import RunCollection, collection_of
from whatworked.comparing.comparison import CONFIDENCE, compare_methods
from whatworked.comparing.findings import notes, uncompared
from whatworked.grading.score import PRIMARY, Score, score_named
from whatworked.statistics.bootstrap import RESAMPLES
from whatworked.storage.files import write_atomic


def report_page(
    runs: RunCollection,
    title: str | None = None,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    score: Score | str = PRIMARY,
) -> str:
    """The page as text; see `write_report`."""
    from whatworked.report.page import render

    score, runs = score_named(score), collection_of(runs)
    title = None if title is None else text(title, "title")
    results = compare_methods(runs, baseline, confidence, resamples, score=score)
    measured = runs.measured_by(score)
    left_out = [*notes(runs, score), *uncompared(measured, results, baseline)]
    return render(measured, results, title, resamples, left_out, baseline)


def write_report(
    runs: RunCollection,
    out: Path | str,
    title: str | None = None,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
    score: Score | str = PRIMARY,
) -> None:
    """Write one HTML file that fetches nothing.

    Parameters
    ----------
    runs : RunCollection
        The results; see `whatworked.comparing.collect_runs`.
    out : Path or str
        The file.
    title : str, optional
        Its heading; default: how many methods and conditions, and which budgets.
    baseline : str, optional
        What methods are compared with; see `whatworked.comparing.compare_methods`.
    confidence : float
        Nominal coverage of the bootstrap intervals, above 0 and below 1.
    resamples : int
        Number of resamples, at least 1.
    score : Score or str
        What is averaged and compared, or its name, see `whatworked.grading.score_named`; default: effect recovery.

    Raises
    ------
    UnknownNameError, InvalidOptionError
        As for `compare_methods`.
    StorageError
        If the file cannot be written.
    """
    page = report_page(runs, title, baseline, confidence, resamples, score)
    # The name of a folder may hold bytes that UTF-8 lacks. In JSON their escapes are read back as what they stand for.
    write_atomic(path(out, "out"), page.encode("utf-8", "backslashreplace"))
