"""The relevance-averaged Gaussian process as an estimator, with uncertainty.

Given a kernel, a cell or an effect has a Student t distribution with n − 1 degrees of freedom; averaging over kernels
gives a mixture of these. Intervals are its quantiles, found by bisection. The warp is linearised at the median.

Real surfaces are in no prior's support, and the weights of kernels that differ in evidence only because all of them are
wrong come out too uneven. Predictions do not suffer, but intervals would be too narrow. For intervals, weights are
therefore flattened until they spread over a stated number of kernels, and half-widths carry a factor that is fitted
with the scored family left out (`whatworked inference calibrate`).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
from scipy.special import stdtr, stdtrit

from whatworked.errors import InvalidOptionError
from whatworked.grading.uncertainty import Distribution
from whatworked.inference.kernel import Prior
from whatworked.inference.mixture import Mixture, fit_mixture
from whatworked.inference.sampler import Sampler, tempered
from whatworked.methods.observations import check_observations
from whatworked.surfaces.masks import BitArray, FloatArray, bits_of

_ROWS = 1024
"""Masks predicted at a time, so that memory stays bounded on large cubes."""
_ROWS_WITH_COVARIANCE = 256
"""Cells or differences whose uncertainty is worked out at a time; a block takes up to 100 MB."""
_HALVINGS = 40
SPREAD = 20.0
"""Effective number of kernels that intervals average over at least."""
_SMALLEST_WEIGHT = 1e-300
INFLATION = 1.07
"""Factor on half-widths; docs/inference.md shows how it was fitted."""


@dataclass(frozen=True, eq=False)
class RelevanceModel:
    """A fitted response surface with uncertainty.

    Attributes
    ----------
    mixture : Mixture or None
        None after a single measurement, when every mask is predicted that value.
    constant : float
        Mean of the measurements.
    inflation : float
        Factor on the half-width of intervals.
    """

    mixture: Mixture | None
    constant: float
    inflation: float = INFLATION

    def predict(self, masks: BitArray) -> FloatArray:
        """Predicted utility of masks: the mean over the kernels, by weight, of the median under each.

        Parameters
        ----------
        masks : ndarray of int8, shape (m, d)
            Any masks of the cube, measured or not.

        Returns
        -------
        ndarray of float64, shape (m,)
            Not clipped to [0, 1].
        """
        if self.mixture is None:
            return np.full(len(masks), self.constant)
        rows = np.asarray(masks, dtype=np.int8)
        weights, at = self.mixture.weights, self.mixture.at
        parts = [weights @ at(rows[first : first + _ROWS]).utilities for first in range(0, len(rows), _ROWS)]
        return np.concatenate(parts) if parts else np.empty(0)

    def predict_std(self, masks: BitArray) -> FloatArray:
        """Posterior standard deviation of utilities.

        Parameters
        ----------
        masks : ndarray of int8, shape (m, d)
            Any masks of the cube, measured or not.

        Returns
        -------
        ndarray of float64, shape (m,)
            Infinite after a single measurement.
        """
        centres, scales = self._cells(masks)
        return self._std(centres, scales)

    def predict_interval(self, masks: BitArray, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Central intervals that hold a utility with a given probability.

        Parameters
        ----------
        masks : ndarray of int8, shape (m, d)
            Any masks of the cube, measured or not.
        level : float
            Probability, above 0 and below 1.

        Returns
        -------
        (ndarray of float64, ndarray of float64), each of shape (m,)
            Lower and upper ends; infinite after a single measurement.

        Raises
        ------
        InvalidOptionError
            For another level.
        """
        return self._interval(*self._cells(masks), level)

    def effect_interval(self, off: BitArray, on: BitArray, level: float = 0.9) -> tuple[FloatArray, FloatArray]:
        """Central intervals that hold a difference u(on) − u(off) with a given probability.

        Parameters
        ----------
        off, on : ndarray of int8, shape (m, d)
            Masks before and after, row by row; any two masks.
        level : float
            Probability, above 0 and below 1.

        Returns
        -------
        (ndarray of float64, ndarray of float64), each of shape (m,)
            Lower and upper ends; infinite after a single measurement.

        Raises
        ------
        InvalidOptionError
            For another level.
        """
        return self._interval(*self._differences(off, on), level)

    def effect_std(self, off: BitArray, on: BitArray) -> FloatArray:
        """Posterior standard deviation of the differences u(on) − u(off).

        Parameters
        ----------
        off, on : ndarray of int8, shape (m, d)
            Masks before and after, row by row; any two masks.

        Returns
        -------
        ndarray of float64, shape (m,)
            Infinite after a single measurement.
        """
        return self._std(*self._differences(off, on))

    def predict_distribution(self, masks: BitArray) -> Distribution:
        """Distributions of utilities: the mixture whose quantiles `predict_interval` gives.

        Parameters
        ----------
        masks : ndarray of int8, shape (m, d)
            Any masks of the cube.

        Returns
        -------
        Distribution
        """
        return self._distribution(*self._cells(masks))

    def effect_distribution(self, off: BitArray, on: BitArray) -> Distribution:
        """Distributions of differences u(on) − u(off): the mixture whose quantiles `effect_interval` gives.

        Parameters
        ----------
        off, on : ndarray of int8, shape (m, d)
            Masks before and after, row by row; any two masks.

        Returns
        -------
        Distribution
        """
        return self._distribution(*self._differences(off, on))

    def _distribution(self, centres: FloatArray, scales: FloatArray) -> Distribution:
        if self.mixture is None:
            return Distribution(centres, scales, np.ones(1))
        middle = self.mixture.weights @ centres
        stretched = middle + self.inflation * (centres - middle)
        return Distribution(stretched, self.inflation * scales, self._flat_weights, float(self.mixture.freedom))

    def draws(self, masks: BitArray, number: int, seed: int = 0) -> FloatArray:
        """Surfaces that the measurements allow, drawn at random: utilities of masks, jointly.

        They spread as the intervals do: over flattened weights, stretched about the prediction by `inflation`.

        Parameters
        ----------
        masks : ndarray of int8, shape (m, d)
            Distinct masks; the memory grows with m**2.
        number : int
            How many surfaces.
        seed : int
            Of the random numbers.

        Returns
        -------
        ndarray of float64, shape (number, m)

        Raises
        ------
        InvalidOptionError
            After a single measurement, which says nothing of how far others may be from it.
        """
        if self.mixture is None:
            raise InvalidOptionError("one measurement allows every surface; measure at least two masks")
        fitted = self.mixture.at(np.asarray(masks, dtype=np.int8))
        centres, covariances = fitted.utilities, fitted.covariance()
        # Every kernel gets its share of the draws, instead of a random one.
        shares = np.searchsorted(np.cumsum(self._flat_weights), (np.arange(number) + 0.5) / number)
        counts = np.bincount(np.minimum(shares, len(centres) - 1), minlength=len(centres))
        generator = np.random.default_rng(seed)
        parts = []
        for kernel in np.flatnonzero(counts):
            normal = generator.standard_normal((counts[kernel], len(masks)))
            per_draw = self.mixture.evidence.squares[kernel] / generator.chisquare(self.mixture.freedom, counts[kernel])
            spread = self.mixture.unit * np.sqrt(per_draw)[:, None] * (normal @ _root(covariances[kernel]).T)
            parts.append(centres[kernel] + spread)
        middle = self.mixture.weights @ centres
        return np.asarray(middle + self.inflation * (np.concatenate(parts) - middle))

    @property
    def _fitted(self) -> Mixture:
        mixture = self.mixture
        assert mixture is not None  # noqa: S101 - callers have checked
        return mixture

    def _cells(self, masks: BitArray) -> tuple[FloatArray, FloatArray]:
        if self.mixture is None:
            return np.full((1, len(masks)), self.constant), np.full((1, len(masks)), np.inf)
        return _in_blocks(self._cells_of_block, np.asarray(masks, dtype=np.int8))

    def _cells_of_block(self, masks: BitArray) -> tuple[FloatArray, FloatArray]:
        fitted = self._fitted.at(masks)
        return fitted.utilities, self._scales(np.einsum("kii->ki", fitted.covariance()))

    def _differences(self, off: BitArray, on: BitArray) -> tuple[FloatArray, FloatArray]:
        if self.mixture is None:
            return np.zeros((1, len(off))), np.full((1, len(off)), np.inf)
        return _in_blocks(self._differences_of_block, np.asarray(off, dtype=np.int8), np.asarray(on, dtype=np.int8))

    def _differences_of_block(self, off: BitArray, on: BitArray) -> tuple[FloatArray, FloatArray]:
        # A mask is the end of d edges: its covariances are worked out once, not once for each.
        cells, place = np.unique(np.concatenate([off, on]), axis=0, return_inverse=True)
        fitted = self._fitted.at(cells)
        covariance, means = fitted.covariance(), fitted.utilities
        start, end = place[: len(off)], place[len(off) :]
        variance = covariance[:, start, start] + covariance[:, end, end] - 2.0 * covariance[:, start, end]
        return means[:, end] - means[:, start], self._scales(variance)

    def _scales(self, variance: FloatArray) -> FloatArray:
        """Scale parameters of the Student t distributions, shape (k, m)."""
        mixture = self._fitted
        per_freedom = mixture.evidence.squares / mixture.freedom
        return np.asarray(mixture.unit * np.sqrt(per_freedom[:, None] * np.maximum(variance, 0.0)))

    def _std(self, centres: FloatArray, scales: FloatArray) -> FloatArray:
        if self.mixture is None:
            return np.full(centres.shape[1], np.inf)
        freedom, weights = self.mixture.freedom, self._flat_weights
        # A Student t has the variance ν / (ν − 2) from ν = 3 on. Below it has none, and ν times the squared scale
        # stands in, so that the result stays finite.
        within = weights @ scales**2 * (freedom / max(freedom - 2, 1))
        between = weights @ (centres - weights @ centres) ** 2
        return np.asarray(self.inflation * np.sqrt(within + between))

    @cached_property
    def _flat_weights(self) -> FloatArray:
        return tempered(np.log(np.maximum(self._fitted.weights, _SMALLEST_WEIGHT)), SPREAD)

    def _interval(self, centres: FloatArray, scales: FloatArray, level: float) -> tuple[FloatArray, FloatArray]:
        if not 0.0 < level < 1.0:
            raise InvalidOptionError(f"level of an interval is {level!r}; allowed are numbers between 0 and 1")
        if self.mixture is None:
            endless = np.full(centres.shape[1], np.inf)
            return -endless, endless
        tail = (1.0 - level) / 2.0
        lower, upper = (self._quantile(centres, scales, share) for share in (tail, 1.0 - tail))
        middle = self.mixture.weights @ centres
        # Stretched about the prediction, not the middle of the interval: 1 leaves the quantiles as they are.
        return middle + self.inflation * (lower - middle), middle + self.inflation * (upper - middle)

    def _quantile(self, centres: FloatArray, scales: FloatArray, share: float) -> FloatArray:
        """Quantile of a mixture of Student t distributions by bisection, shape (m,).

        It lies between the smallest and the largest of the components' own quantiles.
        """
        freedom = self._fitted.freedom
        # A measured mask has no width; the floor keeps the division below defined.
        width = np.maximum(scales, 1e-15)
        own = centres + width * stdtrit(freedom, share)
        low, high = own.min(axis=0), own.max(axis=0)
        for _ in range(_HALVINGS):
            middle = (low + high) / 2.0
            below = self._flat_weights @ stdtr(freedom, (middle - centres) / width) < share
            low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray((low + high) / 2.0)


