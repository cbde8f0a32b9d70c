"""A weighted set of fitted processes of one response surface."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeVar

import numpy as np

from whatworked.inference.evidence import Evidence
from whatworked.inference.kernel import Features, Kernels, Prior
from whatworked.inference.observed import Data
from whatworked.inference.sampler import Sampler, populate, tempered
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray

if TYPE_CHECKING:
    from whatworked.inference.family import Family


@dataclass(frozen=True, eq=False)
class Mixture:
    """A weighted set of fitted processes of one response surface.

    Attributes
    ----------
    masks : ndarray of int8, shape (n, d)
        Measured masks.
    origin, unit : float
        A utility is `origin` + `unit` · v, with v what the processes model after their warp.
    weights : ndarray of float64, shape (k,)
        Posterior weights, descending.
    kernels : Kernels
        The k kernels.
    evidence : Evidence
        What they make of the measurements.
    nugget : float
        As in the prior.
    repeated : float
        Measurements beyond one for each mask, with those that a stated noise stands for.
    """

    masks: BitArray
    origin: float
    unit: float
    weights: FloatArray
    kernels: Kernels
    evidence: Evidence
    nugget: float
    repeated: float = 0.0

    @property
    def freedom(self) -> float:
        """Degrees of freedom of the processes' Student t distributions: the number of measurements less 1."""
        return len(self.masks) - 1 + self.repeated

    def at(self, masks: BitArray) -> FittedProcesses:
        """The processes at given masks, shape (a, d)."""
        features = self.kernels.features(np.asarray(masks, dtype=np.int8))
        return FittedProcesses(self, features, features.covariance(self._measured))

    @cached_property
    def _measured(self) -> Features:
        return self.kernels.features(self.masks)

    @cached_property
    def inverse(self) -> FloatArray:
        """C⁻¹ of every kernel, shape (k, n, n)."""
        return np.asarray(np.linalg.inv(self.evidence.matrix))

    @cached_property
    def sums(self) -> FloatArray:
        """C⁻¹1 of every kernel, shape (k, n)."""
        return np.asarray(self.inverse.sum(axis=2))

    @cached_property
    def solved(self) -> FloatArray:
        """C⁻¹(y − μ1) of every kernel, shape (k, n)."""
        residuals = self.evidence.warped - self.evidence.mean[:, None]
        return np.asarray(np.matmul(self.inverse, residuals[:, :, None])[:, :, 0])


@dataclass(frozen=True, eq=False)
class FittedProcesses:
    """Processes of a mixture at a set of masks; arrays over k processes and a masks.

    Attributes
    ----------
    mixture : Mixture
    features : Features
        Of the masks.
    cross : ndarray of float64, shape (k, a, n)
        Prior covariance with the measured masks.
    """

    mixture: Mixture
    features: Features
    cross: FloatArray

    @cached_property
    def _unbent(self) -> tuple[FloatArray, FloatArray]:
        warped = self.mixture.evidence.mean[:, None] + np.matmul(self.cross, self.mixture.solved[:, :, None])[:, :, 0]
        return self.mixture.kernels.unbend(warped)

    @property
    def relative(self) -> FloatArray:
        """Median of each process, in units of the measured range, shape (k, a)."""
        return self._unbent[0]

    @property
    def utilities(self) -> FloatArray:
        """Median utility under each process, shape (k, a)."""
        return self.mixture.origin + self.mixture.unit * self.relative

    @property
    def slopes(self) -> FloatArray:
        """Derivatives of the relative utilities by the warped ones, shape (k, a)."""
        return self._unbent[1]

    @property
    def noise(self) -> FloatArray:
        """Variance of one more measurement for σ² = 1, the nugget included, linearised as in `covariance`, (k, a)."""
        return np.asarray(self.mixture.nugget + self.mixture.kernels.noise[:, None] * self._unbent[1] ** 2)

    def covariance(self) -> FloatArray:
        """Posterior covariance of each process for σ² = 1, linearised through the warp, shape (k, a, a)."""
        known = np.matmul(np.matmul(self.cross, self.mixture.inverse), self.cross.transpose(0, 2, 1))
        sums = self.mixture.sums
        rest = 1.0 - np.matmul(self.cross, sums[:, :, None])[:, :, 0]
        result = self.features.covariance(self.features)
        result -= known
        # What not knowing the mean adds, as in `whatworked.controls.kriging`.
        result += rest[:, :, None] * (rest / sums.sum(axis=1, keepdims=True))[:, None, :]
        # In place: at nine options the covariances of 48 kernels take 100 MB.
        slopes = self._unbent[1]
        result *= slopes[:, :, None]
        result *= slopes[:, None, :]
        return result


def fit_mixture(
    masks: BitArray, utilities: FloatArray, prior: Prior, sampler: Sampler, family: Family | None = None
) -> Mixture:
    """Average over kernels given measurements.

    Parameters
    ----------
    masks : ndarray of int8, shape (n, d)
        Distinct masks, n >= 2.
    utilities : ndarray of float64, shape (n,)
        Their utilities.
    prior : Prior
        Prior over kernels.
    sampler : Sampler
        How many kernels are tried.
    family : Family, optional
        What is known of other surfaces of the family.
    """
    # In units of the measured range, because the prior of the warp is stated on that scale. The scale of the process
    # itself is integrated out.
    origin, unit = origin_and_unit(utilities)
    return average(Data(masks, (utilities - origin) / unit), origin, unit, prior, sampler, family)


def origin_and_unit(utilities: FloatArray) -> tuple[float, float]:
    """The least of some utilities and their range; a range of 0 becomes 1."""
    origin, spread = float(utilities.min()), float(np.ptp(utilities))
    return origin, spread if spread > 0 else 1.0


def average(
    data: Data, origin: float, unit: float, prior: Prior, sampler: Sampler, family: Family | None = None
) -> Mixture:
    """Average over kernels given measurements in units of their range."""
    populations = [populate(data, prior, sampler)]
    logs = [populations[0].log_weights()[2]]
    if family is not None:
        # The weights of a population add up to an estimate of its evidence, so that of two the more likely prior takes
        # over, and one that explains nothing is out.
        populations.append(populate(data, prior, sampler, family))
        logs = [logs[0] + np.log1p(-family.share), populations[1].log_weights()[2] + np.log(family.share)]
    weights = tempered(np.concatenate(logs), 0.0)
    # Stable: of equal weights the point drawn first stays, on every machine.
    kept = np.argsort(-weights, kind="stable")[: sampler.kept]
    return Mixture(
        masks=data.masks,
        origin=origin,
        unit=unit,
        weights=weights[kept] / weights[kept].sum(),
        kernels=replace(_rows([part for one in populations for part in one.kernels], kept), family=family),
        evidence=_rows([part for one in populations for part in one.evidence], kept),
        nugget=prior.nugget,
        repeated=data.repeated,
    )


Arrays = TypeVar("Arrays", Kernels, Evidence)


def _rows(parts: list[Arrays], rows: IntArray) -> Arrays:
    """Some rows of the concatenation of sets of arrays; the family, which is none, is left out."""
    names = [field.name for field in fields(parts[0]) if field.name != "family"]
    arrays: dict[str, Any] = {name: np.concatenate([getattr(part, name) for part in parts])[rows] for name in names}
    return type(parts[0])(**arrays)
