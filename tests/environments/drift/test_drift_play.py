"""The drift under the engine: four variants of one world, what a player may write and ask, and what leaks to it."""

from __future__ import annotations

import importlib
import json
import random
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from drift_worlds import FIGURE, figure

from whatworked.environments.drift.environment import DriftEnvironment
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.inventory import BODIES, INTERVENTIONS, OUTSIDE, SITES
from whatworked.environments.drift.playing import TOOLS, new_play, reply_to, turn_limits
from whatworked.environments.drift.rules import Options
from whatworked.environments.drift.scoring import events_of, revisions_of
from whatworked.environments.drift.strategies.hands import Table
from whatworked.environments.drift.texts import (
    NOTE_CHARACTERS,
    RECALL_CHARACTERS,
    order_text,
    preflight_answers,
    scene_texts,
    text_file,
)
from whatworked.environments.drift.tools import tool_table
from whatworked.episodes import Call, Episode
from whatworked.episodes.players import DRIFT_PLAYERS
from whatworked.episodes.players.drift import play_falsifiers, play_random, play_route
from whatworked.errors import InvalidOptionError, UnknownNameError

VARIANTS = [(seen, told) for seen in ("distributed", "aligned") for told in ("open", "disclosed")]


class Seat:
    """What a scripted player holds of an episode."""

    def __init__(self, episode: Episode) -> None:
        self.episode = episode

    def call(self, tool: str, /, **arguments: Any) -> Any:
        return self.episode.call(Call(tool=tool, arguments=arguments))


def opened(folder: Path, name: str = "evaluation-000", **options: Any) -> Episode:
    rules = DriftEnvironment()
    return Episode(folder, rules, rules.find(name), options)


def scored(episode: Episode) -> Any:
    rules = DriftEnvironment()
    journal = [entry.event for entry in episode.entries]
    return rules.score(journal, rules.find("evaluation-000"), episode.terms.options)


def test_the_route_in_four_variants_differs_in_text_and_postings_only(tmp_path: Path) -> None:
    played = {}
    for evidence, representation in VARIANTS:
        with opened(tmp_path / f"{evidence}-{representation}", variant=f"{representation}-{evidence}") as episode:
            play_route(Seat(episode))
            played[evidence, representation] = (
                episode.opening,
                [entry.event for entry in episode.entries],
                scored(episode),
            )
    scores = {variant: score for variant, (_, _, score) in played.items()}
    assert all(score.delivered for score in scores.values())
    assert len({json.dumps(score.details["answer"]) for score in scores.values()}) == 1
    assert {score.values["evidence"] for (seen, _), score in scores.items() if seen == "distributed"} == {6}
    assert {score.values["evidence"] for (seen, _), score in scores.items() if seen == "aligned"} == {7}
    assert {score.values["paid"] for score in scores.values()} == {191}
    # The opening differs by the document, and the events by what is posted.
    document = text_file("document.md")
    for evidence, representation in VARIANTS:
        opening, journal, _ = played[evidence, representation]
        plain, plain_journal, _ = played["distributed", "open"]
        assert opening.text.replace(f"\n\n{document}", "") == plain.text
        assert (document in opening.text) is (representation == "disclosed")
        assert {**opening.facts, "document": None} == plain.facts
        assert [without_postings(event.result) for event in journal] == [
            without_postings(event.result) for event in plain_journal
        ]
        assert any("Pinned up" in event.result["text"] for event in journal if event.result.get("text")) is (
            evidence == "aligned"
        )


def without_postings(result: Mapping[str, Any]) -> Any:
    """A result with the posted rows taken out of event and text."""
    if "event" not in result:
        return result
    event = {name: value for name, value in result["event"].items() if name != "posted"}
    text = result["text"]
    if "posted" in result["event"]:
        text = text.split("\nPinned up")[0].split("\nNothing is pinned")[0]
    return {**result, "event": event, "text": text}


class TableSeat:
    """The same without a journal."""

    def __init__(self, instance: Instance) -> None:
        self.table = Table(instance, Options())

    def call(self, tool: str, /, **arguments: Any) -> Any:
        reply = self.table(tool, arguments)
        return SimpleNamespace(result=reply["result"], refused=reply.get("refused"))


