"""Rebuilding tables: the same bytes however it is done, and no harm from what goes wrong."""

from __future__ import annotations

import dataclasses
import json
import re
from pathlib import Path
from typing import Any

import pytest
from toy_family import CONDITIONS, FOUR, OTHER, SIX, WORKFLOW, Shelf, workflow_of

from whatworked import references, workflows
from whatworked.errors import ExecutionError, InvalidOptionError, ReferenceTableError, StorageError, UnknownNameError
from whatworked.execution import RebuildReport, RebuildRequest, rebuild
from whatworked.execution.assembly import version_of
from whatworked.execution.journal import JOURNAL
from whatworked.execution.rebuilding import FAILURES
from whatworked.references.index import INDEX
from whatworked.storage.lock import folder_lock
from whatworked.workflows import FAMILIES


def run(out: Path, shelf: Shelf | None = None, conditions: Any = CONDITIONS, **how: Any) -> RebuildReport:
    return rebuild(RebuildRequest(tuple(conditions), out, **how), shelf or Shelf(), workflow_of)


def contents(folder: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in sorted(folder.iterdir()) if not path.name.startswith(".")}


def statuses(report: RebuildReport) -> dict[str, str]:
    return {one.condition.id: one.status for one in report.results}


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> dict[str, bytes]:
    """All toy tables, by one worker."""
    folder = tmp_path_factory.mktemp("built")
    assert run(folder).exit_code() == 0
    return contents(folder)


def test_the_folder_holds_tables_index_and_machine_facts(built: dict[str, bytes]) -> None:
    assert set(built) == {"box.tsv", "box__d6.tsv", "jar__d6.tsv", INDEX, "machine.json"}


def test_values_are_those_of_a_plain_cold_run(tmp_path: Path, built: dict[str, bytes]) -> None:
    for name, data in built.items():
        (tmp_path / name).write_bytes(data)
    table = references.load_table("box__d6", tmp_path)
    for row in table.rows[::7]:
        outcome = WORKFLOW.run(Shelf()("box"), row.mask)
        # This process is not pinned: powers may differ in the last bit.
        assert (row.utility, row.native) == pytest.approx((outcome.utility, outcome.native), abs=1e-12)
        assert WORKFLOW.form.close(row.fingerprint, outcome.fingerprint)
        assert row.warnings == outcome.warnings
    assert {row.warnings for row in table.rows} == {(), ("RuntimeWarning",)}
    assert (table.header.metric, table.header.unit, table.header.cost_scale) == ("MAE", "cm", 2.0)


@pytest.mark.parametrize("how", [{"jobs": 2}, {"cold": True}, {"jobs": 3, "cold": True}], ids=str)
def test_same_bytes_for_any_number_of_workers_staged_or_cold(tmp_path: Path, built: dict[str, bytes], how: Any) -> None:
    run(tmp_path, **how)
    assert contents(tmp_path) == built


def test_same_bytes_in_any_order_and_one_condition_at_a_time(tmp_path: Path, built: dict[str, bytes]) -> None:
    for one in reversed(CONDITIONS):
        run(tmp_path, conditions=[one])
    assert contents(tmp_path) == built


def test_a_four_option_table_is_the_subcube_of_its_six_option_table(tmp_path: Path, built: dict[str, bytes]) -> None:
    run(tmp_path, conditions=[SIX, FOUR])
    four, six = (references.load_table(one.id, tmp_path).rows for one in (FOUR, SIX))
    inner = {row.mask[:4]: row for row in six if row.mask.endswith("00")}
    assert len(inner) == 16
    for row in four:
        assert (row.utility, row.prediction, row.fingerprint) == (
            inner[row.mask].utility,
            inner[row.mask].prediction,
            inner[row.mask].fingerprint,
        )


def test_equal_programs_run_once_and_shared_stages_once_per_setting(tmp_path: Path) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    run(tmp_path / "out", Shelf(box={"traces": str(traces)}), [FOUR, SIX])
    counts = {path.name: len(path.read_text().splitlines()) for path in traces.iterdir()}
    assert counts == {"shift": 3, "bend": 9, "mix": len(WORKFLOW.equivalence())}


def test_a_cold_run_shares_nothing(tmp_path: Path) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    run(tmp_path / "out", Shelf(box={"traces": str(traces)}), [FOUR, SIX], cold=True)
    counts = {path.name: len(path.read_text().splitlines()) for path in traces.iterdir()}
    assert counts == dict.fromkeys(("shift", "bend", "mix"), 16 + 64)


def test_nothing_is_run_again_that_is_complete(tmp_path: Path) -> None:
    run(tmp_path)
    before = contents(tmp_path)
    assert set(statuses(run(tmp_path)).values()) == {"unchanged"}
    assert set(statuses(run(tmp_path, fresh=True)).values()) == {"built"}
    assert contents(tmp_path) == before


def test_another_version_of_the_workflow_is_run_again(tmp_path: Path) -> None:
    run(tmp_path, conditions=[FOUR])
    request = RebuildRequest((FOUR,), tmp_path)
    for version, status in (("1", "unchanged"), ("2", "built"), ("2", "unchanged")):
        changed = dataclasses.replace(WORKFLOW, version=version)
        assert statuses(rebuild(request, Shelf(), {"toys": changed}.__getitem__)) == {"box": status}


def test_a_family_of_the_package_is_told_by_its_version_alone() -> None:
    assert {version_of(workflows.get(family)) for family in FAMILIES} == {"1", "2"}
    assert re.fullmatch(r"1\+[0-9a-f]{16}", version_of(WORKFLOW))
    assert version_of(WORKFLOW) == version_of(dataclasses.replace(WORKFLOW))
    assert version_of(WORKFLOW) != version_of(dataclasses.replace(WORKFLOW, summary="Another one."))


