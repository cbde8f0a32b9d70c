"""Classification: logistic regression on transformed features, scored by balanced accuracy."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt
from sklearn.decomposition import PCA
from sklearn.feature_selection import SelectPercentile, f_classif
from sklearn.linear_model import LogisticRegression
from sklearn.metrics import balanced_accuracy_score
from sklearn.preprocessing import StandardScaler

from whatworked.declaration.fingerprint import PredictionForm, labels_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics
from whatworked.workflows.tabular import signed_log

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

Features = tuple[FloatArray, FloatArray]
"""Training rows and evaluation rows."""


def transform(data: PreparedInput, log: bool) -> Features:
    """Features as they are, or their signed logarithm."""
    train, test = data.arrays["X_train"], data.arrays["X_test"]
    return (signed_log(train), signed_log(test)) if log else (train, test)


def scale(data: PreparedInput, standard: bool, features: Features) -> Features:
    """Zero mean and unit variance of the training rows, if asked for."""
    del data
    if not standard:
        return features
    scaler = StandardScaler().fit(features[0])
    return scaler.transform(features[0]), scaler.transform(features[1])


def select(data: PreparedInput, half: bool, features: Features) -> Features:
    """The half of the features with the largest ANOVA F, if asked for."""
    if not half:
        return features
    selector = SelectPercentile(f_classif, percentile=50).fit(features[0], data.arrays["y_train"])
    return selector.transform(features[0]), selector.transform(features[1])


def project(data: PreparedInput, components: bool, features: Features) -> Features:
    """Principal components that keep 95 % of the variance, if asked for."""
    del data
    if not components:
        return features
    pca = PCA(n_components=0.95, svd_solver="full").fit(features[0])
    return pca.transform(features[0]), pca.transform(features[1])


def classify(data: PreparedInput, setting: tuple[str | None, float], features: Features) -> npt.NDArray[np.int64]:
    """Labels of the evaluation rows by logistic regression."""
    class_weight, strength = setting
    model = LogisticRegression(C=strength, class_weight=class_weight, max_iter=3000, random_state=17)
    model.fit(features[0], data.arrays["y_train"])
    return np.asarray(model.predict(features[1]), dtype=np.int64)


def model_setting(on: Switches) -> tuple[str | None, float]:
    """Class weights and the inverse regularisation strength."""
    return ("balanced" if on["C"] else None), (0.05 if on["D"] else 1.0)


def balanced_accuracy(data: PreparedInput, prediction: npt.NDArray[np.int64]) -> float:
    """Mean recall of the classes."""
    return float(balanced_accuracy_score(data.arrays["y_test"], prediction))


WORKFLOW = Workflow(
    family="classification",
    summary="Logistic regression on transformed, scaled, selected and projected features.",
    options=(
        Option("A", "feature transform", "features as they are", "sign(x) * log(1 + abs(x))"),
        Option("B", "scaling", "none", "standard scaling fitted on the training rows"),
        Option("C", "class weights", "uniform", "balanced"),
        Option("D", "inverse regularisation strength", "C = 1", "C = 0.05"),
        Option("E", "feature selection", "all features", "the 50 % with the largest ANOVA F"),
        Option("F", "projection", "none", "PCA keeping 95 % of the variance"),
    ),
    stages=(
        Stage("transform", transform, "A"),
        Stage("scale", scale, "B"),
        Stage("select", select, "E"),
        Stage("project", project, "F"),
        Stage("classify", classify, "CD", model_setting),
    ),
    metric=Metric("balanced_accuracy", balanced_accuracy, second_metrics.balanced_accuracy),
    form=PredictionForm(
        "class label of every evaluation row", labels_fingerprint, "int64", tolerance=0.01, utility_tolerance=0.01
    ),
)
