"""One self-contained HTML page about a run: axes, every opportunity, the graph over time, quotes in place."""

from __future__ import annotations

from pathlib import Path

from whatworked.process.graph import Graph
from whatworked.process.records import Record
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
