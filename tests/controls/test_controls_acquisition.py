"""Acquisition scores by conditioning, batches, class-aware policies, and what a policy says about itself."""

from __future__ import annotations

import extended
import numpy as np
import oracle
import pytest
from controls_samples import as_dict, consistent, representatives, rough_surface, state_of, strings, switched_classes

from whatworked.controls import KrigingPolicy
from whatworked.controls.acquisition import score_candidates
from whatworked.controls.kriging import fit_kriging
from whatworked.errors import InvalidOptionError
from whatworked.methods import Scores
from whatworked.methods.ties import choose
from whatworked.surfaces import ranks_of


def differences(d):
    return oracle.differences(d)


@pytest.mark.parametrize("target", ["grid", "effect"])
def test_a_score_is_the_variance_that_measuring_takes_off(target):
    surface = rough_surface(4, seed=2)
    ranks = np.array([0, 15, 3, 9])
    model = fit_kriging(4, ranks, surface.utilities[ranks])
    cells = np.arange(16)
    scores = score_candidates(model, np.array([5, 12]), target, cells)
    sigma = model.covariance(cells)
    contrasts = differences(4) if target == "effect" else np.eye(16)
    for candidate, score in zip(scores.candidates, scores.values, strict=True):
        column = sigma[:, candidate]
        after = sigma - np.outer(column, column) / (sigma[candidate, candidate] + model.nugget)
        gain = np.trace(contrasts @ sigma @ contrasts.T) - np.trace(contrasts @ after @ contrasts.T)
        assert score == pytest.approx(gain, rel=1e-9)


@pytest.mark.parametrize("target", ["grid", "effect"])
@pytest.mark.parametrize("d", [2, 3, 5])
def test_paths_are_those_of_the_plain_implementation(target, d):
    surface = rough_surface(d, seed=d)
    budget = min((1 << d) - 2, 10)
    bought: list[int] = []
    for _ in range(budget):
        bought += ranks_of(KrigingPolicy(target).ask(state_of(surface, bought), 1)).tolist()
    assert strings(bought, d) == oracle.kriging_record(as_dict(surface), budget, target).purchases


def test_class_aware_paths_are_those_of_the_plain_implementation_and_end_when_all_classes_are_measured():
    classes = switched_classes(4)
    surface = consistent(rough_surface(4, seed=4), classes)
    policy = KrigingPolicy("effect", class_aware=True)
    bought: list[int] = []
    while len(answer := policy.ask(state_of(surface, bought, classes), 1)):
        bought += ranks_of(answer).tolist()
    plain = oracle.kriging_record(as_dict(surface), 14, "effect", representatives(classes))
    assert strings(bought, 4) == plain.purchases
    assert len(bought) == len(classes) - 2


def test_without_classes_a_class_aware_policy_is_the_plain_one():
    surface = rough_surface(4, seed=1)
    plain, aware = KrigingPolicy("grid"), KrigingPolicy("grid", class_aware=True)
    assert np.array_equal(plain.ask(state_of(surface), 3), aware.ask(state_of(surface), 3))


def test_a_batch_conditions_each_choice_on_the_earlier_ones():
    surface = rough_surface(5, seed=6)
    state = state_of(surface, [3, 9, 20])
    batch = ranks_of(KrigingPolicy("grid").ask(state, 4))
    assert len(set(batch.tolist())) == 4
    assert batch[0] == ranks_of(KrigingPolicy("grid").ask(state, 1))[0]
    model = fit_kriging(5, state.measured, state.utilities)
    sigma = model.covariance(np.arange(32))
    for rank in batch:
        left = np.setdiff1d(np.arange(32), [*state.measured, *batch[: list(batch).index(rank)]])
        scores = (sigma[:, left] ** 2).sum(axis=0) / (sigma[left, left] + model.nugget)
        assert scores[list(left).index(rank)] == pytest.approx(scores.max(), rel=1e-9)
        column = sigma[:, rank].copy()
        sigma = sigma - np.outer(column, column) / (sigma[rank, rank] + model.nugget)


