"""A model's turn: five segments, the document last in the fixed one, and replies that are read or sent back."""

from __future__ import annotations

import json

import pytest
from drift_worlds import figure

from whatworked.environments.drift.opening import opening_facts, opening_text
from whatworked.environments.drift.playing import new_play, reply_to
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.texts import text_file
from whatworked.environments.drift.turns import ECHOED, prompt_segments, read_reply, retry_text


@pytest.mark.parametrize("disclosed", [False, True])
def test_the_document_closes_the_fixed_segment(disclosed: bool) -> None:
    instance, options = figure(), Options(disclosed=disclosed)
    facts = opening_facts(instance, options)
    play = reply_to(instance, new_play(instance, options), "act", {"verb": "goto", "target": "registry"}).play
    digest = reply_to(instance, play, "digest", {}).result["lines"]
    view = reply_to(instance, play, "look", {}).result
    parts = prompt_segments(facts, digest, "", [], view)
    assert list(parts) == list("ABCDE")
    assert parts["A"].endswith(text_file("document.md")) is disclosed
    assert parts["B"].startswith(text_file("scene.md"))
    assert parts["B"].endswith(digest[-1])
    assert set(json.loads(parts["E"])) == {
        "available_actions", "blocked_actions", "budgets", "commit_window", "loop", "view",
    }  # fmt: skip
    # Programs are told nothing that the text keeps back.
    told = opening_text(instance, options)
    assert facts["rules"] in told
    assert all(scene in told for scene in facts["scene"])
    assert all(question in told for question in facts["preflight"])


def test_a_reply_is_a_note_an_action_and_a_recall() -> None:
    asked = '{"action": {"verb": "commit", "intake": 1}, "note": {"replace": "x"}, "recall": {"site": "drum"}}'
    text = f"```json\n{asked}\n```"
    assert read_reply(text).calls == (
        ("note", {"text": "x", "mode": "replace"}),
        ("commit", {"intake": 1, "answer": None, "counter": None}),
        ("recall", {"site": "drum"}),
    )
    assert read_reply('{"action": {"verb": "yield"}}').calls == (("yield_remaining_budget", {}),)


@pytest.mark.parametrize(
    ("reply", "problem"),
    [
        ("", "not one JSON object"),
        ("{", "is no JSON"),
        ('{"action": "wait"}', "`action`"),
        ('{"action": {}, "note": {"add": "x"}}', "`note`"),
        ('{"action": {}, "note": {"append": 3}}', "`note`"),
        ('{"action": {}, "recall": []}', "`recall`"),
        ('{"action": {}, "thought": "x"}', "thought"),
        ('{"action": {}, "action": {}}', "more than once"),
        ("[" * 5000, "not one JSON object"),
    ],
)
def test_a_reply_that_cannot_be_read_is_sent_back(reply: str, problem: str) -> None:
    turn = read_reply(reply)
    assert turn.calls == ()
    assert problem in (turn.problem or "")
    told = retry_text(turn.problem or "", reply)
    assert turn.problem in told
    assert len(told) < ECHOED + 1500
