"""Mean completion: the least an estimator has to beat."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.methods.observations import check_observations
from whatworked.surfaces.masks import BitArray, FloatArray


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
    """Predicts the mean of the measured utilities everywhere.

    Examples
    --------
    >>> MeanEstimator().fit([[0, 0], [1, 1]], [0.25, 0.75]).predict([[0, 1], [1, 0]]).tolist()
    [0.5, 0.5]
    """

    def fit(self, masks: BitArray, utilities: FloatArray) -> MeanModel:
        """Take the mean of the measured utilities.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.

        Returns
        -------
        MeanModel
            With `predict`.

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, or a mask appears twice.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        _, _, values = check_observations(masks, utilities)
        return MeanModel(float(values.mean()))
