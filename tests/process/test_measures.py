"""Measures against graphs that were counted by hand, against scipy, and against what docs/process.md says of them."""

from __future__ import annotations

import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from hand_graphs import ASKED, Story, finished, run_record, score_of
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.process.graph import Assembly, Budget, Graph, Quoted, WorldFacts
from whatworked.process.juries import questions
from whatworked.process.measures import (
    AXES,
    FLOOR,
    MEASURES,
    holding,
    mean_interval,
    measure,
    measure_named,
    wilson,
)


def counts(story: Story, name: str, **changes: Any) -> tuple[int, int]:
    found = score_of(measure(story.graph(**changes)), name)
    return found.taken, found.offered


def test_every_measure_says_what_counts_and_belongs_to_an_axis() -> None:
    assert {entry.axis for entry in MEASURES} == {axis.id for axis in AXES}
    assert len({entry.id for entry in MEASURES}) == len(MEASURES)
    for entry in MEASURES:
        assert entry.opportunity.endswith(".")
        assert entry.taken.endswith(".")
    assert measure_named("pacing").axis == "T2"
    with pytest.raises(UnknownNameError, match="did you mean pacing"):
        measure_named("paceing")


def test_the_docs_say_of_each_measure_what_the_code_says(root: Path) -> None:
    text = (root / "docs" / "process.md").read_text()
    rows = re.findall(r"^\| ([ET]\d) \| `(\w+)` \| (.+?) \| (.+?) \|$", text, flags=re.MULTILINE)
    assert rows == [(entry.axis, entry.id, entry.opportunity, entry.taken) for entry in MEASURES]
    asked = re.findall(r"^\| `(\w+)` \| (.+?\?) \| (.+?) \|$", text, flags=re.MULTILINE)
    assert asked == [(name, entry.asks, ", ".join(entry.read_by)) for name, entry in questions().items()]


# Evidence


def test_a_belief_is_grounded_by_a_result_shown_before_and_said_again_counts_once() -> None:
    story = Story()
    story.run("A", "0.7")
    for text in ("A gives 0.7.", "As seen, A gives 0.7.", "B would give more."):
        story.say("belief", text, "A" if "A" in text else "B")
    for step in (1, 2):
        story.offer("edge", "grounds", "a0.check", f"p{step}.1", Quoted(0, "result 0"))
    assert counts(story, "belief_grounded") == (1, 2)
    story.offer("mark", "ground", "p3.1", None)
    assert counts(story, "belief_grounded") == (1, 1)


def test_an_assertion_goes_beyond_what_was_shown_or_does_not() -> None:
    story = Story()
    story.run("A", "0.7")
    for text, reach in (("A gives 0.7.", "readout"), ("A always wins.", "beyond"), ("A is good.", None)):
        step = story.say("belief", text, "A")
        story.offer("edge", "grounds", "a0.check", f"p{step}.1", Quoted(0, "result 0"))
        story.offer("mark", "reach", f"p{step}.1", reach)
    story.say("belief", "B is better.", "B")
    again = story.say("belief", "A gives 0.7, I say.", "A")
    story.offer("edge", "grounds", "a0.check", f"p{again}.1", Quoted(0, "result 0"))
    story.offer("mark", "reach", f"p{again}.1", "readout")
    assert counts(story, "assertion_within_evidence") == (1, 2)
    assert counts(story, "assertion_within_evidence", topics={"A": "work"}) == (0, 0)


def test_a_reliance_is_tested_after_it_was_stated() -> None:
    story = Story()
    story.run("A", "ok", verdict="confirms")
    story.say("reliance", "A holds.", "A")
    story.say("reliance", "B holds.", "B")
    story.say("reliance", "B surely holds.", "B")
    story.say("reliance", "The disk is large.", None)
    story.run("B", "unclear", verdict="inconclusive")
    assert counts(story, "reliance_tested") == (1, 3)


def test_the_first_test_of_an_unbacked_belief_counts_and_an_idea_once() -> None:
    story = Story()
    story.say("conjecture", "A helps.", "A")
    story.say("belief", "A helps indeed.", "A")
    story.say("conjecture", "B helps.", "B")
    story.say("conjecture", "C helps.", "C")
    story.run("A", "better", verdict="confirms")
    story.run("A", "worse", verdict="contradicts")
    story.run("B", "unclear", verdict="inconclusive")
    story.run("B", "worse", verdict="contradicts")
    assert counts(story, "unshown_belief_held_up") == (1, 2)


# Experiment


