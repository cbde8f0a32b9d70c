"""Members of zip archives."""

from __future__ import annotations

import io
import zipfile

from whatworked.errors import RawDataError


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
    except (zipfile.BadZipFile, OSError, EOFError, NotImplementedError, RuntimeError, ValueError) as error:
        raise RawDataError(f"{origin}: not a readable zip archive: {error}") from error
