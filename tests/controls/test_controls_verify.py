"""Verifying the study, and what a tie excuses."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import msgspec
import numpy as np
import pytest
from click.testing import CliRunner
from study_samples import SOME

from whatworked.catalog import condition
from whatworked.cli import cli
from whatworked.controls import METHODS, acquisition, audit, store, study, verify
from whatworked.controls.acquisition import score_candidates
from whatworked.controls.paths import run_cells
from whatworked.controls.plan import planned
from whatworked.surfaces import Equivalence, mask_strings

TASKS = {one.id: study.task_of(one) for one in SOME}


def shifted(predictions):
    """Every prediction a little smaller, measured ones too."""
    return tuple(value * (1 - 1e-6) for value in predictions)


class TestVerify:
    def test_the_records_just_made_are_identical(self, made):
        found = verify.verify_study(SOME, made[0], jobs=1)
        assert found.counts == {"identical": 96 + 96 + 189}
        assert found.passed
        assert found.design_faults == found.class_faults == ()
        assert json.loads(json.dumps(found.to_dict()))["passed"] is True

    def test_a_difference_is_named_and_fails(self, made):
        recorded = list(store.read_records(made[0], ["wine"]))
        replayed = list(recorded)
        shifted = tuple(value + 1e-6 for value in recorded[5].predictions)
        replayed[5] = msgspec.structs.replace(recorded[5], predictions=shifted)
        (found,) = [
            check for check in verify.compare_records(recorded, replayed, TASKS) if check.verdict != "identical"
        ]
        assert (found.verdict, found.detail) == ("different", "predictions")
        assert recorded[5].method in found.name

    def test_rounding_is_equal_and_a_tie_is_told_apart(self, made):
        one = next(record for record in store.read_records(made[0], ["wine"]) if not record.near_tie)
        rounded = msgspec.structs.replace(one, predictions=tuple(value + 1e-12 for value in one.predictions))
        assert verify.compare_records([one], [rounded], TASKS)[0].verdict == "equal"
        other = msgspec.structs.replace(one, purchases=(*one.purchases[::-1], "1110"))
        assert verify.compare_records([one], [other], TASKS)[0].verdict == "different"
        tied = next(record for record in store.read_records(made[0], ["wine"]) if record.near_tie)
        other = msgspec.structs.replace(tied, purchases=(*tied.purchases[::-1], "1110"))
        assert verify.compare_records([tied], [other], TASKS)[0].verdict == "tie-dependent"

    def test_a_record_cannot_excuse_itself_by_a_tie(self, made):
        one = next(record for record in store.read_records(made[0], ["wine"]) if not record.near_tie)
        forged = msgspec.structs.replace(one, purchases=one.purchases[::-1], near_tie=True)
        assert verify.compare_records([forged], [one], TASKS)[0].verdict == "different"

    @pytest.mark.parametrize("label", list(METHODS))
    def test_every_recorded_choice_is_sound(self, label):
        """Over all methods of the study, with and without ties."""
        names = ["wine", "wine__d6"] if not METHODS[label].class_aware else ["wine__d6"]
        for name in names:
            task = study.task_of(condition(name))
            kept = [one for one in store.read_records(conditions=[name]) if one.method == label and one.seed < 2]
            assert kept
            for record in kept:
                assert audit.faults(record, task) == ()

    @pytest.mark.parametrize(
        ("label", "change", "told"),
        [
            (
                "GP-E",
                lambda one: {"predictions": shifted(one.predictions)},
                "predictions are not those of the last fit",
            ),
            ("D2", lambda one: {"predictions": shifted(one.predictions)}, "predictions are not those of the last fit"),
            (
                "GP-E",
                lambda one: {"grade": msgspec.structs.replace(one.grade, effect_mae=one.grade.effect_mae / 2)},
                "grade effect_mae",
            ),
            ("D1", lambda one: {"grade": msgspec.structs.replace(one.grade, exact=not one.grade.exact)}, "grade exact"),
            ("GP-E", lambda one: {"purchases": one.purchases[::-1]}, "purchase .* is not the best within rounding"),
            ("GP-E", lambda one: {"purchases": one.purchases[:1] * 4}, "purchases are not distinct"),
            ("GP-E", lambda one: {"purchases": ("000",)}, "not strings of 4 characters"),
            ("GP-E", lambda one: {"purchases": one.purchases[:-1]}, "as many as the budget allows"),
            ("D2", lambda one: {"purchases": one.purchases[::-1]}, "purchases are not those of the design"),
            ("D2", lambda one: {"steps": ({"alpha": 1e-5},)}, "alpha is not the best within rounding"),
            ("D2", lambda one: {"steps": ({"alpha": 2.0},)}, "steps are not one penalty"),
            ("GP-E", lambda one: {"steps": one.steps[:-1]}, "steps are not a pair"),
            (
                "GP-E",
                lambda one: {"steps": ({"length": 0.25, "nugget": 1e-6}, *one.steps[1:])},
                "step 0 is not the best",
            ),
            ("D1", lambda one: {"aliases": ("0001",)}, "near_tie, but no choice lies within rounding of a tie"),
            ("GP-E", lambda one: {"aliases": ("0001",)}, "aliases"),
            ("GP-E", lambda one: {"predictions": None, "grade": None}, "predictions"),
        ],
    )
    def test_a_tie_excuses_nothing_that_does_not_follow_from_it(self, label, change, told):
        records = store.read_records(conditions=["nile"])
        one = next(one for one in records if (one.method, one.budget) == (label, 4))
        tied = msgspec.structs.replace(one, near_tie=True)
        altered = msgspec.structs.replace(tied, **change(one))
        (check,) = verify.compare_records([altered], [tied], TASKS)
        assert check.verdict == "different"
        assert re.search(told, check.detail.partition("by itself: ")[2])

    @pytest.mark.parametrize("name", ["wine__d6", "scifact__d6", "nile"])
    def test_a_machine_that_rounds_otherwise_differs_by_ties_only(self, name, monkeypatch):
        random = np.random.default_rng(0)

        def rounded_otherwise(*arguments):
            scores = score_candidates(*arguments)
            return replace(scores, values=scores.values + scores.noise * random.uniform(-1, 1, scores.values.shape))

        task = study.task_of(condition(name))
        cells = [
            cell
            for cell in planned(task.track)
            if cell.method in ("GP-G", "GP-E", "CGP-E") and cell.budget in (4, 14, 20)
        ]
        here = run_cells(task, cells)
        monkeypatch.setattr(acquisition, "score_candidates", rounded_otherwise)
        there = run_cells(task, cells)
        assert [one.purchases for one in here] != [one.purchases for one in there]
        found = {check.verdict for check in verify.compare_records(there, here, {name: task})}
        assert "tie-dependent" in found
        assert found <= {"identical", "equal", "tie-dependent"}

    def test_a_record_that_stands_twice_is_different(self, made):
        one = store.read_records(made[0], ["wine"])[0]
        (check,) = verify.compare_records([one, one], [one], TASKS)
        assert (check.verdict, check.detail) == ("different", "it is recorded 2 times")

    def test_missing_records_fail(self, made):
        records = store.read_records(made[0], ["wine"])
        checks = verify.compare_records(records[1:], records, TASKS)
        assert [check.verdict for check in checks].count("missing") == 1
        assert not verify.Verification(checks, (), {}, (), (), ()).passed

    def test_masks_of_a_class_that_predict_differently_are_named(self, made):
        task = study.task_of(condition("wine__d6"))
        everything_one = Equivalence(np.zeros(64, dtype=np.int64))
        count, faults = verify.check_classes(replace(task, equivalence=everything_one))
        assert count == 1
        assert mask_strings(6)[0] in faults[0]


def test_the_command_counts_ties_and_lists_them_when_asked(monkeypatch):
    names = tuple(f"nile GP-E seed 0 budget {budget}" for budget in (4, 6))
    found = verify.Verification((), names, {"nile": 16}, (), (), ())
    monkeypatch.setattr(verify, "verify_study", lambda *_, **__: found)
    short, long = (
        CliRunner().invoke(cli, ["controls", "verify", "nile", *flags], catch_exceptions=False).output.splitlines()
        for flags in ((), ("--ties",))
    )
    assert short[-1].endswith("of a tie: 2 (--ties lists them)")
    assert long == [*short[:-1], short[-1].removesuffix(" (--ties lists them)"), "- nile GP-E seed 0 budget 4, 6"]
