"""Intervals of shares and of means of shares that hold what they are intervals of."""

from __future__ import annotations

import math
from collections.abc import Sequence

from whatworked.errors import InvalidOptionError

_NORMAL_95 = 1.959963984540054
"""The 97.5 % point of the normal distribution."""
DRAWS = 20_000
"""Draws for the interval of an axis."""


def wilson(taken: int, offered: int) -> tuple[float, float]:
    """Wilson's 95 % interval of a share.

    It holds the share itself for any counts; five of five gives 0.566 to 1. E. B. Wilson, "Probable inference, the law
    of succession, and statistical inference", Journal of the American Statistical Association 22 (1927), 209.

    Parameters
    ----------
    taken, offered : int
        How many of how many.

    Returns
    -------
    tuple of float
        Lower and upper end.

    Raises
    ------
    InvalidOptionError
        If `offered` is not positive, or `taken` not between 0 and `offered`.

    Examples
    --------
    >>> [round(end, 4) for end in wilson(5, 5)]
    [0.5655, 1.0]
    """
    if offered <= 0 or not 0 <= taken <= offered:
        raise InvalidOptionError(
            f"{taken} of {offered} is no share; give counts with 0 <= taken <= offered, offered > 0"
        )
    share, square = taken / offered, _NORMAL_95**2
    middle = share + square / (2 * offered)
    half = _NORMAL_95 * math.sqrt(share * (1 - share) / offered + square / (4 * offered**2))
    scale = 1 + square / offered
    # At 0 and 1 an end is the share itself, but for rounding.
    return min(share, max(0.0, (middle - half) / scale)), max(share, min(1.0, (middle + half) / scale))


def mean_interval(counts: Sequence[tuple[int, int]], prior: float, *, seed: int = 0) -> tuple[float, float]:
    """Percentiles of the mean of shares that are each drawn from Beta(k + prior, n - k + prior).

    Parameters
    ----------
    counts : sequence of (int, int)
        k of n for each share; at least one.
    prior : float
        1 for the interval as Open-Endedness Bench publishes it, which may exclude the mean of the shares; 1/2 for
        Jeffreys' prior.
    seed : int
        Of the draws.

    Returns
    -------
    tuple of float
        The 2.5 % and 97.5 % points.

    Raises
    ------
    InvalidOptionError
        Without counts.
    """
    import numpy as np

    if not counts:
        raise InvalidOptionError("a mean of no shares has no interval; leave it out")
    drawing = np.random.default_rng(seed)
    draws = np.mean([drawing.beta(k + prior, n - k + prior, DRAWS) for k, n in counts], axis=0)
    low, high = np.quantile(draws, (0.025, 0.975))
    return float(low), float(high)


def holding(interval: tuple[float, float], score: float) -> tuple[float, float]:
    """An interval widened, where it must be, to hold a score.

    Parameters
    ----------
    interval : (float, float)
        Lower and upper end.
    score : float
        What it is an interval of.

    Returns
    -------
    tuple of float

    Examples
    --------
    >>> holding((0.62, 0.99), 1.0)
    (0.62, 1.0)
    """
    return min(interval[0], score), max(interval[1], score)
