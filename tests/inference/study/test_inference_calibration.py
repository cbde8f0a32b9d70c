"""Needed factors and what follows from them."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtri

from whatworked.environments.effects import Task
from whatworked.inference import ESTIMATORS, METHODS, POLICIES, RelevanceEstimator
from whatworked.inference.study import calibration
from whatworked.inference.study.calibration import LEVELS, Needed
from whatworked.inference.study.games import play
from whatworked.inference.study.loo import VARIANTS
from whatworked.surfaces import ResponseSurface, bits_of
from whatworked.surfaces.edges import edges


def normal_parts(family, scale, seed, count=4000):
    """Truths of standard deviation `scale` with intervals that believe in 1."""
    truth = scale * np.random.default_rng(seed).normal(size=count)
    halves = [ndtri(0.5 + level / 2) for level in LEVELS]
    rows = [calibration.needed_factors(truth, np.zeros(count), np.full(count, -h), np.full(count, h)) for h in halves]
    return Needed("toy", family, "four", 8, np.array(rows))


def test_needed_factor_is_the_least_that_holds_the_truth():
    truth, middle = np.array([1.0, -3.0, 0.0, 0.2]), np.zeros(4)
    found = calibration.needed_factors(truth, middle, np.full(4, -2.0), np.array([0.5, 1.0, 1.0, 0.0]))
    assert found.tolist() == [2.0, 1.5, 0.0, np.inf]


def test_calibrated_intervals_cover_what_they_claim():
    np.testing.assert_allclose(calibration.coverage([normal_parts("a", 1.0, 1)]), LEVELS, atol=0.02)


def test_factor_undoes_overconfidence():
    parts = [normal_parts("a", 2.0, 1), normal_parts("b", 2.0, 2)]
    assert calibration.fit_factor(parts) == pytest.approx(2.0, rel=0.05)
    np.testing.assert_allclose(calibration.coverage(parts, 2.0), LEVELS, atol=0.02)


def test_families_count_equally():
    parts = [normal_parts("a", 1e-6, 1, 10), normal_parts("b", 1e6, 2, 5000)]
    np.testing.assert_allclose(calibration.coverage(parts), 0.5, atol=0.01)


def test_factor_of_a_family_comes_from_the_others():
    parts = [normal_parts("a", 3.0, 1), normal_parts("b", 1.0, 2), normal_parts("c", 1.0, 3)]
    by_family = {one.family: one for one in calibration.leave_one_family_out(parts)}
    assert by_family["a"].factor == pytest.approx(1.0, rel=0.05)
    assert by_family["a"].widened[LEVELS.index(0.9)] < 0.5
    assert by_family["b"].factor > 1.3


def test_only_unknown_effects_are_measured():
    bits = np.indices((2, 2, 2, 2)).reshape(4, -1).T
    surface = ResponseSurface(tuple("ABCD"), 0.2 + bits @ np.array([0.3, 0.1, 0.05, 0.2]))
    (part,) = calibration.measure([Task("toy", "toy", "a", "four", surface)])
    assert part.budget == 8
    # 10 of 16 cells are known, so between 6 and 24 of the 32 effects have an unknown end.
    assert 6 <= part.factors.shape[1] <= 24
    assert part.factors.shape[0] == len(LEVELS)
    assert (part.factors >= 0).all()


@pytest.mark.parametrize("name", ["RGP", "CRGP"])
def test_the_default_variant_is_the_shipped_method(name):
    method = METHODS[name]
    _, policy = VARIANTS["default"].build(class_aware=method.class_aware)
    assert policy == POLICIES[method.policy]()
    assert VARIANTS["default"].build()[0] == ESTIMATORS["relevance-gp"]()


def test_intervals_are_measured_where_the_shipped_method_buys():
    values = 0.5 + 0.3 * np.sin(np.arange(16.0))
    task = Task("toy", "toy", "a", "four", ResponseSurface(tuple("ABCD"), values))
    (part,) = calibration.measure([task])
    (stop,) = play(task, POLICIES[METHODS["RGP"].policy](), RelevanceEstimator(), (8,))
    known = set(stop.known.tolist())
    off, on = edges(4)
    unknown = np.array([not {int(a), int(b)} <= known for a, b in zip(off, on, strict=True)])
    off, on = off[unknown], on[unknown]
    model = RelevanceEstimator(inflation=1.0).fit(bits_of(stop.known, 4), values[stop.known])
    lower, upper = model.effect_interval(bits_of(off, 4), bits_of(on, 4), 0.9)
    held = (lower <= values[on] - values[off]) & (values[on] - values[off] <= upper)
    assert part.factors.shape[1] == len(off)
    assert (part.factors[LEVELS.index(0.9)] <= 1.0).mean() == pytest.approx(held.mean())
