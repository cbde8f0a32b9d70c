"""The verdict table of a run, and what an idea's standing was at a moment: read from the graph, stored nowhere."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal, TypeAlias

from whatworked.process.graph.model import Edge, Graph, Moment

Direction: TypeAlias = Literal["confirms", "contradicts", "inconclusive"]
Standing: TypeAlias = Literal["untested", "supported", "contradicted"]


@dataclass(frozen=True)
class Verdict:
    """What the result of a check says of an idea.

    Attributes
    ----------
    idea, check : str
        Ids.
    direction : {"confirms", "contradicts", "inconclusive"}
        What it says.
    at : Moment
        When the result was shown.
    void : bool
        Whether the agent showed later that the result was broken. It then says nothing of the idea.
    edge : Edge
        The edge with the quote.
    """

    idea: str
    check: str
    direction: Direction
    at: Moment
    void: bool
    edge: Edge

    @property
    def directional(self) -> bool:
        """Whether it confirms or contradicts, and was not shown to be broken."""
        return self.direction != "inconclusive" and not self.void


def verdict_table(graph: Graph) -> tuple[Verdict, ...]:
    """Every verdict of a run, in order of time.

    Parameters
    ----------
    graph : Graph
        Of a run.

    Returns
    -------
    tuple of Verdict
        Void ones too.

    Notes
    -----
    A check of the harness (mandated) gives verdicts as any other: what was shown was shown.
    """
    moments = {act.id: act.at for act in graph.acts}
    void = {edge.target for edge in graph.edges if edge.type == "voids"}
    rows = [
        Verdict(edge.target, edge.source, edge.type, moments[edge.source], edge.source in void, edge)
        for edge in graph.edges
        if edge.type == "confirms" or edge.type == "contradicts" or edge.type == "inconclusive"
    ]
    return tuple(sorted(rows, key=lambda row: (row.at, row.check, row.idea)))


def by_idea(rows: Iterable[Verdict]) -> Mapping[str, tuple[Verdict, ...]]:
    """Verdicts by idea, in the order given.

    Parameters
    ----------
    rows : iterable of Verdict
        From a table.

    Returns
    -------
    mapping of str to tuple of Verdict
    """
    found: dict[str, list[Verdict]] = {}
    for row in rows:
        found.setdefault(row.idea, []).append(row)
    return {idea: tuple(members) for idea, members in found.items()}


def standing(rows: Iterable[Verdict], until: Moment | None = None) -> Standing:
    """How an idea stands after the verdicts on it.

    Parameters
    ----------
    rows : iterable of Verdict
        All of one idea.
    until : Moment, optional
        Those that were shown later are not counted.

    Returns
    -------
    {"untested", "supported", "contradicted"}
        By the last directional verdict; of two that were shown at one moment, a contradiction counts.

    Examples
    --------
    >>> standing([])
    'untested'
    """
    counted = [row for row in rows if row.directional and (until is None or row.at <= until)]
    if not counted:
        return "untested"
    last = max(row.at for row in counted)
    directions = {row.direction for row in counted if row.at == last}
    return "contradicted" if "contradicts" in directions else "supported"
