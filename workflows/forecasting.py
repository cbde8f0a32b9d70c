"""Forecasting: one-step ridge forecasts of a series, scored by mean absolute error."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from sklearn.linear_model import Ridge
from sklearn.metrics import mean_absolute_error
from sklearn.preprocessing import RobustScaler, StandardScaler

from whatworked.declaration.fingerprint import PredictionForm, values_fingerprint
from whatworked.declaration.metric import Metric
from whatworked.declaration.workflow import Option, Stage, Switches, Workflow
from whatworked.surfaces.masks import FloatArray
from whatworked.workflows import second_metrics

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput

FIRST = 12
"""First training example under every mask, so that all twelve lags exist."""

Design = tuple[FloatArray, FloatArray]
"""Rows of the training examples t = 12 … cut - 1, and of the evaluation points t = cut … N - 1."""


def levels(data: PreparedInput, log: bool) -> FloatArray:
    """The series or its log1p, shape (N,)."""
    series = data.arrays["series"]
    return np.log1p(series) if log else series


def differences(data: PreparedInput, first_differences: bool, level: FloatArray) -> FloatArray:
    """What the model is fitted to: the levels, or their first differences with 0 at index 0, shape (N,)."""
    del data
    return np.diff(level, prepend=level[:1]) if first_differences else level


def design(data: PreparedInput, setting: tuple[bool, int], target: FloatArray) -> Design:
    """Lagged targets and, if asked for, time as a share of the training length."""
    trend, lags = setting
    cut = int(data.facts["cut"])
    times = np.arange(FIRST, target.size)
    columns = [target[times - lag] for lag in range(1, lags + 1)]
    if trend:
        columns.append(times / cut)
    rows = np.column_stack(columns)
    return rows[: cut - FIRST], rows[cut - FIRST :]


def scale(data: PreparedInput, kind: str, rows: Design) -> Design:
    """Columns scaled by the training examples."""
    del data
    scaler = (RobustScaler() if kind == "robust" else StandardScaler()).fit(rows[0])
    return scaler.transform(rows[0]), scaler.transform(rows[1])


def forecast(data: PreparedInput, alpha: float, rows: Design, target: FloatArray) -> FloatArray:
    """Forecast of the target at every evaluation point."""
    cut = int(data.facts["cut"])
    model = Ridge(alpha=alpha, solver="svd").fit(rows[0], target[FIRST:cut])
    return np.asarray(model.predict(rows[1]), dtype=np.float64)


def invert(data: PreparedInput, setting: tuple[bool, bool], predicted: FloatArray, level: FloatArray) -> FloatArray:
    """Forecasts in the unit of the series: the last realised level added back, then expm1."""
    log, first_differences = setting
    if first_differences:
        predicted = predicted + level[int(data.facts["cut"]) - 1 : -1]
    return np.expm1(predicted) if log else predicted


def absolute_error(data: PreparedInput, prediction: FloatArray) -> float:
    """Mean absolute error of the one-step forecasts, in the unit of the series."""
    return float(mean_absolute_error(data.arrays["series"][int(data.facts["cut"]) :], prediction))


def series_spread(data: PreparedInput) -> float:
    """Inter-quartile range of the training part of the series."""
    low, high = np.quantile(data.arrays["series"][: int(data.facts["cut"])], (0.25, 0.75))
    return float(high - low)


def design_setting(on: Switches) -> tuple[bool, int]:
    """Whether there is a trend, and the number of lags."""
    return on["A"], (12 if on["B"] else 1)


def scale_setting(on: Switches) -> str:
    """Kind of scaling."""
    return "robust" if on["E"] else "standard"


def penalty(on: Switches) -> float:
    """The ridge penalty alpha."""
    return 10.0 if on["D"] else 1.0


WORKFLOW = Workflow(
    family="forecasting",
    summary="One-step ridge forecasts from lagged values, fitted once; a forecast uses the realised values before it.",
    options=(
        Option("A", "time trend", "none", "time over the training length as a feature"),
        Option("B", "lags", "lag 1", "lags 1 to 12"),
        Option("C", "levels", "as they are", "log1p, forecasts through expm1"),
        Option("D", "ridge penalty", "alpha = 1", "alpha = 10"),
        Option("E", "scaling of the design", "standard", "robust"),
        Option("F", "target", "levels", "first differences, the last realised level added back"),
    ),
    stages=(
        Stage("levels", levels, "C"),
        Stage("differences", differences, "F"),
        Stage("design", design, "AB", design_setting),
        Stage("scale", scale, "E", scale_setting),
        Stage("forecast", forecast, "D", penalty, needs=("scale", "differences")),
        Stage("invert", invert, "CF", needs=("forecast", "levels")),
    ),
    metric=Metric(
        "one_step_MAE",
        absolute_error,
        second_metrics.forecast_error,
        cost_scale=series_spread,
        unit="unit of the series",
    ),
    form=PredictionForm("forecast at every evaluation point", values_fingerprint, "float64"),
    version="2",
)
