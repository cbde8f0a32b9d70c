r"""Grading stated uncertainty of cells and effects that were not measured.

With F the stated distribution of a quantity, f its density and y its true value, means over all graded quantities of

=============  ===================================================================================================
log score      -log f(y), negative log score; f is taken as at least 1e-300 (Good, "Rational Decisions", Journal of
               the Royal Statistical Society B 14, 1952)
CRPS           integral over x of (F(x) - 1{x >= y})^2 (Gneiting and Raftery, "Strictly Proper Scoring Rules,
               Prediction, and Estimation", JASA 102, 2007)
coverage at p  whether y lies in the central interval of probability p; as stated, it is p
sharpness      width of the central interval of probability 0.9; among calibrated statements, narrower is better
=============  ===================================================================================================

Who states intervals only has no log score; its CRPS is twice the mean pinball loss over its quantiles. Measured cells
and effects between two known cells are not graded: they are no prediction.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

import msgspec
import numpy as np

from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import FloatArray

RATES = (0.5, 0.8, 0.9, 0.95)
"""Rates at which coverage is counted."""
RATE_KEYS = tuple(f"{rate:g}" for rate in RATES)
"""The rates as texts, which is how a grade names them."""
SHARPNESS_RATE = 0.9
"""Rate of the interval whose width is the sharpness."""
LEVELS = tuple(round(0.05 * step, 2) for step in range(1, 20))
"""Probabilities of the central intervals that are asked of who states intervals only."""
LEAST_DENSITY = 1e-300
"""Densities are taken as at least this, so that a log score is finite."""
_NODES = 64
"""Points at which a distribution is integrated on either side of the truth."""
_TAIL_NODES = 16
"""Points at which each of its tails is."""
_REACH = 8.0
"""Scales from a centre to where its tail begins."""
_HALVINGS = 40
LEAST_SCALE = 1e-9
"""Scales are taken as at least this, so that a certain statement has a density."""


class Calibration(msgspec.Struct, frozen=True, kw_only=True):
    """Grades of stated uncertainty over some quantities.

    Attributes
    ----------
    count : int
        Number of quantities.
    log_score : float or None
        Mean negative log score; None where only intervals were stated.
    crps : float
        Mean continuous ranked probability score, in units of utility.
    sharpness : float
        Mean width of the central interval of probability 0.9.
    coverage : dict of str to float
        Share of true values in the central interval, by its stated rate.
    """

    count: int
    log_score: float | None
    crps: float
    sharpness: float
    coverage: dict[str, float]


class Uncertainty(msgspec.Struct, frozen=True, kw_only=True):
    """Grades of the uncertainty that one prediction states.

    Attributes
    ----------
    effects, cells : Calibration or None
        Of effects with an end that was not measured, and of cells that were not; None where there are none, or nothing
        was stated of them.
    """

    effects: Calibration | None = None
    cells: Calibration | None = None


@dataclass(frozen=True, eq=False)
class Distribution:
    """Stated distributions of m quantities: for each a mixture of k normal or Student t distributions.

    Attributes
    ----------
    centres, scales : ndarray of float64, shape (k, m)
        Of each part and quantity; scales at least 0.
    weights : ndarray of float64, shape (k,)
        Of the parts, the same for every quantity; they are normalised.
    freedom : float
        Degrees of freedom of the parts; infinite for normal ones.

    Raises
    ------
    InvalidOptionError
        If shapes do not fit, or a number is not finite or not allowed.

    Examples
    --------
    >>> normal = Distribution.normal(np.zeros(1), np.ones(1))
    >>> low, high = normal.interval(0.95)
    >>> low.round(2).tolist(), high.round(2).tolist()
    ([-1.96], [1.96])
    """

    centres: FloatArray
    scales: FloatArray
    weights: FloatArray
    freedom: float = np.inf

    def __post_init__(self) -> None:
        centres, scales = (np.atleast_2d(np.asarray(part, dtype=np.float64)) for part in (self.centres, self.scales))
        weights = np.asarray(self.weights, dtype=np.float64)
        problems = []
        if centres.shape != scales.shape or weights.shape != centres.shape[:1]:
            problems.append(
                f"centres, scales and weights have shapes {centres.shape}, {scales.shape} and {weights.shape}; "
                "give (k, m), (k, m) and (k,)"
            )
        elif not (np.isfinite(centres).all() and np.isfinite(weights).all() and not np.isnan(scales).any()):
            problems.append("a centre, scale or weight is not finite")
        elif (scales < 0).any() or (weights < 0).any() or weights.sum() <= 0 or not self.freedom > 0:
            problems.append("scales, weights and the degrees of freedom must be positive")
        if problems:
            raise InvalidOptionError(f"stated distribution: {'; '.join(problems)}")
        object.__setattr__(self, "centres", centres)
        object.__setattr__(self, "scales", np.maximum(scales, LEAST_SCALE))
        object.__setattr__(self, "weights", weights / weights.sum())

    @classmethod
    def normal(cls, centres: FloatArray, scales: FloatArray) -> Distribution:
        """One normal distribution for each quantity.

        Parameters
        ----------
        centres, scales : ndarray of float64, shape (m,)
            Means and standard deviations.

        Returns
        -------
        Distribution
        """
        return cls(np.asarray(centres)[None, :], np.asarray(scales)[None, :], np.ones(1))

    @property
    def bounded(self) -> bool:
        """Whether every scale is finite; an infinite one says nothing, and is not graded."""
        return bool(np.isfinite(self.scales).all())

    def cdf(self, values: FloatArray) -> FloatArray:
        """Probability of values up to these.

        Parameters
        ----------
        values : ndarray of float64, shape (m,)
            One for each quantity.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        from scipy.special import ndtr, stdtr

        standard = (values - self.centres) / self.scales
        parts = ndtr(standard) if np.isinf(self.freedom) else stdtr(self.freedom, standard)
        return np.asarray(self.weights @ parts)

    def density(self, values: FloatArray) -> FloatArray:
        """Density at values.

        Parameters
        ----------
        values : ndarray of float64, shape (m,)
            One for each quantity.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        from scipy.special import gammaln

        standard = (values - self.centres) / self.scales
        if np.isinf(self.freedom):
            parts = np.exp(-0.5 * standard**2) / np.sqrt(2.0 * np.pi)
        else:
            half = 0.5 * self.freedom
            factor = np.exp(gammaln(half + 0.5) - gammaln(half)) / np.sqrt(self.freedom * np.pi)
            parts = factor * (1.0 + standard**2 / self.freedom) ** -(half + 0.5)
        return np.asarray(self.weights @ (parts / self.scales))

    def quantile(self, share: float) -> FloatArray:
        """Quantiles by bisection.

        Parameters
        ----------
        share : float
            Above 0 and below 1.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        from scipy.special import ndtri, stdtrit

        own = self.centres + self.scales * (ndtri(share) if np.isinf(self.freedom) else stdtrit(self.freedom, share))
        low, high = own.min(axis=0), own.max(axis=0)
        if len(self.weights) > 1:
            for _ in range(_HALVINGS):
                middle = 0.5 * (low + high)
                below = self.cdf(middle) < share
                low, high = np.where(below, middle, low), np.where(below, high, middle)
        return np.asarray(0.5 * (low + high))

    def interval(self, level: float) -> tuple[FloatArray, FloatArray]:
        """Central intervals.

        Parameters
        ----------
        level : float
            Their probability, above 0 and below 1.

        Returns
        -------
        (ndarray of float64, ndarray of float64), each of shape (m,)
        """
        return self.quantile(0.5 * (1.0 - level)), self.quantile(0.5 * (1.0 + level))

    def coverage(self, truth: FloatArray) -> list[float]:
        """Share of true values in the central interval of each of `RATES`.

        Parameters
        ----------
        truth : ndarray of float64, shape (m,)
            True values.

        Returns
        -------
        list of float
        """
        # The distribution function says it at once; quantiles would have to be looked for.
        outward = np.abs(2.0 * self.cdf(truth) - 1.0)
        return [float(np.mean(outward <= rate)) for rate in RATES]

    def crps(self, truth: FloatArray) -> FloatArray:
        """Continuous ranked probability score of each quantity, by numerical integration.

        Parameters
        ----------
        truth : ndarray of float64, shape (m,)
            True values.

        Returns
        -------
        ndarray of float64, shape (m,)
        """
        # Between these ends nearly all changes; beyond them there are only tails.
        low, high = (self.centres - _REACH * self.scales).min(axis=0), (self.centres + _REACH * self.scales).max(axis=0)
        first, second, third = np.sort([low, high, truth], axis=0)

        def loss(at: FloatArray) -> FloatArray:
            return np.asarray((self.cdf(at) - (at >= truth)) ** 2)

        inner = sum(_between(loss, start, end) for start, end in ((first, second), (second, third)))
        width = self.scales.max(axis=0)
        return np.asarray(inner + _beyond(loss, first, -width) + _beyond(loss, third, width))


