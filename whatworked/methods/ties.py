"""Choosing the best of several scores that are compared after rounding.

Scores that ought to tie differ in their last digits, so they are rounded first and ties go to the first.
That moves the trouble to scores near a rounding boundary: there, the last digits still decide. `choose` says when
they did.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.surfaces.masks import FloatArray


@dataclass(frozen=True)
class Choice:
    """The chosen position, and whether another machine might choose differently.

    Attributes
    ----------
    index : int
        Position of the best rounded score; the first one among equals.
    near_tie : bool
        Whether some other position wins for some scores within `noise` of the given ones.
    """

    index: int
    near_tie: bool


def choose(scores: FloatArray, decimals: int, noise: FloatArray | float = 0.0) -> Choice:
    """Position of the largest score after rounding; ties go to the first.

    Parameters
    ----------
    scores : ndarray of float64, shape (n,)
        Candidates in order of preference, n >= 1.
    decimals : int
        Decimals kept.
    noise : float or ndarray of float64, shape (n,)
        Bound on the rounding error of each score.

    Returns
    -------
    Choice

    Examples
    --------
    >>> choose(np.array([0.1, 0.3, 0.3]), decimals=10)
    Choice(index=1, near_tie=False)
    >>> choose(np.array([0.25, 0.35]), decimals=1, noise=0.01)
    Choice(index=1, near_tie=True)
    """
    index = int(np.argmax(np.round(scores, decimals)))
    # The winner at its worst against every rival at its best, after the same rounding as above.
    lowest = np.round(scores - noise, decimals)[index]
    highest = np.round(scores + noise, decimals)
    rivals = highest >= lowest
    # A later rival has to be strictly better.
    rivals[index:] = highest[index:] > lowest
    rivals[index] = False
    return Choice(index, bool(rivals.any()))


def may_win(index: int, scores: FloatArray, decimals: int, noise: FloatArray | float = 0.0) -> bool:
    """Whether `choose` takes position `index` on some machine, given the scores of this one.

    The scores of two machines may each be off by `noise`, in opposite directions.

    Examples
    --------
    >>> scores = np.array([0.25, 0.35, 0.1])
    >>> [may_win(index, scores, decimals=1, noise=0.01) for index in range(3)]
    [True, True, False]
    """
    # Twice the noise: the scores here may be off one way, and those of the other machine the other way.
    highest = np.round(scores + 2.0 * noise, decimals)[index]
    lowest = np.round(scores - 2.0 * noise, decimals)
    # An earlier rival has to be strictly worse.
    return bool((lowest[:index] < highest).all() and (lowest[index + 1 :] <= highest).all())
