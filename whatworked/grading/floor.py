"""Grading against a table that is itself noisy.

Let f be the size that noise alone gives the difference of two cells one time in ten: 1.645 · √2 · sd. With e the error
of an effect and Δ the effect itself, only what exceeds f counts: E = mean max(0, |e| − f), A = mean max(0, |Δ| − f),
and the recovery is max(0, 1 − E / A). What is within the noise is then neither punished nor rewarded: a prediction
that fits the noise of the table scores as one that does not, and a constant one recovers nothing. Regret counts above
f, too.
"""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from whatworked.arguments import real_number
from whatworked.errors import InvalidOptionError, InvalidSurfaceError
from whatworked.surfaces.effects import conditional_effects
from whatworked.surfaces.masks import real_numbers
from whatworked.surfaces.surface import ResponseSurface, check_surface, select

_QUANTILE = 1.6448536269514722
"""Of a standard normal: exceeded in size one time in ten."""
_ZERO = 1e-12


@dataclass(frozen=True)
class GradeAboveFloor:
    """A grade that counts only what exceeds the noise.

    Attributes
    ----------
    floor : float
        Size of a difference of two cells that noise alone exceeds one time in ten.
    effects : int
        Effects of the table larger than the floor.
    effect_recovery : float or None
        From 0 to 1; None where no effect exceeds the floor, since then nothing can be told of any prediction.
    regret : float
        What the selected mask falls short of the best, above the floor.
    """

    floor: float
    effects: int
    effect_recovery: float | None
    regret: float


def grade_above_floor(truth: ResponseSurface, prediction: npt.ArrayLike, sd: float) -> GradeAboveFloor:
    """Grade a prediction against a noisy table.

    Parameters
    ----------
    truth : ResponseSurface
        The measured table, noise and all.
    prediction : array-like of float, shape (2**d,)
        Predicted utility of every mask in canonical order, finite.
    sd : float
        Standard deviation of one cell of the table, in utilities; 0 for an exact one.

    Returns
    -------
    GradeAboveFloor

    Raises
    ------
    InvalidOptionError
        For a standard deviation that is negative or not finite.
    InvalidSurfaceError
        If the truth is no surface, or the prediction not a finite number for each mask.

    Examples
    --------
    >>> noisy = ResponseSurface(("A", "B"), [0.1, 0.11, 0.5, 0.52])
    >>> grade_above_floor(noisy, [0.1, 0.1, 0.5, 0.5], sd=0.01).effect_recovery
    1.0
    >>> grade_above_floor(noisy, [0.5, 0.5, 0.5, 0.5], sd=0.01).effect_recovery
    0.0
    """
    check_surface(truth, "the truth")
    spread = real_number(sd, "sd")
    if not 0.0 <= spread < math.inf:
        raise InvalidOptionError(f"sd is {spread:g}; give a standard deviation of 0 or more")
    try:
        table = real_numbers(prediction)
    except ValueError as failure:
        raise InvalidSurfaceError(f"the predicted utilities cannot be read: they are {failure}") from None
    if table.shape != truth.utilities.shape or not np.isfinite(table).all():
        raise InvalidSurfaceError(
            f"the prediction has shape {table.shape}; give one finite number for each of {truth.utilities.size} masks"
        )
    floor = _QUANTILE * math.sqrt(2.0) * spread
    true_effects = conditional_effects(truth.utilities)
    errors = np.abs(conditional_effects(table) - true_effects)
    sizes = np.maximum(np.abs(true_effects) - floor, 0.0)
    size, error = math.fsum(sizes.ravel().tolist()), math.fsum(np.maximum(errors - floor, 0.0).ravel().tolist())
    regret = float(truth.utilities.max() - truth.utilities[select(table, truth.d)])
    above = int((sizes > _ZERO).sum())
    recovered = max(0.0, 1.0 - error / size) if above else None
    return GradeAboveFloor(floor, above, recovered, max(0.0, regret - floor))
