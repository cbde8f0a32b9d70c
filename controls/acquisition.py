"""Where a Gaussian process would measure next: the mask whose value would tell most about the whole surface.

Measuring mask j shrinks the posterior covariance by Σ_j Σ_jᵀ / (Σ_jj + nugget). ``grid`` sums what that takes off the
variance of all cells (integrated variance: Cohn, Ghahramani, Jordan, "Active learning with statistical models", JAIR
4, 1996); ``effect`` sums what it takes off the variance of all conditional effects.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from whatworked.controls.kriging import KrigingModel, fit_kriging
from whatworked.errors import InvalidOptionError
from whatworked.methods.candidates import Decision, Scores, bits_of_decisions, candidates_of, check_scorable
from whatworked.protocols import SearchState
from whatworked.surfaces.edges import edges
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray

Target = Literal["grid", "effect"]
TARGETS: tuple[Target, ...] = ("grid", "effect")
DECIMALS = 12
"""Decimals of a score that count."""
_SMALLEST_VARIANCE = 1e-12
_EPSILON = float(np.finfo(np.float64).eps)


def variance_scores(
    sigma: FloatArray, nugget: float, candidates: IntArray, target: Target, d: int
) -> tuple[FloatArray, FloatArray]:
    """Total variance that measuring each candidate takes off the target.

    Parameters
    ----------
    sigma : ndarray of float64, shape (2**d, 2**d)
        Posterior covariance of all cells in canonical order.
    nugget : float
        Noise variance of a measurement.
    candidates : ndarray of int64, shape (m,)
        Ranks of the masks to score.
    target : {"grid", "effect"}
        Variance of all cells, or of all conditional effects.
    d : int
        Number of options.

    Returns
    -------
    scores, variances : ndarray of float64, shape (m,)
        The scores, and the predictive variance each was divided by.
    """
    columns = sigma[:, candidates]
    # Rounding can take the variance of a nearly certain mask below zero.
    variances = np.maximum(sigma[candidates, candidates] + nugget, _SMALLEST_VARIANCE)
    if target == "effect":
        off, on = edges(d)
        # An effect is a difference of two cells, so its covariance with the measurement is the difference of theirs.
        columns = columns[on] - columns[off]
    return np.asarray((columns**2).sum(axis=0) / variances, dtype=np.float64), variances


def score_candidates(
    model: KrigingModel, candidates: IntArray, target: Target, cells: IntArray, pending: IntArray | None = None
) -> Scores:
    """Score candidates under a fitted model.

    Parameters
    ----------
    model : KrigingModel
        The current fit.
    candidates : ndarray of int64, shape (m,)
        Ranks, ascending.
    target : {"grid", "effect"}
        What should become certain.
    cells : ndarray of int64, shape (2**d,)
        The rank at which each cell of the cube is predicted: its own, or its class representative's.
    pending : ndarray of int64, optional
        Masks already chosen in the same batch: the covariance is conditioned on them, which takes no utility.
    """
    sigma = model.covariance(cells)
    # The covariance after a measurement does not depend on its value, so a batch needs no utilities: each mask chosen
    # is a rank-one downdate under the same hyper-parameters.
    for rank in () if pending is None else pending:
        column = sigma[:, rank].copy()
        sigma -= np.outer(column, column) / max(sigma[rank, rank] + model.nugget, _SMALLEST_VARIANCE)
    scores, variances = variance_scores(sigma, model.nugget, candidates, target, model.d)
    # An error of eps * condition in the covariance moves a score s by about sqrt(s / variance) times that.
    noise = _EPSILON * (8.0 + 2.0 * model.condition) * np.maximum(scores, np.sqrt(scores / variances))
    return Scores(d=model.d, candidates=candidates, values=scores, decimals=DECIMALS, noise=noise)


@dataclass(frozen=True)
class KrigingPolicy:
    """Buys what takes most variance off all cells or all effects; the process is refitted before each ask.

    Measuring mask j takes Σ_j Σ_jᵀ / (Σ_jj + nugget) off the posterior covariance Σ of a `KrigingEstimator`. The score
    of j is what that takes off the summed variance of the target (integrated variance: Cohn, Ghahramani, Jordan,
    "Active learning with statistical models", JAIR 4, 1996); scores are compared at 12 decimals, ties go to the
    lexically first mask. Within a batch the hyper-parameters stay, and each choice conditions the covariance for the
    next.

    Parameters
    ----------
    target : {"grid", "effect"}
        Variance of all cells (GP-G), or of all conditional effects (GP-E).
    class_aware : bool
        Work on the representatives of the state's code-equivalence classes.

    Raises
    ------
    InvalidOptionError
        For another target.
    """

    target: Target = "effect"
    class_aware: bool = False

    def __post_init__(self) -> None:
        if not isinstance(self.target, str) or self.target not in TARGETS:
            raise InvalidOptionError(f"target of the acquisition is {self.target!r}; allowed are {', '.join(TARGETS)}")

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose the masks that take most variance off the target.

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
            For more than 12 options.
        """
        return bits_of_decisions(state, self.decide(state, n))

    def decide(self, state: SearchState, n: int) -> tuple[Decision, ...]:
        """The choices that `ask` makes, each with the hyper-parameters it rests on and whether a tie was near.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of masks wanted, at least 1.

        Returns
        -------
        tuple of Decision
            In order; fewer than `n` if fewer masks, or classes, are left unmeasured.

        Raises
        ------
        InvalidOptionError
            For more than 12 options.
        """
        model, found = self._explained(state, n)
        return tuple(
            Decision(scores.best, model.near_tie or scores.choice.near_tie, model.hyperparameters) for scores in found
        )

    def explain(self, state: SearchState, n: int = 1) -> tuple[Scores, ...]:
        """Scores of all candidates at each of the next choices.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of choices, each given those before.

        Returns
        -------
        tuple of Scores
            One per choice; `Scores.best` is what `ask` returns.

        Raises
        ------
        InvalidOptionError
            For more than 12 options.
        """
        return tuple(self._explained(state, n)[1])

    def _explained(self, state: SearchState, n: int) -> tuple[KrigingModel, list[Scores]]:
        check_scorable(state.d)
        known, left = candidates_of(state, self.class_aware)
        cells = _cells(state, self.class_aware)
        model = fit_kriging(state.d, known.ranks, known.values)
        found: list[Scores] = []
        while len(found) < n and left.size:
            pending = np.array([scores.best for scores in found], dtype=np.int64)
            found.append(score_candidates(model, left, self.target, cells, pending))
            left = left[left != found[-1].best]
        return model, found


def _cells(state: SearchState, class_aware: bool) -> IntArray:
    if class_aware and state.equivalence is not None:
        return state.equivalence.representative
    return Equivalence.trivial(state.d).representative
