"""Every long command gives the same bytes on a backend of joblib as on processes of our own."""

from __future__ import annotations

import importlib
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest
from reference_versions import reference_versions

from whatworked.errors import ExecutionError, InvalidOptionError
from whatworked.runs import bench
from whatworked.workers.pool import open_pool
from whatworked.workers.profile import pinned_profile

PLUGINS = """
import os
import re
import numpy as np

def mean(masks, utilities, cube):
    return np.full(len(cube), utilities.mean())

def noise(masks, utilities, cube, random_state):
    return np.random.default_rng(random_state).random(len(cube))

def dies(masks, utilities, cube):
    os._exit(3)
"""


def whatworked(*arguments: str, environment: dict[str, str] | None = None) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "whatworked", *arguments],
        env={**os.environ, **(environment or {})},
        capture_output=True,
        text=True,
        check=False,
        timeout=600,
    )


def files(folder: Path) -> dict[str, bytes]:
    # Seconds are volatile and stand in a file of their own.
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if path.name != "costs.csv"}


def commands(folder: Path) -> dict[str, tuple[str, ...]]:
    plugins = folder / "plugins.py"
    plugins.write_text(PLUGINS)
    bench_options = ("--estimator", f"{plugins}:mean", "--estimator", f"{plugins}:noise", "--policy", "random")
    return {
        "bench": ("bench", *bench_options, "--conditions", "nile,wine", "--budgets", "2,4", "--seeds", "3"),
        "study": ("controls", "run", "nile"),
    }


@pytest.mark.parametrize("command", ["bench", pytest.param("study", marks=pytest.mark.slow)])
def test_the_backend_does_not_show_in_the_files(command: str, tmp_path: Path) -> None:
    arguments = commands(tmp_path)[command]
    made = {}
    for backend, environment in (("loky", None), ("dask", None), ("sequential", dict(pinned_profile().environment))):
        out = tmp_path / backend
        done = whatworked(*arguments, "--backend", backend, "--out", str(out), environment=environment)
        assert done.returncode == 0, done.stderr
        made[backend] = files(out)
    assert made["loky"]
    assert made["dask"] == made["loky"]
    assert made["sequential"] == made["loky"]


@pytest.mark.slow
def test_the_study_can_be_verified_on_another_backend() -> None:
    done = whatworked("controls", "verify", "nile", "--backend", "dask")
    assert done.returncode == 0, done.stderr
    (told,) = re.findall(r"^96 records: (.+)$", done.stdout, flags=re.MULTILINE)
    # Other versions than those of the references may round otherwise.
    pattern = r"96 identical" if reference_versions() else r"\d+ identical(, \d+ equal)?"
    assert re.fullmatch(pattern, told)


def test_a_worker_of_another_backend_that_dies_is_a_named_error(tmp_path: Path) -> None:
    plugins = tmp_path / "plugins.py"
    plugins.write_text(PLUGINS)
    out = ("--conditions", "nile", "--budgets", "2", "--out", str(tmp_path / "out"))
    done = whatworked("bench", "--estimator", f"{plugins}:dies", "--policy", "random", "--backend", "dask", *out)
    assert done.returncode == 2
    assert "error: backend dask failed (KilledWorker: " in done.stderr
    assert "Run the same command again to go on, or without --backend" in done.stderr
    assert done.stderr.splitlines()[-1].startswith("error: ")


def test_a_time_limit_is_refused_where_nobody_can_end_a_process(tmp_path: Path) -> None:
    refused = r"the time limit of 5 s cannot be kept on backend dask: .* only processes of our own can be; .*"
    with pytest.raises(InvalidOptionError, match=refused + "--backend loky"):
        bench("mean", "random", 2, tmp_path / "out", time_limit=5, backend="dask")
    assert not (tmp_path / "out").exists()


def test_a_cluster_of_one_worker_is_refused() -> None:
    dask, distributed = importlib.import_module("dask"), importlib.import_module("dask.distributed")
    with (
        distributed.LocalCluster(
            n_workers=1, threads_per_worker=1, processes=False, dashboard_address="127.0.0.1:0"
        ) as cluster,
        dask.config.set({"scheduler-address": cluster.scheduler_address}),
        open_pool("dask", 2, pinned_profile(), 2) as pool,
        pytest.raises(ExecutionError, match=r"backend dask has 1 worker, .*; give it 2 or more"),
    ):
        pool.maker()


def test_calls_added_while_answers_are_taken_are_done_in_another_round() -> None:
    script = (
        "from whatworked.workers.call import Call, State\n"
        "from whatworked.workers.pool import open_pool\n"
        "from whatworked.workers.profile import pinned_profile\n"
        "waiting, found = [Call(n, divmod, (n,), State(100)) for n in (7, 9)], []\n"
        "with open_pool('sequential', 1, pinned_profile(), 2) as pool:\n"
        "    for answer in pool.run(lambda lane: waiting.pop() if waiting else None):\n"
        "        found.append((answer.call.subject, answer.result()))\n"
        "        if answer.call.subject == 7:\n"
        "            waiting.append(Call(3, divmod, (3,), State(10)))\n"
        "print(sorted(found))\n"
    )
    done = subprocess.run(
        [sys.executable, "-c", script],
        env={**os.environ, **pinned_profile().environment},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout.strip() == "[(3, (3, 1)), (7, (14, 2)), (9, (11, 1))]", done.stderr
