"""Sources that come prepared."""

from __future__ import annotations

from whatworked.catalog.manifest_layout import ArraysPreparation, Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.sources.prepare.contract import needed_arrays
from whatworked.sources.raw import RawArrays


def prepare_arrays(manifest: Manifest, how: ArraysPreparation, raw: RawArrays) -> PreparedInput:
    """Arrays as they are, with the facts of the manifest.

    For a family of the package they take the types that it expects, where that changes no value.

    Raises
    ------
    RawDataError
        If one that the family needs is missing, or cannot take its type.
    """
    return PreparedInput(manifest.id, manifest.family, needed_arrays(manifest.family, raw.arrays), how.facts)
