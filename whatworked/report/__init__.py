"""One self-contained HTML page about runs."""

from __future__ import annotations

from pathlib import Path

from whatworked.comparing.comparison import CONFIDENCE, compare_methods
from whatworked.comparing.findings import uncompared
from whatworked.comparing.pool import Pool
from whatworked.statistics.bootstrap import RESAMPLES
from whatworked.storage.files import write_atomic


def report_page(
    pool: Pool,
    title: str | None = None,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> str:
    """The page as text; see `write_report`."""
    from whatworked.report.page import render

    figures = compare_methods(pool, baseline, confidence, resamples)
    return render(pool, figures, title, resamples, uncompared(pool, figures, baseline))


def write_report(
    pool: Pool,
    out: Path | str,
    title: str | None = None,
    baseline: str | None = None,
    confidence: float = CONFIDENCE,
    resamples: int = RESAMPLES,
) -> None:
    """Write one HTML file that fetches nothing.

    Parameters
    ----------
    pool : Pool
        Runs (see `whatworked.comparing.pooled`).
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

    Raises
    ------
    UnknownNameError, InvalidOptionError
        As for `compare_methods`.
    StorageError
        If the file cannot be written.
    """
    write_atomic(Path(out), report_page(pool, title, baseline, confidence, resamples).encode())
