"""Hypotheses about when an option is active.

Option i is *ungated* (state 0), or another option j decides whether it acts. With the literal L = "j is on" or "j is
off", the value that option i takes is ``i and L`` (switching i does something only where L holds; elsewhere the
workflow runs as if i were off) or ``i or not L`` (elsewhere as if i were on). States are numbered
``1 + form * d + j`` for the four forms ``i and j``, ``i and not j``, ``i or j``, ``i or not j``.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

from whatworked.surfaces.masks import BitArray, FloatArray, IntArray

FORMS = 4
"""Ways in which one option may gate another."""

BoolArray = npt.NDArray[np.bool_]


def states(d: int) -> int:
    """Number of states of an option, impossible ones (gated by itself) included."""
    return 1 + FORMS * d


def gated_bits(masks: BitArray) -> BoolArray:
    """Value of every option in every state at masks, shape (n, d) -> (d, states, n)."""
    bits = np.asarray(masks, dtype=np.bool_).T
    own, other = bits[:, None, :], bits[None, :, :]
    return np.concatenate([own, own & other, own & ~other, own | other, own | ~other], axis=1)


@lru_cache(maxsize=32)
def log_prior(d: int, share: float) -> FloatArray:
    """Logarithm of the prior of every state of every option, shape (d, states); -inf for impossible ones.

    Parameters
    ----------
    d : int
        Number of options.
    share : float
        Prior probability that an option is gated, spread evenly over the others and the four forms.
    """
    possible = np.tile(~np.eye(d, dtype=np.bool_), FORMS)
    with np.errstate(divide="ignore"):
        each = np.log(share / (FORMS * (d - 1))) if d > 1 else -np.inf
        gated = np.where(possible, each, -np.inf)
        table = np.concatenate([np.full((d, 1), np.log1p(-share) if d > 1 else 0.0), gated], axis=1)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=32)
def ungated(d: int) -> FloatArray:
    """Logarithm of the distribution that has no gates, shape (d, states)."""
    table = np.full((d, states(d)), -np.inf)
    table[:, 0] = 0.0
    table.flags.writeable = False
    return table


def log_probability(table: FloatArray, gates: IntArray) -> FloatArray:
    """Log probability of gates, shape (m, d), under independent distributions of log `table`, shape (d, states)."""
    return np.asarray(table[np.arange(gates.shape[1]), gates].sum(axis=1))


def draw(table: FloatArray, uniform: FloatArray) -> IntArray:
    """Gates at given quantiles, shape (m, d) -> (m, d)."""
    cumulative = np.cumsum(np.exp(table), axis=1)
    # Else a last sum just below 1 would let a point fall beyond it, into a state that does not exist.
    cumulative /= cumulative[:, -1:]
    return np.asarray((cumulative[None, :, :] < uniform[:, :, None]).sum(axis=2), dtype=np.int64)


def blend(base: FloatArray, prior: FloatArray, share: float) -> FloatArray:
    """Logarithm of (1 − share)·base + share·prior; `base` holds probabilities, `prior` their logarithms."""
    with np.errstate(divide="ignore"):
        return np.asarray(np.log((1.0 - share) * base + share * np.exp(prior)))


def frequencies(gates: IntArray, weights: FloatArray, count: int) -> FloatArray:
    """Weighted frequencies of the states of every option, shape (d, count)."""
    table = np.zeros((gates.shape[1], count))
    for option in range(gates.shape[1]):
        np.add.at(table[option], gates[:, option], weights)
    return table
