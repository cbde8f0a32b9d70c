"""What a policy chooses from, and how it says why."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Protocol, runtime_checkable

import numpy as np

from whatworked.errors import InvalidOptionError
from whatworked.methods.ties import Choice, choose
from whatworked.protocols import SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import BitArray, FloatArray, IntArray, mask_string

LARGEST = 12
"""Largest number of options for policies that score every mask: the covariance of 4,096 cells takes 134 MB."""


@dataclass(frozen=True, eq=False)
class Scores:
    """Why a policy chooses what it chooses: the score of every candidate.

    Attributes
    ----------
    d : int
        Number of options.
    candidates : ndarray of int64, shape (m,)
        Ranks of the masks it may buy, ascending.
    values : ndarray of float64, shape (m,)
        Their scores; the largest is bought, ties after rounding go to the lexically first mask.
    decimals : int
        Decimals that count.
    noise : float or ndarray of float64, shape (m,)
        Bound on the rounding error of each score.
    """

    d: int
    candidates: IntArray
    values: FloatArray
    decimals: int
    noise: FloatArray | float = 0.0

    @cached_property
    def choice(self) -> Choice:
        """Position of the best candidate, and whether it lay within rounding of a tie."""
        return choose(self.values, self.decimals, self.noise)

    @property
    def best(self) -> int:
        """Rank of the mask to buy."""
        return int(self.candidates[self.choice.index])

    def to_dict(self) -> dict[str, Any]:
        """The choice and all scores as plain JSON values.

        Returns
        -------
        dict
            ``chosen`` (a mask), ``near_tie`` (bool), and ``scores`` by mask, rounded to `decimals`.
        """
        rounded = np.round(self.values, self.decimals).tolist()
        return {
            "chosen": mask_string(self.best, self.d),
            "near_tie": self.choice.near_tie,
            "scores": {mask_string(int(r), self.d): s for r, s in zip(self.candidates, rounded, strict=True)},
        }


@dataclass(frozen=True)
class Decision:
    """One mask that a policy buys, and what a record says about the choice.

    Attributes
    ----------
    rank : int
        Rank of the mask.
    near_tie : bool
        Whether the choice, or the fit it rests on, lay within rounding of a tie.
    hyperparameters : mapping of str to float
        Of the model it rests on; empty where there is none.
    """

    rank: int
    near_tie: bool = False
    hyperparameters: Mapping[str, float] = field(default_factory=dict)


@runtime_checkable
class Deciding(Protocol):
    """A policy that says more about its choices than `Policy.ask` does."""

    def decide(self, state: SearchState, n: int) -> Sequence[Decision]:
        """The choices behind ``ask(state, n)``, in order."""
        ...


@dataclass(frozen=True, eq=False)
class Known:
    """Measured masks with their values: one per class, in order of purchase."""

    ranks: IntArray
    values: FloatArray


def on_representatives(equivalence: Equivalence, ranks: IntArray, values: FloatArray) -> Known:
    """Measured masks replaced by their class representatives; of several in one class the first counts."""
    representatives = equivalence.representative[ranks]
    # np.unique sorts by rank; sorting the first positions brings back the order of purchase, which designs depend on.
    _, first = np.unique(representatives, return_index=True)
    first.sort()
    return Known(representatives[first], values[first])


def check_scorable(d: int) -> None:
    """Raise `InvalidOptionError` where a policy that scores every mask of the cube would not fit in memory."""
    if d > LARGEST:
        raise InvalidOptionError(
            f"{d} options make {1 << d} masks to score; designs and Gaussian processes go up to {LARGEST} options. "
            "Use the policy random, or one of your own"
        )


def candidates_of(state: SearchState, class_aware: bool) -> tuple[Known, IntArray]:
    """What is known and what may be bought, ascending; representatives when `class_aware` and there are classes."""
    if not class_aware or state.equivalence is None:
        return Known(state.measured, state.utilities), state.unmeasured
    known = on_representatives(state.equivalence, state.measured, state.utilities)
    # setdiff1d sorts: ties go to the lexically first mask, so candidates have to ascend.
    return known, np.setdiff1d(state.equivalence.representatives, known.ranks)


def bits_of_decisions(state: SearchState, decisions: Sequence[Decision]) -> BitArray:
    """The answer of a policy that decided so, shape (len(decisions), d)."""
    return state.bits(np.array([decision.rank for decision in decisions], dtype=np.int64))
