from __future__ import annotations

import dataclasses
import math

import numpy as np
import pytest

from whatworked.errors import InvalidMaskError, InvalidOptionError, InvalidSurfaceError, UnknownNameError
from whatworked.surfaces import CostMap, EdgeEffect, ResponseSurface

VALUES = [0.1, 0.2, 0.3, 0.9, 0.5, 0.4, 0.6, 0.7]


def surface(**changes):
    return ResponseSurface(**({"options": ("A", "B", "C"), "utilities": VALUES} | changes))


def test_quantities():
    one = surface(name="toy")
    assert one.d == 3
    assert one.masks[3] == "011"
    assert one["011"] == 0.9
    assert one.best == "011"
    assert one.range == 0.9 - 0.1
    assert one.pairs == (("A", "B"), ("A", "C"), ("B", "C"))
    assert one.effects().shape == (3, 4)
    assert one.mean_absolute_effect == pytest.approx(np.abs(one.effects()).mean(), abs=1e-15)
    assert one.spectrum()[0] == pytest.approx(np.mean(VALUES), abs=1e-15)
    assert one.mean_effects() == pytest.approx(one.effects().mean(axis=1), abs=1e-15)
    assert one.interactions() == pytest.approx(4 * one.spectrum()[[6, 5, 3]], abs=1e-15)
    assert math.fsum(one.order_shares()) == pytest.approx(1.0)
    assert one.path_effects(["000", "100"]).tolist() == [0.5 - 0.1]


def test_effect_table_is_tidy():
    rows = surface().effect_table()
    assert len(rows) == 12
    assert rows[0] == EdgeEffect("A", "000", 0.5 - 0.1)
    assert rows[-1] == EdgeEffect("C", "110", 0.7 - 0.6)
    assert [row.mask for row in rows if row.option == "B"] == ["000", "001", "100", "101"]


def test_a_surface_cannot_be_changed():
    values = np.array(VALUES)
    one = surface(utilities=values)
    values[0] = 0.99
    assert one["000"] == 0.1
    with pytest.raises(ValueError, match="read-only"):
        one.utilities[0] = 0.5
    with pytest.raises(dataclasses.FrozenInstanceError):
        one.name = "other"


def test_all_problems_are_named_at_once():
    with pytest.raises(InvalidSurfaceError) as caught:
        ResponseSurface(("A", "A"), [0.1, math.nan, 2.0, math.inf], native=[1.0, 2.0], name="toy")
    message = str(caught.value)
    for part in ("toy", "not distinct", "2 values (01 = nan, 11 = inf) not finite", "native values have shape (2,)"):
        assert part in message


@pytest.mark.parametrize(
    ("changes", "message"),
    [
        ({"options": ()}, "0 options; allowed are 1 to 20$"),
        ({"options": None}, "options are None; give a sequence with the name of each$"),
        ({"options": 3, "utilities": [None]}, "options are 3; .*; utilities are .* not real numbers"),
        ({"options": tuple("ABCDEFGHIJKLMNOPQRSTU")}, "21 options"),
        ({"options": ("A", "B", "")}, "non-empty strings"),
        ({"options": ("A", "B", 3)}, "non-empty strings"),
        ({"utilities": VALUES[:7]}, "need \\(8,\\)"),
        ({"utilities": [VALUES]}, "need \\(8,\\)"),
        ({"utilities": [*VALUES[:7], 1.1]}, "111 = 1.1\\) outside \\[0, 1\\]"),
        ({"utilities": [-0.1, *VALUES[1:]]}, "000 = -0.1\\) outside \\[0, 1\\]"),
        ({"utilities": ["0.5"] * 8}, "not real numbers"),
        ({"utilities": [None] * 8}, "not real numbers"),
        ({"utilities": [True] * 8}, "not real numbers"),
        ({"utilities": [[1.0], [1.0, 2.0]]}, "not a table"),
        ({"utilities": np.ma.masked_equal(VALUES, 0.9)}, "utilities are not complete: 1 masked"),
        ({"native": np.ma.masked_less(VALUES, 0.3)}, "native values are not complete: 2 masked"),
        ({"native": [math.inf] * 8}, "8 values .*, … *\\) not finite"),
        ({"utilities": [0.0, *VALUES[1:]], "utility_map": CostMap(1.0)}, "000 = 0\\) without a finite native cost"),
        (
            {"native": [1 / value - 1 for value in VALUES[:7]] + [7.0], "utility_map": CostMap(1.0)},
            "111 = 7\\) that the",
        ),
        ({"native": [-1.0] * 8, "utility_map": CostMap(1.0)}, "8 values .* into another utility"),
    ],
)
def test_parts_that_do_not_fit_are_refused(changes, message):
    with pytest.raises(InvalidSurfaceError, match=message):
        surface(**changes)


