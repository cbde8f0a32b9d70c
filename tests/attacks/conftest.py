"""Packed runs to alter as a stranger would."""

from __future__ import annotations

import gzip
import json

import pytest
from packed_runs import finished

from whatworked.leaderboard import pack
from whatworked.runs import catalog_tasks


@pytest.fixture(scope="session")
def small(tmp_path_factory):
    """The content of a sound packed run of one condition, to be altered."""
    folder = tmp_path_factory.mktemp("small")
    run = finished(folder, catalog_tasks(["wine"]), ["ridge-main"], ["design-main"], budgets=(3,))
    return json.loads(gzip.decompress(pack(run, "ours", "nothing tuned")))
