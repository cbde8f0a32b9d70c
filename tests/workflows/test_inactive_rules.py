"""Rules for inactive options: those of the specification, and exactly the equivalent neighbours for any partition."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked import workflows
from whatworked.surfaces import Equivalence, inactive_rules, mask_strings, option_letters

RULES = {
    "classification": [],
    "regression": ["E has no effect where C = 0", "F has no effect where B = 0"],
    "clustering": ["E has no effect where C = 0"],
    "forecasting": [],
    "restoration": ["E has no effect where B = 0", "F has no effect where A = 0"],
    "retrieval": ["C has no effect where E = 1"],
    "beat_detection": [],
    "link_prediction": ["F has no effect where A = 0 and B = 0 and C = 0 and D = 0 and E = 0"],
}


@pytest.mark.parametrize(("family", "expected"), RULES.items())
def test_rules_of_the_families(family: str, expected: list[str]) -> None:
    assert [str(rule) for rule in inactive_rules(workflows.get(family).equivalence())] == expected
    assert inactive_rules(workflows.get(family).equivalence(4)) == ()


@given(st.integers(1, 4).flatmap(lambda d: st.lists(st.integers(0, 3), min_size=1 << d, max_size=1 << d)))
def test_rules_cover_exactly_the_edges_within_classes(keys: list[int]) -> None:
    equivalence = Equivalence.from_keys(keys)
    d, rules = equivalence.d, inactive_rules(equivalence)
    for position, letter in enumerate(option_letters(d)):
        for mask in mask_strings(d):
            if mask[position] == "1":
                continue
            other = mask[:position] + "1" + mask[position + 1 :]
            bits = dict(zip(option_letters(d), mask, strict=True))
            ruled = any(
                rule.option == letter and all(bits[name] == str(bit) for name, bit in rule.when.items())
                for rule in rules
            )
            assert ruled == (keys[int(mask, 2)] == keys[int(other, 2)])


def test_an_option_without_any_effect() -> None:
    rules = inactive_rules(Equivalence.from_keys([0, 0, 1, 1]))
    assert [(rule.option, dict(rule.when)) for rule in rules] == [("B", {})]
    assert str(rules[0]) == "B has no effect"