@pytest.mark.parametrize("player", DRIFT_PLAYERS)
def test_every_player_plays_to_its_end(player: str) -> None:
    module, _, function = DRIFT_PLAYERS[player].partition(":")
    seat = TableSeat(figure())
    getattr(importlib.import_module(module), function)(seat, seed=1)
    outcomes = [event.outcome for event in seat.table.events]
    assert len(outcomes) > 1
    assert ("committed" in outcomes) is (player not in ("walk", "falsifiers"))


def test_an_episode_goes_on_from_its_journal_and_scores_the_same(tmp_path: Path) -> None:
    with opened(tmp_path, variant="open-aligned", budget=60) as episode:
        seat = Seat(episode)
        assert seat.call("preflight", answers=["1", "yes", "2", "3", "no"]).result == {"taken": True}
        play_random(seat, seed=3)
        before = scored(episode)
    with opened(tmp_path, variant="open-aligned", budget=60) as again:
        assert scored(again) == before
        assert len(again.entries) > 40
    assert before.values["flagged"]
    assert before.delivered


def test_notes_are_kept_word_for_word_numbered_and_never_cut(tmp_path: Path) -> None:
    with opened(tmp_path) as episode:
        seat = Seat(episode)
        seat.call("note", text="first")
        seat.call("act", verb="goto", target="registry")
        assert seat.call("note", text="x" * 12_000).refused.code == "too_long"
        seat.call("note", text="second", mode="replace")
        assert seat.call("look").result["workspace"] == "second"
        written = list(revisions_of([entry.event for entry in episode.entries]))
        assert [(note.number, note.paid, note.kept, note.replaces) for note in written] == [
            (1, 0, True, False), (2, 1, False, False), (3, 1, True, True),
        ]  # fmt: skip
        assert seat.call("note", text=3).refused.code == "bad_argument"
        assert episode.standing().budgets["paid"].used == 1


def test_recall_digest_and_view_are_free_and_say_when_something_is_left_out(tmp_path: Path) -> None:
    with opened(tmp_path) as episode:
        seat = Seat(episode)
        for _ in range(60):
            seat.call("act", verb="goto", target="registry")
            seat.call("act", verb="read", target="standing-roster")
        rows = seat.call("recall", kind="read", site="registry").result
        assert rows["found"] == 60
        assert len(rows["events"]) < 60
        assert "fit" in rows["notice"]
        assert seat.call("recall", first_pass=1, last_pass=1, kind="goto").result["found"] == 12
        assert seat.call("recall", instrument="job-strip").result == {"events": [], "found": 0}
        assert seat.call("recall", kind="fly").refused.code == "bad_argument"
        lines = seat.call("digest").result["lines"]
        assert len(lines) == 120
        assert sum(map(len, lines)) <= 96_000
        assert episode.standing().budgets["paid"].used == 120


def test_every_tool_and_argument_is_told_what_it_is_for() -> None:
    assert [tool.name for tool in tool_table()] == list(TOOLS)
    for tool in tool_table():
        assert tool.purpose
        assert set(tool.required) <= set(tool.parameters)
        assert all(schema["description"] and schema["type"] for schema in tool.parameters.values())


@pytest.mark.parametrize(("budget", "limits"), [(200, (300, 100)), (600, (900, 300)), (400, (600, 200))])
def test_turns_scale_with_the_budget(budget: int, limits: tuple[int, int]) -> None:
    assert tuple(turn_limits(Options(budget=budget)).values()) == limits
    assert (NOTE_CHARACTERS, RECALL_CHARACTERS) == (3000 * 4, 4000 * 4)


def test_what_is_no_action_costs_a_turn_and_nothing_else(tmp_path: Path) -> None:
    with opened(tmp_path) as episode:
        seat = Seat(episode)
        for arguments in (
            {"verb": "fly"},
            {"verb": "read", "target": "job-strip"},
            {"verb": "wait", "n": 0},
            {"verb": []},
        ):
            assert seat.call("act", **arguments).refused.code == "no_action"
        assert seat.call("commit", intake=1, answer=1, counter=1).refused.code == "no_action"
        used = {name: budget.used for name, budget in episode.standing().budgets.items()}
        assert used == {"paid": 0, "turns": 5, "aux_turns": 5}
        assert seat.call("look", site="drum").refused.code == "bad_argument"


