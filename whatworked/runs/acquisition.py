"""What a policy buys in a run: the budgeted loop, with the policy's code under guard, time limit and observation."""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.environments.effects.loop import asker, buy
from whatworked.plugins.guard import Failure, guarded
from whatworked.plugins.limits import Watch
from whatworked.protocols import Policy, SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import FloatArray, IntArray

_REVEALING = frozenset({"remaining", "__dict__"})


@dataclass(frozen=True)
class Acquisition:
    """What a policy bought.

    Attributes
    ----------
    ranks : tuple of int
        Ranks of the bought masks in order, anchors not counted.
    seconds : tuple of float
        Time spent in the policy up to and with each purchase; volatile.
    asks : tuple of int
        How often the policy was asked up to and with each purchase.
    failure : Failure or None
        Why it ended before its budget, if the policy broke.
    looked : bool
        Whether the policy looked at the remaining credits, so that its first purchases may depend on the budget.
    total : (int, float)
        How often it was asked in all, and the seconds that took: a last ask that failed or bought nothing included.
    """

    ranks: tuple[int, ...]
    seconds: tuple[float, ...]
    asks: tuple[int, ...]
    failure: Failure | None
    looked: bool
    total: tuple[int, float] = (0, 0.0)

    def cost(self, budget: int) -> tuple[int, float]:
        """Asks, and seconds spent in them, under a budget: all of them if it bought less, else up to that purchase."""
        if budget > len(self.ranks):
            return self.total
        return (self.asks[budget - 1], self.seconds[budget - 1]) if budget else (0, 0.0)


class _WatchedState(SearchState):
    """A search state that notes whether the remaining credits were looked at."""

    def __getattribute__(self, name: str) -> object:
        if name in _REVEALING:
            object.__getattribute__(self, "_looks").append(name)
        return object.__getattribute__(self, name)

    def __reduce__(self) -> tuple[Any, ...]:
        # A copy is a plain state; what is done with it is not seen, so copying counts as looking.
        return SearchState, (self.d, self.masks, self.utilities, self.remaining, self.equivalence)


def acquire(
    policy: Policy,
    utilities: FloatArray,
    budget: int,
    batch: int = 1,
    equivalence: Equivalence | None = None,
    watch: Watch | None = None,
    experience: Experience | None = None,
) -> Acquisition:
    """Let `policy` spend `budget` credits.

    Parameters
    ----------
    policy : Policy
        Asked for `batch` masks at a time, fewer at the end.
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which purchases are answered.
    budget : int
        Credits, at most 2**d - 2.
    batch : int, default 1
        Masks per ask.
    equivalence : Equivalence or None
        Classes shown to the policy, in a run with rules.
    watch : Watch or None
        Holds all asks together to a time limit.
    experience : Experience or None
        Shown to the policy, in a run with experience.

    Returns
    -------
    Acquisition
        A policy that raises, takes too long or answers with anything but new masks ends it with a failure.
    """
    asked = _WatchedAsk(policy, budget, watch or Watch())
    ranks = buy(asked, utilities, budget, batch, equivalence, experience)
    return Acquisition(
        ranks, tuple(asked.seconds), tuple(asked.asks), asked.failure, bool(asked.looks), (asked.count, asked.spent)
    )


class _WatchedAsk:
    """Asks a policy under guard and time limit, and notes what that took; a failure answers with no mask."""

    def __init__(self, policy: Policy, budget: int, watch: Watch) -> None:
        self._ask, self._budget, self._watch = asker(policy), budget, watch
        self.failure: Failure | None = None
        self.count, self.spent = 0, 0.0
        self.seconds: list[float] = []
        self.asks: list[int] = []
        self.looks: list[str] = []

    def __call__(self, state: SearchState, wanted: int) -> IntArray:
        watched = _watched(state, self.looks)
        chosen: IntArray = np.empty(0, dtype=np.int64)
        started = time.perf_counter()
        step = self._watch.step("policy", self._budget, len(self.asks), spent=self.spent)
        with guarded("policy") as outcome, step:
            chosen = self._ask(watched, wanted)
        self.failure = outcome.failure
        late = outcome.failure is not None and outcome.failure.late
        self.spent = self._watch.used(self.spent + time.perf_counter() - started, late)
        self.count += 1
        if self.failure is not None:
            return np.empty(0, dtype=np.int64)
        self.seconds += [self.spent] * chosen.size
        self.asks += [self.count] * chosen.size
        return chosen


def _watched(state: SearchState, looks: list[str]) -> SearchState:
    """The same state; every look at the remaining credits is noted in `looks`."""
    watched = _WatchedState(state.d, state.masks, state.utilities, state.remaining, state.equivalence)
    object.__setattr__(watched, "_looks", looks)
    return watched
