from __future__ import annotations

import pytest

from whatworked.errors import UnknownNameError
from whatworked.surfaces import EdgeEffect, ResponseSurface, floor_of, option_signs, reversing_options
from whatworked.surfaces.reversals import FLOORS

# Option A adds 0.4 where B is off and takes 0.01 where it is on; B always adds.
SURFACE = ResponseSurface(("A", "B"), [0.0, 0.5, 0.4, 0.49])


def test_signs_of_each_option():
    first, second = option_signs(SURFACE)
    assert (first.helps, first.hurts, first.neutral, first.reverses) == (1, 1, 0, True)
    assert first.largest == EdgeEffect("A", "00", 0.4)
    assert first.smallest == EdgeEffect("A", "01", 0.49 - 0.5)
    assert (second.helps, second.hurts, second.neutral, second.reverses) == (2, 0, 0, False)
    assert second.mean == pytest.approx((0.5 + 0.09) / 2)


def test_floors():
    assert tuple(FLOORS) == ("1e-12", "1%", "5%", "10%")
    assert [floor_of(SURFACE, name) for name in FLOORS] == pytest.approx([1e-12, 0.005, 0.025, 0.05])
    assert [reversing_options(SURFACE, floor_of(SURFACE, name)) for name in FLOORS] == [("A",), ("A",), (), ()]
    assert option_signs(SURFACE, 0.05)[0].neutral == 1
    with pytest.raises(UnknownNameError, match="unknown floor '2%'"):
        floor_of(SURFACE, "2%")


def test_rounding_is_no_reversal():
    surface = ResponseSurface(("A", "B"), [0.5, 0.5 + 1e-13, 0.6, 0.6 - 1e-13])
    assert reversing_options(surface) == ()
    assert option_signs(surface)[1].neutral == 2


@pytest.mark.parametrize("name", FLOORS)
def test_a_surface_whose_whole_range_is_rounding_has_no_reversals(name):
    surface = ResponseSurface(("A", "B"), [0.5, 0.5 + 1e-13, 0.5 + 2e-13, 0.5])
    assert reversing_options(surface, 0.1 * surface.range) == ("A", "B")
    assert floor_of(surface, name) == 1e-12
    assert reversing_options(surface, floor_of(surface, name)) == ()


def test_published_conditions_reverse(published):
    reversing = [
        condition
        for condition in published.conditions
        if reversing_options(ResponseSurface.from_mapping(published.utilities(condition)))
    ]
    assert len(published.conditions) == 15
    assert len(reversing) >= 14
