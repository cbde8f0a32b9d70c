"""What others would use on the same purchases: a Gaussian process with a relevance per option, trees, a sparse fit.

They are here to be compared with. Nothing in them was chosen on the catalog's surfaces: the constants are those of the
papers and libraries named. scikit-learn's parts are imported when an estimator is fitted.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from types import MappingProxyType
from typing import Any

import numpy as np

from whatworked.controls.mean import MeanModel
from whatworked.controls.methods import Control
from whatworked.methods.observations import check_observations
from whatworked.protocols import Estimator, Predictor
from whatworked.surfaces.masks import BitArray, FloatArray, bits_of

TREES = 200
"""Trees of a forest."""
DEGREE = 3
"""Largest order of the Walsh functions that a sparse fit chooses from."""
LEAST = 4
"""Measurements that a sparse fit needs; with fewer it is the mean."""
RANDOM_STATE = 20260907
"""Of the forest, which is therefore the same in every run."""
_SMALLEST_NOISE = 1e-4
"""Of the variance of the standardised utilities, as in BoTorch."""


@dataclass(frozen=True, eq=False)
class ArdModel:
    """A fitted Gaussian process.

    Attributes
    ----------
    bits : ndarray of float64, shape (n, d)
        Measured masks.
    lengths : ndarray of float64, shape (d,)
        Length scale of each option.
    noise : float
        Variance of the noise, of the standardised utilities.
    mean, scale : float
        What the utilities were standardised by.
    constant : float
        Constant mean of the standardised process.
    factor, weights : ndarray of float64, shapes (n, n) and (n,)
        Cholesky factor of the covariance of the measurements; its inverse times the residuals.
    """

    bits: FloatArray
    lengths: FloatArray
    noise: float
    mean: float
    scale: float
    constant: float
    factor: FloatArray
    weights: FloatArray

    @property
    def hyperparameters(self) -> dict[str, float]:
        """Length scales and noise by name."""
        named = {f"length_{'ABCDEFGHIJKLMNOPQRST'[at]}": float(value) for at, value in enumerate(self.lengths)}
        return {**named, "noise": self.noise}

    def predict(self, masks: BitArray) -> FloatArray:
        """Posterior mean of each mask; shape (m, d) -> (m,)."""
        cross = _kernel(np.asarray(masks, dtype=np.float64), self.bits, self.lengths)
        return self.mean + self.scale * (self.constant + cross @ self.weights)

    def predict_std(self, masks: BitArray) -> FloatArray:
        """Predictive standard deviation of the utility of each mask, noise included; 0 where it was measured.

        The utility is the process plus noise, as a measurement of the mask would give it (Rasmussen and Williams,
        "Gaussian Processes for Machine Learning", 2006, eq. 2.24). Hyper-parameters and the constant count as known.

        Parameters
        ----------
        masks : ndarray of float64, shape (m, d)
            Any masks of the cube.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        return self._std(*self._whitened(masks))

    def effect_std(self, off: BitArray, on: BitArray) -> FloatArray:
        """Predictive standard deviation of u(on) − u(off), row by row; what was measured is known exactly.

        Parameters
        ----------
        off, on : ndarray of float64, shape (m, d)
            Masks before and after, different ones.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        (before, unsure_before), (after, unsure_after) = self._whitened(off), self._whitened(on)
        rows, columns = np.asarray(off, dtype=np.float64), np.asarray(on, dtype=np.float64)
        shared = np.exp(-0.5 * (((rows - columns) / self.lengths) ** 2).sum(axis=1)) - (before * after).sum(axis=0)
        variances = self._std(before, unsure_before) ** 2 + self._std(after, unsure_after) ** 2
        both = unsure_before * unsure_after
        return np.asarray(np.sqrt(np.maximum(variances - 2.0 * self.scale**2 * shared * both, 0.0)))

    def _whitened(self, masks: BitArray) -> tuple[FloatArray, FloatArray]:
        """Inverse factor times the covariances with the measurements, (n, m); 0 where measured, else 1, (m,)."""
        from scipy.linalg import solve_triangular

        rows = np.asarray(masks, dtype=np.float64)
        cross = _kernel(rows, self.bits, self.lengths)
        measured = (rows[:, None, :] == self.bits[None, :, :]).all(axis=2).any(axis=1)
        return np.asarray(solve_triangular(self.factor, cross.T, lower=True)), 1.0 - measured

    def _std(self, whitened: FloatArray, unsure: FloatArray) -> FloatArray:
        variance = np.maximum(1.0 - (whitened**2).sum(axis=0), 0.0) + self.noise
        return np.asarray(self.scale * np.sqrt(variance) * unsure)


@dataclass(frozen=True)
class ArdEstimator:
    """Gaussian process with a length scale per option under priors that grow with the number of options.

    Squared exponential kernel of unit variance on standardised utilities, constant mean; length scales have the prior
    log-normal(√2 + ½ log d, √3) and the noise variance log-normal(−4, 1), fitted by maximum a posteriori from the
    prior's mode. That is the default of BoTorch's `SingleTaskGP` (Hvarfner, Hellsten and Nardi, "Vanilla Bayesian
    Optimization Performs Great in High Dimensions", ICML 2024).

    Examples
    --------
    >>> model = ArdEstimator().fit([[0, 0], [1, 1], [1, 0]], [0.0, 1.0, 1.0])
    >>> model.predict([[0, 1]]).shape
    (1,)
    """

    def fit(self, masks: BitArray, utilities: FloatArray) -> ArdModel | MeanModel:
        """Fit to the measured masks.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.

        Returns
        -------
        ArdModel or MeanModel
            The latter where all utilities are equal.

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, or a mask appears twice.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        from scipy.optimize import minimize

        d, ranks, values = check_observations(masks, utilities)
        bits = bits_of(ranks, d).astype(np.float64)
        mean = float(values.mean())
        scale = float(values.std(ddof=1)) if len(values) > 1 else 0.0
        if scale == 0.0:
            return MeanModel(mean)
        problem = ArdObjective(bits, (values - mean) / scale)
        bounds = [(math.log(1e-3), math.log(1e4))] * d + [(math.log(_SMALLEST_NOISE), math.log(1e2))]
        found = minimize(problem, problem.start, jac=True, method="L-BFGS-B", bounds=bounds)
        lengths, noise = np.exp(found.x[:d]), float(np.exp(found.x[d]))
        constant, factor, weights = problem.solved(lengths, noise)
        return ArdModel(bits, lengths, noise, mean, scale, constant, factor, weights)


@dataclass(frozen=True, eq=False)
class ArdObjective:
    """Minus the log posterior of length scales and noise, with its gradient, for the logarithms of both.

    Attributes
    ----------
    bits : ndarray of float64, shape (n, d)
        Measured masks.
    values : ndarray of float64, shape (n,)
        Standardised utilities.
    """

    bits: FloatArray
    values: FloatArray
    squares: FloatArray = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "squares", (self.bits[:, None, :] - self.bits[None, :, :]) ** 2)

    @property
    def priors(self) -> tuple[FloatArray, FloatArray]:
        """Means and standard deviations of the logarithms, length scales first."""
        d = self.bits.shape[1]
        return (
            np.append(np.full(d, math.sqrt(2.0) + 0.5 * math.log(d)), -4.0),
            np.append(np.full(d, math.sqrt(3.0)), 1.0),
        )

    @property
    def start(self) -> FloatArray:
        """The mode of the priors: μ − σ² of a log-normal, with the noise at least the smallest."""
        means, deviations = self.priors
        least: FloatArray = np.append(np.full(len(means) - 1, -np.inf), math.log(_SMALLEST_NOISE))
        return np.asarray(np.maximum(means - deviations**2, least))

    def solved(self, lengths: FloatArray, noise: float) -> tuple[float, FloatArray, FloatArray]:
        """Best constant, Cholesky factor of the covariance, and its inverse times the residuals.

        Parameters
        ----------
        lengths : ndarray of float64, shape (d,)
            Length scales.
        noise : float
            Variance of the noise.

        Returns
        -------
        (float, ndarray of shape (n, n), ndarray of shape (n,))
        """
        from scipy.linalg import cho_solve

        covariance = _kernel(self.bits, self.bits, lengths) + noise * np.eye(len(self.values))
        factor: FloatArray = np.linalg.cholesky(covariance).astype(np.float64)
        ones = np.ones(len(self.values))
        solved = cho_solve((factor, True), np.column_stack([self.values, ones]))
        constant = float(ones @ solved[:, 0] / (ones @ solved[:, 1]))
        weights: FloatArray = solved[:, 0] - constant * solved[:, 1]
        return constant, factor, weights

    def __call__(self, logarithms: FloatArray) -> tuple[float, FloatArray]:
        """The objective and its gradient at the logarithms of length scales and noise, shape (d + 1,)."""
        from scipy.linalg import cho_solve

        means, deviations = self.priors
        lengths, noise = np.exp(logarithms[:-1]), math.exp(logarithms[-1])
        constant, factor, weights = self.solved(lengths, noise)
        residuals = self.values - constant
        inner = cho_solve((factor, True), np.eye(len(residuals)))
        standard = (logarithms - means) / deviations
        value = 0.5 * residuals @ weights + np.log(np.diag(factor)).sum()
        # A log-normal density has the logarithm itself in it, beside the square.
        value += 0.5 * standard @ standard + logarithms.sum() + 0.5 * len(residuals) * math.log(2.0 * math.pi)
        # dK / d log ℓ = K ∘ (difference² / ℓ²); the constant is at its best, so its own derivative is 0.
        both = inner - np.outer(weights, weights)
        kernel = _kernel(self.bits, self.bits, lengths)
        slopes = 0.5 * np.einsum("ij,ij,ijk->k", both, kernel, self.squares) / lengths**2
        slope = np.append(slopes, 0.5 * noise * np.trace(both))
        return float(value), slope + standard / deviations + 1.0