def test_native_costs_agree_with_the_utilities_up_to_rounding():
    costs = CostMap(2.0)
    one = surface(native=costs.to_native(VALUES) * (1 + 1e-13), utility_map=costs)
    assert one.native_reference.mean_absolute_effect > 0


def test_rounding_at_the_bounds_is_kept():
    one = surface(utilities=[*VALUES[:7], 1.0 + 2e-16])
    assert one["111"] == 1.0 + 2e-16


@pytest.mark.parametrize("mask", ["00", "0000", "00a", 8])
def test_unknown_masks(mask):
    with pytest.raises(InvalidMaskError):
        surface()[mask]


def test_from_mapping():
    one = surface()
    mapping = dict(zip(one.masks, VALUES, strict=True))
    shuffled = dict(reversed(mapping.items()))
    assert ResponseSurface.from_mapping(shuffled).utilities.tolist() == VALUES
    assert ResponseSurface.from_mapping(shuffled, options=("X", "Y", "Z")).options == ("X", "Y", "Z")
    for broken in (
        {},
        {"": 1.0},
        mapping | {"0000": 0.1},
        {k: v for k, v in mapping.items() if k != "010"},
        {"0" * 40: 0.1},
        {0: 0.1, 1: 0.2},
    ):
        with pytest.raises(InvalidSurfaceError, match="complete cube"):
            ResponseSurface.from_mapping(broken)


def test_restriction():
    one = surface(native=[1 - value for value in VALUES])
    half = one.restricted({"B": 1})
    assert half.options == ("A", "C")
    assert half.utilities.tolist() == [0.3, 0.9, 0.6, 0.7]
    assert half.native.tolist() == [1 - value for value in half.utilities]
    assert one.restricted({"A": 1, "C": 0}).utilities.tolist() == [0.5, 0.6]
    assert one.restricted({"A": True, "C": False}).utilities.tolist() == [0.5, 0.6]
    assert one.restricted({}).utilities.tolist() == VALUES
    with pytest.raises(UnknownNameError, match="unknown option 'X'"):
        one.restricted({"X": 1})
    with pytest.raises(InvalidSurfaceError, match="settings are 0 and 1"):
        one.restricted({"A": 2})
    with pytest.raises(InvalidSurfaceError, match="at least one free option"):
        one.restricted({"A": 0, "B": 0, "C": 0})


def test_reordering_and_renaming():
    one = surface()
    turned = one.reordered(("C", "A", "B"))
    assert turned.options == ("C", "A", "B")
    assert all(turned[mask[2] + mask[0] + mask[1]] == one[mask] for mask in one.masks)
    assert one.renamed(("scale", "pca", "l1")).best == one.best
    with pytest.raises(InvalidSurfaceError, match="not a permutation"):
        one.reordered(("A", "B"))
    with pytest.raises(InvalidSurfaceError, match="not distinct"):
        one.renamed(("A", "A", "B"))


def test_best_mask_tie_rule():
    assert surface(utilities=[0.5, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9, 0.9]).best == "001"
    assert surface(utilities=[0.1, 0.1, 0.1, 0.9, 0.1, 0.9, 0.9, 0.9]).best == "011"
    assert surface(utilities=[0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1]).best == "100"


def test_cost_map():
    costs = CostMap(0.1)
    assert costs.to_utility([0.0, 0.1, math.inf]).tolist() == [1.0, 0.5, 0.0]
    assert costs.to_native([1.0, 0.5, 0.0]).tolist() == [0.0, 0.1, math.inf]
    native = np.random.default_rng(0).exponential(1.0, 100)
    assert costs.to_native(costs.to_utility(native)) == pytest.approx(native, rel=1e-12)
    assert CostMap(np.float32(2)).scale == 2.0


@pytest.mark.parametrize("scale", [0, -1.0, math.inf, math.nan, True, "1", None])
def test_cost_maps_need_a_positive_scale(scale):
    with pytest.raises(InvalidOptionError, match="above 0"):
        CostMap(scale)