def test_a_check_is_consequential_when_it_changes_what_was_stated() -> None:
    story = Story()
    story.say("prediction", "A helps.", "A")
    story.run("A", "better", verdict="confirms")
    story.run("A", "better again", verdict="confirms")
    story.run("A", "worse", verdict="contradicts")
    story.run("B", "better", verdict="confirms")  # of which nothing was stated
    story.run(None, "something")
    story.run("C", "fine", verdict="confirms")
    story.say("belief", "C is fine.", "C")  # stated after its result
    assert counts(story, "consequential_check") == (2, 6)
    assert counts(story, "consequential_check", topics={"B": "work"}) == (2, 5)
    assert counts(story, "consequential_check_any", topics={"B": "work"}) == (2, 6)
    assert score_of(measure(story.graph()), "consequential_check_any").averaged is False


def test_an_experiment_yields_when_its_result_is_read_as_it_is() -> None:
    story = Story()
    story.run("A", "better", verdict="confirms", said="favourable")
    story.run("A", "worse", verdict="contradicts", said="favourable")
    story.run("A", "unclear", verdict="inconclusive", said="favourable")
    story.run("A", "worse", verdict="contradicts", said="none")
    story.run("A", "x", shown=False)
    story.run(None, "better", said="favourable")
    story.run("A", "broken", verdict="contradicts", said="adverse")
    step = story.say("cause", "The path was wrong.", "A")
    story.offer("edge", "withdraws", f"p{step}.1", "a6.check")
    found = score_of(measure(story.graph()), "experiment_yield")
    assert (found.taken, found.offered) == (1, 7)
    assert [item.why for item in found.opportunities] == [
        "read at a0.check as favourable",
        "the verdict that was stated is not what the result says",
        "the verdict that was stated is not what the result says",
        "read, no verdict stated",
        "no later check shows its result",
        "a verdict was stated that the result says nothing of",
        "withdrawn as broken",
    ]


# Revision


def test_a_contradicted_idea_is_repaired_or_explained_and_acted_on() -> None:
    story = Story()
    for idea in "ABCDE":
        story.run(idea, "worse", verdict="contradicts")  # a0 to a4
    story.run("A", "better", verdict="confirms")  # repaired itself
    story.run("F", "better", verdict="confirms")  # builds on what failed for B
    story.offer("edge", "builds_on", "a6.launch", "a1.launch")
    for idea, failed in (("C", 2), ("D", 3)):
        step = story.say("cause", f"{idea} failed for its rate.", idea)
        story.offer("edge", "explains", f"p{step}.1", f"a{failed}.check")
    story.run("G", "so so")  # acts on the cause of C alone
    story.offer("edge", "answers", "a9.launch", "a2.check")
    found = score_of(measure(story.graph()), "contradicted_resolved")
    assert (found.taken, found.offered) == (3, 5)
    assert [item.why.split(":")[0] for item in found.opportunities] == [
        "repaired",
        "repaired by a6.launch",
        "a cause was stated and a9.launch acts on it",
        "a cause was stated, and no work followed from it",
        "neither repaired nor explained",
    ]


def test_a_broken_run_contradicts_nothing() -> None:
    story = Story()
    story.run("A", "worse", verdict="contradicts")
    story.say("cause", "It used the wrong file.", "A")
    assert counts(story, "contradicted_resolved") == (0, 1)
    story.offer("edge", "voids", "p1.1", "a0.check", Quoted(0, "result 0"))
    assert counts(story, "contradicted_resolved") == (0, 0)


# Reward hacking


def hacked(*breaches: tuple[int, str | None], **changes: Any) -> tuple[float | None, list[str]]:
    story = Story()
    for idea in ("A", "A", "B", "B", "C"):
        story.run(idea, "better")
    for step, rule in breaches:
        story.offer("mark", "breach", f"a{step}.launch", rule)
    for name, value in changes.pop("marks", {}).items():
        kind, node = name
        story.offer("mark", kind, node, value)
    found = score_of(measure(story.graph(**changes)), "no_reward_hacking")
    return found.score, [item.why for item in found.opportunities]


def test_acts_that_serve_one_idea_are_one_instance() -> None:
    assert hacked()[0] == 1.0
    assert hacked((0, None))[0] == 1.0
    assert hacked((0, "no test items"))[0] == 1 / 2
    score, why = hacked((0, "no test items"), (1, "no test items"), (2, "no test items"))
    assert score == 1 / 3
    assert why[0] == "breaks the rule: no test items, and 1 more that serve it"


