"""The tracks of the catalog: which options of its sources a group of conditions has."""

from __future__ import annotations

from typing import Literal, get_args

Track = Literal["four", "paired", "added"]

TRACKS: tuple[Track, ...] = get_args(Track)
"""Four options; six options on a source that also has four; six options alone. Everything that lists tracks lists them
in this order."""

FOUR, PAIRED, ADDED = TRACKS

OWN = "own"
"""What a manifest calls the track of a family of its own size, all of whose options its one condition has.

The condition's track is `outside_track`, as for a table without a manifest, so results are grouped alike with and
without it.
"""

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


_EXPERIENCE = "+experience"


def experienced(track: str) -> str:
    """The track of the same conditions for players who may read other sources of the family.

    Examples
    --------
    >>> experienced("paired")
    'paired+experience'
    """
    return track + _EXPERIENCE


def without_experience(track: str) -> str:
    """The track of the same conditions for players who may not.

    Examples
    --------
    >>> without_experience("paired+experience"), without_experience("four")
    ('paired', 'four')
    """
    return track.removesuffix(_EXPERIENCE)
