"""The packed runs in results/ against the recorded control study, which was computed by other code."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked.controls.store import read_records
from whatworked.runs.leaderboard import board_of, encode_board, ranked, recorded_board
from whatworked.runs.submission import unpack
from whatworked.runs.verification import verified


@pytest.fixture(scope="module")
def study():
    return {one.key: one for one in read_records()}


@pytest.mark.parametrize(("name", "shared"), [("controls", 368), ("controls-rules", 72), ("random", 1840)])
def test_results_are_those_of_the_control_study(root, study, name, shared):
    """Equal purchases and predictions; where the study says that rounding decided a choice, grades may differ."""
    run = verified(unpack((root / "results" / f"{name}.json.gz").read_bytes(), name))
    compared = 0
    for record in run.records:
        theirs = study.get(record.key)
        if theirs is None:
            continue
        compared += 1
        if record.purchases == theirs.purchases:
            np.testing.assert_allclose(record.predictions, theirs.predictions, rtol=0, atol=1e-9)
            assert record.aliases == theirs.aliases
        else:
            assert theirs.near_tie, (record.condition, record.method, record.budget)
    assert compared == shared


def test_the_recorded_leaderboard_is_that_of_the_packed_runs(root):
    recorded = recorded_board()
    assert recorded
    assert recorded == ranked(recorded)
    assert encode_board(recorded) == encode_board(board_of(root / "results"))
