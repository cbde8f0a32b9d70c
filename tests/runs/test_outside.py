"""Conditions that the catalog does not have, and those that it has without a table."""

from __future__ import annotations

import json

import pytest
from click.testing import CliRunner

from whatworked import catalog, references
from whatworked.canonical import sha256
from whatworked.cli.bench import bench
from whatworked.cli.compare import compare
from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.references.index import Entry, Index, read_index, write_index
from whatworked.runs import catalog_tasks


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
        fields = {field: getattr(known.tables[name], field) for field in Entry.__struct_fields__}
        entries[new] = Entry(**{**fields, "source": "mine", "digest": sha256(data)})
    write_index(folder, Index(tables=entries, makers=known.makers))
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


def test_one_source_twice_on_a_track_is_refused_before_anything_runs(tmp_path, tables, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "whatworked.runs.tasks._described", lambda _: dict.fromkeys(("mine", "mine__d6"), ("mine", "made", "four"))
    )
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
