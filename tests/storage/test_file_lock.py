"""One writer of a file at a time, also where the holder puts a new file in its place."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from whatworked.errors import StorageError
from whatworked.storage import lock
from whatworked.storage.lock import file_lock


def test_a_second_writer_is_told(tmp_path: Path) -> None:
    path = tmp_path / "file"
    with file_lock(path), pytest.raises(StorageError, match="another run is writing"), file_lock(path):
        pass
    with file_lock(path):
        pass


def test_who_got_the_old_file_takes_the_new_one(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Between opening and locking, the holder has put a new file there and let go."""
    path = tmp_path / "file"
    path.write_text("old")
    real = os.open

    def open_and_lose(name: Path, *rest: int) -> int:
        handle = real(name, *rest)
        monkeypatch.setattr(lock.os, "open", real)
        (tmp_path / "new").write_text("new")
        (tmp_path / "new").replace(path)
        return handle

    monkeypatch.setattr(lock.os, "open", open_and_lose)
    with file_lock(path), pytest.raises(StorageError, match="another run"), file_lock(path):
        pass


def test_links_are_not_followed(tmp_path: Path) -> None:
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with pytest.raises(StorageError), file_lock(tmp_path / "link"):
        pass
    assert not (tmp_path / "target").exists()
