"""The published games become episodes, with their grades and the grades of shared inference.

The folder is named by WHATWORKED_AGENT_LOGS; it is not part of this project.
"""

from __future__ import annotations

import json
import os
import re
import shutil
from pathlib import Path

import pytest
from command_line import run_here

from whatworked.episodes.importing import import_game
from whatworked.episodes.records import read_record, replay, score_of, setup_of
from whatworked.episodes.shared_inference import infer
from whatworked.errors import EpisodeError

GAMES = Path(os.environ.get("WHATWORKED_AGENT_LOGS", "")) / "whatworked_published"

pytestmark = pytest.mark.skipif(
    not (GAMES / "figures.json").is_file(), reason="no folder of agents' logs: set WHATWORKED_AGENT_LOGS to one"
)

FIGURES = json.loads((GAMES / "figures.json").read_text()) if (GAMES / "figures.json").is_file() else {}
OURS = {"support_regret": "regret", "exact_optimal_choice": "exact", "near_optimal_choice": "near_optimal"}
OURS |= {"selected_mask": "selected", "strict_effect_reconstruction": "strict"}
OURS |= {"mean_absolute_true_edge_effect": "mean_absolute_effect", "true_utility_range": "utility_range"}


def check(published: dict, grade: dict) -> None:
    compared = [name for name in published if name not in ("parameters",)]
    assert compared
    for name in compared:
        ours = grade[OURS.get(name, name)]
        assert ours == (pytest.approx(published[name], abs=1e-9) if isinstance(published[name], float) else ours), name
        if not isinstance(published[name], float):
            assert ours == published[name], name


# Without the folder there is one name, whose test is skipped: an empty set would fail at collection.
@pytest.mark.parametrize("name", FIGURES or ["any game"])
def test_a_published_game_has_its_figures(name, tmp_path):
    figures = FIGURES[name]
    game = import_game(GAMES / name, tmp_path / "episode")
    record = read_record(tmp_path / "episode")
    setup = setup_of(record)
    assert replay(record, setup).difference is None
    score = score_of(record, setup)
    assert score.delivered is figures["delivered"]
    assert score.values["credits_used"] == figures["credits_used"]
    assert score.values["calculations"] == figures["calculations"]["calls"]
    assert score.values["calculations_failed"] == figures["calculations"]["failed"]
    assert game.failure == (figures["failure"])
    inferred = {row.label: row.grade.to_dict() for row in infer(record.events, setup.instance)}
    check(figures["grade"], inferred["delivered"])
    for estimator, published in figures["shared"].items():
        check(published, inferred[estimator.replace("_", "-")])


def test_the_page_states_the_figures(tmp_path, root):
    """docs/playing.md shows what was handed in beside two estimators on the same measurements."""
    text = (root / "docs" / "playing.md").read_text()
    rows = re.findall(r"\| `(\w+__d6)` \| (.*?) \| ([\d.]+) \| ([\d.]+) \| ([\d.]+) \|", text)
    assert {condition for condition, *_ in rows} == {figures["condition"] for figures in FIGURES.values()}
    for condition, _, *stated in rows:
        (name,) = [name for name, figures in FIGURES.items() if figures["condition"] == condition]
        import_game(GAMES / name, tmp_path / name)
        record = read_record(tmp_path / name)
        found = infer(record.events, setup_of(record).instance, ("gp", "relevance-gp"))
        assert [f"{row.grade.effect_recovery:.3f}" for row in found] == stated


