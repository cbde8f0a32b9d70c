"""Writing files so that a reader never sees half of one."""

from __future__ import annotations

import contextlib
import errno
import os
import stat
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO

from whatworked.errors import InvalidOptionError, StorageError, plain

_PART = 1 << 22


@contextlib.contextmanager
def storage_errors(path: Path, doing: str) -> Iterator[None]:
    """Turn an OSError inside the block into a `StorageError` that names the path and the next step."""
    try:
        yield
    except StorageError:
        raise
    except OSError as error:
        if doing == "write" and path.is_symlink() and not path.exists():
            raise StorageError(
                f"cannot write {path}: it is a link to {os.readlink(path)}, where nothing is; make that or choose "  # noqa: PTH115
                "another name, then run again"
            ) from error
        reason = error.strerror or str(error)
        raise StorageError(f"cannot {doing} {path}: {reason}; {_next_step(error)}, then run again") from error


def _next_step(error: OSError) -> str:
    if error.errno in (errno.EACCES, errno.EPERM, errno.EROFS):
        return "correct its permissions or choose another folder"
    if error.errno == errno.ENOENT:
        return "put it there or name another one"
    if error.errno in (errno.ENOTDIR, errno.EISDIR, errno.EEXIST):
        return "choose another folder"
    return "free space or choose another folder"


def read_file(path: Path, most: int, doing: str = "read") -> bytes:
    """The bytes of a regular file that has no more than `most`; see `read_start`.

    Parameters
    ----------
    path : Path
        What to read.
    most : int
        Bytes that it may have.
    doing : str
        What an error says could not be done.

    Returns
    -------
    bytes

    Raises
    ------
    StorageError
        If it cannot be opened, is no regular file, or has more bytes.
    """
    # A file that says itself that it is too large need not be read to know it; one that says less is not believed.
    data = None if _stated_size(path) > most else read_start(path, most, doing)
    if data is None or len(data) > most:
        raise StorageError(
            f"cannot {doing} {path}: it has more than the {most} bytes allowed; is it the right file? Give another one"
        )
    return data


def read_start(path: Path, most: int, doing: str = "read") -> bytes:
    """The first bytes of a regular file: up to one more than `most`, so that the caller can tell that there are more.

    Anything else is refused before it is read: a device such as ``/dev/zero`` has no end, and a pipe may never answer.
    The size that the system states is not relied on.

    Parameters
    ----------
    path : Path
        What to read.
    most : int
        Bytes that it may have.
    doing : str
        What an error says could not be done.

    Returns
    -------
    bytes

    Raises
    ------
    StorageError
        If it cannot be read or is no regular file.
    """
    with storage_errors(path, doing):
        handle = os.open(path, _to_read())
        with os.fdopen(handle, "rb") as stream:
            status = os.fstat(handle)
            if not stat.S_ISREG(status.st_mode):
                raise StorageError(f"cannot {doing} {path}: it is no regular file; copy it into one, then run again")
            # Not all at once: memory for as many bytes as are asked for is taken before there are any.
            expected = min(most, status.st_size)
            data = stream.read(expected + 1)
            if data is None:  # what the system offers as a file, but has nothing to read at the moment
                raise StorageError(f"cannot {doing} {path}: it has no content of its own; copy it into a file")
            return data if len(data) <= expected else b"".join((data, *_beyond(stream, most - expected)))


def _beyond(stream: IO[bytes], left: int) -> Iterator[bytes]:
    """What comes after the size that the system states, in parts, up to `left` bytes; usually nothing."""
    while left > 0 and (part := stream.read(min(left, _PART))):
        left -= len(part)
        yield part


def _stated_size(path: Path) -> int:
    """What the system says of a regular file; 0 for anything else, which reading then names."""
    try:
        status = path.stat()
    except (OSError, ValueError):
        return 0
    return status.st_size if stat.S_ISREG(status.st_mode) else 0


def _to_read() -> int:
    """Flags, of those that the system has: not to wait for a writer to a pipe, and to take bytes as they are."""
    flags = os.O_RDONLY
    for name in ("O_NONBLOCK", "O_CLOEXEC", "O_BINARY"):
        flags |= getattr(os, name, 0)
    return flags


def user_path(text: str | Path) -> Path:
    """The path that a user means, a leading ``~`` replaced by the home folder.

    Raises
    ------
    InvalidOptionError
        If it starts with ``~`` and no home folder is known, or has a null byte, which no path can have.
    """
    name = plain(text) if isinstance(text, str) else str(text)
    if "\0" in name:
        raise InvalidOptionError(f"the path {name!r} has a null byte; correct it")
    try:
        return Path(name).expanduser()
    except RuntimeError as error:
        raise InvalidOptionError(f"no home folder is known for {name!r}; set HOME or give a full path") from error


def write_atomic(path: Path, data: bytes) -> None:
    """Write `data` to `path`: complete and on disk, or not at all.

    What is no file but can be written to, a device such as ``/dev/null`` or a pipe, is written to and stays what it is.

    Raises
    ------
    StorageError
        If the folder cannot be made or the file cannot be written; an earlier file at `path` is untouched.
    """
    with storage_errors(path, "write"):
        if path.exists() and not path.is_file() and not path.is_dir():
            path.write_bytes(data)
            return
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


def sync_folder(folder: Path) -> None:
    """Wait until the names in `folder` are on disk, where the system can: a new file's name is part of the folder."""
    with contextlib.suppress(OSError):
        handle = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
