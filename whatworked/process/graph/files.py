"""Graphs on disk: canonical JSON, the same bytes for the same graph."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import msgspec

from whatworked.errors import RecordError
from whatworked.process.graph.model import SCHEMA, Act, Graph, Proposition
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, write_atomic

SIZE_LIMIT = 256 * 2**20
"""Bytes that a graph's file may have."""


def graph_bytes(graph: Graph) -> bytes:
    """A graph as the bytes of its file.

    Parameters
    ----------
    graph : Graph
        Of a run.

    Returns
    -------
    bytes
        A line of canonical JSON.
    """
    return canonical_json(msgspec.to_builtins(graph)) + b"\n"


def graph_digest(graph: Graph) -> str:
    """SHA-256 of a graph's bytes.

    Parameters
    ----------
    graph : Graph
        Of a run.

    Returns
    -------
    str
    """
    return sha256(graph_bytes(graph))


def write_graph(path: Path, graph: Graph) -> None:
    """Write a graph, complete or not at all.

    Parameters
    ----------
    path : Path
        The file.
    graph : Graph
        Of a run.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    write_atomic(path, graph_bytes(graph))


def read_graph(path: Path) -> Graph:
    """Read a graph and hold it together.

    Parameters
    ----------
    path : Path
        A file that `write_graph` wrote.

    Returns
    -------
    Graph

    Raises
    ------
    StorageError
        If it cannot be read or is too large.
    RecordError
        If it is no graph, of another schema, or has ids that stand twice or edges to nodes that are not there.
    """
    data = read_file(path, SIZE_LIMIT)
    try:
        schema = msgspec.json.decode(data, type=dict[str, msgspec.Raw]).get("schema")
        if schema is None or bytes(schema) != f'"{SCHEMA}"'.encode():
            said = "none" if schema is None else bytes(schema)[:60].decode(errors="replace")
            raise RecordError(
                f'{path} has schema {said}; this version reads "{SCHEMA}": make it with `whatworked process score`'
            )
        graph = msgspec.json.decode(data, type=Graph)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RecordError(f"{path} is no graph of a run: {error}; make one with `whatworked process score`") from error
    _hold_together(path, graph)
    return graph


def _hold_together(path: Path, graph: Graph) -> None:
    about: list[Act | Proposition] = [*graph.acts, *graph.propositions]
    ids = [idea.id for idea in graph.ideas] + [node.id for node in about]
    known = set(ids)
    counts = Counter(ids)
    faults = [f"the id {name} stands there {counts[name]} times" for name in sorted(known) if counts[name] > 1]
    ends = [(f"edge {edge.type}", end) for edge in graph.edges for end in (edge.source, edge.target)]
    ends += [(f"mark {mark.type}", mark.node) for mark in graph.marks if mark.node != "run"]
    ends += [(node.id, node.idea) for node in about if node.idea is not None]
    faults += [f"{what} names {end}, which is not there" for what, end in ends if end not in known]
    if faults:
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise RecordError(f"graph {path}: {'; '.join(faults[:5])}{more}; make it again with `whatworked process score`")
