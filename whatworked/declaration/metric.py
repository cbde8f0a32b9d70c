"""Scoring a prediction: the metric in its own unit, a second computation of it, and the utility."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

from whatworked.errors import MetricDisagreementError
from whatworked.surfaces.cost_map import CostMap

if TYPE_CHECKING:
    from whatworked.declaration.prepared import PreparedInput


AGREEMENT = 1e-10
"""Largest difference of the two computations of a metric."""


@dataclass(frozen=True)
class Metric:
    """The score of one family.

    Attributes
    ----------
    name : str
        Name in records, for instance ``"balanced_accuracy"``.
    native : callable
        ``native(data, prediction) -> float``.
    second : callable or None
        The same quantity by separate plain code; the two must agree to 1e-10. None: it is computed once.
    cost_scale : callable or None
        For a cost: ``cost_scale(data) -> s`` of u = 1 / (1 + c / s). None where the native value is the utility.
    unit : str
        Unit of the native value; "" for a score in [0, 1].
    extras : callable or None
        ``extras(data, prediction) -> {name: value}``, further figures that are recorded but not scored.
    """

    name: str
    native: Callable[[PreparedInput, Any], float]
    second: Callable[[PreparedInput, Any], float] | None = None
    cost_scale: Callable[[PreparedInput], float] | None = None
    unit: str = ""
    extras: Callable[[PreparedInput, Any], Mapping[str, float]] | None = None

    def cost_map(self, data: PreparedInput) -> CostMap | None:
        """Map between native value and utility on one source.

        Parameters
        ----------
        data : PreparedInput
            The source.

        Returns
        -------
        CostMap or None
            None where they are the same number.

        Raises
        ------
        InvalidOptionError
            If the scale is not a finite number above 0.
        """
        return None if self.cost_scale is None else CostMap(self.cost_scale(data))

    def utility(self, data: PreparedInput, native: float) -> float:
        """Utility of a native value on one source.

        Parameters
        ----------
        data : PreparedInput
            The source.
        native : float
            The metric in its own unit.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        InvalidOptionError
            If the scale is not a finite number above 0.
        """
        costs = self.cost_map(data)
        return float(native) if costs is None else float(costs.to_utility(native))

    def checked(self) -> Metric:
        """The same metric, computed twice whenever it is asked for.

        Where its second computation differs by more than 1e-10, `native` raises `MetricDisagreementError`. A metric
        without a second computation is returned as it is.

        Returns
        -------
        Metric
        """
        if self.second is None:
            return self
        return replace(self, native=partial(_checked_native, self, self.second))

    def disagreement(self, data: PreparedInput, prediction: Any) -> float:
        """Absolute difference between the metric and its second computation.

        Parameters
        ----------
        data : PreparedInput
            The source.
        prediction : object
            What is scored.

        Returns
        -------
        float
            In the unit of the metric; NaN without a second computation.
        """
        if self.second is None:
            return math.nan
        return abs(float(self.native(data, prediction)) - float(self.second(data, prediction)))


def _checked_native(
    metric: Metric, again: Callable[[PreparedInput, Any], float], data: PreparedInput, prediction: Any
) -> float:
    first, second = float(metric.native(data, prediction)), float(again(data, prediction))
    if not abs(first - second) <= AGREEMENT:
        raise MetricDisagreementError(
            f"{metric.name} on {data.source} is {first!r}, computed a second time {second!r}; "
            f"they may differ by {AGREEMENT}"
        )
    return first
