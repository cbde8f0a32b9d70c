r"""Hierarchical bootstrap intervals for family-macro figures and paired differences.

One resample draws, with replacement and each time anew, as many families as there are; within every drawn family as
many of its sources as it has; within every drawn source as many of its repetitions as it has. With F families, n_f
sources in family f and r_s repetitions on source s, resample b has the figure

    T_b = 1/F sum_{k=1..F} 1/n_f(k) sum_{j=1..n_f(k)} 1/r_s(k,j) sum_{m=1..r_s(k,j)} y[s(k,j), rep(k,j,m)]

where f(k), s(k,j) and rep(k,j,m) are the draws. The interval at confidence c is the percentile interval
[Q((1-c)/2), Q((1+c)/2)] of T_1 ... T_B with linear interpolation between order statistics (Efron and Tibshirani, "An
Introduction to the Bootstrap", Chapman and Hall 1993, chapter 13; for nested data Davison and Hinkley, "Bootstrap
Methods and their Application", Cambridge 1997, section 3.8). It speaks about new families, sources and seeds like those
measured; with F families there are only F**F family draws, so for few families it is coarse, and for one it says
nothing about families. A single value leaves nothing to draw, so it has no interval. `scipy.stats.bootstrap` resamples
one level only, hence this module.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, replace

import numpy as np

from whatworked.arguments import real_number, shown, whole_number
from whatworked.errors import InvalidOptionError
from whatworked.statistics.averages import Measurement, mean, nested
from whatworked.statistics.paired import paired
from whatworked.surfaces.masks import FloatArray, IntArray

RESAMPLES = 9_999
"""Resamples unless asked otherwise."""
MOST_RESAMPLES = 1_000_000
"""More would take minutes and gigabytes, and change no digit that is shown."""
_BATCH = 1_000
"""Resamples drawn at once: bounds memory. Part of the stream of random numbers, so changing it changes intervals."""


@dataclass(frozen=True)
class Interval:
    """A figure with its bootstrap interval.

    Attributes
    ----------
    estimate : float
        The figure from the data themselves.
    low, high : float or None
        Ends of the percentile interval; None for a single source with a single repetition.
    confidence : float
        Nominal coverage.
    resamples, seed : int
        What reproduces it.
    families, sources : int
        Number of each in the data.
    sd : float or None
        Standard error of the figure: standard deviation of the resampled figures. None without an interval.
    p : float or None
        Two-sided bootstrap p-value of the figure being 0: twice the smaller share of resampled figures on either side
        of it, each count one more than found (Davison and Hinkley 1997, section 4.4). None without an interval.
    """

    estimate: float
    low: float | None
    high: float | None
    confidence: float
    resamples: int
    seed: int
    families: int
    sources: int
    sd: float | None = None
    p: float | None = None


def macro_interval(
    rows: Iterable[Measurement], confidence: float = 0.95, resamples: int = RESAMPLES, seed: int = 0
) -> Interval:
    """Interval for the family-macro mean of one method.

    Parameters
    ----------
    rows : iterable of Measurement
        Values of one method; see `whatworked.statistics.averages.nested` for what is refused.
    confidence : float
        Nominal coverage, above 0 and below 1.
    resamples : int
        Number of resamples B, at least 1.
    seed : int
        Seed of the resampling; equal arguments give an equal interval.

    Returns
    -------
    Interval
        The estimate is that of the rows themselves.

    Raises
    ------
    InvalidOptionError
        For rows, a confidence or a number of resamples outside what is allowed.
    """
    return _interval(nested(rows), confidence, resamples, seed)


def difference_interval(
    left: Iterable[Measurement],
    right: Iterable[Measurement],
    confidence: float = 0.95,
    resamples: int = RESAMPLES,
    seed: int = 0,
) -> Interval:
    """Interval for the family-macro paired difference of two methods, left minus right.

    Families and sources are resampled in pairs. Repetitions are too, where both methods have the same ones on a source
    or one of them has a single one (a method without randomness); where the repetitions do not match, the difference of
    source means counts as one repetition, and variation between repetitions is not part of the interval.

    Parameters
    ----------
    left, right : iterable of Measurement
        Values of the two methods, on the same sources of the same families.
    confidence : float
        Nominal coverage, above 0 and below 1.
    resamples : int
        Number of resamples B, at least 1.
    seed : int
        Seed of the resampling; equal arguments give an equal interval.

    Returns
    -------
    Interval

    Raises
    ------
    InvalidOptionError
        For rows, a confidence or a number of resamples outside what is allowed, and for methods that were not measured
        on the same sources.
    """
    tree = {
        family: {source: _differences(*pair) for source, pair in members.items()}
        for family, members in paired(left, right).items()
    }
    return _interval(tree, confidence, resamples, seed)


def reversed_interval(interval: Interval) -> Interval:
    """The interval of the same difference taken the other way round."""
    turned = [None if end is None else 0.0 - end for end in (interval.high, interval.low)]
    return replace(interval, estimate=0.0 - interval.estimate, low=turned[0], high=turned[1])


def _differences(left: Mapping[Hashable, float], right: Mapping[Hashable, float]) -> dict[Hashable, float]:
    if left.keys() == right.keys():
        return {repetition: value - right[repetition] for repetition, value in left.items()}
    # A method without randomness would give the same value under each of the other's seeds.
    if len(right) == 1:
        (single,) = right.values()
        return {repetition: value - single for repetition, value in left.items()}
    if len(left) == 1:
        (single,) = left.values()
        return {repetition: single - value for repetition, value in right.items()}
    return {0: mean(list(left.values())) - mean(list(right.values()))}


def _interval(
    tree: Mapping[str, Mapping[str, Mapping[Hashable, float]]], confidence: float, resamples: int, seed: int
) -> Interval:
    confidence, resamples = real_number(confidence, "confidence"), whole_number(resamples, "resamples")
    seed = whole_number(seed, "seed", 0)
    if not 0 < confidence < 1:
        raise InvalidOptionError(f"confidence is {confidence}; it must lie between 0 and 1, for instance 0.95")
    if resamples < 1:
        raise InvalidOptionError(f"resamples is {resamples}; it must be at least 1")
    if resamples > MOST_RESAMPLES:
        raise InvalidOptionError(f"resamples is {shown(resamples)}; it must be at most {MOST_RESAMPLES}")
    # The estimate is that of the data, exactly rounded; the resamples below only give the ends of the interval.
    estimate = mean([mean([mean(list(values.values())) for values in members.values()]) for members in tree.values()])
    sources = [values for members in tree.values() for values in members.values()]
    # Every resample would be the value itself, and the interval a point that claims certainty.
    if len(sources) == 1 and len(sources[0]) == 1:
        return Interval(estimate, None, None, confidence, resamples, seed, 1, 1)
    families = [[np.array(list(values.values())) for values in members.values()] for members in tree.values()]
    random = np.random.default_rng(seed)
    figures = [_resample(families, min(_BATCH, resamples - start), random) for start in range(0, resamples, _BATCH)]
    drawn = np.concatenate(figures)
    low, high = np.quantile(drawn, [(1 - confidence) / 2, (1 + confidence) / 2]).tolist()
    sides = int(min(np.count_nonzero(drawn <= 0.0), np.count_nonzero(drawn >= 0.0)))
    p = min(1.0, 2.0 * (sides + 1) / (resamples + 1))
    sd = float(drawn.std(ddof=1)) if resamples > 1 else None
    return Interval(estimate, low, high, confidence, resamples, seed, len(families), len(sources), sd, p)


def _resample(families: list[list[FloatArray]], count: int, random: np.random.Generator) -> FloatArray:
    """`count` resampled family-macro figures."""
    total = np.zeros(count)
    # One round per slot k of the formula above. Resamples that drew the same family for it are done together, but each
    # draws sources of its own: a family drawn twice is resampled twice.
    for _ in families:
        drawn = random.integers(len(families), size=count)
        for index, members in enumerate(families):
            chosen = np.flatnonzero(drawn == index)
            total[chosen] += _resample_family(members, chosen.size, random)
    return total / len(families)


def _resample_family(members: list[FloatArray], count: int, random: np.random.Generator) -> FloatArray:
    total = np.zeros(count)
    for _ in members:
        drawn: IntArray = random.integers(len(members), size=count)
        for index, values in enumerate(members):
            chosen = np.flatnonzero(drawn == index)
            repetitions = random.integers(values.size, size=(chosen.size, values.size))
            total[chosen] += values[repetitions].mean(axis=1)
    return total / len(members)
