r"""A product kernel with a relevance and a gate per option, a tilt, and a warp of the utility.

A response surface, after the warp, is a Gaussian process whose covariance is

.. math:: k(z, z') = \prod_i \frac{1 + ψ_i(g_i)\,ψ_i(g'_i)}{1 + t_i}
          \prod_{i\ gated} \bigl(1 + λ\,ψ_i(z_i)\,ψ_i(z'_i)\bigr), \qquad
          ψ_i(0) = -\sqrt{2 t_i}\cos α,\quad ψ_i(1) = \sqrt{2 t_i}\sin α .

- ``t_i`` in [0, 1] is the **relevance** of option i: 0 means that it never matters. Without tilt (``α = π/4``) and
  gates this is :math:`\prod_i ρ_i^{[z_i \ne z'_i]}` up to a constant, with :math:`ρ_i = (1 - t_i) / (1 + t_i)`,
  and the Walsh coefficient of a set S of options has prior variance in proportion to :math:`\prod_{i \in S} t_i`.
- ``g_i`` is the value option i takes behind its **gate** (`whatworked.inference.gates`), and λ is the **leak**: what of
  its relevance is left where the gate is shut.
- The **tilt** says where interactions live: ``α < π/4`` makes effects larger where other options are off (what one
  option has done, another need not do again), ``α > π/4`` where they are on (options that act only together).
- The **warp** of a utility v in [0, 1] (relative to the measured range) is :math:`(e^{ωv} - 1)/ω`: options that add up
  on a curved scale.

All but the gates are functions of latent standard normals, so that one adaptive sampler can work on them:
:math:`ρ_i = Φ(x_i + m)^2`, :math:`α = π/4 + (Φ(x) - 1/2)\,π/2`, :math:`λ = 10^{-4(1 - Φ(x))}`, :math:`ω = s\,x`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
from scipy.special import ndtr

from whatworked.errors import InvalidOptionError
from whatworked.inference.gates import gated_bits
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray

if TYPE_CHECKING:
    from whatworked.inference.family import Family

_CORRELATION_BOUNDS = (1e-3, 1.0 - 1e-6)
_POWER = 2.0
_SMALLEST_WARP = 1e-4
_GROUP = 3
SHAPES = 3
"""Latent coordinates after those of the relevances: tilt, leak, warp."""


@dataclass(frozen=True)
class Prior:
    """Constants of the prior over kernels. See docs/inference.md for where they come from.

    Attributes
    ----------
    shift : float
        m in ρ = Φ(x + m)²: larger values expect options to matter less.
    tilt : float
        Share of the quarter turn that the tilt may take, 0 (none) to 1.
    gated : float
        Prior probability that an option is gated; 0 for no gates at all.
    leak_decades : float
        λ lies between 10 to the minus this and 1, uniform in its logarithm.
    warp : float
        Standard deviation of ω; 0 for no warp.
    nugget : float
        Variance of a cell's own deviation, relative to the variance of the process. It keeps matrices invertible; the
        measurements themselves are exact unless there is noise.
    noise : (float, float), or None
        Mean and standard deviation of log10 of the noise variance of one measurement, relative to the variance of the
        process; None where measurements are exact.

    Raises
    ------
    InvalidOptionError
        If a constant is outside its range.
    """

    shift: float = 0.5
    tilt: float = 1.0
    gated: float = 0.05
    leak_decades: float = 4.0
    warp: float = 1.5
    nugget: float = 1e-6
    noise: tuple[float, float] | None = None

    def __post_init__(self) -> None:
        offences = [
            f"{name} is {value!r}, allowed is {allowed}"
            for name, value, allowed, good in (
                ("tilt", self.tilt, "0 to 1", 0 <= self.tilt <= 1),
                ("gated", self.gated, "0 up to, not including, 1", 0 <= self.gated < 1),
                ("leak_decades", self.leak_decades, "0 or more", self.leak_decades >= 0),
                ("warp", self.warp, "0 or more", self.warp >= 0),
                ("nugget", self.nugget, "1e-12 to 1", 1e-12 <= self.nugget <= 1),
            )
            if not good
        ]
        if offences:
            raise InvalidOptionError("prior over kernels: " + "; ".join(offences))


@dataclass(frozen=True, eq=False)
class Kernels:
    """Many kernels at once; arrays over m kernels and d options.

    Attributes
    ----------
    off, on : ndarray of float64, shape (m, d)
        ψ_i(0) and ψ_i(1).
    leak : ndarray of float64, shape (m,)
        λ.
    warp : ndarray of float64, shape (m,)
        ω, never exactly zero.
    gates : ndarray of int64, shape (m, d)
        State of every option.
    noise : ndarray of float64, shape (m,)
        Noise variance of one measurement, relative to that of the process; 0 where measurements are exact.
    leaning : ndarray of float64, shape (m,)
        g, how far each leans on known surfaces; 0 for those that do not.
    family : Family or None
        Where the known surfaces stand.
    """

    off: FloatArray
    on: FloatArray
    leak: FloatArray
    warp: FloatArray
    gates: IntArray
    noise: FloatArray
    leaning: FloatArray
    family: Family | None = None

    @classmethod
    def at(cls, latent: FloatArray, gates: IntArray, prior: Prior, family: Family | None = None) -> Kernels:
        """Kernels at latent points, shape (m, p), with gates of shape (m, d).

        The latents are d + 3, with a family one more for g, and with noise one more at the end.
        """
        d = gates.shape[1]
        # With ρ = 1 two masks that differ in this option have equal rows, and only the nugget would keep the matrix
        # invertible.
        rho = np.clip(ndtr(latent[:, :d] + prior.shift) ** _POWER, *_CORRELATION_BOUNDS)
        shapes = ndtr(latent[:, d : d + 2])
        angle = np.pi / 4 + (shapes[:, :1] - 0.5) * prior.tilt * np.pi / 2
        size = np.sqrt(2.0 * (1.0 - rho) / (1.0 + rho))
        warp = prior.warp * latent[:, d + 2]
        return cls(
            off=-size * np.cos(angle),
            on=size * np.sin(angle),
            leak=10.0 ** (-prior.leak_decades * (1.0 - shapes[:, 1])),
            # (e^{ωv} − 1) / ω is 0 / 0 at ω = 0; this close to it the warp is the identity to within 1e-4.
            warp=np.where(np.abs(warp) < _SMALLEST_WARP, _SMALLEST_WARP, warp),
            gates=gates,
            noise=_noise(latent[:, -1], prior.noise),
            leaning=np.zeros(len(latent)) if family is None else family.leaning(latent),
            family=family,
        )

    @property
    def scale(self) -> FloatArray:
        """Reciprocal of the normalising product, shape (m,); ψ_i(0)² + ψ_i(1)² is 2 t_i."""
        # So that the prior variance of a cell averages to 1 over the cube, whatever the relevances, where there are no
        # gates.
        return np.asarray(1.0 / np.prod(1.0 + (self.off**2 + self.on**2) / 2.0, axis=1))

    def features(self, masks: BitArray) -> Features:
        """What the kernels see of masks, shape (n, d)."""
        return Features(self, gated_bits(masks), None if self.family is None else self.family.at(masks))

    def bend(self, values: FloatArray) -> FloatArray:
        """Warp relative utilities by every kernel's warp, shape (n,) -> (m, n)."""
        # expm1, since for small ω nearly all digits of e^{ωv} are those of the 1 that is subtracted.
        return np.asarray(np.expm1(self.warp[:, None] * values) / self.warp[:, None])

    def unbend(self, warped: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Relative utilities of warped ones and their derivatives, shape (m, n) -> twice (m, n)."""
        # Far outside the measured range the warp has no inverse. The value is floored late, where its logarithm still
        # says which way; the slope earlier, since near the pole a linearised variance means nothing.
        grown = np.maximum(1.0 + self.warp[:, None] * warped, 0.01)
        return np.log(grown) / self.warp[:, None], 1.0 / np.maximum(grown, 0.08)


def _noise(latent: FloatArray, prior: tuple[float, float] | None) -> FloatArray:
    if prior is None:
        return np.zeros(len(latent))
    # Above 100 times the process nothing can be learnt, and below 1e-8 of it noise is less than the nugget.
    return np.asarray(10.0 ** np.clip(prior[0] + prior[1] * latent, -8.0, 2.0))


@dataclass(frozen=True, eq=False)
class Features:
    """The features ψ of a set of masks under many kernels.

    Attributes
    ----------
    kernels : Kernels
    bits : ndarray of bool, shape (d, states, n)
        See `whatworked.inference.gates.gated_bits`.
    known : ndarray of float64, shape (warps, J, n), or None
        The known surfaces of a family after every warp.
    """

    kernels: Kernels
    bits: np.ndarray[tuple[int, ...], np.dtype[np.bool_]]
    known: FloatArray | None = None

    def option(self, option: int) -> FloatArray:
        """ψ of an option behind its gate, shape (m, n)."""
        seen = self.bits[option][self.kernels.gates[:, option]]
        return np.where(seen, self.kernels.on[:, option, None], self.kernels.off[:, option, None])

    def leaked(self, option: int) -> FloatArray:
        """√λ ψ of an option itself for the kernels that gate it, 0 for the others, shape (m, n)."""
        kernels = self.kernels
        plain = np.where(self.bits[option, 0], kernels.on[:, option, None], kernels.off[:, option, None])
        plain *= (np.sqrt(kernels.leak) * (kernels.gates[:, option] > 0))[:, None]
        return plain

    def factors(self, options: IntArray, states: IntArray) -> FloatArray:
        """Factors of options in the first kernel's covariance, were they in the given states, shape (t, n, n)."""
        kernels = self.kernels
        off, on = kernels.off[0, options, None], kernels.on[0, options, None]
        seen = np.where(self.bits[options, states], on, off)
        leaked = np.where(self.bits[options, 0], on, off) * np.sqrt(kernels.leak[0] * (states > 0))[:, None]
        product = 1.0 + seen[:, :, None] * seen[:, None, :]
        product *= 1.0 + leaked[:, :, None] * leaked[:, None, :]
        return product

    def covariance(self, other: Features) -> FloatArray:
        """Covariances with other masks under the same kernels, shape (m, n, n').

        The product of three factors 1 + ψψ' is an inner product of 8 features, so that a few products of matrices do
        the work: half the time of multiplying factor by factor.
        """
        products = (
            np.matmul(mine.transpose(0, 2, 1), theirs) for mine, theirs in zip(self._groups, other._groups, strict=True)
        )
        result = next(products)
        result *= self.kernels.scale[:, None, None]
        # In place: with 500 masks each array takes 100 MB, and fresh memory costs more than the arithmetic.
        for product in products:
            result *= product
        self.lean(result, other, np.arange(len(result)))
        return np.asarray(result)

    def lean(self, covariances: FloatArray, other: Features, kernels: IntArray) -> None:
        """Make covariances of the product kernel, shape (t, n, n'), those that lean on known surfaces, in place.

        `kernels` says of which of the kernels each is, shape (t,).
        """
        family = self.kernels.family
        if family is None or self.known is None or other.known is None:
            return
        leaning = self.kernels.leaning[kernels]
        rows = np.flatnonzero(leaning)
        if not len(rows):
            return
        shared = np.matmul(self.known.transpose(0, 2, 1), other.known)
        places = family.places(self.kernels.warp[kernels[rows]])
        g = leaning[rows, None, None]
        covariances[rows] = (covariances[rows] + g * shared[places]) / (1.0 + g)

    @cached_property
    def _groups(self) -> list[FloatArray]:
        """Products of all subsets of each three factors' features, shape (m, up to 8, n) each."""
        gates = self.kernels.gates
        columns = [self.option(option) for option in range(gates.shape[1])]
        columns += [self.leaked(int(option)) for option in np.flatnonzero(gates.any(axis=0))]
        groups = []
        for first in range(0, len(columns), _GROUP):
            group = columns[first : first + _GROUP]
            expanded = np.empty((len(gates), 1 << len(group), group[0].shape[1]))
            expanded[:, 0] = 1.0
            for place, column in enumerate(group):
                size = 1 << place
                np.multiply(expanded[:, :size], column[:, None, :], out=expanded[:, size : 2 * size])
            groups.append(expanded)
        return groups
