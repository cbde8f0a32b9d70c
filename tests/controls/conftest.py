"""Fixtures for the tests of the study."""

from __future__ import annotations

import pytest
from study_samples import SOME

from whatworked.controls import study


@pytest.fixture(scope="session")
def made(tmp_path_factory):
    out = tmp_path_factory.mktemp("study") / "made"
    report = study.run_study(SOME, out, jobs=2)
    return out, report
