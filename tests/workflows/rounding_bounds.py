"""How far rounding can move a utility of the two ridge families: the first-order bounds of docs/rounding.md.

Three things differ between correct versions of numpy, scipy and their BLAS: the order in which a product of matrices is
added up, the backward error of the singular value decomposition, and the last digit of log1p and expm1.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked import workflows
from whatworked.declaration import PreparedInput, Workflow
from whatworked.workflows import forecasting, regression

Array = npt.NDArray[np.float64]

UNIT = 2.0**-53
"""Unit roundoff of float64."""

BACKWARD = 10.0
"""Backward error of the decomposition in units of roundoff times the largest singular value. The LAPACK users' guide
(section 4.9) puts a modest p(m, n) here and takes 1."""

FAMILIES = ("regression", "forecasting")


@dataclass(frozen=True)
class Bounds:
    """Largest move of one utility by each cause."""

    sums: float
    decomposition: float
    logarithm: float

    @property
    def total(self) -> float:
        return self.sums + self.decomposition + self.logarithm


@dataclass(frozen=True)
class Ridge:
    """One ridge of a workflow: centred training rows X and targets y, centred evaluation rows T."""

    X: Array
    y: Array
    T: Array
    raw: Array
    alpha: float

    @classmethod
    def of(cls, train: Array, target: Array, rows: Array, alpha: float) -> Ridge:
        centre = train.mean(axis=0)
        return cls(train - centre, target - target.mean(), rows - centre, np.abs(rows) + np.abs(centre), alpha)

    def sensitivities(self) -> tuple[Array, Array, Array, Array, Array]:
        """Per evaluation row: move of its prediction for one unit of error in the sums, in X (residual and coefficient
        part) and in y; and the coefficients."""
        left, s, right = np.linalg.svd(self.X, full_matrices=False)
        shrink = s / (s**2 + self.alpha)
        w = right.T @ (shrink * (left.T @ self.y))
        seen = self.T @ right.T
        by_residual = np.linalg.norm(seen / (s**2 + self.alpha), axis=1) * np.linalg.norm(self.y - self.X @ w)
        by_target = np.linalg.norm(seen * shrink, axis=1)
        n, k = self.X.shape
        sums = gamma(n) * np.linalg.norm(self.y) * (np.abs(seen) @ shrink)
        sums += gamma(k) * (np.abs(self.T) @ (np.abs(right.T) @ np.abs(shrink * (left.T @ self.y))))
        sums += gamma(k) * (self.raw @ np.abs(w))
        return sums, by_residual + by_target * np.linalg.norm(w), by_target, w, s


def gamma(n: int) -> float:
    """Error of a sum of n products relative to the sum of their magnitudes, in any order (Higham 2002, section 3.1)."""
    return n * UNIT / (1 - n * UNIT)


def ulp(values: Array) -> float:
    """One unit in the last place of the largest of them."""
    return float(np.spacing(np.abs(values).max()))


def bounds(data: PreparedInput, mask: str) -> Bounds:
    """Largest moves of one record's utility, to first order; nothing moves in other families by these causes alone."""
    workflow = workflows.get(data.family).restricted(len(mask))
    on = {letter: mask[place : place + 1] == "1" for place, letter in enumerate("ABCDEF")}
    parts = {"regression": _regression, "forecasting": _forecasting}[data.family](data, on)
    return _scored(workflow, data, mask, *parts)


def _regression(data: PreparedInput, on: dict[str, bool]) -> tuple[Ridge, bool, float, float]:
    rows = regression.expand(data, regression.expand_setting(on), regression.scale(data, regression.scale_setting(on)))
    log, alpha = regression.regress_setting(on)
    target = np.log1p(data.arrays["y_train"]) if log else data.arrays["y_train"]
    return Ridge.of(rows[0], target, rows[1], alpha), log, ulp(target) if log else 0.0, 0.0


def _forecasting(data: PreparedInput, on: dict[str, bool]) -> tuple[Ridge, bool, float, float]:
    level = forecasting.levels(data, on["C"])
    target = forecasting.differences(data, on["F"], level)
    design = forecasting.design(data, forecasting.design_setting(on), target)
    rows = forecasting.scale(data, forecasting.scale_setting(on), design)
    cut, digit = int(data.facts["cut"]), 2 * ulp(level) if on["C"] else 0.0
    # A last digit of a level is one of a lag too, in units of the column's scale.
    columns = np.ptp(design[0], axis=0) / np.ptp(rows[0], axis=0)
    ridge = Ridge.of(rows[0], target[forecasting.FIRST : cut], rows[1], forecasting.penalty(on))
    return ridge, on["C"], digit, digit / float(columns.min())


def _scored(
    workflow: Workflow, data: PreparedInput, mask: str, ridge: Ridge, log: bool, digit: float, digit_of_rows: float
) -> Bounds:
    sums, by_rows, by_target, w, s = ridge.sensitivities()
    n, k = ridge.X.shape
    moved = {
        # Either of two versions may be off by as much.
        "sums": 2 * sums,
        "decomposition": 2 * BACKWARD * UNIT * s[0] * by_rows,
        "logarithm": np.sqrt(n) * digit * by_target
        + np.sqrt(n * k) * digit_of_rows * by_rows
        + digit_of_rows * np.abs(w).sum()
        + digit,
    }
    prediction: Any = workflow.predict(data, mask).value
    slope = 1 + np.abs(prediction) if log else np.ones(len(prediction))
    last = np.spacing(slope) if log else 0.0
    outcome = workflow.score(data, prediction)
    per_cost = outcome.utility**2 / workflow.metric.cost_scale(data) if workflow.metric.cost_scale else 1.0
    found = {name: float(per_cost * np.mean(move * slope)) for name, move in moved.items()}
    found["logarithm"] += float(per_cost * np.mean(last)) if log else 0.0
    # The mean of the errors and the map to a utility round as well.
    found["sums"] += 8 * UNIT
    return Bounds(**found)