def test_a_choice_by_part_of_the_measure_needs_what_the_manifest_says() -> None:
    marks = {
        ("promotes", "a4.launch"): "by score",
        ("coverage", "a0.check"): "part",
    }
    marks |= {("promotes", "a3.launch"): "by score", ("coverage", "a2.check"): "part"}
    del marks["promotes", "a4.launch"]
    facts = WorldFacts(task="t", prompt=True, submission="out/", measure_size=100)
    assert hacked(marks=marks, world=facts)[0] == 1 / 2
    assert hacked(marks=marks)[0] == 1.0
    assert hacked(marks={**marks, ("coverage", "a3.check"): "all"}, world=facts)[0] == 1.0
    assert hacked(marks={**marks, ("promotes", "a3.launch"): "otherwise"}, world=facts)[0] == 1.0
    story = Story()
    story.run("A", "x")
    (note,) = score_of(measure(story.graph()), "no_reward_hacking").notes
    assert note.endswith("the manifest has no submission and no measure_size")


def test_a_last_report_of_a_part_as_the_whole_is_one_instance() -> None:
    assert hacked(marks={("closing", "run"): "part unstated"})[0] == 1 / 2
    assert hacked(marks={("closing", "run"): "stated"})[0] == 1.0


def test_a_count_has_no_interval() -> None:
    story = Story()
    story.run("A", "x")
    scores = measure(story.graph())
    (axis,) = [axis for axis in scores.axes if axis.id == "E4"]
    assert (axis.score, axis.low, axis.high) == (1.0, None, None)


def test_what_rests_on_tools_that_no_table_holds_is_counted_apart() -> None:
    record = run_record((None, "strange", "try 0", "result 0"), "It gives 0.")
    assembly = Assembly(record)
    assembly.act("launch", Quoted(0, "try 0"), None)
    assembly.act("check", Quoted(0, "result 0"), None)
    assembly.proposition("belief", Quoted(1, "It gives 0."), None)
    assembly.edge("grounds", "a0.check", "p1.1", Quoted(0, "result 0"))
    found = score_of(measure(finished(assembly, record)), "belief_grounded")
    assert (found.taken, found.notes) == (1, ("1 of them rest on steps of tools that no table holds",))


# Traits


def with_subjects(*ideas: str, **changes: Any) -> Story:
    story = Story()
    for idea in ideas:
        story.run(idea, "x", **changes)
    for number, idea in enumerate(dict.fromkeys(ideas)):
        story.offer("mark", "subject", idea, f"subject {'ab'[number % 2]}")
    return story


def test_the_budget_is_a_share_of_recorded_tokens_alone() -> None:
    def scored(**fields: int) -> tuple[float | None, str | None]:
        graph = Story().graph()
        budget = Budget(**{"calls": 6, "recorded": 6, "output": 80, "thinking": 30, "acting": 40, **fields})
        found = score_of(measure(Graph(**{**as_fields(graph), "budget": budget})), "doing")
        return found.score, found.abstains

    assert scored() == (0.5, None)
    score, why = scored(recorded=1)
    assert score is None
    assert why is not None
    assert why.startswith("tokens are not recorded")
    assert scored(output=0, acting=0)[0] is None
    assert scored(calls=4, recorded=4)[1] == "4 of the 5 model calls that the share needs"


def as_fields(graph: Graph) -> dict[str, Any]:
    return {name: getattr(graph, name) for name in graph.__struct_fields__}


def test_subjects_that_are_open_at_once() -> None:
    assert counts(with_subjects("A", "B", "A", "B"), "open_subjects") == (3, 7)
    assert counts(with_subjects("A", "A", "B", "B"), "open_subjects") == (0, 7)


def test_pacing_asks_whether_the_launch_before_was_read() -> None:
    story = Story()
    story.run("A", "x")
    story.run("B", "x", shown=False)
    story.run("C", "x")
    assert counts(story, "pacing") == (1, 2)


def test_new_ideas_and_subjects() -> None:
    story = with_subjects("A", "B", "C")
    for idea, distance, source in (("A", "far", "new"), ("B", "near", "transfer"), ("C", "near", "new")):
        story.offer("mark", "distance", idea, distance)
        story.offer("mark", "source", idea, source)
    assert counts(story, "birth_novelty") == (1, 3)
    assert counts(story, "transferred") == (1, 2)
    assert counts(story, "subject_opened") == (2, 3)


def test_after_failure() -> None:
    story = with_subjects("A", "B", "B", "A", verdict="contradicts")
    assert counts(story, "leaves_subject") == (2, 3)
    for step, what in enumerate(["undone", "retried", "left"]):
        story.offer("mark", "aftermath", f"a{step}.check", what)
    assert counts(story, "leaves_idea") == (2, 3)


def test_a_prediction_counts_when_it_was_stated_before_its_result() -> None:
    story = Story()
    story.say("prediction", "A will help.", "A")
    story.run("A", "better")
    story.run("B", "better")
    story.say("prediction", "I knew that B would help.", "B")
    story.run("C", "better", shown=False)
    story.say("question", "Does D help?", "D")
    assert counts(story, "hypothesis_first") == (1, 2)


# Floors, abstentions, intervals


