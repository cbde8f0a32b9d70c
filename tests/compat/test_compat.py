"""Files of earlier versions keep loading; README.md says how they were made."""

from __future__ import annotations

import csv
import json
import shutil
from pathlib import Path

import msgspec
import pytest
from click.testing import CliRunner

from whatworked import references
from whatworked.cli import cli
from whatworked.comparing import collect_runs, compare_methods, standings
from whatworked.controls import store
from whatworked.errors import InvalidOptionError, RunError
from whatworked.execution.journal import RebuildJournal
from whatworked.leaderboard import board_of, pack, unpack, verified
from whatworked.leaderboard.board import decode_board, encode_board
from whatworked.leaderboard.rerunning import plugin_files
from whatworked.plugins import load
from whatworked.runs import Plan, catalog_tasks, crossed, read_run
from whatworked.runs.benchmark import execute
from whatworked.runs.description import RunManifest, to_json
from whatworked.runs.folder import claim, encode, is_finished, pretty
from whatworked.runs.journal import BenchJournal
from whatworked.runs.tidy import costs_csv, records_csv

HERE = Path(__file__).parent / "kept"
CONDITIONS = ["banknote", "wine__d6"]


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """A copy of the files, in the working folder."""
    shutil.copytree(HERE, tmp_path / "kept")
    monkeypatch.chdir(tmp_path / "kept")
    return tmp_path / "kept"


def test_a_finished_run_is_read_and_its_files_would_be_written_alike():
    run = read_run(HERE / "run")
    assert (len(run.records), run.manifest.missing) == (21, 0)
    assert run.manifest.skipped_budgets == {"banknote": (20,)}
    assert list(run.description.estimators["mine"].origin.digests) == ["mine.py", "near.py"]
    assert encode(run.records) == (HERE / "run" / "records.jsonl").read_bytes()
    assert pretty(to_json(run.manifest)) == (HERE / "run" / "manifest.json").read_bytes()
    assert pretty(to_json(run.description)) == (HERE / "run" / "plan.json").read_bytes()
    assert records_csv(run.rows()).encode() == (HERE / "run" / "records.csv").read_bytes()
    assert costs_csv(run.costs).encode() == (HERE / "run" / "costs.csv").read_bytes()


def test_a_finished_run_is_compared_and_reported(kept):
    results = compare_methods(collect_runs(read_run("run")), "design-main", resamples=9)
    assert {result.role for result in results} == {"compared", "baseline"}
    done = CliRunner().invoke(cli, ["report", "run", "--resamples", "9"], catch_exceptions=False)
    assert done.exit_code == 0
    assert (kept / "report.html").exists()


def test_an_edited_file_of_a_finished_run_is_named(kept):
    methods = crossed(
        [load("mine=./mine.py:mine", "estimator"), load("forest=sklearn.linear_model:Ridge(alpha=0.5)", "estimator")],
        [load("random", "policy"), load("design-main", "policy")],
    )
    with pytest.raises(InvalidOptionError, match=r"\./near\.py was edited \(SHA-256 b6c72905 → "):
        claim(Path("run"), Plan(catalog_tasks(CONDITIONS), methods, (4, 20), seeds=2))


def test_a_run_before_fits_were_counted_is_read(kept):
    path = kept / "run" / "costs.csv"
    rows = list(csv.DictReader(path.read_text().splitlines()))
    names = [name for name in rows[0] if name != "fits"]
    path.write_text(
        "".join(",".join(line) + "\n" for line in [names, *([row[name] for name in names] for row in rows)])
    )
    costs = read_run("run").costs
    assert {cost.fits for cost in costs} == {None}
    assert [cost.asks for cost in costs] == [cost.asks for cost in read_run(HERE / "run").costs]


def test_an_unfinished_run_goes_on(kept):
    """With the software of another machine it would be refused, so that note is removed first."""
    (kept / "go").touch()
    plan = Plan(
        catalog_tasks(CONDITIONS),
        crossed([load(name, "estimator") for name in ("mean", "ridge-main")], [load("slow=./slow.py:slow", "policy")]),
        (4,),
    )
    with BenchJournal(kept / "unfinished", plan.digest) as journal:
        journal.take_over_unchained()
        done = journal.finished()
    assert list(done) == ["0.0.0"]
    assert not is_finished(kept / "unfinished")
    (kept / "unfinished" / "software.json").unlink()
    run = execute(plan, kept / "unfinished")
    assert len(run.records) == 4
    assert run.records[:2] == done["0.0.0"].records
    assert run.costs[:2] == done["0.0.0"].costs


def test_a_packed_run_is_verified_and_packs_to_the_same_bytes():
    data = (HERE / "run.json.gz").read_bytes()
    submission = unpack(data, "file")
    run = verified(submission)
    assert (submission.name, submission.note) == ("of before", "kept for tests")
    assert [record.grade for record in run.records] == [record.grade for record in read_run(HERE / "run").records]
    assert list(plugin_files(submission.plan)) == ["./mine.py", "./near.py"]
    assert unpack(pack(read_run(HERE / "run"), "of before", "kept for tests"), "again").digest == submission.digest
    assert len(standings(run.rows())) == len(standings(read_run(HERE / "run").rows()))
    assert set(to_json(run.manifest)) == {"schema", "plan", "software", "records", "missing"}
    assert msgspec.convert(to_json(run.manifest), RunManifest) == run.manifest


def test_the_leaderboard_is_read_and_made_alike():
    data = (HERE / "board" / "leaderboard.json").read_bytes()
    (entry,) = decode_board(data)
    assert (entry.track, entry.budget, entry.submission, entry.sources) == ("added", 4, "added track", 8)
    assert encode_board([entry]) == data


def test_a_packed_run_on_tables_of_before_is_not_counted():
    """Forecasts, links and beats have other tables since; a run on those of before is named and refused."""
    with pytest.raises(RunError, match=r"cannot stand on the leaderboard.*mitdb_100__d6"):
        board_of(HERE / "board")


def test_a_rebuilt_folder_is_read():
    surface = references.load_surface("banknote", HERE / "rebuild")
    assert (surface.utilities == references.load_surface("banknote").utilities).all()


def test_the_journal_of_an_unfinished_rebuild_is_taken_over(kept):
    with RebuildJournal(kept / "unfinished_rebuild") as journal:
        entries = journal.entries()
    assert not (kept / "unfinished_rebuild" / ".journal").exists()
    rows = {row.mask: row for row in references.load_table("banknote", HERE / "rebuild").rows}
    assert entries
    assert all(entry.condition == "banknote" and entry.row == rows[entry.row.mask] for entry in entries)


def test_a_study_is_read_and_written_alike():
    records = store.read_records(HERE / "study")
    assert len(records) == 96
    assert store.render(records) == (HERE / "study" / "banknote.jsonl").read_bytes()
    assert records == tuple(record for record in store.read_records() if record.condition == "banknote")


def test_a_prediction_is_graded_alike():
    arguments = ["grade", "banknote", str(HERE / "prediction.json"), "--observed", "0100,1000", "--json"]
    done = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert json.loads(done.output) == json.loads((HERE / "grade.json").read_text())
