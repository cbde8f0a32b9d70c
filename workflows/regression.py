"""Regression: ridge on scaled and expanded features, scored by mean absolute error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.preprocessing import PolynomialFeatures, RobustScaler, StandardScaler

from whatworked.declaration.fingerprint import PredictionForm, values_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

Features = tuple[FloatArray, FloatArray]
"""Training rows and evaluation rows."""


def scale(data: PreparedInput, kind: str | None, features: None = None) -> Features:
    """Scaled features; the scaler is fitted on the training rows."""
    del features
    train, test = data.arrays["X_train"], data.arrays["X_test"]
    if kind is None:
        return train, test
    scaler = (RobustScaler() if kind == "robust" else StandardScaler()).fit(train)
    return scaler.transform(train), scaler.transform(test)


def scale_setting(on: Switches) -> str | None:
    """None, standard or robust."""
    if not on["B"]:
        return None
    return "robust" if on["F"] else "standard"


def expand(data: PreparedInput, terms: str | None, features: Features) -> Features:
    """Degree-two polynomial features without a constant column."""
    del data
    if terms is None:
        return features
    polynomial = PolynomialFeatures(degree=2, include_bias=False, interaction_only=terms == "interactions")
    train = polynomial.fit_transform(features[0])
    return train, polynomial.transform(features[1])


def expand_setting(on: Switches) -> str | None:
    """None, all terms or interactions."""
    if not on["C"]:
        return None
    return "interactions" if on["E"] else "all terms"


def regress(data: PreparedInput, setting: tuple[bool, float], features: Features) -> FloatArray:
    """Targets of the evaluation rows by ridge regression, fitted to the target or to its log1p."""
    log_target, alpha = setting
    target = data.arrays["y_train"]
    model = Ridge(alpha=alpha, solver="svd").fit(features[0], np.log1p(target) if log_target else target)
    predicted = model.predict(features[1])
    return np.asarray(np.expm1(predicted) if log_target else predicted, dtype=np.float64)


def regress_setting(on: Switches) -> tuple[bool, float]:
    """Whether the target is transformed, and the ridge penalty."""
    return on["A"], (10.0 if on["D"] else 1.0)


def absolute_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Mean absolute error in the unit of the target."""
    return float(mean_absolute_error(data.arrays["y_test"], prediction))


def target_spread(data: PreparedInput) -> float:
    """Inter-quartile range of the training targets."""
    low, high = np.quantile(data.arrays["y_train"], (0.25, 0.75))
    return float(high - low)


WORKFLOW = Workflow(
    family="regression",
    summary="Ridge regression on scaled and polynomially expanded features.",
    options=(
        Option("A", "target transform", "target as it is", "log1p, predictions through expm1"),
        Option("B", "scaling", "none", "scaling fitted on the training rows"),
        Option("C", "feature expansion", "none", "degree-two polynomial features after scaling"),
        Option("D", "ridge penalty", "alpha = 1", "alpha = 10"),
        Option("E", "polynomial terms", "all terms", "interactions only"),
        Option("F", "kind of scaling", "standard", "robust"),
    ),
    stages=(
        Stage("scale", scale, "BF", scale_setting),
        Stage("expand", expand, "CE", expand_setting),
        Stage("regress", regress, "AD", regress_setting),
    ),
    metric=Metric(
        "MAE", absolute_error, second_metrics.absolute_error, cost_scale=target_spread, unit="unit of the target"
    ),
    form=PredictionForm("predicted target of every evaluation row", values_fingerprint, "float64"),
)
