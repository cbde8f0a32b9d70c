"""One scripted player through every front end: the journals are equal but for times, and so are the scores."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest
from fronts_helper import FRONTS, Match, bodies, by_python, scored

from whatworked.episodes.fronts.game import Game
from whatworked.episodes.records import read_record
from whatworked.episodes.standings import find_episodes, read_rows

MATCH = Match("effects", "nile", {"budget": 5, "view": "opaque"}, "careless", ("effect_recovery",))


def test_a_closed_game_refuses_its_tools(tmp_path: Path) -> None:
    with MATCH.ticket(tmp_path).opened() as episode:
        game = Game(episode)
        game.submit_diagnosis(estimator="ridge_pair")
        late = game.observe_many(masks=["0001"])
        assert late.refused is not None
        assert late.refused.code == "closed"
        with pytest.raises(AttributeError):
            getattr(game, "_repr_html_")  # noqa: B009 - as a notebook asks


def test_another_model_has_no_part_in_the_episode_of_the_one_before(tmp_path: Path) -> None:
    from inspect_ai import eval as run

    from whatworked._inspect import effects

    for player in ("ridge", "random"):
        task = effects(condition="nile", budget=4, view="opaque", episodes=str(tmp_path / "episodes"))
        (log,) = run(task, model=f"wwscript/{player}", log_dir=str(tmp_path / "logs"), display="none")
        assert log.samples
        assert len(log.samples[0].messages) > 2
    rows = read_rows(find_episodes([tmp_path / "episodes"]))
    assert [row.about.player for row in rows] == ["wwscript/ridge", "wwscript/random"]


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


def test_the_player_was_refused_and_told_why(expected: Path) -> None:
    refused = [entry.event.refusal for entry in read_record(expected).entries if entry.event.refusal]
    assert refused
