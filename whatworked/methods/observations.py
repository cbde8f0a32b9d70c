"""What every estimator checks before it fits."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from whatworked.errors import InvalidMaskError, InvalidSurfaceError
from whatworked.surfaces.masks import FloatArray, IntArray, as_strings, check_dimensions, ranks_of, real_numbers
from whatworked.wording import first_few


def check_observations(masks: npt.ArrayLike, utilities: npt.ArrayLike) -> tuple[int, IntArray, FloatArray]:
    """Number of options, ranks and values of measured masks.

    Parameters
    ----------
    masks : array-like of 0 and 1, shape (n, d)
        Distinct masks, n >= 1.
    utilities : array-like of float, shape (n,)
        Their utilities.

    Returns
    -------
    d : int
    ranks : ndarray of int64, shape (n,)
    values : ndarray of float64, shape (n,)

    Raises
    ------
    InvalidMaskError
        If there is no mask, a row is not a mask, or a mask appears twice.
    InvalidSurfaceError
        If there is not one finite, unmasked utility for each mask.
    """
    ranks = ranks_of(masks)
    d = check_dimensions(np.shape(masks)[1])
    try:
        values = real_numbers(utilities)
    except ValueError as error:
        raise InvalidSurfaceError(f"utilities are {error}; give one real number for each mask") from error
    if not ranks.size:
        raise InvalidMaskError("no mask was measured; a fit needs at least one, and a run always has the two anchors")
    # With a mask given twice leave-one-out means nothing: its twin predicts it.
    found, counts = np.unique(ranks, return_counts=True)
    if repeated := as_strings(found[counts > 1], d):
        raise InvalidMaskError(f"measured more than once: {first_few(repeated)}; give each mask once")
    if values.shape != ranks.shape:
        raise InvalidSurfaceError(f"utilities have shape {values.shape}; {ranks.size} masks need ({ranks.size},)")
    if not np.isfinite(values).all():
        offenders = as_strings(ranks[~np.isfinite(values)], d)
        raise InvalidSurfaceError(f"utilities of {first_few(offenders)} are not finite; measure them again")
    return d, ranks, values
