"""Fixed points that stand for a distribution; no run-time randomness."""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from scipy.special import ndtri

from whatworked.surfaces.masks import FloatArray

_EDGE = 1e-6


@lru_cache(maxsize=256)
def uniform_points(dimension: int, count: int, stream: int = 0) -> FloatArray:
    """Low-discrepancy points of the unit cube.

    Scrambled Sobol points (Owen, "Scrambling Sobol' and Niederreiter-Xing points", J. Complexity 14, 1998). The
    scrambling has a fixed seed, so the points are constants.

    Parameters
    ----------
    dimension : int
        Number of coordinates.
    count : int
        Number of points.
    stream : int
        Which of many independent point sets.

    Returns
    -------
    ndarray of float64, shape (count, dimension)
        Values strictly between 0 and 1; read-only.
    """
    from scipy.stats import qmc  # heavy: not at import

    power = max(1, (count - 1).bit_length())
    points: FloatArray = np.clip(qmc.Sobol(dimension, seed=stream).random_base2(power)[:count], _EDGE, 1.0 - _EDGE)
    points.flags.writeable = False
    return points


@lru_cache(maxsize=256)
def normal_points(dimension: int, count: int, stream: int = 0) -> FloatArray:
    """`uniform_points` through the standard normal quantile function, shape (count, dimension); read-only."""
    points = np.asarray(ndtri(uniform_points(dimension, count, stream)), dtype=np.float64)
    points.flags.writeable = False
    return points
