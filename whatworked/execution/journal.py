"""The journal of a rebuild: every finished configuration, on disk before anything counts on it."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Self

import msgspec

from whatworked.references.schema import Row
from whatworked.storage.journal import Journal, discard
from whatworked.storage.unchained import UNCHAINED, read_unchained

JOURNAL = ".rebuild.journal"
_KIND = "rebuild"


class JournalRow(msgspec.Struct, frozen=True, kw_only=True):
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


class RebuildJournal(Journal[JournalRow]):
    """Finished configurations of a rebuild into `folder`; see `whatworked.storage.journal.Journal`.

    Parameters
    ----------
    folder : Path
        Folder of the tables.
    fresh : bool
        Whether to begin with an empty one.
    """

    def __init__(self, folder: Path, fresh: bool = False) -> None:
        # Every row says what it depends on, so one journal serves all rebuilds into the folder.
        super().__init__(folder / JOURNAL, _KIND, "rows", JournalRow, "start anew with --fresh")
        self._fresh = fresh

    def __enter__(self) -> Self:
        if self._fresh:
            discard(self.path, _KIND)
        super().__enter__()
        self._take_over_unchained()
        return self

    def append(self, rows: Iterable[JournalRow]) -> None:
        """Write `rows` and wait until they are on disk."""
        self.extend(rows)

    def keep_only(self, wanted: Callable[[JournalRow], bool]) -> None:
        """Forget all other rows, and remove the file if none is left; nothing can be appended after this."""
        self.replace([row for row in self.entries() if wanted(row)])

    def _take_over_unchained(self) -> None:
        folder = self.path.parent
        rows = read_unchained(folder, JournalRow)
        if rows is not None:
            self.extend(() if self._fresh else rows)
            (folder / UNCHAINED).unlink()
