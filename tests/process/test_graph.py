"""The gates in front of a graph, its bytes, and standings."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from hand_graphs import Story, finished, run_record
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.errors import RecordError
from whatworked.process.graph import (
    Assembly,
    Moment,
    Quoted,
    graph_bytes,
    read_graph,
    shown_text,
    standing,
    verdict_table,
    write_graph,
)
from whatworked.process.records import Draft
from whatworked.process.records.draft import AGENT, EXPERIMENT, HARNESS, SHELL, USER

RECORD = run_record(
    "I think lower rates learn more slowly.",
    ("Now I test it.", "run", "python train.py --rate 0.1", "loss = -0.5"),
    (None, "look", "notes.txt", "loss = -0.5"),
    "The loss fell, as I thought.",
    (None, "sh", "ls", None),
)


def started() -> Assembly:
    assembly = Assembly(RECORD)
    assembly.idea("rates")
    assembly.act("launch", Quoted(1, "python train.py"), "i1")
    assembly.act("check", Quoted(1, "loss = -0.5"), "i1")
    assembly.proposition("prediction", Quoted(0, "lower rates learn more slowly"), "i1")
    assembly.proposition("belief", Quoted(3, "The loss fell"), "i1")
    assembly.proposition("cause", Quoted(3, "as I thought"), "i1")
    return assembly


@pytest.mark.parametrize(
    ("method", "arguments", "reason"),
    [
        ("act", ("revise", Quoted(1, "loss = -0.5"), None), "quote that does not stand there"),
        ("act", ("check", Quoted(1, "loss = 0.5"), None), "act that is there already"),
        ("act", ("probe", Quoted(1, "loss = 0.5"), None), "quote that does not stand there"),
        ("act", ("probe", Quoted(1, "loss"), None, 9), "quote that is too short"),
        ("act", ("commit", Quoted(1, "python"), None), "act of unknown type"),
        ("act", ("launch", Quoted(9, "python"), None), "step that does not exist"),
        ("act", ("launch", Quoted(1, "python"), "i2"), "act that is there already"),
        ("act", ("revise", Quoted(1, "python"), "i2"), "idea that does not exist"),
        ("act", ("launch", Quoted(0, "I think"), None), "act in a step without an action"),
        ("act", ("check", Quoted(2, "loss"), None), "look at a step that is no evidence (kind read)"),
        ("act", ("check", Quoted(4, "ls"), None), "look at a result that is not recorded"),
        ("proposition", ("belief", Quoted(1, "python"), None), "quote that does not stand there"),
        ("proposition", ("belief", Quoted(3, "The loss fell"), "i1"), "proposition that is there already"),
        ("proposition", ("hunch", Quoted(3, "The loss"), None), "proposition of unknown type"),
        ("edge", ("reads", "a1.launch", "a1.check"), "edge between nodes that it cannot tie"),
        ("edge", ("reads", "a1.check", "a7.launch"), "node that does not exist"),
        ("edge", ("confirms", "a1.check", "i1"), "edge without a quote of the result that shows it"),
        ("edge", ("confirms", "a1.check", "i1", Quoted(2, "loss")), "edge without a quote of the result that shows it"),
        ("edge", ("confirms", "a1.check", "i1", Quoted(1, "Now I test it.")), "quote that does not stand there"),
        ("mark", ("topic", "i1", "play"), "answer that is none of the allowed"),
        ("mark", ("topic", "i4", "work"), "node that does not exist"),
        ("mark", ("said", "a1.check", "adverse", Quoted(0, "I think")), "reading before its result was shown"),
    ],
)
def test_what_the_rules_do_not_take_is_counted_by_reason(method: str, arguments: Any, reason: str) -> None:
    assembly = started()
    assert not getattr(assembly, method)(*arguments)
    assert finished(assembly, RECORD).dropped == {reason: 1}


def test_order_of_time_is_a_gate() -> None:
    assembly = started()
    assert assembly.edge("explains", "p3.2", "a1.check")
    assert assembly.edge("grounds", "a1.check", "p3.1", Quoted(1, "loss = -0.5"))
    early = run_record("It is the seed.", ("Rates matter.", "run", "train", "loss 1"))
    before = Assembly(early)
    before.act("check", Quoted(1, "loss 1"), None)
    before.proposition("belief", Quoted(1, "Rates matter."), None)
    before.proposition("cause", Quoted(0, "It is the seed."), None)
    assert not before.edge("grounds", "a1.check", "p1.1", Quoted(1, "loss 1"))
    assert not before.edge("explains", "p0.1", "a1.check")
    assert finished(before, early).dropped == {
        "edge that goes back in time": 1, "ground that was shown after the belief": 1
    }  # fmt: skip


def test_a_result_is_known_only_when_it_was_shown() -> None:
    """Two calls of one model call: the words beside the second were written before the result of the first came."""
    draft = Draft("hand", "run", {"run": EXPERIMENT})
    first = draft.call("run", "train a", where="0", turn="t", call_id="x")
    draft.call("run", "train b", where="1", turn="t", call_id="y", words="It will work.")
    draft.result("loss 1", where="2", call_id="x")
    record = draft.finish([])
    assembly = Assembly(record)
    assembly.act("launch", Quoted(first, "train a"), None)
    assembly.act("check", Quoted(first, "loss 1"), None)
    assert assembly.acts[-1].at == Moment(1, 2)
    assembly.proposition("prediction", Quoted(1, "It will work."), None)
    assert assembly.edge("reads", "a0.check", "a0.launch")
    assert assembly.edge("expects", "a0.launch", "p1.1")
    assert [edge.type for edge in finished(assembly, record).edges] == ["expects", "reads"]


def test_an_expectation_that_was_written_after_its_result_is_dropped() -> None:
    record = run_record(("Go.", "run", "train", "loss 1"), "I expected a loss of 1.")
    assembly = Assembly(record)
    assembly.act("launch", Quoted(0, "train"), None)
    assembly.act("check", Quoted(0, "loss 1"), None)
    assembly.proposition("prediction", Quoted(1, "I expected a loss of 1."), None)
    assembly.edge("expects", "a0.launch", "p1.1")
    assembly.edge("reads", "a0.check", "a0.launch")
    graph = finished(assembly, record)
    assert [edge.type for edge in graph.edges] == ["reads"]
    assert graph.dropped == {"expectation that was written after its result": 1}


def test_words_of_others_are_nobodys_propositions() -> None:
    draft = Draft("hand", "run", {"sh": SHELL})
    draft.message("It works.", where="0", speaker=USER)
    draft.call("sh", "ls", where="1", observation="a")
    record = draft.finish([])
    assembly = Assembly(record)
    assert assembly.proposition("belief", Quoted(0, "It works."), None) is None
    assert finished(assembly, record).dropped == {"words of somebody else": 1}


def test_an_experiment_that_the_harness_runs_on_the_agents_work_is_the_agents() -> None:
    draft = Draft("hand", "run", {"run": EXPERIMENT, "sh": SHELL})
    for speaker, tool in ((HARNESS, "run"), (AGENT, "run"), (HARNESS, "sh")):
        draft.call(tool, f"do {tool}", where="0", speaker=speaker, mandated=True, observation="loss 1")
    record = draft.finish([])
    assembly = Assembly(record)
    for step in range(3):
        assembly.act("launch", Quoted(step, "do "), None)
    assert [(act.step, act.mandated) for act in assembly.acts] == [(0, False), (1, True)]
    assert finished(assembly, record).dropped == {"act of somebody else": 1}


def test_its_result_is_a_check_where_the_log_does_not_say_what_was_run() -> None:
    draft = Draft("hand", "run", {})
    draft.call("run", "", where="0", speaker=HARNESS, use=EXPERIMENT, mandated=True, observation="loss 1")
    draft.amend(0, action=None)
    record = draft.finish([])
    assembly = Assembly(record)
    assert assembly.act("check", Quoted(0, "loss 1"), None) == "a0.check"
    assert assembly.act("launch", Quoted(0, "loss 1"), None) is None


def told() -> Story:
    story = Story()
    story.say("conjecture", "Idea A may help.", "A")
    story.run("A", "worse", verdict="contradicts", said="adverse")
    story.run("A", "better", verdict="confirms", said="favourable")
    return story


def test_standing_follows_the_last_verdict() -> None:
    rows = verdict_table(told().graph())
    assert [(row.check, row.direction) for row in rows] == [("a1.check", "contradicts"), ("a2.check", "confirms")]
    assert [standing(rows, Moment(step, 2)) for step in range(3)] == ["untested", "contradicted", "supported"]
    void = told()
    void.say("cause", "That run was broken.", "A")
    void.offer("edge", "voids", "p3.1", "a2.check", Quoted(2, "result 2"))
    assert standing(verdict_table(void.graph())) == "contradicted"


def test_a_graph_is_read_back_as_it_was_written(tmp_path: Path) -> None:
    graph = told().graph()
    for name in ("a", "b"):
        write_graph(tmp_path / name, graph)
    assert (tmp_path / "a").read_bytes() == (tmp_path / "b").read_bytes() == graph_bytes(told().graph())
    assert read_graph(tmp_path / "a") == graph


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ('"source":"a1.check"', '"source":"a8.check"', "names a8.check, which is not there"),
        ('"id":"a2.check"', '"id":"a1.check"', "the id a1.check stands there 2 times"),
        ("whatworked-graph/1", "whatworked-graph/7", 'this version reads "whatworked-graph/1"'),
        ('"steps":3', '"steps":"many"', "is no graph of a run"),
        ("{", "[", "is no graph of a run"),
    ],
)
def test_a_damaged_graph_is_named(old: str, new: str, message: str, tmp_path: Path) -> None:
    text = graph_bytes(told().graph()).decode()
    assert old in text
    (tmp_path / "g").write_text(text.replace(old, new))
    with pytest.raises(RecordError, match=message):
        read_graph(tmp_path / "g")


OFFERS = st.lists(
    st.one_of(
        st.tuples(
            st.just("act"),
            st.sampled_from(["launch", "check", "probe", "revise", "other"]),
            st.builds(Quoted, st.integers(-1, 5), st.sampled_from(["python", "loss = -0.5", "0.5", "ls", " "])),
            st.sampled_from([None, "i1", "i2"]),
        ),
        st.tuples(
            st.just("proposition"),
            st.sampled_from(["belief", "prediction", "cause", "x"]),
            st.builds(Quoted, st.integers(0, 4), st.sampled_from(["I think", "The loss", "test", "loss"])),
            st.sampled_from([None, "i1", "i2"]),
        ),
        st.tuples(
            st.just("edge"),
            st.sampled_from(["reads", "grounds", "confirms", "contradicts", "explains", "expects"]),
            st.sampled_from(["a1.check", "a1.launch", "p3.1", "p0.1"]),
            st.sampled_from(["a1.launch", "a1.check", "p0.1", "p3.1", "i1"]),
            st.one_of(st.none(), st.just(Quoted(1, "loss"))),
        ),
    ),
    max_size=25,
)


@given(OFFERS)
@settings(max_examples=50)
def test_every_offer_is_taken_or_counted_and_what_is_taken_holds_together(offers: list[Any]) -> None:
    assembly = Assembly(RECORD)
    assembly.idea("rates")
    taken = sum(bool(getattr(assembly, method)(*arguments)) for method, *arguments in offers)
    graph = finished(assembly, RECORD)
    kept = len(graph.acts) + len(graph.propositions) + len(graph.edges)
    late = graph.dropped.get("expectation that was written after its result", 0)
    assert kept == taken - late
    assert taken + sum(graph.dropped.values()) - late == len(offers)
    for node in (*graph.acts, *graph.propositions):
        step = RECORD.steps[node.quote.step]
        assert getattr(step, node.quote.field)[node.quote.start : node.quote.end] == node.quote.text
    moments: dict[str, Any] = {node.id: node.at for node in (*graph.acts, *graph.propositions)}
    for edge in graph.edges:
        if edge.type in ("reads", "explains"):
            assert moments[edge.source] > moments[edge.target]
        if edge.type == "grounds":
            assert moments[edge.source] < moments[edge.target]
    assert msgspec.json.decode(graph_bytes(graph), type=type(graph)) == graph


@pytest.mark.parametrize(
    ("logged", "shown"),
    [
        ("plain\ttext\n", "plain\ttext\n"),
        ("10%\r50%\r100%\nend", "100%\nend"),
        ("abc\r\x1b[Kx", "x"),
        ("abc\x08\x08X", "aXc"),
        ("\x1b]0;title\x07a\x1b[1;31mb\x1b[0m", "ab"),
        ("one\r\ntwo\r\n", "one\ntwo\n"),
    ],
)
def test_a_text_is_shown_as_a_terminal_shows_it(logged: str, shown: str) -> None:
    assert shown_text(logged) == shown
    assert shown_text(shown) == shown
