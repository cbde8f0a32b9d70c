"""The budgeted loop and what it hands out."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from whatworked.controls import KrigingEstimator, MeanEstimator, RandomPolicy, estimator
from whatworked.environments.effects import asker, buy, deliver
from whatworked.environments.effects.delivery import grade_deliveries
from whatworked.environments.effects.loop import measured_after, state_after
from whatworked.errors import PluginError
from whatworked.grading import grade
from whatworked.protocols import SearchState
from whatworked.surfaces import Equivalence, ResponseSurface

TRUTH = np.array([0.11, 0.12, 0.13, 0.14, 0.15, 0.16, 0.17, 0.18])


def lowest(state, wanted):
    return state.unmeasured[:wanted]


class TestBuy:
    def test_credits_go_down_and_the_last_batch_is_short(self):
        seen = []

        def ask(state, wanted):
            seen.append((state.remaining, wanted, state.measured.tolist()))
            return lowest(state, wanted)

        assert buy(ask, TRUTH, 5, batch=2) == (1, 2, 3, 4, 5)
        assert seen == [(5, 2, [0, 7]), (3, 2, [0, 7, 1, 2]), (1, 1, [0, 7, 1, 2, 3, 4])]

    def test_no_credit_asks_nobody(self):
        assert buy(lambda *_: pytest.fail("asked"), TRUTH, 0) == ()

    def test_no_mask_ends_it(self):
        answers = iter([np.array([4]), np.array([], dtype=np.int64)])
        assert buy(lambda *_: next(answers), TRUTH, 6) == (4,)

    def test_a_policy_that_tampers_with_its_state_cannot_buy_an_anchor(self):
        class Tampers:
            def ask(self, state, n):
                object.__setattr__(state, "masks", state.masks[:0])
                return np.zeros((1, 3), dtype=np.int8)

        with pytest.raises(PluginError, match="measured already or given twice: 000"):
            buy(asker(Tampers()), TRUTH, 1)

    def test_what_a_policy_raises_passes_through(self):
        class Breaks:
            def ask(self, state, n):
                raise ZeroDivisionError

        with pytest.raises(ZeroDivisionError):
            buy(asker(Breaks()), TRUTH, 1)


def test_states_hold_read_only_copies():
    state = state_after([3], TRUTH, 4)
    assert isinstance(state, SearchState)
    assert not np.shares_memory(state.utilities, TRUTH)
    assert not state.masks.flags.writeable
    assert not state.utilities.flags.writeable


class Lines:
    """Predicts a line that leaves [0, 1] at both ends."""

    def fit(self, masks, utilities):
        return self

    def predict(self, masks):
        return np.linspace(-1.0, 2.0, len(masks))


class TestDeliver:
    def test_clips_and_restores(self):
        made = deliver(Lines(), TRUTH, (4,))
        assert made.predictions.tolist() == pytest.approx([0.11, 0, 0, 2 / 7, 0.15, 1, 1, 0.18])
        assert made.known.tolist() == [0, 4, 7]
        assert made.aliases == ()

    def test_masks_of_measured_classes_take_the_value(self):
        classes = Equivalence(np.array([0, 0, 2, 3, 4, 4, 4, 4]))
        made = deliver(Lines(), TRUTH, (5,), classes)
        assert made.aliases == (1, 4, 6)
        assert made.predictions[[0, 1, 4, 5, 6, 7]].tolist() == [0.11, 0.11, 0.18, 0.16, 0.18, 0.18]
        assert made.known.tolist() == [0, 1, 4, 5, 6, 7]

    def test_predictions_that_are_no_table_are_refused(self):
        class Short(Lines):
            def predict(self, masks):
                return np.zeros(3)

        with pytest.raises(PluginError, match=r"shape \(3,\); expected \(8,\)"):
            deliver(Short(), TRUTH, ())


@given(d=st.integers(1, 5), seed=st.integers(0, 99), data=st.data())
@settings(max_examples=40, deadline=None)
def test_grades_of_a_batch_are_those_of_single_tables(d, seed, data):
    surface = ResponseSurface(tuple("ABCDE"[:d]), np.random.default_rng(seed).random(1 << d))
    budget = data.draw(st.integers(0, (1 << d) - 2))
    bought = buy(asker(RandomPolicy(seed)), surface.utilities, budget, batch=max(1, budget))
    assert len(set(bought)) == budget
    made = [deliver(base, surface.utilities, bought) for base in (MeanEstimator(), KrigingEstimator(), Lines())]
    found = grade_deliveries(surface, made)
    observed = measured_after(bought, d)
    assert found == tuple(grade(surface, delivery.predictions, observed) for delivery in made)
    for delivery in made:
        assert np.array_equal(delivery.predictions[observed], surface.utilities[observed])
        assert 0 <= delivery.predictions.min() <= delivery.predictions.max() <= 1


def test_no_delivery_gives_no_grade():
    assert grade_deliveries(ResponseSurface(("A",), np.array([0.1, 0.2])), []) == ()


def test_everything_bought_is_everything_known():
    surface = ResponseSurface(tuple("ABC"), TRUTH)
    bought = buy(lowest, TRUTH, 6, batch=6)
    (found,) = grade_deliveries(surface, [deliver(estimator("ridge-pair"), TRUTH, bought)])
    assert found.effect_recovery == 1.0
    assert found.exact
