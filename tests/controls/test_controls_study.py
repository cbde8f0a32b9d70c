"""Running, storing and resuming the study."""

from __future__ import annotations

import shutil

import msgspec
import numpy as np
import oracle
import pytest
from controls_samples import as_dict, representatives
from reference_versions import reference_versions
from study_samples import SOME

from whatworked import references
from whatworked.catalog import condition, conditions
from whatworked.controls import store, study, verify
from whatworked.controls.plan import planned, total
from whatworked.errors import InvalidOptionError, ReferenceTableError, StorageError, UnknownNameError
from whatworked.grading import grade
from whatworked.storage.index import write_index
from whatworked.storage.lock import folder_lock
from whatworked.workers.profile import HASH_SEED
from whatworked.workflows import get


def files(folder):
    return {path.name: path.read_bytes() for path in folder.iterdir()}


class TestRecorded:
    def test_all_records_are_there_once_and_in_order_of_the_plan(self):
        records = store.read_records()
        assert len(records) == total() == 4206
        for one in conditions():
            held = [(r.method, r.seed, r.budget) for r in records if r.condition == one.id]
            assert held == [(cell.method, cell.seed, cell.budget) for cell in planned(one.track)]

    def test_they_come_from_the_committed_tables(self):
        for record in store.read_records():
            assert record.table == references.table_digest(record.condition)

    def test_they_were_made_under_the_pinned_profile(self):
        index = store.read_index(store.folder())
        assert {entry.maker for entry in index.entries.values()} == set(index.makers)
        assert {maker.profile.hash_seed for maker in index.makers.values()} == {HASH_SEED}
        assert {maker.profile.threads for maker in index.makers.values()} == {1}

    def test_grades_are_those_of_the_recorded_predictions(self):
        for name in ("wine", "scifact__d6", "graph_football__d6"):
            surface = references.load_surface(name)
            for record in store.read_records(conditions=[name]):
                observed = [surface.masks[0], surface.masks[-1], *record.purchases]
                assert grade(surface, record.predictions, observed) == record.grade

    def test_measured_values_and_aliases_are_in_place(self):
        surface = references.load_surface("scifact__d6")
        truth = as_dict(surface)
        for record in store.read_records(conditions=["scifact__d6"]):
            table = dict(zip(surface.masks, record.predictions, strict=True))
            assert len(record.purchases) <= record.budget
            for mask in ("000000", "111111", *record.purchases, *record.aliases):
                assert table[mask] == truth[mask]

    def test_purchases_and_aliases_are_apart_and_only_class_aware_methods_have_aliases(self):
        for record in store.read_records(conditions=["astronaut__d6"]):
            assert not set(record.purchases) & set(record.aliases)
            assert bool(record.aliases) == (record.method in ("CD1", "CD2", "CGP-E"))

    def test_at_full_budget_every_recovery_is_one(self):
        for record in store.read_records():
            if record.budget == (14 if not record.condition.endswith("__d6") else 62):
                assert record.grade.effect_recovery == 1.0

    def test_class_aware_methods_stop_when_every_class_is_measured(self):
        for one in conditions():
            if one.track == "paired":
                classes = get(one.family).equivalence(6)
                started = len(set(classes.representative[[0, 63]].tolist()))
                for record in store.read_records(conditions=[one.id]):
                    if record.method.startswith("C") and record.budget == 62:
                        assert len(record.purchases) == len(classes) - started

    @pytest.mark.parametrize("label", ["D1", "Random D2", "GP-G", "GP-E", "CD1", "CGP-E"])
    @pytest.mark.parametrize(("name", "budget"), [("wine", 8), ("spambase__d6", 8), ("scifact__d6", 14)])
    def test_the_plain_implementation_gives_the_same_record(self, label, name, budget):
        if label.startswith("C") and not name.endswith("__d6"):
            label = label[1:]
        budget = 4 if name == "wine" else budget
        surface = references.load_surface(name)
        classes = get(condition(name).family).equivalence(surface.d)
        recorded = next(
            record
            for record in store.read_records(conditions=[name])
            if (record.method, record.budget, record.seed) == (label, budget, 0)
        )
        plain = oracle.record(label, as_dict(surface), 0, budget, representatives(classes))
        assert list(recorded.purchases) == plain.purchases
        assert list(recorded.steps) == plain.steps
        np.testing.assert_allclose(recorded.predictions, list(plain.predictions.values()), atol=1e-9)

    @pytest.mark.parametrize("one", conditions(), ids=lambda one: one.id)
    def test_masks_of_one_class_have_one_prediction_digest(self, one):
        count, faults = verify.check_classes(study.task_of(one))
        assert faults == ()
        assert count == len(get(one.family).equivalence(one.dimensions))


def test_the_paired_families_have_the_classes_of_the_specification():
    counts = {one.family: len(get(one.family).equivalence(6)) for one in conditions() if one.track == "paired"}
    assert counts == {
        "classification": 64,
        "regression": 36,
        "clustering": 48,
        "forecasting": 64,
        "restoration": 36,
        "retrieval": 48,
    }


def test_scaling_of_no_link_feature_is_inactive():
    classes = get("link_prediction").equivalence(6)
    assert len(classes) == 63
    assert classes.members(0).tolist() == [0, 1]


