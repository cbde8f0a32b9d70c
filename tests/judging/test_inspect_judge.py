"""A model behind Inspect, asked over the wire: every class of reply, what is sent again, and what ends a run."""

from __future__ import annotations

import builtins
import gc
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from loopback import Server, loopback
from question_files import question, with_panel

from whatworked.errors import JudgeError, MissingExtraError
from whatworked.judging import Case, InspectJudge, Patience, ReplayJudge, Vote
from whatworked.judging.panel import Panel

NAME = "openai-api/loop/small-judge"


@pytest.fixture(scope="module")
def server() -> Iterator[Server]:
    with loopback() as told:
        yield told


class NotedPatience(Patience, frozen=True):
    """Waits for nothing and notes what it was asked to wait for."""

    noted: list[float | None]

    def wait(self, failures: int, asked_for: float | None) -> float:
        self.noted.append(asked_for)
        return 0.0


def asked(server: Server, folder: Path, steps: list[str], **options: Any) -> dict[str, Vote]:
    """The vote of a judge that is told to behave in each of these ways."""
    colour = question(folder)
    cases = [Case(question=colour, fields={"thing": step}, about=step) for step in steps]

    async def work(panel: Panel) -> list[tuple[Vote, ...]]:
        return await panel.sample(cases, passes=1)

    judge = InspectJudge(NAME, base_url=server.url, timeout=options.pop("timeout", 60))
    patience = NotedPatience(attempts=2, in_a_row=100, noted=options.pop("noted", []))
    votes = with_panel(judge, work, jobs=20, **{"patience": patience, **options})
    return {step: found[0] for step, found in zip(steps, votes, strict=True)}


def test_every_class_of_reply(server: Server, tmp_path: Path) -> None:
    expected = {
        "ok": ("answer", 1, 1, ""),
        "in words": ("answer", 1, 1, ""),
        "prose then ok": ("answer", 2, 2, ""),
        "cut then ok": ("answer", 2, 2, ""),
        "refusal then ok": ("answer", 2, 2, ""),
        "status 500 then ok": ("answer", 1, 2, ""),
        "status 429 then ok": ("answer", 1, 2, ""),
        "dead then ok": ("answer", 1, 2, ""),
        "cut": ("truncated", 2, 2, ""),
        "filter": ("filtered", 2, 2, ""),
        "refusal": ("refusal", 2, 2, ""),
        "prose": ("unparseable", 3, 3, "holds no JSON object"),
        "two": ("unparseable", 3, 3, "more than one JSON object"),
        "wrong": ("unparseable", 3, 3, 'the answer.choice is "green"; allowed: "red", "blue"'),
        "nothing": ("unparseable", 3, 3, "holds no JSON object"),
        "html": ("unreachable", 1, 2, "the server's reply cannot be read"),
        "no choices": ("unreachable", 1, 2, "the server's reply holds no choice"),
        "status 500": ("unreachable", 1, 2, "status 500: Error code: 500 - told to say 500"),
        "status 429": ("unreachable", 1, 2, "status 429"),
        # A request that is wrong is not sent again.
        "status 400": ("unreachable", 1, 1, "told to say 400"),
        "dead": ("unreachable", 1, 2, "APIConnectionError"),
    }
    noted: list[float | None] = []
    votes = asked(server, tmp_path, list(expected), noted=noted, journal=tmp_path / "calls.journal")
    for step, (kind, attempts, sent, detail) in expected.items():
        vote = votes[step]
        assert (vote.kind, vote.attempts, server.seen[step]) == (kind, attempts, sent), (step, vote)
        assert detail in vote.detail
        assert vote.answer == ({"choice": "red"} if kind == "answer" else None)
        assert vote.model == ("small-judge" if kind != "unreachable" else None)
    # The server asked for 7 seconds where it was busy, and for nothing elsewhere.
    assert sorted(wait for wait in noted if wait is not None) == [7.0, 7.0]

    # What was cut is asked again with twice the tokens; what was wrong is told, as quoted material.
    cut = [one for one in server.requests if "\ncut\n" in one["messages"][-1]["content"]]
    assert [one["max_tokens"] for one in cut] == [1024, 2048]
    wrong = [one["messages"][-1]["content"] for one in server.requests if "\nwrong\n" in one["messages"][-1]["content"]]
    assert wrong[1].startswith(wrong[0])
    assert 'complaints>>\nthe answer.choice is "green"' in wrong[1]

    # Nothing that never came is kept: those alone are asked when it is run again.
    steps = [step for step in expected if expected[step][0] != "unreachable"]
    replies = dict(server.seen)
    again = asked(server, tmp_path, [*steps, "status 500"], journal=tmp_path / "calls.journal")
    assert [step for step in expected if server.seen[step] > replies[step]] == ["status 500"]
    assert {step: again[step] for step in steps} == {step: votes[step] for step in steps}


