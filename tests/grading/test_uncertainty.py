"""Grades of stated uncertainty against scipy's distributions and formulas of the literature, written here anew."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy import integrate, stats

from whatworked.errors import InvalidOptionError
from whatworked.grading import Distribution, calibration
from whatworked.grading.uncertainty import LEVELS, RATES, Intervals

NUMBERS = st.floats(-3.0, 3.0)
SCALES = st.floats(0.01, 5.0)


def crps_normal(mean, scale, truth):
    """Gneiting and Raftery 2007, equation 21, with the sign of a loss."""
    z = (truth - mean) / scale
    return scale * (z * (2 * stats.norm.cdf(z) - 1) + 2 * stats.norm.pdf(z) - 1 / np.sqrt(np.pi))


def crps_mixture(means, scales, weights, truth):
    """Grimit, Gneiting, Berrocal and Johnson 2006: mean distance to the truth less half that of two draws."""

    def distance(mean, scale):
        return mean * (2 * stats.norm.cdf(mean / scale) - 1) + 2 * scale * stats.norm.pdf(mean / scale)

    first = sum(w * distance(truth - m, s) for m, s, w in zip(means, scales, weights, strict=True))
    pairs = [
        v * w * distance(m - n, np.hypot(s, t))
        for m, s, v in zip(means, scales, weights, strict=True)
        for n, t, w in zip(means, scales, weights, strict=True)
    ]
    return first - 0.5 * sum(pairs)


@given(NUMBERS, SCALES, NUMBERS)
def test_a_normal_has_the_scores_of_the_closed_forms(mean, scale, truth):
    found = calibration(Distribution.normal(np.array([mean]), np.array([scale])), np.array([truth]))
    assert found.crps == pytest.approx(crps_normal(mean, scale, truth), rel=1e-4, abs=1e-6)
    assert found.log_score == pytest.approx(min(-stats.norm(mean, scale).logpdf(truth), -np.log(1e-300)))
    assert found.sharpness == pytest.approx(2 * scale * stats.norm.ppf(0.95))
    for rate in RATES:
        low, high = stats.norm(mean, scale).interval(rate)
        if min(abs(truth - low), abs(truth - high)) > 1e-9:
            assert found.coverage[f"{rate:g}"] == float(low <= truth <= high)


def test_a_mixture_of_normals():
    means, scales, weights = (
        np.array([[-1.0], [0.5], [2.0]]),
        np.array([[0.2], [1.0], [0.5]]),
        np.array([0.5, 0.3, 0.2]),
    )
    stated = Distribution(means, scales, weights)
    for truth in (-2.0, -1.0, 0.3, 4.0):
        expected = crps_mixture(means[:, 0], scales[:, 0], weights, truth)
        assert stated.crps(np.array([truth]))[0] == pytest.approx(expected, rel=1e-4)
        density = weights @ stats.norm(means[:, 0], scales[:, 0]).pdf(truth)
        assert stated.density(np.array([truth]))[0] == pytest.approx(density)
    for share in (0.025, 0.5, 0.9):
        assert stated.cdf(stated.quantile(share))[0] == pytest.approx(share)


@pytest.mark.parametrize("freedom", [2.0, 5.0, 30.0])
def test_a_student_t(freedom):
    stated = Distribution(np.array([[0.3]]), np.array([[0.7]]), np.ones(1), freedom)
    reference = stats.t(freedom, 0.3, 0.7)
    for truth in (-4.0, 0.3, 1.0):
        below = integrate.quad(lambda x: reference.cdf(x) ** 2, -np.inf, truth)[0]
        above = integrate.quad(lambda x: reference.sf(x) ** 2, truth, np.inf)[0]
        assert stated.crps(np.array([truth]))[0] == pytest.approx(below + above, rel=1e-3)
        assert -np.log(stated.density(np.array([truth]))[0]) == pytest.approx(-reference.logpdf(truth))
    assert [end[0] for end in stated.interval(0.8)] == pytest.approx(reference.interval(0.8))


def test_coverage_of_a_right_statement_is_as_stated():
    random = np.random.default_rng(0)
    centres, scales = random.normal(size=20_000), random.uniform(0.1, 2.0, 20_000)
    found = calibration(Distribution.normal(centres, scales), random.normal(centres, scales))
    for rate in RATES:
        assert found.coverage[f"{rate:g}"] == pytest.approx(rate, abs=0.01)


def test_intervals_alone_have_no_log_score_and_nearly_the_same_crps():
    random = np.random.default_rng(1)
    centres, truth = random.normal(size=500), random.normal(size=500)
    ends = {level: tuple(stats.norm(centres, 1.0).interval(level)) for level in LEVELS}
    found = calibration(Intervals(ends), truth)
    whole = calibration(Distribution.normal(centres, np.ones(500)), truth)
    assert found.log_score is None
    assert found.crps == pytest.approx(whole.crps, rel=0.06)
    assert found.coverage == whole.coverage


def test_what_says_nothing_is_not_graded_and_what_is_wrong_is_named():
    assert calibration(None, np.zeros(2)) is None
    assert calibration(Distribution.normal(np.zeros(1), np.array([np.inf])), np.zeros(1)) is None
    with pytest.raises(InvalidOptionError, match=r"have shapes \(1, 2\), \(1, 3\) and \(1,\)"):
        Distribution(np.zeros((1, 2)), np.ones((1, 3)), np.ones(1))
    with pytest.raises(InvalidOptionError, match="must be positive"):
        Distribution.normal(np.zeros(1), -np.ones(1))