def _between(loss: Callable[[FloatArray], FloatArray], start: FloatArray, end: FloatArray) -> FloatArray:
    """Integral of a loss from `start` to `end` by Gauss and Legendre's rule, shape (m,)."""
    nodes, factors = np.polynomial.legendre.leggauss(_NODES)
    half, middle = 0.5 * (end - start), 0.5 * (end + start)
    parts = (factor * loss(middle + half * node) for node, factor in zip(nodes.tolist(), factors.tolist(), strict=True))
    return np.asarray(half * sum(parts))


def _beyond(loss: Callable[[FloatArray], FloatArray], start: FloatArray, width: FloatArray) -> FloatArray:
    """Integral of a loss from `start` outward, in the direction of the sign of `width`, shape (m,)."""
    nodes, factors = np.polynomial.legendre.leggauss(_TAIL_NODES)
    total = np.zeros(start.shape)
    for node, factor in zip(nodes.tolist(), factors.tolist(), strict=True):
        at = 0.5 * (node + 1.0)
        # start + width t / (1 − t) maps the tail to t in (0, 1).
        total += 0.5 * factor * np.abs(width) / (1.0 - at) ** 2 * loss(start + width * at / (1.0 - at))
    return total


@dataclass(frozen=True, eq=False)
class Intervals:
    """Stated central intervals of m quantities.

    Attributes
    ----------
    ends : mapping of float to (ndarray, ndarray)
        By probability, lower and upper ends of shape (m,); at all of `LEVELS`, which include `RATES`.
    """

    ends: Mapping[float, tuple[FloatArray, FloatArray]]

    def coverage(self, truth: FloatArray) -> list[float]:
        """Share of true values in the central interval of each of `RATES`."""
        ends = [self.ends[rate] for rate in RATES]
        return [float(np.mean((low <= truth) & (truth <= high))) for low, high in ends]

    def crps(self, truth: FloatArray) -> FloatArray:
        """Twice the mean pinball loss of the quantiles, shape (m,)."""
        losses = []
        for level, (low, high) in self.ends.items():
            for share, value in ((0.5 * (1.0 - level), low), (0.5 * (1.0 + level), high)):
                losses.append(np.where(truth >= value, share * (truth - value), (1.0 - share) * (value - truth)))
        return np.asarray(2.0 * np.mean(losses, axis=0))


