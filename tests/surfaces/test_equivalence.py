"""Classes of masks that are the same program."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.errors import DeclarationError
from whatworked.surfaces import Equivalence, mask_strings


@given(st.integers(1, 6), st.data())
def test_classes_are_the_level_sets_of_the_keys(d: int, data: st.DataObject) -> None:
    keys = data.draw(st.lists(st.integers(0, 4), min_size=2**d, max_size=2**d))
    classes = Equivalence.from_keys(keys)
    assert len(classes) == len(set(keys))
    for rank, key in enumerate(keys):
        members = classes.members(rank)
        assert members.tolist() == [other for other, value in enumerate(keys) if value == key]
        representative = int(classes.representative[rank])
        assert representative in members
        assert representative.bit_count() == min(int(member).bit_count() for member in members)


def test_inactive_options_are_off_in_a_representative() -> None:
    keys = [(mask[0], mask[1] if mask[0] == "1" else None) for mask in mask_strings(2)]
    assert Equivalence.from_keys(keys).representative.tolist() == [0, 0, 2, 3]


def test_a_table_that_is_no_partition_is_refused() -> None:
    with pytest.raises(DeclarationError):
        Equivalence(np.array([1, 0]))
    with pytest.raises(DeclarationError):
        Equivalence(np.array([0, 7]))


def test_a_partition_is_read_only() -> None:
    classes = Equivalence.trivial(2)
    with pytest.raises(ValueError, match="read-only"):
        classes.representative[0] = 1