def test_a_person_may_write_an_action_in_one_word_and_sees_a_map(tmp_path: Path) -> None:
    with opened(tmp_path) as episode:
        seat = Seat(episode)
        told = [
            seat.call("act", verb=words).result["event"]
            for words in ("goto registry", "wait 3", "feed registry-line-1")
        ]
        assert [(event["verb"], event.get("target"), event.get("n")) for event in told] == [
            ("goto", "registry", None), ("wait", None, 3), ("feed", "registry-line-1", None),
        ]  # fmt: skip
        assert seat.call("act", verb="wait long").refused.code == "no_action"
        drawn = episode.sketch()
        assert "[registry]" in drawn
        assert "tick 5 of 24, 197 actions left" in drawn
        assert all(site in drawn for site in SITES)


def test_preflight_is_asked_once_before_the_first_action() -> None:
    instance = figure()
    play = new_play(instance, Options())
    right = preflight_answers(instance)
    assert right == ["4", "yes", "5", "7", "yes"]
    assert reply_to(instance, play, "preflight", {"answers": [4, True, "5", " 7.", "Yes"]}).play.preflight == 5
    assert reply_to(instance, play, "preflight", {"answers": right[:4]}).refusal
    acted = reply_to(instance, play, "act", {"verb": "goto", "target": "drum"}).play
    assert acted.preflight == "declined"
    assert reply_to(instance, acted, "preflight", {"answers": right}).refusal


def test_the_order_is_posted_with_ten_actions_left_and_a_commit_says_only_that_it_was_taken() -> None:
    instance = figure()
    play = new_play(instance, Options(budget=12))
    replies = []
    for _ in range(2):
        replies.append(reply_to(instance, play, "act", {"verb": "goto", "target": "drum"}))
        play = replies[-1].play
    assert "order" not in replies[0].result
    assert replies[1].result["order_text"] == order_text(instance)
    assert "beacon-k" not in json.dumps(replies[1].result)
    told = [
        reply_to(instance, play, "commit", dict(zip(("intake", "answer", "counter"), figures, strict=True)))
        for figures in ((12, 1, 20), (1, 1, 1), ("x", None, 3))
    ]
    assert [reply.refusal for reply in told] == [None, None, None]
    assert len({reply.result["text"] for reply in told}) == 1
    assert told[2].play.state.commitment == (None,)


def test_the_order_reads_the_same_but_for_its_tick() -> None:
    texts = [
        order_text(figure(order={"tick": tick, "beacon": beacon}))
        for tick in range(1, 8)
        for beacon in ("beacon-k", "beacon-c2")
    ]
    assert len(set(texts)) == 7


def played(instance: Instance, seed: int, options: Options) -> list[Any]:
    """What a random player is answered, with what instruments and deferrals say taken out."""
    chance = random.Random(seed)
    play = new_play(instance, options)
    heard: list[Any] = []
    while len(heard) < 150:
        site = SITES[play.state.place or "drum"]
        kind = chance.randrange(4)
        arguments: dict[str, Any] = {"verb": "goto", "target": chance.choice(list(SITES))}
        if kind == 1 and site.instruments:
            arguments = {"verb": "read", "target": chance.choice(site.instruments)}
        elif kind > 1:
            arguments = {"verb": chance.choice(INTERVENTIONS), "target": chance.choice(site.bodies)}
        reply = reply_to(instance, play, "act", arguments)
        look = reply_to(instance, reply.play, "look", {})
        play = reply.play
        heard.append([masked(dict(reply.result)), reply.refusal, dict(reply.charges), reply.events, look.result])
    return heard


