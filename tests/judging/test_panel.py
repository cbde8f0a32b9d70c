"""The one loop: same results for any number of jobs, nothing asked twice, nothing lost, no cap exceeded."""

from __future__ import annotations

import asyncio
import random
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from question_files import COLOUR, IMPATIENT, question, things, with_panel

from whatworked.errors import CapReachedError, JournalError, JudgeError, MissingReplyError, StorageError
from whatworked.judging import (
    Caps,
    Case,
    Panel,
    Price,
    Prices,
    ReplayJudge,
    Reply,
    Request,
    RuleJudge,
    Spent,
    Verdict,
    estimate,
    open_panel,
)

PRICES = Prices(currency="EUR", price=(Price(model="moody", input=1000.0, output=0.0),))


class MoodyJudge:
    """Answers a request in the same way whenever it comes, after a while that differs; some replies are no answers."""

    name = "moody"

    def __init__(self, seed: int = 0, moods: tuple[str, ...] = ("red", "red", "blue", "refusal", "prose")) -> None:
        self._delays = random.Random(seed)
        self._moods = moods
        self.requests: list[Request] = []
        self.most_at_once = self._at_once = 0

    async def reply(self, request: Request) -> Reply:
        self.requests.append(request)
        self._at_once += 1
        self.most_at_once = max(self.most_at_once, self._at_once)
        for _ in range(self._delays.randrange(20)):
            await asyncio.sleep(0)
        self._at_once -= 1
        thing = str(request.fields["thing"])
        mood = random.Random(f"{thing} {request.vote}").choice(self._moods)
        if mood == "refusal":
            return Reply(kind="refusal", model="moody-1", detail="no")
        return Reply(kind="answer", text="I see" if mood == "prose" else f'{{"choice": "{mood}"}}', model="moody-1")


@pytest.fixture
def cases(tmp_path: Path) -> list[Case]:
    return things(question(tmp_path), 12)


def decide(judge: Any, cases: list[Case], **options: Any) -> list[Verdict]:
    found: list[Verdict] = with_panel(judge, lambda panel: panel.decide(cases), **options)
    return found


def test_same_bytes_for_any_number_of_jobs_and_on_replay(tmp_path: Path, cases: list[Case]) -> None:
    judge = MoodyJudge()
    verdicts = decide(judge, cases, jobs=1, journal=tmp_path / "one")
    assert judge.most_at_once == 1
    assert {kind for verdict in verdicts for kind in [vote.kind for vote in verdict.votes]} == {
        "answer", "refusal", "unparseable",
    }  # fmt: skip
    assert any(verdict.undecided for verdict in verdicts)
    for seed, jobs in ((1, 3), (2, 50)):
        judge = MoodyJudge(seed)
        assert decide(judge, cases, jobs=jobs, journal=tmp_path / f"{jobs}") == verdicts
        assert 1 < judge.most_at_once <= jobs
        assert (tmp_path / f"{jobs}").read_bytes() == (tmp_path / "one").read_bytes()
    assert decide(ReplayJudge("moody"), cases, journal=tmp_path / "one") == verdicts
    assert (tmp_path / "50").read_bytes() == (tmp_path / "one").read_bytes()


def test_a_replay_asks_nobody(tmp_path: Path, cases: list[Case]) -> None:
    decide(MoodyJudge(), cases[:-1], journal=tmp_path / "calls")
    with pytest.raises(MissingReplyError, match="holds no reply of moody to question colour version 1, vote 1"):
        decide(ReplayJudge("moody"), cases, journal=tmp_path / "calls")
    with pytest.raises(MissingReplyError):
        decide(ReplayJudge("another"), cases[:-1], journal=tmp_path / "calls")
    with pytest.raises(StorageError, match="cannot read"):
        decide(ReplayJudge("moody"), cases, journal=tmp_path / "none")


def test_what_is_asked_twice_is_sent_once(cases: list[Case]) -> None:
    judge = MoodyJudge(moods=("red",))
    same = [cases[0]] * 4
    assert len({verdict.choices[""] for verdict in decide(judge, same)}) == 1
    assert len(judge.requests) == 3
    assert len({request.vote for request in judge.requests}) == 3


def test_a_cut_at_any_byte_loses_unanswered_calls_alone(tmp_path: Path, cases: list[Case]) -> None:
    journal = tmp_path / "calls"
    verdicts = decide(MoodyJudge(), cases[:3], journal=journal)
    whole = journal.read_bytes()
    for size in range(0, len(whole), 419):
        journal.write_bytes(whole[:size])
        judge = MoodyJudge()
        assert decide(judge, cases[:3], journal=journal) == verdicts
        assert journal.read_bytes() == whole
        kept = max(whole[:size].count(b"\n") - 1, 0)
        assert len(judge.requests) == whole.count(b"\n") - 1 - kept


