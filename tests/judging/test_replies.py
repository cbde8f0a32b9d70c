"""What counts as the answer in a reply: one object, read as it stands, or nothing."""

from __future__ import annotations

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.judging import read_answer

OBJECTS = st.dictionaries(
    st.text(max_size=4),
    st.recursive(st.none() | st.integers() | st.text(max_size=6), st.lists, max_leaves=4),
    max_size=3,
)
WORDS = st.text(st.characters(codec="utf-8", exclude_characters="{}[]"), max_size=20)


@given(OBJECTS, WORDS, WORDS, st.sampled_from([None, 2]))
def test_an_object_between_words_is_read_as_it_stands(value: Any, before: str, after: str, indent: int | None) -> None:
    assert read_answer(before + json.dumps(value, indent=indent) + after) == value
    assert read_answer(f"{before}\n```json\n{json.dumps(value, ensure_ascii=False)}\n```\n{after}") == value


@given(OBJECTS, OBJECTS, WORDS)
def test_which_of_two_is_meant_is_not_guessed(first: Any, second: Any, between: str) -> None:
    with pytest.raises(ValueError, match="more than one JSON object"):
        read_answer(json.dumps(first) + between + json.dumps(second))


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "no JSON object"),
        ("yes", "no JSON object"),
        ('{"choice": "yes"', "no JSON object"),
        ('{"choice": "yes", "choice": "no"}', "more than once"),
        ('{"choice": NaN}', "NaN"),
        ("{" * 200, "too many braces"),
        ('{"a":' * 100_000, "too many braces|nested"),
        ("x" * 1_000_001, "more than the 1000000"),
    ],
)
def test_what_cannot_be_read_is_said(text: str, said: str) -> None:
    with pytest.raises(ValueError, match=said):
        read_answer(text)


def test_half_a_surrogate_pair_harms_nothing() -> None:
    with pytest.raises(ValueError, match="half of a surrogate pair"):
        read_answer('{"choice": "\\ud800"}')
    assert read_answer('{"choice": "\ud800"}') == {"choice": "\ufffd"}
