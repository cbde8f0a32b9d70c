"""Preparations: raw content to the prepared input of a family. Each is a pure function of content and manifest."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import Any

from whatworked.catalog.manifest_layout import Manifest
from whatworked.declaration.prepared import PreparedInput
from whatworked.errors import RawDataError, WhatWorkedError
from whatworked.sources.raw import Raw, RawArrays, RawCorpus, RawGraph, RawImage, RawRecord, RawTable

_PREPARATIONS: dict[str, tuple[str, type[Raw]]] = {
    "table": ("features:prepare_table", RawTable),
    "series": ("series:prepare_series", RawTable),
    "image": ("images:prepare_image", RawImage),
    "retrieval": ("retrieval:prepare_retrieval", RawCorpus),
    "beats": ("beats:prepare_beats", RawRecord),
    "links": ("links:prepare_links", RawGraph),
    "arrays": ("arrays:prepare_arrays", RawArrays),
}
"""By kind: the function, and what it takes."""


def prepare(manifest: Manifest, raw: Raw) -> PreparedInput:
    """Prepare raw content as the manifest says, and check the shapes it promises.

    The content digest is checked by the caller, which knows where the raw data came from.

    Raises
    ------
    RawDataError
        If the content is of another kind than the preparation takes, does not allow it (missing column, value that is
        no number, too few queries, …), or the result has other shapes than the manifest expects.
    """
    kind = type(manifest.preparation).__struct_config__.tag
    location, wanted = _PREPARATIONS[str(kind)]
    if not isinstance(raw, wanted):
        raise RawDataError(
            f"source {manifest.id}: preparation {kind!r} takes a {wanted.__name__}, but {raw.origin} was read as a "
            f"{type(raw).__name__}; give the form a reader that goes with the preparation (see docs/sources.md)"
        )
    module, function = location.split(":")
    preparing: Callable[..., PreparedInput] = getattr(import_module(f"{__name__}.{module}"), function)
    try:
        prepared = preparing(manifest, manifest.preparation, raw)
    except RawDataError as error:
        raise located(error, manifest, raw.origin) from error
    except WhatWorkedError:
        raise
    except Exception as error:  # one source that was not thought of must not stop the others
        raise RawDataError(
            f"source {manifest.id}: {raw.origin} cannot be prepared as {kind!r}: {type(error).__name__}: {error}"
        ) from error
    found = shapes(prepared)
    expected = manifest.expected.shapes
    wrong = [
        f"{name} {list(found.get(name, ()))}, expected {list(shape)}"
        for name, shape in expected.items()
        if found.get(name) != shape
    ]
    if wrong:
        raise RawDataError(f"source {manifest.id} prepared from {raw.origin} has other shapes: {'; '.join(wrong)}")
    return prepared


def located(error: RawDataError, manifest: Manifest, origin: str) -> RawDataError:
    """The same error, with the source and the file where it does not name the file itself."""
    told = str(error)
    return error if origin in told else RawDataError(f"source {manifest.id} prepared from {origin}: {told}")


def shapes(prepared: PreparedInput) -> dict[str, tuple[int, ...]]:
    """Shape of each array, and length of each fact that is a list, by name."""
    lists: dict[str, Any] = {name: value for name, value in prepared.facts.items() if isinstance(value, list)}
    return {name: array.shape for name, array in prepared.arrays.items()} | {
        name: (len(value),) for name, value in lists.items()
    }
