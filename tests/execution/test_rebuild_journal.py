"""The journal survives a crash at any byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatworked.errors import StorageError
from whatworked.execution.journal import JOURNAL, JournalRow, RebuildJournal
from whatworked.references.schema import Row
from whatworked.storage.lock import folder_lock


def record(rank: int) -> JournalRow:
    row = Row(
        mask=f"{rank:02b}", utility=0.1 + rank / 10, native=rank / 3, prediction="f" * 64, warnings=("UserWarning",)
    )
    return JournalRow(condition="toy", made="abc", row=row)


def written(folder: Path, count: int = 3) -> bytes:
    with RebuildJournal(folder) as journal:
        journal.append([record(rank) for rank in range(count)])
    return (folder / JOURNAL).read_bytes()


def test_records_come_back_in_order(tmp_path: Path) -> None:
    written(tmp_path)
    with RebuildJournal(tmp_path) as journal:
        assert journal.entries() == tuple(record(rank) for rank in range(3))


def test_what_is_written_elsewhere_is_forgotten(tmp_path: Path) -> None:
    written(tmp_path)
    with RebuildJournal(tmp_path) as journal:
        journal.keep_only(lambda one: one.row.mask == "01")
    with RebuildJournal(tmp_path) as journal:
        assert journal.entries() == (record(1),)
        journal.keep_only(lambda one: False)
    assert not (tmp_path / JOURNAL).exists()


def test_two_holders_of_one_folder_are_refused(tmp_path: Path) -> None:
    with (
        folder_lock(tmp_path),
        pytest.raises(StorageError, match="another run is writing"),
        folder_lock(tmp_path),
    ):
        raise AssertionError("the lock was given twice")


def test_the_lock_is_free_again_afterwards(tmp_path: Path) -> None:
    with folder_lock(tmp_path):
        pass
    with folder_lock(tmp_path):
        pass


def test_a_folder_below_a_file_is_a_named_error(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(StorageError, match="cannot write"), folder_lock(tmp_path / "file" / "out"):
        raise AssertionError("unreachable")
