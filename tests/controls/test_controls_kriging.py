"""Ordinary kriging against scikit-learn and against the formulas written plainly."""

from __future__ import annotations

import extended
import numpy as np
import oracle
import pytest
from controls_samples import rough_surface, strings
from hypothesis import given
from hypothesis import strategies as st

from whatworked.controls import KrigingEstimator
from whatworked.controls.kriging import LENGTHS, NUGGETS, KrigingModel, fit_kriging
from whatworked.errors import InvalidMaskError, InvalidSurfaceError
from whatworked.surfaces import all_bits, bits_of

CELLS = np.arange(64)


def measured(seed, size):
    surface = rough_surface(6, seed)
    ranks = np.random.default_rng(seed).permutation(64)[:size]
    return ranks, surface.utilities[ranks]


@pytest.mark.parametrize("size", [2, 6, 20, 64])
def test_mean_and_covariance_agree_with_scikit_learn(size):
    from sklearn.gaussian_process import GaussianProcessRegressor
    from sklearn.gaussian_process.kernels import PairwiseKernel

    ranks, values = measured(size, size)
    model = fit_kriging(6, ranks, values)
    # For bits the L1 distance is the Hamming distance, so theirs is our kernel.
    kernel = PairwiseKernel(metric="laplacian", gamma=1.0 / model.length)
    theirs = GaussianProcessRegressor(kernel, alpha=model.nugget, optimizer=None)
    theirs.fit(bits_of(ranks, 6).astype(float), values - model.mean)
    mean, covariance = theirs.predict(all_bits(6).astype(float), return_cov=True)
    np.testing.assert_allclose(model.predict(all_bits(6)), model.mean + mean, atol=1e-9)
    # Theirs knows the mean; not knowing it adds uuᵀ/c.
    theirs.fit(bits_of(ranks, 6).astype(float), np.ones(size))
    unexplained = 1.0 - theirs.predict(all_bits(6).astype(float))
    added = np.outer(unexplained, unexplained) / model.solved_ones.sum()
    np.testing.assert_allclose(model.covariance(CELLS), covariance + added, atol=1e-9)


@pytest.mark.parametrize("size", [2, 3, 7, 20, 50])
def test_the_plain_fit_is_reproduced(size):
    ranks, values = measured(size, size)
    model, plain = fit_kriging(6, ranks, values), oracle.kriging(strings(ranks, 6), values.tolist())
    assert (model.length, model.nugget) == (plain.length, plain.nugget)
    cells = oracle.cube(6)
    np.testing.assert_allclose(model.predict(all_bits(6)), plain.mean(cells), atol=1e-9)
    np.testing.assert_allclose(model.covariance(CELLS), plain.covariance(cells), atol=1e-9)


@given(seed=st.integers(0, 2**16), size=st.integers(3, 20))
def test_leave_one_out_residuals_are_those_of_refits(seed, size):
    ranks, values = measured(seed, size)
    model = fit_kriging(6, ranks, values)
    residuals = []
    for left_out in range(size):
        kept = np.arange(size) != left_out
        one = KrigingModel(
            d=6,
            ranks=ranks[kept],
            values=values[kept],
            length=model.length,
            nugget=model.nugget,
            near_tie=False,
            inverse=np.linalg.inv(model.kernel(ranks[kept], ranks[kept]) + model.nugget * np.eye(size - 1)),
        )
        residuals.append(values[left_out] - one.predict_ranks(ranks[left_out : left_out + 1])[0])
    plain = oracle.PlainKriging(strings(ranks, 6), values.tolist(), model.length, model.nugget)
    assert plain.loss() == pytest.approx(float(np.mean(np.square(residuals))), rel=1e-6)


def test_constant_observations_take_the_smoothest_model_and_predict_the_constant():
    model = KrigingEstimator().fit(bits_of([0, 15, 3], 4), np.full(3, 0.4))
    assert (model.length, model.nugget) == (max(LENGTHS), max(NUGGETS))
    np.testing.assert_allclose(model.predict(all_bits(4)), 0.4, atol=1e-12)


def test_covariance_is_symmetric_and_small_where_measured():
    ranks, values = measured(1, 20)
    model = fit_kriging(6, ranks, values)
    sigma = model.covariance(CELLS)
    assert np.array_equal(sigma, sigma.T)
    assert np.all(np.diagonal(sigma)[ranks] <= model.nugget + 1e-9)
    assert np.linalg.eigvalsh(sigma).min() > -1e-9


@pytest.mark.parametrize("d", range(1, 9))
def test_every_number_of_options_and_everything_measured(d):
    surface = rough_surface(d, seed=d)
    model = KrigingEstimator().fit(all_bits(d), surface.utilities)
    predicted = model.predict(all_bits(d))
    assert np.isfinite(predicted).all()
    assert predicted.shape == (1 << d,)


def test_one_measurement_predicts_itself():
    assert KrigingEstimator().fit(np.array([[0, 1]]), np.array([0.5])).predict(all_bits(2)) == pytest.approx(0.5)


def test_bad_observations_are_refused():
    with pytest.raises(InvalidMaskError, match="more than once: 01"):
        KrigingEstimator().fit(np.array([[0, 1], [0, 1]]), np.array([0.1, 0.1]))
    with pytest.raises(InvalidSurfaceError, match="not finite"):
        KrigingEstimator().fit(np.array([[0, 1], [1, 1]]), np.array([0.1, np.nan]))


def test_the_stated_noise_bounds_the_error_of_the_losses():
    from whatworked.controls import kriging

    ranks, values = measured(5, 12)
    distance = np.bitwise_count(ranks[:, None] ^ ranks[None, :])
    kernels = kriging._decay(6)[:, distance]
    nuggets = np.array(NUGGETS)[:, None, None] * np.eye(12)
    losses, noise = kriging._losses(np.linalg.inv(kernels[:, None] + nuggets), kernels, values)
    for row, length in enumerate(LENGTHS):
        for column, nugget in enumerate(NUGGETS):
            assert abs(losses[row, column] - long_loss(distance, values, length, nugget)) <= noise[row, column]


def long_loss(distance, values, length, nugget):
    """The loss in extended precision."""
    kernel = np.exp(-distance.astype(np.longdouble) / length)
    inverse = extended.inverse(kernel + np.longdouble(nugget) * np.eye(len(values)))
    q = inverse.sum(axis=1)
    projection = inverse - np.outer(q, q) / q.sum()
    return float(np.mean(((projection @ values) / np.diagonal(projection)) ** 2))
