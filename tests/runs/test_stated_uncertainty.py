"""Uncertainty that estimators state: graded in records, absent where none is stated, a failure where it is broken."""

from __future__ import annotations

import json

import numpy as np
import pytest
from run_helpers import lowest, make_plan, mean, three_tasks

from whatworked.comparing import collect_runs, standings
from whatworked.grading import Grade, grade
from whatworked.inference.estimator import RelevanceEstimator
from whatworked.runs import read_run
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish
from whatworked.surfaces.edges import edges


class Sure:
    """The mean, with a width that is a share of the spread."""

    width = 0.4

    def fit(self, masks, utilities):
        self.value = utilities.mean()
        return self

    def predict(self, masks):
        return np.full(len(masks), self.value)

    def effect_std(self, off, on):
        return np.full(len(off), self.width)


class Broken(Sure):
    def effect_std(self, off, on):
        return np.full(len(off) + 1, self.width)


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stated") / "run"
    plan = make_plan(three_tasks(), [mean, Sure, Broken], [lowest], budgets=(2, 6), seeds=1)
    claim(folder, plan)
    finish(folder, plan, run_in_process(plan), {"python": "3"})
    return read_run(folder)


def test_effects_that_are_not_known_are_graded(run):
    for row in run.rows():
        if row.method != "Sure/lowest":
            continue
        d, truth = row.dimensions, np.array(run.surfaces[row.condition])
        known = {0, len(truth) - 1, *(int(mask, 2) for mask in row.purchases)}
        off, on = edges(d)
        open_edges = [at for at in range(len(off)) if not {int(off[at]), int(on[at])} <= known]
        if not open_edges:
            assert row.uncertainty.effects is None
            continue
        assert row.uncertainty.effects.count == len(open_edges)
        assert row.uncertainty.cells is None  # it states none of cells
        (record,) = [one for one in run.records if one.key == row.key]
        table = np.array(record.predictions)
        errors = np.abs((truth[on] - truth[off]) - (table[on] - table[off]))[open_edges]
        expected = np.mean(errors <= Sure.width * 1.2815515655446004)  # the 90th percentile of a standard normal
        assert row.uncertainty.effects.coverage["0.8"] == pytest.approx(expected)


def test_who_states_none_has_the_same_record_as_before(run):
    for record in run.records:
        if record.method == "mean/lowest":
            assert "uncertainty" not in record.grade.to_dict()
            assert Grade.from_dict(record.grade.to_dict()) == record.grade
    columns = [row.to_dict() for row in run.rows()]
    assert not any("crps" in row for row in columns)


def test_a_broken_statement_is_a_missing_delivery_with_its_reason(run):
    failures = {record.failure for record in run.records if record.method == "Broken/lowest" and record.failure}
    assert any("effect_std returned an array of shape" in failure for failure in failures)


def test_means_and_grades_survive_the_files(run):
    for standing in standings(run.rows()):
        assert bool(standing.stated) == (standing.method == "Sure/lowest")
    stated = [record.grade for record in run.records if record.method == "Sure/lowest"]
    for found in stated:
        assert Grade.from_dict(json.loads(json.dumps(found.to_dict()))) == found
    assert collect_runs(run).missing == sum(record.predictions is None for record in run.records)


def test_the_relevance_process_states_the_distributions_of_its_intervals():
    random = np.random.default_rng(0)
    masks = np.array([[0, 0, 0], [1, 1, 1], [1, 0, 0], [0, 1, 0], [1, 0, 1]], dtype=np.int8)
    model = RelevanceEstimator().fit(masks, random.random(5))
    off, on = np.array([[0, 0, 1], [0, 0, 0]], dtype=np.int8), np.array([[0, 1, 1], [0, 0, 1]], dtype=np.int8)
    for level in (0.5, 0.9):
        ours, theirs = model.effect_distribution(off, on).interval(level), model.effect_interval(off, on, level)
        assert np.array(ours) == pytest.approx(np.array(theirs), abs=1e-6)
        cells = model.predict_distribution(off).interval(level), model.predict_interval(off, level)
        assert np.array(cells[0]) == pytest.approx(np.array(cells[1]), abs=1e-6)


def test_grading_alone_has_no_uncertainty(run):
    from whatworked import load_surface

    assert "uncertainty" not in grade(load_surface("wine"), [0.5] * 16, ["0000", "1111"]).to_dict()
