"""A sandbox to run programs in; the tests that need one are skipped, with the cure, where there is none."""

from __future__ import annotations

import shutil

import pytest

from whatworked.sandbox import BubblewrapSandbox


@pytest.fixture(scope="session")
def sandbox() -> BubblewrapSandbox:
    if shutil.which("bwrap") is None:
        pytest.skip("bubblewrap is not installed: apt-get install bubblewrap")
    return BubblewrapSandbox()
