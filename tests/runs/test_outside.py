"""Conditions that the catalog does not have, and those that it has without a table."""

from __future__ import annotations

import gzip
import json

import pytest
from click.testing import CliRunner

from whatworked import catalog, references
from whatworked.cli.bench import bench
from whatworked.cli.compare import compare
from whatworked.cli.leaderboard import leaderboard
from whatworked.cli.submit import submit, verify_run
from whatworked.errors import InvalidOptionError, RunError, UnknownNameError
from whatworked.leaderboard import unpack
from whatworked.references.index import Index, TableEntry, read_index, write_index
from whatworked.runs import catalog_tasks
from whatworked.runs.tasks import ConditionGroups
from whatworked.storage.canonical import sha256


@pytest.fixture
def tables(tmp_path):
    """A folder with the tables ``mine`` and ``mine__d6`` of the source ``mine``."""
    folder = tmp_path / "tables"
    folder.mkdir()
    known, entries = read_index(references.folder()), {}
    for name in ("wine", "wine__d6"):
        text = references.table_path(name).read_bytes()
        new = name.replace("wine", "mine")
        data = text.replace(f'"{name}"'.encode(), f'"{new}"'.encode()).replace(b'"source":"wine"', b'"source":"mine"')
        references.table_path(new, folder).write_bytes(data)
        fields = {field: getattr(known.tables[name], field) for field in TableEntry.__struct_fields__}
        entries[new] = TableEntry(**{**fields, "source": "mine", "digest": sha256(data)})
    write_index(folder, Index(entries=entries, makers=known.makers))
    return folder


def test_both_sizes_of_a_source_run_and_are_compared(tmp_path, tables):
    assert [task.track for task in catalog_tasks(references=tables) if task.source == "mine"] == [
        "outside-4",
        "outside-6",
    ]
    out = str(tmp_path / "out")
    where = ["--references", str(tables), "--condition", "mine,mine__d6", "--budgets", "4", "--jobs", "1", "--out", out]
    result = CliRunner().invoke(
        bench, ["--estimator", "mean", "--estimator", "ridge-main", "--policy", "design-main", *where]
    )
    assert result.exit_code == 0, result.output
    result = CliRunner().invoke(compare, [out, "--json", "--resamples", "9"])
    assert result.exit_code == 0, result.output
    assert {one["standing"]["track"] for one in json.loads(result.output)["figures"]} == {"outside-4", "outside-6"}


def test_a_run_on_other_tables_is_packed_and_verified_with_them_and_kept_off_the_leaderboard(tmp_path, tables):
    out, file = str(tmp_path / "out"), tmp_path / "results" / "mine.json.gz"
    where = ["--references", str(tables)]
    plan = ["--condition", "mine,mine__d6", "--budgets", "4", "--jobs", "1", "--out", out]
    assert CliRunner().invoke(bench, ["--method", "D1", *where, *plan]).exit_code == 0
    named = [out, "--name", "mine", "--out", str(file)]
    without = CliRunner().invoke(submit, named)
    assert isinstance(without.exception, RunError)
    assert "unknown condition 'mine'" in str(without.exception)
    assert "a condition of one's own needs --references DIR" in str(without.exception)
    packed = CliRunner().invoke(submit, [*named, *where])
    assert packed.exit_code == 0, packed.output
    words = " ".join(packed.output.split())
    assert "Not for the leaderboard of the project, which takes conditions of the catalog" in words
    assert "tables only: mine, mine__d6." in words
    assert json.loads(gzip.decompress(file.read_bytes()))["off_leaderboard"] == ["mine", "mine__d6"]
    assert unpack(file.read_bytes(), "file").name == "mine"
    assert isinstance(CliRunner().invoke(verify_run, [str(file)]).exception, RunError)
    shown = CliRunner().invoke(verify_run, [str(file), *where, "--rerun", "--jobs", "1"])
    assert shown.exit_code == 0, shown.output
    assert "run again: 2 identical" in shown.output
    assert "Not for the leaderboard" in shown.output
    content = json.loads(CliRunner().invoke(verify_run, [str(file), *where, "--json"]).output)
    assert content["off_leaderboard"] == ["mine", "mine__d6"]
    refused = CliRunner().invoke(leaderboard, ["--results", str(file.parent)])
    assert isinstance(refused.exception, RunError)
    assert "cannot stand on the leaderboard" in str(refused.exception)
    assert "not mine, mine__d6;" in str(refused.exception)


def test_one_source_twice_on_a_track_is_refused_before_anything_runs(tmp_path, tables, monkeypatch):
    monkeypatch.chdir(tmp_path)
    groups = ConditionGroups(source="mine", family="made", track="four")
    monkeypatch.setattr("whatworked.runs.tasks._described", lambda _: {"mine": groups, "mine__d6": groups})
    result = CliRunner().invoke(bench, ["--method", "D1", "--references", str(tables), "--out", "out"])
    assert isinstance(result.exception, InvalidOptionError)
    assert "mine, mine__d6 are all of source mine on track four" in str(result.exception)
    assert not (tmp_path / "out").exists()


def test_a_condition_of_the_catalog_without_a_table_says_where_to_get_one(monkeypatch):
    sine = catalog.Condition("sine", "sine", "regression", 4, "four")
    known = catalog.conditions()
    monkeypatch.setattr(catalog, "conditions", lambda: (*known, sine))
    with pytest.raises(UnknownNameError, match=r"sine has no reference table in .* give --references DIR") as caught:
        catalog_tasks(["sine"])
    assert "whatworked rebuild sine" in str(caught.value)
