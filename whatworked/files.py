"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import os
import tempfile
from collections.abc import Iterator
from pathlib import Path

from whatworked.errors import StorageError


@contextlib.contextmanager
def storage_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn an OSError inside the block into a `StorageError` that names the path and the next step."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        reason = error.strerror or str(error)
        raise StorageError(
            f"cannot {doing} {path}: {reason}; free space or choose another folder, then run again"
        ) from error


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path`: complete and on disk, or not at all.

    Raises
    ------
    StorageError
        If the folder cannot be made or the file cannot be written; an earlier file at `path` is untouched.
    """
    with storage_errors(path, "write"):
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            Path(temporary).chmod(0o666 & ~_umask())
            Path(temporary).replace(path)
        except BaseException:
            with contextlib.suppress(OSError):
                Path(temporary).unlink()
            raise


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
