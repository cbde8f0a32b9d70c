"""The journal of a rebuild: every finished configuration, on disk before anything counts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path

import msgspec

from whatworked.references.schema import Row
from whatworked.storage.files import write_atomic
from whatworked.storage.journal import AppendLog, line

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


class Journal(AppendLog[JournalRecord]):
    """Finished configurations of a rebuild into `folder`; see `AppendLog`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / JOURNAL, JournalRecord)

    def records(self) -> tuple[JournalRecord, ...]:
        """All whole records, in order of writing."""
        return self.entries()

    def append(self, records: Iterable[JournalRecord]) -> None:
        """Write `records` and wait until they are on disk."""
        self.extend(records)

    def keep_only(self, wanted: Callable[[JournalRecord], bool]) -> None:
        """Forget all other records, and remove the file if none is left; nothing can be appended after this."""
        kept = [record for record in self.records() if wanted(record)]
        if kept:
            write_atomic(self.path, b"".join(line(record) for record in kept))
        else:
            self.remove()
