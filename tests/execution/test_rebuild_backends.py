"""Backends other than our own workers give the same bytes, or are refused."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from toy_family import CONDITIONS, Shelf, workflow_of
from whatworked.workers.profile import pinned_profile
from whatworked.execution import RebuildRequest, rebuild

if __name__ == "__main__":
    if sys.argv[2] == "environment":
        print("\\n".join(f"{{name}}={{value}}" for name, value in pinned_profile().environment.items()))
    else:
        request = RebuildRequest(CONDITIONS, Path(sys.argv[1]), jobs=2, backend=sys.argv[2])
        print(rebuild(request, Shelf(), workflow_of).count("built"))
"""


def run(folder: Path, backend: str, environment: dict[str, str] | None = None) -> str:
    script = folder / "script.py"
    script.write_text(PROGRAM.format(folder=str(Path(__file__).parent)))
    done = subprocess.run(
        [sys.executable, str(script), str(folder / "out"), backend],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    return done.stdout.strip()


def tables(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted((folder / "out").iterdir())}


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    folder = tmp_path_factory.mktemp("loky")
    assert run(folder, "loky") == "3"
    return tables(folder)


def test_dask_workers_inherit_the_profile_and_give_the_same_bytes(tmp_path: Path, expected: dict[str, bytes]) -> None:
    assert run(tmp_path, "dask") == "3"
    assert tables(tmp_path) == expected


def test_a_process_started_under_the_profile_may_do_the_work_itself(tmp_path: Path, expected: dict[str, bytes]) -> None:
    environment = dict(line.split("=", 1) for line in run(tmp_path, "environment").splitlines())
    assert run(tmp_path, "sequential", environment) == "3"
    assert tables(tmp_path) == expected
