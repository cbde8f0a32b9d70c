"""The tracks of the catalog: which options of its sources a group of conditions has."""

from __future__ import annotations

from typing import Literal, get_args

Track = Literal["four", "paired", "added"]

TRACKS: tuple[Track, ...] = get_args(Track)
"""Four options; six options on a source that also has four; six options alone. Everything that lists tracks lists them
in this order."""

SIX = "__d6"
"""What follows the source in the name of a six-option condition."""

DIMENSIONS: dict[Track, int] = {"four": 4, "paired": 6, "added": 6}
"""Number of options d by track."""
