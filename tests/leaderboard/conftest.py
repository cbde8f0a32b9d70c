"""Fixtures for the tests of packed runs."""

from __future__ import annotations

import gzip
import json

import pytest
from packed_runs import finished

from whatworked.leaderboard import pack


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return finished(tmp_path_factory.mktemp("submission"))


@pytest.fixture(scope="module")
def content(run):
    """The content of a sound submission, to be altered."""
    return json.loads(gzip.decompress(pack(run, "ours", "nothing tuned")))
