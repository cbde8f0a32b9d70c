"""With the short list of dependencies: reading, grading, comparing, benching and reporting work, the rest is named."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
HIDDEN = ("wfdb", "skimage", "statsmodels", "networkx", "matplotlib", "pandas", "PIL", "imageio", "tifffile")
SCRIPT = f"""
import sys
class Hide:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in {HIDDEN!r}:
            raise ModuleNotFoundError(f"No module named {{name!r}}", name=name)
sys.meta_path.insert(0, Hide())
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
loaded = [name for name in {HIDDEN!r} if name in sys.modules]
assert not loaded, loaded
print("all of it works")
"""


def test_the_short_list_is_enough_and_what_is_missing_is_named(tmp_path):
    done = subprocess.run([sys.executable, "-c", SCRIPT], cwd=tmp_path, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr[-3000:]
    assert done.stdout.endswith("all of it works\n")


def test_the_docs_name_the_short_list():
    text = (ROOT / "docs" / "bench.md").read_text()
    names = [name.partition(">")[0] for name in _dependencies()]
    long = {"networkx", "scikit-image", "statsmodels", "wfdb"}
    command = next(line for line in text.splitlines() if "pip install" in line and "msgspec" in line)
    assert set(command.split("pip install ")[1].strip("`").split()) == set(names) - long


def _dependencies():
    return tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["dependencies"]


def test_a_library_that_is_there_is_imported_when_used():
    from whatworked.declaration.library import LazyLibrary

    assert LazyLibrary("networkx", "a test").Graph().number_of_nodes() == 0
