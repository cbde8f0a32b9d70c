"""Systems without POSIX, simulated by hiding what they lack: reading, grading and comparing work, the rest says why."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_here, settings
from run_helpers import lowest, mean, synthetic_task

from whatworked import bench
from whatworked.errors import UnsupportedSystemError

HIDING = """
import os, signal, sys, time
for module in ("fcntl", "resource", "pwd", "grp", "termios", "syslog"):
    sys.modules[module] = None
kept = {"SIGINT", "SIGTERM", "SIGABRT", "SIGFPE", "SIGILL", "SIGSEGV", "SIG_DFL", "SIG_IGN"}
for name in [name for name in vars(signal) if name.startswith(("SIG", "ITIMER")) and name not in kept]:
    delattr(signal, name)
for module, names in {
    signal: "setitimer getitimer pthread_sigmask pthread_kill alarm pause sigwait siginterrupt sigpending",
    os: "fork forkpty getuid geteuid getgid getpgid setsid killpg sched_getaffinity sched_setaffinity mkfifo chown "
    "fchmod O_NONBLOCK O_NOFOLLOW O_CLOEXEC O_DIRECTORY nice getloadavg sysconf statvfs posix_spawn",
    time: "tzset",
}.items():
    for name in names.split():
        if hasattr(module, name):
            delattr(module, name)
"""

COMMAND = HIDING + "from whatworked.cli import main\nmain()\n"


def run(code: str, *arguments: str) -> subprocess.CompletedProcess[str]:
    environment = {name: value for name, value in settings({}).items() if value is not None}
    return subprocess.run(
        [sys.executable, "-c", code, *arguments],
        env={**os.environ, **environment},
        stdin=subprocess.DEVNULL,
        capture_output=True,
        text=True,
        check=False,
    )


@pytest.fixture(scope="module")
def finished(tmp_path_factory) -> Path:
    """A run made elsewhere, and its packed form."""
    folder = tmp_path_factory.mktemp("made")
    out = folder / "run"
    assert (
        run_here(
            "bench", "--method", "D1", "--condition", "wine", "--budgets", "4", "--jobs", "1", "--out", str(out)
        ).returncode
        == 0
    )
    assert run_here("submit", str(out), "--name", "made", "--out", str(folder / "made.json.gz")).returncode == 0
    return folder


WORKING = """
import contextlib, io, pathlib, sys
from whatworked.cli import cli
made, out = map(pathlib.Path, sys.argv[1:])
for command in (
    "list", "show wine", "effects wine", f"export {out}/tables", f"plot wine --out {out}/wine.svg",
    f"compare {made}/run", f"report {made}/run --out {out}/page.html", "bench --list", "leaderboard",
    f"submit {made}/run --name again --out {out}/again.json.gz", f"verify-run {made}/made.json.gz",
    f"leaderboard --results {made}", "sources list", "controls table --budget 4",
):
    with contextlib.redirect_stdout(io.StringIO()) as said:
        assert not cli(command.split(), standalone_mode=False), command
    assert said.getvalue(), command

from whatworked import grade, load_surface
from whatworked.comparing import collect_runs
from whatworked.surfaces.masks import mask_strings
from whatworked.testing import ConformanceError, check_estimator
surface = load_surface("wine")
assert grade(surface, dict(zip(mask_strings(4), surface.utilities)), observed=["0000", "1111"]).exact
assert collect_runs(made / "run")
assert all(result.passed for result in check_estimator("mean", 2))
def hangs(masks, utilities, cube):
    while True:
        pass
try:
    check_estimator(hangs, 1, 0.05)
except ConformanceError as error:
    assert "time limit of 0.05 s" in str(error)
else:
    raise AssertionError
print("all of it")
"""

REFUSED = """
import pathlib, sys
from whatworked.cli import cli
from whatworked.errors import UnsupportedSystemError
made, out = map(pathlib.Path, sys.argv[1:])
for command in (
    f"bench --method D1 --condition wine --jobs 1 --out {out}/a", "check mean", f"rebuild wine --out {out}/b",
    "verify wine", f"controls run wine --out {out}/c", f"verify-run {made}/made.json.gz --rerun",
):
    try:
        cli(command.split(), standalone_mode=False)
    except UnsupportedSystemError:
        continue
    raise AssertionError(command)
"""


def test_reading_grading_and_comparing_work(finished, tmp_path):
    done = run(HIDING + WORKING, str(finished), str(tmp_path))
    assert (done.returncode, done.stdout, done.stderr) == (0, "all of it\n", "")


def test_what_starts_processes_is_refused(finished, tmp_path):
    done = run(HIDING + REFUSED, str(finished), str(tmp_path))
    assert (done.returncode, done.stderr) == (0, "")
    assert list(tmp_path.iterdir()) == []


def test_the_error_says_what_is_missing_and_what_works(tmp_path):
    done = run(COMMAND, "bench", "--method", "D1", "--condition", "wine", "--out", str(tmp_path / "out"))
    assert (done.returncode, done.stdout) == (2, "")
    said = " ".join(done.stderr.split())
    assert said.startswith("error: this system (")
    assert "lacks fcntl, resource, signal.SIGKILL, signal.setitimer, signal.pthread_sigmask, os.fork" in said
    assert "need Linux, macOS, or on Windows its Subsystem for Linux (WSL)" in said
    assert "grade, compare, report" in said
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("missing", ["fcntl", "resource"])
def test_each_missing_module_is_named_from_python(tmp_path, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(UnsupportedSystemError, match=f"lacks {missing}, so that"):
        bench(mean, lowest, 1, out=tmp_path / "run", tasks=synthetic_task("one", 2, 1))
    assert not (tmp_path / "run").exists()
