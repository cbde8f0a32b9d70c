"""A Dask cluster that exists, of two workers on this machine: it gives what processes of this machine give."""

from __future__ import annotations

import importlib
import json
import os
import sys
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
from command_line import run_here

from whatworked.errors import InvalidOptionError
from whatworked.workers.cluster import is_dask, scheduler_of
from whatworked.workers.profile import pinned_profile

TRAIN = """
import os, sys, time
if "--amp" in sys.argv and "--cache" in sys.argv:
    sys.exit("diverged")
if "--slow" in sys.argv and "--amp" in sys.argv:
    open("pid", "w").write(str(os.getpid())); time.sleep(60)
print("from", os.getcwd())
print("acc =", 0.5 + 0.25 * ("--amp" in sys.argv) + 0.125 * ("--slow" in sys.argv))
"""


@pytest.fixture(scope="module")
def scheduler() -> Iterator[str]:
    """The address of a cluster whose workers are pinned, as docs/rebuilding.md says."""
    dask, distributed = importlib.import_module("dask"), importlib.import_module("dask.distributed")
    environment = {"distributed.nanny.pre-spawn-environ": dict(pinned_profile().environment)}
    with (
        dask.config.set(environment),
        distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address="127.0.0.1:0") as cluster,
    ):
        yield f"dask:{cluster.scheduler_address}"


def _files(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in folder.rglob("*") if path.is_file() and path.name != "costs.csv"}


def test_a_benchmark_has_the_same_bytes(scheduler: str, tmp_path: Path) -> None:
    words = ("bench", "--estimator", "mean", "--policy", "random", "--condition", "wine,nile", "--budgets", "2")
    for name, how in (("here", "loky"), ("there", scheduler)):
        done = run_here(*words, "--seeds", "2", "--backend", how, "--out", str(tmp_path / name))
        assert done.returncode == 0, done.stderr
    here = _files(tmp_path / "here")
    assert {name: data for name, data in here.items() if name == "records.jsonl"}
    assert _files(tmp_path / "there") == here


def test_a_command_is_measured_there_as_here(scheduler: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("train.py").write_text(TRAIN)
    template = f"{sys.executable} train.py {{amp:--amp|}} {{cache:--cache|}} {{slow:--slow|}}"
    options = [word for name in ("amp", "cache", "slow") for word in ("--option", name)]
    words = ["measure", "--command", template, *options, "--read", "acc = (.*)", "--budget", "8", "--json"]
    found = {}
    for name, how in (("here", ()), ("there", ("--backend", scheduler))):
        done = run_here(*words, *how, "--jobs", "2", "--time-limit", "2", "--out", name)
        assert done.returncode == 0, done.stderr
        told = json.loads(done.stdout)
        runs = sorted((run["mask"], run["value"], run["reason"], run["ran"]) for run in told["runs"])
        logs = {path.name: path.read_bytes() for path in (tmp_path / name / "logs").iterdir()}
        found[name] = runs, logs, told["effects"], told["best"]
    assert found["there"] == found["here"]
    assert [reason for _, _, reason, _ in found["there"][0] if reason] == [
        "not done within the time limit of 2 s",
        "exit code 1; last line: diverged",
        "exit code 1; last line: diverged",
    ]
    # The program that was out of time has ended on its worker, too.
    for _ in range(100):
        if not _runs(int(Path("pid").read_text())):
            break
        time.sleep(0.05)
    assert not _runs(int(Path("pid").read_text()))


def _runs(pid: int) -> bool:
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().split()[2] != "Z"


def test_a_function_runs_there(scheduler: str, tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("mine.py").write_text("def f(s):\n    return 2 * s['a'] + s['b']\n")
    words = ("measure", "./mine.py:f", "--option", "a", "--option", "b", "--budget", "4", "--json")
    found = json.loads(run_here(*words, "--backend", scheduler, "--jobs", "2").stdout)
    assert {run["mask"]: run["value"] for run in found["runs"]} == {"00": 0, "01": 1, "10": 2, "11": 3}


def test_stopping_ends_programs_on_workers(scheduler: str, tmp_path: Path, monkeypatch) -> None:
    from whatworked.campaigns.asking import Ask
    from whatworked.campaigns.cluster import cluster_runner
    from whatworked.campaigns.options import read_options
    from whatworked.campaigns.plan import Plan
    from whatworked.workers.cluster import dask_client

    monkeypatch.chdir(tmp_path)
    code = "import os, time; open(f'{a}', 'w').write(str(os.getpid())); time.sleep(60 * {a}); print(1)"
    plan = Plan(read_options({"a": ("0", "1")}))
    with dask_client(scheduler, 2, {}) as client:
        runner = cluster_runner(
            plan, lambda mask: [sys.executable, "-c", code.replace("{a}", mask)], float, tmp_path / "logs", client
        )
        results = runner([Ask("0", None), Ask("1", None)])
        assert next(results).value == 1.0
        while not (Path("1").exists() and Path("1").read_text()):
            time.sleep(0.05)
        results.close()
        pid = int(Path("1").read_text())
        for _ in range(200):
            if not _runs(pid):
                break
            time.sleep(0.05)
        assert not _runs(pid)


def test_what_names_no_cluster_is_refused(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    names = ("dask", "dask:tcp://h:1", "loky", "dusk:tcp://h:1")
    assert [name for name in names if is_dask(name)] == ["dask", "dask:tcp://h:1"]
    assert scheduler_of("dask:tcp://h:8786") == "tcp://h:8786"
    for wrong in ("dask:", "dask:h:8786", "dask:tcp://", "dask:tcp://h h"):
        with pytest.raises(InvalidOptionError, match="names no scheduler"):
            is_dask(wrong)
    words = ("measure", "--command", "echo {a}", "--option", "a=0,1", "--backend")
    done = run_here(*words, "loky")
    assert (done.returncode, "write dask, or dask:tcp://HOST:8786" in " ".join(done.stderr.split())) == (2, True)


def test_a_scheduler_that_does_not_answer_is_named(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    dask = importlib.import_module("dask")
    with dask.config.set({"distributed.comm.timeouts.connect": "0.2s"}):
        done = run_here("measure", "--command", "echo {a}", "--option", "a=0,1", "--backend", "dask:tcp://127.0.0.1:9")
    assert done.returncode == 2
    assert "no Dask scheduler answers at tcp://127.0.0.1:9" in " ".join(done.stderr.split())
