"""The journal of a rebuild: every finished configuration, on disk before anything counts on it.

One line per record: a checksum, then canonical JSON. A line that a crash cut short fails its checksum and is dropped,
and so is everything after it; what is left is whole records only.
"""

from __future__ import annotations

import os
import zlib
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from whatworked.canonical import canonical_json
from whatworked.files import storage_errors, write_atomic
from whatworked.references.schema import Row

JOURNAL = ".journal"


class JournalRecord(msgspec.Struct, frozen=True, kw_only=True):
    """One finished configuration.

    Attributes
    ----------
    condition : str
        Where the row belongs.
    made : str
        Digest of everything the row depends on (prepared input, workflow, packages, profile, staged or cold). A later
        run takes over only rows whose `made` equals its own.
    row : Row
        What the configuration gave.
    """

    condition: str
    made: str
    row: Row


class Journal:
    """Append-only file of records; use as a context manager.

    Parameters
    ----------
    folder : Path
        Folder of the rebuild.

    Raises
    ------
    StorageError
        If the file cannot be read or written.
    """

    def __init__(self, folder: Path) -> None:
        self.path = folder / JOURNAL
        self._handle = -1

    def __enter__(self) -> Self:
        with storage_errors(self.path, "write"):
            self._handle = os.open(self.path, os.O_RDWR | os.O_CREAT | os.O_APPEND, 0o666)
            # A torn tail must go before the next record is appended, or that record would be lost with it.
            os.truncate(self._handle, self._whole_bytes())
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
        self._handle = -1

    def records(self) -> tuple[JournalRecord, ...]:
        """All whole records, in order of writing."""
        with storage_errors(self.path, "read"):
            data = self.path.read_bytes()
        return tuple(record for record, _ in _whole_records(data))

    def append(self, records: Iterable[JournalRecord]) -> None:
        """Write `records` and wait until they are on disk."""
        data = memoryview(b"".join(_line(record) for record in records))
        with storage_errors(self.path, "write"):
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)

    def keep_only(self, wanted: Callable[[JournalRecord], bool]) -> None:
        """Forget all other records, and remove the file if none is left; nothing can be appended after this."""
        kept = [record for record in self.records() if wanted(record)]
        if kept:
            write_atomic(self.path, b"".join(_line(record) for record in kept))
            return
        with storage_errors(self.path, "remove"):
            self.path.unlink()

    def _whole_bytes(self) -> int:
        return max((end for _, end in _whole_records(self.path.read_bytes())), default=0)


def _line(record: JournalRecord) -> bytes:
    text = canonical_json(msgspec.to_builtins(record))
    return b"%08x %s\n" % (zlib.crc32(text), text)


def _whole_records(data: bytes) -> Iterator[tuple[JournalRecord, int]]:
    """Each whole record from the start of `data` with the position after it, up to the first that is not whole."""
    position = 0
    while (end := data.find(b"\n", position)) >= 0:
        checksum, _, text = data[position:end].partition(b" ")
        try:
            if int(checksum, 16) != zlib.crc32(text):
                return
            record = msgspec.json.decode(text, type=JournalRecord)
        except (ValueError, msgspec.MsgspecError):
            return
        position = end + 1
        yield record, position
