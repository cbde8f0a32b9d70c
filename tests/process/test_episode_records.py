"""Folders of episodes as records of process scoring."""

from __future__ import annotations

from pathlib import Path

from whatworked.environments.drift.tools import tool_table
from whatworked.environments.protocol import Call
from whatworked.episodes.effects import effects_environment
from whatworked.episodes.episode import Episode
from whatworked.episodes.registry import environment_of
from whatworked.process.records import convert
from whatworked.process.records.files import record_bytes
from whatworked.process.records.readers.episode import TOOLS, event_of


def _play(folder: Path) -> Path:
    rules = effects_environment()
    played = rules.find("wine__d6")
    with Episode(folder, rules, played, {"budget": 4}) as episode:
        for tool, arguments in (
            ("observe_many", {"masks": ["100000", "010000"]}),
            ("note", {"text": "B raises the utility by 0.45 where all others are off."}),
            ("observe_many", {"masks": ["1"]}),
            ("submit_diagnosis", {"estimator": "ridge_main"}),
        ):
            episode.call(Call(tool=tool, arguments=arguments))
    return folder


def test_an_episode_is_a_record_with_a_step_a_call_and_no_truth(tmp_path: Path) -> None:
    folder = _play(tmp_path / "game")
    (found,) = convert([folder])
    assert (found.format, found.refused) == ("whatworked-episode", None)
    assert found.record is not None
    assert found.world is not None
    steps = found.record.steps
    assert [event_of(step.where) for step in steps] == [None, 1, 2, 3, 4]
    assert [step.kind for step in steps[1:]] == ["experiment", "bookkeeping", "experiment", "submit"]
    assert [step.failed for step in steps[1:]] == [False, False, True, False]
    # Utilities as the shipped reference table has them, in full, and none of a mask that was not bought.
    truth = effects_environment().find("wine__d6").surface.utilities.tolist()
    assert f"100000: {truth[32]!r}" in (steps[1].observation or "")
    unseen = set(truth) - {truth[rank] for rank in (0, 16, 32, 63)}
    assert not any(repr(value).encode() in record_bytes(found.record) for value in unseen)
    assert steps[2].action == "text: B raises the utility by 0.45 where all others are off."
    assert steps[0].words == found.world.task_prompt
    assert "192 pairs" in (found.world.task_prompt or "")


def test_files_beside_the_journal_do_not_change_the_record(tmp_path: Path) -> None:
    folder = _play(tmp_path / "game")
    (before,) = convert([folder])
    (folder / "page.html").write_text("<p>")
    (after,) = convert([folder])
    assert before.record is not None
    assert after.record is not None
    assert record_bytes(before.record) == record_bytes(after.record)


def test_every_tool_of_both_environments_has_a_kind() -> None:
    rules = environment_of("effects")
    options = rules.options_of({"view": "full+rules", "delivery": "draft"})
    offered = rules.tools(rules.start(rules.find("wine__d6"), options).state)
    assert {tool.name for tool in (*offered, *tool_table())} <= set(TOOLS)
