"""A journal survives a crash at any byte, and shows any alteration."""

from __future__ import annotations

import os
from pathlib import Path

import msgspec
import pytest

from whatworked.errors import JournalError, StorageError
from whatworked.storage.journal import Journal


class Step(msgspec.Struct, frozen=True):
    number: int
    text: str = "a few words"


def journal(path: Path, kind: str = "test", of: str = "abc") -> Journal[Step]:
    return Journal(path, kind, of, Step, "start anew with --fresh")


def written(path: Path, count: int = 3) -> bytes:
    with journal(path) as opened:
        for number in range(count):
            opened.extend([Step(number)])
    return path.read_bytes()


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / ".test.journal"


def test_entries_come_back_in_order(path: Path) -> None:
    written(path)
    with journal(path) as opened:
        assert opened.entries() == tuple(Step(number) for number in range(3))


def test_cut_at_any_byte_whole_entries_remain_and_writing_goes_on(path: Path) -> None:
    whole = written(path)
    ends = [place + 1 for place, byte in enumerate(whole) if byte == ord("\n")][1:]
    for cut in range(len(whole) + 1):
        path.write_bytes(whole[:cut])
        kept = sum(end <= cut for end in ends)
        with journal(path) as opened:
            assert opened.entries() == tuple(Step(number) for number in range(kept))
            opened.extend([Step(3)])
        with journal(path) as opened:
            assert opened.entries() == (*(Step(number) for number in range(kept)), Step(3))


@pytest.mark.parametrize("bit", [0, 1, 3, 5, 7])
def test_one_changed_bit_anywhere_is_named_and_nothing_is_changed(path: Path, bit: int) -> None:
    whole = written(path)
    for place in range(len(whole)):
        damaged = bytearray(whole)
        damaged[place] ^= 1 << bit
        path.write_bytes(damaged)
        with pytest.raises(JournalError, match="Nothing was changed"), journal(path):
            raise AssertionError(f"the change at byte {place} was not seen")
        assert path.read_bytes() == bytes(damaged)


@pytest.mark.parametrize("change", ["swap", "drop", "repeat", "another"])
def test_lines_that_are_moved_or_made_elsewhere_do_not_fit(path: Path, tmp_path: Path, change: str) -> None:
    lines = written(path).splitlines(keepends=True)
    other = written(tmp_path / "other", 2).splitlines(keepends=True)
    altered = {
        "swap": [lines[0], lines[2], lines[1], lines[3]],
        "drop": [lines[0], lines[2], lines[3]],
        "repeat": [*lines, lines[3]],
        "another": [*lines, other[2]],
    }[change]
    path.write_bytes(b"".join(altered))
    with pytest.raises(JournalError, match="does not fit the lines before it"), journal(path):
        raise AssertionError("unreachable")


@pytest.mark.parametrize(
    "content", [b"my own notes", b"my own notes\n", b"\n", b"\0" * 100, b"{}", b"0" * 33 + b"{}\n"]
)
def test_a_file_of_the_users_own_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match="is not the journal of a test"), journal(path):
        raise AssertionError("unreachable")
    assert path.read_bytes() == content


def test_other_work_and_other_kinds_are_told_apart(path: Path) -> None:
    whole = written(path)
    with pytest.raises(JournalError, match=r"holds results of other work.*--fresh"), journal(path, of="abd"):
        raise AssertionError("unreachable")
    with pytest.raises(JournalError, match="is the journal of a test"), journal(path, kind="rebuild"):
        raise AssertionError("unreachable")
    assert path.read_bytes() == whole


def test_links_devices_and_pipes_are_not_written_to(path: Path, tmp_path: Path) -> None:
    target = tmp_path / "diary"
    target.write_text("dear diary")
    path.symlink_to(target)
    with pytest.raises(JournalError, match="a link or a device"), journal(path):
        raise AssertionError("unreachable")
    assert target.read_text() == "dear diary"
    path.unlink()
    os.mkfifo(path)
    with pytest.raises(JournalError, match="no regular file"), journal(path):
        raise AssertionError("unreachable")


def test_a_journal_of_two_names_is_read_but_not_written_to(path: Path, tmp_path: Path) -> None:
    written(path)
    kept = tmp_path / "snapshot"
    kept.hardlink_to(path)
    before, entries = kept.read_bytes(), journal(path).read()
    with pytest.raises(JournalError, match=r"stands under 2 names \(hard links\).*put a copy"), journal(path):
        raise AssertionError("unreachable")
    assert kept.read_bytes() == before
    path.unlink()
    path.write_bytes(before)
    with journal(path) as opened:
        assert opened.entries() == entries


@pytest.mark.parametrize("kind", ["pipe", "device", "sparse"])
def test_reading_what_never_ends_is_refused_at_once(path: Path, kind: str) -> None:
    if kind == "pipe":
        os.mkfifo(path)
    elif kind == "device":
        path.symlink_to("/dev/zero")
    else:
        with path.open("wb") as stream:
            stream.truncate(40 << 30)
    with pytest.raises(StorageError, match=r"no regular file|more than the"):
        journal(path).read()


def test_a_write_that_fails_half_way_leaves_no_half_line(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    real = os.write

    def full(handle: int, data: memoryview) -> int:
        if len(data) < 20:
            raise OSError(28, "No space left on device")
        return real(handle, data[: len(data) // 2])

    with journal(path) as opened:
        opened.extend([Step(0)])
        monkeypatch.setattr(os, "write", full)
        with pytest.raises(StorageError, match="No space left on device; free space"):
            opened.extend([Step(1)])
        monkeypatch.undo()
        assert opened.entries() == (Step(0),)
        opened.extend([Step(2)])
    with journal(path) as opened:
        assert opened.entries() == (Step(0), Step(2))


def test_what_is_written_elsewhere_is_forgotten(path: Path) -> None:
    written(path)
    with journal(path) as opened:
        opened.replace([Step(1)])
    with journal(path) as opened:
        assert opened.entries() == (Step(1),)
        opened.replace([])
    assert not path.exists()
