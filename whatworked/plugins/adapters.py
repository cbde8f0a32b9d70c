"""What makes a function or a scikit-learn regressor an estimator, and a function a policy."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from whatworked.protocols import Estimator, Predictor, SearchState
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, all_bits, bits_of, ranks_of

EstimatorFunction = Callable[[BitArray, FloatArray, BitArray], FloatArray]
PolicyFunction = Callable[[SearchState, int], BitArray]


class TablePredictor:
    """Predictor that looks up a complete table.

    Parameters
    ----------
    table : array-like of float, shape (2**d,)
        Predictions in canonical order.
    """

    def __init__(self, table: FloatArray) -> None:
        self.table = table

    def predict(self, masks: BitArray) -> FloatArray:
        """Entries of the table for rows of bits, shape (m, d) -> (m,)."""
        return _numbers(self.table[ranks_of(masks)])


class FunctionEstimator:
    """Estimator made of a function ``(masks, utilities, all_masks) -> predictions of all_masks``.

    The function is called once per fit, with the whole cube as float64, shape (2**d, d), in canonical order.
    """

    def __init__(self, function: EstimatorFunction) -> None:
        self.function = function

    def fit(self, masks: BitArray, utilities: FloatArray) -> Predictor:
        """Call the function; raises ValueError unless it returns one number per mask of the cube."""
        cube = all_bits(masks.shape[1]).astype(np.float64)
        table = _numbers(self.function(masks, utilities, cube))
        if table.shape != (len(cube),):
            raise ValueError(f"the function returned shape {table.shape}; expected ({len(cube)},), one value per mask")
        return TablePredictor(table)


class FunctionPolicy:
    """Policy made of a function ``(state, n) -> masks``."""

    def __init__(self, function: PolicyFunction) -> None:
        self.function = function

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Call the function."""
        return self.function(state, n)


class RegressorEstimator:
    """Estimator made of a scikit-learn regressor, or anything with its ``fit`` and ``predict``.

    Bits go in as float64 columns. The regressor is built anew for each fit, so earlier predictors stay as they were.

    Parameters
    ----------
    build : callable
        Returns a fresh, unfitted regressor.
    """

    def __init__(self, build: Callable[[], Any]) -> None:
        self.build = build

    def fit(self, masks: BitArray, utilities: FloatArray) -> Predictor:
        """Fit a fresh regressor."""
        regressor = self.build()
        fitted = regressor.fit(masks.astype(np.float64), np.array(utilities))
        regressor = regressor if fitted is None else fitted
        if type(regressor).__module__.startswith("sklearn.gaussian_process"):
            return _ProcessPredictor(regressor, ranks_of(masks))
        return _RegressorPredictor(regressor)


class _RegressorPredictor:
    def __init__(self, regressor: Any) -> None:
        self.regressor = regressor

    def predict(self, masks: BitArray) -> FloatArray:
        predictions = _numbers(self.regressor.predict(np.asarray(masks, dtype=np.float64)))
        # Some regressors (PLSRegression, multi-output ones) answer with a column.
        return predictions[:, 0] if predictions.ndim == 2 and predictions.shape[1] == 1 else predictions


class _ProcessPredictor(_RegressorPredictor):
    """A Gaussian process of scikit-learn, which states its posterior; what was measured is known exactly."""

    def __init__(self, regressor: Any, measured: IntArray) -> None:
        super().__init__(regressor)
        self.measured = measured

    def predict_std(self, masks: BitArray) -> FloatArray:
        """Posterior standard deviation of each mask, shape (m, d) -> (m,)."""
        return np.sqrt(np.diag(self._covariance(masks)))

    def effect_std(self, off: BitArray, on: BitArray) -> FloatArray:
        """Posterior standard deviation of u(on) − u(off), row by row, shapes (m, d) -> (m,)."""
        cells, places = np.unique(np.concatenate([ranks_of(off), ranks_of(on)]), return_inverse=True)
        covariance = self._covariance(bits_of(cells, np.asarray(off).shape[1]))
        before, after = np.split(places, 2)
        variance = covariance[before, before] + covariance[after, after] - 2.0 * covariance[before, after]
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=np.float64)

    def _covariance(self, masks: BitArray) -> FloatArray:
        """Posterior covariance of masks, shape (m, d) -> (m, m); rounding may leave variances below 0, which are 0."""
        _, covariance = self.regressor.predict(np.asarray(masks, dtype=np.float64), return_cov=True)
        found = np.array(covariance, dtype=np.float64)
        known = np.isin(ranks_of(masks), self.measured)
        found[known], found[:, known] = 0.0, 0.0
        np.fill_diagonal(found, np.maximum(np.diag(found), 0.0))
        return found


def is_regressor(thing: Any) -> bool:
    """Whether `thing` has scikit-learn's interface: ``fit``, ``predict`` and ``get_params``."""
    return all(callable(getattr(thing, name, None)) for name in ("fit", "predict", "get_params"))


def as_estimator(thing: Any, rebuild: Callable[[], Any]) -> Estimator:
    """Wrap `thing` as an estimator; raises TypeError when it is none.

    Parameters
    ----------
    thing : object
        What a plug-in's class, factory or module provided.
    rebuild : callable
        Makes an equal, fresh `thing`; used for each fit of a scikit-learn regressor.
    """
    if getattr(thing, "_estimator_type", None) == "classifier" or _tagged_classifier(thing):
        raise TypeError("it is a classifier; utilities are numbers, so a regressor is needed")
    if is_regressor(thing):
        return RegressorEstimator(rebuild)
    if callable(getattr(thing, "fit", None)):
        return thing  # type: ignore[no-any-return]
    if callable(thing) and not isinstance(thing, type):
        return FunctionEstimator(thing)
    raise TypeError("it has no fit(masks, utilities) and cannot be called as function(masks, utilities, all_masks)")


def _tagged_classifier(thing: Any) -> bool:
    tags = getattr(thing, "__sklearn_tags__", None)
    return is_regressor(thing) and callable(tags) and getattr(tags(), "estimator_type", None) == "classifier"


def _numbers(predictions: Any) -> FloatArray:
    """Predictions as float64; raises ValueError if some are masked, of which numpy hands over what lies below."""
    if np.ma.is_masked(predictions):
        raise ValueError("some predictions are masked; expected a number for every mask")
    return np.asarray(predictions, dtype=np.float64)
