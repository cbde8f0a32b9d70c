"""Fixtures shared by all tests."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from published_figures import Published
from run_helpers import three_tasks

pytest_plugins = ("last_duration", "no_skips", "slow_sample", "sandboxes", "pytester")

# No timed assertions: a busy machine is no failure. Examples are the same in every run, so that what passed here passes
# there; `--hypothesis-profile exploring` draws new ones.
settings.register_profile("patient", deadline=None, derandomize=True)
settings.register_profile("exploring", deadline=None, print_blob=True)
settings.load_profile("patient")

ROOT = Path(__file__).resolve().parent.parent
PUBLISHED = Path(__file__).resolve().parent / "published"


def pytest_make_parametrize_id(val: object, argname: str) -> str | None:
    """Name bytes and long texts by their argument: the parallel workers compare ids, and bytes may hold the time."""
    return argname if isinstance(val, bytes) or (isinstance(val, str) and len(val) > 60) else None


@pytest.fixture(scope="session")
def published() -> Published:
    return Published(PUBLISHED)


@pytest.fixture(scope="session")
def root() -> Path:
    """The checkout."""
    return ROOT


@pytest.fixture
def tasks():
    """Three small conditions to run on."""
    return three_tasks()


@pytest.fixture(scope="session", autouse=True)
def _heeded_interrupts() -> Iterator[None]:
    """Heed Ctrl-C where the tests run in the background of a shell, which has it ignored; processes inherit that."""
    before = signal.getsignal(signal.SIGINT)
    if before is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    signal.signal(signal.SIGINT, before)
