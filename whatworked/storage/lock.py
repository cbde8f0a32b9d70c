"""One rebuild, study or benchmark per folder at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from whatworked.errors import StorageError
from whatworked.storage.files import storage_errors


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; made if it does not exist.

    The lock is on the folder itself, so it leaves no file behind, and the system drops it when the process ends,
    however it ends.

    Raises
    ------
    StorageError
        If another process holds the folder, or the folder cannot be made or locked.
    """
    import fcntl

    with storage_errors(folder, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(folder, os.O_RDONLY)
    try:
        with storage_errors(folder, "lock"):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                raise StorageError(
                    f"another run is writing {folder}; wait until it ends, or give another folder with --out"
                ) from None
        yield
    finally:
        os.close(handle)
