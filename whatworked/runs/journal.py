"""The journal of a run: every finished unit, on disk before it counts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from whatworked.errors import JournalError
from whatworked.grading.record import Record
from whatworked.runs.description import RecordCost
from whatworked.runs.plan import Unit
from whatworked.runs.unit import UnitResult
from whatworked.storage.files import storage_errors
from whatworked.storage.journal import Journal, discard
from whatworked.storage.unchained import UNCHAINED, read_unchained

JOURNAL = ".bench.journal"
_KIND = "bench"


class FinishedUnit(msgspec.Struct, frozen=True):
    """One entry: the key of a unit, and its results."""

    unit: str
    records: tuple[Record, ...]
    costs: tuple[RecordCost, ...]
    log: tuple[str, ...]


class BenchJournal(Journal[FinishedUnit]):
    """Finished units of one plan in `folder`; see `whatworked.storage.journal.Journal`.

    Parameters
    ----------
    folder : Path
        Folder of the run.
    plan : str
        Digest of the plan: results of another plan are never taken for this one's.
    """

    def __init__(self, folder: Path, plan: str) -> None:
        super().__init__(folder / JOURNAL, _KIND, plan, FinishedUnit, "replace that run with --fresh")

    def finished(self) -> dict[str, UnitResult]:
        """Results of all entries by unit key."""
        return {entry.unit: UnitResult(entry.records, entry.costs, entry.log) for entry in self.entries()}

    def append(self, unit: Unit, result: UnitResult) -> None:
        """Write one entry and wait until it is on disk."""
        self.extend([FinishedUnit(unit.key, result.records, result.costs, result.log)])

    def take_over_unchained(self) -> None:
        """Take over what the version before the chained journals had finished of this plan."""
        folder = self.path.parent
        if (entries := read_unchained(folder, FinishedUnit)) is not None:
            self.extend(entries)
            (folder / UNCHAINED).unlink()


def refuse_unclaimed(folder: Path) -> None:
    """Refuse an old journal without the plan it belongs to: nobody can say what its results are of.

    Raises
    ------
    JournalError
        If there is one.
    """
    if read_unchained(folder, FinishedUnit) is not None:
        raise JournalError(
            f"{folder / UNCHAINED} holds results of a run whose plan.json is gone, so they cannot be counted. "
            "Nothing was changed; put plan.json back, give another folder with --out, or replace the run with --fresh"
        )


def refuse_unfinished(folder: Path) -> None:
    """Refuse the results of a folder in which a run is not finished.

    Raises
    ------
    JournalError
        If a journal of this version or the one before stands in it.
    """
    found = [name for name in (JOURNAL, UNCHAINED) if _is_journal(folder / name)]
    if found:
        raise JournalError(
            f"{folder} has {found[0]}, the journal of a run that is not finished, so its results may be of "
            "another one. Repeat the bench command to finish that run, or replace it with --fresh"
        )


def _is_journal(path: Path) -> bool:
    if path.name == UNCHAINED:
        try:
            return read_unchained(path.parent, FinishedUnit) is not None
        except JournalError:
            return True
    return path.exists() or path.is_symlink()


def forget(folder: Path) -> None:
    """Remove the journals of runs in `folder`, of this version and the one before, and no other file."""
    discard(folder / JOURNAL, _KIND)
    try:
        found = read_unchained(folder, FinishedUnit) is not None
    except JournalError:
        found = True
    if found:
        with storage_errors(folder / UNCHAINED, "remove"):
            (folder / UNCHAINED).unlink()