def test_a_reply_that_does_not_come_is_not_waited_for_forever(server: Server, tmp_path: Path) -> None:
    votes = asked(server, tmp_path, ["silent"], timeout=1)
    assert (votes["silent"].kind, votes["silent"].detail) == ("unreachable", "no reply within 1 s")


@pytest.mark.parametrize("status", [401, 403, 404])
def test_a_refused_key_or_name_ends_the_run_at_once(server: Server, tmp_path: Path, status: int) -> None:
    steps = [f"status {status} then ok", *(f"ok then {status} then {n}" for n in range(30))]
    with pytest.raises(JudgeError, match=rf"small-judge: status {status}: .*Check the key"):
        asked(server, tmp_path, steps, patience=Patience())
    # Those that were under way already may have been sent, and no others: all would be sixty and more.
    assert sum(server.seen[step] for step in steps) <= 40


def test_one_judge_serves_one_panel_after_another(server: Server, tmp_path: Path) -> None:
    """Each panel has an event loop of its own, which connections of the one before would not outlive."""
    case = Case(question=question(tmp_path), fields={"thing": "ok"}, about="")
    judge = InspectJudge(NAME, base_url=server.url)
    with warnings.catch_warnings():
        warnings.simplefilter("error", ResourceWarning)
        for _ in range(3):
            assert with_panel(judge, lambda panel: panel.ask(case)).kind == "answer"
        gc.collect()


def test_another_model_ends_the_run(server: Server, tmp_path: Path) -> None:
    journal = tmp_path / "calls.journal"
    asked(server, tmp_path, ["ok"], journal=journal)
    with pytest.raises(JudgeError, match="was answered by 'other-judge', before by 'small-judge'"):
        asked(server, tmp_path, ["another model"], journal=journal)
    before = journal.read_bytes()
    colour = question(tmp_path)
    case = Case(question=colour, fields={"thing": "ok"}, about="")
    assert with_panel(ReplayJudge(NAME), lambda panel: panel.ask(case), journal=journal).answer == {"choice": "red"}
    assert journal.read_bytes() == before


def test_a_server_that_is_down_is_given_up(tmp_path: Path) -> None:
    with loopback() as gone:
        pass
    with pytest.raises(JudgeError, match=r"gave no reply to 3 calls in a row, the last time: .*run the same command"):
        asked(gone, tmp_path, [f"ok then {n}" for n in range(9)], patience=Patience(attempts=1, first=0, in_a_row=3))


def test_what_cannot_be_asked_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    with pytest.raises(JudgeError, match=r"'nobody/model' cannot be asked: .*nobody"):
        InspectJudge("nobody/model")
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(JudgeError, match="OPENAI_API_KEY"):
        InspectJudge("openai/some-model")
    real = builtins.__import__

    def without(name: str, *rest: Any) -> Any:
        if name.startswith("inspect_ai"):
            raise ImportError(name)
        return real(name, *rest)

    for name in [name for name in sys.modules if name.startswith("inspect_ai")]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setattr(builtins, "__import__", without)
    with pytest.raises(MissingExtraError, match=r"whatworked\[inspect\]"):
        InspectJudge("openai/some-model")
