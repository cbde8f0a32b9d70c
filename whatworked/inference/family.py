r"""A prior over kernels from the known surfaces of a family.

A surface of the family is, after its warp, :math:`u = a + \sum_j b_j T_j + δ`, with :math:`T_j` the j-th known surface,
warped in the same way and standardised over the cube, and δ under the product kernel of `whatworked.inference.kernel`.
With independent normal :math:`b_j` of one variance this is a Gaussian process with

.. math:: k(z, z') = \frac{k_δ(z, z') + g\,\frac1J \sum_j T_j(z)\,T_j(z')}{1 + g}, \qquad \log g \sim N(μ, σ^2),

which is a Bayesian linear model on the known surfaces beside a process for the rest (Rasmussen, Williams, "Gaussian
Processes for Machine Learning", 2006, section 2.7). The latents of k_δ come from those that the known surfaces have
themselves: with a share of `OWN` from the prior without experience, else from around one of them, all alike.

All of this is one part of a mixture. The other, with prior weight 1 − `SHARE`, is the prior without experience, so that
surfaces that are like none of the known ones are fitted as before.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, lru_cache

import numpy as np
from scipy.special import logsumexp

from whatworked.errors import InvalidMaskError
from whatworked.inference import gates as gating
from whatworked.inference.kernel import SHAPES, Prior
from whatworked.inference.noise import noisy_mixture
from whatworked.inference.observed import Data
from whatworked.inference.sampler import Proposal, Sampler, populate, tempered
from whatworked.surfaces.experience import Experience, KnownSurface
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, bits_of, ranks_of

SHARE = 0.1
"""Prior probability that a surface is like the known ones. One in ten, so that others lose little: evidence of a few
measurements outweighs it where it is right."""
OWN = 0.1
"""Share of the prior without experience in the prior of the latents."""
LEANING = (0.4, 1.5)
"""Mean and standard deviation of log g: the known surfaces explain 60 % of the variance, give or take a third."""
_WARPS = np.linspace(-4.5, 4.5, 19)
"""Warps at which known surfaces are standardised: three standard deviations of the prior, half of a unit apart."""
_SPREAD = 0.1
"""Variance added to each latent of a known surface: another one of its family differs by so much at least. Of fewer
than ten known surfaces it is one over their number, as how much surfaces of the family differ is then hardly known."""
_GATES = 0.3
"""Share of the prior in the gates of a known surface."""
_EFFECTIVE = 12.0
"""Effective number of kernels over which the latents of a known surface are averaged at least."""
_FIRST = 96
"""First points from the prior of the latents without experience, and about as many from around the known surfaces."""
_FEWEST = 8
_SEEN = 4
"""Sets of masks at which the known surfaces are kept."""
_MOST_MEASURED = 64
"""Masks that a known surface is fitted on at most; its table holds all that were measured."""


@dataclass(frozen=True, eq=False)
class Lesson:
    """What a known surface teaches about a cube of d options.

    Attributes
    ----------
    places : tuple of int
        Options of the cube that it has.
    values : ndarray of float64, shape (2**len(places),)
        Its utilities in units of their range, by mask of these options.
    centre : ndarray of float64, shape (d + 3,)
        Mean of its latents.
    covariance : ndarray of float64, shape (d + 3, d + 3)
        Of its latents.
    gates : ndarray of float64, shape (d, states)
        Probability of each state of each option.
    """

    places: tuple[int, ...]
    values: FloatArray
    centre: FloatArray
    covariance: FloatArray
    gates: FloatArray

    @cached_property
    def _scaling(self) -> tuple[FloatArray, FloatArray]:
        """Mean and standard deviation over the cube after each warp, twice shape (warps,)."""
        warped = _bent(self.values)
        return warped.mean(axis=1), np.maximum(warped.std(axis=1), 1e-12)

    def at(self, masks: BitArray) -> FloatArray:
        """The surface after each warp, standardised, at masks of shape (n, d) -> (warps, n)."""
        means, scales = self._scaling
        values = self.values[ranks_of(np.asarray(masks, dtype=np.int8)[:, list(self.places)])]
        return np.asarray((_bent(values) - means[:, None]) / scales[:, None])


def _bent(values: FloatArray) -> FloatArray:
    warps = np.where(_WARPS == 0.0, 1e-4, _WARPS)[:, None]
    return np.asarray(np.expm1(warps * values) / warps)


@lru_cache(maxsize=512)
def lesson(surface: KnownSurface, options: tuple[str, ...], prior: Prior, sampler: Sampler) -> Lesson | None:
    """What a known surface teaches about given options; None if it has none of them, or nothing differs.

    Parameters
    ----------
    surface : KnownSurface
        Of another source.
    options : tuple of str
        Of the surface that is explored.
    prior : Prior
        Over the known surface's own kernels; without noise.
    sampler : Sampler
        How many kernels its fit takes in.
    """
    places, table = surface.matched(options)
    measured = np.flatnonzero(np.isfinite(table))
    if not places or len(measured) < 2 or np.ptp(table[measured]) <= 1e-12:
        return None
    c, d = len(places), len(options)
    if len(measured) > _MOST_MEASURED:
        # Spread evenly in an order that has nothing to do with masks, with the same masks on every machine.
        order = np.random.default_rng(0).permutation(len(measured))[:_MOST_MEASURED]
        fitted_on = np.sort(measured[order])
    else:
        fitted_on = measured
    masks, values = bits_of(fitted_on, c), table[fitted_on]
    origin, unit = float(table[measured].min()), float(np.ptp(table[measured]))
    whole = table.copy()
    if surface.noise > 0 or len(measured) < len(table):
        mixture = noisy_mixture(masks, values, float(np.sqrt(surface.noise)), sampler)
        cells = np.flatnonzero(~np.isfinite(table)) if surface.noise == 0 else np.arange(len(table))
        for start in range(0, len(cells), 1024):
            rows = cells[start : start + 1024]
            whole[rows] = mixture.weights @ mixture.at(bits_of(rows, c)).utilities
    population = populate(Data(masks, (values - origin) / unit), prior, sampler)
    latent, gates, log_weights = population.log_weights()
    weights = tempered(log_weights, _EFFECTIVE)
    mean = weights @ latent
    deviations = latent - mean
    within = (deviations * weights[:, None]).T @ deviations
    own = [*places, *range(d, d + SHAPES)]
    centre, covariance = np.zeros(d + SHAPES), np.eye(d + SHAPES)
    centre[own] = mean
    covariance[np.ix_(own, own)] = within
    return Lesson(
        places,
        (whole - origin) / unit,
        centre,
        covariance,
        _spread_gates(gating.frequencies(gates, weights, gating.states(c)), places, d, prior),
    )


def _spread_gates(own: FloatArray, places: Sequence[int], d: int, prior: Prior) -> FloatArray:
    """Probabilities of gates among some options as those of all d; an option that is not among them has its prior."""
    table = np.exp(gating.log_prior(d, prior.gated))
    c = len(places)
    for row, place in enumerate(places):
        table[place] = 0.0
        table[place, 0] = own[row, 0]
        for form in range(gating.FORMS):
            for other, at in enumerate(places):
                table[place, 1 + form * d + at] = own[row, 1 + form * c + other]
    return table


@dataclass(frozen=True, eq=False)
class Part:
    """One part of the prior over latents and gates, and where the sampler's first points come from.

    Attributes
    ----------
    log_weight : float
        Of its prior weight.
    proposal : Proposal
        Normal distribution of the latents, and the gates that first points have.
    gates : ndarray of float64, shape (d, states)
        Logarithm of the probabilities of the gates.
    """

    log_weight: float
    proposal: Proposal
    gates: FloatArray


@dataclass(frozen=True, eq=False)
class Family:
    """A prior over kernels from lessons.

    Attributes
    ----------
    lessons : tuple of Lesson
        At least one.
    prior : Prior
        Without experience.
    share : float
        Prior weight of everything here beside the prior without experience.
    """

    lessons: tuple[Lesson, ...]
    prior: Prior
    share: float = SHARE
    _seen: dict[tuple[int, bytes], FloatArray] = field(default_factory=dict, init=False, repr=False)

    def at(self, masks: BitArray) -> FloatArray:
        """The known surfaces after each warp at masks, shape (n, d) -> (warps, J, n)."""
        # A fit asks for the measured masks a dozen times, and a policy for all cells as often as it is asked.
        key = (masks.shape[0], np.asarray(masks, dtype=np.int8).tobytes())
        found = self._seen.get(key)
        if found is None:
            found = np.stack([one.at(masks) for one in self.lessons], axis=1) / np.sqrt(len(self.lessons))
            while len(self._seen) >= _SEEN:
                self._seen.popitem()
            self._seen[key] = found
        return found

    def places(self, warp: FloatArray) -> IntArray:
        """Nearest of the warps at which the known surfaces stand, shape (m,) -> (m,)."""
        step = _WARPS[1] - _WARPS[0]
        return np.asarray(np.clip(np.rint((warp - _WARPS[0]) / step), 0, len(_WARPS) - 1), dtype=np.int64)

    def leaning(self, latent: FloatArray) -> FloatArray:
        """G at latent points, shape (m, p) -> (m,)."""
        coordinate = latent[:, self._d + SHAPES]
        return np.asarray(np.exp(LEANING[0] + LEANING[1] * coordinate))

    @property
    def _d(self) -> int:
        return len(self.lessons[0].gates)

    @property
    def size(self) -> int:
        """Number of latents: those of the product kernel, log g, and the noise if there is any."""
        return self._d + SHAPES + 1 + (self.prior.noise is not None)

    @cached_property
    def parts(self) -> tuple[Part, ...]:
        """The prior over latents and gates."""
        d, size = self._d, self.size
        without = gating.log_prior(d, self.prior.gated)
        first = Proposal(_FIRST, np.zeros(size), np.eye(size), gating.ungated(d))
        found = [Part(np.log(OWN), first, without)]
        count = max(_FEWEST, _FIRST // len(self.lessons))
        spread = max(_SPREAD, 1.0 / len(self.lessons)) * np.eye(d + SHAPES)
        for one in self.lessons:
            centre, covariance = np.zeros(size), np.eye(size)
            centre[: d + SHAPES] = one.centre
            covariance[: d + SHAPES, : d + SHAPES] = one.covariance + spread
            table = gating.blend(one.gates, without, _GATES)
            lower = np.asarray(np.linalg.cholesky(covariance))
            found.append(Part(np.log((1.0 - OWN) / len(self.lessons)), Proposal(count, centre, lower, table), table))
        return tuple(found)

    def log_prior(self, latent: FloatArray, gates: IntArray) -> FloatArray:
        """Logarithm of the prior density at points, up to the constant that normal densities share, shape (m,)."""
        inverses, centres, constants, tables = self._densities
        whitened = np.matmul(latent - centres[:, None, :], inverses)
        gated = tables[:, np.arange(gates.shape[1]), gates].sum(axis=2)
        logs = constants[:, None] - 0.5 * np.einsum("rmp,rmp->rm", whitened, whitened) + gated
        return np.asarray(logsumexp(logs, axis=0))

    @cached_property
    def _densities(self) -> tuple[FloatArray, FloatArray, FloatArray, FloatArray]:
        """Of all parts: transposed inverses of L, centres, logarithms of weight over determinant, tables of gates."""
        lowers = np.stack([part.proposal.lower for part in self.parts])
        logs = np.log(np.diagonal(lowers, axis1=1, axis2=2)).sum(axis=1)
        return (
            np.asarray(np.linalg.inv(lowers).transpose(0, 2, 1), dtype=np.float64),
            np.stack([part.proposal.centre for part in self.parts]),
            np.array([part.log_weight for part in self.parts]) - logs,
            np.stack([part.gates for part in self.parts]),
        )


@lru_cache(maxsize=64)
def family_of(experience: Experience, prior: Prior, sampler: Sampler, share: float = SHARE) -> Family | None:
    """The prior that experience gives; None if it teaches nothing.

    Parameters
    ----------
    experience : Experience
        In the order of the options of the masks that are fitted.
    prior : Prior
        Without experience; with noise if the measurements have any.
    sampler : Sampler
        How many kernels the known surfaces are fitted with.
    share : float
        Prior weight of what experience says.
    """
    lessons = tuple(_lessons(experience, replace(prior, noise=None), sampler))
    return Family(lessons, prior, share) if lessons else None


def family_for(
    experience: Experience | None, d: int, prior: Prior, sampler: Sampler, share: float = SHARE
) -> Family | None:
    """As `family_of`, for measurements of d options; None without experience.

    Raises
    ------
    InvalidMaskError
        If the experience is of another number of options.
    """
    if experience is None:
        return None
    if experience.d != d:
        raise InvalidMaskError(
            f"masks have {d} options and the experience is about {experience.d} ({', '.join(experience.options)}); "
            "give experience about the options of the masks"
        )
    return family_of(experience, prior, sampler, share)


def _lessons(experience: Experience, prior: Prior, sampler: Sampler) -> Iterator[Lesson]:
    for surface in experience.surfaces:
        found = lesson(surface, experience.options, prior, sampler)
        if found is not None:
            yield found
