"""Names of places on the page: where a quote stands, so that whatever shows it can lead there."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from whatworked.process.graph import Graph, Quote
from whatworked.process.measures import Scores


def quote_places(graph: Graph, scores: Scores) -> Mapping[Quote, str]:
    """An anchor for each quote of a graph and its scores.

    Parameters
    ----------
    graph : Graph
        Of the run.
    scores : Scores
        What is said of it.

    Returns
    -------
    mapping of Quote to str
        In order of the run.
    """
    quotes: set[Quote] = {node.quote for node in graph.acts} | {said.quote for said in graph.propositions}
    quotes |= set(_there(edge.quote for edge in graph.edges)) | set(_there(mark.quote for mark in graph.marks))
    quotes |= {quote for entry in scores.measures for item in entry.opportunities for quote in item.quotes}
    return {quote: f"q{number}" for number, quote in enumerate(sorted(quotes), 1)}


def step_place(step: int) -> str:
    """The anchor of a step."""
    return f"step-{step}"


def _there(quotes: Iterable[Quote | None]) -> Iterable[Quote]:
    return (quote for quote in quotes if quote is not None)
