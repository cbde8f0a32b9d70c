"""Self-contained HTML pages about a run, and about games of which both process and truth are known."""

from __future__ import annotations

from pathlib import Path

from whatworked.process.graph import Graph
from whatworked.process.records import Record
from whatworked.process.truth import TruthGames
from whatworked.statistics.bootstrap import RESAMPLES
from whatworked.storage.files import write_atomic


def process_page(graph: Graph, record: Record | None = None) -> str:
    """The page as text; see `write_process_page`.

    Parameters
    ----------
    graph : Graph
        Of the run.
    record : Record, optional
        The run itself.

    Returns
    -------
    str

    Raises
    ------
    RecordError
        If the graph is of another record.
    """
    from whatworked.report.process.page import render

    return render(graph, record)


def write_process_page(graph: Graph, record: Record | None, out: Path) -> None:
    """Write one HTML file that fetches nothing.

    Parameters
    ----------
    graph : Graph
        Of the run.
    record : Record or None
        The run itself; without it quotes are shown alone and not in place.
    out : Path
        The file.

    Raises
    ------
    RecordError
        If the graph is of another record.
    StorageError
        If the file cannot be written.
    """
    write_atomic(out, process_page(graph, record).encode())


def write_truth_page(found: TruthGames, out: Path, *, confidence: float = 0.95, resamples: int = RESAMPLES) -> None:
    """Write one HTML file about stated effects and process measures of games of `effects`; it fetches nothing.

    Parameters
    ----------
    found : TruthGames
        As `whatworked.process.truth.read_games` gives them.
    out : Path
        The file.
    confidence : float
        Nominal coverage of the intervals.
    resamples : int
        Of the bootstrap.

    Raises
    ------
    InvalidOptionError
        If games were scored in several ways, or for a confidence or a number of resamples outside what is allowed.
    StorageError
        If the file cannot be written.
    """
    from whatworked.report.process.truth import render

    write_atomic(out, render(found, confidence=confidence, resamples=resamples).encode("utf-8", "backslashreplace"))
