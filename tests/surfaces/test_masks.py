"""Masks: three forms, one order."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from whatworked.errors import InvalidMaskError
from whatworked.surfaces import masks as cube

DIMENSIONS = st.integers(1, 10)


@given(DIMENSIONS)
def test_canonical_order_is_lexical_order(d: int) -> None:
    masks = cube.mask_strings(d)
    assert list(masks) == sorted("".join(bits) for bits in itertools.product("01", repeat=d))


@given(DIMENSIONS, st.data())
def test_the_three_forms_agree(d: int, data: st.DataObject) -> None:
    rank = data.draw(st.integers(0, 2**d - 1))
    mask = cube.mask_string(rank, d)
    assert cube.mask_rank(mask, d) == rank
    bits = cube.bits_of([rank], d)
    assert "".join(map(str, bits[0])) == mask
    assert cube.ranks_of(bits).tolist() == [rank]


@given(DIMENSIONS)
def test_edges_switch_one_option(d: int) -> None:
    masks = cube.mask_strings(d)
    for option in range(d):
        starts = cube.edge_starts(d, option)
        assert [masks[rank] for rank in starts] == [mask for mask in masks if mask[option] == "0"]


@given(DIMENSIONS)
def test_distances_count_differing_letters(d: int) -> None:
    masks = cube.mask_strings(d)
    shown = cube.distances(np.arange(2**d), [0, 2**d - 1])
    assert shown[:, 0].tolist() == [mask.count("1") for mask in masks]
    assert shown[:, 1].tolist() == [mask.count("0") for mask in masks]


@pytest.mark.parametrize("bad", ["", "012", "01 0", "0101", 5, None, "0" * 21])
def test_a_bad_mask_is_named(bad: object) -> None:
    with pytest.raises(InvalidMaskError, match=repr(bad)):
        cube.mask_rank(bad, 3)  # type: ignore[arg-type]


def test_all_bad_masks_are_counted() -> None:
    with pytest.raises(InvalidMaskError, match=r"^3 of the masks .*'2', '00', 'x'$"):
        cube.mask_ranks(["0", "2", "00", "x"], 1)


@pytest.mark.parametrize("cells", [0, 1, 3, 12, 2**21])
def test_an_incomplete_table_is_refused(cells: int) -> None:
    with pytest.raises(InvalidMaskError, match=str(cells)):
        cube.dimensions_of(cells)


@pytest.mark.parametrize("bits", [[[0, 2]], [0, 1], [[0.5, 1]]])
def test_rows_of_other_values_are_refused(bits: object) -> None:
    with pytest.raises(InvalidMaskError):
        cube.ranks_of(bits)  # type: ignore[arg-type]
