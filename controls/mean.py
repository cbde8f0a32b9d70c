"""Mean completion: the least an estimator has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.controls.observations import check_observations
from whatworked.cube import BitArray, FloatArray


@dataclass(frozen=True)
class MeanModel:
    """A constant.

    Attributes
    ----------
    value : float
        Mean of the measured utilities.
    """

    value: float

    def predict(self, masks: BitArray) -> FloatArray:
        """The constant for each mask; shape (m, d) -> (m,)."""
        return np.full(len(masks), self.value)


@dataclass(frozen=True)
class MeanEstimator:
    """Predicts the mean of the measured utilities everywhere."""

    def fit(self, masks: BitArray, utilities: FloatArray) -> MeanModel:
        """Fit to measured masks, shape (n, d), and their utilities, shape (n,)."""
        _, _, values = check_observations(masks, utilities)
        return MeanModel(float(values.mean()))
