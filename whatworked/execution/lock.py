"""One rebuild per folder at a time."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from whatworked.errors import StorageError
from whatworked.files import storage_errors

LOCK = ".lock"


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; made if it does not exist.

    The system drops the lock when the process ends, however it ends, so there is nothing to clean up after a crash.

    Raises
    ------
    StorageError
        If another process holds the folder (the message names it), or the folder cannot be written.
    """
    import fcntl

    path = folder / LOCK
    with storage_errors(path, "write"):
        folder.mkdir(parents=True, exist_ok=True)
        handle = os.open(path, os.O_RDWR | os.O_CREAT, 0o666)
    try:
        with storage_errors(path, "lock"):
            try:
                fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except BlockingIOError:
                holder = os.pread(handle, 64, 0).decode(errors="replace").strip() or "another process"
                raise StorageError(
                    f"{folder} is being written by {holder}; wait until it ends, or give another folder with --out"
                ) from None
            os.truncate(handle, 0)
            os.pwrite(handle, f"process {os.getpid()}".encode(), 0)
        yield
    finally:
        os.close(handle)
