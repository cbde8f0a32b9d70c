"""Players that answer with text: the loop, its replay, and note aids that leave the world as it was."""

from __future__ import annotations

import asyncio
import json
import random
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from command_line import run_here
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked import judging
from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.scoring import events_of, revisions_of
from whatworked.environments.drift.texts import text_file
from whatworked.episodes import Episode
from whatworked.episodes.about import read_about
from whatworked.episodes.folder import EpisodeFolder
from whatworked.episodes.fronts.game import Game
from whatworked.episodes.playing import RecordedHost
from whatworked.episodes.records import read_record
from whatworked.episodes.speaking import AIDS, Transcript, speak, transcript_bytes
from whatworked.episodes.speaking.aids import call_limit
from whatworked.episodes.speaking.regions import REGION_CHARACTERS
from whatworked.episodes.speaking.texts import aid_texts
from whatworked.errors import CapReachedError
from whatworked.judging import Caps, InspectJudge, Reply, Request, open_panel
from whatworked.process.drift.blinding import blinding

BUDGET = 14
ROUTE = [
    {"action": {"verb": "goto", "target": "registry"}, "note": {"append": "I begin at the registry"}},
    {"action": {"verb": "read", "target": "audit-counter"}, "recall": {"site": "registry"}},
    {"action": {"verb": "wait", "n": 3}, "note": {"append": "x" * 13_000}},
    {"action": {"verb": "cull", "target": "registry-line-1"}},
    {"action": {"verb": "commit", "intake": 3, "answer": 2, "counter": 17}},
]


class Talker:
    """A scripted model: it says the same whatever a note aid tells it, and answers aids at random."""

    name = "talker"

    def __init__(self, said: list[Any], seed: int = 0) -> None:
        self.said, self.prompts, self.aid_prompts = said, [], []
        self._seed = seed

    async def reply(self, request: Request) -> Reply:
        if request.question == "drift-preflight":
            return self._text('{"answers": ["1", "no", "1", "1", "yes"]}')
        if request.question == "drift-turn":
            self.prompts.append(request.prompt)
            turn = int(str(request.fields["turn"])) - 1
            said = self.said[turn] if turn < len(self.said) else {"action": {"verb": "wait", "n": 1}}
            return self._text(said if isinstance(said, str) else json.dumps(said))
        self.aid_prompts.append(request.prompt)
        rng = random.Random(f"{self._seed} {request.vote} {request.prompt}")
        return self._text(aid_answer(request.question, rng))

    def _text(self, text: str) -> Reply:
        return Reply(kind="answer", text=text, model=self.name)


def aid_answer(question: str, rng: random.Random) -> str:
    word = f"word{rng.randrange(100)} {aid_texts().end} more"
    account = {"claim": word, "next_step": word, "predicted": word}
    answers: Mapping[str, Any] = {
        "aid-review": {
            "best_account": word, "open_puzzles": [word] * rng.randrange(6),
            "what_i_got_wrong": [{"was": word, "evidence": word}] * rng.randrange(6),
        },
        "aid-propose": {"accounts": [account] * rng.randint(1, 5)},
        "aid-screen": {"redundant": rng.random() < 0.5, "separates": word, "verdict": word, "better_test": ""},
        "aid-refute": {"refuted": [{"account": rng.randint(1, 9), "reason": word} for _ in range(rng.randrange(4))]},
        "aid-breed": {"accounts": [{"text": word, "parents": [rng.randrange(9)]}] * rng.randint(1, 6)},
        "aid-fitness": {"scores": [{"account": n, "fitness": rng.random()} for n in range(rng.randrange(9))]},
    }  # fmt: skip
    return "I cannot say" if rng.random() < 0.2 else json.dumps(answers[question])


def played(
    folder: Path, talker: Any, scaffold: str | None = None, calls: Path | None = None, caps: Caps | None = None
) -> tuple[Transcript, list[Any]]:
    rules = DriftEnvironment()
    with Episode(folder, rules, rules.find("evaluation-003"), {"budget": BUDGET}) as episode:

        async def talk() -> Transcript:
            async with open_panel(talker, journal=calls, caps=caps) as panel:
                return await speak(Game(RecordedHost(episode)), panel, "talker", scaffold=scaffold)

        spoken = asyncio.run(talk())
        return spoken, [entry.event for entry in episode.entries]


