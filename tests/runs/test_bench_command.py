"""``whatworked bench`` on the command line."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import subprocess
import sys
import time

import pytest
from click.testing import CliRunner

from whatworked.cli.bench import bench
from whatworked.errors import InvalidOptionError, PluginError, UnknownNameError

FAILING = """
import numpy as np
class Fragile:
    def fit(self, masks, utilities):
        print("fitting")
        if masks.shape[1] == 6:
            raise ValueError("too many options")
        return self
    def predict(self, masks):
        return np.full(len(masks), 0.5)
"""


def run(*arguments):
    return CliRunner().invoke(bench, [*map(str, arguments), "--jobs", "1"])


def test_a_run_with_a_failure_from_file_to_folder(tmp_path):
    plugin = tmp_path / "fragile.py"
    plugin.write_text(FAILING)
    out = tmp_path / "out"
    arguments = ("--estimator", f"{plugin}:Fragile", "--estimator", "mean", "--policy", "design-main")
    where = ("--conditions", "wine,wine__d6", "--budgets", "4,20", "--out", out)
    result = run(*arguments, *where)
    assert result.exit_code == 0, result.output
    assert "Missing deliveries, counted as recovery 0" in result.output
    said = " ".join(result.output.split())
    assert "Fragile/design-main on wine__d6, budgets 4, 20 (2 records): estimator: ValueError: too many options" in said
    assert "B = 20 left out on 1 condition of track four: 4 options have 14 masks to buy" in result.output
    assert "Traceback" not in result.output
    assert "Traceback" in (out / "plugins.log").read_text()
    assert (out / "records.csv").read_text().count("\n") == 1 + 2 * 3

    content = json.loads(run(*arguments, *where, "--json").output)
    assert content["skipped_budgets"] == {"wine": [20]}
    assert [entry["records"] for entry in content["failures"]] == [2]
    assert {one["missing"] for one in content["standings"] if one["track"] == "paired"} == {0, 1}


def test_a_plugin_that_hangs_is_listed_and_the_run_goes_on(tmp_path):
    plugin, out = tmp_path / "hangs.py", tmp_path / "out"
    plugin.write_text("def hangs(masks, utilities, cube):\n    while True:\n        pass\n")
    arguments = ("--estimator", f"{plugin}:hangs", "--estimator", "mean", "--policy", "design-main")
    where = ("--conditions", "wine", "--budgets", "4", "--out", out)
    result = run(*arguments, *where, "--time-limit", "2")
    assert result.exit_code == 0, result.output
    said = " ".join(result.output.split())
    reason = "TimeLimitError: not done within the time limit of 2 s"
    assert f"hangs/design-main on wine, budget 4 (1 record): estimator: {reason}" in said
    assert json.loads((out / "manifest.json").read_text())["plan"]["time_limit"] == 2.0
    assert reason in (out / "plugins.log").read_text()
    refused = run(*arguments, *where)
    assert isinstance(refused.exception, InvalidOptionError)
    assert "a run with other time_limit;" in str(refused.exception)


def test_the_default_folder_is_named_by_the_plan(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    result = run("--method", "D1", "--condition", "nile", "--budgets", "2")
    assert result.exit_code == 0, result.output
    (folder,) = tmp_path.iterdir()
    assert folder.name.startswith("bench-")
    assert len(folder.name) == len("bench-") + 8


def test_listing_shows_registered_plugins_and_methods():
    result = run("--list")
    for name in ("gp", "ridge-main", "gp-effect", "random", "GP-E", "relevance-gp"):
        assert name in result.output.split()
    content = json.loads(run("--list", "--json").output)
    assert content["methods"]["GP-E"] == {"estimator": "gp", "policy": "gp-effect"}


@pytest.mark.parametrize(
    ("arguments", "error", "words"),
    [
        (("--estimator", "gp"), InvalidOptionError, "give --policy, too"),
        (("--policy", "random"), InvalidOptionError, "give --estimator, too"),
        ((), InvalidOptionError, "no estimator and policy to run"),
        (("--estimator", "gq", "--policy", "random"), UnknownNameError, "did you mean gp"),
        (("--estimator", "gp", "--policy", "randem"), UnknownNameError, "did you mean random"),
        (("--estimator", "gp-effect", "--policy", "random"), UnknownNameError, "'gp-effect' is a policy and not an"),
        (("--method", "GP-EE"), UnknownNameError, "did you mean GP-E"),
        (("--method", "D1", "--conditions", "wien"), UnknownNameError, "did you mean wine"),
        (("--method", "D1", "--conditions", ","), InvalidOptionError, "',' names no condition; give ids"),
        (("--method", "D1", "--condition", ""), InvalidOptionError, "'' names no condition"),
        (("--method", "D1", "--condition", "wine", "--condition", " , "), InvalidOptionError, "names no condition"),
        (("--method", "D1", "--family", ""), UnknownNameError, "unknown family ''"),
        (("--method", "D1", "--budgets", ","), InvalidOptionError, "budgets are ','"),
        (("--method", "D1", "--track", "fuor"), UnknownNameError, "did you mean four"),
        (("--method", "D1", "--family", "clusterin"), UnknownNameError, "did you mean clustering"),
        (
            ("--method", "D1", "--family", "clustering", "--track", "added"),
            InvalidOptionError,
            "no condition is of all",
        ),
        (
            ("--method", "CGP-E"),
            InvalidOptionError,
            "class-gp, class-gp-effect take code-equivalence",
        ),
        (("--estimator", "class-gp", "--policy", "random"), InvalidOptionError, "or write class-gp(equivalence=None)"),
        (("--estimator", "gp", "--policy", "class-random"), InvalidOptionError, "class-random takes code-equivalence"),
        (("--method", "D1", "--time-limit", "0"), InvalidOptionError, "the time limit is 0 s; give more than 0"),
        (("--method", "D1", "--budgets", "4;8"), InvalidOptionError, "separated by commas"),
        (
            ("--method", "D1", "--budgets", "99"),
            InvalidOptionError,
            "budget 99 exceeds the masks there are; the largest possible budget is 62",
        ),
        (("--estimator", "sklearn.svm:SVR(K=1)", "--policy", "random"), PluginError, "SVR"),
    ],
)
def test_wrong_arguments_are_named_before_anything_runs(tmp_path, monkeypatch, arguments, error, words):
    monkeypatch.chdir(tmp_path)
    result = run(*arguments)
    assert isinstance(result.exception, error), result.output
    assert words in str(result.exception)
    assert list(tmp_path.iterdir()) == []


def test_an_edited_file_beside_a_plugin_is_named(tmp_path):
    plugin, helper, out = tmp_path / "uses.py", tmp_path / "helper_of_uses.py", tmp_path / "out"
    helper.write_text("VALUE = 0.5\n")
    plugin.write_text(
        "import helper_of_uses, numpy as np\nprint('loud')\n"
        "def uses(masks, utilities, cube):\n    return np.full(len(cube), helper_of_uses.VALUE)\n"
    )
    arguments = ("--estimator", f"{plugin}:uses", "--policy", "design-main", "--conditions", "wine", "--budgets", "4")
    first = run(*arguments, "--out", out, "--json")
    assert first.exit_code == 0, first.output
    assert json.loads(first.stdout)["failures"] == []
    helper.write_text("VALUE = 0.25\n")
    refused = run(*arguments, "--out", out)
    assert isinstance(refused.exception, InvalidOptionError)
    assert re.search(r"/helper_of_uses\.py was edited \(SHA-256 \w{8} → \w{8}\) since", str(refused.exception))
    plugin.write_text("import numpy as np\ndef uses(masks, utilities, cube):\n    return np.full(len(cube), 0.5)\n")
    refused = run(*arguments, "--out", out)
    assert re.search(r"uses\.py was edited .*, .*helper_of_uses\.py is no longer imported", str(refused.exception))


def test_an_edited_plugin_file_is_named_and_fresh_replaces_its_run(tmp_path):
    plugin, out = tmp_path / "mine.py", tmp_path / "out"
    plugin.write_text(FAILING)
    arguments = (
        "--estimator",
        f"{plugin}:Fragile",
        "--policy",
        "design-main",
        "--conditions",
        "wine",
        "--budgets",
        "4",
    )
    assert run(*arguments, "--out", out).exit_code == 0
    (out / "notes.txt").write_text("mine")
    before = (out / "records.jsonl").read_bytes()
    plugin.write_text(FAILING.replace("0.5", "0.25"))
    refused = run(*arguments, "--out", out)
    assert isinstance(refused.exception, InvalidOptionError)
    assert re.search(r"mine\.py was edited \(SHA-256 \w{8} → \w{8}\) since the run in", str(refused.exception))
    assert "--fresh" in str(refused.exception)
    assert (out / "records.jsonl").read_bytes() == before
    done = run(*arguments, "--out", out, "--fresh")
    assert done.exit_code == 0, done.output
    assert (out / "records.jsonl").read_bytes() != before
    assert (out / "notes.txt").read_text() == "mine"


HELD = """
import pathlib, time
JOURNAL, GO = pathlib.Path("out/.bench.journal"), pathlib.Path("go")
def held(state, n):
    while JOURNAL.exists() and JOURNAL.stat().st_size and not GO.exists():
        pathlib.Path("holding").touch()
        time.sleep(0.01)
    return state.bits(state.unmeasured[:n])
