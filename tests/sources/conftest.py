from __future__ import annotations

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
