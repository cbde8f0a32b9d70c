"""Ridge: the closed form against refits and scikit-learn, the choice of the penalty, edge cases."""

from __future__ import annotations

import numpy as np
import oracle
import pytest
from controls_samples import as_dict, rough_surface, strings
from hypothesis import given
from hypothesis import strategies as st

from whatworked.controls import RidgeEstimator
from whatworked.controls.ridge import ALPHAS, Smoother, features, fit_ridge
from whatworked.errors import InvalidMaskError, InvalidOptionError, InvalidSurfaceError
from whatworked.surfaces import all_bits, bits_of


@st.composite
def observations(draw):
    d = draw(st.integers(2, 6))
    size = draw(st.integers(2, min(1 << d, 24)))
    ranks = draw(st.lists(st.integers(0, (1 << d) - 1), min_size=size, max_size=size, unique=True))
    seed = draw(st.integers(0, 2**16))
    return d, ranks, np.random.default_rng(seed).uniform(size=size)


@pytest.mark.parametrize("degree", [1, 2])
@given(case=observations())
def test_closed_form_losses_are_those_of_refits_within_the_stated_noise(degree, case):
    d, ranks, values = case
    smoother = Smoother(d, tuple(ranks), degree)
    losses, noise = smoother.losses(values)
    refitted = smoother.refitted_losses(values)
    assert np.all(np.abs(losses - refitted) <= noise + 1e-15)
    plain = oracle.ridge_losses(strings(ranks, d), values.tolist(), degree)
    np.testing.assert_allclose(refitted, plain[::-1], rtol=1e-6, atol=1e-13)


@pytest.mark.parametrize("degree", [1, 2])
@given(case=observations())
def test_the_closed_form_chooses_what_refits_choose(degree, case):
    d, ranks, values = case
    chosen = Smoother(d, tuple(ranks), degree).choose(values)
    if not chosen.near_tie:
        assert ALPHAS[chosen.index] == oracle.ridge_alpha(strings(ranks, d), values.tolist(), degree)


@pytest.mark.parametrize("degree", [1, 2])
@pytest.mark.parametrize("bought", [1, 5, 12, 30])
def test_predictions_agree_with_scikit_learn(degree, bought):
    from sklearn.linear_model import Ridge

    surface = rough_surface(6, seed=bought)
    ranks = np.random.default_rng(bought).permutation(64)[: bought + 2]
    model = fit_ridge(6, ranks.tolist(), surface.utilities[ranks], degree)
    theirs = Ridge(alpha=model.alpha, solver="svd")
    theirs.fit(features(bits_of(ranks, 6), degree), surface.utilities[ranks])
    predicted = theirs.predict(features(all_bits(6), degree))
    np.testing.assert_allclose(model.predict(all_bits(6)), predicted, atol=1e-10)


def test_features_are_main_effects_then_pairs_in_combinations_order():
    row = features([[0, 1, 1]], 2)[0]
    assert row.tolist() == [-1, 1, 1, -1, -1, 1]
    assert features([[0, 1, 1]], 1)[0].tolist() == [-1, 1, 1]


def test_constant_observations_take_the_largest_penalty_and_predict_the_constant():
    model = RidgeEstimator(2).fit(bits_of([0, 15, 3, 5], 4), np.full(4, 0.25))
    assert model.alpha == 10.0
    assert not model.near_tie
    assert model.predict(all_bits(4)).tolist() == [0.25] * 16


def test_two_anchors_tie_in_every_penalty_and_take_the_largest():
    model = RidgeEstimator(2).fit(bits_of([0, 63], 6), np.array([0.2, 0.7]))
    assert model.alpha == 10.0


@pytest.mark.parametrize("d", range(1, 9))
@pytest.mark.parametrize("degree", [1, 2])
def test_everything_measured_is_fitted_for_every_number_of_options(d, degree):
    surface = rough_surface(d, seed=d)
    masks = all_bits(d)[[0, -1, *range(1, (1 << d) - 1)]] if d > 1 else all_bits(d)
    values = surface.utilities[[0, -1, *range(1, (1 << d) - 1)]] if d > 1 else surface.utilities
    assert np.isfinite(RidgeEstimator(degree).fit(masks, values).predict(all_bits(d))).all()


def test_one_measurement_predicts_itself():
    assert RidgeEstimator(1).fit(np.array([[0, 1]]), np.array([0.5])).predict(all_bits(2)).tolist() == [0.5] * 4


def test_order_of_measurement_does_not_matter_beyond_rounding():
    surface = rough_surface(5, seed=3)
    ranks = [0, 31, 7, 9, 20, 3]
    one = fit_ridge(5, ranks, surface.utilities[ranks], 2).predict(all_bits(5))
    two = fit_ridge(5, ranks[::-1], surface.utilities[ranks[::-1]], 2).predict(all_bits(5))
    np.testing.assert_allclose(one, two, atol=1e-9)


def test_a_later_fit_leaves_an_earlier_model_unchanged():
    estimator, surface = RidgeEstimator(2), rough_surface(4, seed=1)
    first = estimator.fit(all_bits(4)[:4], surface.utilities[:4])
    before = first.predict(all_bits(4)).copy()
    estimator.fit(all_bits(4), surface.utilities)
    assert np.array_equal(first.predict(all_bits(4)), before)


@pytest.mark.parametrize(
    ("masks", "values", "error", "named"),
    [
        (np.zeros((0, 3)), np.zeros(0), InvalidMaskError, "no mask"),
        ([[0, 1], [0, 1]], [0.1, 0.2], InvalidMaskError, "01"),
        ([[0, 2], [0, 1]], [0.1, 0.2], InvalidMaskError, "other than 0 and 1"),
        ([[0, 0], [0, 1]], [0.1], InvalidSurfaceError, "shape"),
        ([[0, 0], [0, 1]], [0.1, np.nan], InvalidSurfaceError, "01"),
        ([[0, 0], [0, 1]], [np.inf, 0.1], InvalidSurfaceError, "00"),
    ],
)
def test_bad_observations_are_refused_by_name(masks, values, error, named):
    with pytest.raises(error, match=named):
        RidgeEstimator(2).fit(np.array(masks), np.array(values))


def test_other_degrees_are_refused():
    with pytest.raises(InvalidOptionError, match="3"):
        RidgeEstimator(3)


def test_the_plain_table_is_reproduced():
    surface = rough_surface(4, seed=11)
    bought = [3, 5, 6, 8]
    record = oracle.ridge_record(as_dict(surface), strings(bought, 4), 2)
    model = fit_ridge(4, [0, 15, *bought], surface.utilities[[0, 15, *bought]], 2)
    mine = np.clip(model.predict(all_bits(4)), 0, 1)
    mine[[0, 15, *bought]] = surface.utilities[[0, 15, *bought]]
    np.testing.assert_allclose(mine, list(record.predictions.values()), atol=1e-10)
    assert record.steps == [model.hyperparameters]
