"""The engine on an environment with all that it must not take for granted."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType
from typing import Any

import pytest
from toy_environment import Toy

from whatworked.episodes import Call, Clock, Episode, Reply
from whatworked.errors import EpisodeError
from whatworked.storage.timed_journal import Chain


class Echo:
    """A performer that counts how often it worked."""

    def __init__(self) -> None:
        self.done = 0

    def perform(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
        self.done += 1
        return {"out": request["code"], "times": {"seconds": 0.5}}


class Time:
    """A clock that stands where it is put."""

    def __init__(self, wall: float = 1e9, steady: float = 0.0) -> None:
        self.now, self.ticks = wall, steady

    def clock(self) -> Clock:
        return Clock(wall=lambda: self.now, steady=lambda: self.ticks)

    def passes(self, seconds: float) -> None:
        self.now += seconds
        self.ticks += seconds


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    return tmp_path / "episode"


def opened(folder: Path, instance: str = "three", **given: Any) -> Episode:
    rules = Toy()
    options = {name: given.pop(name) for name in ("budget", "seconds") if name in given}
    return Episode(folder, rules, rules.find(instance), options, **given)


def ask(episode: Episode, tool: str, call_id: str | None = None, **arguments: Any) -> Reply:
    return episode.call(Call(tool=tool, arguments=arguments, call_id=call_id))


def left(reply: Reply) -> dict[str, int]:
    return {name: budget.left for name, budget in reply.budgets.items()}


def code(reply: Reply) -> str | None:
    return reply.refused.code if reply.refused else None


def test_a_whole_game_and_what_stays_of_it(folder: Path) -> None:
    with opened(folder) as episode:
        assert ask(episode, "draw", well=2).result == {"depth": 2}
        refused = ask(episode, "draw", well="x")
        assert code(refused) == "no_well"
        assert left(refused) == {"buckets": 2, "sums": 5}  # here refusals cost
        early = ask(episode, "leave", depth=3)
        assert code(early) == "too_early"
        assert not early.closed
        ask(episode, "draw", well=1)
        last = ask(episode, "leave", depth=3)
        assert last.result == {"after": 2}
        assert last.closed
        entries = episode.entries
    with opened(folder) as again:
        assert [entry.body for entry in again.entries] == [entry.body for entry in entries]
        assert again.closed
        assert left(again.standing()) == {"buckets": 1, "sums": 5}
        assert [event.facts for entry in entries for event in entry.event.events] == [{"fallen": n} for n in (1, 2, 3)]


def test_an_overdraft_charges_nothing(folder: Path) -> None:
    with opened(folder, budget=1) as episode:
        ask(episode, "draw", well=0)
        over = ask(episode, "draw", well=0)
        assert code(over) == "overdraft"
        assert left(over) == {"buckets": 0, "sums": 5}
        assert ask(episode, "look").result["rain"] == 1  # nor did the world move


def test_the_same_call_again_has_the_same_reply_and_is_not_made_again(folder: Path) -> None:
    with opened(folder) as episode:
        first = ask(episode, "draw", "a", well=1)
        ask(episode, "draw", "b", well=2)
        assert ask(episode, "draw", "a", well=1).content() | {"remaining_seconds": 0} == first.content() | {
            "remaining_seconds": 0
        }
        assert code(ask(episode, "draw", "a", well=2)) == "call_id_used"
        assert left(episode.standing())["buckets"] == 2
        bad = ask(episode, "draw", "c", well=9)
        assert ask(episode, "draw", "c", well=9).number == bad.number
    with opened(folder) as again:
        assert ask(again, "draw", "a", well=1).number == first.number
        assert len(again.entries) == 4


def test_after_closing_the_closing_call_alone_is_answered(folder: Path) -> None:
    with opened(folder) as episode:
        ask(episode, "draw", "x", well=1)
        ask(episode, "draw", well=1)
        last = ask(episode, "leave", depth=2)
        assert ask(episode, "leave", depth=2).number == last.number
        assert ask(episode, "leave", "new", depth=2).number == last.number
        assert code(ask(episode, "leave", depth=3)) == "closed"
        assert code(ask(episode, "look")) == "closed"
        assert ask(episode, "draw", "x", well=1).number == 1


def test_work_is_done_once_and_never_by_folding(folder: Path) -> None:
    echo = Echo()
    with opened(folder, performers={"python": echo}) as episode:
        reply = ask(episode, "sum", code="1")
        assert reply.result == {"out": "1"}
        assert reply.times == {"seconds": 0.5}
        assert left(reply)["sums"] == 4
        for number in range(4):
            ask(episode, "sum", code=str(number))
        assert code(ask(episode, "sum", code="9")) == "overdraft"
    with opened(folder, performers={"python": echo}) as again:
        assert left(again.standing())["sums"] == 0
    assert echo.done == 5


def test_work_that_nobody_can_do_is_said_and_is_free(folder: Path) -> None:
    class Broken:
        def perform(self, request: Mapping[str, Any]) -> Mapping[str, Any]:
            raise OSError("/home/secret")

    with opened(folder) as episode:
        assert code(ask(episode, "sum", code="1")) == "unavailable"
    with opened(folder, performers={"python": Broken()}) as episode:
        reply = ask(episode, "sum", code="1")
        assert code(reply) == "unavailable"
        assert "secret" not in str(reply)
        assert left(reply)["sums"] == 5
    assert "/home/secret" in (folder / "host.log").read_text()
    for name in ("host.log", "episode.journal"):
        assert (folder / name).stat().st_mode & 0o777 == 0o600


def test_a_fault_of_the_rules_tells_the_player_nothing(folder: Path) -> None:
    with opened(folder) as episode:
        reply = ask(episode, "crash")
        assert code(reply) == "internal"
        assert "secret" not in str(reply.content())
        assert ask(episode, "draw", well=1).result == {"depth": 1}
    with opened(folder) as again:
        assert len(again.entries) == 2


def test_the_deadline_outlasts_restarts_and_clocks_that_are_set_back(folder: Path) -> None:
    time = Time()
    with opened(folder, clock=time.clock(), seconds=60) as episode:
        ask(episode, "draw", well=1)
        time.passes(40)
        assert ask(episode, "draw", well=1).remaining_seconds == 20
    time.now -= 3600
    time.ticks = 5
    with opened(folder, clock=time.clock(), seconds=60) as episode:
        assert ask(episode, "look").remaining_seconds == 20
        time.ticks += 15
        assert ask(episode, "look").remaining_seconds == 5
    time.now += 3600 + 21
    with opened(folder, clock=time.clock(), seconds=60) as episode:
        late = ask(episode, "draw", well=1)
        assert code(late) == "deadline"
        assert "leave can still be called" in str(late.refused)
        assert late.remaining_seconds == 0
        assert ask(episode, "leave", depth=2).closed


def test_a_clock_that_is_set_back_while_playing_gives_no_time(folder: Path) -> None:
    time = Time()
    with opened(folder, clock=time.clock(), seconds=60) as episode:
        time.passes(30)
        time.now -= 25
        assert ask(episode, "look").remaining_seconds == 30
        time.ticks += 10
        assert ask(episode, "look").remaining_seconds == 20


@pytest.mark.parametrize(
    ("change", "named"),
    [
        ({"instance": "four"}, "instance: three there, four here"),
        ({"budget": 5}, 'options: {"budget":4,"seconds":100} there'),
        ({"salt": b"\1"}, "salt"),
    ],
    ids=["instance", "options", "salt"],
)
def test_other_terms_are_named_and_nothing_is_changed(folder: Path, change: dict[str, Any], named: str) -> None:
    opened(folder).close()
    before = (folder / "episode.journal").read_bytes()
    with pytest.raises(EpisodeError, match=named):
        opened(folder, **change)
    assert (folder / "episode.journal").read_bytes() == before


@pytest.mark.parametrize("attribute", ["version", "name"])
def test_other_rules_are_named(folder: Path, attribute: str, monkeypatch: pytest.MonkeyPatch) -> None:
    opened(folder).close()
    monkeypatch.setattr(Toy, attribute, "other")
    with pytest.raises(EpisodeError, match=r"environment.*: .* there, other here"):
        opened(folder)


def test_an_interrupt_between_the_disk_and_the_answer_loses_and_doubles_nothing(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as episode:
        ask(episode, "draw", well=1)

        def interrupted(*_: object) -> None:
            raise KeyboardInterrupt

        monkeypatch.setattr(episode, "_take", interrupted)
        with pytest.raises(KeyboardInterrupt):
            ask(episode, "draw", "x", well=2)
        monkeypatch.undo()
        assert left(episode.standing())["buckets"] == 2
        assert ask(episode, "draw", "x", well=2).number == 2
        assert ask(episode, "draw", well=0).number == 3
    with opened(folder) as again:
        assert [entry.event.number for entry in again.entries] == [1, 2, 3]


@pytest.mark.parametrize("function", [Episode._take, Chain._lines], ids=["taking in", "reading lines"])
def test_an_interrupt_in_any_line_of_taking_in_loses_and_doubles_nothing(tmp_path: Path, function: Any) -> None:
    """A repeated call is known by its id afterwards, and the journal still fits."""
    done = False
    for place in range(100):
        with opened(tmp_path / str(place)) as episode:
            ask(episode, "draw", well=1)
            done = not _interrupted(place, function, lambda episode=episode: ask(episode, "draw", "x", well=2))
            assert ask(episode, "draw", "x", well=2).number == 2
            assert left(episode.standing())["buckets"] == 2
            assert len(episode.entries) == 2
        if done:
            break
    assert done
    assert place > 5


def _interrupted(place: int, function: Any, act: Callable[[], Any]) -> bool:
    """Act, with an interrupt before the line of the function that comes `place` lines after its first."""
    passed = 0

    def traced(frame: FrameType, event: str, _: Any) -> Any:
        nonlocal passed
        if frame.f_code is not function.__code__:
            return traced if event == "call" else None
        if event == "line":
            passed += 1
            if passed == place + 1:
                raise KeyboardInterrupt
        return traced

    before = sys.gettrace()
    sys.settrace(traced)
    try:
        act()
    except KeyboardInterrupt:
        return True
    finally:
        sys.settrace(before)
    return False


def test_a_crowded_journal_takes_small_calls_alone(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("whatworked.episodes.episode.CROWDED_BYTES", 50_000)
    with opened(folder) as episode:
        assert code(ask(episode, "note", text="x" * 60_000)) is None
        assert code(ask(episode, "note", text="x" * 60_000)) == "too_large"
        assert code(ask(episode, "note", text="x" * 10_000)) is None


def test_rules_that_give_other_results_under_the_same_version_are_noticed(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    with opened(folder) as episode:
        ask(episode, "draw", well=1)
        ask(episode, "look")
    monkeypatch.setattr(Toy, "_look", Toy._crash)
    with pytest.raises(EpisodeError, match=r"event 2 of .* is not what the rules give here"):
        opened(folder)