def test_a_conversation_is_carried_out_word_by_word(tmp_path: Path) -> None:
    talker = Talker(["I think that…", *ROUTE])
    spoken, events = played(tmp_path / "e", talker)
    assert [event.verb for event in events_of(events)][:4] == ["goto", "read", "wait", "cull"]
    assert [(r.paid, r.kept) for r in revisions_of(events)] == [(0, True), (2, False)]
    assert [event.refusal.code for event in events if event.refusal] == ["no_action", "too_long"]
    assert (spoken.unread, spoken.aid_calls) == (1, 0)
    assert "not one JSON object" in talker.prompts[1]
    assert "I begin at the registry" in talker.prompts[2]
    assert "it holds 12000" in talker.prompts[4]
    assert "Asked to" not in talker.prompts[3]
    # What was recalled stands in the next prompt only; the whole of what happened stands in each.
    recalled = [prompt.split("What you asked to recall:")[1].count("audit-counter") for prompt in talker.prompts]
    assert recalled[3] > recalled[4]
    for prompt in talker.prompts[4:]:
        assert "3 [pass 1, tick 2] wait 3" in prompt
    # Turns were counted as the rules do, and the last of them closed the episode.
    assert sum(event.charges.get("turns", 0) for event in events) == len(spoken.turns) - 1
    assert events_of(events)[-1].paid == BUDGET


def world(events: list[Any]) -> list[Any]:
    """What a journal says but for when it was written."""
    return [(event.call, event.result, event.charges, event.refusal) for event in events]


ACTIONS = st.sampled_from(
    [
        {"verb": "goto", "target": "fen-shallows"}, {"verb": "goto", "target": "registry"}, {"verb": "wait", "n": 5},
        {"verb": "read", "target": "intake-tallyboard"}, {"verb": "feed", "target": "feeder-3"}, {"verb": "yield"},
        {"verb": "commit", "intake": 1, "answer": 2, "counter": 3}, {"verb": "dance"},
    ]
)  # fmt: skip
REPLIES = st.lists(
    st.one_of(
        st.builds(lambda action, text: {"action": action, "note": {"append": text}}, ACTIONS, st.text(max_size=20)),
        st.builds(lambda action: {"action": action}, ACTIONS),
        st.just("no JSON"),
    ),
    max_size=12,
)


@settings(max_examples=4, deadline=None)
@given(said=REPLIES, seed=st.integers(0, 99))
def test_the_same_replies_make_the_same_world_under_every_scaffold(
    tmp_path_factory: pytest.TempPathFactory, said: list[Any], seed: int
) -> None:
    folder = tmp_path_factory.mktemp("worlds")
    _, plain = played(folder / "plain", Talker(said))
    for scaffold in AIDS:
        talker = Talker(said, seed)
        spoken, events = played(folder / scaffold, talker, scaffold)
        assert world(events) == world(plain)
        assert len(talker.aid_prompts) == spoken.aid_calls <= spoken.aid_limit == call_limit(scaffold, BUDGET)
        # The region is bounded and closed once, and nothing of it is left where the judge reads.
        for turn in spoken.turns:
            for written in (turn.region, turn.aside):
                assert len(written) <= REGION_CHARACTERS
                assert written.count(aid_texts().end) == bool(written)
                assert blinding().hide(f"mine\n{written}\nmine too") == f"mine\n{written and ''}mine too" or not written
        # No aid is told what can be done, or how the world is worked.
        assert not any("available_actions" in prompt or "paid action" in prompt for prompt in talker.aid_prompts)


def test_scaffolds_ask_by_their_schedules(tmp_path: Path) -> None:
    told = {}
    for scaffold in AIDS:
        spoken, _ = played(tmp_path / scaffold, Talker(ROUTE, seed=3), scaffold)
        told[scaffold] = [[name for name, _ in turn.aid] for turn in spoken.turns[1:]]
        assert any(turn.region for turn in spoken.turns)
    # Ten actions are paid for before turn 11.
    assert told["self-critique"] == [[]] * 10 + [["aid-review"]] + [[]] * 3
    assert told["evolution"][1:] == [["aid-breed", "aid-fitness"]] * 13
    assert told["falsification"][0] == ["aid-propose", "aid-screen"]
    assert all(names[0] == "aid-refute" and names[-1] == "aid-screen" for names in told["falsification"][1:])


def test_an_interrupted_conversation_goes_on_and_asks_nothing_twice(tmp_path: Path) -> None:
    calls = tmp_path / "calls"
    with pytest.raises(CapReachedError):
        played(tmp_path / "cut", Talker(ROUTE), "evolution", calls, Caps(calls=20))
    again = Talker(ROUTE)
    spoken, events = played(tmp_path / "cut", again, "evolution", calls)
    whole, at_once = played(tmp_path / "whole", Talker(ROUTE), "evolution")
    assert world(events) == world(at_once)
    assert len(again.prompts) + len(again.aid_prompts) == len(whole.turns) + whole.aid_calls - 20
    nobody = Talker([])
    assert transcript_bytes(played(tmp_path / "cut", nobody, "evolution", calls)[0]) == transcript_bytes(spoken)
    assert nobody.prompts == nobody.aid_prompts == []


