"""Sources that come prepared."""

from __future__ import annotations

from whatworked.errors import RawDataError
from whatworked.manifest import ArraysPreparation, Manifest
from whatworked.prepared import PreparedInput
from whatworked.sources.raw import RawArrays


def prepare_arrays(manifest: Manifest, raw: RawArrays) -> PreparedInput:
    """Arrays as they are, with the facts of the manifest."""
    how = manifest.preparation
    if not isinstance(how, ArraysPreparation):
        raise RawDataError(f"source {manifest.id}: {raw.origin} holds arrays, but the preparation is of another kind")
    return PreparedInput(manifest.id, manifest.family, raw.arrays, how.facts)
