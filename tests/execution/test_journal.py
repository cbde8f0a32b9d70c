"""The journal survives a crash at any byte."""

from __future__ import annotations

from pathlib import Path

import pytest

from whatworked.errors import StorageError
from whatworked.execution.journal import JOURNAL, Journal, JournalRecord
from whatworked.references.schema import Row
from whatworked.storage.lock import folder_lock


def record(rank: int) -> JournalRecord:
    row = Row(
        mask=f"{rank:02b}", utility=0.1 + rank / 10, native=rank / 3, prediction="f" * 64, warnings=("UserWarning",)
    )
    return JournalRecord(condition="toy", made="abc", row=row)


def written(folder: Path, count: int = 3) -> bytes:
    with Journal(folder) as journal:
        journal.append([record(rank) for rank in range(count)])
    return (folder / JOURNAL).read_bytes()


def test_records_come_back_in_order(tmp_path: Path) -> None:
    written(tmp_path)
    with Journal(tmp_path) as journal:
        assert journal.records() == tuple(record(rank) for rank in range(3))


def test_cut_at_any_byte_whole_records_remain_and_appending_goes_on(tmp_path: Path) -> None:
    whole = written(tmp_path)
    ends = [i + 1 for i, byte in enumerate(whole) if byte == ord("\n")]
    for cut in range(len(whole) + 1):
        (tmp_path / JOURNAL).write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends)
        with Journal(tmp_path) as journal:
            assert journal.records() == tuple(record(rank) for rank in range(kept))
            journal.append([record(3)])
            assert journal.records() == (*(record(rank) for rank in range(kept)), record(3))


def test_a_changed_byte_ends_what_is_believed(tmp_path: Path) -> None:
    whole = bytearray(written(tmp_path))
    whole[whole.index(b"\n") + 30] ^= 1
    (tmp_path / JOURNAL).write_bytes(whole)
    with Journal(tmp_path) as journal:
        assert journal.records() == (record(0),)


def test_what_is_written_elsewhere_is_forgotten(tmp_path: Path) -> None:
    written(tmp_path)
    with Journal(tmp_path) as journal:
        journal.keep_only(lambda one: one.row.mask == "01")
    with Journal(tmp_path) as journal:
        assert journal.records() == (record(1),)
        journal.keep_only(lambda one: False)
    assert not (tmp_path / JOURNAL).exists()


def test_a_full_disk_is_a_named_error(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import os

    def full(handle: int, data: bytes) -> int:
        raise OSError(28, "No space left on device")

    with Journal(tmp_path) as journal:
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(StorageError, match="No space left on device; free space"):
            journal.append([record(0)])


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
