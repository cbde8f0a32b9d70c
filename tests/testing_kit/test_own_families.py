"""A family of five options of one's own: begun by a skeleton, checked, and run by every command about tables."""

from __future__ import annotations

import os
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from command_line import Ended, run_here

from whatworked import references
from whatworked.catalog import condition
from whatworked.catalog.fit import misfit
from whatworked.declaration import Metric, Stage, Workflow
from whatworked.errors import ManifestError
from whatworked.sources.library import Library
from whatworked.testing.families import check_family, notes_on
from whatworked.workflows import get


def run(*words: str, **wanted: str) -> Ended:
    """A command under the settings of the test."""
    own = {name: value for name, value in os.environ.items() if name.startswith("WHATWORKED_")}
    return run_here(*words, **{**own, **wanted})


@pytest.fixture
def own(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the skeletons of family `mine` and of its source `rows`."""
    monkeypatch.chdir(tmp_path)
    for name, value in (
        ("PYTHONPATH", str(tmp_path)),
        ("WHATWORKED_FAMILIES", "mine=mine_family:WORKFLOW"),
        ("WHATWORKED_CACHE", str(tmp_path / "cache")),
    ):
        monkeypatch.setenv(name, value)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "mine_family", raising=False)
    assert run("families", "new", "mine").returncode == 0
    missing = run("families", "check", "mine")
    assert (missing.returncode, "`whatworked sources new NAME --family mine`" in missing.stdout) == (1, True)
    assert run("sources", "new", "rows", "sources", "--family", "mine").returncode == 0
    monkeypatch.setenv("WHATWORKED_MANIFESTS", str(tmp_path / "sources"))
    return tmp_path


def test_five_options_go_through_every_command(own: Path) -> None:
    checked = run("families", "check", "mine")
    assert (checked.returncode, "all 7 checks passed" in checked.stdout) == (0, True)
    assert "5 options" in checked.stdout
    assert run("sources", "check", "rows").returncode == 0
    assert run("rebuild", "rows", "--out", "tables", "--jobs", "1").returncode == 0
    assert "32 identical" in run("verify", "rows", "--references", "tables", "--jobs", "1").stdout
    assert "5 options, 32 masks" in run("effects", "rows", "--references", "tables").stdout
    assert run("plot", "rows", "--references", "tables", "--out", "rows.svg").returncode == 0
    assert "outside-5" in run("list", "--family", "mine", "--references", "tables").stdout
    bench = ("bench", "--estimator", "mean", "--policy", "random", "--condition", "rows", "--references", "tables")
    ran = run(*bench, "--budgets", "4", "--seeds", "1", "--jobs", "1", "--out", "run")
    assert (ran.returncode, "outside-5 track" in ran.stdout) == (0, True), ran.stderr
    refused = run("controls", "run", "rows", "--references", "tables", "--out", "study")
    assert (refused.returncode, "no budgets for track outside-5" in " ".join(refused.stderr.split())) == (2, True)
    assert [surface.d for surface in [references.load_surface("rows", own / "tables")]] == [5]


def test_the_skeleton_computes_what_scikit_learn_does(own: Path) -> None:
    from sklearn.linear_model import Ridge
    from sklearn.metrics import mean_absolute_error
    from sklearn.pipeline import make_pipeline
    from sklearn.preprocessing import RobustScaler, StandardScaler

    data = Library().prepared("rows").arrays
    for mask, model in (("00000", (StandardScaler(), Ridge(0.1))), ("10010", (RobustScaler(), Ridge(10.0)))):
        fitted = make_pipeline(*model).fit(data["X_train"], data["y_train"])
        found = get("mine").run(Library().prepared("rows"), mask)
        assert found.native == pytest.approx(mean_absolute_error(data["y_test"], fitted.predict(data["X_test"])))


@pytest.mark.parametrize(
    ("track", "told"),
    [('["four"]', "declares 5 options, the manifest's track needs 4 or 6"), ('["added"]', "track needs 6")],
)
def test_no_option_is_dropped_in_silence(own: Path, track: str, told: str) -> None:
    text = (own / "sources" / "rows.toml").read_text().replace('["own"]', track).replace("options = 5\n", "")
    (own / "other").mkdir()
    (own / "other" / "rows.toml").write_text(text)
    built = run("rebuild", "--family", "mine", "--out", "tables", WHATWORKED_MANIFESTS=str(own / "other"))
    said = " ".join(built.stdout.split())
    assert (built.returncode, told in said) == (1, True), said
    assert 'use tracks = ["own"] and options = 5 in the manifest' in said
    assert not list((own / "tables").glob("*.tsv"))


def test_another_number_than_the_family_has_is_named(own: Path) -> None:
    workflow = get("mine").restricted(3)
    assert "declares 3 options, the manifest's track needs 5" in misfit(condition("rows"), workflow)
    assert misfit(condition("rows"), get("mine")) == ""


@pytest.mark.parametrize(
    ("before", "after"),
    [("options = 5", ""), ("options = 5", "options = 21"), ('["own"]', '["own", "four"]'), ('["own"]', '["four"]')],
)
def test_manifests_of_the_own_track_that_contradict_themselves(own: Path, before: str, after: str) -> None:
    from whatworked.catalog.manifest_files import decode

    text = (own / "sources" / "rows.toml").read_text()
    assert before in text
    with pytest.raises(ManifestError, match="own"):
        decode(text.replace(before, after))


@pytest.mark.parametrize("family", ["classification", "regression", "clustering", "forecasting"])
def test_sources_begun_for_the_families_of_the_package_are_right(
    own: Path, family: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert run("sources", "new", "fresh", "more", "--family", family).returncode == 0
    monkeypatch.setenv("WHATWORKED_MANIFESTS", str(own / "more"))
    found = run("sources", "check", "fresh")
    assert (found.returncode, "1 right" in found.stdout) == (0, True)
    workflow = get(family)
    assert 0 <= workflow.run(Library().prepared("fresh"), "0" * workflow.d).utility <= 1


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (("families", "new", "mine"), "is there already"),
        (("families", "new", "regression"), "comes with the package"),
        (("families", "new", "import"), "cannot be called so"),
        (("families", "new", "../up"), "cannot be called so"),
        (("sources", "new", "rows", "sources", "--family", "mine"), "is there already"),
        (("sources", "new", "text", "--family", "retrieval"), "no raw data are made up for family retrieval"),
        (("sources", "new", "x__d6", "--family", "mine"), "cannot be called so"),
    ],
)
def test_nothing_is_begun_that_could_not_work(own: Path, words: tuple[str, ...], told: str) -> None:
    before = {path: path.read_bytes() for path in own.rglob("*") if path.is_file()}
    done = run(*words)
    assert (done.returncode, told in " ".join(done.stderr.split())) == (2, True), done.stderr
    assert {path: path.read_bytes() for path in own.rglob("*") if path.is_file()} == before


def drawn(data, setting, *inputs):
    return np.random.default_rng().normal(size=data.arrays["y_test"].shape)


def changed(data, strong, rows):
    predicted = rows[1].sum(axis=1)
    rows[1][:] += 1.0
    return predicted


def huge(data, prediction):
    return 3.0


def other_error(data, prediction):
    return 1e9


def broken(data, setting, *inputs):
    raise ValueError("no such column")


def _with(workflow: Workflow, run) -> Workflow:
    stages = tuple(replace(stage, run=run) if stage.name == "fit" else stage for stage in workflow.stages)
    return replace(workflow, stages=stages)


@pytest.mark.parametrize(
    ("make", "name", "told"),
    [
        (lambda own: _with(own, drawn), "rows again", "fix its seeds"),
        (lambda own: _with(own, changed), "rows shared", "changes its inputs"),
        (lambda own: _with(own, broken), "rows runs", "ValueError: no such column"),
        (lambda own: replace(own, metric=Metric("score", huge)), "rows utility", "give a cost its cost_scale"),
        (lambda own: replace(own, metric=replace(own.metric, second=other_error)), "rows metric", "may differ by"),
        (lambda own: replace(own, stages=(*own.stages, Stage("last", lambda *a: a[-1]))), "transfer", "no lambdas"),
    ],
    ids=["random", "inputs", "raises", "utility", "metric", "lambda"],
)
def test_what_is_wrong_with_a_family_is_named(own: Path, make, name: str, told: str) -> None:
    found = {result.name: result.problem for result in check_family(make(get("mine")), Library()) if not result.passed}
    assert told in found[name]
    assert len(found) == 1, found


def test_notes_tell_what_a_family_can_do_without(own: Path) -> None:
    assert [("computed once" in note) for note in notes_on(get("mine"))] == [True]
    assert list(notes_on(get("regression"))) == []
