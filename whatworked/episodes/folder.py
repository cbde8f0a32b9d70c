"""What stands in the folder of an episode."""

from __future__ import annotations

import contextlib
import os
import tempfile
import traceback
from pathlib import Path
from typing import Any

import msgspec

from whatworked.episodes.terms import Terms
from whatworked.errors import JournalError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import storage_errors
from whatworked.storage.timed_journal import TimedJournal, TimedLine, read_timed_journal

JOURNAL = "episode.journal"
LOG = "host.log"
KIND = "episode"
UNFINISHED = ".importing-"
"""With what the name of a folder begins whose episode is still being put together, or was left so."""
RESTART = "give another folder to begin another episode"
_LARGEST_LOG = 1 << 20


class EpisodeFolder:
    """Names and forms of an episode's files.

    Parameters
    ----------
    path : Path
        The folder.
    """

    def __init__(self, path: Path) -> None:
        self.path = Path(path)

    @property
    def journal(self) -> Path:
        """The record."""
        return self.path / JOURNAL

    def make(self) -> None:
        """Make the folder if it is not there, for nobody but its owner.

        Raises
        ------
        StorageError
            If that cannot be done.
        """
        with storage_errors(self.path, "write"):
            self.path.mkdir(mode=0o700, parents=True, exist_ok=True)

    def open_journal(self) -> TimedJournal:
        """The journal to append to; folder and file are made if they are not there.

        Raises
        ------
        JournalError
            If something else stands there.
        StorageError
            If it cannot be opened.
        """
        self.make()
        return TimedJournal(self.journal, KIND, RESTART)

    def read(self) -> tuple[Terms, dict[str, Any], list[TimedLine]]:
        """Terms, the times of the opening, and the lines of the events; nothing is locked or changed.

        Raises
        ------
        JournalError
            If the journal is damaged, something else, or has no whole opening.
        StorageError
            If it cannot be read.
        """
        owner, lines = read_timed_journal(self.journal, KIND, RESTART)
        if not lines:
            raise JournalError(f"{self.journal} ends before its opening; {RESTART}")
        terms, times = self.terms_of(lines[0], owner)
        return terms, times, lines[1:]

    def terms_of(self, line: TimedLine, owner: str) -> tuple[Terms, dict[str, Any]]:
        """Terms and times of a journal's first entry.

        Raises
        ------
        JournalError
            If it is something else, or not the one that the first line names.
        """
        try:
            terms = msgspec.json.decode(line.body, type=Terms)
            times = msgspec.json.decode(line.times, type=dict[str, Any])
            if sha256(line.body) != owner or not isinstance(times.get("opened"), int | float):
                raise ValueError
        except (msgspec.MsgspecError, ValueError, RecursionError):
            raise JournalError(
                f"{self.journal} is damaged or was altered: its opening is not one of this version. Nothing was "
                f"changed; put the file back from a copy, or {RESTART}"
            ) from None
        return terms, times

    def write_private(self, name: str, data: bytes) -> Path:
        """Write a file that only the host's user can read.

        Parameters
        ----------
        name : str
            In the folder.
        data : bytes
            All of it.

        Returns
        -------
        Path
            Of the file.

        Raises
        ------
        StorageError
            If it cannot be written.
        """
        path = self.path / name
        return write_private(path, data)

    def log(self, error: BaseException, doing: str) -> None:
        """Note for the host's people what must not reach a player; never fails."""
        text = f"{doing}: {''.join(traceback.format_exception(error))}\n".encode("utf-8", "backslashreplace")
        with contextlib.suppress(OSError):
            handle = os.open(self.path / LOG, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
            try:
                if os.fstat(handle).st_size < _LARGEST_LOG:
                    os.write(handle, text)
            finally:
                os.close(handle)


def write_private(path: Path, data: bytes) -> Path:
    """Write a file that only its owner can read: complete, or not at all.

    Parameters
    ----------
    path : Path
        The file.
    data : bytes
        All of it.

    Returns
    -------
    Path
        The same.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    with storage_errors(path, "write"):
        handle, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".tmp", dir=path.parent)  # of mode 600
        temporary = Path(name)
        try:
            with os.fdopen(handle, "wb") as stream:
                stream.write(data)
                stream.flush()
                os.fsync(stream.fileno())
            temporary.replace(path)
        except BaseException:
            temporary.unlink(missing_ok=True)
            raise
    return path


def digest_of(terms: Terms) -> str:
    """By which digest a journal names its opening."""
    return sha256(canonical_json(msgspec.to_builtins(terms)))
