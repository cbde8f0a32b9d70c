"""A journal that several writers share, with times that its chain does not cover."""

from __future__ import annotations

import os
from pathlib import Path

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.errors import JournalError, StorageError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.timed_journal import TimedJournal, read_timed_journal

RESTART = "take another folder"
CONTENT = st.dictionaries(st.text(), st.text() | st.floats(allow_nan=False, allow_infinity=False))


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "a.journal"


def opened(path: Path, kind: str = "test") -> TimedJournal:
    return TimedJournal(path, kind, RESTART)


def begun(path: Path, elapsed: float = 0.5) -> TimedJournal:
    journal = opened(path)
    with journal.held():
        assert journal.unread() == []
        journal.begin(sha256(b"{}"), b"{}", {"at": elapsed})
        journal.append(b'{"number":1}', {"elapsed": elapsed})
    return journal


def chain(path: Path) -> list[bytes]:
    """All of a journal but times and checks."""
    return [b"\t".join(line.split(b"\t")[:2]) for line in path.read_bytes().splitlines()]


def test_other_times_make_the_same_chain_and_are_read_back(path: Path, tmp_path: Path) -> None:
    begun(path, 0.5).close()
    begun(tmp_path / "b", 0.75).close()
    assert chain(path) == chain(tmp_path / "b")
    assert path.read_bytes() != (tmp_path / "b").read_bytes()
    owner, lines = read_timed_journal(path, "test", RESTART)
    assert owner == sha256(b"{}")
    assert [(line.body, line.times) for line in lines] == [
        (b"{}", b'{"at":0.5}'),
        (b'{"number":1}', b'{"elapsed":0.5}'),
    ]


def test_two_writers_read_what_the_other_wrote(path: Path) -> None:
    first, second = begun(path), opened(path)
    for number, (writer, other) in enumerate([(second, first), (first, second), (second, first)], start=2):
        with writer.held():
            writer.unread()
            writer.append(b"%d" % number, {})
        with other.held():
            assert other.unread()[-1].body == b"%d" % number
    assert len(read_timed_journal(path, "test", RESTART)[1]) == 5


def test_a_forked_child_does_not_share_the_lock(path: Path) -> None:
    journal = begun(path)
    with journal.held():
        journal.unread()
    reading, writing = os.pipe()
    child = os.fork()
    if not child:  # waits for the lock that the parent takes, and writes behind it
        os.read(reading, 1)
        with journal.held():
            seen = len(journal.unread())
            journal.append(b"%d" % (10 + seen), {})
        os._exit(0)
    with journal.held():
        os.write(writing, b"x")
        journal.append(b"2", {})
    assert os.waitpid(child, 0)[1] == 0
    os.close(reading)
    os.close(writing)
    assert [line.body for line in read_timed_journal(path, "test", RESTART)[1]][2:] == [b"2", b"11"]


def test_the_remains_of_a_crash_are_cut_off_by_the_next_writer(path: Path) -> None:
    begun(path).close()
    whole = path.read_bytes()
    path.write_bytes(whole + b"0123456789abc")
    assert len(read_timed_journal(path, "test", RESTART)[1]) == 2
    assert path.read_bytes() == whole + b"0123456789abc"  # reading changes nothing
    with opened(path) as journal, journal.held():
        assert len(journal.unread()) == 2
        journal.append(b"2", {})
    assert path.read_bytes().startswith(whole)
    assert len(read_timed_journal(path, "test", RESTART)[1]) == 3


@pytest.mark.parametrize("content", [b"my own notes", b"my own notes\n", b"\n", b"\0" * 100, b"{}\t{}\n"])
def test_a_file_of_the_users_own_is_left_alone(path: Path, content: bytes) -> None:
    path.write_bytes(content)
    with pytest.raises(JournalError, match="is not the journal of"):
        begun(path)
    assert path.read_bytes() == content


def test_other_kinds_links_and_files_that_were_replaced_are_named(path: Path, tmp_path: Path) -> None:
    journal = begun(path)
    with opened(path, "other") as other, other.held(), pytest.raises(JournalError, match="is the journal of a test"):
        other.unread()
    link = tmp_path / "link"
    link.symlink_to(path)
    with pytest.raises(JournalError, match="a link or a device"):
        opened(link)
    path.rename(tmp_path / "moved")
    path.write_bytes((tmp_path / "moved").read_bytes())
    with pytest.raises(StorageError, match="is another file than the one that was opened"), journal.held():
        raise AssertionError("unreachable")
    path.unlink()
    with pytest.raises(StorageError, match="cannot read"), journal.held():
        raise AssertionError("unreachable")
    journal.close()
    with pytest.raises(StorageError, match="was closed"), journal.held():
        raise AssertionError("unreachable")


def test_a_journal_that_became_shorter_is_named(path: Path) -> None:
    journal = begun(path)
    os.truncate(path, 100)
    with journal.held(), pytest.raises(JournalError, match="damaged or was altered"):
        journal.unread()
    assert path.stat().st_size == 100


@settings(max_examples=20, deadline=None)
@given(bodies=st.lists(CONTENT, max_size=4))
def test_any_content_comes_back(bodies: list[dict[str, object]], tmp_path_factory: pytest.TempPathFactory) -> None:
    path = tmp_path_factory.mktemp("any") / "a.journal"
    encoded = [canonical_json(body) for body in bodies]
    with opened(path) as journal, journal.held():
        journal.unread()
        journal.begin(sha256(b"{}"), b"{}", {"\t": "\n"})
        for body in encoded:
            journal.append(body, {"é\t": 1})
    assert [line.body for line in read_timed_journal(path, "test", RESTART)[1]] == [b"{}", *encoded]
