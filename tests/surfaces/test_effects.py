from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
import shapiq
import slow_grader

from whatworked.errors import InvalidMaskError
from whatworked.surfaces import (
    conditional_effects,
    inverse_walsh_hadamard,
    mask_strings,
    mean_absolute_effect,
    mean_effects,
    order_shares,
    pair_interactions,
    path_effects,
    variance_by_order,
    walsh_hadamard,
)
from whatworked.surfaces import interaction_indices as bridges

SIZES = range(1, 11)


def table(d):
    return np.random.default_rng(d).random(1 << d)


def by_mask(values):
    return dict(zip(mask_strings(len(values).bit_length() - 1), values.tolist(), strict=True))


def subset(mask):
    return tuple(i for i, bit in enumerate(mask) if bit == "1")


@pytest.mark.parametrize("d", SIZES)
def test_effects_equal_a_loop_over_edges(d):
    values = table(d)
    assert conditional_effects(values).ravel().tolist() == slow_grader.effects(by_mask(values))
    sizes = [abs(effect) for effect in slow_grader.effects(by_mask(values))]
    assert mean_absolute_effect(values) == math.fsum(sizes) / len(sizes)


@pytest.mark.parametrize("d", SIZES)
def test_mean_effects_and_interactions_equal_loops(d):
    values = table(d)
    effects = np.array(slow_grader.effects(by_mask(values))).reshape(d, -1).tolist()
    assert mean_effects(values) == pytest.approx([math.fsum(row) / len(row) for row in effects], abs=1e-15)
    assert pair_interactions(values) == pytest.approx(slow_grader.interactions(by_mask(values)), abs=1e-15)


@pytest.mark.parametrize("d", range(2, 9))
def test_interactions_by_direct_sums_and_by_transform_are_the_same_numbers(d):
    values = table(d)
    ranks = [int(mask, 2) for mask in mask_strings(d) if mask.count("1") == 2][::-1]
    assert pair_interactions(values).tolist() == (4 * walsh_hadamard(values)[ranks]).tolist()


@pytest.mark.parametrize("d", range(1, 8))
def test_transform_equals_its_definition(d):
    values = table(d)
    masks = mask_strings(d)
    for rank, chosen in enumerate(masks):
        signs = [
            math.prod(2 * int(bit) - 1 for bit, member in zip(mask, chosen, strict=True) if member == "1")
            for mask in masks
        ]
        expected = math.fsum(sign * value for sign, value in zip(signs, values.tolist(), strict=True)) / len(masks)
        assert walsh_hadamard(values)[rank] == expected


def test_transform_keeps_what_plain_sums_lose():
    values = np.array([1e16, 1.0, -1e16, 1.0])
    assert walsh_hadamard(values)[0] == 0.5


@pytest.mark.parametrize("d", SIZES)
def test_variance_by_order(d):
    values = table(d)
    variances = variance_by_order(values)
    assert variances.shape == (d + 1,)
    assert variances[0] == 0.0
    assert math.fsum(variances) == pytest.approx(values.var(), abs=1e-15)
    assert math.fsum(order_shares(values)) == pytest.approx(1.0, abs=1e-14)
    assert order_shares(np.full(1 << d, 0.3)).tolist() == [0.0] * (d + 1)


def test_order_of_pure_tables():
    first, second = np.meshgrid([-1.0, 1.0], [-1.0, 1.0], indexing="ij")
    assert order_shares((first + 2 * second).ravel()).tolist() == [0.0, 1.0, 0.0]
    assert order_shares((first * second).ravel()).tolist() == [0.0, 0.0, 1.0]


