"""Use from Python: paths given as texts, short descriptions, what the package offers."""

from __future__ import annotations

import os
import shutil
from pathlib import Path

import numpy as np
import pytest
from run_helpers import lowest, mean, three_tasks

import whatworked
from whatworked import ResponseSurface, bench, load_surface, references
from whatworked.comparing import collect_runs
from whatworked.controls.store import folder as study
from whatworked.controls.store import read_records
from whatworked.errors import UnknownNameError
from whatworked.execution import RebuildRequest
from whatworked.report import write_report
from whatworked.runs import Task, catalog_tasks, read_run


class Elsewhere:
    """A path that is neither a text nor a `Path`."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def __fspath__(self) -> str:
        return str(self.path)


@pytest.fixture(params=[str, Path, Elsewhere])
def given(request):
    return request.param


@pytest.fixture
def tables(tmp_path):
    """A folder with an index and the table of one condition; the package has more."""
    for name in ("index.json", "wine.tsv"):
        shutil.copy(references.folder() / name, tmp_path / name)
    return tmp_path


@pytest.fixture(scope="module")
def run(tmp_path_factory):
    return bench([mean], [lowest], (2, 3), tmp_path_factory.mktemp("use") / "run", three_tasks())


def test_tables_are_read_from_a_folder_in_any_form(tables, given):
    where = given(tables)
    np.testing.assert_array_equal(load_surface("wine", where).utilities, load_surface("wine").utilities)
    assert references.load_table("wine", where) == references.load_table("wine")
    assert references.conditions(where) == references.conditions()
    assert references.table_path("wine", where) == tables / "wine.tsv"
    assert [task.condition for task in catalog_tasks("wine", references=where)] == ["wine"]
    index = tables / "index.json"
    index.unlink()
    assert references.conditions(where) == ()
    with pytest.raises(UnknownNameError, match=f"wine has no reference table in {tables}"):
        catalog_tasks("wine", references=where)


def test_an_empty_text_is_the_folder_one_is_in(tables, monkeypatch):
    monkeypatch.chdir(tables)
    (tables / "index.json").unlink()
    assert references.conditions("") == ()


def test_runs_and_records_are_read_and_reports_written_in_any_form(run, tmp_path, given):
    assert read_run(given(Path(run.name))).records == run.records
    assert read_records(given(study()), ["wine"]) == read_records(conditions=["wine"])
    write_report(collect_runs(run), given(tmp_path / "page.html"), resamples=50)
    assert (tmp_path / "page.html").read_text().startswith("<!")


def test_a_request_keeps_a_path(tmp_path, given):
    assert RebuildRequest((), given(tmp_path)).out == Path(os.fspath(tmp_path))


def test_one_run_is_taken_like_several(run):
    assert collect_runs(run) == collect_runs([run])
    assert collect_runs(iter([run])).rows == collect_runs(run).rows


def test_runs_describe_themselves_in_a_line(run, tmp_path):
    assert repr(run) == f"Run({run.name!r}: 6 records, 1 method, 3 conditions, 0 missing)"
    assert repr(collect_runs(run)) == f"RunCollection({run.name!r}: 6 records, 1 method, 0 missing)"

    def broken(masks, utilities, cube):
        raise ValueError("no")

    other = bench([broken, mean], [lowest], (2,), tmp_path / "other", three_tasks()[:1])
    assert repr(other).endswith("other': 2 records, 2 methods, 1 condition, 1 missing)")


def test_surfaces_describe_themselves_in_a_line():
    assert repr(load_surface("wine")) == "ResponseSurface('wine': d=4, options A, B, C, D, range 0.464, best 0100)"
    assert repr(ResponseSurface(("scale", "clip"), [0, 0, 1, 0])) == (
        "ResponseSurface(d=2, options scale, clip, range 1, best 10)"
    )


def test_the_package_offers_what_it_exports():
    assert dir(whatworked) == sorted(whatworked.__all__)
    for name in dir(whatworked):
        assert getattr(whatworked, name) is not None


def test_a_surface_of_ones_own_has_a_digest_of_its_own():
    def digest(options, utilities):
        return Task("own", "own", "own", "own", ResponseSurface(options, utilities)).digest

    found = digest("AB", [0, 0, 1, 0])
    assert found == digest(("A", "B"), [0.0, 0.0, 1.0, 0.0])
    assert len({found, digest("AC", [0, 0, 1, 0]), digest("AB", [0, 0, 0.5, 0])}) == 3
    assert Task("own", "own", "own", "own", ResponseSurface("AB", [0, 0, 1, 0]), "stated").digest == "stated"
