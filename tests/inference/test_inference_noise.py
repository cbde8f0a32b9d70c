"""Fits to measurements that vary when they are repeated."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.errors import InvalidMaskError, InvalidOptionError, InvalidSurfaceError
from whatworked.inference.estimator import RelevanceEstimator
from whatworked.inference.evidence import weigh
from whatworked.inference.kernel import Kernels, Prior
from whatworked.inference.noise import STATED_FREEDOM, fit_noisy, noise_level
from whatworked.inference.observed import Data
from whatworked.inference.study.surfaces.synthetic import synthetic_surfaces
from whatworked.surfaces.edges import edges
from whatworked.surfaces.masks import all_bits, bits_of

PRIOR = replace(Prior(), noise=(-1.0, 1.0))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.integers(0, 7), min_size=4, max_size=12), st.integers(0, 99))
def test_means_of_repeats_tell_what_all_measurements_tell(ranks, seed) -> None:
    """The evidence through means and sums within, against the covariance matrix of every single measurement."""
    generator = np.random.default_rng(seed)
    distinct, place = np.unique(ranks, return_inverse=True)
    values = generator.random(len(ranks))
    kernels = Kernels.at(generator.normal(size=(3, 7)), np.zeros((3, 3), dtype=np.int64), PRIOR)
    by_means = Data(bits_of(distinct, 3), values, place).weigh(kernels, PRIOR)
    rows = bits_of(np.array(ranks), 3)
    same = (np.array(ranks)[:, None] == np.array(ranks)[None, :]).astype(float)
    seen = kernels.features(rows)
    matrix = seen.covariance(seen) + PRIOR.nugget * same
    everything = weigh(matrix, kernels.bend(values), kernels.warp * values.sum(), kernels.noise[:, None])
    assert by_means.mean == pytest.approx(everything.mean, rel=1e-6, abs=1e-9)
    assert by_means.squares == pytest.approx(everything.squares, rel=1e-6)
    assert by_means.log == pytest.approx(everything.log, rel=1e-6, abs=1e-6)


def test_exact_measurements_are_fitted_as_before() -> None:
    ranks = np.array([0, 15, 3, 6, 9, 12])
    masks, utilities = bits_of(ranks, 4), np.array([0.1, 0.9, 0.3, 0.5, 0.4, 0.7])
    exact, noisy = RelevanceEstimator().fit(masks, utilities), fit_noisy(masks, utilities, 0.0)
    assert exact.predict(all_bits(4)).tobytes() == noisy.predict(all_bits(4)).tobytes()
    assert noise_level(noisy.mixture).sd == 0.0


def test_a_stated_noise_is_worth_its_repeats() -> None:
    masks, utilities = bits_of(np.array([0, 15, 3, 6, 9, 12]), 4), np.array([0.1, 0.9, 0.3, 0.5, 0.4, 0.7])
    mixture = fit_noisy(masks, utilities, 0.05).mixture
    assert mixture.freedom == 5 + STATED_FREEDOM
    level = noise_level(mixture)
    assert level.low < 0.05 < level.high
    assert level.high / level.low < 2.0


def test_many_repeats_tell_the_noise_and_the_truth() -> None:
    generator = np.random.default_rng(3)
    truth = np.array([0.1, 0.4, 0.5, 0.9])
    ranks = np.repeat(np.arange(4), 50)
    model = fit_noisy(bits_of(ranks, 2), truth[ranks] + generator.normal(0, 0.2, ranks.size))
    assert model.predict(all_bits(2)) == pytest.approx(truth, abs=4 * 0.2 / 50**0.5)
    # 196 degrees of freedom: the sample's own deviation is within 3 of its standard errors of 5 %.
    assert noise_level(model.mixture).sd == pytest.approx(0.2, rel=0.15)


@pytest.mark.parametrize("stated", [True, False])
def test_effects_of_noisy_cubes_are_held(stated) -> None:
    generator = np.random.default_rng(1)
    off, on = (bits_of(ends, 4) for ends in edges(4))
    held = []
    for outside in synthetic_surfaces():
        surface = outside.surface.restricted({"E": 0, "F": 0})
        sd = 0.1 * surface.range
        ranks = np.concatenate([[0, 15], generator.choice(16, 10)])
        noisy = surface.utilities[ranks] + generator.normal(0, sd, ranks.size)
        model = fit_noisy(bits_of(ranks, 4), noisy, sd if stated else None)
        truth = surface.utilities[edges(4)[1]] - surface.utilities[edges(4)[0]]
        low, high = model.effect_interval(off, on, 0.8)
        held.append(((low <= truth) & (truth <= high)).mean())
    # 18 cubes: the standard error of the mean is about 0.04.
    assert 0.68 <= np.mean(held) <= 0.97


def test_bad_measurements_are_named() -> None:
    masks = bits_of(np.array([0, 0, 3]), 2)
    with pytest.raises(InvalidOptionError, match="0 or more"):
        fit_noisy(masks, np.zeros(3), -1.0)
    with pytest.raises(InvalidOptionError, match="at least two different"):
        fit_noisy(masks[:2], np.zeros(2))
    with pytest.raises(InvalidMaskError):
        fit_noisy(masks, np.zeros(3), 0.0)
    with pytest.raises(InvalidSurfaceError):
        fit_noisy(np.array([[0, 0], [1, 1]]), np.array([0.0, np.nan]))
