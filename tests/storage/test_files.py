"""Writing a file completely or not at all; canonical JSON; named errors."""

from __future__ import annotations

import math
import os
import tracemalloc
from pathlib import Path

import pytest

from whatworked.errors import InvalidOptionError, StorageError, unknown_name
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_file, read_start, storage_errors, user_path, write_atomic


def test_a_file_is_replaced_whole(tmp_path: Path) -> None:
    target = tmp_path / "deep" / "a.txt"
    write_atomic(target, b"one")
    write_atomic(target, b"two")
    assert target.read_bytes() == b"two"
    assert [path.name for path in target.parent.iterdir()] == ["a.txt"]


def test_a_failed_write_keeps_the_old_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    target = tmp_path / "a.txt"
    write_atomic(target, b"old")

    def no_space(descriptor: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, "fsync", no_space)
    with pytest.raises(StorageError, match=r"cannot write .*a\.txt: No space left on device; free space"):
        write_atomic(target, b"new")
    assert target.read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a.txt"]


def test_a_pipe_is_written_to_and_stays_one(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    reader = os.open(pipe, os.O_RDONLY | os.O_NONBLOCK)
    try:
        write_atomic(pipe, b"one")
        assert os.read(reader, 10) == b"one"
    finally:
        os.close(reader)
    assert pipe.is_fifo()


def test_reading_takes_memory_for_what_is_there_and_not_for_what_is_allowed(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    tracemalloc.start()
    try:
        assert read_file(path, 1 << 32) == b"content"
        assert tracemalloc.get_traced_memory()[1] < 1 << 20
    finally:
        tracemalloc.stop()


def test_a_file_that_states_no_size_is_read_whole_or_refused() -> None:
    path = Path("/proc/self/status")
    assert path.stat().st_size == 0
    whole = read_file(path, 1 << 20)
    assert (whole[:5], whole[-1:]) == (b"Name:", b"\n")
    assert len(whole) > 101
    assert len(read_start(path, 100)) == 101
    with pytest.raises(StorageError, match="more than the 100 bytes"):
        read_file(path, 100)


@pytest.mark.parametrize("most", [0, 6, 7, 8, 100])
def test_one_byte_more_than_allowed_says_that_there_are_more(tmp_path: Path, most: int) -> None:
    path = tmp_path / "file"
    path.write_bytes(b"content")
    assert read_start(path, most) == b"content"[: most + 1]


def test_a_folder_that_is_a_file_is_named(tmp_path: Path) -> None:
    (tmp_path / "f").write_text("")
    with pytest.raises(StorageError, match="cannot write"):
        write_atomic(tmp_path / "f" / "a.txt", b"")


@pytest.mark.parametrize(
    ("error", "advice"),
    [
        (PermissionError(13, "Permission denied"), "correct its permissions or"),
        (OSError(28, "No space left on device"), "free space or"),
        (FileNotFoundError(2, "No such file or directory"), "put it there or name another one"),
        (NotADirectoryError(20, "Not a directory"), "Not a directory; choose another folder"),
    ],
)
def test_the_next_step_fits_the_reason(error: OSError, advice: str, tmp_path: Path) -> None:
    with pytest.raises(StorageError, match=advice), storage_errors(tmp_path, "read"):
        raise error


def test_a_home_folder_that_is_not_known_is_named() -> None:
    with pytest.raises(InvalidOptionError, match=r"no home folder is known for '~nobody-of-that-name/x'"):
        user_path("~nobody-of-that-name/x")


def test_canonical_json_ignores_the_order_of_keys() -> None:
    assert canonical_json({"b": [1.5], "a": None}) == canonical_json({"a": None, "b": [1.5]}) == b'{"a":null,"b":[1.5]}'


@pytest.mark.parametrize("value", [math.nan, math.inf])
def test_canonical_json_refuses_what_json_cannot_say(value: float) -> None:
    with pytest.raises(ValueError, match="Out of range"):
        canonical_json(value)


def test_an_unknown_name_offers_the_nearest() -> None:
    assert "did you mean wine" in str(unknown_name("source", "wien", ["airfoil", "wine"]))


@pytest.mark.parametrize(("given", "offered"), [("WINE", "wine?"), ("Spambas", "spambase?"), ("gp-e", "GP-E?")])
def test_the_case_of_an_unknown_name_does_not_matter(given: str, offered: str) -> None:
    assert f"unknown source {given!r}; did you mean {offered} (" in str(
        unknown_name("source", given, ["spambase", "wine", "wine__d6", "nile", "GP-E", "GP-G"])
    )
