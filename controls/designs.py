"""Designs that do not look at utilities: ridge designs and random orders.

A ridge design buys the mask about whose prediction the ridge on what is measured knows least: with the rows X of the
measured masks (intercept and features) it maximises φᵀ(XᵀX + diag(1e-8, 0.01, …, 0.01))⁻¹φ, greedily. See Fedorov,
"Theory of Optimal Experiments", Academic Press 1972, chapter 3 (sequential D-optimal design).

On a cube many candidates tie exactly, and which of them rounding favours depends on the BLAS kernel. The designs of the
catalog's cubes are therefore recorded (`whatworked.controls.recorded_designs`) and taken from there on every machine.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from whatworked.arguments import instance, whole_number
from whatworked.controls.recorded_designs import recorded_next
from whatworked.controls.ridge import check_degree, features
from whatworked.errors import InvalidOptionError
from whatworked.methods.candidates import Decision, Scores, bits_of_decisions, candidates_of, check_scorable
from whatworked.protocols import SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, anchors, bits_of, check_dimensions, ranks_of

SEED = 20260907
"""Added to the seed of a random order."""
DECIMALS = 10
"""Decimals of a design score that count."""
PENALTY, INTERCEPT_PENALTY = 0.01, 1e-8
_EPSILON = float(np.finfo(np.float64).eps)


def design_rows(ranks: IntArray, d: int, degree: int) -> FloatArray:
    """Rows of the design: 1 and the features, shape (n, 1 + p)."""
    return np.hstack([np.ones((len(ranks), 1)), features(bits_of(ranks, d), degree)])


def score_design(d: int, measured: IntArray, candidates: IntArray, degree: int) -> Scores:
    """Design score of each candidate.

    Parameters
    ----------
    d : int
        Number of options.
    measured, candidates : ndarray of int64
        Ranks of the measured masks, anchors first, in order of purchase; ranks of the masks to score, ascending.
    degree : int
        1 or 2.
    """
    # The penalties make the moments invertible when there are fewer masks than features; the intercept's is next to
    # nothing, since the ridge does not penalise it.
    X = design_rows(measured, d, degree)
    moments = X.T @ X + np.diag([INTERCEPT_PENALTY] + [PENALTY] * (X.shape[1] - 1))
    # Each candidate on its own: a product over all of them would round according to their number.
    inverse = np.linalg.inv(moments)
    values = np.array([row @ inverse @ row for row in design_rows(candidates, d, degree)])
    # The trace bounds the largest eigenvalue and the penalty is about the smallest: their ratio estimates the condition
    # number.
    noise = 16.0 * _EPSILON * np.trace(moments) / PENALTY * values
    return Scores(d=d, candidates=candidates, values=values, decimals=DECIMALS, noise=noise)


@lru_cache(maxsize=4096)
def next_of_design(d: int, degree: int, measured: tuple[int, ...], candidates: bytes) -> Decision:
    """The next mask: recorded, or computed.

    Parameters
    ----------
    d, degree : int
        Number of options; 1 or 2.
    measured : tuple of int
        Ranks, anchors first, in order of purchase.
    candidates : bytes
        Buffer of the int64 ranks of all masks of the design, measured ones included, ascending.
    """
    everything = np.frombuffer(candidates, dtype=np.int64)
    if (recorded := recorded_next(d, degree, everything, measured)) is not None:
        return Decision(*recorded)
    known = np.array(measured, dtype=np.int64)
    scores = score_design(d, known, np.setdiff1d(everything, known), degree)
    return Decision(scores.best, scores.choice.near_tie)


def ridge_design(
    d: int, degree: int, budget: int, equivalence: Equivalence | None = None
) -> tuple[tuple[int, ...], tuple[bool, ...]]:
    """Masks that a ridge design buys, in order; a smaller budget buys the beginning.

    Starting from the anchors, the next mask is the one that maximises φᵀ(XᵀX + diag(1e-8, 0.01, …, 0.01))⁻¹φ, with φ
    its row of intercept and features and X those of the masks before; scores are compared at 10 decimals, ties go to
    the lexically first mask (greedy D-optimal design: Fedorov, "Theory of Optimal Experiments", Academic Press 1972,
    chapter 3). The designs of the catalog's cubes are recorded, so that every machine buys the same masks.

    Parameters
    ----------
    d : int
        Number of options, 1 to 20.
    degree : int
        1: main effects; 2: main effects and pair interactions.
    budget : int
        Number of masks.
    equivalence : Equivalence, optional
        Buy class representatives, starting from those of the anchors.

    Returns
    -------
    ranks : tuple of int
        Fewer than `budget` if everything is measured before.
    near_ties : tuple of bool
        For each, whether rounding decided between candidates that tie.

    Raises
    ------
    InvalidMaskError
        For another number of options.
    InvalidOptionError
        For another degree, unless nothing is to be bought.

    Examples
    --------
    >>> ridge_design(4, degree=1, budget=4)[0]
    (3, 5, 6, 8)
    """
    budget = whole_number(budget, "budget")
    if equivalence is not None:
        instance(equivalence, Equivalence, "equivalence", "a workflow has one")
    classes = Equivalence.trivial(check_dimensions(d)) if equivalence is None else equivalence
    everything = classes.representatives
    measured = list(dict.fromkeys(classes.representative[list(anchors(d))].tolist()))
    steps: list[Decision] = []
    while len(steps) < budget and len(measured) < len(everything):
        check_degree(degree)
        # Bytes, since the step is cached and an array cannot be hashed.
        steps.append(next_of_design(d, degree, tuple(measured), everything.tobytes()))
        measured.append(steps[-1].rank)
    return tuple(step.rank for step in steps), tuple(step.near_tie for step in steps)


def random_order(d: int, seed: int) -> IntArray:
    """All masks but the anchors in random order, shape (2**d - 2,).

    The order is ``default_rng(20260907 + seed).permutation`` of the masks in canonical order: the same for every
    surface.

    Raises
    ------
    InvalidOptionError
        If the seed is not an integer of at least 0.
    InvalidMaskError
        If there cannot be `d` options.
    """
    _check_seed("seed", seed)
    # One permutation, whatever the budget: a larger one buys the same masks first, and then more.
    return np.random.default_rng(SEED + seed).permutation(np.arange(1, (1 << check_dimensions(d)) - 1, dtype=np.int64))


def _check_seed(name: str, seed: object) -> None:
    if isinstance(seed, bool) or not isinstance(seed, int) or seed < 0:
        raise InvalidOptionError(f"{name} is {seed!r}; a seed is an integer of at least 0")


@dataclass(frozen=True)
class DesignPolicy:
    """Buys the masks of a ridge design in its order; what was measured otherwise is taken into account.

    Parameters
    ----------
    degree : int
        1: main effects; 2: main effects and pair interactions.
    class_aware : bool
        Design on the representatives of the state's code-equivalence classes.

    Raises
    ------
    InvalidOptionError
        For another degree.
    """

    degree: int = 2
    class_aware: bool = False

    def __post_init__(self) -> None:
        features(np.zeros((1, 1)), self.degree)

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose the next masks of the design; see `ridge_design`.

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
        """The choices that `ask` makes, each with whether rounding decided between candidates that tie.

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
        check_scorable(state.d)
        known, left = candidates_of(state, self.class_aware)
        everything = np.union1d(known.ranks, left).astype(np.int64).tobytes()
        measured = known.ranks.tolist()
        chosen: list[Decision] = []
        for _ in range(min(n, len(left))):
            chosen.append(next_of_design(state.d, self.degree, tuple(measured), everything))
            measured.append(chosen[-1].rank)
        return tuple(chosen)

    def explain(self, state: SearchState, n: int = 1) -> tuple[Scores, ...]:
        """Scores of all candidates at each of the next `n` choices.

        Where a recorded design decided between candidates that tie, `Scores.best` may be another of them.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of choices, each given those before.

        Returns
        -------
        tuple of Scores
            One per choice.

        Raises
        ------
        InvalidOptionError
            For more than 12 options.
        """
        known, left = candidates_of(state, self.class_aware)
        measured = known.ranks
        found: list[Scores] = []
        for rank in ranks_of(self.ask(state, n)):
            found.append(score_design(state.d, measured, np.setdiff1d(left, measured), self.degree))
            measured = np.append(measured, rank)
        return tuple(found)


@dataclass(frozen=True)
class RandomPolicy:
    """Buys masks in a random order that depends on the seed and the number of options only.

    The order is ``default_rng(20260907 + random_state).permutation`` of the masks without the anchors, in canonical
    order.

    Parameters
    ----------
    random_state : int
        Seed, at least 0; the study uses 0 to 19.
    class_aware : bool
        Leave out masks of measured classes.

    Raises
    ------
    InvalidOptionError
        If the seed is not an integer of at least 0.
    """

    random_state: int = 0
    class_aware: bool = False

    def __post_init__(self) -> None:
        _check_seed("random_state", self.random_state)

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose the next unmeasured masks of the order.

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
        """
        _, left = candidates_of(state, self.class_aware)
        order = random_order(state.d, self.random_state)
        return state.bits(order[np.isin(order, left)][:n])
