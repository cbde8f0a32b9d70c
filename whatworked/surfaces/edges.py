"""Index tables of the cube that effects and grades are computed with, made once per number of options."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from functools import cache, lru_cache
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from whatworked.surfaces.masks import FloatArray, IntArray, check_dimensions, edge_starts

Scalar = TypeVar("Scalar", bound=np.generic)

DIRECT_LIMIT = 8
"""Largest d whose tables of edges and pair signs are kept whole; above it work goes option by option, so that memory
stays linear in the number of cells."""


def _frozen(table: IntArray) -> IntArray:
    # Cached tables are shared by every caller: one that wrote to them would alter all later results.
    table.flags.writeable = False
    return table


@lru_cache(maxsize=DIRECT_LIMIT)
def edges(d: int) -> tuple[IntArray, IntArray]:
    """Ranks of the two ends of every edge, option by option, each option's edges by ascending rank.

    Returns
    -------
    starts, ends : ndarray of int64, shape (d * 2**(d-1),)
        The end with the option off, and the end with it on.
    """
    starts = np.concatenate([edge_starts(d, option) for option in range(d)])
    # Option A is the first character of a mask, so it is the highest bit of its rank.
    steps = np.repeat(1 << np.arange(d - 1, -1, -1, dtype=np.int64), 1 << (d - 1))
    return _frozen(starts), _frozen(starts + steps)


@cache
def pairs(d: int) -> tuple[tuple[int, int], ...]:
    """Pairs of options i < j in combinations order: (0, 1), (0, 2) and so on."""
    return tuple(itertools.combinations(range(check_dimensions(d)), 2))


@lru_cache(maxsize=DIRECT_LIMIT)
def pair_signs(d: int) -> FloatArray:
    """Sign x_i x_j of every mask in the contrast of every pair, shape (pairs, 2**d); x is +1 for on and -1 for off."""
    ranks = np.arange(1 << d)
    signs = [2.0 * ((ranks >> (d - 1 - option)) & 1) - 1.0 for option in range(d)]
    table = np.array([signs[i] * signs[j] for i, j in pairs(d)]).reshape(-1, 1 << d)
    table.flags.writeable = False
    return table


@lru_cache(maxsize=2)
def selection_order(d: int) -> IntArray:
    """All ranks by number of options switched on, then by rank: the order in which a tie is decided."""
    ranks = np.arange(1 << check_dimensions(d), dtype=np.int64)
    # A stable sort leaves masks with equally many options on by rank, which is lexical order.
    return _frozen(np.argsort(np.bitwise_count(ranks), kind="stable").astype(np.int64))


def option_pairs(values: npt.NDArray[Scalar], d: int, option: int) -> tuple[npt.NDArray[Scalar], npt.NDArray[Scalar]]:
    """Values with `option` off and with it on, each of shape (2**(d-1),), edges by ascending rank of the off end."""
    # Canonical order makes a table a (2, ..., 2) array whose axis i is option i: no index table is needed.
    cube = values.reshape(1 << option, 2, 1 << (d - 1 - option))
    return cube[:, 0, :].reshape(-1), cube[:, 1, :].reshape(-1)


def effect_blocks(values: FloatArray, d: int) -> Iterator[FloatArray]:
    """Conditional effects of a table in blocks: one block of all edges for small d, else one block per option."""
    if d <= DIRECT_LIMIT:
        starts, ends = edges(d)
        yield values[ends] - values[starts]
        return
    for option in range(d):
        off, on = option_pairs(values, d, option)
        yield on - off
