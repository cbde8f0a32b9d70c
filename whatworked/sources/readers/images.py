"""Pictures stay encoded until they are prepared."""

from __future__ import annotations

from collections.abc import Mapping

from whatworked.catalog.manifest_layout import ImageReader
from whatworked.sources.raw import RawBytes, RawImage
from whatworked.sources.readers import single


def read_image(reader: ImageReader, files: Mapping[str, RawBytes]) -> RawImage:
    """Pass the encoded picture on; it is decoded where it is prepared, which raises `RawDataError` if it cannot be."""
    del reader
    raw = single(files)
    return RawImage(raw.data, raw.origin)
