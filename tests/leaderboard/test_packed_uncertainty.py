"""Grades of stated uncertainty in packed runs: kept, checked, told apart from others, absent where none was stated."""

from __future__ import annotations

import gzip
import json

import pytest
from packed_runs import finished, record, refusal, sealed

from whatworked.leaderboard import pack, unpack, verified
from whatworked.leaderboard.lookup import find_run
from whatworked.leaderboard.rerunning import rerun
from whatworked.runs import catalog_tasks
from whatworked.statistics.agreement import Verdict

METHOD = "ard-gp/design-main"


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    folder = tmp_path_factory.mktemp("stated")
    how = {"estimators": ("ard-gp", "mean"), "policies": ("design-main",), "budgets": (4, 14), "seeds": 1}
    return finished(folder, catalog_tasks(["wine"]), **how)


@pytest.fixture(scope="module")
def content(run):
    return json.loads(gzip.decompress(pack(run, "ours")))


def stated(content, budget=4):
    return record(content, "wine", METHOD, budget)[-1]


def test_the_grades_survive_the_way_through_a_file(run, content, tmp_path):
    again = verified(unpack(pack(run, "ours"), "file"))
    assert [one.grade for one in again.records] == [one.grade for one in run.records]
    assert again.records[0].grade.uncertainty.effects.count == stated(content)["effects"]["count"] > 0
    (tmp_path / "ours.json.gz").write_bytes(pack(run, "ours"))
    packed = find_run(tmp_path / "ours.json.gz")
    assert [row.uncertainty for row in packed.rows()] == [row.uncertainty for row in run.rows()]


def test_records_without_have_the_form_of_earlier_versions(content):
    assert {len(one) for one in content["records"] if one[1].startswith("mean")} == {9}
    assert len(record(content, "wine", METHOD, 4)) == 10
    assert stated(content, 14) == {"effects": None, "cells": None}


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda part: part.update(count=part["count"] + 1), "it counts"),
        (lambda part: part.update(log_score=-30.0), "log score of -30 is not possible"),
        (lambda part: part.update(crps=-0.1), "CRPS of -0.1"),
        (lambda part: part["coverage"].update({"0.9": 0.123}), "are not possible"),
        (lambda part: part["coverage"].update({"0.9": 2.0}), "are not possible"),
        (lambda part: part["coverage"].pop("0.9"), "no coverage at 0.5, 0.8, 0.9, 0.95"),
    ],
)
def test_impossible_grades_are_refused(content, change, words):
    assert words in refusal(content, lambda new: change(stated(new)["effects"]))


def test_grades_without_a_prediction_are_refused(content):
    def change(new):
        entry = record(new, "wine", METHOD, 4)
        entry[6], entry[7], entry[8] = None, "gone", [0.0, None, None, False, False]

    assert "no prediction that they could be of" in refusal(content, change)


def test_rerunning_tells_false_grades_from_true_ones(run, content, tmp_path):
    assert not rerun(run, tmp_path / "true")[Verdict.DIFFERENT]
    stated(content)["effects"]["crps"] *= 0.9

    found = rerun(verified(unpack(sealed(content), "file")), tmp_path / "false")
    assert found[Verdict.DIFFERENT] == ["ard-gp/design-main on wine, budget 4, seed 0"]
