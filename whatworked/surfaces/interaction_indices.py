"""From the Walsh-Hadamard spectrum to the names other fields use: Banzhaf, Möbius, functional ANOVA.

Subsets S of options are given by the rank of the mask that switches exactly S on, as everywhere. With w_S the
Walsh-Hadamard coefficient (`whatworked.surfaces.spectrum`) and m_S the Möbius coefficient:

=======================  =========================================  ==============================================
Banzhaf interaction      I_S = 2**|S| w_S                           mean |S|-fold difference over backgrounds
Möbius coefficient       m_S = sum_{T in S} (-1)**(|S|-|T|) u(T)    I_S = sum_{T contains S} 2**(|S|-|T|) m_T
functional ANOVA         f_S(z) = w_S prod_{i in S} x_i             variance of f_S is w_S**2
=======================  =========================================  ==============================================

So the mean effect of option i is I_{i} and the mean pair interaction J_ij is I_{ij}. Sources: Grabisch and Roubens,
"An axiomatic approach to the concept of interaction among players in cooperative games", Int. J. Game Theory 28 (1999)
547-565; Sobol', "Sensitivity estimates for nonlinear mathematical models", Math. Modelling Comput. Exp. 1 (1993)
407-414.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from whatworked.surfaces.masks import FloatArray, cube_table, dimensions_of, mask_rank
from whatworked.surfaces.spectrum import walsh_hadamard


def banzhaf_interactions(values: npt.ArrayLike) -> FloatArray:
    """Banzhaf interaction index of every subset of options.

    The index of a subset S is the mean over all backgrounds of its ``|S|``-fold difference, ``2**|S|`` times the
    Walsh-Hadamard coefficient: the mean effect for one option, J_ij for two (Grabisch and Roubens, Int. J. Game Theory
    28 (1999) 547-565).

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        At the rank of the mask that switches exactly S on; entry 0 is the mean of the table.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> banzhaf_interactions([0.0, 0.0, 0.0, 1.0]).tolist()
    [0.25, 0.5, 0.5, 1.0]
    """
    spectrum = walsh_hadamard(values)
    return np.ldexp(spectrum, np.bitwise_count(np.arange(spectrum.size)))


def mobius(values: npt.ArrayLike) -> FloatArray:
    """Möbius coefficients (Harsanyi dividends) of a table.

    ``u(z)`` is the sum of ``m_S`` over all subsets S of the options that are on in z, so ``m_S`` says what S does where
    everything else is off (Harsanyi, Int. Economic Review 4 (1963) 194-220).

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        Coefficient m_S at the rank of the mask that switches exactly S on.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> mobius([0.25, 0.5, 0.75, 0.25]).tolist()
    [0.25, 0.25, 0.5, -0.75]
    """
    table, _ = cube_table(values)
    # Option by option in place (Yates' sweep): d 2**(d-1) subtractions, where the sum over subsets has 3**d terms.
    for cube in _options(table):
        cube[:, 1, :] -= cube[:, 0, :]
    return table


def inverse_mobius(coefficients: npt.ArrayLike) -> FloatArray:
    """Table whose Möbius coefficients are given; see `mobius`.

    Parameters
    ----------
    coefficients : array-like of float, shape (2**d,)
        Coefficient m_S at the rank of S, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        Table in canonical order.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> inverse_mobius([0.25, 0.25, 0.5, -0.75]).tolist()
    [0.25, 0.5, 0.75, 0.25]
    """
    table, _ = cube_table(coefficients)
    for cube in _options(table):
        cube[:, 1, :] += cube[:, 0, :]
    return table


def anova_component(values: npt.ArrayLike, subset: str) -> FloatArray:
    """Functional-ANOVA component of one subset of options at every mask.

    All masks are equally likely; the components of all subsets sum to the table, and each but the mean averages to zero
    over any of its options. The component of S is ``w_S * prod_{i in S} x_i`` (O'Donnell, "Analysis of Boolean
    Functions", Cambridge University Press 2014, section 8.3).

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order.
    subset : str
        The subset as a mask: 1 for the options in it.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        In canonical order.

    Raises
    ------
    InvalidMaskError
        If the table is not one row of 2**d values, 1 <= d <= 20, or the subset no mask of that cube.

    Examples
    --------
    >>> anova_component([0.0, 0.0, 0.0, 1.0], "10").tolist()
    [-0.25, -0.25, 0.25, 0.25]
    """
    spectrum = walsh_hadamard(values)
    rank = mask_rank(subset, dimensions_of(spectrum.size))
    # The product of the x_i is -1 to the number of options of the subset that are off.
    absent = np.bitwise_count(~np.arange(spectrum.size) & rank)
    return np.asarray(np.where(absent % 2, -spectrum[rank], spectrum[rank]), dtype=np.float64)


def sobol_indices(values: npt.ArrayLike) -> FloatArray:
    """Share of the variance of a table that each functional-ANOVA component carries.

    The share of a subset S is ``w_S**2`` over the sum of all squares but that of the mean (Sobol', Math. Modelling and
    Computational Experiment 1 (1993) 407-414).

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        At the rank of the mask that switches exactly S on; entry 0 is 0. They sum to 1, or are all 0 for a constant
        table.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> sobol_indices([0.0, 0.0, 1.0, 0.0]).round(3).tolist()
    [0.0, 0.333, 0.333, 0.333]
    """
    squares = walsh_hadamard(values) ** 2
    # By Parseval the other squares sum to the variance. Dividing by that sum, not by a variance worked out otherwise,
    # keeps the shares at 1 in all.
    squares[0] = 0.0
    total = math.fsum(squares.tolist())
    return np.asarray(squares / total if total > 0 else squares, dtype=np.float64)


def total_sobol_indices(values: npt.ArrayLike) -> FloatArray:
    """Share of the variance of all functional-ANOVA components that involve each option; see `sobol_indices`.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d,)
        In the order of the options; they may sum to more than 1, as an interaction counts for each of its options.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> total_sobol_indices([0.0, 0.0, 1.0, 0.0]).round(3).tolist()
    [0.667, 0.667]
    """
    shares = sobol_indices(values)
    d = dimensions_of(shares.size)
    return np.array([math.fsum(shares.reshape(1 << i, 2, -1)[:, 1].ravel().tolist()) for i in range(d)])


def _options(table: FloatArray) -> list[FloatArray]:
    """Views of a table by each option in turn, shape (_, 2, _), the middle axis being the option's setting."""
    d = dimensions_of(table.size)
    return [table.reshape(1 << option, 2, 1 << (d - 1 - option)) for option in range(d)]
