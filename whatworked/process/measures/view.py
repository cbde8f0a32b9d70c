"""A graph as measures look at it: nodes by id, edges by type, verdicts by idea; built once a graph."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property

from whatworked.process.graph.model import (
    Act,
    ActType,
    Edge,
    EdgeType,
    Graph,
    Mark,
    MarkType,
    Moment,
    Proposition,
    PropositionType,
    Quote,
)
from whatworked.process.graph.verdicts import Verdict, by_idea, verdict_table


@dataclass(frozen=True)
class Item:
    """One opportunity.

    Attributes
    ----------
    node : str
        The node that makes it.
    taken : bool
        Whether the record shows the response.
    why : str
        What decided, in plain words.
    quotes : tuple of Quote
        The parts of the record that show it.
    """

    node: str
    taken: bool
    why: str
    quotes: tuple[Quote, ...]


@dataclass(frozen=True)
class Abstention:
    """Why a measure says nothing of a run.

    Attributes
    ----------
    reason : str
        In plain words.
    """

    reason: str


class View:
    """What measures read of a graph.

    Parameters
    ----------
    graph : Graph
        Of a run.
    """

    def __init__(self, graph: Graph) -> None:
        self.graph = graph

    @cached_property
    def acts(self) -> Mapping[str, Act]:
        """Acts by id, in order of time."""
        return {act.id: act for act in self.graph.acts}

    @cached_property
    def propositions(self) -> Mapping[str, Proposition]:
        """Propositions by id, in order of time."""
        return {said.id: said for said in self.graph.propositions}

    @cached_property
    def verdicts(self) -> tuple[Verdict, ...]:
        """The verdict table, in order of time."""
        return verdict_table(self.graph)

    @cached_property
    def verdicts_on(self) -> Mapping[str, tuple[Verdict, ...]]:
        """Verdicts by idea, in order of time."""
        return by_idea(self.verdicts)

    @cached_property
    def verdicts_by(self) -> Mapping[str, tuple[Verdict, ...]]:
        """Verdicts by check, in order of ideas."""
        found: dict[str, list[Verdict]] = {}
        for row in self.verdicts:
            found.setdefault(row.check, []).append(row)
        return {check: tuple(rows) for check, rows in found.items()}

    @cached_property
    def said_of(self) -> Mapping[str, tuple[Proposition, ...]]:
        """Propositions by idea, in order of time."""
        found: dict[str, list[Proposition]] = {}
        for said in self.graph.propositions:
            if said.idea is not None:
                found.setdefault(said.idea, []).append(said)
        return {idea: tuple(members) for idea, members in found.items()}

    @cached_property
    def acts_on(self) -> Mapping[str, tuple[Act, ...]]:
        """Acts by idea, in order of time."""
        found: dict[str, list[Act]] = {}
        for act in self.graph.acts:
            if act.idea is not None:
                found.setdefault(act.idea, []).append(act)
        return {idea: tuple(members) for idea, members in found.items()}

    @cached_property
    def _out(self) -> Mapping[tuple[EdgeType, str], tuple[Edge, ...]]:
        found: dict[tuple[EdgeType, str], list[Edge]] = {}
        for edge in self.graph.edges:
            found.setdefault((edge.type, edge.source), []).append(edge)
        return {key: tuple(edges) for key, edges in found.items()}

    @cached_property
    def _into(self) -> Mapping[tuple[EdgeType, str], tuple[Edge, ...]]:
        found: dict[tuple[EdgeType, str], list[Edge]] = {}
        for edge in self.graph.edges:
            found.setdefault((edge.type, edge.target), []).append(edge)
        return {key: tuple(edges) for key, edges in found.items()}

    @cached_property
    def _marks(self) -> Mapping[tuple[MarkType, str], Mark]:
        return {(mark.type, mark.node): mark for mark in self.graph.marks}

    def edges_from(self, kind: EdgeType, node: str) -> tuple[Edge, ...]:
        """Edges of a type that start at a node."""
        return self._out.get((kind, node), ())

    def edges_to(self, kind: EdgeType, node: str) -> tuple[Edge, ...]:
        """Edges of a type that end at a node."""
        return self._into.get((kind, node), ())

    def mark(self, kind: MarkType, node: str) -> Mark | None:
        """The answer about a node; None if it was not asked. Its value is None where the votes did not decide."""
        return self._marks.get((kind, node))

    def value(self, kind: MarkType, node: str | None) -> str | None:
        """The value of the answer about a node; None where there is none."""
        mark = None if node is None else self.mark(kind, node)
        return None if mark is None else mark.value

    def undecided(self, kind: MarkType, node: str) -> bool:
        """Whether a question about a node was put and the votes did not decide."""
        mark = self.mark(kind, node)
        return mark is not None and mark.value is None

    def is_research(self, idea: str | None) -> bool:
        """Whether an idea is one of the studied thing, and not of the work."""
        return self.value("topic", idea) == "research"

    def acts_of(self, *types: ActType) -> tuple[Act, ...]:
        """Acts of these types that the agent chose, in order of time."""
        return tuple(act for act in self.graph.acts if act.type in types and not act.mandated)

    def said(self, *types: PropositionType) -> tuple[Proposition, ...]:
        """Propositions of these types, in order of time."""
        return tuple(said for said in self.graph.propositions if said.type in types)

    def looks_at(self, launch: str) -> tuple[Act, ...]:
        """Checks that read a launch, in order of time."""
        found = [self.acts[edge.source] for edge in self.edges_to("reads", launch)]
        return tuple(sorted(found, key=lambda check: (check.at, check.id)))

    def first_shown(self, launches: Iterable[Act]) -> Moment | None:
        """When the first result of some launches was shown; None if none was."""
        shown = [looks[0].at for launch in launches if (looks := self.looks_at(launch.id))]
        return min(shown, default=None)

    def live_contradictions(self, idea: str) -> tuple[Verdict, ...]:
        """Verdicts against an idea that were not shown to be void."""
        return tuple(row for row in self.verdicts_on.get(idea, ()) if row.direction == "contradicts" and not row.void)


def quotes_of(*parts: Act | Proposition | Edge | Mark | Verdict | None) -> tuple[Quote, ...]:
    """The quotes of some parts of a graph, each once, in order."""
    found: dict[Quote, None] = {}
    for part in parts:
        quote = part.edge.quote if isinstance(part, Verdict) else None if part is None else part.quote
        if quote is not None:
            found[quote] = None
    return tuple(found)
