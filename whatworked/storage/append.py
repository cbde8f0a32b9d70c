"""Appending to files that others must not have put there, so that what is written is on disk or leaves no trace."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Callable
from pathlib import Path

from whatworked.errors import JournalError
from whatworked.storage.files import storage_errors


def open_append(path: Path, foreign: Callable[[str], JournalError], mode: int = 0o666) -> int:
    """Descriptor of a regular file, made if it is not there, for reading and appending.

    Parameters
    ----------
    path : Path
        The file; a link, a device or a file of several names is refused, since writing would change what somebody
        else may own, or a copy that was made by hard links.
    foreign : callable
        From what the file is instead to the error to raise.
    mode : int
        Of a file that is made, before the user's mask.

    Returns
    -------
    int
        The caller closes it.

    Raises
    ------
    JournalError
        The one that `foreign` makes.
    OSError
        If the file cannot be opened.
    """
    flags = os.O_RDWR | os.O_CREAT | os.O_APPEND | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        handle = os.open(path, flags, mode)
    except OSError as error:
        if error.errno in (errno.ELOOP, errno.ENXIO):
            raise foreign("it is a link or a device") from None
        raise
    status = os.fstat(handle)
    if stat.S_ISREG(status.st_mode) and status.st_nlink <= 1:
        return handle
    os.close(handle)
    if not stat.S_ISREG(status.st_mode):
        raise foreign("it is no regular file")
    raise foreign(
        f"it stands under {status.st_nlink} names (hard links), and writing would change it under all of them; put a "
        "copy of the file in its place to go on with it"
    )


def append_synced(handle: int, path: Path, data: bytes) -> None:
    """Append `data` and wait until it is on disk; if that fails, the file is as long as before.

    Parameters
    ----------
    handle : int
        As `open_append` gives it.
    path : Path
        For messages.
    data : bytes
        What to append.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    with storage_errors(path, "write"):
        size = os.fstat(handle).st_size
        try:
            rest = memoryview(data)
            while rest:
                rest = rest[os.write(handle, rest) :]
            os.fsync(handle)
        except BaseException:
            # Half a line must not stay: the next one would be lost with it.
            os.truncate(handle, size)
            raise
