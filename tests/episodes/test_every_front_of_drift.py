"""The drift through every front end: a player of the drift leaves the same journal and the same score by each."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fronts_helper import FRONTS, Match, bodies, by_python, scored

from whatworked.episodes.records import read_record

MATCH = Match(
    "drift", "evaluation-003", {"variant": "disclosed-aligned", "budget": 60}, "route", ("evidence", "exact", "paid")
)


@pytest.fixture(scope="module")
def expected(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("fronts") / "python"
    by_python(MATCH, folder)
    return folder


@pytest.mark.parametrize("front", FRONTS)
def test_journal_and_score_are_the_same(front: Callable[[Match, Path], None], expected: Path, tmp_path: Path) -> None:
    front(MATCH, tmp_path / "episode")
    assert bodies(tmp_path / "episode") == bodies(expected)
    assert scored(tmp_path / "episode") == scored(expected)


def test_the_route_was_played_to_its_prediction(expected: Path) -> None:
    assert read_record(expected).entries[-1].event.call.tool == "commit"
    assert scored(expected)["evidence"] > 0
