"""The tracks of the catalog: which options of its sources a group of conditions has."""

from __future__ import annotations

from typing import Literal, get_args

Track = Literal["four", "paired", "added"]

TRACKS: tuple[Track, ...] = get_args(Track)
"""Four options; six options on a source that also has four; six options alone. Everything that lists tracks lists them
in this order."""

FOUR, PAIRED, ADDED = TRACKS

OUTSIDE = "outside"
"""Track of conditions that are not in the catalog, with their number of options; see `outside_track`."""

SIX = "__d6"
"""What follows the source in the name of a six-option condition."""

DIMENSIONS: dict[Track, int] = {"four": 4, "paired": 6, "added": 6}
"""Number of options d by track."""


def outside_track(d: int) -> str:
    """Track of conditions with `d` options that are not in the catalog.

    Examples
    --------
    >>> outside_track(4)
    'outside-4'
    """
    return f"{OUTSIDE}-{d}"
