"""Arrays that are prepared already."""

from __future__ import annotations

import io
from collections.abc import Mapping

import numpy as np

from whatworked.catalog.manifest_layout import ArraysReader
from whatworked.errors import RawDataError
from whatworked.sources.archives import ARCHIVE_ERRORS
from whatworked.sources.raw import RawArrays, RawBytes
from whatworked.sources.readers import single


def read_arrays(reader: ArraysReader, files: Mapping[str, RawBytes]) -> RawArrays:
    """Arrays of an npz file; pickled objects are refused with `RawDataError`, as is anything that is no npz file."""
    del reader
    raw = single(files)
    try:
        with np.load(io.BytesIO(raw.data), allow_pickle=False) as packed:
            return RawArrays({name: packed[name] for name in packed.files}, raw.origin)
    except (*ARCHIVE_ERRORS, AttributeError) as error:
        raise RawDataError(f"{raw.origin}: not an npz file of plain arrays: {error}") from error
