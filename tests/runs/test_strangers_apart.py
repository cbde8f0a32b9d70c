"""Whatever an outside plug-in does to its process, others and the command itself are as they were."""

from __future__ import annotations

import csv
import json
import os
import subprocess
import sys

import numpy as np
import pytest

from whatworked.plugins import load
from whatworked.plugins.process_state import noticing, preserved
from whatworked.runs.benchmark import load_all

PLUGINS = """
import os, sys, subprocess, multiprocessing, concurrent.futures
import numpy as np

np.seterr(all="raise")

def square(x):
    return x * x

class Flat:
    def fit(self, masks, utilities):
        self.mean = float(utilities.mean())
        return self
    def predict(self, masks):
        return np.full(len(masks), self.mean)

class Patches(Flat):
    def fit(self, masks, utilities):
        self.mean = 0.5
        np.clip = np.linalg.solve = np.unique = None
        return self

class Limits(Flat):
    def fit(self, masks, utilities):
        import resource
        resource.setrlimit(resource.RLIMIT_NOFILE, (64, 64))
        return super().fit(masks, utilities)

class Leaves(Flat):
    def __init__(self):
        sys.exit(0)

class Quits(Flat):
    def __init__(self):
        os._exit(0)

class Stops(Flat):
    def __init__(self):
        raise KeyboardInterrupt

class Parses(Flat):
    def __init__(self):
        import argparse
        argparse.ArgumentParser(prog="mine").parse_args(["--no-such"])

class Interrupts(Flat):
    def fit(self, masks, utilities):
        raise KeyboardInterrupt

class Broken(Exception):
    def __str__(self):
        raise SystemExit

class Says(Flat):
    def fit(self, masks, utilities):
        raise Broken

class Aborts(Flat):
    def fit(self, masks, utilities):
        os.abort()

class Writes(Flat):
    def fit(self, masks, utilities):
        os.write(1, b"loud")
        subprocess.run(["echo", "loud"])
        return super().fit(masks, utilities)

def put(queue, x):
    queue.put(square(x))

def pool(context):
    with context.Pool(1) as workers:
        return workers.map(square, [3])

def executor(context):
    with concurrent.futures.ProcessPoolExecutor(1, mp_context=context) as workers:
        return list(workers.map(square, [3]))

def process(context):
    queue = context.SimpleQueue()
    child = context.Process(target=put, args=(queue, 3))
    child.start()
    found = queue.get()
    child.join()
    return [found]

def joblib(backend):
    from joblib import Parallel, delayed
    return Parallel(n_jobs=2, backend=backend)(delayed(square)(x) for x in [3])

def loky(_):
    from joblib.externals.loky import get_reusable_executor
    return list(get_reusable_executor(1).map(lambda x: square(x), [3]))

class Pools(Flat):
    def fit(self, masks, utilities):
        contexts = [multiprocessing.get_context(method) for method in ("spawn", "forkserver", "fork")]
        ways = [(pool, context) for context in contexts] + [(executor, contexts[1]), (process, contexts[0])]
        for way, given in [*ways, (joblib, "loky"), (joblib, "multiprocessing"), (joblib, "threading"), (loky, "")]:
            assert way(given) == [9], (way, given)
        return super().fit(masks, utilities)
"""


def bench(tmp_path, *names, out="out"):
    file = tmp_path / "strangers.py"
    file.write_text(PLUGINS)
    given = [text for name in names for text in ("--estimator", f"{file}:{name}")]
    command = ["bench", "--estimator", "gp", *given, "--policy", "random", "--conditions", "wine", "--budgets", "4"]
    folder = tmp_path / out
    options = ["--seeds", "1", "--jobs", "1", "--time-limit", "120", "--out", str(folder)]
    code = subprocess.run([sys.executable, "-m", "whatworked", *command, *options], check=False).returncode
    with (folder / "records.csv").open() as lines:
        return code, {row["estimator"]: row for row in csv.DictReader(lines)}


def test_nobody_changes_a_neighbour_and_every_failure_is_named(tmp_path):
    _, alone = bench(tmp_path, out="alone")
    leaving = ("Leaves", "Quits", "Stops", "Parses")
    code, rows = bench(tmp_path, "Patches", "Limits", "Interrupts", "Says", "Aborts", *leaving, "Flat")
    assert code == 0
    assert rows["gp"] == alone["gp"]
    assert not rows["Flat"]["failure"]
    assert not rows["Limits"]["failure"]
    for name, cause in (("Interrupts", "KeyboardInterrupt"), ("Says", "Broken"), ("Aborts", "died")):
        assert cause in rows[name]["failure"]
    told = {name: rows[name]["failure"].partition(" cannot be built: ")[2] for name in leaving}
    assert told == dict(
        zip(leaving, ("SystemExit: 0", "SystemExit: 0", "KeyboardInterrupt", "SystemExit: 2"), strict=True)
    )


def test_a_constructor_that_exits_is_a_named_error(tmp_path):
    file = tmp_path / "strangers.py"
    file.write_text(PLUGINS)
    done = subprocess.run(
        [sys.executable, "-m", "whatworked", "check", f"{file}:Leaves"], capture_output=True, text=True, check=False
    )
    assert done.returncode != 0
    assert "Leaves' cannot be built: SystemExit" in done.stderr


def test_children_of_a_plugin_import_its_module(tmp_path):
    _, rows = bench(tmp_path, "Pools")
    assert rows["Pools"]["failure"] == ""


def test_standard_output_is_the_commands_own(tmp_path):
    file = tmp_path / "loud.py"
    file.write_text(PLUGINS + "\nos.write(1, b'loud')\nimport atexit\natexit.register(print, 'loud')\n")
    command = [sys.executable, "-m", "whatworked", "check", f"{file}:Writes", "--dimensions", "2", "--json"]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    json.loads(done.stdout)
    assert "loud" in done.stderr


def test_what_was_built_on_trial_says_nothing_on_standard_output(capfd):
    class Leaving:
        def fit(self, masks, utilities):
            raise NotImplementedError

        def __del__(self):
            os.write(1, b"gone")

    load_all([Leaving], "estimator")
    assert capfd.readouterr() == ("", "gone")


def test_parts_of_the_state_are_put_back_and_named():
    before = np.geterr()
    with noticing() as changed, preserved():
        np.seterr(all="raise")
        np.random.seed(1)  # noqa: NPY002
    assert np.geterr() == before
    assert "numpy's handling of floating-point errors" in changed


@pytest.mark.parametrize("d", [8, 9, 10, 12])
def test_normal_equations_do_not_wrap(d):
    seen = []

    def normal(masks, utilities, cube):
        seen.append((masks.T @ masks, masks.sum(axis=0), (1 - 2 * masks).prod(axis=1), masks.dtype, cube.dtype))
        return np.full(len(cube), 0.5)

    masks = np.ones((200, d))
    load(normal, "estimator").build_estimator(0).fit(masks, np.zeros(200))
    assert (seen[0][0] == 200).all()
    assert seen[0][3] == seen[0][4] == np.float64
