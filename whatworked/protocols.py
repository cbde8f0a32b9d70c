"""What outsiders implement: an estimator, a policy. One method each.

Masks are rows of bits, shape (n, d), column 0 = option A, values 0.0 or 1.0 as float64, so that products and sums of
them are exact; for an index or a logical operator write ``masks.astype(int)`` or ``masks.astype(bool)``. Utilities are
float64 in [0, 1], shape (n,).
Both are read-only: a plug-in copies what it wants to change. Given equal arguments (and, for a plug-in built with a
``random_state``, an equal one) an answer must be equal: results may not depend on global state, earlier calls or the
clock.
"""

from __future__ import annotations

import inspect
from dataclasses import dataclass, field
from typing import Protocol, runtime_checkable

import numpy as np

from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, bits_of, ranks_of


@runtime_checkable
class Predictor(Protocol):
    """What an estimator returns: a fitted model of one response surface."""

    def predict(self, masks: FloatArray) -> FloatArray:
        """Predicted utility of each mask.

        Parameters
        ----------
        masks : ndarray of float64, shape (m, d)
            Any masks of the cube, measured or not.

        Returns
        -------
        ndarray of float64, shape (m,)
            Finite values. The engine clips them to [0, 1] and puts measured values back.
        """
        ...


@runtime_checkable
class Estimator(Protocol):
    """Turns measurements of one response surface into a prediction of all of it."""

    def fit(self, masks: FloatArray, utilities: FloatArray) -> Predictor:
        """Fit to the measured masks.

        Parameters
        ----------
        masks : ndarray of float64, shape (n, d)
            Distinct measured masks, the two anchors first, then in order of purchase; n >= 2, d from 1 to 20.
        utilities : ndarray of float64, shape (n,)
            Their utilities.

        Returns
        -------
        Predictor
            A new object; a later `fit` leaves it unchanged. Returning ``self`` is allowed only for estimators that are
            built anew for each fit, as scikit-learn regressors are here.
        """
        ...


@runtime_checkable
class ExperiencedEstimator(Protocol):
    """An estimator that may also read what was measured of other sources of the family.

    It is known by a parameter of `fit` of that name.
    """

    def fit(self, masks: FloatArray, utilities: FloatArray, experience: Experience | None = None) -> Predictor:
        """Fit to the measured masks and what is known of other sources.

        Parameters
        ----------
        masks : ndarray of float64, shape (n, d)
            As for `Estimator.fit`.
        utilities : ndarray of float64, shape (n,)
            Their utilities.
        experience : Experience or None
            Surfaces of other sources, about the same d options; None in a run without experience.

        Returns
        -------
        Predictor
            As for `Estimator.fit`.
        """
        ...


def takes_experience(estimator: object) -> bool:
    """Whether `fit` of an estimator has a parameter `experience`."""
    try:
        return "experience" in inspect.signature(estimator.fit).parameters  # type: ignore[attr-defined]
    except (AttributeError, TypeError, ValueError):  # no `fit`, or one without a signature
        return False


def fitted(
    estimator: Estimator | ExperiencedEstimator, masks: FloatArray, utilities: FloatArray, experience: Experience | None
) -> Predictor:
    """What an estimator makes of measurements; it is handed experience where there is some and it takes it.

    Parameters
    ----------
    estimator : Estimator or ExperiencedEstimator
        Whose `fit` is called.
    masks : ndarray of float64, shape (n, d)
        Measured masks.
    utilities : ndarray of float64, shape (n,)
        Their utilities.
    experience : Experience or None
        None in a run without experience.

    Returns
    -------
    Predictor
    """
    if experience is not None and takes_experience(estimator):
        return estimator.fit(masks, utilities, experience=experience)  # type: ignore[call-arg]
    return estimator.fit(masks, utilities)


@dataclass(frozen=True)
class SearchState:
    """What a policy may look at before it buys: what is known so far, and nothing else.

    Attributes
    ----------
    d : int
        Number of options.
    masks : ndarray of float64, shape (n, d)
        Measured masks, anchors first, then in order of purchase.
    utilities : ndarray of float64, shape (n,)
        Their utilities.
    remaining : int
        Credits left, at least the number asked for.
    equivalence : Equivalence or None
        The workflow's code-equivalence classes in a run with rules, else None.
    experience : Experience or None
        What is known of other sources of the family in a run with experience, else None.
    """

    d: int
    masks: FloatArray
    utilities: FloatArray
    remaining: int
    equivalence: Equivalence | None = field(default=None)
    experience: Experience | None = field(default=None)

    @property
    def measured(self) -> IntArray:
        """Ranks of the measured masks in order of purchase, shape (n,)."""
        return ranks_of(self.masks)

    @property
    def unmeasured(self) -> IntArray:
        """Ranks of the masks that may be bought, ascending, shape (2**d - n,)."""
        return np.setdiff1d(np.arange(1 << self.d, dtype=np.int64), self.measured)

    def bits(self, ranks: IntArray) -> FloatArray:
        """Rows of bits of masks given by rank.

        Parameters
        ----------
        ranks : array-like of int, shape (k,)
            For instance a part of `unmeasured`.

        Returns
        -------
        ndarray of float64, shape (k, d)

        Examples
        --------
        >>> state = SearchState(2, np.array([[0.0, 0.0], [1.0, 1.0]]), np.array([0.25, 0.5]), remaining=1)
        >>> state.bits(state.unmeasured).tolist()
        [[0.0, 1.0], [1.0, 0.0]]
        """
        return bits_of(ranks, self.d).astype(np.float64)


@runtime_checkable
class Policy(Protocol):
    """Chooses which masks to measure next."""

    def ask(self, state: SearchState, n: int) -> BitArray:
        """Choose up to `n` distinct unmeasured masks.

        Parameters
        ----------
        state : SearchState
            What is known so far.
        n : int
            Number of masks wanted, 1 <= n <= min(state.remaining, unmeasured masks).

        Returns
        -------
        ndarray, shape (k, d), 0 <= k <= n
            Masks to buy, in order, as 0 and 1 of any numeric type.
            Fewer than `n` is allowed; none ends the run with credits unspent.
        """
        ...
