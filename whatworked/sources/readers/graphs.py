"""Graphs: the part of GML that Newman's network data use, and plain edge lists."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterator, Mapping
from typing import Any

from whatworked.catalog.manifest_layout import EdgeListReader, GmlReader
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawBytes, RawGraph
from whatworked.sources.readers import single

_TOKEN = re.compile(r'"[^"]*"|\[|\]|[^\s\[\]"]+|"')
_NUMBER = re.compile(r"[+-]?[0-9]{1,18}")


def read_gml(reader: GmlReader, files: Mapping[str, RawBytes]) -> RawGraph:
    """Node ids and edges of a GML file; labels, values and edge attributes are passed over.

    Raises
    ------
    RawDataError
        If brackets or quotes do not match, there is no graph or a directed one, an id is no integer or stands twice, or
        an edge names an unknown node.
    """
    del reader
    raw = single(files)
    lines = raw.data.decode("latin-1").split("\n")
    text = "\n".join(line for line in lines if not line.startswith("#"))
    try:
        top = _block(iter(_tokens(text, raw.origin)), raw.origin, closed=True)
    except RecursionError as error:
        raise RawDataError(f"{raw.origin}: brackets are nested too deeply for a graph") from error
    graphs = [value for key, value in top if key == "graph" and isinstance(value, list)]
    if len(graphs) != 1:
        raise RawDataError(f"{raw.origin}: {len(graphs)} GML graphs, expected one")
    if any(key == "directed" and value != "0" for key, value in graphs[0]):
        raise RawDataError(
            f"{raw.origin}: the graph is directed, and links are predicted without direction; if it may go, write "
            "directed 0 into the file"
        )
    nodes = [_integer(item, "id", raw.origin) for key, item in graphs[0] if key == "node"]
    ends = [item for key, item in graphs[0] if key == "edge"]
    edges = [(_integer(item, "source", raw.origin), _integer(item, "target", raw.origin)) for item in ends]
    return _graph(nodes, edges, raw.origin)


def read_edges(reader: EdgeListReader, files: Mapping[str, RawBytes]) -> RawGraph:
    """Lines of two node names separated by a tab; without `nodes` the names are integer ids, all of them named.

    Empty lines and those that begin with ``#`` are passed over.

    Raises
    ------
    RawDataError
        If a line has not two names, or a name is unknown or no integer; the message names the line.
    """
    raw = single(files)
    ids = {name: number for number, name in enumerate(reader.nodes)}
    edges = list(_named_edges(raw, ids))
    nodes = list(ids.values()) or sorted({end for edge in edges for end in edge})
    return _graph(nodes, edges, raw.origin)


def _named_edges(raw: RawBytes, ids: Mapping[str, int]) -> Iterator[tuple[int, int]]:
    for number, line in enumerate(raw.data.decode("utf-8-sig").split("\n"), start=1):
        pair = line.removesuffix("\r").split("\t")
        if pair == [""] or line.startswith("#"):
            continue
        if len(pair) != 2:
            raise RawDataError(f"{raw.origin}: line {number} is not two names separated by a tab")
        unknown = [name for name in pair if (name not in ids if ids else not _NUMBER.fullmatch(name))]
        if unknown:
            what = "not in the manifest's nodes" if ids else "no integer; list the names in the manifest's nodes"
            raise RawDataError(f"{raw.origin}: line {number}: unknown node {unknown[0]!r}, {what}")
        first, second = (ids[name] if ids else int(name) for name in pair)
        yield first, second


def _tokens(text: str, origin: str) -> list[str]:
    tokens: list[str] = _TOKEN.findall(text)
    if '"' in tokens:
        raise RawDataError(f"{origin}: a quotation mark is never closed; the file is cut short")
    return tokens


def _graph(nodes: list[int], edges: list[tuple[int, int]], origin: str) -> RawGraph:
    known = set(nodes)
    if len(known) < len(nodes):
        twice = next(node for node, count in Counter(nodes).items() if count > 1)
        raise RawDataError(f"{origin}: node id {twice} stands twice; keep one")
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
    values = [value for name, value in item if name == key] if isinstance(item, list) else []
    if len(values) > 1:
        raise RawDataError(f"{origin}: a GML entry has {key!r} twice: {', '.join(map(str, values))}")
    if not values or not isinstance(values[0], str) or not _NUMBER.fullmatch(values[0]):
        found = f", but {values[0]!r}" if values and isinstance(values[0], str) else ""
        raise RawDataError(f"{origin}: a GML entry lacks an integer {key!r}{found}")
    return int(values[0])