def _root(covariance: FloatArray) -> FloatArray:
    """Lower triangle L with LLᵀ = a covariance that may lack full rank, up to a trace of it on the diagonal."""
    jitter = 1e-10 * max(float(np.trace(covariance)) / len(covariance), 1e-300)
    while True:
        try:
            return np.asarray(np.linalg.cholesky(covariance + jitter * np.eye(len(covariance))))
        except np.linalg.LinAlgError:
            jitter *= 10.0


def _in_blocks(part: Callable[..., tuple[FloatArray, FloatArray]], *rows: BitArray) -> tuple[FloatArray, FloatArray]:
    """Two arrays of shape (k, m) worked out for some of m rows at a time."""
    starts = range(0, max(len(rows[0]), 1), _ROWS_WITH_COVARIANCE)
    found = [part(*(row[start : start + _ROWS_WITH_COVARIANCE] for row in rows)) for start in starts]
    return np.concatenate([centres for centres, _ in found], axis=1), np.concatenate(
        [scales for _, scales in found], axis=1
    )


@dataclass(frozen=True)
class RelevanceEstimator:
    """Gaussian process averaged over relevances, gates, tilt and warp by marginal likelihood.

    The kernel is a product over options of (1 + ψ(g) ψ(g')) / (1 + t), with t the relevance of an option and g its
    value behind its gate; mean and scale of each process are integrated out (Santner, Williams, Notz, "The Design and
    Analysis of Computer Experiments", 2003, section 4.1) and kernels are averaged by adaptive multiple importance
    sampling with fixed points (Cornuet, Marin, Mira, Robert, Scandinavian Journal of Statistics 39, 2012). No random
    number is drawn.

    Parameters
    ----------
    prior : Prior
        Prior over kernels.
    sampler : Sampler
        How many kernels the average takes in.
    inflation : float
        Factor on the half-width of intervals; predictions do not depend on it.

    Examples
    --------
    >>> measured = np.array([[0, 0], [1, 1], [1, 0]], dtype=np.int8)
    >>> model = RelevanceEstimator().fit(measured, np.array([0.0, 1.0, 0.5]))
    >>> low, high = model.predict_interval(np.array([[0, 1]], dtype=np.int8), level=0.8)
    >>> bool(low[0] < model.predict(np.array([[0, 1]]))[0] < high[0])
    True
    """

    prior: Prior = field(default_factory=Prior)
    sampler: Sampler = field(default_factory=Sampler)
    inflation: float = INFLATION

    def fit(self, masks: BitArray, utilities: FloatArray) -> RelevanceModel:
        """Fit to the measured masks.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.

        Returns
        -------
        RelevanceModel

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, or a mask appears twice.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        d, ranks, values = check_observations(masks, utilities)
        if len(ranks) < 2:
            return RelevanceModel(None, float(values[0]), self.inflation)
        mixture = fit_mixture(bits_of(ranks, d), values, self.prior, self.sampler)
        return RelevanceModel(mixture, float(values.mean()), self.inflation)
