"""From the Walsh-Hadamard spectrum to the names other fields use: Banzhaf, Möbius, functional ANOVA.

Subsets S of options are given by the rank of the mask that switches exactly S on, as everywhere. With w_S the
Walsh-Hadamard coefficient (`whatworked.spectrum`) and m_S the Möbius coefficient:

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

from whatworked.cube import FloatArray, cube_table, dimensions_of, mask_rank
from whatworked.spectrum import walsh_hadamard


def banzhaf_interactions(values: npt.ArrayLike) -> FloatArray:
    """Banzhaf interaction index of every subset of options, shape (2**d,); entry 0 is the mean of the table.

    Examples
    --------
    >>> banzhaf_interactions([0.0, 0.0, 0.0, 1.0]).tolist()
    [0.25, 0.5, 0.5, 1.0]
    """
    spectrum = walsh_hadamard(values)
    return np.ldexp(spectrum, np.bitwise_count(np.arange(spectrum.size)))


def mobius(values: npt.ArrayLike) -> FloatArray:
    """Möbius coefficients (Harsanyi dividends) of a table, shape (2**d,): u(z) = sum of m_S over S within z.

    Examples
    --------
    >>> mobius([0.25, 0.5, 0.75, 0.25]).tolist()
    [0.25, 0.25, 0.5, -0.75]
    """
    table, _ = cube_table(values)
    for cube in _options(table):
        cube[:, 1, :] -= cube[:, 0, :]
    return table


def inverse_mobius(coefficients: npt.ArrayLike) -> FloatArray:
    """Table whose Möbius coefficients are given, shape (2**d,) -> (2**d,)."""
    table, _ = cube_table(coefficients)
    for cube in _options(table):
        cube[:, 1, :] += cube[:, 0, :]
    return table


def anova_component(values: npt.ArrayLike, subset: str) -> FloatArray:
    """Functional-ANOVA component of one subset of options at every mask, shape (2**d,).

    All masks are equally likely; the components of all subsets sum to the table, and each but the mean averages to zero
    over any of its options.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order.
    subset : str
        The subset as a mask: 1 for the options in it.
    """
    spectrum = walsh_hadamard(values)
    rank = mask_rank(subset, dimensions_of(spectrum.size))
    absent = np.bitwise_count(~np.arange(spectrum.size) & rank)
    return np.asarray(np.where(absent % 2, -spectrum[rank], spectrum[rank]), dtype=np.float64)


def sobol_indices(values: npt.ArrayLike) -> FloatArray:
    """Share of variance of every functional-ANOVA component, shape (2**d,); entry 0 is 0, all zero for a constant."""
    squares = walsh_hadamard(values) ** 2
    squares[0] = 0.0
    total = math.fsum(squares.tolist())
    return np.asarray(squares / total if total > 0 else squares, dtype=np.float64)


def total_sobol_indices(values: npt.ArrayLike) -> FloatArray:
    """Share of variance of all components that involve each option, shape (d,)."""
    shares = sobol_indices(values)
    d = dimensions_of(shares.size)
    return np.array([math.fsum(shares.reshape(1 << i, 2, -1)[:, 1].ravel().tolist()) for i in range(d)])


def _options(table: FloatArray) -> list[FloatArray]:
    """Views of a table by each option in turn, shape (_, 2, _), the middle axis being the option's setting."""
    d = dimensions_of(table.size)
    return [table.reshape(1 << option, 2, 1 << (d - 1 - option)) for option in range(d)]
