from __future__ import annotations

import pytest

from whatworked.errors import InvalidSurfaceError
from whatworked.surfaces import ResponseSurface
from whatworked.wording import counted, first_few, fixed


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "record", "0 records"),
        (1, "record", "1 record"),
        (36, "condition", "36 conditions"),
        (2, "class", "2 classes"),
    ],
)
def test_one_of_a_thing_is_singular(number, noun, text):
    assert counted(number, noun) == text


@pytest.mark.parametrize(
    ("value", "signed", "text"),
    [
        (-0.0004, False, "0.000"),
        (-0.0004, True, "0.000"),
        (0.0004, True, "0.000"),
        (-0.0, True, "0.000"),
        (0.0006, True, "+0.001"),
        (-0.0006, True, "-0.001"),
        (-0.0006, False, "-0.001"),
        (12.5, True, "+12.500"),
    ],
)
def test_what_rounds_to_zero_has_no_sign(value, signed, text):
    assert fixed(value, 3, signed=signed) == text


def test_a_list_is_marked_only_where_something_is_left_out():
    names = ["a", "b", "c"]
    assert first_few(names, 3) == "a, b, c"
    assert first_few(names, 2) == "a, b, …"
    assert first_few([], 2) == ""


def test_a_single_offending_value_is_told_in_the_singular():
    with pytest.raises(InvalidSurfaceError, match=r"1 value \(10 = nan\)"):
        ResponseSurface("AB", [0.1, 0.2, float("nan"), 0.3])
