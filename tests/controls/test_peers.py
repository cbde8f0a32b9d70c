"""Peers against scikit-learn, scipy and the priors they state."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.optimize import approx_fprime
from scipy.stats import lognorm, multivariate_normal
from sklearn.gaussian_process import GaussianProcessRegressor
from sklearn.gaussian_process.kernels import RBF

from whatworked import load_surface
from whatworked.controls.peers import (
    METHODS,
    ArdEstimator,
    ArdObjective,
    SparseWalshEstimator,
    TreesEstimator,
    walsh_features,
)
from whatworked.runs import bench, catalog_tasks
from whatworked.surfaces import all_bits, bits_of
from whatworked.surfaces.edges import edges


@pytest.fixture(scope="module")
def measured():
    surface = load_surface("wine__d6")
    ranks = np.random.default_rng(4).permutation(64)[:12]
    return bits_of(ranks, 6).astype(float), surface.utilities[ranks]


def test_the_objective_is_minus_the_log_posterior_and_its_gradient(measured):
    bits, values = measured
    standard = (values - values.mean()) / values.std(ddof=1)
    problem = ArdObjective(bits, standard)
    means, deviations = problem.priors
    for seed in range(3):
        point = np.random.default_rng(seed).normal(means, 0.5)
        value, slope = problem(point)
        lengths, noise = np.exp(point[:-1]), np.exp(point[-1])
        covariance = RBF(lengths)(bits) + noise * np.eye(len(bits))
        ones, inverse = np.ones(len(bits)), np.linalg.inv(covariance)
        best = ones @ inverse @ standard / (ones @ inverse @ ones)
        likelihood = multivariate_normal(best * ones, covariance).logpdf(standard)
        prior = lognorm(deviations, scale=np.exp(means)).logpdf(np.exp(point))
        # The density of the logarithms' normal constants does not depend on the point.
        constant = np.sum(np.log(deviations) + 0.5 * np.log(2 * np.pi))
        assert value == pytest.approx(-likelihood - prior.sum() - constant)
        assert slope == pytest.approx(approx_fprime(point, lambda at: problem(at)[0]), rel=1e-3, abs=1e-2)


def test_the_process_predicts_as_scikit_learns_with_the_same_hyperparameters(measured):
    bits, values = measured
    model = ArdEstimator().fit(bits, values)
    theirs = GaussianProcessRegressor(RBF(model.lengths), alpha=model.noise, optimizer=None)
    theirs.fit(bits, (values - model.mean) / model.scale - model.constant)
    cube = all_bits(6).astype(float)
    expected = model.mean + model.scale * (model.constant + theirs.predict(cube))
    assert model.predict(cube) == pytest.approx(expected, abs=1e-9)
    value, slope = ArdObjective(bits, (values - model.mean) / model.scale)(
        np.log(np.append(model.lengths, model.noise))
    )
    inside = np.append(model.lengths, model.noise) > 1.01e-4
    assert np.abs(slope[inside]).max() < 1e-2
    assert np.isfinite(value)


def test_the_process_states_the_spread_of_scikit_learns_posterior_plus_noise(measured):
    bits, values = measured
    model = ArdEstimator().fit(bits, values)
    theirs = GaussianProcessRegressor(RBF(model.lengths), alpha=model.noise, optimizer=None).fit(bits, values)
    cube = all_bits(6).astype(float)
    _, covariance = theirs.predict(cube, return_cov=True)
    covariance += model.noise * np.eye(64)
    known = [rank for rank in range(64) if cube[rank].tolist() in bits.tolist()]
    covariance[known], covariance[:, known] = 0.0, 0.0
    assert model.predict_std(cube) == pytest.approx(model.scale * np.sqrt(np.diag(covariance)), abs=1e-9)
    off, on = edges(6)
    spread = np.diag(covariance)[off] + np.diag(covariance)[on] - 2 * covariance[off, on]
    assert model.effect_std(cube[off], cube[on]) == pytest.approx(model.scale * np.sqrt(spread), abs=1e-7)
    assert model.predict_std(bits) == pytest.approx(0.0)


def test_the_process_is_graded_by_its_uncertainty(tmp_path):
    run = bench("ard-gp", "gp-effect", 8, tmp_path / "run", catalog_tasks("wine"))
    found = run.records[0].grade.uncertainty
    assert (found.effects.count, found.cells.count) == (24, 6)


def test_walsh_features_are_the_characters_of_the_cube(measured):
    whole = walsh_features(all_bits(4), 4)
    assert whole.shape == (16, 15)
    assert whole.T @ whole == pytest.approx(16 * np.eye(15))
    assert np.abs(whole.sum(axis=0)).max() == 0


def test_a_sparse_surface_is_found_from_few_masks():
    cube = all_bits(6)
    sparse = 0.5 + 0.2 * walsh_features(cube, 3)[:, 0] - 0.1 * walsh_features(cube, 3)[:, 9]
    ranks = np.random.default_rng(1).permutation(64)[:24]
    model = SparseWalshEstimator().fit(cube[ranks], sparse[ranks])
    assert np.abs(model.predict(cube) - sparse).max() < 0.02


@pytest.mark.parametrize("estimator", [ArdEstimator, lambda: TreesEstimator(5), SparseWalshEstimator])
def test_few_and_equal_measurements(estimator):
    for masks, values in (([[0, 0]], [0.5]), ([[0, 0], [1, 1]], [0.5, 0.5]), ([[0, 0], [1, 1]], [0.2, 0.7])):
        predicted = estimator().fit(np.array(masks), np.array(values)).predict(np.array([[0, 1], [1, 0]]))
        assert np.isfinite(predicted).all()
        assert ((min(values) - 1e-9 <= predicted) & (predicted <= max(values) + 1e-9)).all()


def test_names():
    assert {method.policy for method in METHODS.values()} == {"gp-effect", "random"}