class TestRun:
    def test_files_are_those_of_the_committed_study(self, made):
        out, report = made
        assert (report.made, report.kept, report.conditions) == (96 + 96 + 189, 0, 3)
        if reference_versions():
            kept = [store.records_path(store.folder(), one.id).read_bytes() for one in SOME]
            assert [store.records_path(out, one.id).read_bytes() for one in SOME] == kept

    def test_records_are_those_of_the_committed_study_up_to_rounding_with_any_versions(self, made):
        names = [one.id for one in SOME]
        tasks = {one.id: study.task_of(one) for one in SOME}
        checks = verify.compare_records(store.read_records(conditions=names), store.read_records(made[0]), tasks)
        assert len(checks) == 96 + 96 + 189
        assert [check for check in checks if check.verdict in ("different", "missing")] == []

    def test_the_number_of_jobs_does_not_show(self, made, tmp_path):
        study.run_study(SOME[::-1], tmp_path / "one", jobs=1)
        assert files(tmp_path / "one") == files(made[0])

    def test_resuming_keeps_what_is_finished_and_makes_the_rest(self, made, tmp_path):
        out = tmp_path / "out"
        shutil.copytree(made[0], out)
        store.records_path(out, "nile").unlink()
        report = study.run_study(SOME, out, jobs=1, resume=True)
        assert (report.made, report.kept) == (96, 96 + 189)
        assert files(out) == files(made[0])

    def test_resuming_makes_again_what_came_from_another_table_or_was_altered(self, made, tmp_path):
        out = tmp_path / "out"
        shutil.copytree(made[0], out)
        index = store.read_index(out)
        entries = dict(index.entries)
        entries["nile"] = msgspec.structs.replace(entries["nile"], table="0" * 64)
        write_index(out, msgspec.structs.replace(index, entries=entries))
        path = store.records_path(out, "wine")
        path.write_bytes(path.read_bytes()[:-20])
        report = study.run_study(SOME, out, jobs=1, resume=True)
        assert (report.made, report.kept) == (96 + 96, 189)
        assert files(out) == files(made[0])

    def test_an_interrupted_run_keeps_the_conditions_it_finished(self, made, tmp_path, monkeypatch):
        out, written = tmp_path / "out", []
        write = study.write_records

        def interrupted(where, records, maker):
            if len(written) == 2:
                raise KeyboardInterrupt
            written.append(records[0].condition)
            return write(where, records, maker)

        monkeypatch.setattr(study, "write_records", interrupted)
        with pytest.raises(KeyboardInterrupt):
            study.run_study(SOME, out, jobs=1)
        monkeypatch.setattr(study, "write_records", write)
        report = study.run_study(SOME, out, jobs=1, resume=True)
        assert report.kept == sum(len(planned(one.track)) for one in SOME if one.id in written)
        assert report.made + report.kept == 96 + 96 + 189
        assert files(out) == files(made[0])

    def test_afresh_what_is_named_is_made_anew_and_the_rest_stays(self, made, tmp_path):
        out = tmp_path / "out"
        shutil.copytree(made[0], out)
        path = store.records_path(out, "wine")
        path.write_bytes(path.read_bytes()[:-20])
        assert study.run_study(SOME[:1], out, jobs=1, resume=False).made == 96
        assert files(out) == files(made[0])

    def test_no_job_is_refused(self, tmp_path):
        with pytest.raises(InvalidOptionError, match="jobs is 0"):
            study.run_study(SOME, tmp_path, jobs=0)

    def test_a_missing_table_is_named(self, tmp_path):
        with pytest.raises(ReferenceTableError, match="holds no reference tables"):
            study.run_study(SOME, tmp_path / "out", references=tmp_path)

    def test_two_runs_into_one_folder_are_refused(self, tmp_path):
        with folder_lock(tmp_path), pytest.raises(StorageError, match="another run is writing"):
            study.run_study(SOME[:1], tmp_path, jobs=1)

    def test_a_folder_that_cannot_be_written_is_named(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(StorageError, match="file"):
            study.run_study(SOME[:1], tmp_path / "file" / "out", jobs=1)


class TestStore:
    def test_records_survive_writing_and_reading(self, made):
        records = store.read_records(made[0], ["wine"])
        assert store.parse(store.render(records), "it") == records
        assert len(records) == 96

    def test_an_altered_file_is_refused(self, made, tmp_path):
        out = tmp_path / "out"
        shutil.copytree(made[0], out)
        path = store.records_path(out, "wine")
        path.write_bytes(path.read_bytes().replace(b'"seed":0', b'"seed":1', 1))
        with pytest.raises(StorageError, match=r"wine\.jsonl was altered"):
            store.read_records(out)

    def test_a_missing_file_and_an_empty_folder_are_named(self, made, tmp_path):
        out = tmp_path / "out"
        shutil.copytree(made[0], out)
        store.records_path(out, "wine").unlink()
        with pytest.raises(StorageError, match=r"wine\.jsonl"):
            store.read_records(out)
        with pytest.raises(StorageError, match="holds no study"):
            store.read_records(tmp_path / "nothing")

    def test_an_unknown_condition_is_refused(self, made):
        with pytest.raises(UnknownNameError, match="spambase"):
            store.read_records(made[0], ["spambase"])

    @pytest.mark.parametrize("data", [b"", b"{}\n", b'{"schema":9,"condition":"a","table":"","grade":[]}\n', b"\xff\n"])
    def test_other_bytes_are_refused(self, data):
        with pytest.raises(StorageError, match="it is not a file of study records"):
            store.parse(data, "it")

    @pytest.mark.parametrize("text", ["[]", '{"schema": 9}', "{"])
    def test_another_index_is_refused(self, tmp_path, text):
        (tmp_path / store.INDEX).write_text(text)
        with pytest.raises(StorageError, match="index"):
            store.read_index(tmp_path)
