"""The graph of a run: acts and propositions with verified quotes, typed edges, verdicts."""

from __future__ import annotations

from whatworked.process.graph.assembly import Assembly, Quoted
from whatworked.process.graph.files import graph_bytes, graph_digest, read_graph, write_graph
from whatworked.process.graph.gates import shown_at, token_budget
from whatworked.process.graph.model import (
    Act,
    Budget,
    Edge,
    Graph,
    Idea,
    Mark,
    Moment,
    Proposition,
    Quote,
    WorldFacts,
)
from whatworked.process.graph.text import shown_text, step_text
from whatworked.process.graph.verdicts import Verdict, by_idea, standing, verdict_table

__all__ = [
    "Act", "Assembly", "Budget", "Edge", "Graph", "Idea", "Mark", "Moment", "Proposition", "Quote", "Quoted", "Verdict",
    "WorldFacts", "by_idea", "graph_bytes", "graph_digest", "read_graph", "shown_at", "shown_text", "standing",
    "step_text", "token_budget", "verdict_table", "write_graph",
]  # fmt: skip
