"""How large the prepared input of each source is, as a flat table."""

from __future__ import annotations

from collections.abc import Iterable

from whatworked.catalog.manifest_layout import Manifest, SeriesPreparation
from whatworked.surfaces.exports import Column, FlatTable, Value


def prepared_sizes(manifests: Iterable[Manifest]) -> FlatTable:
    """One row per array of the prepared input of each source, as its manifest expects it, and per part that trains.

    Preparing a source checks these shapes, and the digest of the content. The part of a series before its cut trains.

    Parameters
    ----------
    manifests : iterable of Manifest
        The sources.

    Returns
    -------
    FlatTable
    """
    columns = (
        Column("source", "string", "", "data set or record"),
        Column("family", "string", "", "workflow family"),
        Column("array", "string", "", "name of the array, or of the list, in the prepared input"),
        Column("length", "integer", "rows", "rows, samples, points, documents, queries, events or pairs"),
        Column("width", "integer", "columns", "columns of a row; empty for a plain list"),
    )
    rows: list[tuple[Value, ...]] = []
    for manifest in manifests:
        source, how = (manifest.id, manifest.family), manifest.preparation
        for name, shape in manifest.expected.shapes.items():
            rows.append((*source, name, shape[0], shape[1] if len(shape) > 1 else None))
            if isinstance(how, SeriesPreparation):
                rows.append((*source, f"{name} before the cut", how.cut(shape[0]), None))
    return FlatTable("prepared_sizes", columns, tuple(rows))