def test_a_folder_of_games_is_imported_whole_and_summed_up(tmp_path):
    games = Path(shutil.copytree(GAMES, tmp_path / "games"))
    broken = sorted(FIGURES)[0]
    (games / broken / "evidence.json").write_text("{}")
    out = tmp_path / "out"
    done = run_here("episode", "import", str(games), "--out", str(out))
    assert done.returncode == 1
    assert f"not imported: {broken}: " in " ".join(done.stderr.split())
    assert sorted(folder.name for folder in out.iterdir()) == sorted(FIGURES)[1:]
    means = json.loads(run_here("episode", "infer", str(out), "--estimator", "gp", "--json").stdout)
    assert [(row["answer"], row["episodes"]) for row in means] == [("delivered", 3), ("gp", 3)]
    families: dict[str, list[str]] = {}
    for name in sorted(FIGURES)[1:]:
        families.setdefault(name.split("_")[1], []).append(name)
    for row, recovery in zip(
        means,
        (lambda f: f["grade"]["effect_recovery"], lambda f: f["shared"]["gp"]["effect_recovery"]),
        strict=True,
    ):
        by_family = [sum(recovery(FIGURES[n]) for n in names) / len(names) for names in families.values()]
        assert row["recovery"] == pytest.approx(sum(by_family) / len(by_family), abs=1e-9)


class TestDamagedGames:
    @pytest.fixture
    def game(self, tmp_path):
        name = next(name for name in FIGURES if FIGURES[name]["delivered"])
        shutil.copy(GAMES / "figures.json", tmp_path)
        return Path(shutil.copytree(GAMES / name, tmp_path / name))

    def altered(self, path: Path, change) -> None:
        content = json.loads(path.read_text())
        change(content)
        path.write_text(json.dumps(content))

    def test_other_measurements_are_named(self, game, tmp_path):
        self.altered(game / "evidence.json", lambda content: content["observations"][3].update(utility=0.123))
        with pytest.raises(EpisodeError, match=r"1 of 34 measurements differ .*: 0.123, here"):
            import_game(game, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_a_call_that_these_rules_refuse_is_named(self, game, tmp_path):
        lines = (game / "events.jsonl").read_text().splitlines()
        (game / "events.jsonl").write_text("\n".join([*lines[:2], lines[1].replace('"0', '"x'), *lines[2:]]))
        with pytest.raises(EpisodeError, match=r"event 3 .*is refused by these rules"):
            import_game(game, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_the_table_of_a_helper_is_fitted_again(self, game, tmp_path):
        observed = {told["mask"] for told in json.loads((game / "evidence.json").read_text())["observations"]}
        self.altered(
            game / "submission.json",
            lambda table: table.update({mask: 0.0 for mask in table if mask not in observed}),
        )
        with pytest.raises(EpisodeError, match=r"says that ridge_\w+ made .* at 000\d+: written 0.0, replayed 0"):
            import_game(game, tmp_path / "out")
        assert not (tmp_path / "out").exists()

    def test_an_episode_is_not_written_over(self, game, tmp_path):
        import_game(game, tmp_path / "out")
        with pytest.raises(EpisodeError, match="exists already"):
            import_game(game, tmp_path / "out")

    def test_one_without_a_name_is_known_by_its_measurements(self, game, tmp_path):
        self.altered(game / "evidence.json", lambda content: content.pop("task"))
        for told in ("public_task.json", "prompt.txt"):
            (game / told).unlink(missing_ok=True)
        nameless = game.rename(tmp_path / "a game")
        import_game(nameless, tmp_path / "out")
        terms = read_record(tmp_path / "out").terms
        assert terms.instance == FIGURES[game.name]["condition"]
        assert (terms.options["view"], terms.options["budget"]) == ("opaque", FIGURES[game.name]["budget"])

    def test_events_that_are_no_calls_are_left_out(self, game, tmp_path):
        lines = (game / "events.jsonl").read_text()
        (game / "events.jsonl").write_text('{"event": "heartbeat"}\n' + lines)
        assert import_game(game, tmp_path / "out").left_out == ("heartbeat",)

    @pytest.mark.parametrize("name", ["events.jsonl", "evidence.json", "submission.json", "calculation_order.json"])
    def test_what_is_no_json_is_named(self, game, tmp_path, name):
        (game / name).write_text('{"event": ')
        with pytest.raises(EpisodeError, match=name):
            import_game(game, tmp_path / "out")
        assert not (tmp_path / "out").exists()
