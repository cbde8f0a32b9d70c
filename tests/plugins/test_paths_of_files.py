"""Plug-in files whose paths have characters that mean something in the text that names a plug-in."""

from __future__ import annotations

import pytest
from command_line import run_here

from whatworked.errors import PluginError
from whatworked.plugins import load

SOURCE = """
import numpy as np

class Mine:
    def __init__(self, depth=1):
        self.depth = depth
    def fit(self, masks, utilities):
        return self
    def predict(self, masks):
        return np.full(len(masks), 0.5)
"""

PATHS = [
    "lr=0.1/mine.py",
    "run (2)/mine.py",
    "a=b (c=1)/x=y(2).py",
    "[old]/{new}.py",
    "mine(1).py",
    "deep, wide/my own.py",
    "#1 %20/mine.py",
    "tail.py:v2/mine.py",
    "'quoted\"/mine.py",
    "naïve 漢字/мой.py",
    "new\nline/mine.py",
]


@pytest.mark.parametrize("absolute", [True, False])
@pytest.mark.parametrize("path", PATHS, ids=range(len(PATHS)))
def test_a_file_of_any_path_is_loaded(tmp_path, monkeypatch, path, absolute):
    (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
    (tmp_path / path).write_text(SOURCE)
    monkeypatch.chdir(tmp_path)
    where = tmp_path / path if absolute else path
    for text, label in [(f"{where}:Mine(depth=3)", "Mine(depth=3)"), (f"my={where}:Mine(depth=3)", "my")]:
        plugin = load(text, "estimator")
        assert (plugin.label, plugin.build_estimator().depth) == (label, 3)


def test_a_label_is_one_where_both_readings_are_files(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    for name in ("my=own.py", "own.py"):
        (tmp_path / name).write_text(SOURCE)
    assert load("my=own.py:Mine", "estimator").label == "my"
    assert load("./my=own.py:Mine", "estimator").label == "Mine"
    (tmp_path / "own.py").unlink()
    assert load("my=own.py:Mine", "estimator").label == "Mine"


def test_a_file_named_alone_lists_what_it_holds_whatever_its_path(tmp_path):
    (tmp_path / "a=b (c)").mkdir()
    (tmp_path / "a=b (c)" / "x:y.py").write_text(SOURCE)
    with pytest.raises(PluginError, match="Mine"):
        load(str(tmp_path / "a=b (c)" / "x:y.py"), "estimator")


def test_folders_of_runs_and_tables_have_any_path(tmp_path):
    for name in ("out=1", "run (2)", "[3]", "a,b", "*", "-x"):
        out = tmp_path / name
        assert (
            run_here(
                "bench", "--method", "D1", "--condition", "wine", "--budgets", "4", "--jobs", "1", "--out", str(out)
            ).returncode
            == 0
        )
        done = run_here("compare", f"{out}")
        assert (done.returncode, done.stderr) == (0, "")
