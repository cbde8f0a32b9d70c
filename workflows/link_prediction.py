"""Link prediction: logistic regression on neighbourhood scores of node pairs, scored by ROC AUC."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import partial
from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import roc_auc_score
from sklearn.preprocessing import StandardScaler

from whatworked.declaration.fingerprint import PredictionForm, values_fingerprint
from whatworked.declaration.library import LazyLibrary
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics

if TYPE_CHECKING:
    import networkx as nx

    from whatworked.declaration.prepared import PreparedInput

if not TYPE_CHECKING:
    nx = LazyLibrary("networkx", "link prediction")

Pairs = list[tuple[int, int]]
Column = tuple[FloatArray, FloatArray]
"""One score of the calibration pairs and of the test pairs."""

Features = tuple[FloatArray, FloatArray]
"""Feature rows of the calibration pairs and of the test pairs."""


def observe(data: PreparedInput, setting: None) -> nx.Graph:
    """The observed graph: every node, and the edges that are neither for calibration nor for the test."""
    del setting
    graph = nx.Graph()
    graph.add_nodes_from(range(int(data.facts["n_nodes"])))
    graph.add_edges_from(data.arrays["observed_edges"].tolist())
    return graph


def common_neighbours(graph: nx.Graph, pairs: Pairs) -> list[float]:
    """Number of common neighbours of each pair."""
    return [float(len(list(nx.common_neighbors(graph, left, right)))) for left, right in pairs]


def adamic_adar(graph: nx.Graph, pairs: Pairs) -> list[float]:
    """Sum over the common neighbours of 1 / log(degree) of each pair (Adamic and Adar 2003)."""
    return _summed(graph, pairs, lambda degree: 1 / math.log(degree))


def resource_allocation(graph: nx.Graph, pairs: Pairs) -> list[float]:
    """Sum over the common neighbours of 1 / degree of each pair (Zhou, Lü and Zhang 2009)."""
    return _summed(graph, pairs, lambda degree: 1 / degree)


def _summed(graph: nx.Graph, pairs: Pairs, weight: Callable[[int], float]) -> list[float]:
    """Sums over common neighbours, exactly rounded.

    NetworkX adds with `sum`, in the order of a set; since Python 3.12 `sum` compensates for rounding, so that the last
    digit would depend on the version of Python.
    """
    degrees = dict(graph.degree())
    return [
        math.fsum(weight(degrees[node]) for node in nx.common_neighbors(graph, left, right)) for left, right in pairs
    ]


def _listed(
    score: Callable[[nx.Graph, Pairs], Iterable[tuple[int, int, float]]],
) -> Callable[[nx.Graph, Pairs], list[float]]:
    """A NetworkX link score as a list of numbers."""
    return lambda graph, pairs: [float(value) for _, _, value in score(graph, pairs)]


SCORES: dict[str, Callable[[nx.Graph, Pairs], list[float]]] = {
    "common_neighbours": common_neighbours,
    "jaccard": _listed(lambda graph, pairs: nx.jaccard_coefficient(graph, pairs)),
    "adamic_adar": adamic_adar,
    "resource_allocation": resource_allocation,
    "preferential_attachment": _listed(lambda graph, pairs: nx.preferential_attachment(graph, pairs)),
}
"""Scores of node pairs, in the order of the options A to E."""


def column(name: str, data: PreparedInput, active: bool, graph: nx.Graph) -> Column | None:
    """The score `name` of every pair; None where it is off."""
    if not active:
        return None
    fit, test = ([(int(u), int(v)) for u, v in data.arrays[pairs]] for pairs in ("fit_pairs", "test_pairs"))
    return np.array(SCORES[name](graph, fit)), np.array(SCORES[name](graph, test))


def join(data: PreparedInput, setting: None, *columns: Column | None) -> Features:
    """The enabled columns side by side; one zero column where none is enabled."""
    del setting
    enabled = [pair for pair in columns if pair is not None]
    if not enabled:
        return np.zeros((len(data.arrays["fit_pairs"]), 1)), np.zeros((len(data.arrays["test_pairs"]), 1))
    return np.column_stack([fit for fit, _ in enabled]), np.column_stack([test for _, test in enabled])


def scale(data: PreparedInput, standard: bool, features: Features) -> Features:
    """Zero mean and unit variance of the calibration pairs, if asked for."""
    del data
    if not standard:
        return features
    scaler = StandardScaler().fit(features[0])
    return scaler.transform(features[0]), scaler.transform(features[1])


def scale_setting(on: Switches) -> bool:
    """Whether to scale; a zero column stays zero."""
    return on["F"] and any(on[letter] for letter in "ABCDE")


def link(data: PreparedInput, setting: None, features: Features) -> list[float]:
    """Probability of an edge for every test pair."""
    del setting
    model = LogisticRegression(C=1.0, max_iter=2000, random_state=20260907)
    model.fit(features[0], data.arrays["fit_labels"])
    return [float(probability) for probability in model.predict_proba(features[1])[:, 1]]


def area_under_curve(data: PreparedInput, prediction: list[float]) -> float:
    """Area under the ROC curve of the test pairs."""
    return float(roc_auc_score(data.arrays["test_labels"], prediction))


WORKFLOW = Workflow(
    family="link_prediction",
    summary="Logistic regression on neighbourhood scores of node pairs, computed on the observed graph only.",
    options=(
        Option("A", "common neighbours", "not used", "number of common neighbours as a feature"),
        Option("B", "Jaccard coefficient", "not used", "as a feature"),
        Option("C", "Adamic-Adar index", "not used", "as a feature"),
        Option("D", "resource allocation index", "not used", "as a feature"),
        Option("E", "preferential attachment", "not used", "as a feature"),
        Option("F", "scaling", "none", "standard scaling fitted on the calibration pairs"),
    ),
    stages=(
        Stage("observe", observe),
        *(
            Stage(name, partial(column, name), letter, needs=("observe",))
            for letter, name in zip("ABCDE", SCORES, strict=True)
        ),
        Stage("join", join, needs=tuple(SCORES)),
        Stage("scale", scale, "ABCDEF", scale_setting),
        Stage("link", link),
    ),
    metric=Metric("ROC_AUC", area_under_curve, second_metrics.area_under_curve),
    form=PredictionForm("probability of every test pair", values_fingerprint, utility_tolerance=0.001),
    version="2",
)
