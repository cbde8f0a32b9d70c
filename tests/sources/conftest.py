from __future__ import annotations

import errno
from pathlib import Path

import pytest
from own_source import Own

from whatworked.sources.library import CACHE_VARIABLE, MIRROR_VARIABLE, OFFLINE_VARIABLE


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Own:
    """Folders of a user with one source of their own."""
    for name in (CACHE_VARIABLE, MIRROR_VARIABLE, OFFLINE_VARIABLE):
        monkeypatch.delenv(name, raising=False)
    return Own(tmp_path, monkeypatch)


@pytest.fixture
def closed_mirror(own: Own, monkeypatch: pytest.MonkeyPatch) -> None:
    """A mirror whose folder of the source may not be looked into, whoever runs the test."""
    own.declare()
    is_file = Path.is_file

    def refused(path: Path) -> bool:
        if path.is_relative_to(own.mirror / "mine"):
            raise PermissionError(errno.EACCES, "Permission denied")
        return is_file(path)

    monkeypatch.setattr(Path, "is_file", refused)
