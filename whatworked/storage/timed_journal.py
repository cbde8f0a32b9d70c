"""A journal that several processes append to, whose lines carry times that their chain does not cover.

A line is ``<chain digest> <canonical body> <canonical times> <check>``, parted by tabs, which canonical JSON never
holds. The chain digest covers the body and the chain digest of the line before, as in `whatworked.storage.journal`; so
two journals of the same events have the same digests, whenever the events were. The check covers the whole line before
it and stands outside the chain: a changed byte anywhere, times included, is seen.

A crash can only leave a last line that does not end; it was never acknowledged, and it is dropped by whoever appends
next. All other damage is a named error and leaves the file as it is.
"""

from __future__ import annotations

import contextlib
import hashlib
import os
import threading
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, NamedTuple, Self

import msgspec

from whatworked.errors import JournalError, StorageError
from whatworked.storage.append import append_synced, open_append
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, storage_errors, sync_folder
from whatworked.storage.journal import MAGIC, Owner, chain_digest

VERSION = 1
"""Of the form of lines."""
LARGEST = 1 << 28
"""Bytes that a journal may have."""
_CHECK_DIGITS = 16
_MODE = 0o600
"""Of a file that is made: it names the instance, and its folder may have been there, open to others."""
_START = b""


class TimedLine(NamedTuple):
    """What a line says.

    Attributes
    ----------
    body : bytes
        Canonical JSON, in the chain.
    times : bytes
        Canonical JSON, outside the chain.
    """

    body: bytes
    times: bytes


class Chain:
    """How far a journal's lines have been read and found to fit; knows no file.

    Parameters
    ----------
    path : Path
        For messages.
    kind : str
        What is recorded, for instance ``"episode"``.
    restart : str
        What a user can do about a file that cannot be used, for messages.
    """

    def __init__(self, path: Path, kind: str, restart: str) -> None:
        self.path = path
        self.kind = kind
        self.restart = restart
        self.owner = ""
        self.digest = _START
        self.position = 0
        self.count = 0

    def take(self, data: bytes) -> list[TimedLine]:
        """The whole lines of what follows `position`, without the first line of the file, which names the owner.

        Raises
        ------
        JournalError
            If a line does not fit. Nothing of `data` counts as read then, nor after an interrupt.
        """
        kept = (self.owner, self.digest, self.position, self.count)
        try:
            return list(self._lines(data))
        except BaseException:  # an interrupt as well, which may come in the middle of a line
            self.owner, self.digest, self.position, self.count = kept
            raise

    def line(self, body: bytes, times: Mapping[str, Any]) -> bytes:
        """The line that would come next."""
        head = b"%s\t%s\t%s" % (chain_digest(self.digest, body), body, canonical_json(times))
        return b"%s\t%s\n" % (head, _check(head))

    def first_line(self, owner: str) -> bytes:
        """The first line of a journal of that owner."""
        return self.line(canonical_json(msgspec.to_builtins(Owner(version=VERSION, kind=self.kind, of=owner))), {})

    def damaged(self) -> JournalError:
        """The error for a line behind the last one that fits."""
        return JournalError(
            f"{self.path} is damaged or was altered: line {self.count + 1} does not fit. "
            f"Nothing was changed; put the file back from a copy, or {self.restart}"
        )

    def foreign(self, reason: str) -> JournalError:
        """The error for a file that is something else."""
        return JournalError(
            f"{self.path} is not the journal of an {self.kind}: {reason}. Nothing was changed; {self.restart}"
        )

    def _lines(self, data: bytes) -> Iterator[TimedLine]:
        start = 0
        while (end := data.find(b"\n", start)) >= 0:
            line = self._whole(data[start:end])
            if line is None:
                raise self._misfit(data[start:end])
            first = not self.count
            if first:
                self.owner = self._owner(line)
            self.digest = chain_digest(self.digest, line.body)
            self.position += end + 1 - start
            self.count += 1
            start = end + 1
            if not first:
                yield line
        # A line that is whole but for its end lost that to a changed byte: this is damage, not a crash.
        if self._whole(data[start:-1]) is not None:
            raise self.damaged()

    def _whole(self, text: bytes) -> TimedLine | None:
        """What a line says, or None if it does not fit behind the last one."""
        head, _, check = text.rpartition(b"\t")
        if not head or check != _check(head):
            return None
        digest, _, rest = head.partition(b"\t")
        body, _, times = rest.partition(b"\t")
        return TimedLine(body, times) if digest == chain_digest(self.digest, body) else None

    def _owner(self, line: TimedLine) -> str:
        try:
            owner = msgspec.json.decode(line.body, type=Owner)
        except (msgspec.MsgspecError, RecursionError):
            raise self.foreign("it does not begin like one") from None
        if owner.kind != self.kind:
            raise self.foreign(f"it is the journal of a {owner.kind}")
        if owner.version != VERSION:
            raise self.foreign(f"it is of version {owner.version}, this program reads version {VERSION}")
        return owner.of

    def _misfit(self, text: bytes) -> JournalError:
        if self.count or f'"{MAGIC}"'.encode() in text:
            return self.damaged()
        return self.foreign("it does not begin like one")