@pytest.mark.parametrize("target", ["grid", "effect"])
@pytest.mark.parametrize("size", [2, 5, 20, 50])
def test_the_stated_noise_bounds_the_error_of_the_scores(target, size):
    surface = rough_surface(6, seed=size)
    ranks = np.array([0, 63, *(np.random.default_rng(size).permutation(62)[: size - 2] + 1)])
    model = fit_kriging(6, ranks, surface.utilities[ranks])
    left = np.setdiff1d(np.arange(64), ranks)
    scores = score_candidates(model, left, target, np.arange(64))
    exact = long_scores(model, target)[left]
    assert np.all(np.abs(scores.values - exact) <= scores.noise)


def long_scores(model, target):
    """Scores of all masks in extended precision."""
    cells, n = np.arange(64), len(model.ranks)
    length = np.longdouble(model.length)
    kernel = np.exp(-np.bitwise_count(cells[:, None] ^ cells[None, :]).astype(np.longdouble) / length)
    cross = kernel[:, model.ranks]
    inverse = extended.inverse(kernel[np.ix_(model.ranks, model.ranks)] + np.longdouble(model.nugget) * np.eye(n))
    q = inverse.sum(axis=1)
    unexplained = 1 - cross @ q
    sigma = kernel - cross @ inverse @ cross.T + np.outer(unexplained, unexplained) / q.sum()
    spread = differences(6) @ sigma if target == "effect" else sigma
    return (spread**2).sum(axis=0) / np.maximum(np.diagonal(sigma) + model.nugget, 1e-12)


def test_a_batch_may_ask_for_everything_left():
    surface = rough_surface(3, seed=1)
    answer = KrigingPolicy("effect").ask(state_of(surface), 6)
    assert sorted(ranks_of(answer).tolist()) == [1, 2, 3, 4, 5, 6]


def test_a_policy_explains_its_choice():
    state = state_of(rough_surface(3, seed=1), [1])
    policy = KrigingPolicy("effect")
    (scores,) = policy.explain(state)
    content = scores.to_dict()
    assert content["chosen"] == strings(ranks_of(policy.ask(state, 1)), 3)[0]
    assert set(content["scores"]) == {"010", "011", "100", "101", "110"}
    assert content["scores"][content["chosen"]] == max(content["scores"].values())


def test_scores_that_tie_go_to_the_lexically_first():
    scores = Scores(d=3, candidates=np.array([2, 4, 6]), values=np.array([1.0, 2.0, 2.0 + 1e-14]), decimals=12)
    assert scores.best == 4


def test_other_targets_are_refused():
    with pytest.raises(InvalidOptionError, match="cells"):
        KrigingPolicy("cells")  # type: ignore[arg-type]


class TestChoose:
    def test_a_clear_winner_is_no_near_tie(self):
        assert choose(np.array([0.1, 0.9, 0.2]), 12, 1e-13).near_tie is False

    def test_equal_scores_far_from_a_rounding_boundary_are_no_near_tie(self):
        assert choose(np.array([0.5, 0.5]), 3, 1e-6).near_tie is False

    def test_equal_scores_at_a_rounding_boundary_are(self):
        assert choose(np.array([0.12345, 0.12345]), 4, 1e-9).near_tie is True

    def test_a_later_rival_has_to_be_strictly_better(self):
        # The second may at most reach what the first has at least, and then the first is taken.
        assert choose(np.array([0.10004, 0.09998]), 4, 0.00001).near_tie is False
        assert choose(np.array([0.09998, 0.10004]), 4, 0.00001).near_tie is False

    def test_an_earlier_rival_needs_only_to_draw_level(self):
        assert choose(np.array([0.09994, 0.10004]), 4, 0.00002).near_tie is True

    def test_noise_may_differ_between_candidates(self):
        scores = np.array([1.0, 0.9])
        assert choose(scores, 6, np.array([0.0, 0.2])).near_tie is True
        assert choose(scores, 6, np.array([0.0, 0.05])).near_tie is False