def _kernel(rows: FloatArray, columns: FloatArray, lengths: FloatArray) -> FloatArray:
    squares = ((rows[:, None, :] - columns[None, :, :]) / lengths) ** 2
    return np.asarray(np.exp(-0.5 * squares.sum(axis=2)))


@dataclass(frozen=True)
class TreesEstimator:
    """Extremely randomised trees of scikit-learn on the options, 200 of them, otherwise as they come.

    Geurts, Ernst and Wehenkel, "Extremely randomized trees", Machine Learning 63, 2006. The forest has a fixed random
    state, so it is the same in every run.

    Parameters
    ----------
    trees : int
        How many.

    Examples
    --------
    >>> TreesEstimator(10).fit([[0, 0], [1, 1]], [0.0, 1.0]).predict([[1, 1]]).tolist()
    [1.0]
    """

    trees: int = TREES

    def fit(self, masks: BitArray, utilities: FloatArray) -> Predictor:
        """Fit to the measured masks; see `ArdEstimator.fit` for what is refused."""
        from sklearn.ensemble import ExtraTreesRegressor

        d, ranks, values = check_observations(masks, utilities)
        forest: Any = ExtraTreesRegressor(n_estimators=self.trees, random_state=RANDOM_STATE)
        return _Regressor(forest.fit(bits_of(ranks, d).astype(np.float64), values))


