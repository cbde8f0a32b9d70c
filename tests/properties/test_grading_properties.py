from __future__ import annotations

import numpy as np
import pytest
import slow_grader
from hypothesis import assume, given
from hypothesis import strategies as st
from strategies import UTILITIES, cases, tables

from whatworked.grading import grade, grade_many
from whatworked.surfaces import ResponseSurface, mask_strings, option_letters


def surface(values):
    return ResponseSurface(option_letters(values.size.bit_length() - 1), values)


@given(cases())
def test_equals_the_plain_grader(case):
    d, truth, prediction, observed = case
    names = mask_strings(d)
    expected = slow_grader.grade(
        dict(zip(names, truth.tolist(), strict=True)),
        dict(zip(names, prediction.tolist(), strict=True)),
        {names[rank] for rank in observed},
    )
    result = grade(surface(truth), prediction, observed).to_dict()
    for name, value in expected.items():
        # A ratio to a small mean effect carries the rounding of its numerator magnified.
        slack = 1e-15 / max(result["mean_absolute_effect"], 1e-12) if name == "effect_ratio_unobserved" else 1e-15
        assert result[name] == (pytest.approx(value, abs=slack, rel=1e-14) if isinstance(value, float) else value), name


@given(cases(), st.data())
def test_relabelling_options_leaves_the_grade_as_it_is(case, data):
    d, truth, prediction, observed = case
    order = data.draw(st.permutations(range(d)))
    one = surface(truth)
    names = [one.options[i] for i in order]
    other, moved = one.reordered(names), surface(prediction).reordered(names).utilities
    masks = ["".join(format(rank, f"0{d}b")[i] for i in order) for rank in observed]
    before, after = grade(one, prediction, observed).to_dict(), grade(other, moved, masks).to_dict()
    choice = ("selected", "regret", "exact", "near_optimal")
    ties = np.count_nonzero(prediction == prediction.max()) > 1 or observed
    for name in before:
        if name not in choice or not ties:
            expected = "".join(before[name][i] for i in order) if name == "selected" else before[name]
            assert after[name] == expected, name


@given(cases())
def test_predicting_the_truth_is_perfect_and_measuring_never_loses_it(case):
    _, truth, prediction, observed = case
    perfect = grade(surface(truth), truth, observed)
    assert (perfect.effect_recovery, perfect.effect_mae, perfect.regret) == (1.0, 0.0, 0.0)
    assert all(perfect.strict_profile.values())
    everything = grade(surface(truth), prediction, range(truth.size))
    assert (everything.effect_recovery, everything.coverage, everything.exact) == (1.0, 1.0, True)


@given(cases())
def test_bounds(case):
    _, truth, prediction, observed = case
    result = grade(surface(truth), prediction, observed)
    assert 0.0 <= result.effect_recovery <= 1.0
    assert 0.0 <= result.regret <= result.utility_range
    assert result.effect_mae <= result.max_effect_error
    assert list(result.strict_profile.values()) == sorted(result.strict_profile.values())
    assert result.near_optimal or not result.exact
    assert result.near_optimal or not result.near_optimal_vacuous


@given(cases())
def test_the_coverage_split_adds_up(case):
    _, truth, prediction, observed = case
    result = grade(surface(truth), prediction, observed)
    hidden = 0.0 if result.effect_mae_unobserved is None else result.effect_mae_unobserved
    assert result.effect_mae == pytest.approx((1 - result.coverage) * hidden, abs=1e-14)


@given(st.floats(1e-6, 1 - 1e-6))
def test_exact_choice_may_go_with_any_recovery(delta):
    result = grade(surface(np.array([0.0, 0.0, 1.0, 0.0])), [0.0, 1 - delta, 1.0, 0.0], ["00", "11"])
    assert result.exact
    assert result.effect_recovery == pytest.approx(delta, abs=1e-15)


@given(st.integers(1, 4).flatmap(lambda d: st.tuples(tables(d), st.lists(tables(d, UTILITIES), max_size=6))))
def test_batches_equal_single_grades(case):
    truth, predictions = case
    assume(predictions)
    one = surface(truth)
    observed = [range(k % truth.size) for k in range(len(predictions))]
    singles = tuple(grade(one, p, masks) for p, masks in zip(predictions, observed, strict=True))
    assert grade_many(one, predictions, observed) == singles
