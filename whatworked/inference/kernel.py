r"""A product kernel with one relevance per option and a tilt.

A response surface is a Gaussian process whose covariance is

.. math:: k(z, z') = \prod_i \frac{1 + \psi_i(z_i)\,\psi_i(z'_i)}{1 + t_i}, \qquad
          \psi_i(0) = -\sqrt{2 t_i}\cos\alpha,\quad \psi_i(1) = \sqrt{2 t_i}\sin\alpha .

``t_i`` in [0, 1] is the relevance of option i: 0 means that it never matters. Without tilt (``α = π/4``) this is
:math:`\prod_i \rho_i^{[z_i \ne z'_i]}` up to a constant, with :math:`\rho_i = (1 - t_i) / (1 + t_i)`, and a Walsh
coefficient of the set S of options has prior variance in proportion to :math:`\prod_{i \in S} t_i`. The tilt says where
interactions live: ``α < π/4`` makes effects larger where other options are off (what one option has done, another need
not do again), ``α > π/4`` where they are on (options that act only together).

The parameters are functions of latent standard normals, so that a prior is implied and an adaptive sampler can work
in one space: :math:`\rho_i = Φ(x_i)^2` and :math:`α = π/4 + (Φ(x_{d+1}) - 1/2)\,π/2`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from scipy.special import ndtr

from whatworked.cube import BitArray, FloatArray

_CORRELATION_BOUNDS = (1e-3, 1.0 - 1e-6)


@dataclass(frozen=True)
class Prior:
    """Constants of the prior over kernels.

    Attributes
    ----------
    power : float
        Exponent e in ρ = Φ(x)^e, the correlation that is left when one option is switched. 1 is a uniform prior; larger
        values expect options to matter more.
    tilt : float
        Share of the quarter turn that the tilt may take, 0 (none) to 1.
    nugget : float
        Variance of a cell's own deviation, relative to the variance of the process. It keeps matrices invertible; the
        measurements themselves are exact.
    """

    power: float = 2.0
    tilt: float = 1.0
    nugget: float = 1e-6


@dataclass(frozen=True, eq=False)
class Kernels:
    """Many kernels at once.

    Attributes
    ----------
    off, on : ndarray of float64, shape (m, d)
        ψ_i(0) and ψ_i(1) of every kernel.
    scale : ndarray of float64, shape (m,)
        Reciprocal of the normalising product.
    """

    off: FloatArray
    on: FloatArray
    scale: FloatArray

    @classmethod
    def at(cls, latent: FloatArray, d: int, prior: Prior) -> Kernels:
        """Kernels of `d` options at latent points, shape (m, d + 1)."""
        rho = np.clip(ndtr(latent[:, :d]) ** prior.power, *_CORRELATION_BOUNDS)
        relevance = (1.0 - rho) / (1.0 + rho)
        angle = np.pi / 4 + (ndtr(latent[:, d:]) - 0.5) * prior.tilt * np.pi / 2
        size = np.sqrt(2.0 * relevance)
        return cls(-size * np.cos(angle), size * np.sin(angle), 1.0 / np.prod(1.0 + relevance, axis=1))

    def between(self, left: BitArray, right: BitArray) -> FloatArray:
        """Covariances of masks, shapes (a, d) and (b, d) -> (m, a, b)."""
        covariance = np.broadcast_to(self.scale[:, None, None], (len(self.scale), len(left), len(right))).copy()
        for option in range(self.off.shape[1]):
            at_left, at_right = self._features(option, left), self._features(option, right)
            covariance *= 1.0 + at_left[:, :, None] * at_right[:, None, :]
        return covariance

    def _features(self, option: int, masks: BitArray) -> FloatArray:
        return np.where(masks[:, option] == 1, self.on[:, option, None], self.off[:, option, None])
