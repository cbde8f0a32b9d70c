"""The packed runs in results/ against the recorded control study, which was computed by other code."""

from __future__ import annotations

import numpy as np
import pytest
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.controls.store import read_records
from whatworked.leaderboard import board_of, recorded_board, unpack, verified
from whatworked.leaderboard.board import encode_board, ranked


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


@pytest.mark.parametrize(
    ("arguments", "averaged"),
    [
        (("leaderboard", "--track", "paired", "--budget", "20"), True),
        (("verify-run", "results/random.json.gz"), True),
        (("verify-run", "results/controls-rules.json.gz"), False),
    ],
)
def test_averages_over_seeds_are_shown_as_by_every_command(root, monkeypatch, arguments, averaged):
    monkeypatch.chdir(root)
    lines = CliRunner().invoke(cli, arguments, catch_exceptions=False).output.splitlines()
    assert (lines[-1] == "strict, exact: number of sources, mean over seeds") == averaged
    start = next(place for place, line in enumerate(lines) if line.startswith("track"))
    # Counts stand behind the figures of three decimals, and in front of the names.
    ends = slice(-4, -2) if arguments[0] == "leaderboard" else slice(-2, None)
    columns = list(zip(*(line.split()[ends] for line in lines[start + 1 : len(lines) - averaged]), strict=True))
    decimals = [{len(cell.partition(".")[2]) for cell in column} for column in columns]
    assert [len(found) for found in decimals] == [1, 1]
    assert set().union(*decimals) <= {0, 1}
    assert ({1} in decimals) == averaged
