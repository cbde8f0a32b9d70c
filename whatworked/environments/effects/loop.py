"""The budgeted loop: a policy is asked, what it chose is measured, and so on until the credits are spent.

The loop knows nothing of time limits, broken plug-ins or journals. Whoever needs those puts them into the function that
is asked: see `Ask`.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence

import numpy as np

from whatworked.errors import PluginError
from whatworked.protocols import Policy, SearchState
from whatworked.surfaces.equivalence import Equivalence
from whatworked.surfaces.experience import Experience
from whatworked.surfaces.masks import FloatArray, IntArray, anchors, bits_of, mask_string, ranks_of
from whatworked.wording import first_few

Ask = Callable[[SearchState, int], IntArray]
"""From a state and the number of masks wanted to the ranks of distinct unmeasured masks, at most that many; none ends
the loop with credits unspent."""


def buy(
    ask: Ask,
    utilities: FloatArray,
    budget: int,
    batch: int = 1,
    equivalence: Equivalence | None = None,
    experience: Experience | None = None,
) -> tuple[int, ...]:
    """Spend up to `budget` credits.

    Parameters
    ----------
    ask : callable
        See `Ask`; for a policy, `asker` makes it.
    utilities : ndarray of float64, shape (2**d,)
        The truth, from which purchases are answered.
    budget : int
        Credits, at most 2**d - 2.
    batch : int, default 1
        Masks per ask, fewer at the end.
    equivalence : Equivalence or None
        Code-equivalence classes shown to the policy.
    experience : Experience or None
        What the policy may read of other sources.

    Returns
    -------
    tuple of int
        Ranks of the bought masks in order, anchors not counted.
    """
    bought: list[int] = []
    while (left := budget - len(bought)) > 0:
        chosen = ask(state_after(bought, utilities, left, equivalence, experience), min(batch, left))
        if not chosen.size:
            break
        bought += chosen.tolist()
    return tuple(bought)


def asker(policy: Policy) -> Ask:
    """The function that asks a policy and checks its answer.

    Its calls raise `PluginError` for an answer that is not an array of up to the wanted number of distinct unmeasured
    masks; what the policy itself raises passes through.
    """

    def ask(state: SearchState, wanted: int) -> IntArray:
        # What is measured is read first: a policy that tampers with its state must not decide what counts as new.
        measured, d = state.measured, state.d
        return checked_answer(policy.ask(state, wanted), measured, wanted, d)

    return ask


def state_after(
    bought: Sequence[int],
    utilities: FloatArray,
    remaining: int,
    equivalence: Equivalence | None = None,
    experience: Experience | None = None,
) -> SearchState:
    """What is known after some purchases, given by rank: fresh read-only arrays that do not refer to the truth."""
    masks, values = observations(bought, utilities)
    return SearchState(masks.shape[1], masks, values, remaining, equivalence, experience)


def observations(bought: Sequence[int], utilities: FloatArray) -> tuple[FloatArray, FloatArray]:
    """Measured masks as float64, anchors first, and their utilities: fresh read-only arrays, shapes (n, d) and (n,)."""
    d = utilities.size.bit_length() - 1
    measured = measured_after(bought, d)
    masks = bits_of(measured, d).astype(np.float64)
    values = np.array(utilities[measured], dtype=np.float64)
    masks.flags.writeable = values.flags.writeable = False
    return masks, values


def measured_after(bought: Sequence[int], d: int) -> IntArray:
    """Ranks of all measured masks: the anchors, then what was bought, in order; shape (2 + len(bought),)."""
    return np.array([*anchors(d), *bought], dtype=np.int64)


def checked_answer(answer: object, measured: IntArray, wanted: int, d: int) -> IntArray:
    """Ranks of a policy's answer.

    Parameters
    ----------
    answer : object
        What the policy returned; expected is an array of 0 and 1, shape (k, d), 0 <= k <= wanted.
    measured : ndarray of int64
        Ranks of the measured masks.
    wanted : int
        Number of masks asked for.
    d : int
        Number of options.

    Raises
    ------
    PluginError
        If the answer is not an array of up to `wanted` distinct unmeasured masks.
    """
    # np.asarray drops the mask of a masked array and hands over what lies under it.
    if np.ma.is_masked(answer):
        raise PluginError("ask returned an array with masked values; expected 0 and 1")
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
    given, seen = ranks.tolist(), set(measured.tolist())
    times = Counter(given)
    if repeated := [rank for rank in given if rank in seen or times[rank] > 1]:
        shown = first_few([mask_string(rank, d) for rank in repeated])
        raise PluginError(f"ask returned masks that are measured already or given twice: {shown}")
    return ranks
