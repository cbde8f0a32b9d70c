"""Measurements as the kernels see them: one of each mask, or several with noise."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from whatworked.inference.evidence import Evidence, Repeats, weigh
from whatworked.inference.kernel import Kernels, Prior
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray


@dataclass(frozen=True, eq=False)
class Data:
    """Measurements.

    A stated noise counts as `stated_freedom` repeats of other masks, seen earlier, whose sample variance it was.

    Attributes
    ----------
    masks : ndarray of int8, shape (n, d)
        Distinct masks.
    values : ndarray of float64, shape (N,), N >= n
        Measurements, in units of their range.
    place : ndarray of int64, shape (N,), or None
        Row of `masks` of each; None: one for each mask, in order.
    stated_variance, stated_freedom : float
        A noise variance known beforehand, in the same units squared, and how many degrees of freedom it is worth.
    """

    masks: BitArray
    values: FloatArray
    place: IntArray | None = None
    stated_variance: float = 0.0
    stated_freedom: float = 0.0

    @property
    def counts(self) -> FloatArray:
        """Measurements of each mask, shape (n,)."""
        if self.place is None:
            return np.ones(len(self.masks))
        return np.bincount(self.place, minlength=len(self.masks)).astype(np.float64)

    @property
    def repeated(self) -> float:
        """Measurements beyond one for each mask, with those that a stated noise stands for."""
        return len(self.values) - len(self.masks) + self.stated_freedom

    def means(self, kernels: Kernels) -> FloatArray:
        """Mean of each mask's warped measurements, shape (m, n)."""
        bent = kernels.bend(self.values)
        if self.place is None:
            return bent
        sums = np.zeros((len(bent), len(self.masks)))
        # add.at, because places repeat; over the transpose, so that it runs along the first axis.
        np.add.at(sums.T, self.place, bent.T)
        return sums / self.counts

    def nugget(self, kernels: Kernels, own: float) -> float | FloatArray:
        """What is added to the variance of each mask's mean: its own deviation and the noise."""
        return own if self.place is None else own + kernels.noise[:, None] / self.counts

    def repeats(self, kernels: Kernels) -> Repeats | None:
        """What repeats add to the evidence; None where measurements are exact."""
        if self.place is None:
            return None
        bent = kernels.bend(self.values)
        within = ((bent - self.means(kernels)[:, self.place]) ** 2).sum(axis=1)
        if self.stated_freedom:
            # Noise is alike everywhere after the warp; what is stated holds before it, on average over the
            # measurements.
            slopes = np.exp(2.0 * kernels.warp[:, None] * self.values).mean(axis=1)
            within = within + self.stated_freedom * self.stated_variance * slopes
        log = -0.5 * (self.repeated * np.log(kernels.noise) + np.log(self.counts).sum())
        if self.stated_freedom:
            # The Jacobian of the warp for the measurements that stand behind the stated noise.
            log = log + 0.5 * self.stated_freedom * np.log(slopes)
        return Repeats(within / kernels.noise, log, self.repeated)

    def weigh(self, kernels: Kernels, prior: Prior) -> Evidence:
        """Evidence of every kernel."""
        seen = kernels.features(self.masks)
        jacobian = kernels.warp * self.values.sum()
        nugget = self.nugget(kernels, prior.nugget)
        return weigh(seen.covariance(seen), self.means(kernels), jacobian, nugget, self.repeats(kernels))
