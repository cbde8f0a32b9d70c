"""The Walsh-Hadamard spectrum of a table over the cube.

With x_i = +1 for an option that is on and -1 for one that is off, every table is a sum over subsets S of options

    u(z) = sum_S w_S * prod_{i in S} x_i,        w_S = 2**-d * sum_z u(z) * prod_{i in S} x_i.

Coefficients are stored by the rank of the mask whose switched-on options are S: ``w[0]`` is the mean of the table.
See O'Donnell, "Analysis of Boolean Functions", Cambridge University Press 2014, section 1.2.
"""

from __future__ import annotations

import math

import numpy as np
import numpy.typing as npt

from whatworked.surfaces.masks import FloatArray, cube_table, dimensions_of


def walsh_hadamard(values: npt.ArrayLike) -> FloatArray:
    """Walsh-Hadamard coefficients of a table, correct to the last digit or next to it.

    With x_i = +1 for an option that is on and -1 for one that is off, the coefficient of a set S of options is

        ``w_S = 2**-d * sum_z u(z) * prod_{i in S} x_i``

    (O'Donnell, "Analysis of Boolean Functions", Cambridge University Press 2014, section 1.2). The fast transform
    carries each sum as an unevaluated pair of doubles (Knuth's two-sum), so that the result depends neither on the
    order of the options nor on the machine.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (2**d,)
        Coefficient w_S at the rank of the mask that switches exactly S on; entry 0 is the mean.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> walsh_hadamard([0.0, 0.0, 0.0, 1.0]).tolist()
    [0.25, 0.25, 0.25, 0.25]
    """
    high, d = cube_table(values)
    low = np.zeros_like(high)
    for option in range(d):
        shape = (1 << option, 2, 1 << (d - 1 - option))
        _butterfly(high.reshape(shape), low.reshape(shape))
    # The mean over 2**d masks: scaling by a power of two is exact.
    return np.ldexp(high + low, -d)


def _butterfly(high: FloatArray, low: FloatArray) -> None:
    """Replace (off, on) by (on + off, on - off) in place, both parts of the double-double."""
    # Copies, since the first slot is overwritten before the second is made from both.
    off, off_low = high[:, 0, :].copy(), low[:, 0, :].copy()
    on, on_low = high[:, 1, :].copy(), low[:, 1, :].copy()
    for slot, other, other_low in ((0, off, off_low), (1, -off, -off_low)):
        # Two-sum (Knuth, "The Art of Computer Programming", vol. 2, section 4.2.2): `error` is exactly what rounding
        # took off `total`, whichever of the two is larger. Plain sums would round d times, in an order that depends on
        # which option comes first.
        total = on + other
        moved = total - on
        error = (on - (total - moved)) + (other - moved) + (on_low + other_low)
        # Renormalise, so that the low part stays below a unit of the high one and can hold the next error.
        high[:, slot, :] = total + error
        low[:, slot, :] = error - (high[:, slot, :] - total)


def inverse_walsh_hadamard(coefficients: npt.ArrayLike) -> FloatArray:
    """Table whose Walsh-Hadamard coefficients are given; see `walsh_hadamard`.

    Parameters
    ----------
    coefficients : array-like of float, shape (2**d,)
        Coefficient w_S at the rank of S, 1 <= d <= 20.

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
    >>> inverse_walsh_hadamard([0.75, -0.25, 0.0, 0.0]).tolist()
    [1.0, 0.5, 1.0, 0.5]
    """
    spectrum, d = cube_table(coefficients)
    # The signs prod x_i with x = 2z - 1 are those of the transform with x negated, times (-1)**|S|.
    orders = np.bitwise_count(np.arange(spectrum.size))
    flipped = walsh_hadamard(np.where(orders % 2, -spectrum, spectrum))
    return np.ldexp(np.where(orders % 2, -flipped, flipped), d)


def variance_by_order(values: npt.ArrayLike) -> FloatArray:
    """Variance of a table over the cube carried by interactions of each order.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d + 1,)
        Entry k is the sum of w_S**2 over subsets of k options; entry 0, the mean, is 0 by definition. The entries sum
        to the population variance of the table (Parseval).

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> variance_by_order([0.0, 0.0, 0.0, 1.0]).tolist()
    [0.0, 0.125, 0.0625]
    """
    spectrum = walsh_hadamard(values)
    orders = np.bitwise_count(np.arange(spectrum.size))
    # Entry 0 is the mean of the table, which is no variance.
    squares = spectrum * spectrum
    d = dimensions_of(spectrum.size)
    return np.array([0.0] + [math.fsum(squares[orders == order].tolist()) for order in range(1, d + 1)])


def order_shares(values: npt.ArrayLike) -> FloatArray:
    """Share of the variance of a table carried by interactions of each order.

    Parameters
    ----------
    values : array-like of float, shape (2**d,)
        Table in canonical order, 1 <= d <= 20.

    Returns
    -------
    ndarray of float64, shape (d + 1,)
        Entry k belongs to subsets of k options; entry 0 is 0. The entries sum to 1, or are all 0 for a constant table.

    Raises
    ------
    InvalidMaskError
        If it is not one row of 2**d values, 1 <= d <= 20.

    Examples
    --------
    >>> order_shares([0.0, 0.0, 1.0, 0.0]).round(3).tolist()
    [0.0, 0.667, 0.333]
    """
    variances = variance_by_order(values)
    total = math.fsum(variances.tolist())
    return variances / total if total > 0 else variances
