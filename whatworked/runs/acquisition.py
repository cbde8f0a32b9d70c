"""Spending a budget: a policy is asked, what it chose is measured, and so on.

The policy is handed arrays made for it, of measured masks and their utilities. Nothing in them refers to the truth.
"""

from __future__ import annotations

import time
from dataclasses import dataclass
from typing import Any

import numpy as np

from whatworked.errors import PluginError
from whatworked.plugins.guard import Failure, guarded
from whatworked.plugins.limits import Watch
from whatworked.protocols import Policy, SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.masks import FloatArray, IntArray, anchors, bits_of, mask_string, ranks_of
from whatworked.wording import first_few

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

    Returns
    -------
    Acquisition
        A policy that raises, takes too long or answers with anything but new masks ends it with a failure.
    """
    watch = watch or Watch()
    d = utilities.size.bit_length() - 1
    bought: list[int] = []
    seconds: list[float] = []
    asks: list[int] = []
    looks: list[str] = []
    failure, spent_time, asked = None, 0.0, 0
    while len(bought) < budget:
        measured = np.array([*anchors(d), *bought], dtype=np.int64)
        wanted = min(batch, budget - len(bought))
        state = watched_state(d, measured, utilities[measured], budget - len(bought), equivalence, looks)
        started = time.perf_counter()
        chosen: IntArray = np.empty(0, dtype=np.int64)
        with guarded("policy") as outcome, watch.step("policy", budget, len(bought), spent=spent_time):
            chosen = checked_answer(policy.ask(state, wanted), measured, wanted, d)
        failure = outcome.failure
        spent_time = watch.used(spent_time + time.perf_counter() - started, failure is not None and failure.late)
        asked += 1
        if failure is not None or not chosen.size:
            break
        bought += chosen.tolist()
        seconds += [spent_time] * chosen.size
        asks += [asked] * chosen.size
    return Acquisition(tuple(bought), tuple(seconds), tuple(asks), failure, bool(looks), (asked, spent_time))


def watched_state(
    d: int,
    measured: IntArray,
    utilities: FloatArray,
    remaining: int,
    equivalence: Equivalence | None,
    looks: list[str],
) -> SearchState:
    """State with fresh read-only arrays; every look at the remaining credits is noted in `looks`."""
    masks, values = bits_of(measured, d), np.array(utilities, dtype=np.float64)
    masks.flags.writeable = values.flags.writeable = False
    state = _WatchedState(d, masks, values, remaining, equivalence)
    object.__setattr__(state, "_looks", looks)
    return state


def checked_answer(answer: object, measured: IntArray, wanted: int, d: int) -> IntArray:
    """Ranks of a policy's answer.

    Raises
    ------
    PluginError
        If the answer is not an array of up to `wanted` distinct unmeasured masks.
    """
    rows = np.asarray(answer)
    if rows.size == 0:
        return np.empty(0, dtype=np.int64)
    if rows.ndim != 2 or rows.shape[1] != d:
        raise PluginError(f"ask returned an array of shape {rows.shape}; expected (k, {d}) with k <= {wanted}")
    if not np.isin(rows, (0, 1)).all():
        raise PluginError("ask returned values other than 0 and 1")
    ranks = ranks_of(rows)
    if ranks.size > wanted:
        raise PluginError(f"ask returned {ranks.size} masks; {wanted} were wanted")
    repeated = [int(rank) for rank in ranks if rank in measured or np.count_nonzero(ranks == rank) > 1]
    if repeated:
        shown = first_few([mask_string(rank, d) for rank in repeated])
        raise PluginError(f"ask returned masks that are measured already or given twice: {shown}")
    return ranks
