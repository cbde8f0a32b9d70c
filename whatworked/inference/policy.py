r"""Buying the mask that tells most about all conditional effects, averaged over kernels.

``variance``: with the covariance Σ of the mixture (within the processes and between their means) and D all conditional
differences, the largest :math:`‖DΣ_{:,j}‖^2 / Σ_{jj}`: the variance a linear update takes off the effects (integrated
variance: Cohn, Ghahramani, Jordan, JAIR 4, 1996).

``lookahead``: the variance of the updated mean effects, :math:`E_y‖D(m_y - m)‖^2`, where y is what mask j may turn out
to be and m_y the mean of the mixture *after* its weights have changed too. By the law of total variance that is exactly
the expected loss of effect variance, and it counts what y would teach about relevances.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from whatworked.arguments import shown
from whatworked.errors import InvalidOptionError
from whatworked.inference.family import family_for
from whatworked.inference.kernel import Prior
from whatworked.inference.mixture import Mixture, fit_mixture
from whatworked.inference.sampler import Sampler
from whatworked.methods.candidates import candidates_of
from whatworked.protocols import SearchState
from whatworked.surfaces.edges import edges
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, bits_of

Score = Literal["variance", "lookahead"]
SCORES: tuple[Score, ...] = ("variance", "lookahead")
LARGEST = 9
"""Options up to which every mask is scored; the covariances of all cells take 100 MB there."""
DIGITS = 9
"""Digits of a score, relative to the best, that count."""
_SMALLEST = 1e-14
_OUTCOMES = np.linspace(-2.2, 2.2, 5)
"""Outcomes of a measurement that the look-ahead tries, in predictive standard deviations."""


@dataclass(frozen=True, eq=False)
class Belief:
    """Processes of a mixture on a set of cells, with full covariances; in units of the measured range.

    `noise` is the variance of a measurement of each cell for σ² = 1, shape (k, a).
    """

    weights: FloatArray
    means: FloatArray
    covariances: FloatArray
    squares: FloatArray
    freedom: float
    noise: FloatArray

    @classmethod
    def of(cls, mixture: Mixture, cells: BitArray) -> Belief:
        """Belief about cells, shape (a, d)."""
        fitted = mixture.at(cells)
        return cls(
            mixture.weights,
            fitted.relative,
            fitted.covariance(),
            mixture.evidence.squares,
            mixture.freedom,
            fitted.noise,
        )

    @property
    def scales(self) -> FloatArray:
        """Posterior mean of each process's σ², as far as it exists; shape (k,)."""
        return self.squares / max(self.freedom - 2, 1)

    def covariance(self) -> FloatArray:
        """Covariance of the mixture, shape (a, a)."""
        weighted = self.weights * self.scales
        # Law of total covariance: within the processes, and between their means.
        within = np.tensordot(weighted, self.covariances, 1)
        deviations = (self.means - self.weights @ self.means) * np.sqrt(self.weights)[:, None]
        return np.asarray(within + deviations.T @ deviations)

    def given(self, cell: int) -> Belief:
        """Belief after `cell` turns out as expected: the covariances shrink, the means stay."""
        column = self.covariances[:, :, cell]
        variance = column[:, cell] + self.noise[:, cell]
        shrunk = self.covariances - column[:, :, None] * column[:, None, :] / variance[:, None, None]
        # Each process keeps its mean: what it will see is, to itself, its own prediction.
        return Belief(self.weights, self.means, shrunk, self.squares, self.freedom, self.noise)


def variance_score(belief: Belief, candidates: IntArray, laplacian: FloatArray) -> FloatArray:
    """Effect variance that a linear update on each candidate takes away, shape (len(candidates),)."""
    covariance = belief.covariance()
    columns = covariance[:, candidates]
    # Summing squared differences over edges is a quadratic form: d 2**(d-1) edges never have to be listed.
    gain = (columns * (laplacian @ columns)).sum(axis=0)
    noise = (belief.weights * belief.scales) @ belief.noise[:, candidates]
    return np.asarray(gain / np.maximum(covariance[candidates, candidates] + noise, _SMALLEST))


