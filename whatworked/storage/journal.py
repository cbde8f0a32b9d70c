"""A file of finished work that only grows, that a crash at any instant leaves readable, and that shows any alteration.

The first line says what the file is and which work it belongs to. Every line is a digest followed by canonical JSON;
the digest covers the JSON and the digest of the line before, so that lines form a chain. A crash can only leave a last
line that does not end: it was never acknowledged, and it is dropped. Whatever else does not fit the chain was altered
or damaged. It is reported and the file is left as it is, because guessing which lines to believe would lose results or
count wrong ones.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from whatworked.errors import JournalError
from whatworked.storage.append import append_synced, open_append
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file, storage_errors, sync_folder, write_atomic

Entry = TypeVar("Entry", bound=msgspec.Struct)

MAGIC = "whatworked journal"
VERSION = 1
LARGEST = 1 << 31
"""Bytes that a journal may have: more than any work writes, and less than would fill the memory."""
_DIGITS = 32
"""Hexadecimal digits of a line's digest: 128 bits, enough against chance and against a hasty editor alike."""


class Owner(msgspec.Struct, frozen=True, kw_only=True):
    """The first line: what the file is and which work it belongs to.

    Attributes
    ----------
    journal : str
        `MAGIC`.
    version : int
        `VERSION` of the format.
    kind : str
        What is recorded, for instance ``"bench"``.
    of : str
        Which work: a digest, so that entries of other work are never taken for this one's.
    """

    journal: str = MAGIC
    version: int = VERSION
    kind: str
    of: str


