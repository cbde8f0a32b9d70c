"""What the command takes, bench takes; results as data frames; figures of surfaces."""

from __future__ import annotations

import io
import sys

import pandas as pd
import pytest

from whatworked import bench, load_surface
from whatworked.comparing import answer, collect_runs, compare_methods, ranking_frame
from whatworked.errors import InvalidOptionError, MissingExtraError
from whatworked.runs import catalog_tasks


def test_bench_takes_names_tracks_rules_and_named_methods(tmp_path):
    run = bench((), (), 4, tmp_path / "a", ["wine__d6", "wine", "co2"], tracks="paired", methods="GP-E")
    assert [record.key for record in run.records] == [("wine__d6", "GP-E", 4, 0)]
    ruled = bench("gp", "gp-effect", 4, tmp_path / "b", families="clustering", tracks="paired", rules=True)
    assert ruled.description.rules
    assert [record.condition for record in ruled.records] == ["wine__d6"]
    with pytest.raises(InvalidOptionError, match="tracks, rules given beside Task objects"):
        bench("gp", "gp-effect", 4, tmp_path / "c", catalog_tasks("wine"), tracks="four", rules=True)
    with pytest.raises(InvalidOptionError, match=r"in Python rules=True"):
        bench("class-gp", "gp-effect", 4, tmp_path / "d", "wine")


def test_a_run_gives_data_frames_of_its_files(tmp_path):
    run = bench(["gp", "mean"], "gp-effect", [4, 8], tmp_path / "run", ["wine", "nile"])
    for found, name in ((run.frame(), "records.csv"), (run.costs_frame(), "costs.csv")):
        written = pd.read_csv(io.StringIO((tmp_path / "run" / name).read_text()), dtype={"selected": str})
        assert list(found.columns) == list(written.columns)
        assert len(found) == len(written) == 8
    assert run.frame()["effect_recovery"].tolist() == [row.grade.effect_recovery for row in run.rows()]
    runs = collect_runs(run)
    found = answer(runs, compare_methods(runs, resamples=99))
    table = ranking_frame(found.rankings)
    assert table.groupby("budget")["rank"].apply(list).tolist() == [[1, 2], [1, 2]]
    assert "<table>" in found._repr_html_()
    assert str(found).startswith("mean/gp-effect is ")


def test_without_pandas_the_error_says_what_needs_nothing(tmp_path, monkeypatch):
    run = bench("mean", "gp-effect", 4, tmp_path / "run", "wine")
    monkeypatch.setitem(sys.modules, "pandas", None)
    with pytest.raises(MissingExtraError, match=r"or use rows\(\)"):
        run.frame()


def test_a_surface_is_plotted():
    figure = load_surface("wine").plot("main")
    assert figure.axes
    with pytest.raises(InvalidOptionError, match="kind of figure is 'all'"):
        load_surface("wine").plot("all")