def test_a_run_that_was_killed_goes_on(tmp_path: Path, cases: list[Case]) -> None:
    """A process that ends without a word in the middle of a call leaves all that was answered before."""
    program = f"""
import os, sys
sys.path.insert(0, {str(Path(__file__).parent)!r})
from pathlib import Path
from test_panel import MoodyJudge, decide
from question_files import question, things

class Killed(MoodyJudge):
    async def reply(self, request):
        if len(self.requests) == 7:
            os.kill(os.getpid(), 9)
        return await super().reply(request)

folder = Path({str(tmp_path)!r})
decide(Killed(), things(question(folder), 12), jobs=1, journal=folder / "calls")
"""
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == -9
    judge = MoodyJudge()
    verdicts = decide(judge, cases, journal=tmp_path / "calls")
    everything = MoodyJudge()
    assert verdicts == decide(everything, cases)
    assert len(judge.requests) == len(everything.requests) - 7


@settings(max_examples=30)
@given(st.data())
def test_altered_journals_are_named_and_left(tmp_path_factory: pytest.TempPathFactory, data: st.DataObject) -> None:
    folder = tmp_path_factory.mktemp("altered")
    cases = things(question(folder), 1)
    decide(MoodyJudge(), cases, journal=folder / "calls")
    whole = (folder / "calls").read_bytes()
    place = data.draw(st.integers(0, len(whole) - 1))
    altered = whole[:place] + bytes([whole[place] ^ data.draw(st.integers(1, 255))]) + whole[place + 1 :]
    (folder / "calls").write_bytes(altered)
    for judge in (MoodyJudge(), ReplayJudge("moody")):
        with pytest.raises(JournalError):
            decide(judge, cases, journal=folder / "calls")
        assert (folder / "calls").read_bytes() == altered


def test_a_journal_belongs_to_one_record_and_one_process(tmp_path: Path, cases: list[Case]) -> None:
    journal = tmp_path / "calls"
    decide(MoodyJudge(), cases[:1], journal=journal, of="a record")
    with pytest.raises(JournalError, match="holds results of other work"):
        decide(MoodyJudge(), cases[:1], journal=journal, of="another record")

    async def work(_: Panel) -> None:
        with pytest.raises(StorageError, match="another run is writing"):
            async with open_panel(MoodyJudge(), journal=journal, of="a record"):
                pass
        async with open_panel(ReplayJudge("moody"), journal=journal, of="a record"):
            pass  # reading is no harm

    with_panel(MoodyJudge(), work, journal=journal, of="a record")
    (tmp_path / "link").symlink_to(journal)
    with pytest.raises(StorageError, match="link"):
        decide(MoodyJudge(), cases[:1], journal=tmp_path / "link", of="a record")


@pytest.mark.parametrize("caps", [Caps(calls=10), Caps(tokens=12_000), Caps(money=5.0)])
def test_caps_are_kept_and_the_run_goes_on(tmp_path: Path, cases: list[Case], caps: Caps) -> None:
    judge = MoodyJudge()
    kept: dict[str, Any] = {"journal": tmp_path / "calls", "prices": PRICES}

    async def work(panel: Panel) -> tuple[Spent, float | None]:
        with pytest.raises(CapReachedError, match=r"could exceed the cap of .* higher cap"):
            await panel.decide(cases)
        return panel.spent, panel.money

    spent, money = with_panel(judge, work, jobs=4, caps=caps, **kept)
    assert spent.calls == len(judge.requests) > 5
    assert spent.calls <= (caps.calls or 1000)
    assert spent.input_tokens + spent.output_tokens <= (caps.tokens or 1e6)
    assert money is not None
    assert spent.input_tokens / 1000 == pytest.approx(money)
    assert money <= (caps.money or 1000)
    assert (tmp_path / "calls").read_bytes().count(b"\n") == 1 + spent.calls
    rest = MoodyJudge()
    everything = MoodyJudge()
    assert decide(rest, cases, **kept) == decide(everything, cases)
    assert len(rest.requests) == len(everything.requests) - spent.calls


def test_the_estimate_holds_what_is_spent(cases: list[Case]) -> None:
    for moods in (("red",), ("red", "blue", "refusal", "prose"), ("prose",)):
        judge = MoodyJudge(moods=moods)

        async def work(panel: Panel) -> Any:
            await panel.decide(cases)
            return panel.spent

        spent = with_panel(judge, work)
        found = estimate(cases)
        assert found.calls.low <= spent.calls <= found.calls.high
        assert found.input_tokens.low <= spent.input_tokens <= found.input_tokens.high
        if moods == ("red",):
            assert spent.characters == found.characters.expected == sum(len(one.prompt) for one in judge.requests)


def test_votes_stop_early_only_where_the_question_says_so(tmp_path: Path) -> None:
    text = COLOUR.replace("votes = 3", "votes = 3\nearly_stop = true")
    judge = MoodyJudge(moods=("red", "blue", "refusal"))
    early = decide(judge, things(question(tmp_path, text), 12))
    late = decide(MoodyJudge(moods=("red", "blue", "refusal")), things(question(tmp_path), 12))
    assert [verdict.choices for verdict in early] == [verdict.choices for verdict in late]
    assert {verdict.stopped_early for verdict in early} == {True, False}
    assert not any(verdict.stopped_early for verdict in late)
    assert all(len(verdict.votes) == (2 if verdict.stopped_early else 3) for verdict in early)


