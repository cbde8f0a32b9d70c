"""Fixtures for the tests of runs."""

from __future__ import annotations

import pytest
from run_helpers import three_tasks


@pytest.fixture
def tasks():
    return three_tasks()