def masked(result: dict[str, Any]) -> dict[str, Any]:
    if "event" not in result:
        return result
    event = dict(result["event"])
    text = result["text"]
    if event["outcome"] in ("acknowledged", "deferred", "refused"):
        event |= {"outcome": "answered", "sentence": None}
        text = ""
    if event["outcome"] == "read":
        text = [text.splitlines()[0], text.splitlines()[1], text.splitlines()[-1]]
        event["reading"] = None
    if "posted" in event:
        event["posted"] = [posting["stream"] for posting in event["posted"]]
        text = text.split("\nPinned up")[0]
    return {**result, "event": event, "text": text}


@pytest.mark.parametrize("seed", [1, 2, 3])
def test_nothing_but_instruments_and_deferrals_depends_on_hidden_labels(seed: int) -> None:
    """Labels, states, schedule and cycle are dealt anew; all else that is said is the same."""
    plain = figure()
    chance = random.Random(seed)
    outside = [BODIES[body] for body in OUTSIDE]
    dealt = dict(zip(outside, chance.sample([plain.file.labels[name] for name in outside], len(outside)), strict=True))
    labels = plain.file.labels | dealt
    occupied = sorted({label for name, label in labels.items() if name in outside})
    other = figure(
        labels=labels,
        states=[[label, chance.randrange(1, 5)] for label in occupied],
        schedule={"3": [["beacon-c2", 0, 1]]},
        bases={"feeder-1": 9},
        due={"consignment-q": 12},
        kinds=["cadastre", "consign", "ladder", "fen", "trellis"],
    )
    for options in (Options(), Options(aligned=True, disclosed=True)):
        assert order_text(other) == order_text(plain)
        assert played(other, seed, options) == played(plain, seed, options)
    assert scene_texts(other) == scene_texts(plain)


def test_refusals_are_the_same_at_every_site() -> None:
    """The sealed sentence at the Mast and at the Drum, and one message for what is not here wherever one stands."""
    instance = figure()
    said = set()
    for site, body in (
        ("ladder-mast", "beacon-k"),
        ("ladder-mast", "beacon-c2"),
        ("drum", "beacon-c3"),
        ("hold", "consignment-q"),
    ):
        play = reply_to(instance, new_play(instance, Options(budget=10)), "act", {"verb": "goto", "target": site}).play
        reply = reply_to(instance, play, "act", {"verb": "stamp", "target": body})
        said.add(reply.result["text"].splitlines()[1])
    assert len(said) == 1


def test_worlds_are_found_by_name_or_file_and_settings_are_checked(tmp_path: Path) -> None:
    rules = DriftEnvironment()
    assert rules.find(str(FIGURE)).digest == rules.find(str(FIGURE)).digest
    assert rules.find("wide-evaluation-000").digest != rules.find("evaluation-000").digest
    assert (
        DriftEnvironment(salt=b"0123456789abcdef").find("evaluation-000").digest != rules.find("evaluation-000").digest
    )
    for name in ("evaluation", "", "evaluation-0x", "../etc/passwd"):
        with pytest.raises(UnknownNameError, match="there is no instance"):
            rules.find(name)
    for name in ("evaluation-012", "evaluation-999", "wide-evaluation-12", "reserved-120", "oracle-000"):
        with pytest.raises(
            UnknownNameError, match=f"no instance {name}; .* evaluation-000 to evaluation-011 and reserved"
        ):
            rules.find(name)
    assert rules.find("evaluation-11").name == "evaluation-011"
    assert rules.find("own-set-500", b"0123456789abcdef").name == "own-set-500"
    with pytest.raises(InvalidOptionError, match="Leave the salt out"):
        rules.find(str(FIGURE), b"0123456789abcdef")
    with pytest.raises(InvalidOptionError, match=r"variant is .*; there is no option 'varient'; did you mean variant"):
        rules.options_of({"variant": "all", "varient": 1})
    assert rules.options_of({"budget": "600"}) == {"budget": 600, "variant": "open-distributed"}


def test_a_player_who_tries_the_falsifiers_acts_in_the_world(tmp_path: Path) -> None:
    with opened(tmp_path) as episode:
        play_falsifiers(Seat(episode))
        journal = [entry.event for entry in episode.entries]
        assert len(list(revisions_of(journal))) == 5
        assert 70 < len(events_of(journal)) <= 105
