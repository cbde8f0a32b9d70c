"""A plug-in that changes the working folder does not move the run."""

from __future__ import annotations

import pytest
from run_helpers import synthetic_task

from whatworked import bench

MOVES = """
import os, tempfile
import numpy as np
AWAY = tempfile.mkdtemp()
{at_import}

class Moves:
    def __init__(self):
        {at_building}
    def fit(self, masks, utilities):
        {at_fitting}
        return self
    def predict(self, masks):
        return np.full(len(masks), 0.5)

def lowest(state, n):
    return state.bits(state.unmeasured[:n])
"""


@pytest.mark.parametrize("when", ["at_import", "at_building", "at_fitting"])
def test_the_run_stays_where_it_was_asked_for(tmp_path, monkeypatch, when):
    monkeypatch.chdir(tmp_path)
    code = dict.fromkeys(("at_import", "at_building", "at_fitting"), "pass") | {when: "os.chdir(AWAY)"}
    (tmp_path / "moves.py").write_text(MOVES.format(**code))
    place = tmp_path / "moves.py"
    run = bench(f"{place}:Moves", f"{place}:lowest", 1, out="here", tasks=synthetic_task("one", 2, 1))
    assert run.name == "here"
    assert (tmp_path / "here" / "manifest.json").is_file()