class TimedJournal:
    """An open journal; `held` is to be entered for every reading and writing.

    The lock is the system's lock on the file itself, so it leaves nothing behind, and is dropped when the process ends,
    however it ends.

    Parameters
    ----------
    path : Path
        The file; made if it is not there, in a folder that is.
    kind : str
        What is recorded.
    restart : str
        What a user can do about a file that cannot be used, for messages.

    Raises
    ------
    JournalError
        If it is no regular file.
    StorageError
        If it cannot be opened.
    """

    def __init__(self, path: Path, kind: str, restart: str) -> None:
        self._chain = Chain(path, kind, restart)
        self._thread = threading.Lock()
        self._process = os.getpid()
        with storage_errors(path, "open"):
            self._handle = open_append(path, self._chain.foreign, _MODE)

    @property
    def path(self) -> Path:
        """Where it is."""
        return self._chain.path

    @property
    def owner(self) -> str:
        """As its first line names it; empty for a journal that has none yet."""
        return self._chain.owner

    @property
    def count(self) -> int:
        """Entries that were read or written here."""
        return max(0, self._chain.count - 1)

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        """Give the file up; a call that holds it ends first."""
        with self._thread:
            if self._handle >= 0:
                os.close(self._handle)
            self._handle = -1

    @contextlib.contextmanager
    def held(self) -> Iterator[None]:
        """Keep the file from other threads and processes; waits until they are done.

        Raises
        ------
        StorageError
            If it cannot be locked, was closed, or the file of that name is another one by now.
        """
        import fcntl

        with self._thread:
            if self._handle < 0:
                raise StorageError(f"{self.path} was closed; open the episode again")
            if self._process != os.getpid():
                self._open_apart()
            with storage_errors(self.path, "lock"):
                fcntl.flock(self._handle, fcntl.LOCK_EX)
            try:
                self._same_file()
                yield
            finally:
                fcntl.flock(self._handle, fcntl.LOCK_UN)

    def unread(self) -> list[TimedLine]:
        """Whole lines that were appended since the last reading, by whomever; to be called inside `held`.

        Raises
        ------
        JournalError
            If a line does not fit, or the file is shorter than it was.
        """
        with storage_errors(self.path, "read"):
            size = os.fstat(self._handle).st_size
            if size == self._chain.position:
                return []
            if size > LARGEST:
                raise self._chain.foreign(f"it has {size} bytes, more than the {LARGEST} allowed")
            data = _read_from(self._handle, self._chain.position, size)
        if size < self._chain.position:
            raise self._chain.damaged()
        return self._chain.take(data)

    def rewind(self) -> None:
        """Read everything again from the beginning, with the next `unread`."""
        self._chain = Chain(self.path, self._chain.kind, self._chain.restart)

    def begin(self, owner: str, body: bytes, times: Mapping[str, Any]) -> None:
        """Write the first line and the first entry of a journal that has no entry; inside `held`, behind `unread`.

        Raises
        ------
        JournalError
            If the file has another beginning.
        """
        empty = Chain(self.path, self._chain.kind, self._chain.restart)
        first = empty.first_line(owner)
        with storage_errors(self.path, "write"):
            left = _read_from(self._handle, 0, LARGEST)
            if not first.startswith(left) and not left.startswith(first):
                raise self._chain.foreign("it does not begin like one")
            os.truncate(self._handle, 0)
        empty.take(first)
        data = first + empty.line(body, times)
        append_synced(self._handle, self.path, data)
        sync_folder(self.path.parent)
        self.rewind()
        self._chain.take(data)

    def append(self, body: bytes, times: Mapping[str, Any]) -> None:
        """Write an entry and wait until it is on disk; inside `held`, behind `unread`.

        Raises
        ------
        StorageError
            If it cannot be written; the file is as before.
        """
        line = self._chain.line(body, times)
        with storage_errors(self.path, "write"):
            if os.fstat(self._handle).st_size > self._chain.position:  # what a crash left of a line
                os.truncate(self._handle, self._chain.position)
        append_synced(self._handle, self.path, line)
        self._chain.take(line)

    def _open_apart(self) -> None:
        """A forked process has the descriptor of its parent, and with it the parent's lock: open one of its own."""
        with storage_errors(self.path, "open"):
            inherited, self._handle = self._handle, open_append(self.path, self._chain.foreign, _MODE)
            self._process = os.getpid()
            os.close(inherited)

    def _same_file(self) -> None:
        with storage_errors(self.path, "read"):
            there, held = self.path.stat(follow_symlinks=False), os.fstat(self._handle)
        if (there.st_ino, there.st_dev) != (held.st_ino, held.st_dev):
            raise StorageError(
                f"{self.path} is another file than the one that was opened; put the first one back, or open it again"
            )


def read_timed_journal(path: Path, kind: str, restart: str) -> tuple[str, list[TimedLine]]:
    """Owner and entries of a journal that may be growing; nothing is locked or changed.

    Parameters
    ----------
    path : Path
        The file.
    kind : str
        What is recorded.
    restart : str
        What a user can do about a file that cannot be used, for messages.

    Returns
    -------
    tuple of str and list of TimedLine

    Raises
    ------
    JournalError
        If it is damaged or something else.
    StorageError
        If it cannot be read.
    """
    chain = Chain(path, kind, restart)
    lines = chain.take(read_file(path, LARGEST))
    return chain.owner, lines


def owner_of(body: bytes) -> str:
    """By which digest a journal's first line names its first entry."""
    return sha256(body)


def _read_from(handle: int, position: int, size: int) -> bytes:
    parts: list[bytes] = []
    while position < size and (part := os.pread(handle, min(1 << 22, size - position), position)):
        parts.append(part)
        position += len(part)
    return b"".join(parts)


def _check(head: bytes) -> bytes:
    return hashlib.sha256(head).hexdigest()[:_CHECK_DIGITS].encode()
