"""Facts about the whole catalog that the reference tables must show."""

from __future__ import annotations

import functools
import math

import pytest

from whatworked import references
from whatworked.catalog import conditions, manifests
from whatworked.catalog.prepared_sizes import prepared_sizes
from whatworked.cli.surfaces import conditions_with_tables, labelled_surface
from whatworked.surfaces import reversing_options
from whatworked.surfaces.exports import (
    catalog_summary,
    conditional_effects,
    conditional_interactions,
    pair_interactions,
    reversal_summary,
)


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


def test_interactions_in_every_background_average_to_those_of_the_pairs():
    squares = conditional_interactions(catalog())
    assert len(squares.rows) == 22 * 6 * 4 + 14 * 15 * 16
    by_pair = {}
    for row in squares.rows:
        by_pair.setdefault((row[0], *row[5:7]), []).append(row[-1])
    pairs = {(row[0], *row[5:7]): row[-1] for row in pair_interactions(catalog()).rows}
    assert pairs.keys() == by_pair.keys()
    assert all(math.fsum(by_pair[pair]) / len(by_pair[pair]) == pytest.approx(pairs[pair], abs=1e-15) for pair in pairs)


def test_prepared_sizes_are_those_of_the_specification():
    sizes = {(source, array): tuple(shape) for source, _, array, *shape in prepared_sizes(manifests().values()).rows}
    assert {source for source, _ in sizes} == {one.source for one in conditions()}
    assert sizes["banknote", "X_train"] == (943, 4)
    assert sizes["banknote", "X_test"][0] == 405
    assert sizes["dry_bean", "X"] == (13543, 16)
    assert [sizes[name, "series before the cut"][0] for name in ("co2", "elnino", "nile", "sunspots")] == [
        1713,
        549,
        75,
        231,
    ]
    assert sizes["coffee", "noisy"] == (171, 256)
    assert sizes["arguana", "documents"][0] == 8567
    assert sizes["mitdb_103", "signal"][0] == 108_000


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
