"""Members of archives, and what damaged ones raise."""

from __future__ import annotations

import gzip
import io
import lzma
import tarfile
import zipfile
import zlib
from typing import IO

from whatworked.errors import RawDataError, TooLargeError

ARCHIVE_ERRORS = (
    zipfile.BadZipFile,
    tarfile.TarError,
    zlib.error,
    lzma.LZMAError,
    OSError,
    EOFError,
    ValueError,
    NotImplementedError,
    RuntimeError,
)
"""All that the standard library raises on damaged, encrypted or unknown archives."""


LARGEST = 1 << 30
"""Bytes that are read, downloaded or unpacked at most where a manifest states no size."""


def unpack(data: bytes, member: str, origin: str, size: int = 0) -> bytes:
    """Bytes of one member of a zip archive, which are not checked yet.

    Parameters
    ----------
    data : bytes
        The archive.
    member : str
        Name in the archive.
    origin : str
        What messages call the archive.
    size : int
        Bytes that the member should have, or 0 if that is not known; no more than one byte beyond is unpacked.

    Raises
    ------
    RawDataError
        If it is no zip archive, is damaged, or lacks the member.
    TooLargeError
        If the member is larger than `size` (or `LARGEST`).
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive, archive.open(member) as stream:
            return read_bounded(stream, size or LARGEST, f"{origin}:{member}")
    except KeyError as error:
        raise RawDataError(f"{origin}: the wrong zip archive, it has no {member}") from error
    except ARCHIVE_ERRORS as error:
        raise RawDataError(f"{origin}: not a readable zip archive: {error}") from error


def read_bounded(stream: IO[bytes] | gzip.GzipFile, limit: int, origin: str) -> bytes:
    """All bytes of a stream; `TooLargeError` if there are more than `limit`, the rest of which is not read."""
    data = stream.read(limit + 1)
    if len(data) > limit:
        raise too_large(origin, limit)
    return data


def too_large(origin: str, limit: int) -> TooLargeError:
    """The error for more than `limit` bytes; who knows the expected file adds it and the next step."""
    return TooLargeError(f"{origin} has more than the {limit} bytes that are expected at most; the rest was not read")
