r"""Averaging over kernels by adaptive importance sampling with fixed points.

First come points of the prior without gates, then rounds of points drawn from a proposal fitted to the weighted ones so
far: a normal distribution of the latent coordinates, and an independent categorical distribution of each option's gate.
All points count, weighted by prior · evidence / mixture of all the proposals (Cornuet, Marin, Mira, Robert, "Adaptive
multiple importance sampling", Scand. J. Stat. 39, 2012). The points are scrambled Sobol points, the same in every run.

Gates are too many to be met by chance, so that one round starts from a search: at the mean of the latent points so far,
that single change of a gate is taken that gains most evidence, until none gains; the categorical proposal is then the
distribution of each option's gate given the others.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

import numpy as np

from whatworked.inference import gates as gating
from whatworked.inference.evidence import Evidence, weigh
from whatworked.inference.kernel import SHAPES, Kernels, Prior
from whatworked.inference.observed import Data
from whatworked.inference.quadrature import normal_points, uniform_points
from whatworked.surfaces.masks import FloatArray, IntArray

if TYPE_CHECKING:
    from whatworked.inference.family import Family

_GATE_STREAM = 1000
_FEWEST_FOR_GATES = 4
"""Measurements below which no gate can be told from irrelevance."""


@dataclass(frozen=True)
class Sampler:
    """How many kernels are tried.

    Attributes
    ----------
    first : int
        Points of the prior.
    later, rounds : int
        Points of each adaptive round, and the number of rounds.
    kept : int
        Kernels of largest weight that predictions are averaged over.
    search_round : int
        Round, from 0, that starts from the search for gates.
    inflation : float
        Factor on the covariance of a fitted proposal, above 1 so that its tails cover the target's.
    floor : float
        Variance added to each coordinate of a fitted proposal before inflation.
    mixed : float
        Share of the prior in the categorical proposals.
    """

    first: int = 128
    later: int = 64
    rounds: int = 4
    kept: int = 48
    search_round: int = 1
    inflation: float = 1.3
    floor: float = 0.05
    mixed: float = 0.05


@dataclass(frozen=True, eq=False)
class Proposal:
    """Where a round of points came from."""

    count: int
    centre: FloatArray
    lower: FloatArray
    gates: FloatArray

    def points(self, stream: int) -> tuple[FloatArray, IntArray]:
        """Latent points, shape (count, p), and gates, shape (count, d)."""
        latent = self.centre + normal_points(len(self.centre), self.count, stream) @ self.lower.T
        uniform = uniform_points(len(self.gates), self.count, _GATE_STREAM + stream)
        return latent, gating.draw(self.gates, uniform)


def log_mixture(proposals: Sequence[Proposal], latent: FloatArray, gates: IntArray) -> FloatArray:
    """Logarithm of the sum of count · density over proposals, up to a constant, shape (m,)."""
    # Every point is weighed against all proposals, not only against its own: a point that a poor proposal hit by chance
    # would otherwise carry nearly all the weight.
    centres = np.stack([proposal.centre for proposal in proposals])
    inverses = np.linalg.inv(np.stack([proposal.lower for proposal in proposals]))
    whitened = np.matmul(latent - centres[:, None, :], inverses.transpose(0, 2, 1))
    scales = [np.log(proposal.count) - np.log(np.diag(proposal.lower)).sum() for proposal in proposals]
    tables = np.stack([proposal.gates for proposal in proposals])
    gated = tables[:, np.arange(gates.shape[1]), gates].sum(axis=2)
    logs = np.array(scales)[:, None] - 0.5 * np.einsum("rmp,rmp->rm", whitened, whitened) + gated
    # Log-sum-exp: densities of twenty coordinates underflow.
    peak = logs.max(axis=0)
    return np.asarray(peak + np.log(np.exp(logs - peak).sum(axis=0)))


@dataclass(eq=False)
class Population:
    """All points so far. Grows by rounds.

    With a `family` the prior over latents and gates is that of the family, and its kernels lean on known surfaces.
    """

    data: Data
    prior: Prior
    family: Family | None = None
    proposals: list[Proposal] = field(default_factory=list)
    latent: list[FloatArray] = field(default_factory=list)
    kernels: list[Kernels] = field(default_factory=list)
    evidence: list[Evidence] = field(default_factory=list)
    family_prior: list[FloatArray] = field(default_factory=list)

    def add(self, *proposals: Proposal) -> None:
        """Draw and weigh the points of proposals."""
        drawn = [proposal.points(len(self.proposals) + place) for place, proposal in enumerate(proposals)]
        latent, gates = (np.concatenate(parts) for parts in zip(*drawn, strict=True))
        self.proposals += proposals
        self.latent.append(latent)
        self.kernels.append(Kernels.at(latent, gates, self.prior, self.family))
        self.evidence.append(self.data.weigh(self.kernels[-1], self.prior))
        if self.family is not None:
            self.family_prior.append(self.family.log_prior(latent, gates))

    def log_weights(self) -> tuple[FloatArray, IntArray, FloatArray]:
        """Latent points, gates and log weights of all points."""
        latent = np.concatenate(self.latent)
        gates = np.concatenate([part.gates for part in self.kernels])
        log_evidence = np.concatenate([part.log for part in self.evidence])
        drawn = log_mixture(self.proposals, latent, gates)
        if self.family is not None:
            return latent, gates, np.asarray(log_evidence + np.concatenate(self.family_prior) - drawn)
        prior = gating.log_probability(gating.log_prior(gates.shape[1], self.prior.gated), gates)
        # Constants of the normal densities cancel between prior and proposals, which have the same number of
        # coordinates.
        return latent, gates, np.asarray(log_evidence - 0.5 * (latent**2).sum(axis=1) + prior - drawn)


def populate(data: Data, prior: Prior, sampler: Sampler, family: Family | None = None) -> Population:
    """Draw all rounds."""
    d = data.masks.shape[1]
    population = Population(data, prior, family)
    if family is None:
        size = d + SHAPES + (prior.noise is not None)
        population.add(Proposal(sampler.first, np.zeros(size), np.eye(size), gating.ungated(d)))
    else:
        size = family.size
        population.add(*(part.proposal for part in family.parts))
    with_gates = prior.gated > 0 and d > 1 and len(data.masks) >= _FEWEST_FOR_GATES
    for step in range(sampler.rounds):
        latent, gates, log_weights = population.log_weights()
        # A covariance of p coordinates fitted to fewer than about 2p points is close to singular, and the next round
        # would search a line.
        weights = tempered(log_weights, 2.0 * size)
        centre = weights @ latent
        deviations = latent - centre
        covariance = (deviations * weights[:, None]).T @ deviations + sampler.floor * np.eye(size)
        lower = np.asarray(np.linalg.cholesky(sampler.inflation * covariance), dtype=np.float64)
        table = gating.ungated(d)
        if with_gates and step >= sampler.search_round:
            prior_table = gating.log_prior(d, prior.gated)
            if step == sampler.search_round:
                base = search_gates(data, prior, centre, gates[np.argmax(log_weights)], family)
            else:
                base = gating.frequencies(gates, weights, gating.states(d))
            # The prior keeps its share: a gate that the search missed can still be drawn, and no weight is divided by
            # zero.
            table = gating.blend(base, prior_table, sampler.mixed)
        population.add(Proposal(sampler.later, centre, lower, table))
    return population


def tempered(log_weights: FloatArray, least: float) -> FloatArray:
    """Normalised weights, flattened until their effective number 1 / Σ w² is at least `least`."""
    exponent = 1.0
    for _ in range(16):
        weights = np.exp(exponent * (log_weights - log_weights.max()))
        weights /= weights.sum()
        if 1.0 / (weights @ weights) >= least:
            break
        exponent *= 0.75
    return np.asarray(weights)


def search_gates(
    data: Data, prior: Prior, latent: FloatArray, start: IntArray, family: Family | None = None
) -> FloatArray:
    """Probabilities of the states of each option given the best gates found of the others, shape (d, states)."""
    d = len(start)
    table = gating.log_prior(d, prior.gated)
    options, changes = np.nonzero(np.isfinite(table))
    kernels = Kernels.at(latent[None], start[None], prior, family)
    features = kernels.features(data.masks)
    factors = features.factors(options, changes)
    place = np.zeros(table.shape, dtype=np.int64)
    place[options, changes] = np.arange(len(options))
    warped = np.tile(data.means(kernels), (len(options), 1))
    nugget, repeats = data.nugget(kernels, prior.nugget), data.repeats(kernels)
    current = start.copy()
    score = np.full(table.shape, -np.inf)
    for _ in range(d):
        now = place[np.arange(d), current]
        # Changing one option's state changes one factor of the product; the others are multiplied once per option.
        rest = np.array([factors[np.delete(now, option)].prod(axis=0) for option in range(d)]) * kernels.scale[0]
        matrices = factors * rest[options]
        features.lean(matrices, features, np.zeros(len(options), dtype=np.int64))
        evidence = weigh(matrices, warped, np.zeros(len(options)), nugget, repeats)
        gain = table[options, changes] - table[options, current[options]]
        score[options, changes] = evidence.log + gain
        best = int(np.argmax(score[options, changes]))
        # In its present state every option has the same score, the evidence of the gates as they are: option 0 stands
        # for it.
        if best in now or score[options[best], changes[best]] <= score[0, current[0]] + 1e-9:
            break
        current[options[best]] = changes[best]
    # Given the others, each option's states are weighed by prior and evidence: a full conditional, as in Gibbs
    # sampling.
    shares = np.exp(score - score.max(axis=1, keepdims=True))
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))
