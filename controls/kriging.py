"""Ordinary kriging: a Gaussian process with an unknown constant mean and a kernel of Hamming distances.

The kernel is exp(-h / length), the nugget is added to the measured masks only. With C the kernel matrix of the
measured masks plus the nugget, q = C⁻¹1 and c = 1ᵀq, the generalised-least-squares mean is qᵀy / c, P = C⁻¹ - qqᵀ/c
and the leave-one-out residuals are (Py)_i / P_ii: Dubrule, "Cross validation of kriging in a unique neighborhood",
Mathematical Geology 15 (1983).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property, lru_cache

import numpy as np

from whatworked.methods.observations import check_observations
from whatworked.methods.ties import Choice, choose
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, distances, ranks_of

LENGTHS = (8.0, 4.0, 2.0, 1.0, 0.5, 0.25)
"""Length scales to choose from, in Hamming distance, in order of preference when losses tie."""
NUGGETS = (0.3, 0.03, 1e-3, 1e-6)
"""Nuggets to choose from, within one length scale in order of preference when losses tie."""
DECIMALS = 14
"""Decimals of the leave-one-out loss that count."""
_EPSILON = float(np.finfo(np.float64).eps)


@lru_cache(maxsize=32)
def _decay(d: int) -> FloatArray:
    """Kernel value by length scale and Hamming distance, shape (6, d + 1)."""
    # Distances take d + 1 values only: looked up, every pair at the same distance has the same bits.
    table: FloatArray = np.exp(-np.arange(d + 1)[np.newaxis, :] / np.array(LENGTHS)[:, np.newaxis])
    table.flags.writeable = False
    return table


@dataclass(frozen=True, eq=False)
class KrigingModel:
    """A fitted Gaussian process.

    Attributes
    ----------
    d : int
        Number of options.
    ranks : ndarray of int64, shape (n,)
        Measured masks.
    values : ndarray of float64, shape (n,)
        Their utilities.
    length, nugget : float
        The chosen hyper-parameters.
    near_tie : bool
        Whether the choice lay within rounding of a tie.
    inverse : ndarray of float64, shape (n, n)
        Inverse of the kernel matrix with nugget.
    """

    d: int
    ranks: IntArray
    values: FloatArray
    length: float
    nugget: float
    near_tie: bool
    inverse: FloatArray

    def kernel(self, left: IntArray, right: IntArray) -> FloatArray:
        """Kernel matrix between masks given by rank, shape (len(left), len(right)), without nugget."""
        decay: FloatArray = _decay(self.d)[LENGTHS.index(self.length)]
        return decay[distances(left, right)]

    @cached_property
    def solved_ones(self) -> FloatArray:
        """The vector q = C⁻¹1, shape (n,)."""
        return np.asarray(self.inverse.sum(axis=1), dtype=np.float64)

    @cached_property
    def mean(self) -> float:
        """The constant mean by generalised least squares."""
        return float(self.solved_ones @ self.values / self.solved_ones.sum())

    @cached_property
    def condition(self) -> float:
        """Estimate of the condition number of C: largest row sum times largest diagonal element of the inverse."""
        # The row sum bounds the norm of C from above, the diagonal that of its inverse from below, by no more than a
        # factor n: an order of magnitude, which is all that `near_tie` needs.
        rows = self.kernel(self.ranks, self.ranks).sum(axis=1).max() + self.nugget
        return float(rows * np.diagonal(self.inverse).max())

    def predict_ranks(self, cells: IntArray) -> FloatArray:
        """Posterior mean at masks given by rank, not clipped; shape (m,)."""
        solved = self.inverse @ (self.values - self.mean)
        return np.asarray(self.mean + self.kernel(cells, self.ranks) @ solved, dtype=np.float64)

    def predict(self, masks: BitArray) -> FloatArray:
        """Posterior mean, not clipped; shape (m, d) -> (m,)."""
        return self.predict_ranks(ranks_of(masks))

    def covariance(self, cells: IntArray) -> FloatArray:
        """Posterior covariance of the noise-free surface at masks given by rank, symmetrised; shape (m, m).

        It includes what not knowing the mean adds.
        """
        # What the weights of simple kriging leave of the constant: 0 at the measured masks but for the nugget.
        cross = self.kernel(cells, self.ranks)
        unexplained = 1.0 - cross @ self.solved_ones
        sigma = self.kernel(cells, cells) - cross @ self.inverse @ cross.T
        sigma += np.outer(unexplained, unexplained) / self.solved_ones.sum()
        # A product of matrices rounds (i, j) and (j, i) differently, by BLAS kernel and size. Scores are compared at
        # the 12th decimal, so that without this the purchase would depend on the machine.
        return np.asarray((sigma + sigma.T) / 2.0, dtype=np.float64)

    @cached_property
    def hyperparameters(self) -> dict[str, float]:
        """Hyper-parameters as a record keeps them."""
        return {"length": self.length, "nugget": self.nugget}


@dataclass(frozen=True)
class KrigingEstimator:
    """Ordinary kriging with length scale and nugget chosen by leave-one-out over a grid of 24.

    That is a Gaussian process with an unknown constant mean. The kernel is exp(-h / length) of the Hamming distance h;
    the nugget is added to measured masks. Lengths are 0.25 to 8 and nuggets 1e-6 to 0.3; losses are compared at 14
    decimals, ties go to the larger length, then the larger nugget (Dubrule, "Cross validation of kriging in a unique
    neighborhood", Mathematical Geology 15 (1983)).

    Examples
    --------
    >>> model = KrigingEstimator().fit([[0, 0], [1, 1], [1, 0]], [0.0, 1.0, 0.5])
    >>> sorted(model.hyperparameters)
    ['length', 'nugget']
    """

    def fit(self, masks: BitArray, utilities: FloatArray) -> KrigingModel:
        """Fit to the measured masks.

        Parameters
        ----------
        masks : array-like of 0 and 1, shape (n, d)
            Distinct measured masks, n >= 1, d from 1 to 20.
        utilities : array-like of float, shape (n,)
            Their utilities, finite.

        Returns
        -------
        KrigingModel
            With `predict`, which does not clip, and the chosen `hyperparameters`.

        Raises
        ------
        InvalidMaskError
            If there is no mask, a row is not a mask, or a mask appears twice.
        InvalidSurfaceError
            If there is not one finite utility for each mask.
        """
        d, ranks, values = check_observations(masks, utilities)
        return fit_kriging(d, ranks, values)


def fit_kriging(d: int, ranks: Sequence[int] | IntArray, values: FloatArray) -> KrigingModel:
    """Fit to masks given by rank; arguments are not checked."""
    fits = KrigingFits(d, ranks, values)
    return fits.model(choose(-fits.losses, DECIMALS, fits.noise))


class KrigingFits:
    """The processes with every pair of `LENGTHS` and `NUGGETS`, length by length, and how well each predicts.

    Parameters
    ----------
    d : int
        Number of options.
    ranks : sequence of int, length n
        Measured masks.
    values : ndarray of float64, shape (n,)
        Their utilities.

    Attributes
    ----------
    losses, noise : ndarray of float64, shape (24,)
        Mean squared leave-one-out residuals, and a bound on their rounding error.
    """

    def __init__(self, d: int, ranks: Sequence[int] | IntArray, values: FloatArray) -> None:
        self._d, self._measured, self._values = d, np.asarray(ranks, dtype=np.int64), values
        kernels = _decay(d)[:, distances(self._measured, self._measured)]
        nuggets = np.array(NUGGETS)[:, np.newaxis, np.newaxis] * np.eye(len(self._measured))
        # Inverses, not Cholesky factors: leave-one-out needs their diagonals, and all 24 are made in one call.
        self._inverses = np.asarray(np.linalg.inv(kernels[:, np.newaxis] + nuggets), dtype=np.float64)
        losses, noise = _losses(self._inverses, kernels, values)
        self.losses, self.noise = losses.ravel(), noise.ravel()

    def model(self, choice: Choice) -> KrigingModel:
        """The process with the pair of hyper-parameters at a position."""
        length, nugget = divmod(choice.index, len(NUGGETS))
        return KrigingModel(
            d=self._d,
            ranks=self._measured,
            values=self._values,
            length=LENGTHS[length],
            nugget=NUGGETS[nugget],
            near_tie=choice.near_tie,
            inverse=self._inverses[length, nugget],
        )


def _losses(inverses: FloatArray, kernels: FloatArray, values: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Mean squared leave-one-out residuals and a bound on their rounding error, each of shape (6, 4).

    A single mask has nothing to be predicted from: its losses are 0.
    """
    if len(values) == 1:
        return np.zeros(inverses.shape[:2]), np.zeros(inverses.shape[:2])
    solved_ones = inverses.sum(axis=-1)
    total = solved_ones.sum(axis=-1, keepdims=True)
    # P y and the diagonal of P without P: qqᵀ has rank one, so neither needs another n × n matrix.
    projected = inverses @ values - solved_ones * (solved_ones @ values)[..., np.newaxis] / total
    diagonal = np.diagonal(inverses, axis1=-2, axis2=-1)
    residuals = projected / (diagonal - solved_ones**2 / total)
    losses = (residuals**2).mean(axis=-1)
    condition = (kernels.sum(axis=-1).max(axis=-1)[:, np.newaxis] + np.array(NUGGETS)) * diagonal.max(axis=-1)
    return losses, _EPSILON * (4.0 + 4.0 * condition) * np.sqrt(losses) * np.abs(values).max()
