"""The count of votes against statistics.mode and by exhaustion of all that could still come."""

from __future__ import annotations

import itertools
from collections import Counter

from hypothesis import given
from hypothesis import strategies as st

from whatworked.judging import Rule, settled, tally

CHOICES = ("yes", "no", None)
BALLOTS = st.one_of(st.none(), st.dictionaries(st.sampled_from("ab"), st.sampled_from(CHOICES), max_size=2))


@st.composite
def rules(draw: st.DrawFn) -> Rule:
    votes = draw(st.integers(1, 5))
    return Rule(votes=votes, majority=votes // 2 + 1, floor=draw(st.integers(1, votes)))


@given(st.data())
def test_a_choice_has_a_majority_of_what_was_asked_for(data: st.DataObject) -> None:
    rule = data.draw(rules())
    ballots = data.draw(st.lists(BALLOTS, max_size=rule.votes))
    found = tally(ballots, rule)
    for item in "ab":
        votes = Counter(ballot[item] for ballot in ballots if ballot and item in ballot)
        assert dict(found.counts.get(item, ())) == dict(votes)
        best = [choice for choice, number in votes.items() if 2 * number > rule.votes]
        assert len(best) <= 1
        if best and votes.total() >= rule.floor:
            assert found.choices[item] == best[0]
            assert item not in found.undecided
        else:
            assert item not in found.choices
            assert (item in found.undecided) == bool(votes)


@given(st.data())
def test_the_order_of_votes_does_not_matter(data: st.DataObject) -> None:
    rule = data.draw(rules())
    ballots = data.draw(st.lists(BALLOTS, min_size=rule.votes, max_size=rule.votes))
    assert tally(ballots, rule) == tally(data.draw(st.permutations(ballots)), rule)


@given(st.data())
def test_stopping_early_never_changes_a_choice(data: st.DataObject) -> None:
    rule = data.draw(rules())
    ballots = data.draw(st.lists(BALLOTS, max_size=rule.votes))
    if not settled(ballots, rule):
        return
    choices = tally(ballots, rule).choices
    for rest in itertools.product([None, {}, *({"a": a, "b": a} for a in CHOICES)], repeat=rule.votes - len(ballots)):
        assert tally([*ballots, *rest], rule).choices == choices


def test_two_of_three_settle_and_one_of_three_does_not() -> None:
    rule = Rule(votes=3, majority=2, floor=2)
    assert settled([{"": "yes"}, {"": "yes"}], rule)
    assert not settled([{"": "yes"}, {"": "no"}], rule)
    assert not settled([{"": "yes"}, None], rule)
    # A floor of three: the third vote could be lost, and then nothing is decided.
    assert not settled([{"": "yes"}, {"": "yes"}], Rule(votes=3, majority=2, floor=3))


def test_true_is_not_one() -> None:
    found = tally([{"": True}, {"": 1}], Rule(votes=2, majority=2, floor=1))
    assert found.undecided == {"": "split"}
