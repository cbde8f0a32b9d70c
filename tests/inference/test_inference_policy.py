"""What the policies buy, and the scores they go by."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from whatworked.errors import InvalidOptionError
from whatworked.inference import POLICIES, Prior, RelevancePolicy, Sampler
from whatworked.inference.mixture import fit_mixture
from whatworked.inference.policy import Belief, effect_laplacian, lookahead_score, variance_score
from whatworked.protocols import SearchState
from whatworked.surfaces import Equivalence, all_bits, bits_of, ranks_of
from whatworked.surfaces.edges import edges

D = 4
RANKS = [0, 15, 3, 5, 9]


def values_at(ranks):
    return 0.2 + bits_of(ranks, D) @ np.array([0.3, 0.1, -0.2, 0.05])


@pytest.fixture(scope="module")
def belief():
    mixture = fit_mixture(bits_of(RANKS, D), values_at(RANKS), Prior(), Sampler())
    return Belief.of(mixture, all_bits(D))


def alone(belief, k):
    """A belief of one process."""
    return replace(
        belief,
        weights=np.ones(1),
        means=belief.means[[k]],
        covariances=belief.covariances[[k]],
        squares=belief.squares[[k]],
        noise=belief.noise[[k]],
    )


def state(ranks, equivalence=None, remaining=8):
    return SearchState(D, bits_of(ranks, D), values_at(ranks), remaining, equivalence)


def test_laplacian_sums_squared_effects():
    table = np.random.default_rng(1).normal(size=16)
    off, on = edges(D)
    expected = ((table[on] - table[off]) ** 2).sum()
    assert table @ effect_laplacian(Equivalence.trivial(D)) @ table == pytest.approx(expected)


def test_laplacian_of_classes_counts_every_mask():
    classes = Equivalence.from_keys([(mask[0], mask[1] if mask[0] else 0, mask[2], mask[3]) for mask in all_bits(D)])
    table = np.random.default_rng(1).normal(size=len(classes))
    whole = table[np.searchsorted(classes.representatives, classes.representative)]
    off, on = edges(D)
    assert table @ effect_laplacian(classes) @ table == pytest.approx(((whole[on] - whole[off]) ** 2).sum())


def test_variance_score_is_the_trace_that_conditioning_takes(belief):
    """Against conditioning a single process on the candidate."""
    one = alone(belief, 0)
    laplacian = effect_laplacian(Equivalence.trivial(D))
    candidates = np.setdiff1d(np.arange(16), RANKS)
    scores = variance_score(one, candidates, laplacian)
    before = np.trace(laplacian @ one.covariance())
    for candidate, score in zip(candidates, scores, strict=True):
        after = np.trace(laplacian @ one.given(int(candidate)).covariance())
        assert score == pytest.approx(before - after, rel=1e-6)


def test_lookahead_of_a_single_process_is_linear(belief):
    """Without weights to update, both scores rank alike: their ratio is the same for all candidates."""
    one = alone(belief, 0)
    laplacian = effect_laplacian(Equivalence.trivial(D))
    candidates = np.setdiff1d(np.arange(16), RANKS)
    ratio = lookahead_score(one, candidates, laplacian) / variance_score(one, candidates, laplacian)
    np.testing.assert_allclose(ratio, ratio[0], rtol=1e-3)


def test_lookahead_counts_what_an_outcome_says_about_the_processes(belief):
    """Two processes, each sure of itself, that disagree about one cell: measuring it settles everything."""
    means = np.zeros((2, 16))
    means[0, 7], means[1, 7] = 0.4, -0.4
    means[0, 8], means[1, 8] = 0.2, -0.2
    two = replace(
        belief,
        weights=np.array([0.5, 0.5]),
        means=means,
        covariances=np.tile(1e-4 * np.eye(16), (2, 1, 1)),
        squares=np.full(2, 4.0),
        noise=belief.noise[:2],
    )
    laplacian = effect_laplacian(Equivalence.trivial(D))
    scores = lookahead_score(two, np.array([7, 11]), laplacian)
    assert scores[0] > 20 * scores[1]


@pytest.mark.parametrize("name", sorted(POLICIES))
def test_buys_new_masks_to_the_last(name):
    ranks = [0, 15]
    policy = POLICIES[name]()
    while len(ranks) < 16:
        bought = ranks_of(policy.ask(state(ranks), 1)).tolist()
        assert len(bought) == 1
        assert bought[0] not in ranks
        ranks += bought


def test_batches_are_distinct_and_start_with_the_single_choice():
    policy = RelevancePolicy()
    batch = ranks_of(policy.ask(state(RANKS), 5)).tolist()
    assert len(set(batch)) == 5
    assert not set(batch) & set(RANKS)
    assert batch[0] == ranks_of(policy.ask(state(RANKS), 1))[0]


def test_class_aware_policy_stops_when_every_class_is_measured():
    classes = Equivalence.from_keys([(mask[0], mask[1] if mask[0] else 0, mask[2], mask[3]) for mask in all_bits(D)])
    ranks = [0, 15]
    policy = RelevancePolicy(class_aware=True)
    while len(bought := policy.ask(state(ranks, classes), 1)):
        assert ranks_of(bought)[0] in classes.representatives
        ranks += ranks_of(bought).tolist()
    assert len(ranks) == len(classes)
    plain = RelevancePolicy().ask(state(ranks, classes), 1)
    assert len(plain) == 1


def test_an_option_that_does_nothing_is_left_alone_sooner():
    """Of six later purchases fewer switch D alone than a design without knowledge would."""
    ranks = [0, 15, 1, 14, 2, 3, 4, 5]
    values = 0.1 + bits_of(ranks, D) @ np.array([0.3, 0.2, 0.4, 0.0])
    bought = ranks_of(RelevancePolicy().ask(SearchState(D, bits_of(ranks, D), values, 8), 1))[0]
    # 6 and 7 (or 8 and 9, …) differ in D alone: the partner of a measured mask would tell nothing.
    assert int(bought) ^ 1 not in ranks


def test_large_cubes_are_refused():
    large = SearchState(10, bits_of([0, 1023], 10), np.array([0.1, 0.9]), 5)
    with pytest.raises(InvalidOptionError, match="10 options"):
        RelevancePolicy().ask(large, 1)


def test_unknown_score():
    with pytest.raises(InvalidOptionError, match="variance, lookahead"):
        RelevancePolicy(score="best")
