"""A workflow family to start from: ridge regression with five switches.

Replace the stages by those of your pipeline. Every function stands in a module, so that worker processes can import it.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from whatworked.declaration import Metric, Option, PredictionForm, PreparedInput, Stage, Workflow, values_fingerprint

# A stage is a function of the prepared input, its setting, and the results of the stages before it. The data are in
# data.arrays (numpy) and data.facts (JSON). It must not change its inputs, which other masks share.


def scale(data: PreparedInput, robust: bool) -> Any:
    """Training and evaluation rows, scaled by what the training rows say."""
    train, test = data.arrays["X_train"], data.arrays["X_test"]
    if robust:
        low, middle, high = np.quantile(train, [0.25, 0.5, 0.75], axis=0)
        return (train - middle) / (high - low), (test - middle) / (high - low)
    return (train - train.mean(axis=0)) / train.std(axis=0), (test - train.mean(axis=0)) / train.std(axis=0)


def expand(data: PreparedInput, setting: str, rows: Any) -> Any:
    """Further columns: squares, or squares and products."""
    del data  # this stage needs nothing but the rows
    return tuple(_expanded(part, setting) for part in rows)


def _expanded(part: Any, setting: str) -> Any:
    if setting == "none":
        return part
    columns = range(part.shape[1])
    pairs = [(i, j) for i in columns for j in columns if i == j or (i < j and setting == "products")]
    return np.column_stack([part, *(part[:, i] * part[:, j] for i, j in pairs)])


def expand_setting(on: Mapping[str, bool]) -> str:
    """What the stage does. C has no effect without B, so the setting must leave it out there."""
    if not on["B"]:
        return "none"
    return "products" if on["C"] else "squares"


def fit(data: PreparedInput, strong: bool, rows: Any) -> Any:
    """Predictions of a ridge regression."""
    train, test = rows
    target, middle = data.arrays["y_train"], train.mean(axis=0)
    centred = train - middle
    penalty = (10.0 if strong else 0.1) * np.eye(train.shape[1])
    weights = np.linalg.solve(centred.T @ centred + penalty, centred.T @ (target - target.mean()))
    return (test - middle) @ weights + target.mean()


def bound(data: PreparedInput, active: bool, predicted: Any) -> Any:
    """Predictions, kept between the smallest and the largest training target."""
    target = data.arrays["y_train"]
    return np.clip(predicted, target.min(), target.max()) if active else predicted


# The metric, in its own unit. A cost c becomes the utility 1 / (1 + c / cost_scale); a score in [0, 1] needs no scale.


def error(data: PreparedInput, predicted: Any) -> float:
    """Mean absolute error."""
    return float(np.mean(np.abs(predicted - data.arrays["y_test"])))


def error_scale(data: PreparedInput) -> float:
    """Inter-quartile range of the training targets."""
    low, high = np.quantile(data.arrays["y_train"], [0.25, 0.75])
    return float(high - low)


WORKFLOW = Workflow(
    family="skeleton",
    summary="Ridge regression on scaled and expanded features.",
    # Letters in order; then what is chosen, and what bit 0 and bit 1 stand for.
    options=(
        Option("A", "scaling", "mean and standard deviation", "median and quartiles"),
        Option("B", "further columns", "none", "squares"),
        Option("C", "products among the further columns", "no", "yes"),
        Option("D", "ridge penalty", "0.1", "10"),
        Option("E", "predictions outside the training targets", "as they are", "clipped"),
    ),
    # Name, function, the letters it reads, and the setting it makes of them (by default the switch itself).
    stages=(
        Stage("scale", scale, "A"),
        Stage("expand", expand, "BC", expand_setting),
        Stage("fit", fit, "D"),
        Stage("bound", bound, "E"),
    ),
    # A second computation of the metric by separate code, second=..., lets `whatworked verify` compare the two.
    metric=Metric("MAE", error, cost_scale=error_scale, unit="unit of the target"),
    form=PredictionForm("predicted target of every evaluation row", values_fingerprint, "float64"),
)
