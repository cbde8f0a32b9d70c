"""The journal of a run: every finished unit, on disk before it counts."""

from __future__ import annotations

from pathlib import Path

import msgspec

from whatworked.grading.record import Record
from whatworked.runs.description import RecordCost
from whatworked.runs.folder import JOURNAL
from whatworked.runs.plan import Unit
from whatworked.runs.unit import UnitResult
from whatworked.storage.journal import AppendLog


class FinishedUnit(msgspec.Struct, frozen=True):
    """One entry: the key of a unit, and its results."""

    unit: str
    records: tuple[Record, ...]
    costs: tuple[RecordCost, ...]
    log: tuple[str, ...]


class Journal(AppendLog[FinishedUnit]):
    """Finished units of the run in `folder`; see `AppendLog`."""

    def __init__(self, folder: Path) -> None:
        super().__init__(folder / JOURNAL, FinishedUnit)

    def finished(self) -> dict[str, UnitResult]:
        """Results of all whole entries by unit key."""
        return {entry.unit: UnitResult(entry.records, entry.costs, entry.log) for entry in self.entries()}

    def append(self, unit: Unit, result: UnitResult) -> None:
        """Write one entry and wait until it is on disk."""
        self.extend([FinishedUnit(unit.key, result.records, result.costs, result.log)])
