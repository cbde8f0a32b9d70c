"""A sandbox to run programs in; the tests that need one are skipped, with the cure, where none works."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from whatworked.errors import SandboxUnavailableError
from whatworked.sandbox import BubblewrapSandbox, Execution, Limits

SMALL: dict[str, Any] = {
    "cpu_seconds": 20,
    "wall_seconds": 120.0,
    "memory_bytes": 400_000_000,
    "folder_bytes": 4_000_000,
    "threads": 16,
    "drained_bytes": 4_000_000,
}


@pytest.fixture(scope="session")
def sandbox() -> BubblewrapSandbox:
    sandbox = BubblewrapSandbox()
    try:
        sandbox.run("")
    except SandboxUnavailableError as error:
        pytest.skip(str(error))
    return sandbox


@pytest.fixture
def attack(
    sandbox: BubblewrapSandbox, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[..., Execution]]:
    """Run a program under small limits; afterwards nothing of it is left here, and the next program runs as ever."""
    # A limit that no other test has tells our processes, whose arguments hold it, from those of tests beside this one.
    mark = 1_000_000 + os.getpid() % 900_000
    for name in ("cwd", "temporary"):
        (tmp_path / name).mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    monkeypatch.setenv("TMPDIR", str(tmp_path / "temporary"))
    open_before = descriptors()

    def run(code: str, *, files: dict[str, bytes] | None = None, preamble: str = "", **limits: Any) -> Execution:
        return sandbox.run(
            code, files=files, preamble=preamble, limits=Limits(**{**SMALL, "file_bytes": mark, **limits})
        )

    yield run
    assert processes_with(str(mark)) == []
    assert descriptors() == open_before
    assert sorted(tmp_path.rglob("*")) == [tmp_path / "cwd", tmp_path / "temporary"]
    assert run("print(1)").stdout == "1\n"


def processes_with(argument: str) -> list[str]:
    """Command lines on this machine that have an argument."""
    found = []
    for place in Path("/proc").glob("[0-9]*/cmdline"):
        try:
            arguments = place.read_bytes().decode("utf-8", "replace").split("\0")
        except OSError:
            continue
        if argument in arguments:
            found.append(" ".join(arguments))
    return found


def descriptors() -> int:
    return len(list(Path("/proc/self/fd").iterdir()))
