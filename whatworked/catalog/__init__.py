"""The catalog: sources, tracks and conditions, read off the manifests."""

from __future__ import annotations

from whatworked.catalog.catalog import (
    Condition,
    condition,
    conditions,
    families,
    select,
    sources,
)
from whatworked.catalog.manifest_files import (
    manifest,
    manifests,
)
from whatworked.catalog.manifest_layout import (
    Manifest,
)
from whatworked.catalog.tracks import (
    TRACKS,
    Track,
)

__all__ = [
    "TRACKS",
    "Condition",
    "Manifest",
    "Track",
    "condition",
    "conditions",
    "families",
    "manifest",
    "manifests",
    "select",
    "sources",
]
