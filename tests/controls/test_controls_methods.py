"""The registry, the protocols, class-aware estimators and mean completion."""

from __future__ import annotations

import numpy as np
import pytest
from controls_samples import consistent, rough_surface, state_of, switched_classes

from whatworked import controls
from whatworked.controls import RidgeEstimator
from whatworked.controls.plan import BUDGETS, planned, total
from whatworked.errors import InvalidMaskError, InvalidOptionError, UnknownNameError
from whatworked.grading import grade
from whatworked.protocols import Estimator, Policy, Predictor, SearchState
from whatworked.surfaces import Equivalence, all_bits, bits_of, ranks_of


@pytest.mark.parametrize("name", controls.ESTIMATORS)
def test_every_estimator_fits_from_one_to_eight_options(name):
    for d in (1, 2, 4, 8):
        surface = rough_surface(d, seed=d)
        estimator = controls.estimator(name)
        ranks = list(dict.fromkeys([0, (1 << d) - 1]))
        model = estimator.fit(bits_of(ranks, d), surface.utilities[ranks])
        assert isinstance(estimator, Estimator)
        assert isinstance(model, Predictor)
        predicted = model.predict(all_bits(d))
        assert predicted.shape == (1 << d,)
        assert np.isfinite(predicted).all()


@pytest.mark.parametrize("name", controls.POLICIES)
def test_every_policy_buys_distinct_unmeasured_masks_from_two_to_eight_options(name):
    for d in (2, 5, 8):
        state = state_of(rough_surface(d, seed=d))
        policy = controls.policy(name)
        assert isinstance(policy, Policy)
        answer = policy.ask(state, 2)
        assert len(set(ranks_of(answer).tolist()) - {0, (1 << d) - 1}) == 2


@pytest.mark.parametrize("name", controls.POLICIES)
def test_cubes_too_large_to_score_are_refused_and_random_orders_go_on(name):
    masks = bits_of([0, (1 << 13) - 1], 13)
    state = SearchState(13, masks, np.array([0.2, 0.4]), 4)
    if "random" in name:
        assert controls.policy(name).ask(state, 4).shape == (4, 13)
    else:
        with pytest.raises(InvalidOptionError, match="up to 12 options"):
            controls.policy(name).ask(state, 4)


@pytest.mark.parametrize("label", controls.METHODS)
def test_full_budget_recovers_everything(label):
    classes = switched_classes(4)
    surface = consistent(rough_surface(4, seed=9), classes)
    method = controls.method(label)
    state = state_of(surface, equivalence=classes)
    bought = ranks_of(method.build_policy(0).ask(state, 14)).tolist()
    model = method.build_estimator(classes).fit(bits_of([0, 15, *bought], 4), surface.utilities[[0, 15, *bought]])
    result = grade(surface, np.clip(model.predict(all_bits(4)), 0, 1), [0, 15, *bought])
    assert result.effect_recovery == 1.0
    assert result.exact


@pytest.mark.parametrize("label", controls.METHODS)
def test_a_flat_surface_is_predicted_flat(label):
    state = state_of(rough_surface(4, seed=0))
    flat = np.full(16, 0.5)
    bought = ranks_of(controls.METHODS[label].build_policy(0).ask(state, 5)).tolist()
    model = controls.METHODS[label].build_estimator().fit(bits_of([0, 15, *bought], 4), flat[[0, 15, *bought]])
    np.testing.assert_allclose(model.predict(all_bits(4)), 0.5, atol=1e-12)


@pytest.mark.parametrize("build", [controls.estimator, controls.policy, controls.method])
def test_unknown_names_are_refused_with_the_nearest(build):
    with pytest.raises(UnknownNameError, match="exist"):
        build("ridge-pairs")


def test_mean_completion_predicts_the_mean_of_the_observed():
    model = controls.MeanEstimator().fit(bits_of([0, 3], 2), np.array([0.2, 0.6]))
    assert model.predict(all_bits(2)).tolist() == [0.4] * 4


class TestClassAware:
    classes = switched_classes(4)

    def test_every_mask_takes_the_prediction_of_its_representative(self):
        surface = consistent(rough_surface(4, seed=3), self.classes)
        ranks = [0, 15, 4, 9]
        aware = controls.ClassAwareEstimator(RidgeEstimator(2), self.classes)
        predicted = aware.fit(bits_of(ranks, 4), surface.utilities[ranks]).predict(all_bits(4))
        assert np.array_equal(predicted, predicted[self.classes.representative])
        base = RidgeEstimator(2).fit(bits_of(ranks, 4), surface.utilities[ranks]).predict(all_bits(4))
        unmeasured = np.setdiff1d(self.classes.representatives, ranks)
        np.testing.assert_allclose(predicted[unmeasured], base[unmeasured], atol=1e-12)

    def test_masks_of_a_measured_class_take_the_measured_value(self):
        aware = controls.ClassAwareEstimator(controls.MeanEstimator(), self.classes)
        predicted = aware.fit(bits_of([0, 15, 5], 4), np.array([0.1, 0.9, 0.3])).predict(all_bits(4))
        assert predicted[[0, 1]].tolist() == [0.1, 0.1]
        assert predicted[[4, 5]].tolist() == [0.3, 0.3]
        assert predicted[15] == 0.9

    def test_a_class_counts_once_however_often_it_was_measured(self):
        aware = controls.ClassAwareEstimator(controls.MeanEstimator(), self.classes)
        model = aware.fit(bits_of([0, 15, 4, 5], 4), np.array([0.0, 0.6, 0.3, 0.3]))
        assert model.predict(bits_of([8], 4)) == pytest.approx(0.3)

    def test_anchors_in_one_class_leave_one_observation(self):
        together = Equivalence(np.zeros(4, dtype=np.int64))
        for name in ("class-ridge-pair", "class-gp", "class-mean"):
            model = controls.estimator(name, together).fit(bits_of([0, 3], 2), np.array([0.4, 0.4]))
            np.testing.assert_allclose(model.predict(all_bits(2)), 0.4)

    def test_classes_of_another_cube_are_refused(self):
        with pytest.raises(InvalidMaskError, match="5 options and the classes 4"):
            controls.ClassAwareEstimator(RidgeEstimator(1), self.classes).fit(bits_of([0, 31], 5), np.array([0.1, 0.2]))


class TestPlan:
    def test_the_study_has_4206_records(self):
        assert total() == 4206

    def test_counts_by_track_and_method_are_those_of_the_specification(self):
        from collections import Counter

        from whatworked.catalog.catalog import conditions

        counts: Counter[tuple[str, str]] = Counter()
        for one in conditions():
            counts.update((one.track, cell.method) for cell in planned(one.track))
        ridges = ("D1", "D2", "Random D2")
        assert sum(counts["four", name] for name in ridges) == 1936
        assert sum(counts["paired", name] for name in ridges) == 924
        assert counts["paired", "CD1"] + counts["paired", "CD2"] == 84
        gp = sum(counts["four", name] for name in ("GP-G", "GP-E"))
        assert gp + sum(counts["paired", name] for name in ("GP-G", "GP-E", "CGP-E")) == 302
        assert sum(count for (track, _), count in counts.items() if track == "added") == 960

    def test_budgets_end_with_everything(self):
        assert [BUDGETS[track][-1] for track in ("four", "paired", "added")] == [14, 62, 62]