def test_a_model_behind_inspect_plays_from_the_command_line(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    def says(messages: Any, *_: object) -> ModelOutput:
        prompt = messages[-1].text
        turn = "What happened so far:" in prompt and len(set(re.findall(r"^\d+ \[pass", prompt, re.MULTILINE)))
        text = json.dumps(ROUTE[turn] if turn < len(ROUTE) else ROUTE[2]) if turn is not False else "What?"
        output = ModelOutput.from_content("mockllm/model", text)
        output.usage = ModelUsage(input_tokens=1000, output_tokens=10, total_tokens=1010)
        return output

    model = get_model("mockllm/model", custom_outputs=says, memoize=False)
    monkeypatch.setattr(judging, "named_judge", lambda name, base_url: InspectJudge(model))
    given = ("play", "drift", "evaluation-003", "--player", "inspect:mockllm/model", "--scaffold", "self-critique")
    given += ("--budget", str(BUDGET), "--out", str(tmp_path / "e"))
    shown = run_here(*given, "--dry-run")
    assert re.search(r"^self-critique +2 \(1 to 3\)", shown.stdout, re.MULTILINE)
    assert list(tmp_path.iterdir()) == []
    shown = run_here(*given, "--max-calls", "4")
    assert (shown.returncode, "cap of 4 calls" in shown.stderr) == (2, True)
    shown = run_here(*given)
    assert shown.returncode == 0, shown.stderr
    # The prompts of a review are answered with "What?" twice; the questions before the first action once.
    assert "15 replies, 1 of them could not be taken; self-critique used 2 of its 3 calls" in shown.stdout
    assert "13 calls sent, 4 from the journal" in shown.stdout
    head, first, *turns = map(json.loads, (tmp_path / "e" / "transcript.jsonl").read_text().splitlines())
    assert (head["player"], first["problem"], len(turns)) == (
        "mockllm/model",
        'the reply is not {"answers": [...]}',
        14,
    )
    shown = run_here("drift", "judge", str(tmp_path / "e"), "--judge", "stub", "--out", str(tmp_path / "judged"))
    assert shown.returncode == 0, shown.stderr
    mistakes = {
        "unknown scaffold 'none'": (*given[:5], "--scaffold", "none"),
        "not effects": ("play", "effects", "wine", "--player", "inspect:mockllm/model"),
        "give --player inspect:MODEL": ("play", "drift", "evaluation-003", "--player", "route", "--dry-run"),
    }
    for message, arguments in mistakes.items():
        shown = run_here(*arguments)
        assert (shown.returncode, message in shown.stderr) == (2, True), shown.stderr


def test_a_note_aid_beside_an_inspect_task_leaves_the_episode_as_it_was(tmp_path: Path) -> None:
    from inspect_ai import eval as run
    from inspect_ai.model import ModelOutput, ModelUsage, get_model

    from whatworked._inspect import drift

    asked: list[str] = []

    def says(messages: Any, *_: object) -> ModelOutput:
        asked.append(messages[-1].text)
        question = "aid-breed" if "as many as are wanted" in asked[-1] else "aid-fitness"
        output = ModelOutput.from_content("mockllm/model", aid_answer(question, random.Random(7)))
        output.usage = ModelUsage(input_tokens=1, output_tokens=1, total_tokens=2)
        return output

    aid = get_model("mockllm/model", custom_outputs=says, memoize=False)
    bodies, logs = [], []
    for name, scaffold in (("plain", None), ("aided", "evolution")):
        task = drift("evaluation-003", budget=12, episodes=str(tmp_path / name), scaffold=scaffold)
        (log,) = run(
            task, model="wwscript/document-copier", model_roles={"aid": aid}, log_dir=str(tmp_path / "logs"),
            display="none",
        )  # fmt: skip
        assert log.status == "success", log.error
        bodies.append([entry.body for entry in read_record(tmp_path / name / "evaluation-003-1").entries])
        logs.append(log)
    assert bodies[0] == bodies[1]
    assert read_about(EpisodeFolder(tmp_path / "aided" / "evaluation-003-1")).player.endswith(" + evolution")
    regions = [[m.text for m in log.samples[0].messages if aid_texts().begin in m.text] for log in logs]
    assert [len(found) for found in regions] == [0, 1]
    # Notes and events reach the aid, and neither the opening nor what can be done.
    assert any("[pass 1, tick 0]" in prompt for prompt in asked)
    assert any(text_file("document.md")[:100] in prompt for prompt in asked)
    assert not any("paid action" in prompt for prompt in asked)
