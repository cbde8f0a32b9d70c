"""Facts about the whole catalog that the reference tables must show."""

from __future__ import annotations

import functools

import pytest

from whatworked import references
from whatworked.catalog import conditions
from whatworked.cli.surfaces import conditions_with_tables, labelled_surface
from whatworked.surfaces import reversing_options
from whatworked.surfaces.exports import catalog_summary, conditional_effects, pair_interactions, reversal_summary


@functools.cache
def catalog():
    return tuple(labelled_surface(name, None) for name in conditions_with_tables(None))


def test_counts():
    assert [one.surface.name for one in catalog()] == [one.id for one in conditions()]
    assert len(catalog()) == 36
    assert len({one.source for one in catalog()}) == 30
    assert sum(1 << one.surface.d for one in catalog()) == 1248
    assert len(conditional_effects(catalog()).rows) == 3392
    assert len(pair_interactions(catalog()).rows) == 342
    assert len(catalog_summary(catalog()).rows) == 36


def test_all_conditions_but_one_contain_a_sign_reversal():
    without = [one.surface.name for one in catalog() if not reversing_options(one.surface, 1e-12)]
    assert without == ["banknote"]
    rows = {row[:3]: row[3:] for row in reversal_summary(catalog()).rows}
    assert rows["catalog", "all", "1e-12"][2:] == (35, 36, 29, 30)
    assert len({name for level, name, _ in rows if level == "component"}) == 48


@pytest.mark.parametrize("condition", [one for one in conditions() if one.track == "paired"], ids=lambda one: one.id)
def test_four_option_conditions_are_subcubes_of_the_paired_six_option_ones(condition):
    part = references.load_surface(condition.id).restricted({"E": 0, "F": 0})
    whole = references.load_surface(condition.source)
    assert part.options == whole.options
    assert part.utilities.tolist() == whole.utilities.tolist()
    assert part.native.tolist() == whole.native.tolist()


@pytest.mark.parametrize("condition", conditions(), ids=lambda one: one.id)
def test_native_values_and_utilities_are_two_views_of_one_thing(condition):
    surface = references.load_surface(condition.id)
    if surface.utility_map is None:
        assert surface.utilities.tolist() == surface.native.tolist()
    else:
        assert surface.utility_map.to_native(surface.utilities) == pytest.approx(surface.native, rel=1e-12)
