from __future__ import annotations

import math

import numpy as np
import pandas as pd
import pytest
import slow_grader

from whatworked.errors import InvalidArtifactError, InvalidMaskError, InvalidOptionError, InvalidSurfaceError
from whatworked.grading import grade, grade_many, grade_missing
from whatworked.grading.grader import Grade
from whatworked.surfaces import CostMap, ResponseSurface, mask_strings, option_letters


def surface(values, scale=None):
    d = len(values).bit_length() - 1
    return ResponseSurface(option_letters(d), values, utility_map=None if scale is None else CostMap(scale))


def slow(truth, prediction, observed, scale=None):
    names = mask_strings(truth.d)
    return slow_grader.grade(
        dict(zip(names, truth.utilities.tolist(), strict=True)),
        dict(zip(names, np.asarray(prediction).tolist(), strict=True)),
        {names[rank] for rank in observed},
        scale,
    )


def assert_same(result: Grade, expected: dict) -> None:
    content = result.to_dict()
    assert content.keys() == expected.keys()
    for name, value in expected.items():
        if isinstance(value, float):
            assert content[name] == pytest.approx(value, abs=1e-15, rel=1e-14 if name.startswith("native") else 0), name
        else:
            assert content[name] == value, name


@pytest.mark.parametrize("d", range(1, 11))
@pytest.mark.parametrize("scale", [None, 3.5])
def test_equals_a_plain_grader_written_from_the_specification(d, scale):
    random = np.random.default_rng(d)
    truth = surface(random.uniform(0.3, 1.0, 1 << d), scale)
    prediction = random.uniform(0.3, 1.0, 1 << d)
    observed = random.permutation(1 << d)[: (1 << d) // 3]
    assert_same(grade(truth, prediction, observed), slow(truth, prediction, observed, scale))


def test_exact_choice_with_small_recovery():
    truth = surface([0.0, 0.0, 1.0, 0.0])
    for delta in (0.5, 1e-3, 1e-9):
        result = grade(truth, [0.0, 1.0 - delta, 1.0, 0.0], ["00", "11"])
        assert result.exact
        assert result.regret == 0.0
        assert result.effect_recovery == pytest.approx(delta, abs=1e-15)


def test_measured_cells_are_restored_first():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    result = grade(truth, [0.7, 0.2, 0.3, 0.0], ["00", "11"])
    assert result.effect_mae == 0.0
    assert result.effect_recovery == 1.0
    assert all(result.strict_profile.values())
    assert result.selected == "11"


def test_everything_observed():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    result = grade(truth, [0.0] * 4, range(4))
    assert (result.coverage, result.effect_recovery, result.effect_mae) == (1.0, 1.0, 0.0)
    assert result.effect_mae_unobserved is None
    assert result.effect_ratio_unobserved is None
    assert result.grid_mae_unobserved is None


def test_coverage_split_adds_up():
    random = np.random.default_rng(1)
    truth, prediction = surface(random.random(64)), random.random(64)
    result = grade(truth, prediction, random.permutation(64)[:40])
    assert 0 < result.coverage < 1
    assert result.effect_mae == pytest.approx((1 - result.coverage) * result.effect_mae_unobserved, abs=1e-15)


def test_ties_go_to_fewer_options_and_then_to_the_lexically_smaller_mask():
    truth = surface(np.linspace(0.0, 1.0, 8))
    assert grade(truth, [0.1, 0.5, 0.5, 0.9, 0.5, 0.9, 0.9, 0.9], []).selected == "011"
    assert grade(truth, [0.5] * 8, []).selected == "000"
    assert grade(truth, [0.1, 0.1, 0.1, 0.9, 0.9, 0.1, 0.1, 0.1], []).selected == "100"


def test_surface_without_effects():
    truth = surface([0.5] * 4)
    assert grade(truth, [0.5] * 4, []).effect_recovery == 1.0
    wrong = grade(truth, [0.5, 0.5, 0.6, 0.5], [])
    assert wrong.effect_recovery == 0.0
    assert wrong.effect_ratio_unobserved is None
    assert not wrong.strict
    assert wrong.near_optimal_vacuous
    assert wrong.near_optimal


def test_near_optimal_bound_and_flag():
    truth = surface([0.0, 0.5, 0.515625, 0.25])
    result = grade(truth, [0.0, 1.0, 0.0, 0.0], [])
    assert (result.regret, result.exact, result.near_optimal, result.near_optimal_vacuous) == (
        0.015625,
        False,
        True,
        False,
    )


def test_strict_is_the_profile_at_a_tenth():
    truth = surface([0.0, 1.0])
    for error, passed in ((0.02, 5), (0.03, 4), (0.06, 3), (0.15, 2), (0.3, 1), (0.5, 0)):
        result = grade(truth, [0.0, 1.0 - error], ["0"])
        assert sum(result.strict_profile.values()) == passed
        assert result.strict == (error < 0.1)


def test_a_prediction_of_infinite_cost_is_counted_not_hidden():
    truth = surface([0.5, 0.25, 0.75, 0.9], scale=2.0)
    result = grade(truth, [0.5, 0.0, 0.75, 0.9], ["00"])
    assert result.native_unbounded == 1
    assert result.native_effect_mae is None
    assert result.native_effect_recovery == 0.0
    assert math.isfinite(result.effect_mae)


def test_native_grade_of_a_measured_zero_prediction_is_finite():
    truth = surface([0.5, 0.25, 0.75, 0.9], scale=2.0)
    result = grade(truth, [0.5, 0.0, 0.75, 0.9], ["01"])
    assert result.native_unbounded == 0
    assert result.native_effect_mae == 0.0


def test_missing_delivery():
    truth = surface([0.5, 0.25, 0.75, 0.9], scale=2.0)
    result = grade_missing(truth)
    assert (result.effect_recovery, result.strict, result.exact, result.native_effect_recovery) == (
        0.0,
        False,
        False,
        0.0,
    )
    assert not result.delivered
    raw = (
        "effect_mae",
        "interaction_mae",
        "grid_mae",
        "regret",
        "effect_mae_unobserved",
        "native_effect_mae",
        "selected",
    )
    assert {getattr(result, name) for name in raw} == {None}
    assert result.mean_absolute_effect == truth.mean_absolute_effect
    assert grade_missing(surface([0.5, 0.25])).native_effect_recovery is None


@pytest.mark.parametrize("d", [4, 6, 9])
def test_a_batch_equals_grades_one_by_one(d):
    random = np.random.default_rng(3)
    truth = surface(random.uniform(0.1, 1.0, 1 << d), 1.5)
    predictions = random.uniform(0.1, 1.0, (7, 1 << d))
    observed = [random.permutation(1 << d)[:k].tolist() for k in range(7)]
    assert grade_many(truth, predictions, observed) == tuple(
        grade(truth, prediction, masks) for prediction, masks in zip(predictions, observed, strict=True)
    )


def test_a_batch_larger_than_a_chunk():
    random = np.random.default_rng(4)
    truth, predictions = surface(random.random(64)), random.random((400, 64))
    results = grade_many(truth, predictions, [[0, 63]] * 400)
    assert len(results) == 400
    assert results[399] == grade(truth, predictions[399], [0, 63])
    assert grade_many(truth, predictions[:0], []) == ()


def test_observed_masks_come_as_strings_ranks_arrays_or_iterators():
    truth, prediction = surface([0.1, 0.2, 0.3, 0.9]), [0.5] * 4
    expected = grade(truth, prediction, ["00", "11"])
    for observed in (
        [0, 3],
        np.array([3, 0]),
        iter([0, 3]),
        ("11", "00", "11"),
        {0: None, 3: None},
        np.array([0, 3], dtype=np.uint8),
    ):
        assert grade(truth, prediction, observed) == expected
    assert grade(truth, prediction, []).observed == 0


@pytest.mark.parametrize(
    "observed", [[4], [-1], ["0"], ["012"], [0.5], [True], [[0, 1]], [3, [1, 2]], b"\x00\x03", ["00", 3], None, 3]
)
def test_observed_masks_outside_the_cube_are_refused(observed):
    with pytest.raises(InvalidMaskError):
        grade(surface([0.1, 0.2, 0.3, 0.9]), [0.5] * 4, observed)


@pytest.mark.parametrize(
    "prediction",
    [
        [0.5] * 3,
        [[0.5] * 4],
        0.5,
        [0.5, np.nan, 0.5, 0.5],
        [1e308, -1e308, 1e308, -1e308],
        [0.5, np.inf, 0.5, 0.5],
        ["a"] * 4,
        ["0.5"] * 4,
        [True] * 4,
        [0.5j] * 4,
        None,
        [[0.5] * 4, [0.5]],
        np.ma.masked_equal([0.5, 0.5, 0.5, 0.25], 0.25),
    ],
)
def test_predictions_that_are_no_table_are_refused(prediction):
    with pytest.raises(InvalidArtifactError):
        grade(surface([0.1, 0.2, 0.3, 0.9]), prediction, [])


def test_one_set_of_observed_masks_for_each_prediction():
    with pytest.raises(InvalidMaskError, match="1 sets of observed masks for 2 predictions"):
        grade_many(surface([0.1, 0.2]), [[0.1, 0.2]] * 2, [[0]])
    with pytest.raises(InvalidMaskError, match="observed is None"):
        grade_many(surface([0.1, 0.2]), [[0.1, 0.2]], None)


def test_a_masked_array_without_masked_cells_is_a_table():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    assert grade(truth, np.ma.array(truth.utilities), []).effect_mae == 0.0


def test_the_arguments_are_left_alone():
    truth, prediction = surface([0.1, 0.2, 0.3, 0.9]), np.full(4, 0.5)
    grade(truth, prediction, [0, 3])
    assert prediction.tolist() == [0.5] * 4


def test_a_grade_survives_its_json_form():
    truth = surface([0.5, 0.25, 0.75, 0.9], scale=2.0)
    for result in (grade(truth, [0.4] * 4, [0]), grade_missing(truth)):
        assert Grade.from_dict(result.to_dict()) == result
    content = grade_missing(truth).to_dict()
    with pytest.raises(InvalidOptionError, match="effect_mae"):
        Grade.from_dict({name: value for name, value in content.items() if name != "effect_mae"})
    with pytest.raises(InvalidOptionError, match="bogus"):
        Grade.from_dict(content | {"bogus": 1})
    with pytest.raises(InvalidOptionError, match="strict_profile"):
        Grade.from_dict(content | {"strict_profile": {"0.1": True}})


def test_published_tables_grade_perfectly_against_themselves(published):
    for condition in published.conditions:
        truth = ResponseSurface.from_mapping(published.utilities(condition))
        result = grade(truth, truth.utilities, [])
        assert (result.effect_recovery, result.exact) == (1.0, True), condition
        assert all(result.strict_profile.values()), condition


MAPPING = {"11": 0.9, "00": 0.1, "01": 0.75, "10": 0.25}


def test_a_mapping_from_masks_is_graded_like_the_table_it_stands_for():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    expected = grade(truth, [0.1, 0.75, 0.25, 0.9], ["00", "11"])
    assert grade(truth, MAPPING, ["00", "11"]) == expected
    other = dict.fromkeys(MAPPING, 0.5)
    assert grade_many(truth, [MAPPING, other], [["00", "11"], []]) == (expected, grade(truth, [0.5] * 4, []))


def test_a_mapping_is_read_as_strictly_as_a_submission():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    wrong = {"00": 0.1, "01": 1.5, "10": True, "012": 0.5}
    for graded in (lambda: grade(truth, wrong, []), lambda: grade_many(truth, [MAPPING, wrong], [[], []])):
        with pytest.raises(InvalidArtifactError) as caught:
            graded()
        for part in ("missing mask (11)", "unknown mask (012)", "not a number (10: true)", "outside [0, 1] (01: 1.5)"):
            assert part in str(caught.value)


def test_an_array_may_leave_the_range_of_utilities():
    truth = surface([0.1, 0.2, 0.3, 0.9])
    assert grade(truth, [0.1, 0.2, -2.0, 1.9], []).grid_mae == pytest.approx((2.3 + 1.0) / 4)


@pytest.mark.parametrize("prediction", ['{"00": 0.5}', [{"00": 0.5}], [None] * 4])
def test_what_is_no_table_is_told_how_to_become_one(prediction):
    with pytest.raises(
        InvalidArtifactError, match=r"a mapping from masks to numbers; whatworked\.grading\.read_artifact"
    ):
        grade(surface([0.1, 0.2, 0.3, 0.9]), prediction, [])


@pytest.mark.parametrize("truth", [[0.0, 1.0], np.array([0.0, 1.0]), {"0": 0.0, "1": 1.0}, None], ids=str)
def test_a_truth_that_is_no_surface_is_refused(truth):
    for attempt in (
        lambda: grade(truth, [0.0, 1.0], ["0"]),
        lambda: grade(truth, {"0": 0.0, "1": 1.0}, ["0"]),
        lambda: grade_many(truth, [[0.0, 1.0]], [["0"]]),
        lambda: grade_missing(truth),
    ):
        with pytest.raises(InvalidSurfaceError, match=f"of type {type(truth).__name__}; give a whatworked.Resp"):
            attempt()


@pytest.mark.parametrize("shape", [(16,), (1, 4), (), (2, 2)])
def test_a_table_of_another_shape_is_refused_in_the_shape_it_has(shape):
    truth = ResponseSurface(("A", "B"), [0.0, 0.0, 1.0, 0.0])
    with pytest.raises(InvalidArtifactError) as caught:
        grade(truth, np.zeros(shape), ["00", "11"])
    assert f"in an array of shape {shape}; the surface has 4 masks" in str(caught.value)


def test_a_series_goes_by_its_index_of_masks_and_not_by_its_order():
    truth = ResponseSurface(("A", "B"), np.array([0.1, 0.4, 0.3, 0.9]))
    values = {"11": 0.9, "01": 0.5, "10": 0.2, "00": 0.1}
    expected = grade(truth, values, ["00", "11"])
    series = pd.Series(values)
    assert grade(truth, series, ["00", "11"]) == expected
    assert grade_many(truth, [series, series], [["00", "11"]] * 2) == (expected, expected)
    plain = pd.Series([0.1, 0.5, 0.2, 0.9])
    assert grade(truth, plain, ["00", "11"]) == expected
    with pytest.raises(InvalidArtifactError, match="1 missing mask"):
        grade(truth, series.drop("01"), ["00", "11"])
    with pytest.raises(InvalidArtifactError, match="more than once in its index"):
        grade(truth, pd.concat([series, series[:1]]), ["00", "11"])
