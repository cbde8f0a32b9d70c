"""Graphs: the part of GML that Newman's network data use, and plain edge lists."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.catalog.manifest_layout import EdgeListReader, GmlReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawGraph
from whatworked.sources.readers import single

_TOKEN = re.compile(r'"[^"]*"|\[|\]|[^\s\[\]"]+')


def read_gml(reader: GmlReader, files: Mapping[str, RawBytes]) -> RawGraph:
    """Node ids and edges of a GML file; labels, values and edge attributes are passed over.

    Raises
    ------
    RawDataError
        If brackets do not match, there is no graph, an id is no integer, or an edge names an unknown node.
    """
    del reader
    raw = single(files)
    text = raw.data.decode("latin-1")
    try:
        top = _block(iter(_TOKEN.findall(text)), raw.origin, closed=True)
    except RecursionError as error:
        raise RawDataError(f"{raw.origin}: brackets are nested too deeply for a graph") from error
    graphs = [value for key, value in top if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        raise RawDataError(f"{raw.origin}: {len(graphs)} GML graphs, expected one")
    nodes = [_integer(item, "id", raw.origin) for key, item in graphs[0] if key == "node"]
    ends = [item for key, item in graphs[0] if key == "edge"]
    edges = [(_integer(item, "source", raw.origin), _integer(item, "target", raw.origin)) for item in ends]
    return _graph(nodes, edges, raw.origin)


def read_edges(reader: EdgeListReader, files: Mapping[str, RawBytes]) -> RawGraph:
    """Lines of two node names separated by a tab; without `nodes` the names are integer ids, all of them named.

    Raises
    ------
    RawDataError
        If a line has not two names, or a name is unknown or no integer.
    """
    raw = single(files)
    lines = raw.data.decode("utf-8").splitlines()
    pairs = [line.split("\t") for line in lines if line and not line.startswith("#")]
    wrong = next((number for number, pair in enumerate(pairs, start=1) if len(pair) != 2), None)
    if wrong is not None:
        raise RawDataError(f"{raw.origin}: edge {wrong} is not two names separated by a tab")
    ids = {name: number for number, name in enumerate(reader.nodes)}
    try:
        edges = [tuple(ids[name] if ids else int(name) for name in pair) for pair in pairs]
    except (KeyError, ValueError) as error:
        raise RawDataError(f"{raw.origin}: unknown node {error}") from error
    nodes = list(ids.values()) or sorted({end for edge in edges for end in edge})
    return _graph(nodes, [(edge[0], edge[1]) for edge in edges], raw.origin)


def _graph(nodes: list[int], edges: list[tuple[int, int]], origin: str) -> RawGraph:
    known = set(nodes)
    if len(known) < len(nodes):
        raise RawDataError(f"{origin}: a node id stands twice")
    strangers = sorted({end for edge in edges for end in edge} - known)
    if strangers or not edges:
        raise RawDataError(f"{origin}: " + (f"edges name unknown nodes {strangers[:5]}" if strangers else "no edges"))
    return RawGraph(tuple(sorted(nodes)), tuple(edges), origin)


def _block(tokens: Iterator[str], origin: str, closed: bool) -> list[tuple[str, Any]]:
    items: list[tuple[str, Any]] = []
    for key in tokens:
        if key == "]":
            if closed:
                raise RawDataError(f"{origin}: a closing bracket too many")
            return items
        value = next(tokens, None)
        if value is None or value == "]" or key == "[":
            raise RawDataError(f"{origin}: GML key without a value near {key!r}")
        items.append((key, _block(tokens, origin, closed=False) if value == "[" else value))
    if not closed:
        raise RawDataError(f"{origin}: a bracket is never closed; the file is cut short")
    return items


def _integer(item: Any, key: str, origin: str) -> int:
    values = dict(item) if isinstance(item, list) else {}
    try:
        return int(values[key])
    except (KeyError, ValueError, TypeError) as error:
        raise RawDataError(f"{origin}: a GML entry lacks an integer {key!r}") from error
