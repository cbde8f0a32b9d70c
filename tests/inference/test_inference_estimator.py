"""Predictions and intervals."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked.errors import InvalidMaskError, InvalidOptionError
from whatworked.inference import RelevanceEstimator
from whatworked.surfaces import all_bits, bits_of
from whatworked.surfaces.edges import edges

RANKS = [0, 31, 5, 18, 12, 27, 9, 22, 3, 16]


def curved(d, ranks=None):
    bits = (all_bits(d) if ranks is None else bits_of(ranks, d)).astype(float)
    return 0.2 + 0.5 * (1 - np.exp(-bits @ np.array([1.0, 0.6, 0.1, 0.0, 0.4])[:d]))


@pytest.fixture(scope="module")
def model():
    return RelevanceEstimator().fit(bits_of(RANKS, 5), curved(5, RANKS))


def test_an_additive_surface_is_recovered_from_few_masks():
    weights = np.array([0.3, -0.2, 0.0, 0.1, 0.0])
    truth = 0.5 + all_bits(5) @ weights
    found = RelevanceEstimator().fit(bits_of(RANKS, 5), truth[RANKS]).predict(all_bits(5))
    off, on = edges(5)
    error = np.abs((found[on] - found[off]) - (truth[on] - truth[off])).mean()
    assert error < 0.35 * np.abs(truth[on] - truth[off]).mean()


def test_it_gains_on_the_mean_of_the_measured(model):
    truth = curved(5)
    unknown = np.setdiff1d(np.arange(32), RANKS)
    error = np.abs(model.predict(all_bits(5)) - truth)[unknown].mean()
    assert error < 0.15 * np.abs(truth[RANKS].mean() - truth)[unknown].mean()


def test_one_measurement_is_predicted_everywhere():
    only = RelevanceEstimator().fit(np.zeros((1, 3), dtype=np.int8), np.array([0.4]))
    assert np.array_equal(only.predict(all_bits(3)), np.full(8, 0.4))
    assert np.isinf(only.predict_std(all_bits(3))).all()
    assert np.isinf(only.predict_interval(all_bits(3))[1]).all()
    assert np.isinf(only.effect_std(all_bits(3)[:1], all_bits(3)[1:2])).all()
    assert np.isneginf(only.effect_interval(all_bits(3)[:1], all_bits(3)[1:2])[0]).all()


def test_intervals_grow_with_their_level(model):
    masks = all_bits(5)[np.setdiff1d(np.arange(32), RANKS)]
    narrow, wide = model.predict_interval(masks, 0.5), model.predict_interval(masks, 0.95)
    assert (wide[0] < narrow[0]).all()
    assert (narrow[1] < wide[1]).all()


def test_uncertainty_of_many_rows_is_that_of_each(model):
    off, on = (bits_of(np.tile(ends, 5), 5) for ends in edges(5))
    assert len(off) > 256
    for found, part in (
        (model.effect_interval(off, on), model.effect_interval(off[300:310], on[300:310])),
        (model.predict_interval(off), model.predict_interval(off[300:310])),
    ):
        np.testing.assert_allclose(np.stack(found)[:, 300:310], np.stack(part))


def test_extreme_levels_of_two_measurements():
    two = RelevanceEstimator().fit(np.array([[0, 0], [1, 1]], dtype=np.int8), np.array([0.2, 0.8]))
    cell = np.array([[0, 1]], dtype=np.int8)
    widths = [float(np.diff(two.predict_interval(cell, level), axis=0)[0, 0]) for level in (0.9, 0.99, 0.999, 0.9999)]
    # One degree of freedom: the tails are those of a Cauchy distribution, ten times as wide for a tenth of the mass.
    assert widths[2] / widths[1] == pytest.approx(10, rel=0.2)
    assert widths[3] / widths[2] == pytest.approx(10, rel=0.2)


def test_measured_cells_are_certain(model):
    spread = model.predict_std(all_bits(5))
    unknown = np.setdiff1d(np.arange(32), RANKS)
    assert spread[RANKS].max() < 0.1 * np.median(spread[unknown])


def test_inflation_scales_half_widths():
    masks, values = bits_of(RANKS, 5), curved(5, RANKS)
    cell = all_bits(5)[[1, 7]]
    one, three = (RelevanceEstimator(inflation=factor).fit(masks, values) for factor in (1.0, 3.0))
    middle = one.predict(cell)
    assert np.array_equal(middle, three.predict(cell))
    for side in (0, 1):
        half = one.predict_interval(cell)[side] - middle
        np.testing.assert_allclose(three.predict_interval(cell)[side] - middle, 3 * half)
    np.testing.assert_allclose(three.predict_std(cell), 3 * one.predict_std(cell))


def test_effect_intervals_around_effects(model):
    off, on = edges(5)
    before, after = bits_of(off, 5), bits_of(on, 5)
    lower, upper = model.effect_interval(before, after, 0.9)
    effect = model.predict(after) - model.predict(before)
    assert ((lower <= effect + 1e-12) & (effect <= upper + 1e-12)).mean() > 0.95
    known = np.isin(off, RANKS) & np.isin(on, RANKS)
    spread = model.effect_std(before, after)
    assert spread[known].max() < 0.2 * np.median(spread[~known])
    truth = curved(5)
    assert ((lower <= truth[on] - truth[off]) & (truth[on] - truth[off] <= upper)).mean() > 0.8


def test_effects_are_surer_than_their_ends_when_these_move_together():
    """Two unmeasured cells that an irrelevant option separates."""
    ranks = [0, 15, 1, 14, 6, 7, 10, 11]
    values = 0.2 + bits_of(ranks, 4) @ np.array([0.3, 0.2, 0.1, 0.0])
    model = RelevanceEstimator().fit(bits_of(ranks, 4), values)
    ends = bits_of([4, 5], 4)
    assert model.effect_std(ends[:1], ends[1:])[0] < 0.5 * model.predict_std(ends).max()


@pytest.mark.parametrize("level", [0.0, 1.0, -1, 2])
def test_level_of_an_interval(model, level):
    with pytest.raises(InvalidOptionError, match="level of an interval"):
        model.predict_interval(all_bits(5), level)


def test_large_cubes_are_predicted_in_parts():
    ranks = [0, 4095, 7, 512, 1030, 2048, 77]
    model = RelevanceEstimator().fit(bits_of(ranks, 12), np.linspace(0.2, 0.8, len(ranks)))
    whole = model.predict(all_bits(12))
    assert whole.shape == (4096,)
    np.testing.assert_allclose(whole[[5, 3000]], model.predict(bits_of([5, 3000], 12)), atol=1e-12)
    assert model.predict(np.empty((0, 12), dtype=np.int8)).shape == (0,)


def test_repeated_masks_are_refused():
    with pytest.raises(InvalidMaskError, match="more than once"):
        RelevanceEstimator().fit(bits_of([0, 3, 3], 2), np.array([0.1, 0.2, 0.2]))


def test_order_of_purchase_does_not_matter(model):
    order = np.random.default_rng(0).permutation(len(RANKS))
    shuffled = [RANKS[k] for k in order]
    other = RelevanceEstimator().fit(bits_of(shuffled, 5), curved(5, shuffled))
    np.testing.assert_allclose(other.predict(all_bits(5)), model.predict(all_bits(5)), atol=1e-6)


def test_published_surfaces_are_recovered_better_than_by_ordinary_kriging(published):
    """Same measurements for both: those of the published ridge design."""
    from whatworked.controls import KrigingEstimator, ridge_design
    from whatworked.grading.grader import grade
    from whatworked.surfaces.surface import ResponseSurface

    gains = []
    for condition in published.conditions:
        table = published.utilities(condition)
        surface = ResponseSurface.from_mapping(table, name=condition)
        d = surface.d
        ranks = [0, (1 << d) - 1, *ridge_design(d, 1, 8 if d == 4 else 24)[0]]
        masks, values = bits_of(ranks, d), surface.utilities[ranks]
        scores = [
            grade(surface, np.clip(one.fit(masks, values).predict(all_bits(d)), 0, 1), ranks).effect_recovery
            for one in (RelevanceEstimator(), KrigingEstimator())
        ]
        gains.append(scores[0] - scores[1])
    assert np.mean(gains) > 0.1
    assert np.mean(np.array(gains) > 0) > 0.8
