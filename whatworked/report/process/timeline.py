"""The graph over time: what was said above, what was done below, and edges between."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence

from whatworked.process.graph import Act, Edge, Graph, Moment, Proposition, Quote
from whatworked.process.graph.model import ACT_TYPES, PROPOSITION_TYPES
from whatworked.report.svg import Scale, element, picture, text_of, title

_WIDTH = 1160.0
_LEFT, _RIGHT, _TOP, _ROW = 96.0, 16.0, 18.0, 26.0
_BESIDE = 6.0
"""Pixels between nodes of one moment and type."""
_ROWS = (*PROPOSITION_TYPES, *ACT_TYPES)
_DRAWN = ("reads", "builds_on", "grounds", "explains", "voids", "answers", "expects")
"""Edges between nodes that both stand on the picture; verdicts are the colour of their check."""


def timeline(graph: Graph, places: Mapping[Quote, str], linked: bool) -> str:
    """The picture.

    Parameters
    ----------
    graph : Graph
        Of the run.
    places : mapping of Quote to str
        Anchors of quotes.
    linked : bool
        Whether the record is on the page.

    Returns
    -------
    str
        Markup; a line of text where there is nothing to draw.
    """
    nodes: list[Act | Proposition] = [*graph.propositions, *graph.acts]
    if not nodes:
        return element("p", "The graph has no nodes.", class_="note")
    last = max(1, graph.steps - 1)
    x = Scale(-0.5, last + 0.5, _LEFT, _WIDTH - _RIGHT)
    points = _points(nodes, x)
    verdicts = {edge.source: edge.type for edge in graph.edges if edge.type in ("confirms", "contradicts")}
    drawn = [edge for edge in graph.edges if edge.type in _DRAWN]
    content = (
        _frame(x, last)
        + element("g", "".join(_edge(edge, points) for edge in drawn), class_="edges")
        + "".join(_node(node, points[node.id], verdicts.get(node.id), places, linked) for node in nodes)
    )
    told = f"{len(graph.propositions)} propositions and {len(graph.acts)} acts over {graph.steps} steps"
    return picture(_WIDTH, _y(ACT_TYPES[-1]) + 44, content, "The graph over time", told)


def _points(nodes: Sequence[Act | Proposition], x: Scale) -> Mapping[str, tuple[float, float]]:
    """Where each node stands; those of one moment and type stand side by side."""
    there: Counter[tuple[str, Moment]] = Counter()
    points = {}
    for node in nodes:
        beside = there[node.type, node.at]
        there[node.type, node.at] += 1
        points[node.id] = (x(node.at.step + node.at.phase / 3 - 0.33) + _BESIDE * beside, _y(node.type))
    return points


def _y(kind: str) -> float:
    place = _ROWS.index(kind)
    return _TOP + _ROW * place + (10 if kind in ACT_TYPES else 0)


def _frame(x: Scale, last: int) -> str:
    parts = []
    for kind in _ROWS:
        parts.append(element("line", x1=x.start, x2=x.end, y1=_y(kind), y2=_y(kind), class_="grid"))
        parts.append(element("text", text_of(kind), x=x.start - 10, y=_y(kind) + 4, class_="label end"))
    bottom = _y(ACT_TYPES[-1]) + 18
    for tick in _ticks(last):
        parts.append(element("line", x1=x(tick), x2=x(tick), y1=bottom - 4, y2=bottom, class_="axis-line"))
        parts.append(element("text", str(tick), x=x(tick), y=bottom + 14, class_="middle"))
    parts.append(element("line", x1=x.start, x2=x.end, y1=bottom - 4, y2=bottom - 4, class_="axis-line"))
    parts.append(element("text", "step", x=x.start - 10, y=bottom + 14, class_="end"))
    return "".join(parts)


def _ticks(last: int) -> Sequence[int]:
    width = next(size for size in (1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 10**9) if last / size <= 12)
    return range(0, last + 1, width)


def _edge(edge: Edge, points: Mapping[str, tuple[float, float]]) -> str:
    (x1, y1), (x2, y2) = points[edge.source], points[edge.target]
    bend = (y1 + y2) / 2 - (14 if y1 == y2 else 0)
    path = f"M{x1:.1f} {y1:.1f}Q{(x1 + x2) / 2:.1f} {bend:.1f} {x2:.1f} {y2:.1f}"
    name = f"{edge.source} {edge.type.replace('_', ' ')} {edge.target}"
    return element("path", title(name), d=path, class_=f"edge {edge.type}", data_ends=f"{edge.source} {edge.target}")


def _node(
    node: Act | Proposition,
    point: tuple[float, float],
    verdict: str | None,
    places: Mapping[Quote, str],
    linked: bool,
) -> str:
    said = "" if verdict is None else f", {verdict}"
    tip = title(f"{node.id}{said}: {node.quote.text[:160]}")
    kind = "act" if isinstance(node, Act) else "said"
    mark = element("circle", tip, cx=point[0], cy=point[1], r=5.5, class_=f"node {kind} {verdict or 'plain'}")
    group = element("g", mark, data_node=node.id)
    return element("a", group, href=f"#{places[node.quote]}") if linked else group
