"""Published utilities, reproduced from raw data in a pinned process."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from reference_versions import reference_versions

from whatworked.workers.profile import pinned_profile

BUNDLED = {
    "airfoil",
    "astronaut",
    "breast_diagnostic",
    "co2",
    "co2__d6",
    "coffee",
    "concrete",
    "concrete__d6",
    "glass",
    "graph_lesmis__d6",
    "nile",
    "wine",
    "wine__d6",
}
"""Published conditions whose raw data come with the package or with one it depends on."""


@pytest.fixture(scope="module")
def computed(published: Any, tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    worker = Path(__file__).with_name("pinned_worker.py")
    command = [sys.executable, str(worker), str(tmp_path_factory.mktemp("cache")), *published.conditions]
    environment = os.environ | pinned_profile().environment
    done = subprocess.run(command, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    tables: dict[str, dict[str, Any]] = json.loads(done.stdout)
    return tables


def test_bundled_conditions_are_all_there(computed: dict[str, dict[str, Any]]) -> None:
    assert set(computed) >= BUNDLED


def test_utilities_are_the_published_ones(computed: dict[str, dict[str, Any]], published: Any) -> None:
    """Within 1e-12; with versions other than those of the references, ridges within the bounds of docs/rounding.md."""
    rounding = 0.0 if reference_versions() else 1.0
    for condition, found in computed.items():
        expected = published.utilities(condition)
        assert set(found["utility"]) == set(expected)
        far = {
            mask: found["utility"][mask] - value
            for mask, value in expected.items()
            if not abs(found["utility"][mask] - value) <= 1e-12 + rounding * found["rounding"][mask]
        }
        assert far == {}, condition


def test_second_metrics_agree(computed: dict[str, dict[str, Any]]) -> None:
    # A NaN is no agreement.
    assert {
        condition: found["disagreement"] for condition, found in computed.items() if not found["disagreement"] <= 1e-10
    } == {}