@dataclass(frozen=True)
class SparseWalshEstimator:
    """Lasso on Walsh functions of up to three options, its penalty chosen by leave-one-out error.

    The functions are the products of ±1 of up to three options; the path is that of least angle regression
    (scikit-learn's `LassoLarsCV`). A sparse spectrum is what compressed sensing of set functions assumes (Stobbe and
    Krause, "Learning Fourier Sparse Set Functions", AISTATS 2012).

    Parameters
    ----------
    degree : int
        Largest order of a function.

    Examples
    --------
    >>> masks = [[0, 0], [1, 1], [1, 0], [0, 1]]
    >>> model = SparseWalshEstimator().fit(masks, [0.0, 1.0, 1.0, 0.0])
    >>> model.predict([[1, 0], [0, 1]]).round(3).tolist()
    [1.0, 0.0]
    """

    degree: int = DEGREE

    def fit(self, masks: BitArray, utilities: FloatArray) -> Predictor:
        """Fit to the measured masks; see `ArdEstimator.fit` for what is refused. Under four of them, their mean."""
        from sklearn.linear_model import LassoLarsCV

        d, ranks, values = check_observations(masks, utilities)
        if len(values) < LEAST or float(np.ptp(values)) == 0.0:
            return MeanModel(float(values.mean()))
        path: Any = LassoLarsCV(cv=len(values))
        return _Regressor(path.fit(walsh_features(bits_of(ranks, d), self.degree), values), self.degree)


@dataclass(frozen=True, eq=False)
class _Regressor:
    """A regressor of scikit-learn on options, or on Walsh functions of up to `degree` of them."""

    fitted: Any
    degree: int = 0

    def predict(self, masks: BitArray) -> FloatArray:
        rows = walsh_features(masks, self.degree) if self.degree else np.asarray(masks, dtype=np.float64)
        return np.asarray(self.fitted.predict(rows), dtype=np.float64)


def walsh_features(masks: BitArray, degree: int) -> FloatArray:
    """Products of ±1 of up to `degree` options, by order and then in combinations order.

    Parameters
    ----------
    masks : array-like of 0 and 1, shape (n, d)
        Masks.
    degree : int
        Largest order, at least 1.

    Returns
    -------
    ndarray of float64, shape (n, number of sets of 1 to `degree` options)
    """
    signs = 2.0 * np.asarray(masks, dtype=np.float64) - 1.0
    d = signs.shape[1]
    sets = [chosen for order in range(1, min(degree, d) + 1) for chosen in itertools.combinations(range(d), order)]
    return np.column_stack([signs[:, list(chosen)].prod(axis=1) for chosen in sets])


ESTIMATORS: Mapping[str, Callable[..., Estimator]] = MappingProxyType(
    {"ard-gp": ArdEstimator, "extra-trees": TreesEstimator, "sparse-walsh": SparseWalshEstimator}
)
"""Factories of the peers."""

METHODS: Mapping[str, Control] = MappingProxyType(
    {
        control.label: control
        for control in (
            Control("ARD-E", "ard-gp", "gp-effect", sequential=True),
            Control("Trees-E", "extra-trees", "gp-effect", sequential=True),
            Control("Walsh-E", "sparse-walsh", "gp-effect", sequential=True),
            Control("Ridge2-E", "ridge-pair", "gp-effect", sequential=True),
            Control("Random ARD", "ard-gp", "random", 5),
            Control("Random Trees", "extra-trees", "random", 5),
            Control("Random Walsh", "sparse-walsh", "random", 5),
            Control("Random GP", "gp", "random", 5),
        )
    }
)
"""The peers on the purchases of GP-E, and on random ones."""
