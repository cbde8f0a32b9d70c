"""Scores of node pairs against NetworkX and against exact arithmetic."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import networkx as nx
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.sources import Library
from whatworked.workflows.link_prediction import SCORES, adamic_adar, observe, resource_allocation

LIBRARY_SCORES = {
    "jaccard": nx.jaccard_coefficient,
    "adamic_adar": nx.adamic_adar_index,
    "resource_allocation": nx.resource_allocation_index,
    "preferential_attachment": nx.preferential_attachment,
}


def graphs() -> st.SearchStrategy[nx.Graph]:
    edges = st.sets(st.tuples(st.integers(0, 11), st.integers(0, 11)).filter(lambda pair: pair[0] < pair[1]))

    def graph_of(pairs: set[tuple[int, int]]) -> nx.Graph:
        graph = nx.empty_graph(12)
        graph.add_edges_from(sorted(pairs))
        return graph

    return edges.map(graph_of)


def pairs_of(graph: nx.Graph) -> list[tuple[int, int]]:
    return [(left, right) for left in graph for right in graph if left < right]


def assert_as_networkx(graph: nx.Graph, pairs: list[tuple[int, int]]) -> None:
    for name, score in LIBRARY_SCORES.items():
        expected = [value for _, _, value in score(graph, pairs)]
        assert SCORES[name](graph, pairs) == pytest.approx(expected, rel=1e-14, abs=0), name


@given(graphs())
def test_scores_are_those_of_networkx_up_to_the_order_of_its_sums(graph: nx.Graph) -> None:
    assert_as_networkx(graph, pairs_of(graph))


def test_scores_of_a_real_graph_are_those_of_networkx(tmp_path: Path) -> None:
    data = Library(tmp_path, offline=True).prepared("graph_lesmis")
    pairs = [(int(u), int(v)) for name in ("fit_pairs", "test_pairs") for u, v in data.arrays[name]]
    assert_as_networkx(observe(data, None), pairs)


@given(graphs())
def test_sums_over_common_neighbours_are_exactly_rounded(graph: nx.Graph) -> None:
    pairs = pairs_of(graph)
    for score, weight in ((resource_allocation, lambda n: 1 / n), (adamic_adar, lambda n: 1 / math.log(n))):
        expected = [
            float(sum(Fraction(weight(graph.degree(node))) for node in set(graph[left]) & set(graph[right])))
            for left, right in pairs
        ]
        assert score(graph, pairs) == expected
