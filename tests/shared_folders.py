"""A folder that is made once for all processes of a test run."""

from __future__ import annotations

import fcntl
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest


def made_once(factory: pytest.TempPathFactory, name: str, make: Callable[[Path], object]) -> Path:
    """The folder `name`, filled by `make` in the first process that asks; the others wait for it.

    Tests only read it: the parallel workers share it.
    """
    base = factory.getbasetemp()
    # Each parallel worker has a base of its own in that of the whole run.
    shared = base.parent if base.name.startswith("popen-") else base
    folder, done = shared / f"shared-{name}", shared / f"shared-{name}.done"
    with (shared / f"shared-{name}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not done.exists():
            shutil.rmtree(folder, ignore_errors=True)  # of an attempt that failed
            folder.mkdir()
            make(folder)
            done.touch()
    return folder