def test_an_altered_table_is_built_again(tmp_path: Path, built: dict[str, bytes]) -> None:
    run(tmp_path)
    table = tmp_path / "box.tsv"
    table.write_bytes(table.read_bytes()[:-20])
    assert statuses(run(tmp_path)) == {"box": "built", "box__d6": "unchanged", "jar__d6": "unchanged"}
    assert contents(tmp_path) == built


def test_a_changed_input_is_built_again(tmp_path: Path) -> None:
    run(tmp_path)
    report = run(tmp_path, Shelf(jar={"note": "another content"}))
    assert statuses(report) == {"box": "unchanged", "box__d6": "unchanged", "jar__d6": "built"}


def test_a_missing_source_is_skipped_with_its_reason(tmp_path: Path) -> None:
    report = run(tmp_path, Shelf(jar={"absent": True}))
    assert statuses(report) == {"box": "built", "box__d6": "built", "jar__d6": "skipped"}
    assert "not on this machine" in report.results[2].reason
    assert (report.exit_code(), report.exit_code(strict=True)) == (0, 1)


def test_failing_masks_are_named_and_logged_and_the_others_finish(tmp_path: Path, built: dict[str, bytes]) -> None:
    report = run(tmp_path, Shelf(box={"fails": [True, False]}), jobs=2)
    assert statuses(report) == {"box": "failed", "box__d6": "failed", "jar__d6": "built"}
    assert report.exit_code() == 1
    assert report.results[0].failed_masks == ("0010", "0110", "1010", "1110")
    assert report.log is not None
    log = report.log.read_text()
    assert "box 0110" in log
    assert "ValueError: this setting cannot be mixed" in log
    assert "box__d6 011011" in log
    assert (tmp_path / "jar__d6.tsv").read_bytes() == built["jar__d6.tsv"]
    assert not (tmp_path / "box.tsv").exists()
    assert set(json.loads((tmp_path / INDEX).read_text())["tables"]) == {"jar__d6"}


@pytest.mark.parametrize(
    ("fault", "words"),
    [
        ("spoils", "InvalidOutcomeError: MAE on box: its value is nan; it must be finite"),
        ("exits", "SystemExit: a file called \\udcff"),
    ],
)
def test_what_no_table_can_hold_and_an_exit_are_failures_of_their_masks(
    tmp_path: Path, built: dict[str, bytes], fault: str, words: str
) -> None:
    report = run(tmp_path, Shelf(box={fault: [True, False]}), jobs=2)
    assert statuses(report) == {"box": "failed", "box__d6": "failed", "jar__d6": "built"}
    assert report.results[0].failed_masks == ("0010", "0110", "1010", "1110")
    assert report.log is not None
    assert words in report.log.read_text()
    assert (tmp_path / "jar__d6.tsv").read_bytes() == built["jar__d6.tsv"]


def test_after_a_failure_only_what_failed_runs_again(tmp_path: Path) -> None:
    failing = Shelf(box={"fails": [True, False]})
    run(tmp_path, failing)
    again = run(tmp_path, failing, [FOUR])
    assert again.results[0].records == 12
    assert again.results[0].resumed == 12


def test_the_log_goes_when_all_is_well(tmp_path: Path) -> None:
    run(tmp_path, Shelf(box={"fails": [True, False]}))
    assert (tmp_path / FAILURES).exists()
    run(tmp_path)
    assert not (tmp_path / FAILURES).exists()
    assert not (tmp_path / JOURNAL).exists()


def test_a_worker_that_dies_is_an_error_with_advice(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match=r"a worker process died.*fewer --jobs"):
        run(tmp_path, Shelf(box={"dies": True}), [FOUR])


def test_two_rebuilds_of_one_folder_are_refused(tmp_path: Path) -> None:
    with folder_lock(tmp_path), pytest.raises(StorageError, match="another run is writing"):
        run(tmp_path)


def test_an_unreadable_index_is_not_overwritten_unless_asked(tmp_path: Path, built: dict[str, bytes]) -> None:
    run(tmp_path)
    (tmp_path / INDEX).write_text("{")
    with pytest.raises(ReferenceTableError, match="index"):
        run(tmp_path)
    run(tmp_path, fresh=True)
    assert contents(tmp_path) == built


def test_an_unknown_backend_offers_the_nearest(tmp_path: Path) -> None:
    with pytest.raises(UnknownNameError, match="did you mean loky"):
        run(tmp_path, backend="lokyy")


def test_workers_that_are_not_pinned_are_refused(tmp_path: Path) -> None:
    with pytest.raises(ExecutionError, match="not numerically pinned"):
        run(tmp_path, conditions=[FOUR], backend="sequential")


@pytest.mark.parametrize(("backend", "reason"), [("threading", "warnings"), ("multiprocessing", "only at the end")])
def test_backends_that_cannot_keep_the_promises_are_refused(tmp_path: Path, backend: str, reason: str) -> None:
    with pytest.raises(InvalidOptionError, match=f"{reason}.*use one of dask, loky$"):
        run(tmp_path, conditions=[FOUR], backend=backend)


def test_other_conditions_in_the_folder_stay_in_the_index(tmp_path: Path, built: dict[str, bytes]) -> None:
    run(tmp_path, conditions=[OTHER])
    run(tmp_path, conditions=[FOUR, SIX])
    assert contents(tmp_path) == built
