"""Arrays that are prepared already."""

from __future__ import annotations

import io
import math
import zipfile
from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from whatworked.catalog.manifest_layout import ArraysReader
from whatworked.errors import RawDataError
from whatworked.sources.archives import ARCHIVE_ERRORS, LARGEST, read_bounded
from whatworked.sources.raw import RawArrays, RawBytes
from whatworked.sources.readers import single

_HEADERS = {
    (1, 0): np.lib.format.read_array_header_1_0,
    (2, 0): np.lib.format.read_array_header_2_0,
}


def read_arrays(reader: ArraysReader, files: Mapping[str, RawBytes]) -> RawArrays:
    """Arrays of an npz file.

    Raises
    ------
    RawDataError
        If it is no npz file, holds anything but numbers, truth values and text (pickled objects above all), a name
        twice or data of another size than its header says.
    TooLargeError
        If it holds more than `whatworked.sources.archives.LARGEST` bytes.
    """
    del reader
    raw = single(files)
    arrays: dict[str, npt.NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(io.BytesIO(raw.data)) as archive:
            left = LARGEST
            for member in archive.namelist():
                with archive.open(member) as stream:
                    data = read_bounded(stream, left, f"{raw.origin}:{member}")
                left -= len(data)
                name = member.removesuffix(".npy")
                if name in arrays:
                    raise RawDataError(f"{raw.origin}: array {name!r} stands twice; keep one")
                arrays[name] = _array(data, f"{raw.origin}: array {name!r}")
    except RawDataError:
        raise
    except (*ARCHIVE_ERRORS, AttributeError) as error:
        raise RawDataError(f"{raw.origin}: not an npz file of plain arrays: {error}") from error
    if not arrays:
        raise RawDataError(f"{raw.origin}: no arrays; write them with numpy.savez")
    return RawArrays(arrays, raw.origin)


def _array(data: bytes, what: str) -> npt.NDArray[Any]:
    stream = io.BytesIO(data)
    version = np.lib.format.read_magic(stream)
    if version not in _HEADERS:
        raise RawDataError(f"{what}: npy version {version} is not known; write it with numpy.savez")
    shape, _, dtype = _HEADERS[version](stream)
    if dtype.hasobject or dtype.kind not in "biufcSU":
        raise RawDataError(f"{what}: values of type {dtype} are neither numbers, truth values nor text; convert them")
    # Before anything of that size is made: a header may say whatever it likes.
    stated, held = math.prod(shape) * dtype.itemsize, len(data) - stream.tell()
    if stated != held:
        raise RawDataError(f"{what}: {held} bytes of data, its header says {stated}; the file is damaged")
    stream.seek(0)
    array: npt.NDArray[Any] = np.lib.format.read_array(stream, allow_pickle=False)
    return array