def test_lost_votes_are_told_and_decide_nothing(cases: list[Case]) -> None:
    (verdict, *_) = decide(MoodyJudge(moods=("refusal",)), cases)
    assert verdict.undecided == {"": "too few votes; of 3 votes lost: 3 refusal"}
    assert verdict.finished
    rules = RuleJudge({"colour": lambda _, vote: [{"choice": "red"}, {"choice": "blue"}, "prose"][vote]})
    (verdict,) = decide(rules, cases[:1])
    assert verdict.undecided == {"": "split; of 3 votes lost: 1 unparseable"}
    assert verdict.counts == {"": (("blue", 1), ("red", 1))}


def test_what_never_came_is_not_finished(cases: list[Case]) -> None:
    def reply(_: Mapping[str, Any], vote: int) -> Any:
        return Reply(kind="unreachable", detail="busy") if vote == 2 else {"choice": "red"}

    (verdict,) = decide(RuleJudge({"colour": reply}), cases[:1])
    assert (verdict.choices, verdict.finished) == ({"": "red"}, False)
    with pytest.raises(JudgeError, match="gave no reply to 5 calls in a row, the last time: busy"):
        decide(RuleJudge({"colour": lambda *_: Reply(kind="unreachable", detail="busy")}), cases)


def test_half_characters_are_sent_and_kept_as_marks(tmp_path: Path) -> None:
    case = Case(question=question(tmp_path), fields={"thing": "a \ud800 ball"}, about="b")
    reply = Reply(kind="answer", text='{"choice": "red"} \udfff', model="m\udfff")
    judge = RuleJudge({"colour": lambda fields, _: reply if fields["thing"] == "a \ufffd ball" else None})
    (verdict,) = decide(judge, [case], journal=tmp_path / "calls")
    assert verdict.choices == {"": "red"}
    assert decide(ReplayJudge("rules"), [case], journal=tmp_path / "calls") == [verdict]


def test_cheap_asks_once_and_says_so(cases: list[Case]) -> None:
    judge = MoodyJudge(moods=("red",))
    assert all(verdict.cheap and verdict.choices == {"": "red"} for verdict in decide(judge, cases, cheap=True))
    assert len(judge.requests) == len(cases)
    assert estimate(cases, cheap=True).calls.expected == len(cases)


def test_an_answer_that_the_caller_finds_wrong_is_asked_again_once(tmp_path: Path) -> None:
    judge = MoodyJudge(moods=("red",))
    case = Case(
        question=question(tmp_path),
        fields={"thing": "a ball"},
        about="b",
        check=lambda answer: [f"{answer['choice']} stands nowhere"],
    )
    vote = with_panel(judge, lambda panel: panel.ask(case))
    assert (vote.kind, vote.answer, vote.complaints) == ("answer", {"choice": "red"}, ("red stands nowhere",))
    assert len(judge.requests) == 2
    assert "red stands nowhere" in judge.requests[1].prompt


def test_lists_decide_item_by_item(tmp_path: Path) -> None:
    text = """
id = "colour"
version = 1
asks = "Which colours?"
read_by = []
votes = 3
prompt = "{{thing}}"
vote = { list = "things", key = "thing", value = "colour" }
[fields]
thing = "things"
[answer]
type = "object"
[answer.properties.things]
type = "array"
[answer.properties.things.items]
type = "object"
properties.thing.type = "string"
properties.colour.type = "string"
"""
    votes = [
        [("a", "red"), ("b", "red"), ("c", "red")],
        [("a", "red"), ("b", "blue"), ("c", "red"), ("c", "blue")],
        [("a", "blue"), ("b", "grey")],
    ]
    judge = RuleJudge(
        {"colour": lambda _, vote: {"things": [{"thing": key, "colour": colour} for key, colour in votes[vote]]}}
    )
    case = Case(question=question(tmp_path, text), fields={"thing": [("a", "x"), ("b", "y")]}, about="all")
    (verdict,) = decide(judge, [case])
    assert verdict.choices == {"a": "red"}
    # Who says two things of one item has said nothing of it.
    assert verdict.undecided == {"b": "split", "c": "too few votes"}

    def ballot(case: Case, answer: Any) -> dict[str, bool]:
        return {label: any(item["thing"] == label for item in answer["things"]) for label, _ in case.fields["thing"]}

    (verdict,) = with_panel(judge, lambda panel: panel.decide([case], ballot))
    assert verdict.choices == {"a": True, "b": True}


def test_an_interrupted_run_keeps_what_was_answered(tmp_path: Path, cases: list[Case]) -> None:
    class Interrupting(MoodyJudge):
        async def reply(self, request: Request) -> Reply:
            if len(self.requests) == 5:
                raise KeyboardInterrupt
            return await super().reply(request)

    with pytest.raises(KeyboardInterrupt):
        decide(Interrupting(), cases, jobs=1, journal=tmp_path / "calls", patience=IMPATIENT)
    assert (tmp_path / "calls").read_bytes().count(b"\n") == 6
