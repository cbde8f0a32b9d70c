"""Predictions at the ends of the floats: a cell whose cost has no place in a sum counts as unbounded."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import numpy as np
import pytest
import surface_tables
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from whatworked.cli import cli
from whatworked.errors import InvalidSurfaceError
from whatworked.grading import grade, grade_many
from whatworked.plugins import load
from whatworked.runs import Plan, catalog_tasks, crossed
from whatworked.runs.benchmark import run_in_process
from whatworked.surfaces import CostMap, ResponseSurface, option_letters

SMALLEST_NORMAL = np.finfo(np.float64).tiny
TINY = [1e-305, math.exp(-702), 1e-308, SMALLEST_NORMAL, np.nextafter(SMALLEST_NORMAL, 0), 1e-320, 5e-324, 0.0, -0.0]
HARMLESS = [1.0, np.nextafter(1, 0), 1 - 2**-53, 0.5, 1e-12, 1e-100]


def surface(scale: float, d: int = 4) -> ResponseSurface:
    return ResponseSurface(option_letters(d), np.linspace(0.2, 0.8, 1 << d), utility_map=CostMap(scale))


@pytest.mark.parametrize("value", TINY)
@pytest.mark.parametrize("scale", [2.0, 300.0, 1e10])
@pytest.mark.parametrize("d", [1, 4, 6, 9])
def test_a_cost_that_overflows_counts_as_unbounded(value, scale, d):
    truth = surface(scale, d)
    prediction = np.full(1 << d, value)
    result = grade(truth, prediction, ["0" * d])
    assert result.native_unbounded == (1 << d) - 1
    assert (result.native_effect_mae, result.native_effect_recovery) == (None, 0.0)
    # What is graded in utility does not tell these values from 0.
    assert result.effect_mae == pytest.approx(grade(truth, np.zeros(1 << d), ["0" * d]).effect_mae, abs=1e-15)


@pytest.mark.parametrize("value", HARMLESS)
def test_a_cost_that_can_be_added_up_is_bounded(value):
    result = grade(surface(300.0), np.full(16, value), ["0000"])
    assert result.native_unbounded == 0
    assert result.native_effect_mae is not None


@given(st.lists(st.floats(0, 1), min_size=4, max_size=4), st.floats(1e-5, 1e300))
def test_every_prediction_is_graded_and_finite_costs_exactly(values, scale):
    truth = [0.5, 1.0, 0.5, 1.0] if scale > 1e150 else [0.5, 0.25, 0.75, 1.0]
    surface = ResponseSurface(("A", "B"), truth, utility_map=CostMap(scale))
    result, again = grade_many(surface, [values, values], [[], []])
    assert result == again == grade(surface, dict(zip(surface.masks, values, strict=True)), [])
    costs = [None if value == 0 else Fraction(scale) * (1 / Fraction(value) - 1) for value in values]
    # Rounding decides on which side of the limit a cost at the limit is.
    limit = Fraction(10) ** 300
    certain = sum(cost is None or cost > 2 * limit for cost in costs)
    assert certain <= result.native_unbounded <= sum(cost is None or 2 * cost > limit for cost in costs)
    if result.native_unbounded:
        assert result.native_effect_mae is None
        return
    true = [Fraction(scale) * (1 / Fraction(value) - 1) for value in truth]
    edges = [(0, 1), (2, 3), (0, 2), (1, 3)]
    errors = [abs((costs[on] - costs[off]) - (true[on] - true[off])) for off, on in edges]
    largest = max([*costs, *true, Fraction(scale)])
    assert abs(Fraction(result.native_effect_mae) - sum(errors) / 4) <= largest * Fraction(1, 10**14)


@pytest.mark.parametrize("value", [1e-305, 5e-324, 0.0])
def test_a_truth_without_a_finite_cost_is_refused(value):
    with pytest.raises(InvalidSurfaceError, match=r"1 value \(1 = .*\) without a finite native cost \(up to 1e\+300\)"):
        ResponseSurface(("A",), [0.5, value], utility_map=CostMap(300.0))


def test_every_cost_of_the_catalog_grades_them():
    tasks = [task for task in catalog_tasks() if task.surface.utility_map is not None]
    assert len({task.family for task in tasks}) == 3
    for task in tasks:
        hidden = (1 << task.d) - 1
        tables = [np.full(1 << task.d, value) for value in TINY]
        grades = grade_many(task.surface, tables, [["0" * task.d]] * len(tables))
        assert all(one.native_unbounded in (0, hidden) for one in grades)
        assert [one.native_unbounded for one in grades[:2]] == [hidden, hidden]
        assert all((one.native_effect_mae is None) == (one.native_unbounded > 0) for one in grades)


def nearly_nothing(masks, utilities, every):
    return np.full(len(every), 1e-305)


def vanishing(masks, utilities, every):
    return np.exp(-702.0 - 40.0 * np.arange(len(every)) / len(every))


def beyond(masks, utilities, every):
    return np.where(np.arange(len(every)) % 2, 1e308, -1e308)


def negative_zero(masks, utilities, every):
    return np.full(len(every), -0.0)


def test_a_run_with_an_estimator_that_predicts_them_ends():
    estimators = [load(one, "estimator") for one in (nearly_nothing, vanishing, beyond, negative_zero)]
    plan = Plan(catalog_tasks(["nile", "astronaut__d6"]), crossed(estimators, [load("random", "policy")]), (2,), 1)
    records = [record for result in run_in_process(plan) for record in result.records]
    assert len(records) == 8
    for record in records:
        assert record.failure is None
        hidden = len(record.predictions) - 4
        # Every second cell of `beyond` is clipped to 0, the others to 1; which of them were bought varies.
        least = hidden // 2 - 2 if record.method.startswith("beyond") else hidden
        assert least <= record.grade.native_unbounded <= hidden
        assert record.grade.native_effect_mae is None


@pytest.mark.parametrize("value", ["1e-305", "5e-324", "1e-400", "-0.0", "0"])
def test_the_command_grades_them(tmp_path, value):
    folder = surface_tables.write(tmp_path, [surface_tables.labelled("costs", [0.5, 0.25, 0.75, 0.9], 300.0)])
    file = tmp_path / "mine.json"
    file.write_text(f'{{"00": 0.5, "01": {value}, "10": {value}, "11": 0.9}}', "utf-8")
    done = CliRunner().invoke(cli, ["grade", "costs", str(file), "--references", str(folder), "--json"])
    assert done.exit_code == 0, done.output
    assert json.loads(done.output)["grade"]["native_unbounded"] == 2
