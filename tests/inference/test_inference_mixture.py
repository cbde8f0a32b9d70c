"""Fitted processes against ordinary kriging, and the sampler against plain importance sampling."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked.inference import Prior, Sampler, gates
from whatworked.inference.kernel import SHAPES, Kernels
from whatworked.inference.mixture import fit_mixture
from whatworked.inference.quadrature import normal_points, uniform_points
from whatworked.inference.sampler import Data, populate, search_gates, tempered
from whatworked.surfaces import all_bits, bits_of

MEASURED = [0, 15, 3, 5, 9, 14, 6]


def values_at(ranks):
    bits = bits_of(ranks, 4).astype(float)
    return 0.3 + 0.2 * bits[:, 0] - 0.1 * bits[:, 1] + 0.15 * bits[:, 0] * bits[:, 2]


@pytest.fixture(scope="module")
def fitted():
    mixture = fit_mixture(bits_of(MEASURED, 4), values_at(MEASURED), Prior(warp=0.0), Sampler())
    return mixture, mixture.at(all_bits(4))


def test_processes_are_ordinary_kriging(fitted):
    mixture, at = fitted
    whole = mixture.kernels.features(all_bits(4))
    prior = whole.covariance(whole)
    variances = at.covariance()
    relative = (values_at(MEASURED) - mixture.origin) / mixture.unit
    for k in (0, 7, 30):
        inverse = np.linalg.inv(prior[k][np.ix_(MEASURED, MEASURED)] + mixture.nugget * np.eye(len(MEASURED)))
        q = inverse.sum(axis=1)
        cross = prior[k][:, MEASURED]
        bent = mixture.kernels.bend(relative)[k]
        mean = q @ bent / q.sum()
        np.testing.assert_allclose(
            at.relative[k], mixture.kernels.unbend((mean + cross @ inverse @ (bent - mean))[None])[0][0], atol=1e-3
        )
        rest = 1.0 - cross @ q
        expected = prior[k] - cross @ inverse @ cross.T + np.outer(rest, rest) / q.sum()
        np.testing.assert_allclose(variances[k], expected, atol=2e-3)


def test_measured_cells_are_met(fitted):
    mixture, at = fitted
    np.testing.assert_allclose((mixture.weights @ at.utilities)[MEASURED], values_at(MEASURED), atol=1e-4)
    assert np.abs(np.einsum("kii->ki", at.covariance())[:, MEASURED]).max() < 1e-4


def test_weights(fitted):
    weights = fitted[0].weights
    assert weights.sum() == pytest.approx(1.0)
    assert (np.diff(weights) <= 0).all()


def test_flat_surface_is_predicted_flat():
    mixture = fit_mixture(bits_of(MEASURED, 4), np.full(len(MEASURED), 0.7), Prior(), Sampler())
    np.testing.assert_allclose(mixture.at(all_bits(4)).utilities, 0.7, atol=1e-6)


def test_utilities_may_be_scaled_and_shifted():
    masks, values = bits_of(MEASURED, 4), values_at(MEASURED)
    one = fit_mixture(masks, values, Prior(), Sampler())
    other = fit_mixture(masks, 0.5 * values + 0.1, Prior(), Sampler())
    predictions = [mixture.weights @ mixture.at(all_bits(4)).utilities for mixture in (one, other)]
    np.testing.assert_allclose(0.5 * predictions[0] + 0.1, predictions[1], atol=1e-6)


def test_sampler_agrees_with_plain_importance_sampling():
    """Posterior mean prediction from 2^14 points of the prior, without gates, on two options."""
    prior = Prior(gated=0.0)
    masks, values = bits_of([0, 3, 1], 2), np.array([0.2, 0.9, 0.55])
    count, size = 1 << 14, 2 + SHAPES
    made = Kernels.at(normal_points(size, count, 77), np.zeros((count, 2), dtype=np.int64), prior)
    relative = (values - 0.2) / 0.7
    evidence = Data(masks, relative).weigh(made, prior)
    weights = tempered(evidence.log, 0.0)
    cross = made.features(np.array([[1, 0]], dtype=np.int8)).covariance(made.features(masks))[:, 0]
    solved = np.linalg.solve(evidence.matrix, (evidence.warped - evidence.mean[:, None])[:, :, None])[:, :, 0]
    expected = weights @ made.unbend((evidence.mean + (cross * solved).sum(axis=1))[:, None])[0][:, 0]
    mixture = fit_mixture(masks, values, prior, Sampler(first=512, later=512, rounds=3, kept=2048))
    found = (mixture.weights @ mixture.at(np.array([[1, 0]], dtype=np.int8)).relative)[0]
    assert found == pytest.approx(expected, abs=0.01)


def test_search_finds_a_planted_gate():
    """D acts only where A is on."""
    d = 4
    ranks = [0, 15, 1, 8, 9, 4, 5, 12, 13, 2, 10]
    bits = bits_of(ranks, d).astype(float)
    values = 0.4 * bits[:, 1] + 0.3 * bits[:, 2] + 0.25 * bits[:, 0] * bits[:, 3] + 0.2 * bits[:, 0]
    data = Data(bits_of(ranks, d), values / values.max())
    latent = np.zeros(d + SHAPES)
    latent[d + 1] = -2.0  # a small leak
    table = search_gates(data, Prior(), latent, np.zeros(d, dtype=np.int64))
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    assert np.argmax(table[3]) == 1 + 0  # "D and A"
    population = populate(data, Prior(), Sampler())
    _, drawn, log_weights = population.log_weights()
    shares = gates.frequencies(drawn, tempered(log_weights, 0.0), gates.states(d))
    assert shares[3, 1] > 0.5


def test_tempering():
    log_weights = np.array([0.0, -50.0, -60.0, -70.0])
    assert tempered(log_weights, 0.0) == pytest.approx([1.0, 0.0, 0.0, 0.0])
    flat = tempered(log_weights, 2.0)
    assert 1 / (flat @ flat) >= 2.0
    assert (np.diff(flat) < 0).all()


def test_points_are_fixed_and_read_only():
    first = uniform_points(3, 8, 1)
    assert np.array_equal(first, uniform_points(3, 8, 1))
    assert not np.array_equal(first, uniform_points(3, 8, 2))
    with pytest.raises(ValueError, match="read-only"):
        first[0, 0] = 0.5
    normal = normal_points(3, 4096, 1)
    np.testing.assert_allclose(normal.mean(axis=0), 0.0, atol=0.01)
    np.testing.assert_allclose(normal.std(axis=0), 1.0, atol=0.01)