@pytest.mark.parametrize("d", range(1, 7))
def test_banzhaf_and_moebius_agree_with_shapiq(d):
    values = table(d)

    def game(coalitions):
        weights = 1 << np.arange(d - 1, -1, -1)
        return values[np.asarray(coalitions, dtype=int) @ weights]

    computer = shapiq.ExactComputer(n_players=d, game=game)
    banzhaf, moebius = computer("BII", order=d), computer("Moebius")
    for rank, mask in enumerate(mask_strings(d)):
        assert bridges.mobius(values)[rank] == pytest.approx(moebius[subset(mask)], abs=1e-13)
        if rank:
            assert bridges.banzhaf_interactions(values)[rank] == pytest.approx(banzhaf[subset(mask)], abs=1e-13)
    pairs = [banzhaf[pair] for pair in itertools.combinations(range(d), 2)]
    assert pair_interactions(values) == pytest.approx(pairs, abs=1e-13)
    assert mean_effects(values) == pytest.approx([computer("BV")[(i,)] for i in range(d)], abs=1e-13)


@pytest.mark.parametrize("d", range(1, 7))
def test_banzhaf_from_moebius(d):
    values = table(d)
    moebius = bridges.mobius(values)
    for small in range(1 << d):
        terms = [
            moebius[big] / 2 ** (big.bit_count() - small.bit_count()) for big in range(1 << d) if big & small == small
        ]
        assert bridges.banzhaf_interactions(values)[small] == pytest.approx(math.fsum(terms), abs=1e-13)


@pytest.mark.parametrize("d", range(1, 6))
def test_anova_components_sum_to_the_table_and_average_to_zero(d):
    values = table(d)
    components = [bridges.anova_component(values, mask) for mask in mask_strings(d)]
    assert np.sum(components, axis=0) == pytest.approx(values, abs=1e-14)
    for mask, component in zip(mask_strings(d), components, strict=True):
        cube = component.reshape((2,) * d)
        for option in subset(mask):
            assert np.abs(cube.mean(axis=option)).max() < 1e-15
        for option in set(range(d)) - set(subset(mask)):
            assert (np.diff(cube, axis=option) == 0).all()
    shares = bridges.sobol_indices(values)
    assert shares == pytest.approx([0.0] + [component.var() / values.var() for component in components[1:]], abs=1e-13)
    totals = [
        sum(share for share, mask in zip(shares, mask_strings(d), strict=True) if mask[i] == "1") for i in range(d)
    ]
    assert bridges.total_sobol_indices(values) == pytest.approx(totals, abs=1e-14)


def test_inverses_at_larger_size():
    values = table(12)
    assert inverse_walsh_hadamard(walsh_hadamard(values)) == pytest.approx(values, abs=1e-14)
    assert bridges.inverse_mobius(bridges.mobius(values)) == pytest.approx(values, abs=1e-11)


def test_paths():
    values = np.array([0.0, 0.25, 0.5, 1.0])
    assert path_effects(values, ["00", "01", "11", "10"]).tolist() == [0.25, 0.75, -0.5]
    assert path_effects(values, ["01"]).tolist() == []
    with pytest.raises(InvalidMaskError, match="from 00 to 11 switches 2"):
        path_effects(values, ["00", "11"])
    with pytest.raises(InvalidMaskError, match="switches 0"):
        path_effects(values, ["00", "00"])
    with pytest.raises(InvalidMaskError):
        path_effects(values, ["000", "001"])


@pytest.mark.parametrize(
    "function", [conditional_effects, walsh_hadamard, bridges.mobius, mean_effects, pair_interactions]
)
@pytest.mark.parametrize("size", [0, 1, 3, 12])
def test_incomplete_cubes_are_refused(function, size):
    with pytest.raises(InvalidMaskError, match="a complete cube has"):
        function(np.zeros(size))


@pytest.mark.parametrize(
    "function", [conditional_effects, walsh_hadamard, bridges.mobius, mean_effects, pair_interactions]
)
def test_tables_of_another_shape_are_refused(function):
    for shape in ((4, 4), (1, 8), (2, 2, 2), ()):
        with pytest.raises(InvalidMaskError, match="has shape"):
            function(np.zeros(shape))
