"""Matching predicted events to reference events in time."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

MARGIN = 1
"""Seconds at either end of a record in which no event is scored, so that no filter edge is."""


def interior(samples: npt.ArrayLike, rate: int, length: int) -> list[int]:
    """The samples that are scored, ascending: in [1, T - 1) seconds of a record of T = length / rate."""
    ordered = np.sort(np.asarray(samples, dtype=np.int64).ravel())
    return [int(sample) for sample in ordered if MARGIN * rate <= sample < length - MARGIN * rate]


def count_matches(left: Sequence[int], right: Sequence[int], reach: int) -> int:
    """Size of a maximum one-to-one matching of two ascending lists, pairs at most `reach` apart.

    Taking the earliest possible partner each time is optimal on a line, because all intervals have the same length.
    """
    matched = i = j = 0
    while i < len(left) and j < len(right):
        if abs(left[i] - right[j]) <= reach:
            matched, i, j = matched + 1, i + 1, j + 1
        elif left[i] < right[j]:
            i += 1
        else:
            j += 1
    return matched
