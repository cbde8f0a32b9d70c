"""A file of finished work that only grows, and that a crash at any instant leaves readable.

One line per entry: a checksum, then canonical JSON. A line that a crash cut short fails its checksum and is dropped,
and so is everything after it; what is left is whole entries only.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

import msgspec

from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import storage_errors

Entry = TypeVar("Entry", bound=msgspec.Struct)


class AppendLog(Generic[Entry]):
    """Append-only file of entries of one type; use as a context manager.

    Parameters
    ----------
    path : Path
        The file; made on entering.
    kind : type
        Type of the entries.

    Raises
    ------
    StorageError
        If the file cannot be read or written.
    """

    def __init__(self, path: Path, kind: type[Entry]) -> None:
        self.path = path
        self._kind = kind
        self._handle = -1

    def __enter__(self) -> Self:
        with storage_errors(self.path, "write"):
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            # A torn tail must go before the next entry is appended, or that entry would be lost with it.
            os.truncate(self._handle, max((end for _, end in self._whole()), default=0))
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
        self._handle = -1

    def entries(self) -> tuple[Entry, ...]:
        """All whole entries, in order of writing."""
        with storage_errors(self.path, "read"):
            return tuple(entry for entry, _ in self._whole())

    def extend(self, entries: Iterable[Entry]) -> None:
        """Write `entries` and wait until they are on disk."""
        data = memoryview(b"".join(line(entry) for entry in entries))
        with storage_errors(self.path, "write"):
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)

    def remove(self) -> None:
        """Delete the file, when what it led to is written; nothing can be appended after this."""
        with storage_errors(self.path, "remove"):
            self.path.unlink(missing_ok=True)

    def _whole(self) -> Iterator[tuple[Entry, int]]:
        """Each whole entry with the position after it, up to the first that is not whole."""
        data, position = self.path.read_bytes(), 0
        while (end := data.find(b"\n", position)) >= 0:
            checksum, _, text = data[position:end].partition(b" ")
            if checksum != b"%08x" % zlib.crc32(text):
                return
            try:
                entry = msgspec.json.decode(text, type=self._kind)
            except msgspec.MsgspecError:
                return
            position = end + 1
            yield entry, position


def line(entry: msgspec.Struct) -> bytes:
    """The line of one entry."""
    text = canonical_json(msgspec.to_builtins(entry))
    return b"%08x %s\n" % (zlib.crc32(text), text)
