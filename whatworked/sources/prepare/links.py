"""Graphs: a random division of edges and non-edges into observed, calibration and test parts."""

from __future__ import annotations

import numpy as np

from whatworked.catalog.manifest_layout import LinkPreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError
from whatworked.sources.raw import RawGraph
from whatworked.surfaces.masks import IntArray

MOST_NODES = 5000
"""Nodes that a graph may have: all pairs of them are listed, 12.5 million of this many."""


def prepare_links(manifest: Manifest, how: LinkPreparation, raw: RawGraph) -> PreparedInput:
    """Divide the simple undirected graph.

    Nodes become 0 … n-1 in ascending order of their ids; self-loops and repeated edges go. Of M edges, K = round(f·M)
    calibrate, K test, the others are observed. Pairs are listed positives, then as many negatives.

    Raises
    ------
    RawDataError
        If the graph has too few edges or non-edges for the parts, or more than `MOST_NODES` nodes.
    """
    if len(raw.nodes) > MOST_NODES:
        raise RawDataError(f"{raw.origin}: {len(raw.nodes)} nodes, at most {MOST_NODES} are allowed; take a part of it")
    edges, others = _pairs(raw)
    part = round(how.part_fraction * len(edges))
    seen = len(edges) - 2 * part
    if part < 1 or seen < 1 or len(others) < 2 * part:
        raise RawDataError(f"{raw.origin}: {len(edges)} edges and {len(others)} non-edges are too few to divide")
    generator = np.random.default_rng(how.split_seed)
    edges = edges[generator.permutation(len(edges))]
    others = others[generator.permutation(len(others))]
    labels = np.repeat(np.array([1, 0], dtype=np.int64), part)
    arrays = {
        "observed_edges": edges[:seen],
        "fit_pairs": np.concatenate([edges[seen : seen + part], others[:part]]),
        "fit_labels": labels,
        "test_pairs": np.concatenate([edges[seen + part :], others[part : 2 * part]]),
        "test_labels": labels,
    }
    return PreparedInput(manifest.id, manifest.family, arrays, {"n_nodes": len(raw.nodes)})


def _pairs(raw: RawGraph) -> tuple[IntArray, IntArray]:
    """Edges and non-edges as sorted (low, high) pairs in lexicographic order, shapes (M, 2) and (N, 2)."""
    number = {node: position for position, node in enumerate(raw.nodes)}
    ends = ((number[first], number[second]) for first, second in raw.edges)
    edges = sorted({(min(pair), max(pair)) for pair in ends if pair[0] != pair[1]})
    linked = np.zeros((len(raw.nodes), len(raw.nodes)), dtype=bool)
    if edges:
        linked[tuple(np.array(edges).T)] = True
    others = np.argwhere(np.triu(~linked, k=1))
    return np.array(edges, dtype=np.int64).reshape(-1, 2), others.astype(np.int64)
