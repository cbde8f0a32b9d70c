"""The kernel against its formula and its properties."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ndtr

from whatworked.errors import InvalidOptionError
from whatworked.inference import Prior
from whatworked.inference.kernel import SHAPES, Kernels
from whatworked.inference.quadrature import normal_points
from whatworked.surfaces import all_bits
from whatworked.surfaces.masks import distances


def kernels(d, count=16, prior=Prior(), gates=None, stream=5):  # noqa: B008 - a frozen value
    latent = normal_points(d + SHAPES, count, stream)
    return latent, Kernels.at(latent, np.zeros((count, d), dtype=np.int64) if gates is None else gates, prior)


def whole(made, d):
    seen = made.features(all_bits(d))
    return seen.covariance(seen)


def test_without_tilt_it_is_a_product_of_correlations():
    d = 4
    prior = Prior(tilt=0.0, gated=0.0)
    latent, made = kernels(d, prior=prior)
    rho = np.clip(ndtr(latent[:, :d] + prior.shift) ** 2, 1e-3, 1 - 1e-6)
    bits = all_bits(d)
    differing = bits[:, None, :] != bits[None, :, :]
    expected = np.where(differing, rho[:, None, None, :], 1.0).prod(axis=3)
    found = whole(made, d)
    np.testing.assert_allclose(found / found[:, :1, :1], expected, rtol=1e-9)


def test_same_relevances_make_it_a_function_of_the_hamming_distance():
    d = 3
    latent = np.zeros((1, d + SHAPES))
    found = whole(Kernels.at(latent, np.zeros((1, d), dtype=np.int64), Prior()), d)[0]
    by_distance = distances(np.arange(8), np.arange(8))
    for h in range(d + 1):
        assert np.ptp(found[by_distance == h]) < 1e-12
    assert np.all(np.diff([found[by_distance == h][0] for h in range(d + 1)]) < 0)


@pytest.mark.parametrize("d", [1, 3, 6])
def test_average_variance_is_one_and_matrices_are_positive(d):
    found = whole(kernels(d)[1], d)
    np.testing.assert_allclose(np.einsum("mii->m", found) / (1 << d), 1.0, rtol=1e-9)
    np.testing.assert_allclose(found, found.transpose(0, 2, 1), rtol=1e-12)
    assert np.linalg.eigvalsh(found).min() > -1e-9


def test_gated_matrices_are_positive():
    d = 4
    gates = np.array([[0, 1, 6, 13], [2, 0, 16, 5]] * 8)
    for i in range(d):
        gates[np.isin(gates[:, i], [1 + form * d + i for form in range(4)]), i] = 0
    assert np.linalg.eigvalsh(whole(kernels(d, gates=gates)[1], d)).min() > -1e-9


def test_a_shut_gate_without_leak_makes_masks_one():
    """Option B acts only where A is on: 00 and 01 are the same program."""
    gates = np.array([[0, 1 + 0]] * 16)
    found = whole(kernels(2, prior=Prior(leak_decades=300.0), gates=gates, stream=6)[1], 2)
    shut = kernels(2, prior=Prior(leak_decades=300.0), gates=gates, stream=6)[1].leak < 1e-20
    assert shut.any()
    np.testing.assert_allclose(found[shut, 0], found[shut, 1], rtol=1e-9)
    assert (np.abs(found[shut, 2] - found[shut, 3]).max(axis=1) > 1e-6).all()


def test_tilt_moves_effects_to_where_others_are_off():
    """Prior variance of an effect of A at B off, against at B on."""
    prior = Prior()
    low, high = np.zeros((1, 2 + SHAPES)), np.zeros((1, 2 + SHAPES))
    low[0, 2], high[0, 2] = -2.0, 2.0
    no_gates = np.zeros((1, 2), dtype=np.int64)
    effect_off, effect_on = np.array([-1, 0, 1, 0]), np.array([0, -1, 0, 1])
    for latent, larger, smaller in ((low, effect_off, effect_on), (high, effect_on, effect_off)):
        matrix = whole(Kernels.at(latent, no_gates, prior), 2)[0]
        assert larger @ matrix @ larger > 1.5 * (smaller @ matrix @ smaller)


def test_bending_is_undone():
    made = kernels(3)[1]
    values = np.linspace(0.0, 1.0, 7)
    bent = made.bend(values)
    assert (np.diff(bent, axis=1) > 0).all()
    back, slope = made.unbend(bent)
    moderate = np.abs(made.warp) < 2.0
    np.testing.assert_allclose(back[moderate], np.tile(values, (moderate.sum(), 1)), atol=1e-9)
    # The slope is the derivative of the inverse.
    step = 1e-6
    np.testing.assert_allclose(slope[moderate], ((made.unbend(bent + step)[0] - back) / step)[moderate], rtol=1e-3)


def test_prior_lists_all_offences():
    with pytest.raises(InvalidOptionError, match=r"tilt is 2.*gated is 1.*nugget is 0"):
        Prior(tilt=2, gated=1, nugget=0)