"""


def interrupted(process):
    """What a process says that is interrupted as a person does it: again, if nothing happens for a while.

    Python drops an interrupt that falls into a finaliser.
    """
    for _ in range(12):
        os.kill(process.pid, signal.SIGINT)
        with contextlib.suppress(subprocess.TimeoutExpired):
            return process.communicate(timeout=20)[1]
    process.kill()
    return process.communicate()[1]


def test_ctrl_c_keeps_finished_work_and_the_same_command_goes_on(tmp_path):
    (tmp_path / "held.py").write_text(HELD)
    command = [sys.executable, "-m", "whatworked", "bench", "--estimator", "mean", "--policy", "./held.py:held"]
    command += ["--track", "four", "--budgets", "8", "--jobs", "1", "--out", "out"]
    journal = tmp_path / "out" / ".bench.journal"
    process = subprocess.Popen(command, cwd=tmp_path, stderr=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 120
    # Not at the first sight of the journal: an interrupt in the middle of its first line takes that line back.
    while not (tmp_path / "holding").exists() and time.monotonic() < deadline:
        time.sleep(0.05)
    message = interrupted(process)
    assert process.returncode == 130
    assert "finished work is kept" in message
    assert journal.stat().st_size
    (tmp_path / "go").touch()
    done = subprocess.run(command, cwd=tmp_path, check=True, capture_output=True, text=True)
    assert "22 records in out" in done.stdout
