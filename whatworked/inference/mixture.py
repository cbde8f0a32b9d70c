r"""Averaging Gaussian processes over their kernels by marginal likelihood.

Every kernel gives a process with unknown constant mean (flat prior) and unknown scale (prior :math:`1/σ^2`), both
integrated out. With :math:`C = K_{OO} + ηI`, :math:`q = C^{-1}1`, :math:`c = 1^Tq`, :math:`μ = q^Ty/c` and
:math:`S = (y - μ1)^T C^{-1} (y - μ1)` over n measurements, the marginal likelihood is proportional to
:math:`|C|^{-1/2} c^{-1/2} S^{-(n-1)/2}` (Santner, Williams, Notz, "The Design and Analysis of Computer Experiments",
2003, section 4.1; Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, section 2.7).

The average over kernels is adaptive importance sampling with fixed points: points of the prior first, then rounds of
points of a normal distribution fitted to the weighted ones so far. All points count, weighted by the mixture of all the
proposals (Cornuet, Marin, Mira, Robert, "Adaptive multiple importance sampling", Scand. J. Stat. 39, 2012).
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import TypeVar

import numpy as np

from whatworked.cube import BitArray, FloatArray, IntArray
from whatworked.inference.kernel import Kernels, Prior
from whatworked.inference.quadrature import normal_points

_SMALLEST_SQUARE = 1e-9
"""Added to S, in units of the measured range squared: a floor for surfaces that are flat so far."""


@dataclass(frozen=True)
class Sampler:
    """How many kernels are tried.

    Attributes
    ----------
    first : int
        Points of the prior.
    later, rounds : int
        Points of each adaptive round, and the number of rounds.
    kept : int
        Kernels of largest weight that predictions are averaged over.
    inflation : float
        Factor on the covariance of a fitted proposal, above 1 so that its tails cover the target's.
    floor : float
        Variance added to each coordinate of a fitted proposal before inflation.
    """

    first: int = 128
    later: int = 64
    rounds: int = 3
    kept: int = 64
    inflation: float = 1.3
    floor: float = 0.05


@dataclass(frozen=True, eq=False)
class Evidence:
    """What every kernel makes of the measurements; arrays over m kernels and n measurements.

    Attributes
    ----------
    log : ndarray, shape (m,)
        Logarithm of the marginal likelihood, up to a constant.
    mean : ndarray, shape (m,)
        Generalised least-squares mean μ.
    squares : ndarray, shape (m,)
        S.
    inverse : ndarray, shape (m, n, n)
        C⁻¹.
    solved : ndarray, shape (m, n)
        C⁻¹(y − μ1).
    """

    log: FloatArray
    mean: FloatArray
    squares: FloatArray
    inverse: FloatArray
    solved: FloatArray


def weigh(kernels: Kernels, masks: BitArray, values: FloatArray, nugget: float) -> Evidence:
    """Marginal likelihood of measurements, shapes (n, d) and (n,), under each kernel."""
    n = len(values)
    covariance = kernels.between(masks, masks)
    covariance[:, range(n), range(n)] += nugget
    lower = np.linalg.cholesky(covariance)
    log_determinant = 2.0 * np.log(np.einsum("mii->mi", lower)).sum(axis=1)
    inverse: FloatArray = np.linalg.inv(covariance)
    row_sums = inverse.sum(axis=2)
    total = row_sums.sum(axis=1)
    mean = row_sums @ values / total
    residuals = values - mean[:, None]
    solved = np.matmul(inverse, residuals[:, :, None])[:, :, 0]
    squares = (residuals * solved).sum(axis=1) + _SMALLEST_SQUARE
    log = -0.5 * (log_determinant + np.log(total) + (n - 1) * np.log(squares))
    return Evidence(log, mean, squares, inverse, solved)


def _log_normal(points: FloatArray, centre: FloatArray, lower: FloatArray) -> FloatArray:
    whitened = np.linalg.solve(lower, (points - centre).T)
    return np.asarray(-0.5 * (whitened**2).sum(axis=0) - np.log(np.diag(lower)).sum())


def _tempered(log_weights: FloatArray, least: float) -> FloatArray:
    """Normalised weights, flattened until their effective number is at least `least`."""
    exponent = 1.0
    for _ in range(16):
        weights = np.exp(exponent * (log_weights - log_weights.max()))
        weights /= weights.sum()
        if 1.0 / (weights @ weights) >= least:
            break
        exponent *= 0.75
    return np.asarray(weights)


class _Proposals:
    """The normal distributions that points were drawn from so far."""

    def __init__(self, dimension: int, count: int) -> None:
        self.parts: list[tuple[int, FloatArray, FloatArray]] = [(count, np.zeros(dimension), np.eye(dimension))]

    def log_weights(self, points: FloatArray, log_evidence: FloatArray) -> FloatArray:
        drawn = [np.log(count) + _log_normal(points, centre, lower) for count, centre, lower in self.parts]
        return np.asarray(log_evidence - 0.5 * (points**2).sum(axis=1) - np.logaddexp.reduce(drawn, axis=0))

    def fit(self, points: FloatArray, weights: FloatArray, sampler: Sampler, stream: int) -> FloatArray:
        """Add the normal distribution that matches the weighted points; return its points."""
        centre = weights @ points
        deviations = points - centre
        covariance = (deviations * weights[:, None]).T @ deviations + sampler.floor * np.eye(len(centre))
        lower: FloatArray = np.linalg.cholesky(sampler.inflation * covariance)
        self.parts.append((sampler.later, centre, lower))
        return np.asarray(centre + normal_points(len(centre), sampler.later, stream) @ lower.T)


@dataclass(frozen=True, eq=False)
class Mixture:
    """A weighted set of fitted processes of one response surface.

    Attributes
    ----------
    masks : ndarray of int8, shape (n, d)
        Measured masks.
    origin, unit : float
        Utilities are `origin` + `unit` · (what the processes model).
    weights : ndarray of float64, shape (k,)
        Posterior weights, descending.
    latent : ndarray of float64, shape (k, d + 1)
        Latent points of the kernels.
    kernels : Kernels
    evidence : Evidence
    effective : float
        Effective number of kernels, 1 / Σ w².
    nugget : float
        As in the prior.
    """

    masks: BitArray
    origin: float
    unit: float
    weights: FloatArray
    latent: FloatArray
    kernels: Kernels
    evidence: Evidence
    effective: float
    nugget: float

    @property
    def variances(self) -> FloatArray:
        """Scale σ² of each process: S / (n − 3) where that exists, else S; shape (k,)."""
        return self.evidence.squares / max(len(self.masks) - 3, 1)

    def means(self, masks: BitArray) -> FloatArray:
        """Mean of each process at `masks`, in utility, shape (k, m)."""
        cross = self.kernels.between(masks, self.masks)
        scaled = self.evidence.mean[:, None] + np.matmul(cross, self.evidence.solved[:, :, None])[:, :, 0]
        return np.asarray(self.origin + self.unit * scaled)

    def covariances(self, left: BitArray, right: BitArray) -> FloatArray:
        """Posterior covariance of each process between masks, for σ² = 1 and in squares of `unit`, shape (k, a, b)."""
        at_left = self.kernels.between(left, self.masks)
        at_right = at_left if right is left else self.kernels.between(right, self.masks)
        solved = np.matmul(at_left, self.evidence.inverse)
        row_sums = self.evidence.inverse.sum(axis=2)
        left_rest = 1.0 - np.matmul(at_left, row_sums[:, :, None])
        right_rest = left_rest if right is left else 1.0 - np.matmul(at_right, row_sums[:, :, None])
        known = np.matmul(solved, at_right.transpose(0, 2, 1))
        mean_term = left_rest * right_rest.transpose(0, 2, 1) / row_sums.sum(axis=1)[:, None, None]
        return np.asarray(self.kernels.between(left, right) - known + mean_term)


def fit_mixture(masks: BitArray, utilities: FloatArray, prior: Prior, sampler: Sampler) -> Mixture:
    """Average over kernels given measurements.

    Parameters
    ----------
    masks : ndarray of int8, shape (n, d)
        Distinct masks, n >= 2.
    utilities : ndarray of float64, shape (n,)
    prior : Prior
    sampler : Sampler

    Returns
    -------
    Mixture
    """
    d = masks.shape[1]
    origin, spread = float(utilities.min()), float(np.ptp(utilities))
    unit = spread if spread > 0 else 1.0
    values = (utilities - origin) / unit
    proposals = _Proposals(d + 1, sampler.first)
    points = normal_points(d + 1, sampler.first)
    kernels = [Kernels.at(points, d, prior)]
    evidence = [weigh(kernels[0], masks, values, prior.nugget)]
    for stream in range(1, sampler.rounds + 1):
        log_weights = proposals.log_weights(points, np.concatenate([part.log for part in evidence]))
        fresh = proposals.fit(points, _tempered(log_weights, 2.0 * (d + 1)), sampler, stream)
        kernels.append(Kernels.at(fresh, d, prior))
        evidence.append(weigh(kernels[-1], masks, values, prior.nugget))
        points = np.concatenate([points, fresh])
    log_weights = proposals.log_weights(points, np.concatenate([part.log for part in evidence]))
    weights = _tempered(log_weights, 0.0)
    kept = np.argsort(-weights, kind="stable")[: sampler.kept]
    joined = _joined(kernels), _joined(evidence)
    return Mixture(
        masks=masks,
        origin=origin,
        unit=unit,
        weights=weights[kept] / weights[kept].sum(),
        latent=points[kept],
        kernels=_rows(joined[0], kept),
        evidence=_rows(joined[1], kept),
        effective=float(1.0 / (weights @ weights)),
        nugget=prior.nugget,
    )


Arrays = TypeVar("Arrays", Kernels, Evidence)


def _joined(parts: list[Arrays]) -> Arrays:
    """One set of arrays out of several, along the first axis."""
    names = [one.name for one in fields(parts[0])]
    return type(parts[0])(*(np.concatenate([getattr(part, name) for part in parts]) for name in names))


def _rows(whole: Arrays, rows: IntArray) -> Arrays:
    """The given rows of each array."""
    return type(whole)(*(getattr(whole, one.name)[rows] for one in fields(whole)))
