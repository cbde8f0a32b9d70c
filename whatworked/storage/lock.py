"""One rebuild, study or benchmark per folder at a time, and one writer of a file."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator
from pathlib import Path

from whatworked.errors import StorageError
from whatworked.storage.files import storage_errors
from whatworked.storage.posix import require_posix

# A link could lead to a file that somebody else owns.
_LOCK_FLAGS = os.O_RDWR | os.O_CREAT | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)


@contextlib.contextmanager
def folder_lock(folder: Path) -> Iterator[None]:
    """Hold `folder` for this process; made if it does not exist.

    The lock is on the folder itself, so it leaves no file behind, and the system drops it when the process ends,
    however it ends.

    Raises
    ------
    StorageError
        If another process holds the folder, or the folder cannot be made or locked.
    UnsupportedSystemError
        On a system without locks of this kind.
    """
    require_posix()
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


@contextlib.contextmanager
def file_lock(path: Path) -> Iterator[None]:
    """Hold the file `path` for this process; made if it does not exist.

    A holder may put a new file in its place: who waited for the old one then holds nothing, and tries again.

    Raises
    ------
    StorageError
        If another process holds the file, or it cannot be opened or locked.
    """
    with storage_errors(path, "write"):
        handle = _locked(path)
    try:
        yield
    finally:
        os.close(handle)


def _locked(path: Path) -> int:
    import fcntl

    while True:
        handle = os.open(path, _LOCK_FLAGS, 0o666)
        try:
            fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
            if _same_file(handle, path):
                return handle
        except BlockingIOError:
            os.close(handle)
            raise StorageError(
                f"another run is writing {path}; wait until it ends, or give another folder with --out"
            ) from None
        except BaseException:
            os.close(handle)
            raise
        os.close(handle)


def _same_file(handle: int, path: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(handle), path.stat())
    except FileNotFoundError:
        return False
