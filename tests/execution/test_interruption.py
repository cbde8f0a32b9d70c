"""A rebuild that is killed or interrupted leaves whole records, no workers, and goes on where it was."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from whatworked.execution.journal import JOURNAL, RebuildJournal

PROGRAM = """
import sys
from pathlib import Path
sys.path.insert(0, {folder!r})
from toy_family import CONDITIONS, Shelf, workflow_of
from whatworked.execution import RebuildRequest, rebuild
try:
    request = RebuildRequest(CONDITIONS, Path(sys.argv[1]), jobs=2)
    print(rebuild(request, Shelf(box={{"slow": {slow}}}, jar={{"slow": {slow}}}), workflow_of).count("built"))
except KeyboardInterrupt:
    sys.exit(130)
"""


def start(out: Path, slow: float = 0.05) -> subprocess.Popen[str]:
    program = PROGRAM.format(folder=str(Path(__file__).parent), slow=slow)
    return subprocess.Popen(
        [sys.executable, "-c", program, str(out)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def until(condition: Callable[[], bool], seconds: float = 60.0) -> bool:
    """Wait for `condition()` to hold; False if it never does."""
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.02)
    return False


def children(parent: int) -> set[int]:
    found = set()
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                fields = (entry / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue
            if int(fields[1]) == parent and fields[0] != "Z":
                found.add(int(entry.name))
    return found


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except OSError:
        return False


@pytest.fixture(scope="module")
def uninterrupted(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    out = tmp_path_factory.mktemp("whole")
    process = start(out)
    assert process.communicate()[0].strip() == "3"
    return tables(out)


def tables(out: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(out.iterdir())}


@pytest.fixture(params=[signal.SIGKILL, signal.SIGINT, signal.SIGTERM], ids=lambda sign: sign.name)
def stopped(request: pytest.FixtureRequest, tmp_path: Path) -> tuple[Path, set[int], int]:
    """A rebuild stopped by a signal in the middle: its folder, its children, its exit code."""
    process = start(tmp_path)
    journal = tmp_path / JOURNAL
    assert until(lambda: journal.exists() and journal.stat().st_size > 2000)
    workers = children(process.pid)
    process.send_signal(request.param)
    process.communicate(timeout=60)
    return tmp_path, workers, process.returncode


def test_whole_records_remain_and_the_next_run_gives_the_same_bytes(
    stopped: tuple[Path, set[int], int], uninterrupted: dict[str, bytes]
) -> None:
    out, workers, code = stopped
    assert code in (-signal.SIGKILL, 130, -signal.SIGTERM)
    assert workers
    assert until(lambda: not any(map(is_running, workers))), "workers outlived the rebuild"
    with RebuildJournal(out) as journal:
        kept = journal.entries()
    assert 0 < len(kept) < 144
    again = start(out)
    output, errors = again.communicate(timeout=120)
    assert output.strip() == "3", errors
    assert tables(out) == uninterrupted


def test_a_second_rebuild_of_the_folder_is_refused_while_the_first_runs(tmp_path: Path) -> None:
    first = start(tmp_path, slow=60.0)
    assert until(lambda: (tmp_path / JOURNAL).exists())
    second = start(tmp_path)
    errors = second.communicate(timeout=60)[1]
    assert second.returncode == 1
    assert "another run is writing" in errors
    os.kill(first.pid, signal.SIGKILL)
    first.communicate()
