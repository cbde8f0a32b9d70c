"""Says at the start how long the same tests took last time."""

from __future__ import annotations

import json
import time
from typing import Any

import pytest

KEY = "whatworked/durations"
CHOICES = ("file_or_dir", "markexpr", "keyword", "slow_sample", "sample", "numprocesses")
PARTIAL = ("collectonly", "lf", "failedfirst", "stepwise", "maxfail", "deselect", "ignore", "ignore_glob")
"""Options that leave tests out or may end the run early: what such a run takes says little of the next."""

STARTED = pytest.StashKey[float]()


def tests_of(config: pytest.Config) -> str:
    """What was asked for, as a key: other tests take another time."""
    return json.dumps([config.getoption(name, None) for name in CHOICES])


def spoken(seconds: float) -> str:
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes} min {rest:02d} s" if minutes else f"{rest} s"


def durations(config: pytest.Config) -> dict[str, Any]:
    cache = getattr(config, "cache", None)  # none under -p no:cacheprovider
    held = None if cache is None else cache.get(KEY, None)
    return held if isinstance(held, dict) else {}


def pytest_sessionstart(session: pytest.Session) -> None:
    session.config.stash[STARTED] = time.monotonic()


def pytest_report_header(config: pytest.Config) -> str | None:
    held = durations(config).get(tests_of(config))
    if not held:
        return None
    plural = "" if held["tests"] == 1 else "s"
    return f"last time: {held['tests']:,} test{plural} in {spoken(held['seconds'])}"


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session, exitstatus: int) -> None:
    config = session.config
    whole = exitstatus in (pytest.ExitCode.OK, pytest.ExitCode.TESTS_FAILED)
    if hasattr(config, "workerinput") or not whole or any(config.getoption(name, None) for name in PARTIAL):
        return
    cache = getattr(config, "cache", None)
    if cache is not None:
        taken = {"seconds": time.monotonic() - config.stash[STARTED], "tests": session.testscollected}
        cache.set(KEY, durations(config) | {tests_of(config): taken})