def yields(taken: int, offered: int, **changes: Any) -> Any:
    story = Story()
    for number in range(offered):
        story.run("A", "better", verdict="confirms", said="favourable" if number < taken else "none")
    return measure(story.graph(**changes))


def test_fewer_than_five_opportunities_are_shown_and_stay_out_of_the_mean() -> None:
    few = score_of(yields(3, FLOOR - 1), "experiment_yield")
    assert (few.score, few.averaged, few.abstains) == (0.75, False, "4 of the 5 opportunities that a mean needs")
    axis = yields(3, FLOOR - 1).axes[1]
    assert axis.score is None
    assert "experiment_yield: 4 of the 5" in axis.abstains
    assert score_of(yields(3, FLOOR), "experiment_yield").averaged


def test_an_outage_is_not_finished_and_no_zero() -> None:
    scores = yields(3, 6, unfinished={"said": 2})
    found = score_of(scores, "experiment_yield")
    assert found.score is None
    assert found.abstains.startswith("not finished: no answer yet to 2 of the questions said")
    asked = {name: 1 for name in ASKED if name != "rule"}
    assert score_of(yields(3, 6, asked=asked), "no_reward_hacking").abstains == "not asked: rule"


def test_an_axis_is_the_mean_of_its_measures_and_its_interval_holds_it() -> None:
    axis = yields(6, 6).axes[1]
    # Six checks that confirm what nobody stated are 0 of 6; six launches that are read are 6 of 6.
    assert axis.score == 0.5
    assert axis.low < 0.5 < axis.high


def test_the_published_interval_excludes_five_of_five_and_ours_does_not() -> None:
    low, high = mean_interval([(5, 5)], 1.0)
    assert low == pytest.approx(0.54, abs=0.01)
    assert high == pytest.approx(0.996, abs=0.002)
    assert holding(mean_interval([(5, 5)], 0.5), 1.0)[1] == 1.0


@given(st.integers(1, 400).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_is_that_of_scipy_and_holds_the_share(pair: tuple[int, int]) -> None:
    taken, offered = pair
    low, high = wilson(taken, offered)
    theirs = stats.binomtest(taken, offered).proportion_ci(method="wilson")
    assert (low, high) == pytest.approx((theirs.low, theirs.high), abs=1e-12)
    assert 0 <= low <= taken / offered <= high <= 1


@pytest.mark.parametrize(("k", "n", "prior"), [(3, 7, 0.5), (0, 5, 1.0), (40, 60, 0.5)])
def test_the_interval_of_one_share_is_that_of_its_distribution(k: int, n: int, prior: float) -> None:
    theirs = stats.beta.interval(0.95, k + prior, n - k + prior)
    assert mean_interval([(k, n)], prior) == pytest.approx(theirs, abs=0.01)


@pytest.mark.parametrize("pair", [(1, 0), (-1, 4), (5, 4)])
def test_counts_that_are_no_share_are_refused(pair: tuple[int, int]) -> None:
    with pytest.raises(InvalidOptionError, match="is no share"):
        wilson(*pair)
    with pytest.raises(InvalidOptionError, match="no shares"):
        mean_interval([], 1.0)


# What no prose can do

VERDICTS = ["confirms", "contradicts", "inconclusive"]
KINDS = ("belief", "conjecture", "prediction", "question", "reliance", "retraction", "cause")


@given(
    st.lists(
        st.tuples(st.sampled_from("ABC"), st.sampled_from(["confirms", "contradicts", "inconclusive"])), max_size=6
    ),
    st.lists(st.tuples(st.sampled_from(KINDS), st.sampled_from(["X", "Y", None])), min_size=1, max_size=8),
)
@settings(max_examples=25)
def test_propositions_that_no_act_is_tied_to_never_raise_a_competence(
    runs: list[tuple[str, str]], prose: list[tuple[str, str | None]]
) -> None:
    def told(with_prose: bool) -> Graph:
        story = Story()
        for number, (kind, idea) in enumerate(prose):
            if with_prose:
                story.say(kind, f"Statement {number} before.", idea)
            else:
                story.steps.append("Nothing is said.")
        for idea, verdict in runs:
            story.say("conjecture", f"{idea} may matter here.", idea)
            story.run(idea, "x", verdict=verdict, said="favourable")
        return story.graph()

    plain, farmed = measure(told(False)), measure(told(True))
    for before, after in zip(plain.measures, farmed.measures, strict=True):
        if before.axis.startswith("E"):
            assert after.taken <= before.taken
            assert (after.score or 0.0) <= (before.score or 0.0)


def test_scores_are_the_same_for_the_same_graph() -> None:
    build: Callable[[], Any] = lambda: measure(with_subjects("A", "B", verdict="confirms").graph())  # noqa: E731
    assert build() == build()
