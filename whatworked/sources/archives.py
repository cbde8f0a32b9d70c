"""Members of archives, and what damaged ones raise."""

from __future__ import annotations

import io
import lzma
import tarfile
import zipfile
import zlib

from whatworked.errors import RawDataError

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


def unpack(data: bytes, member: str, origin: str) -> bytes:
    """Bytes of one member of a zip archive.

    Raises
    ------
    RawDataError
        If it is no zip archive, is damaged, or lacks the member.
    """
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            return archive.read(member)
    except KeyError as error:
        raise RawDataError(f"{origin}: the wrong zip archive, it has no {member}") from error
    except ARCHIVE_ERRORS as error:
        raise RawDataError(f"{origin}: not a readable zip archive: {error}") from error
