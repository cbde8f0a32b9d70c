"""Clustering: k-means on transformed features, scored by normalised mutual information."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.cluster import KMeans
from sklearn.decomposition import PCA
from sklearn.metrics import normalized_mutual_info_score
from sklearn.preprocessing import StandardScaler

from whatworked.declaration.fingerprint import PredictionForm, labels_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics
from whatworked.workflows.tabular import signed_log

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput


def transform(data: PreparedInput, log: bool) -> FloatArray:
    """Features as they are, or their signed logarithm."""
    features = data.arrays["X"]
    return signed_log(features) if log else features


def scale(data: PreparedInput, standard: bool, features: FloatArray) -> FloatArray:
    """Zero mean and unit variance, if asked for."""
    del data
    return np.asarray(StandardScaler().fit_transform(features)) if standard else features


def project(data: PreparedInput, kind: str | None, features: FloatArray) -> FloatArray:
    """Principal components that keep 95 % of the variance, plain or whitened."""
    del data
    if kind is None:
        return features
    pca = PCA(n_components=0.95, svd_solver="full", whiten=kind == "whitened")
    return np.asarray(pca.fit_transform(features))


def project_setting(on: Switches) -> str | None:
    """None, plain or whitened."""
    if not on["C"]:
        return None
    return "whitened" if on["E"] else "plain"


def cluster(data: PreparedInput, setting: tuple[int, str], features: FloatArray) -> npt.NDArray[np.int32]:
    """Cluster of every row."""
    starts, init = setting
    model = KMeans(
        n_clusters=int(data.facts["n_clusters"]),
        init=init,
        n_init=starts,
        max_iter=300,
        algorithm="lloyd",
        random_state=17,
    )
    return np.asarray(model.fit(features).labels_, dtype=np.int32)


def cluster_setting(on: Switches) -> tuple[int, str]:
    """Number of starts, and how a start is drawn."""
    return (10 if on["D"] else 1), ("random" if on["F"] else "k-means++")


def mutual_information(data: PreparedInput, prediction: npt.NDArray[np.int32]) -> float:
    """Mutual information with the classes over the arithmetic mean of the entropies."""
    return float(normalized_mutual_info_score(data.arrays["labels"], prediction))


WORKFLOW = Workflow(
    family="clustering",
    summary="k-means on transformed, scaled and projected features; k is the number of classes.",
    options=(
        Option("A", "feature transform", "features as they are", "sign(x) * log(1 + abs(x))"),
        Option("B", "scaling", "none", "standard scaling"),
        Option("C", "projection", "none", "PCA keeping 95 % of the variance"),
        Option("D", "number of k-means starts", "1", "10, the best one kept"),
        Option("E", "whitening", "plain components", "components of unit variance"),
        Option("F", "k-means start", "k-means++", "random rows"),
    ),
    stages=(
        Stage("transform", transform, "A"),
        Stage("scale", scale, "B"),
        Stage("project", project, "CE", project_setting),
        Stage("cluster", cluster, "DF", cluster_setting),
    ),
    metric=Metric("NMI", mutual_information, second_metrics.mutual_information),
    form=PredictionForm("cluster of every row", labels_fingerprint, "int32", tolerance=0.01, utility_tolerance=0.01),
)
