"""Marginal likelihoods against numerical integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy import integrate, stats

from whatworked.inference import Prior
from whatworked.inference.evidence import weigh
from whatworked.inference.kernel import SHAPES, Kernels
from whatworked.inference.quadrature import normal_points
from whatworked.surfaces import all_bits


def integrated(covariance, values):
    """∫∫ N(values; μ, σ²C) dμ dσ / σ."""
    n = len(values)
    whole = stats.multivariate_normal(np.zeros(n), covariance)

    def density(mean, log_sd):
        sd = np.exp(log_sd)
        return np.exp(whole.logpdf((values - mean) / sd) - n * log_sd)

    found, _ = integrate.dblquad(density, -8.0, 5.0, -30.0, 30.0, epsabs=1e-10, epsrel=1e-8)
    return found


def test_ratio_of_evidences():
    masks, values = all_bits(2), np.array([0.1, 0.5, 0.35, 0.9])
    latent = normal_points(2 + SHAPES, 4, 9)
    made = Kernels.at(latent, np.zeros((4, 2), dtype=np.int64), Prior(warp=0.0))
    seen = made.features(masks)
    matrix = seen.covariance(seen)
    found = weigh(matrix.copy(), made.bend(values), np.zeros(4), 0.05).log
    expected = np.log([integrated(one + 0.05 * np.eye(4), values) for one in matrix])
    np.testing.assert_allclose(found - found[0], expected - expected[0], atol=2e-3)


def test_against_explicit_inverses():
    generator = np.random.default_rng(3)
    factors = generator.normal(size=(5, 6, 6))
    matrix = factors @ factors.transpose(0, 2, 1) + np.eye(6)
    warped = generator.normal(size=(5, 6))
    found = weigh(matrix.copy(), warped, np.arange(5.0), 0.5)
    for k in range(5):
        inverse = np.linalg.inv(matrix[k] + 0.5 * np.eye(6))
        total = inverse.sum()
        mean = inverse.sum(axis=0) @ warped[k] / total
        squares = (warped[k] - mean) @ inverse @ (warped[k] - mean)
        log = k - 0.5 * (np.linalg.slogdet(matrix[k] + 0.5 * np.eye(6))[1] + np.log(total) + 5 * np.log(squares))
        assert found.mean[k] == pytest.approx(mean)
        assert found.squares[k] == pytest.approx(squares, rel=1e-6)
        assert found.log[k] == pytest.approx(log, abs=1e-6)
