"""With the short list of dependencies: reading, grading, comparing, benching and reporting work, the rest is named."""

from __future__ import annotations

import importlib.metadata
import os
import subprocess
import tomllib
import venv
from pathlib import Path

import pytest
from packaging.requirements import Requirement

ROOT = Path(__file__).resolve().parents[1]
LONG = {"networkx", "scikit-image", "statsmodels", "wfdb"}
HIDDEN = ("wfdb", "skimage", "statsmodels", "networkx", "matplotlib", "pandas", "PIL", "imageio", "tifffile")
SCRIPT = f"""
from click.testing import CliRunner
from whatworked.cli import cli
from whatworked.errors import WhatWorkedError
def run(*arguments, fails=None):
    result = CliRunner().invoke(cli, arguments)
    if fails is not None:
        assert isinstance(result.exception, WhatWorkedError), result.exception
        assert fails in str(result.exception), result.exception
        return
    assert result.exit_code == 0, (arguments, result.output, result.exception)
run("list")
run("show", "graph_lesmis__d6")
run("effects", "wine")
import json
json.dump({{f"{{k:04b}}": 0.5 for k in range(16)}}, open("table.json", "w"))
run("grade", "wine", "table.json", "--observed", "0100")
run("bench", "--estimator", "gp", "--policy", "gp-effect", "--condition", "wine,nile", "--budgets", "4", "--out", "r")
run("bench", "--method", "CD1", "--rules", "--condition", "graph_lesmis__d6", "--budgets", "4", "--out", "q")
run("compare", "r", "RGP", "--resamples", "99")
run("report", "r", "--out", "r.html", "--resamples", "99")
run("leaderboard")
run("plot", "wine", "--out", "w.png", fails="figures need matplotlib")
from whatworked.declaration.library import required
from whatworked.errors import MissingExtraError
from whatworked.workflows import link_prediction
try:
    link_prediction.SCORES["jaccard"](None, [])
except MissingExtraError as error:
    assert "link prediction needs networkx, which is not installed: pip install networkx" in str(error), error
else:
    raise AssertionError("nothing was missing")
import importlib.util
assert not [name for name in {HIDDEN!r} if importlib.util.find_spec(name)]
print("all of it works")
"""
CODE = ("controls", "data_manifests", "references", "results", "workflows")
"""Folders that are installed below whatworked."""


@pytest.fixture
def short(tmp_path):
    """A folder to import from that holds this package and the short list with what that needs, and nothing else.

    Hiding modules in one process would not reach the worker processes, nor the versions that are looked up.
    """
    folder = tmp_path / "packages"
    own = folder / "whatworked"
    own.mkdir(parents=True)
    for path in (*(ROOT / "whatworked").iterdir(), *(ROOT / name for name in CODE)):
        (own / path.name).symlink_to(path)
    for name in _closure([name for name in _names() if name not in LONG]):
        distribution = importlib.metadata.distribution(name)
        for part in {file.parts[0] for file in distribution.files or () if file.parts[0] not in ("..", "__pycache__")}:
            (folder / part).symlink_to(distribution.locate_file(part))
    return folder


def _closure(names):
    """Names of distributions with those that they need, extras left out."""
    found, left = [], list(names)
    while left:
        name = left.pop()
        if name in found:
            continue
        found.append(name)
        needed = map(Requirement, importlib.metadata.requires(name) or ())
        left += [one.name for one in needed if one.marker is None or one.marker.evaluate({"extra": ""})]
    return found


def test_the_short_list_is_enough_and_what_is_missing_is_named(short, tmp_path):
    venv.create(tmp_path / "empty", with_pip=False, symlinks=True)
    command = [tmp_path / "empty" / "bin" / "python", "-c", SCRIPT]
    given = {**os.environ, "PYTHONPATH": str(short), "WHATWORKED_CACHE": str(tmp_path / "cache")}
    done = subprocess.run(command, cwd=tmp_path, env=given, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.endswith("all of it works\n")


def test_the_docs_name_the_short_list():
    text = (ROOT / "docs" / "bench.md").read_text()
    command = next(line for line in text.splitlines() if "pip install" in line and "msgspec" in line)
    assert set(command.split("pip install ")[1].strip("`").split()) == set(_names()) - LONG


def _names():
    dependencies = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]
    return [Requirement(text).name for text in dependencies]


def test_a_library_that_is_there_is_imported_when_used():
    from whatworked.declaration.library import LazyLibrary

    assert LazyLibrary("networkx", "a test").Graph().number_of_nodes() == 0
