"""What making many comparisons does to each, and how small a difference one can show."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

from whatworked.errors import InvalidOptionError

POWER = 0.8
"""Share of repetitions of a study in which a difference of the smallest detectable size would be shown."""


def holm(p_values: Sequence[float]) -> tuple[float, ...]:
    """p-values of several comparisons, corrected for making all of them.

    Sorted ascending, the k-th of m is multiplied by m − k + 1, and none falls below one before it (Holm,
    "A simple sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6, 1979). Rejecting
    those below a level keeps the probability of a single false rejection below it, however the comparisons depend on
    one another.

    Parameters
    ----------
    p_values : sequence of float
        From 0 to 1.

    Returns
    -------
    tuple of float
        Corrected, in the order given, at most 1.

    Raises
    ------
    InvalidOptionError
        For a value outside [0, 1].

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    (0.03, 0.06, 0.06)
    """
    if wrong := [value for value in p_values if not 0.0 <= value <= 1.0]:
        raise InvalidOptionError(f"a p-value is {wrong[0]}; it must lie between 0 and 1")
    corrected = [0.0] * len(p_values)
    largest = 0.0
    for place, index in enumerate(sorted(range(len(p_values)), key=p_values.__getitem__)):
        largest = min(1.0, max(largest, (len(p_values) - place) * p_values[index]))
        corrected[index] = largest
    return tuple(corrected)


def smallest_detectable(standard_error: float, confidence: float = 0.95, power: float = POWER) -> float:
    """Smallest true difference that an interval of this confidence would exclude 0 for, with the stated power.

    It is (z of (1 + confidence) / 2 + z of power) standard errors (Bloom, "Minimum detectable effects", Evaluation
    Review 19, 1995): 2.80 of them at 95 % and power 0.8.

    Parameters
    ----------
    standard_error : float
        Of the difference, at least 0.
    confidence, power : float
        Above 0 and below 1.

    Returns
    -------
    float

    Raises
    ------
    InvalidOptionError
        For a value outside what is allowed.

    Examples
    --------
    >>> round(smallest_detectable(0.1), 3)
    0.28
    """
    if not (math.isfinite(standard_error) and standard_error >= 0.0):
        raise InvalidOptionError(f"the standard error is {standard_error}; it must be at least 0")
    for name, value in {"confidence": confidence, "power": power}.items():
        if not 0.0 < value < 1.0:
            raise InvalidOptionError(f"{name} is {value}; it must lie between 0 and 1")
    normal = NormalDist()
    return (normal.inv_cdf((1.0 + confidence) / 2.0) + normal.inv_cdf(power)) * standard_error
