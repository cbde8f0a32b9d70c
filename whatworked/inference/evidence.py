r"""What a kernel makes of measurements.

Every kernel gives a process with unknown constant mean (flat prior) and unknown scale (prior :math:`1/σ^2`), both
integrated out. With :math:`C = K_{OO} + ηI`, :math:`c = 1^TC^{-1}1`, :math:`μ = 1^TC^{-1}y/c` and
:math:`S = (y - μ1)^T C^{-1} (y - μ1)` over n measurements v, warped to y, the marginal likelihood is proportional to
:math:`|C|^{-1/2} c^{-1/2} S^{-(n-1)/2} \prod_j e^{ω v_j}` (Santner, Williams, Notz, "The Design and Analysis of
Computer Experiments", 2003, section 4.1; Rasmussen, Williams, "Gaussian Processes for Machine Learning", 2006, section
2.7). The last factor is the Jacobian of the warp (Box, Cox, "An analysis of transformations", JRSS B 26, 1964).

With noise of variance :math:`λσ^2`, N measurements of n masks, :math:`r_j` of mask j, count through their means: C has
:math:`η + λ/r_j` on its diagonal, :math:`W/λ` is added to S, with W the sum of squares within masks, n − 1 becomes N −
1, and :math:`λ^{-(N-n)/2}` is a further factor (Binois, Gramacy, Ludkovski, "Practical heteroscedastic Gaussian process
modeling for large simulation experiments", J. Comput. Graph. Stat. 27, 2018, section 2.1).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.surfaces.masks import FloatArray

_SMALLEST_SQUARE = 1e-9
"""Added to S, in units of the measured range squared: a floor for surfaces that are flat so far."""


@dataclass(frozen=True, eq=False)
class Evidence:
    """Arrays over m kernels and n measurements.

    Attributes
    ----------
    log : ndarray of float64, shape (m,)
        Logarithm of the marginal likelihood, up to a constant.
    mean : ndarray of float64, shape (m,)
        Generalised least-squares mean μ.
    squares : ndarray of float64, shape (m,)
        S.
    warped : ndarray of float64, shape (m, n)
        The measurements y.
    matrix : ndarray of float64, shape (m, n, n)
        C.
    """

    log: FloatArray
    mean: FloatArray
    squares: FloatArray
    warped: FloatArray
    matrix: FloatArray


@dataclass(frozen=True, eq=False)
class Repeats:
    """What repeated measurements add to those of distinct masks; arrays over m kernels.

    Attributes
    ----------
    squares : ndarray of float64, shape (m,)
        W/λ.
    log : ndarray of float64, shape (m,)
        Logarithm of the further factor.
    freedom : float
        N − n.
    """

    squares: FloatArray
    log: FloatArray
    freedom: float


def weigh(
    matrix: FloatArray,
    warped: FloatArray,
    log_jacobian: FloatArray,
    nugget: float | FloatArray,
    repeats: Repeats | None = None,
) -> Evidence:
    """Marginal likelihood of measurements under each kernel.

    Parameters
    ----------
    matrix : ndarray of float64, shape (m, n, n)
        Covariances of the measured masks; the nugget is added in place.
    warped : ndarray of float64, shape (m, n)
        Measured values as each kernel sees them.
    log_jacobian : ndarray of float64, shape (m,)
        Sum of the log derivatives of the warp at the measurements.
    nugget : float, or ndarray of float64 that broadcasts to (m, n)
        η, with the noise of each mask's mean.
    repeats : Repeats, optional
        Where masks were measured more than once.
    """
    n = warped.shape[1]
    matrix[:, range(n), range(n)] += nugget
    lower = np.asarray(np.linalg.cholesky(matrix), dtype=np.float64)
    # In the coordinates of the factor, generalised least squares is ordinary: the mean and S are plain sums. No inverse
    # is taken, which for nearly singular C would lose the small differences that decide the weights.
    ones, values = _whitened(lower, np.stack([np.ones_like(warped), warped]))
    total = (ones**2).sum(axis=1)
    mean = (ones * values).sum(axis=1) / total
    # Without the floor a surface that is constant so far has S = 0 and infinite evidence for every kernel.
    squares = ((values - mean[:, None] * ones) ** 2).sum(axis=1) + _SMALLEST_SQUARE
    freedom: float = n - 1
    if repeats is not None:
        squares, log_jacobian, freedom = squares + repeats.squares, log_jacobian + repeats.log, n - 1 + repeats.freedom
    log_determinant = 2.0 * np.log(lower[:, range(n), range(n)]).sum(axis=1)
    log = log_jacobian - 0.5 * (log_determinant + np.log(total) + freedom * np.log(squares))
    return Evidence(log, mean, squares, warped, matrix)


def _whitened(lower: FloatArray, right: FloatArray) -> FloatArray:
    """L⁻¹r by forward substitution for all kernels at once, shapes (m, n, n) and (r, m, n) -> (r, m, n).

    n steps over whole batches: several times faster than one call of a general solver for each small matrix.
    """
    columns = np.ascontiguousarray(lower.transpose(2, 1, 0))
    rest = np.ascontiguousarray(right.transpose(0, 2, 1))
    for step, column in enumerate(columns):
        rest[:, step] /= column[step]
        rest[:, step + 1 :] -= column[step + 1 :] * rest[:, step, None]
    return rest.transpose(0, 2, 1)
