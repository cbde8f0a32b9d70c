"""Conditional effects, mean effects and mean pair interactions of a table over the cube, and intervention sums.

Every function takes a complete table in canonical order, shape (2**d,), so that predictions are treated like truths.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from whatworked.errors import InvalidMaskError
from whatworked.surfaces.edges import DIRECT_LIMIT, effect_blocks, option_pairs, pair_signs, pairs
from whatworked.surfaces.masks import FloatArray, cube_table, mask_ranks
from whatworked.surfaces.spectrum import walsh_hadamard


def conditional_effects(values: npt.ArrayLike) -> FloatArray:
    """Change of the table when one option is switched on, for every edge of the cube.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d, 2**(d-1))
        Entry (i, k): effect of option i at the k-th mask, ascending, that has it off (`edge_starts`).

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> conditional_effects([0.0, 0.25, 0.5, 1.0]).tolist()
    [[0.5, 0.75], [0.25, 0.5]]
    """
    table, d = cube_table(values)
    return np.concatenate(list(effect_blocks(table, d))).reshape(d, -1)


def mean_absolute_effect(values: npt.ArrayLike) -> float:
    """Mean size of the conditional effects over all edges, A in the definition of recovery.

    Each effect is a rounded difference; their sum is exactly rounded.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    float
        At least 0, in the unit of the table.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> mean_absolute_effect([0.0, 0.25, 0.5, 1.0])
    0.5
    """
    table, d = cube_table(values)
    # Absolute values do not telescope: each difference is rounded before it is added, as in the error of a grade.
    sizes = (np.abs(block).tolist() for block in effect_blocks(table, d))
    return math.fsum(itertools.chain.from_iterable(sizes)) / (d << (d - 1))


def mean_effects(values: npt.ArrayLike) -> FloatArray:
    """Mean conditional effect of each option; exactly rounded.

    Also called the main effect (Box, Hunter and Hunter, "Statistics for Experimenters", 2nd ed., Wiley 2005, chapter
    5); it equals the Banzhaf value of the option.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d,)
        In the order of the options.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> mean_effects([0.0, 0.25, 0.5, 1.0]).tolist()
    [0.625, 0.375]
    """
    table, d = cube_table(values)
    half = 1 << (d - 1)
    # Utilities are added, not their differences, each of which would be rounded first; half is a power of two, so that
    # the division rounds nothing either.
    ends = [option_pairs(table, d, option) for option in range(d)]
    return np.array([math.fsum(on.tolist() + (-off).tolist()) / half for off, on in ends])


def pair_interactions(values: npt.ArrayLike) -> FloatArray:
    """Mean interactions J_ij of all pairs of options.

    J_ij is the mean over the settings of the other options of u(11) - u(10) - u(01) + u(00), which is four times the
    Walsh-Hadamard coefficient of the pair and twice the contrast that a two-level factorial usually quotes (Box, Hunter
    and Hunter, "Statistics for Experimenters", 2nd ed., Wiley 2005, chapter 5). It is exactly rounded for d <= 8,
    beyond that correct to the last digit or next to it.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d (d-1) / 2,)
        Pairs in combinations order: AB, AC, …, BC, …

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> pair_interactions([0.0, 0.25, 0.5, 1.0]).tolist()
    [0.25]
    """
    table, d = cube_table(values)
    if d <= DIRECT_LIMIT:
        quarter = 0.25 * table.size
        return np.array([math.fsum(row) / quarter for row in (pair_signs(d) * table).tolist()])
    # The signs of all pairs would take 1.6 GB for 20 options; the transform gives the same sums in d passes.
    ranks = [1 << (d - 1 - i) | 1 << (d - 1 - j) for i, j in pairs(d)]
    return np.asarray(4.0 * walsh_hadamard(table)[ranks], dtype=np.float64)


def path_effects(values: npt.ArrayLike, path: Sequence[str]) -> FloatArray:
    """Change of the table at each step of a path of single switches.

    A step that switches an option on adds its conditional effect, one that switches it off subtracts it. The steps sum
    to the difference between the two ends of the path, whichever path is taken.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.
    path : sequence of str
        At least one mask, each differing from the one before in exactly one option.

    Returns
    -------
    ndarray of float64, shape (len(path) - 1,)

    Raises
    ------
    InvalidMaskError
        If the table is not one row of 2**d values, a mask is not of the cube, or a step does not switch exactly one
        option.

    Examples
    --------
    >>> path_effects([0.0, 0.25, 0.5, 1.0], ["00", "10", "11"]).tolist()
    [0.5, 0.5]
    """
    table, d = cube_table(values)
    ranks = mask_ranks(path, d).tolist()
    for before, after in itertools.pairwise(ranks):
        if (before ^ after).bit_count() != 1:
            raise InvalidMaskError(
                f"the step from {before:0{d}b} to {after:0{d}b} switches {(before ^ after).bit_count()} options; "
                "each step of a path switches exactly one"
            )
    return np.diff(table[ranks])