def lookahead_score(belief: Belief, candidates: IntArray, laplacian: FloatArray) -> FloatArray:
    """Variance of the mean effects after each candidate is measured and all weights are updated."""
    variances = belief.covariances[:, candidates, candidates] + belief.noise[:, candidates]
    expected = belief.means[:, candidates]
    spread = np.sqrt(belief.scales[:, None] * variances)
    middle = belief.weights @ expected
    # Variance of the outcome under the whole mixture, by which the outcomes to try are spaced.
    total = belief.weights @ (spread**2 + expected**2) - middle**2
    outcomes = middle[:, None] + np.sqrt(np.maximum(total, _SMALLEST))[:, None] * _OUTCOMES
    surprise = outcomes[None] - expected[:, :, None]
    squares = belief.squares[:, None, None]
    # Student t densities of each outcome under each process, up to a constant that all share. After the measurement the
    # weights are the old ones times these.
    log_density = -0.5 * (belief.freedom + 1) * np.log1p(surprise**2 / variances[:, :, None] / squares)
    log_density -= 0.5 * np.log(variances)[:, :, None] + 0.5 * np.log(squares)
    log_weights = np.log(np.maximum(belief.weights, 1e-300))[:, None, None] + log_density
    peak = log_weights.max(axis=0)
    weights = np.exp(log_weights - peak)
    chance = weights.sum(axis=0)
    weights /= chance
    # The peak was taken off outcome by outcome; the chances of outcomes need it back.
    chance *= np.exp(peak - peak.max(axis=1, keepdims=True))
    chance /= chance.sum(axis=1, keepdims=True)
    gains = belief.covariances[:, :, candidates].transpose(2, 0, 1) / variances.T[:, :, None]
    updated = np.tensordot(weights, belief.means, ([0], [0]))
    updated += np.matmul((weights * surprise).transpose(1, 2, 0), gains)
    # On so few outcomes the updated means do not average to the present ones exactly: the score is their variance about
    # their own mean.
    updated -= (chance[:, :, None] * updated).sum(axis=1, keepdims=True)
    return np.asarray((chance * ((updated @ laplacian) * updated).sum(axis=2)).sum(axis=1))


_SCORERS = {"variance": variance_score, "lookahead": lookahead_score}


def choose(
    belief: Belief,
    candidates: IntArray,
    laplacian: FloatArray,
    n: int,
    score: Score = "lookahead",
    costs: FloatArray | None = None,
) -> tuple[list[int], list[float]]:
    """Up to `n` cells of a belief that tell most, each chosen as if those before had turned out as expected.

    Parameters
    ----------
    belief : Belief
        What is known.
    candidates : ndarray of int64, shape (m,)
        Places of the cells to choose from, ascending.
    laplacian : ndarray of float64, shape (a, a)
        As `effect_laplacian`.
    n : int
        How many.
    score : {"variance", "lookahead"}
        How much a cell is expected to tell.
    costs : ndarray of float64, shape (a,), optional
        What a measurement of each cell costs, above 0; the cells that tell most for their cost are chosen then.

    Returns
    -------
    chosen : list of int
        Places, in order.
    gains : list of float
        Share of the present effect variance that each alone is expected to take away, from 0 to 1.
    """
    chosen: list[int] = []
    shares = np.empty(0)
    total = float((laplacian * belief.covariance()).sum())
    all_candidates = candidates
    while len(chosen) < n and candidates.size:
        scores = _SCORERS[score](belief, candidates, laplacian)
        # Relative to the best, since scores shrink as the surface becomes known: fixed decimals would run out of
        # digits.
        worth = scores if costs is None else scores / costs[candidates]
        best = int(candidates[np.argmax(np.round(worth / max(worth.max(), 1e-300), DIGITS))])
        if not chosen:
            shares = np.clip(scores / max(total, 1e-300), 0.0, 1.0)
        chosen.append(best)
        candidates = candidates[candidates != best]
        if len(chosen) < n:
            belief = belief.given(best)
    return chosen, [float(shares[np.searchsorted(all_candidates, place)]) for place in chosen]


