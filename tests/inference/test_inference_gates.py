"""Gates against plain loops."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked.inference import gates
from whatworked.inference.quadrature import uniform_points
from whatworked.surfaces import all_bits


@pytest.mark.parametrize("d", [1, 2, 4])
def test_bits_behind_every_gate(d):
    masks = all_bits(d)
    found = gates.gated_bits(masks)
    assert found.shape == (d, gates.states(d), 1 << d)
    for rank, mask in enumerate(masks.tolist()):
        for i in range(d):
            assert found[i, 0, rank] == mask[i]
            for j in range(d):
                expected = [
                    mask[i] and mask[j],
                    mask[i] and not mask[j],
                    mask[i] or mask[j],
                    mask[i] or not mask[j],
                ]
                assert [found[i, 1 + form * d + j, rank] for form in range(4)] == [bool(one) for one in expected]


@pytest.mark.parametrize(("d", "share"), [(1, 0.3), (3, 0.05), (6, 0.5)])
def test_prior_is_a_distribution_without_self_gates(d, share):
    table = np.exp(gates.log_prior(d, share))
    np.testing.assert_allclose(table.sum(axis=1), 1.0)
    for option in range(d):
        assert table[option, [1 + form * d + option for form in range(4)]].sum() == 0.0
    np.testing.assert_allclose(table[:, 0], 1.0 - share if d > 1 else 1.0)


def test_draws_follow_the_table():
    prior = gates.log_prior(4, 0.6)
    drawn = gates.draw(prior, uniform_points(4, 4096))
    found = gates.frequencies(drawn, np.full(4096, 1 / 4096), gates.states(4))
    np.testing.assert_allclose(found, np.exp(prior), atol=0.005)


def test_ungated_draws_nothing_else():
    assert not gates.draw(gates.ungated(5), uniform_points(5, 64)).any()


def test_log_probability_adds_options():
    table = gates.log_prior(3, 0.2)
    expected = np.log(0.8) + 2 * np.log(0.2 / 8)
    assert gates.log_probability(table, np.array([[0, 1, 2]]))[0] == pytest.approx(expected)


def test_blend_keeps_impossible_states_impossible():
    prior = gates.log_prior(3, 0.2)
    mixed = gates.blend(np.exp(gates.ungated(3)), prior, 0.1)
    np.testing.assert_allclose(np.exp(mixed).sum(axis=1), 1.0)
    assert np.array_equal(np.isneginf(mixed), np.isneginf(prior))
