"""The journal of a run: every finished unit, on disk before it counts.

One line per unit: a checksum, then JSON. A line that a crash cut short fails its checksum; it and everything behind it
is cut off before the next line is written.
"""

from __future__ import annotations

import os
import zlib
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import msgspec

from whatworked.canonical import canonical_json
from whatworked.files import storage_errors
from whatworked.records import Record
from whatworked.runs.folder import JOURNAL
from whatworked.runs.plan import Unit
from whatworked.runs.unit import UnitResult


class _Entry(msgspec.Struct, frozen=True):
    unit: str
    records: tuple[Record, ...]
    costs: tuple[dict[str, Any], ...]
    log: tuple[str, ...]


class Journal:
    """Append-only file of finished units; use as a context manager.

    Parameters
    ----------
    folder : Path
        Folder of the run.

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
            os.truncate(self._handle, _whole(self.path.read_bytes())[1])
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        os.close(self._handle)
        self._handle = -1

    def finished(self) -> dict[str, UnitResult]:
        """Results of all whole entries by unit key."""
        with storage_errors(self.path, "read"):
            entries, _ = _whole(self.path.read_bytes())
        return {entry.unit: UnitResult(entry.records, entry.costs, entry.log) for entry in entries}

    def append(self, unit: Unit, result: UnitResult) -> None:
        """Write one entry and wait until it is on disk."""
        text = canonical_json(msgspec.to_builtins(_Entry(unit.key, result.records, result.costs, result.log)))
        data = memoryview(b"%08x %s\n" % (zlib.crc32(text), text))
        with storage_errors(self.path, "write"):
            while data:
                data = data[os.write(self._handle, data) :]
            os.fsync(self._handle)

    def remove(self) -> None:
        """Delete the file, when the results that it led to are written."""
        with storage_errors(self.path, "remove"):
            self.path.unlink(missing_ok=True)


def _whole(data: bytes) -> tuple[list[_Entry], int]:
    """Whole entries, and the number of bytes they take."""
    entries: list[_Entry] = []
    end = 0
    while (stop := data.find(b"\n", end)) >= 0:
        checksum, _, text = data[end:stop].partition(b" ")
        if checksum != b"%08x" % zlib.crc32(text):
            break
        entries.append(msgspec.json.decode(text, type=_Entry))
        end = stop + 1
    return entries, end
