"""One vocabulary for what was made again."""

from __future__ import annotations

import json

import pytest

from whatworked.execution.differences import VERDICTS
from whatworked.statistics.agreement import Verdict, count_verdicts, in_words


def test_verdicts_are_their_words_in_text_and_json():
    assert [str(verdict) for verdict in Verdict] == [
        "identical",
        "equal",
        "tie-dependent",
        "different",
        "missing",
        "failed",
    ]
    assert json.loads(json.dumps({Verdict.EQUAL: Verdict.FAILED})) == {"equal": "failed"}
    assert {"different": 1}[Verdict.DIFFERENT] == 1


@pytest.mark.parametrize(("word", "agrees"), [("identical", True), ("tie-dependent", True), ("different", False)])
def test_what_counts_as_agreement(word, agrees):
    assert Verdict(word).agrees is agrees


def test_counts_go_from_best_to_worst_whatever_the_order_given():
    given = [Verdict.MISSING, Verdict.DIFFERENT, Verdict.EQUAL, Verdict.DIFFERENT]
    assert in_words(count_verdicts(given)) == "1 equal, 2 different, 1 missing"
    assert in_words(count_verdicts([], VERDICTS)) == "0 identical, 0 equal, 0 different, 0 failed"
    assert count_verdicts([]) == {}