@dataclass(frozen=True)
class RelevancePolicy:
    """Buys the mask that tells most about all conditional effects under the relevance-averaged process.

    ``variance`` scores a mask by what a linear update on it takes off the variance of all effects (Cohn, Ghahramani,
    Jordan, JAIR 4, 1996); ``lookahead`` by the expected variance of the mean effects after the weights of the kernels
    have changed too, which by the law of total variance is the expected loss of effect variance. The process is
    refitted before each ask. Within a batch its weights stay, and each choice conditions the covariances for the next.

    Parameters
    ----------
    score : {"variance", "lookahead"}
        How much a mask is expected to tell.
    class_aware : bool
        Work on the representatives of the state's code-equivalence classes.
    prior : Prior
        Prior over kernels.
    sampler : Sampler
        How many kernels the average takes in.
    experienced : bool
        Read the state's experience of other sources, as `ExperiencedRelevanceEstimator` does.

    Raises
    ------
    InvalidOptionError
        For another score.
    """

    score: Score = "lookahead"
    class_aware: bool = False
    prior: Prior = field(default_factory=Prior)
    sampler: Sampler = field(default_factory=Sampler)
    experienced: bool = False

    def __post_init__(self) -> None:
        if self.score not in SCORES:
            raise InvalidOptionError(
                f"score of the acquisition is {shown(self.score)}; allowed are {', '.join(SCORES)}"
            )

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose the masks that tell most.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of masks wanted, at least 1.

        Returns
        -------
        ndarray of int8, shape (k, d), 0 <= k <= n
            In order; fewer than `n` if fewer masks, or classes, are left unmeasured.

        Raises
        ------
        InvalidOptionError
            For more than 9 options.
        """
        if state.d > LARGEST:
            raise InvalidOptionError(
                f"the cube has {state.d} options; the {self.score} acquisition scores every mask of at most {LARGEST}"
            )
        known, left = candidates_of(state, self.class_aware)
        # Both anchors in one class: a single value tells nothing of any scale, and every mask is as good as another.
        if len(known.ranks) < 2:
            return state.bits(left[:n])
        equivalence = state.equivalence if self.class_aware else None
        classes = Equivalence.trivial(state.d) if equivalence is None else equivalence
        cells = classes.representatives
        laplacian = effect_laplacian(classes)
        experience = state.experience if self.experienced else None
        family = family_for(experience, state.d, self.prior, self.sampler)
        mixture = fit_mixture(bits_of(known.ranks, state.d), known.values, self.prior, self.sampler, family)
        belief = Belief.of(mixture, bits_of(cells, state.d))
        chosen, _ = choose(belief, np.searchsorted(cells, left), laplacian, n, self.score)
        return state.bits(cells[np.array(chosen, dtype=np.int64)])


def effect_laplacian(classes: Equivalence) -> FloatArray:
    """Matrix Q with vᵀQv = the sum of squared conditional effects of a table v over class representatives."""
    cells = classes.representatives
    off, on = (np.searchsorted(cells, classes.representative[ends]) for ends in edges(classes.d))
    laplacian = np.zeros((len(cells), len(cells)))
    # add.at counts repeated places: between two classes there may be many edges, and plain indexing keeps one of them.
    np.add.at(laplacian, (off, off), 1.0)
    np.add.at(laplacian, (on, on), 1.0)
    np.add.at(laplacian, (off, on), -1.0)
    np.add.at(laplacian, (on, off), -1.0)
    return laplacian