Stated = Distribution | Intervals
"""What an estimator may state of some quantities."""


def calibration(stated: Stated | None, truth: FloatArray) -> Calibration | None:
    """Grades of what was stated of some quantities.

    Parameters
    ----------
    stated : Distribution, Intervals or None
        None where nothing was stated.
    truth : ndarray of float64, shape (m,)
        Their true values.

    Returns
    -------
    Calibration or None
        None without quantities, without a statement, and for one that says nothing (infinite widths).

    Examples
    --------
    >>> found = calibration(Distribution.normal(np.zeros(2), np.ones(2)), np.array([0.0, 3.0]))
    >>> found.coverage["0.95"], round(found.sharpness, 2)
    (0.5, 3.29)
    """
    if stated is None or not truth.size or (isinstance(stated, Distribution) and not stated.bounded):
        return None
    low, high = stated.ends[SHARPNESS_RATE] if isinstance(stated, Intervals) else stated.interval(SHARPNESS_RATE)
    if not np.isfinite(high - low).all():
        return None
    score = None
    if isinstance(stated, Distribution):
        score = float(np.mean(-np.log(np.maximum(stated.density(truth), LEAST_DENSITY))))
    return Calibration(
        count=int(truth.size),
        log_score=score,
        crps=float(np.mean(stated.crps(truth))),
        sharpness=float(np.mean(high - low)),
        coverage=dict(zip(RATE_KEYS, stated.coverage(truth), strict=True)),
    )


def flat(uncertainty: Uncertainty) -> dict[str, Any]:
    """The grades as columns: of effects under their own names, of cells with ``cell_`` in front."""
    found: dict[str, Any] = {}
    for prefix, part in (("", uncertainty.effects), ("cell_", uncertainty.cells)):
        found[f"{prefix}log_score"] = None if part is None else part.log_score
        found[f"{prefix}crps"] = None if part is None else part.crps
        found[f"{prefix}sharpness"] = None if part is None else part.sharpness
        for key in RATE_KEYS:
            found[f"{prefix}coverage_{key}"] = None if part is None else part.coverage[key]
    return found
