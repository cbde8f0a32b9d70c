"""Fits to measurements that differ when they are repeated.

The noise has the same variance everywhere after the warp. Its ratio to the variance of the process is one more unknown
of every kernel, weighed by the marginal likelihood of all measurements: repeats tell it directly, single measurements
by what no smooth surface explains. A stated noise is worth `STATED_FREEDOM` repeats.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtri

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError
from whatworked.inference.estimator import INFLATION, SPREAD, RelevanceModel
from whatworked.inference.kernel import Prior
from whatworked.inference.mixture import Mixture, average, fit_mixture, origin_and_unit
from whatworked.inference.observed import Data
from whatworked.inference.sampler import Sampler, tempered
from whatworked.methods.observations import check_observations
from whatworked.surfaces.masks import BitArray, FloatArray, bits_of

if TYPE_CHECKING:
    from whatworked.inference.family import Family

REPEATS = 2
"""Repeats without which an unknown noise is told too low: settings that are chosen to differ leave too much room."""
STATED_FREEDOM = 100.0
"""Repeats that a stated noise is worth: it is then known to 7 % (one standard error)."""
UNKNOWN = (-0.3, 1.0)
"""Prior of log10 of the noise variance over that of the process: half of it, give or take a factor of ten. Smaller ones
let smooth surfaces explain noise, and intervals come out too narrow (docs/inference.md)."""
_USUAL_VARIANCE = 0.15
"""Variance of a process in units of the measured range squared, about which a stated noise is looked for."""
_DECADES = 0.7


@dataclass(frozen=True)
class NoiseLevel:
    """Standard deviation of one measurement.

    Attributes
    ----------
    sd, low, high : float
        Expected value and the ends of a 0.9 interval, in utilities.
    """

    sd: float
    low: float
    high: float


def fit_noisy(
    masks: BitArray,
    utilities: FloatArray,
    sd: float | None = None,
    sampler: Sampler | None = None,
    inflation: float = INFLATION,
) -> RelevanceModel:
    """Fit to measurements with noise.

    Parameters
    ----------
    masks : array-like of 0 and 1, shape (N, d)
        Measured masks; a mask may appear several times. At least two different ones.
    utilities : array-like of float, shape (N,)
        What was measured.
    sd : float, optional
        Standard deviation of one measurement, in utilities; 0 for exact measurements. Default: it is estimated.
    sampler : Sampler, optional
        How many kernels the average takes in.
    inflation : float
        Factor on the half-width of intervals.

    Returns
    -------
    RelevanceModel
        Of the expected utility of every mask, noise apart.

    Raises
    ------
    InvalidOptionError
        For a standard deviation that is negative or no finite number, and for fewer than two different masks.
    InvalidMaskError
        If a row is not a mask; with `sd` 0, if a mask appears twice.
    InvalidSurfaceError
        If there is not one finite utility for each row.

    Examples
    --------
    >>> masks = np.array([[0, 0], [0, 0], [1, 1], [1, 1], [1, 0]], dtype=np.int8)
    >>> model = fit_noisy(masks, np.array([0.1, 0.12, 0.9, 0.88, 0.5]))
    >>> 0.005 < noise_level(model.mixture).sd < 0.1
    True
    """
    chosen = sampler or Sampler()
    if sd is not None and not (np.isfinite(sd) and sd >= 0):
        raise InvalidOptionError(f"noise is {shown(sd)}; give a standard deviation of 0 or more")
    mixture = noisy_mixture(np.asarray(masks, dtype=np.int8), np.asarray(utilities, dtype=np.float64), sd, chosen)
    return RelevanceModel(mixture, float(np.mean(utilities)), inflation)


def noisy_mixture(
    masks: BitArray,
    utilities: FloatArray,
    sd: float | None,
    sampler: Sampler,
    known: Callable[[Prior], Family | None] | None = None,
) -> Mixture:
    """The average over kernels behind `fit_noisy`; `known` gives what other surfaces add to a prior."""
    if sd == 0:
        d, ranks, values = check_observations(masks, utilities)
        return fit_mixture(bits_of(ranks, d), values, Prior(), sampler, known and known(Prior()))
    rows, place = np.unique(masks, axis=0, return_inverse=True)
    distinct = rows.astype(np.int8)
    if len(distinct) < 2:
        raise InvalidOptionError(f"{len(distinct)} mask was measured; measure at least two different ones")
    check_observations(distinct, np.zeros(len(distinct)))
    if utilities.shape != (len(masks),) or not np.isfinite(utilities).all():
        check_observations(masks, utilities)
    origin, unit = origin_and_unit(utilities)
    values, where = (utilities - origin) / unit, place.ravel().astype(np.int64)
    if sd is None:
        prior = replace(Prior(), noise=UNKNOWN)
        return average(Data(distinct, values, where), origin, unit, prior, sampler, known and known(prior))
    variance = (sd / unit) ** 2
    prior = replace(Prior(), noise=(float(np.log10(variance / _USUAL_VARIANCE)), _DECADES))
    data = Data(distinct, values, where, variance, STATED_FREEDOM)
    return average(data, origin, unit, prior, sampler, known and known(prior))


def noise_level(mixture: Mixture) -> NoiseLevel:
    """How much single measurements vary, by a fitted mixture: a mixture of scaled inverse χ distributions."""
    kernels = mixture.kernels
    if not kernels.noise.any():
        return NoiseLevel(0.0, 0.0, 0.0)
    slopes = mixture.at(mixture.masks).slopes.mean(axis=1)
    typical = mixture.unit * slopes * np.sqrt(kernels.noise * mixture.evidence.squares / mixture.freedom)
    weights = tempered(np.log(np.maximum(mixture.weights, 1e-300)), SPREAD)
    chances = np.linspace(0.005, 0.995, 100)
    # χ²/ν to the third root is nearly normal with mean 1 − 2/(9ν) and variance 2/(9ν) (Wilson, Hilferty, "The
    # distribution of chi-square", PNAS 17, 1931).
    part = 2.0 / (9.0 * mixture.freedom)
    cubes = np.maximum(1.0 - part + ndtri(chances) * np.sqrt(part), 0.05) ** 3
    values = typical[:, None] / np.sqrt(cubes)
    order = np.argsort(values, axis=None)
    shares = np.cumsum(np.broadcast_to(weights[:, None] / len(chances), values.shape).ravel()[order])
    sorted_values = values.ravel()[order]
    low, middle, high = (
        float(sorted_values[min(np.searchsorted(shares, share), values.size - 1)]) for share in (0.05, 0.5, 0.95)
    )
    return NoiseLevel(middle, low, high)
