"""What is said of one option, of the best setting, of each setting, and of the noise."""

from __future__ import annotations

from dataclasses import dataclass

from scipy.special import ndtri

from whatworked.errors import InvalidOptionError
from whatworked.inference.estimator import RelevanceModel
from whatworked.inference.noise import noise_level

LEVEL = 0.9
"""Probability that an interval holds."""


@dataclass(frozen=True)
class OptionEffect:
    """What one option does, averaged over the settings of the others; differences are of utility (0 to 1).

    Attributes
    ----------
    option : str
        Its name.
    pairs : int
        Pairs of settings that differ in it alone, over which is averaged; 0 where there is none.
    mean, low, high : float
        Expected average, and the ends of its interval.
    sure : float
        Probability of the likelier sign of the average.
    helps : int
        Pairs in which it is expected to help.
    flips : bool
        Whether it helps somewhere and hurts elsewhere, each with a probability of at least 0.95.
    depends_on : str
        The option that it depends on most; empty with one option.
    when_off, when_on : float
        Its expected average with that option off and on.
    """

    option: str
    pairs: int
    mean: float = 0.0
    low: float = 0.0
    high: float = 0.0
    sure: float = 0.0
    helps: int = 0
    flips: bool = False
    depends_on: str = ""
    when_off: float = 0.0
    when_on: float = 0.0


@dataclass(frozen=True)
class BestSetting:
    """The setting that is expected to be best.

    Attributes
    ----------
    mask : str
        The setting.
    value, low, high : float
        Its value, measured or expected, and the ends of its interval.
    measured : bool
        Whether it was run.
    probability : float
        That no other setting that can run is better.
    shortfall : float
        Expected difference of utility to the setting that truly is best.
    """

    mask: str
    value: float
    low: float
    high: float
    measured: bool
    probability: float
    shortfall: float


@dataclass(frozen=True)
class TableRow:
    """One setting of the whole table.

    Attributes
    ----------
    mask : str
        The setting.
    kind : {"measured", "predicted", "hole", "excluded"}
        What is known of it.
    value, low, high : float or None
        Its value and the ends of its interval; None for a hole and what is excluded. With noise, the value of a
        measured setting is the expected one, not the mean of its results.
    """

    mask: str
    kind: str
    value: float | None = None
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True)
class NoiseFloor:
    """How much results vary by themselves; all in utilities.

    Attributes
    ----------
    sd, low, high : float
        Standard deviation of one result, expected, and the ends of its interval.
    pair : float
        Difference of two single runs of one setting that is exceeded one time in ten.
    effect : float
        Half-width of the interval of an average effect if noise were all that is unknown: no analysis of so many runs
        can know it better.
    """

    sd: float
    low: float
    high: float
    pair: float
    effect: float


def noise_floor(model: RelevanceModel, runs: int) -> NoiseFloor:
    """The noise by a fitted model.

    Parameters
    ----------
    model : RelevanceModel
        Fitted to at least two settings.
    runs : int
        Results in all.

    Returns
    -------
    NoiseFloor

    Raises
    ------
    InvalidOptionError
        For a model of a single measurement.
    """
    if model.mixture is None:
        raise InvalidOptionError("one measurement says nothing of noise; measure at least two settings")
    level = noise_level(model.mixture)
    width = float(ndtri((1 + LEVEL) / 2))
    # Half of the runs have the option off and half on, at best: the variance of the difference of the means is 4 sd²/n.
    return NoiseFloor(level.sd, level.low, level.high, width * 2**0.5 * level.sd, width * 2.0 * level.sd / runs**0.5)
