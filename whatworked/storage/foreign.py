"""Refusing to write over files that somebody else put under the names a command writes."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from whatworked.errors import StorageError
from whatworked.storage.files import read_start, storage_errors
from whatworked.wording import first_few

IsOwn = Callable[[bytes], bool]
"""From the bytes of a file to whether the command wrote it."""

LARGEST = 1 << 32
"""Bytes that a file of a command's own may have: none writes more, so a larger one is somebody else's, unread."""


def is_written_by(path: Path, is_own: IsOwn) -> bool:
    """Whether a file is there and has the form that a command gives it.

    Raises
    ------
    StorageError
        If it cannot be read.
    """
    with storage_errors(path, "read"):
        if not path.is_file() or path.stat().st_size > LARGEST:
            return False
    return is_own(read_start(path, LARGEST))


def refuse_foreign(files: Mapping[Path, IsOwn], maker: str) -> None:
    """Refuse to go on if something that `maker` did not write has one of the names it writes.

    Parameters
    ----------
    files : mapping of Path to callable
        The names that will be written, each with what tells a file of one's own.
    maker : str
        The command, for the message.

    Raises
    ------
    StorageError
        Naming what is in the way; nothing was changed then.
    """
    foreign = [path for path, is_own in files.items() if _is_there(path) and not is_written_by(path, is_own)]
    if foreign:
        names = first_few([path.name for path in foreign], 6)
        raise StorageError(
            f"{foreign[0].parent} has {names}, which {maker} did not write and would overwrite; nothing was changed. "
            "Move what is there to another place, or choose another folder"
        )


def _is_there(path: Path) -> bool:
    return path.exists() or path.is_symlink()
