"""Results of a run in progress are believed only where it is certain whose they are."""

from __future__ import annotations

import zlib
from pathlib import Path

import msgspec
import pytest
from run_helpers import make_plan, synthetic_task

from whatworked.errors import JournalError
from whatworked.execution.journal import JOURNAL as REBUILD_JOURNAL
from whatworked.execution.journal import JournalRow, RebuildJournal
from whatworked.references.schema import Row
from whatworked.runs.benchmark import execute, run_in_process
from whatworked.runs.folder import claim, clear
from whatworked.runs.journal import JOURNAL, BenchJournal
from whatworked.runs.plan import Plan
from whatworked.storage.canonical import canonical_json
from whatworked.storage.unchained import UNCHAINED


@pytest.fixture
def plan() -> Plan:
    return make_plan([synthetic_task(f"t{seed}", 2, seed) for seed in range(3)], budgets=(0, 2))


def begun(folder: Path, plan: Plan, units: int = 2) -> None:
    """A run that was interrupted after some units."""
    folder.mkdir(exist_ok=True)
    claim(folder, plan)
    with BenchJournal(folder, plan.digest) as journal:
        for unit, result in zip(plan.units()[:units], run_in_process(plan)[:units], strict=True):
            journal.append(unit, result)


def begun_before(folder: Path, plan: Plan, units: int = 2) -> bytes:
    """The same as the version before the chained journals left it; returns the journal."""
    begun(folder, plan, units)
    with BenchJournal(folder, plan.digest) as journal:
        texts = [canonical_json(msgspec.to_builtins(entry)) for entry in journal.entries()]
    (folder / JOURNAL).unlink()
    data = b"".join(b"%08x %s\n" % (zlib.crc32(text), text) for text in texts)
    (folder / UNCHAINED).write_bytes(data)
    return data


def other_plan(plan: Plan) -> Plan:
    return make_plan(plan.tasks, budgets=(0, 1))


def test_a_journal_whose_visible_files_are_gone_serves_its_own_plan_alone(tmp_path: Path, plan: Plan) -> None:
    begun(tmp_path, plan)
    (tmp_path / "plan.json").unlink()
    with pytest.raises(JournalError, match="holds results of other work"):
        execute(other_plan(plan), tmp_path)
    assert not (tmp_path / "plan.json").exists()
    assert len(execute(plan, tmp_path).records) == len(plan.expected())


def test_a_damaged_journal_stops_the_run_until_it_is_started_anew(tmp_path: Path, plan: Plan) -> None:
    begun(tmp_path, plan)
    path = tmp_path / JOURNAL
    damaged = bytearray(path.read_bytes())
    damaged[len(damaged) // 2] ^= 1
    path.write_bytes(damaged)
    with pytest.raises(JournalError, match="--fresh"):
        execute(plan, tmp_path)
    assert path.read_bytes() == bytes(damaged)
    assert len(execute(plan, tmp_path, fresh=True).records) == len(plan.expected())


def test_a_rebuild_and_a_run_in_one_folder_leave_each_other_alone(tmp_path: Path, plan: Plan) -> None:
    row = Row(mask="00", utility=0.5, native=0.5, prediction="f" * 64, warnings=())
    with RebuildJournal(tmp_path) as journal:
        journal.append([JournalRow(condition="wine", made="abc", row=row)])
    before = (tmp_path / REBUILD_JOURNAL).read_bytes()
    begun(tmp_path, plan)
    clear(tmp_path)
    assert (tmp_path / REBUILD_JOURNAL).read_bytes() == before
    begun(tmp_path, plan)
    with RebuildJournal(tmp_path, fresh=True) as journal:
        assert journal.entries() == ()
        journal.keep_only(lambda record: False)
    with BenchJournal(tmp_path, plan.digest) as bench_journal:
        assert len(bench_journal.entries()) == 2


@pytest.mark.parametrize("name", [JOURNAL, UNCHAINED])
@pytest.mark.parametrize("fresh", [False, True])
def test_a_file_of_the_users_own_under_the_journals_name_survives(
    tmp_path: Path, plan: Plan, name: str, fresh: bool
) -> None:
    (tmp_path / name).write_text("my diary\n")
    if name == JOURNAL:
        with pytest.raises(JournalError, match="is not the journal of a bench"):
            execute(plan, tmp_path, fresh=fresh)
    else:
        execute(plan, tmp_path, fresh=fresh)
    assert (tmp_path / name).read_text() == "my diary\n"


def test_a_link_under_the_journals_name_is_not_followed(tmp_path: Path, plan: Plan) -> None:
    (tmp_path / "diary").write_text("my diary\n")
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / JOURNAL).symlink_to(tmp_path / "diary")
    with pytest.raises(JournalError, match="it is a link"):
        execute(plan, tmp_path / "run")
    assert (tmp_path / "diary").read_text() == "my diary\n"


def test_a_run_begun_with_the_version_before_goes_on(tmp_path: Path, plan: Plan) -> None:
    begun_before(tmp_path, plan)
    with BenchJournal(tmp_path, plan.digest) as journal:
        journal.take_over_unchained()
        assert list(journal.finished()) == [unit.key for unit in plan.units()[:2]]
    assert not (tmp_path / UNCHAINED).exists()
    assert len(execute(plan, tmp_path).records) == len(plan.expected())


def test_an_old_journal_without_its_plan_is_not_counted(tmp_path: Path, plan: Plan) -> None:
    data = begun_before(tmp_path, plan)
    (tmp_path / "plan.json").unlink()
    with pytest.raises(JournalError, match=r"plan\.json is gone"):
        execute(plan, tmp_path)
    assert (tmp_path / UNCHAINED).read_bytes() == data
    execute(plan, tmp_path, fresh=True)
    assert not (tmp_path / UNCHAINED).exists()


def test_a_damaged_old_journal_is_named(tmp_path: Path, plan: Plan) -> None:
    damaged = bytearray(begun_before(tmp_path, plan))
    damaged[-20] ^= 1
    (tmp_path / UNCHAINED).write_bytes(damaged)
    with pytest.raises(JournalError, match="line 2 does not have its checksum"):
        execute(plan, tmp_path)
    assert (tmp_path / UNCHAINED).read_bytes() == bytes(damaged)
