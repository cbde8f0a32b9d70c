"""Sources that come prepared."""

from __future__ import annotations

from whatworked.catalog.manifest_layout import ArraysPreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.sources.raw import RawArrays


def prepare_arrays(manifest: Manifest, how: ArraysPreparation, raw: RawArrays) -> PreparedInput:
    """Arrays as they are, with the facts of the manifest."""
    return PreparedInput(manifest.id, manifest.family, raw.arrays, how.facts)
