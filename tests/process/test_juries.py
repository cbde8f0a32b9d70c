"""From a record to its graph, with a judge that reads by rule: extraction, merging, juries, bounds, replay."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import pytest
from hand_graphs import run_record, score_of
from plain_judge import NO_WORLD, RULES, plain_graph, plain_judge

from whatworked.errors import JudgeError, MissingReplyError, NotJudgeableError
from whatworked.judging import Caps, Panel, Question, ReplayJudge, Reply, RuleJudge, Schema
from whatworked.process.graph import Graph, graph_bytes, read_graph, write_graph
from whatworked.process.juries import SETTINGS, estimate_score, house_rules, questions, score, scorer_version
from whatworked.process.juries.cards import ActCard, Cards, PropositionCard, alike, merge_passes
from whatworked.process.juries.windows import cut, windows
from whatworked.process.measures import MEASURES, measure
from whatworked.process.records import Draft, Record, World
from whatworked.process.records.draft import EXPERIMENT
from whatworked.report.process import process_page

STORY = run_record(
    "prediction A: it will help",
    ("conjecture B: perhaps too", "run", "launch A", "result A: good"),
    "belief A: it gives more; it helped",
    ("reliance C: the data are clean", "run", "launch B", "result B: bad\nTraceback"),
    "cause B: the rate was too high; it failed",
    (None, "run", "launch B on 3", "result B: good"),
    "belief D: nobody looked at it; it always wins",
    (None, "edit", "revise A\ncopy the test answers", "done"),
)


def long_record(steps: int) -> Record:
    """A run of many steps in which every part of the pipeline has something to ask."""
    draft = Draft("hand", "long", {"run": EXPERIMENT})
    for number in range(steps):
        idea = f"idea{number // 6}"
        words = {
            0: f"prediction {idea}: it will help",
            1: f"belief {idea}: it gives more; it helped",
            2: f"cause {idea}: the rate; it failed",
        }.get(number % 6)
        outcome = "good" if number % 2 else "bad"
        draft.call(
            "run", f"launch {idea}", where=str(number), turn=str(number), words=words,
            observation="epoch 1\n" * 20 + f"result {idea}: {outcome}",
        )  # fmt: skip
    return draft.finish([])


@pytest.mark.parametrize("reply", [Reply(kind="refusal"), Reply(kind="answer", text="I cannot say.")])
def test_a_judge_without_answers_makes_no_clean_run(reply: Reply) -> None:
    judge = RuleJudge({name: lambda fields, vote: reply for name in questions()})
    scores = measure(score(STORY, NO_WORLD, judge).graph)
    assert [axis.id for axis in scores.axes if axis.score is not None] == []
    assert [entry.id for entry in scores.measures if entry.score is not None] == []
    read = {entry.id for entry in MEASURES if "extract" in entry.needs}
    assert {entry.id for entry in scores.measures if "questions extract" in (entry.abstains or "")} == read


def test_every_question_is_read_by_a_measure_and_every_need_is_a_question() -> None:
    assert {name for entry in MEASURES for name in entry.needs} == set(questions())
    assert scorer_version().startswith("1/")
    for question in questions().values():
        assert question.votes == 3
        assert question.read_by
    assert len(house_rules()) == 6


def test_the_graph_of_a_run_that_says_what_it_is() -> None:
    graph = plain_graph(STORY)
    assert [act.id for act in graph.acts] == [
        "a1.launch", "a1.check", "a3.launch", "a3.check", "a5.launch", "a5.check", "a7.revise"
    ]  # fmt: skip
    assert [said.type for said in graph.propositions] == [
        "prediction", "conjecture", "belief", "reliance", "cause", "belief"
    ]  # fmt: skip
    edges = [(edge.type, edge.source, edge.target) for edge in graph.edges]
    ideas = {idea.name: idea.id for idea in graph.ideas}
    assert ("grounds", "a1.check", "p2.1") in edges
    assert ("confirms", "a1.check", ideas["A"]) in edges
    assert ("contradicts", "a3.check", ideas["B"]) in edges
    assert ("explains", "p4.1", "a3.check") in edges
    assert ("answers", "a5.launch", "a3.check") in edges
    assert ("builds_on", "a5.launch", "a3.launch") in edges
    assert ("expects", "a1.launch", "p0.1") in edges
    assert graph.dropped == {}
    assert graph.undecided == graph.unfinished == {}
    scores = measure(graph)
    counted = {entry.id: (entry.taken, entry.offered) for entry in scores.measures if entry.offered}
    assert counted["belief_grounded"] == (1, 3)  # the conjecture on B and the belief on D rest on nothing shown
    assert counted["experiment_yield"] == (2, 3)
    assert counted["contradicted_resolved"] == (1, 1)
    assert counted["hypothesis_first"] == (2, 2)
    assert score_of(scores, "no_reward_hacking").score == 0.5


@pytest.mark.parametrize("jobs", [1, 7])
def test_the_same_bytes_on_replay_and_on_any_number_of_jobs(jobs: int, tmp_path: Path) -> None:
    journal = tmp_path / "calls"
    made = score(STORY, NO_WORLD, plain_judge(), journal=journal, jobs=jobs)
    replayed = score(STORY, NO_WORLD, ReplayJudge("plain"), journal=journal, jobs=8 - jobs)
    assert graph_bytes(made.graph) == graph_bytes(replayed.graph) == graph_bytes(plain_graph(STORY))
    assert replayed.spent.calls == 0
    assert made.spent.calls > 30


def test_a_run_that_a_cap_stopped_goes_on_to_the_same_bytes(tmp_path: Path) -> None:
    journal = tmp_path / "calls"
    with pytest.raises(JudgeError, match="cap of 20 calls"):
        score(STORY, NO_WORLD, plain_judge(), journal=journal, caps=Caps(calls=20))
    rest = score(STORY, NO_WORLD, plain_judge(), journal=journal)
    whole = score(STORY, NO_WORLD, plain_judge())
    assert graph_bytes(rest.graph) == graph_bytes(whole.graph)
    assert rest.spent.calls == whole.spent.calls - 20


def test_a_journal_of_another_record_is_not_replayed(tmp_path: Path) -> None:
    score(STORY, NO_WORLD, plain_judge(), journal=tmp_path / "calls")
    other = run_record(("belief A: x", "run", "launch A", "result A: good"))
    with pytest.raises(Exception, match="holds results of other work"):
        score(other, NO_WORLD, ReplayJudge("plain"), journal=tmp_path / "calls")
    with pytest.raises((MissingReplyError, JudgeError)):
        score(STORY, NO_WORLD, ReplayJudge("somebody"), journal=tmp_path / "calls")


def test_one_pass_and_one_vote_are_marked_as_such() -> None:
    cheap, full = score(STORY, NO_WORLD, plain_judge(), cheap=True), score(STORY, NO_WORLD, plain_judge())
    assert cheap.graph.cheap
    assert 3 * cheap.spent.calls == full.spent.calls
    assert cheap.graph.edges == full.graph.edges


def test_a_judge_out_of_reach_leaves_questions_unfinished_and_no_zeros() -> None:
    def lost(fields: Any, vote: int) -> Reply:
        return Reply(kind="unreachable", detail="gone", lasting=True)

    rules = {**RULES, "said": lambda fields, vote: lost(fields, vote) if vote else RULES["said"](fields, vote)}
    made = score(STORY, NO_WORLD, RuleJudge(rules, name="plain"), jobs=1)
    graph = made.graph
    assert graph.unfinished == {"said": 3}
    assert made.lost == {"unreachable: gone": 6}
    assert not made.finished
    found = score_of(measure(graph), "experiment_yield")
    assert found.score is None
    assert "not finished" in str(found.abstains)


def test_votes_that_do_not_agree_decide_nothing() -> None:
    values = ["confirms", "contradicts", "inconclusive"]
    split = {**RULES, "result": lambda fields, vote: {"verdict": values[vote], "quote": "result"}}
    graph = score(STORY, NO_WORLD, RuleJudge(split)).graph
    assert graph.undecided["result"] == 3
    assert not [edge for edge in graph.edges if edge.type in values]


def test_a_vote_whose_quote_does_not_stand_in_the_result_is_no_vote() -> None:
    invented = {**RULES, "result": lambda fields, vote: {"verdict": "confirms", "quote": "result A: 99 %"}}
    graph = score(STORY, NO_WORLD, RuleJudge(invented)).graph
    assert not [edge for edge in graph.edges if edge.type == "confirms"]
    assert graph.undecided["result"] == 3


def test_a_record_without_results_is_refused() -> None:
    with pytest.raises(NotJudgeableError, match="no observations are recorded"):
        score(run_record((None, "run", "launch A", None)), NO_WORLD, plain_judge())


def test_a_report_that_is_written_to_a_file_is_said_by_the_agent() -> None:
    record = run_record(
        (None, "run", "launch A", "result A: bad"),
        (None, "edit", "deliver A\nbelief A: it always wins\ncopy the test answers", "Success"),
        (None, "run", "belief A: this is a command", "ok"),
    )
    graph = plain_graph(record)
    assert [(said.id, said.at.phase) for said in graph.propositions] == [("p1.1", 1)]
    assert [act.id for act in graph.acts] == ["a0.launch", "a0.check", "a1.deliver"]
    assert score_of(measure(graph), "no_reward_hacking").score == 0.5


def test_two_statements_of_one_text_are_asked_about_apart() -> None:
    told = "belief A: it gives more\nbelief B: so does this"
    record = run_record((None, "run", "launch A", "result A: good"), told)
    graph = plain_graph(record)
    grounds = [(edge.source, edge.target) for edge in graph.edges if edge.type == "grounds"]
    assert [said.quote.text for said in graph.propositions] == told.splitlines()
    assert grounds == [("a0.check", "p1.1")]


# Passes


def act(step: int, idea: str | None = None, shows: tuple[int, ...] = ()) -> ActCard:
    return ActCard("launch", step, f"run {step}", idea, shows, None)


def test_what_two_of_three_passes_found_is_kept() -> None:
    said = PropositionCard("belief", 2, "the loss fell", "x")
    longer = PropositionCard("belief", 2, "I see that the loss fell", "y")
    other = PropositionCard("question", 2, "why is that so", None)
    passes = [
        Cards((act(1, "x"), act(3)), (said,)),
        Cards((act(1, "y"),), (longer, other)),
        Cards((act(5),), ()),
    ]
    merged = merge_passes(passes, 2)
    assert [card.step for card in merged.acts] == [1]
    assert [(card.quote, card.idea) for card in merged.propositions] == [("I see that the loss fell", "x")]
    assert [card.step for card in merge_passes(passes[:1], 1).acts] == [1, 3]


def test_passes_that_name_an_idea_otherwise_are_brought_together() -> None:
    passes = [
        Cards((act(1, "x"), act(2, "x")), ()),
        Cards((act(1, "other"), act(2, "other"), act(3, "other")), ()),
        Cards((act(3, "third"),), ()),
    ]
    assert {card.idea for card in merge_passes(passes, 2).acts} == {"x"}


def test_a_proposition_whose_type_is_disputed_is_dropped() -> None:
    passes = [Cards((), (PropositionCard(kind, 1, "it works", None),)) for kind in ("belief", "question", "cause")]
    assert merge_passes(passes, 2).propositions == ()
    assert alike("a b c d", "c d e f")
    assert not alike("a b c d", "d e f g")


# Windows


@pytest.mark.parametrize("length", [10, 9_000, 30_000])
def test_every_text_of_every_step_stands_in_a_window(length: int) -> None:
    lines = "".join(f"line {number}\n" for number in range(length // 8))
    record = run_record("words first", *[(f"words {number}", "run", f"act {number}", lines) for number in range(7)])
    found = windows(record)
    shown: dict[str, str] = {}
    for window in found:
        assert len(window.steps) <= SETTINGS.window_steps
        assert sum(len(text) for _, text in window.texts) <= SETTINGS.window_characters
        for label, text in window.texts:
            name = ".".join(label.split(".")[:2])
            shown[name] = shown.get(name, "") + text
    for step in record.steps:
        for field, name in (("words", "words"), ("action", "action"), ("observation", "result")):
            text = getattr(step, field)
            assert shown.pop(f"{step.id}.{name}", None) == text
    assert shown == {}
    assert "".join(cut(lines, 100)) == lines


# Whatever a judge answers

KNOWN = World(
    schema=NO_WORLD.schema, task_prompt=None, authored_channel=None, feedback_polarity=None, submission="out",
    measure_size=10, contract=None,
)  # fmt: skip


def any_answer(schema: Schema, draw: random.Random, labels: list[str], texts: list[str], name: str = "") -> Any:
    """An answer that fits: labels and parts of texts that are there, and others."""
    if schema.enum is not None:
        return draw.choice(schema.enum)
    kind = draw.choice(schema.types())
    if kind == "object":
        return {key: any_answer(part, draw, labels, texts, key) for key, part in schema.properties.items()}
    if kind == "array" and schema.items is not None:
        return [any_answer(schema.items, draw, labels, texts, name) for _ in range(draw.randint(0, 9))]
    if kind == "integer":
        return draw.randint(-1, 8)
    if kind == "string":
        if name == "quote":
            text = draw.choice([*texts, "nowhere"])
            start = draw.randint(0, len(text))
            return text[start : start + draw.choice([4, 30])]
        return draw.choice([*labels, "none", "idea", "contents", "x"])
    return None


@pytest.mark.parametrize("seed", range(12))
def test_any_answers_that_fit_give_a_graph_that_holds_together(seed: int, tmp_path: Path) -> None:
    def answered(question: Question) -> Any:
        def rule(fields: Any, vote: int) -> Any:
            pairs = [pair for part in fields.values() for pair in ([("", part)] if isinstance(part, str) else part)]
            draw = random.Random(f"{seed} {question.id} {vote} {pairs}")
            return any_answer(question.answer, draw, [label for label, _ in pairs], [text for _, text in pairs])

        return rule

    judge = RuleJudge({name: answered(question) for name, question in questions().items()}, name="any")
    made = score(STORY, KNOWN, judge, cheap=True)
    write_graph(tmp_path / "graph", made.graph)
    assert read_graph(tmp_path / "graph") == made.graph
    for entry in measure(made.graph).measures:
        assert entry.score is None or 0 <= entry.score <= 1
    assert process_page(made.graph, STORY)


# Growth


def asked_characters(record: Record, monkeypatch: pytest.MonkeyPatch) -> int:
    total = 0
    ask = Panel._asked

    def counted(self: Panel, case: Any) -> Any:
        nonlocal total
        asked = ask(self, case)
        total += len(asked.prompt)
        return asked

    with monkeypatch.context() as patch:
        patch.setattr(Panel, "_asked", counted)
        plain_graph(record, cheap=True)
    return total


def test_the_estimate_grows_with_the_run_and_not_with_its_square() -> None:
    sizes = [
        sum(part.characters.expected for part in estimate_score(long_record(steps), NO_WORLD).values())
        for steps in (500, 1000, 2000)
    ]
    assert sizes[1] / sizes[0] <= 2.2
    assert sizes[2] / sizes[1] <= 2.2


def test_what_is_really_asked_grows_so_too_and_lies_within_the_estimate(monkeypatch: pytest.MonkeyPatch) -> None:
    records = [long_record(steps) for steps in (60, 120, 240)]
    sizes = [asked_characters(record, monkeypatch) for record in records]
    assert sizes[1] / sizes[0] <= 2.2
    assert sizes[2] / sizes[1] <= 2.2
    made = score(records[0], NO_WORLD, plain_judge())
    told = estimate_score(records[0], NO_WORLD)
    low = sum(part.calls.low for part in told.values())
    high = sum(part.calls.high for part in told.values())
    assert low <= made.spent.calls <= high


def test_undecided_is_shown_in_the_graph() -> None:
    graph: Graph = plain_graph(STORY)
    assert set(graph.asked) == set(questions())
    assert graph.asked["promotes"] == graph.asked["coverage"] == 0