class Journal(Generic[Entry]):
    """Append-only file of entries of one type; use as a context manager.

    Parameters
    ----------
    path : Path
        The file; made on entering. A file that is no journal of this kind and work is never changed.
    kind : str
        What is recorded.
    of : str
        Which work it belongs to.
    form : type
        Type of the entries.
    restart : str
        How a user starts anew, for messages.

    Raises
    ------
    JournalError
        If the file is damaged, belongs to other work or is not a journal; it is left as it is.
    StorageError
        If the file cannot be read or written.
    """

    def __init__(self, path: Path, kind: str, of: str, form: type[Entry], restart: str) -> None:
        self.path = path
        self._owner = Owner(kind=kind, of=of)
        self._form = form
        self._restart = restart
        self._handle = -1
        self._entries: list[Entry] = []
        self._digest = b""

    def __enter__(self) -> Self:
        with storage_errors(self.path, "write"):
            self._handle = self._open()
            try:
                self._recover()
            except BaseException:
                self._close()
                raise
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._close()

    def read(self) -> tuple[Entry, ...]:
        """All entries of a file that is not to be changed, in order of writing; the remains of a crash are left there.

        Raises
        ------
        JournalError
            If the file is damaged, belongs to other work or is not a journal.
        StorageError
            If it cannot be read.
        """
        data = read_file(self.path, LARGEST)
        first, self._digest = _lines([self._owner], b"")
        self._entries = []
        if data.startswith(first):
            self._take(data, len(first))
        elif not first.startswith(data):
            raise self._not_ours(data)
        return self.entries()

    def entries(self) -> tuple[Entry, ...]:
        """All entries, in order of writing."""
        return tuple(self._entries)

    def extend(self, entries: Iterable[Entry]) -> None:
        """Write `entries` and wait until they are on disk."""
        added = tuple(entries)
        data, digest = _lines(added, self._digest)
        self._write(data)
        self._entries += added
        self._digest = digest

    def replace(self, entries: Iterable[Entry]) -> None:
        """Hold these entries instead, or none and no file; nothing can be appended after this."""
        kept = tuple(entries)
        if not kept:
            self.remove()
            return
        first, digest = _lines([self._owner], b"")
        rest, _ = _lines(kept, digest)
        write_atomic(self.path, first + rest)

    def remove(self) -> None:
        """Delete the file, when what it led to is written; nothing can be appended after this."""
        with storage_errors(self.path, "remove"):
            self.path.unlink(missing_ok=True)

    def _open(self) -> int:
        return open_append(self.path, self._foreign)

    def _close(self) -> None:
        if self._handle >= 0:
            os.close(self._handle)
        self._handle = -1

    def _recover(self) -> None:
        """Take in what the file holds; remove the remains of an interrupted write, write the first line if missing."""
        data = read_file(self.path, LARGEST)
        first, self._digest = _lines([self._owner], b"")
        self._entries = []
        if data.startswith(first):
            if (end := self._take(data, len(first))) < len(data):
                self._cut(end)
        elif first.startswith(data):
            self._cut(0)
            self._write(first)
            sync_folder(self.path.parent)
        else:
            raise self._not_ours(data)

    def _take(self, data: bytes, position: int) -> int:
        """Take in the whole lines from a position on; returns the position behind them."""
        while (end := data.find(b"\n", position)) >= 0:
            found, _, text = data[position:end].partition(b" ")
            if found != (digest := chain_digest(self._digest, text)):
                raise self._damaged(data, position)
            self._entries.append(self._decoded(text, data, position))
            self._digest, position = digest, end + 1
        # A line that is whole but for its end lost that to a changed byte: this is damage, not a crash.
        found, _, text = data[position:-1].partition(b" ")
        if text and found == chain_digest(self._digest, text):
            raise self._damaged(data, position)
        return position

    def _decoded(self, text: bytes, data: bytes, position: int) -> Entry:
        try:
            return msgspec.json.decode(text, type=self._form)
        except (msgspec.MsgspecError, RecursionError):
            raise self._damaged(data, position) from None

    def _write(self, data: bytes) -> None:
        append_synced(self._handle, self.path, data)

    def _cut(self, size: int) -> None:
        os.truncate(self._handle, size)

    def _damaged(self, data: bytes, position: int) -> JournalError:
        number = data.count(b"\n", 0, position) + 1
        return JournalError(
            f"{self.path} is damaged or was altered: line {number} does not fit the lines before it. "
            f"Nothing was changed; put the file back from a copy, or {self._restart}"
        )

    def _not_ours(self, data: bytes) -> JournalError:
        line = data.partition(b"\n")[0]
        try:
            owner = msgspec.json.decode(line.partition(b" ")[2], type=Owner)
        except (msgspec.MsgspecError, RecursionError):
            return self._foreign("it does not begin like one")
        if owner.journal != MAGIC or owner.version != VERSION:
            return self._foreign(f"it is of version {owner.version}, this program reads version {VERSION}")
        if owner.kind != self._owner.kind:
            return self._foreign(f"it is the journal of a {owner.kind}")
        if owner.of != self._owner.of:
            return JournalError(
                f"{self.path} holds results of other work: its plan has the digest {owner.of[:12]}, this one "
                f"{self._owner.of[:12]}. Nothing was changed; give another folder with --out, or {self._restart}"
            )
        return self._damaged(data, 0)

    def _foreign(self, reason: str) -> JournalError:
        return JournalError(
            f"{self.path} is not the journal of a {self._owner.kind}: {reason}. "
            "Nothing was changed; move it away, or give another folder with --out"
        )


def discard(path: Path, kind: str) -> None:
    """Delete a journal of some kind, damaged or not; a file that does not begin like one stays.

    Raises
    ------
    StorageError
        If the file cannot be read or removed.
    """
    with storage_errors(path, "remove"):
        if path.is_symlink() or not path.is_file():
            return
        with path.open("rb") as stream:
            start = stream.readline(4096)
        if f'"kind":"{kind}"'.encode() in start and f'"{MAGIC}"'.encode() in start:
            path.unlink()


def _lines(entries: Iterable[msgspec.Struct], digest: bytes) -> tuple[bytes, bytes]:
    """Lines of some entries behind a line of that digest, and the digest of the last."""
    lines = bytearray()
    for entry in entries:
        text = canonical_json(msgspec.to_builtins(entry))
        digest = chain_digest(digest, text)
        lines += b"%s %s\n" % (digest, text)
    return bytes(lines), digest


def chain_digest(before: bytes, text: bytes) -> bytes:
    """Digest of a line's JSON behind a line of that digest (empty for the first), as it stands in the file."""
    return hashlib.sha256(before + b"\n" + text).hexdigest()[:_DIGITS].encode()
