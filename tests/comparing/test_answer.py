"""Is mine better, where, by how much, how sure: the ranking and the screen."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import numpy as np
import pytest
from click.testing import CliRunner
from comparison_runs import flip, made, many_tasks
from run_helpers import lowest, mean, shuffled

from whatworked.cli.compare import compare as compare_command
from whatworked.comparing import collect_runs, compare_methods
from whatworked.comparing.answer import answer
from whatworked.comparing.baseline import default_baseline
from whatworked.comparing.ranking import all_pairs, rank_methods
from whatworked.runs import bench, read_run
from whatworked.statistics import holm


def near(masks, utilities, cube):
    return np.array([utilities[np.argmin(np.abs(masks - row).sum(axis=1))] for row in cube])


def run_screen(*arguments):
    return CliRunner().invoke(compare_command, [*map(str, arguments), "--resamples", "199"])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("answer")
    made(place, estimators=[mean, flip, near], policies=[lowest, shuffled], tasks=many_tasks())
    return place / "run"


@pytest.fixture(scope="module")
def mine(tmp_path_factory):
    place = tmp_path_factory.mktemp("mine") / "run"
    bench([near, "gp"], ["gp-effect"], [4, 8], place, ["wine", "nile", "scifact"])
    return place


def test_ranks_follow_the_values_and_verdicts_stand_by_holm(folder):
    runs = collect_runs(read_run(folder))
    results = compare_methods(runs, "mean/lowest", resamples=199)
    for ranking in rank_methods(runs, results, "mean/lowest"):
        values = [row.result.standing.value for row in ranking.methods]
        assert values == sorted(values, reverse=True)
        assert [row.rank for row in ranking.methods] == [1 + sum(other > value for other in values) for value in values]
        compared = [row for row in ranking.methods if row.against is not None]
        assert {row.method for row in compared} == {row.method for row in ranking.methods} - {"mean/lowest"}
        corrected = holm([row.against.interval.p for row in compared])
        for row, p in zip(compared, corrected, strict=True):
            claims = row.against.statement.verdict.startswith(("ahead", "behind"))
            assert row.stands == (not claims or p <= 0.05 + 1e-12)
    assert len(all_pairs(runs, results)) == 2 * 15


def test_a_methods_own_difference_does_not_depend_on_who_is_the_reference(folder):
    runs = collect_runs(read_run(folder))
    results = compare_methods(runs, "mean/lowest", resamples=199)
    forth = rank_methods(runs, results, "mean/lowest")[0].of("flip/lowest")
    back = rank_methods(runs, results, "flip/lowest")[0].of("mean/lowest")
    assert forth.against.interval.estimate == pytest.approx(-back.against.interval.estimate)
    assert forth.against.paired.better == back.against.paired.worse
    assert forth.against.detectable == pytest.approx(back.against.detectable)


def test_the_default_baseline_is_the_best_method_that_comes_with_whatworked():
    held = {"mine/random": ("mine", "random"), "GP-E": ("gp", "gp-effect"), "RGP": ("r", "l")}
    assert default_baseline(held) == "RGP"


def test_the_screen_says_whether_where_and_how_sure(mine):
    shown = run_screen(mine).output
    lines = shown.splitlines()
    assert len(lines) <= 40
    assert max(map(len, lines)) <= 100
    words = " ".join(shown.split())
    assert words.startswith("near/gp-effect is ")
    assert "gp/gp-effect, the best other method," in words
    assert "The smallest difference that these sources and seeds would show, four times in five, is about 0." in words
    assert "Where: near/gp-effect less gp/gp-effect, recovery by family" in words
    assert "clustering" in shown
    assert "retrieval" in shown


def test_a_fresh_run_beside_a_packed_one_by_name(mine):
    shown = run_screen(mine, "relevance")
    assert shown.exit_code == 0, shown.output
    words = " ".join(shown.output.split())
    assert words.startswith("near/gp-effect is behind RGP, the best other method, at B = ")
    assert "of 3 sources" in words
    by_method = json.loads(run_screen(mine, "RGP", "--json").output)["rankings"]
    assert {row["method"] for row in by_method} == {"near/gp-effect", "gp/gp-effect", "RGP"}
    assert {row["against"] for row in by_method} == {None, "near/gp-effect"}
    assert {row["sources"] for row in by_method} == {3}, "the packed run has 22, of which 3 are compared"


def test_a_method_of_the_leaderboard_comes_without_namesakes_of_ones_own(tmp_path):
    bench([], [], [4], tmp_path / "run", ["wine"], methods=["D1", "GP-E"], rules=True)
    found = json.loads(run_screen(tmp_path / "run", "GP-E", "--json").output)["rankings"]
    assert {row["method"] for row in found} == {"D1", "GP-E", "GP-E@controls"}


def test_a_folder_without_a_run_hides_no_name_of_the_leaderboard(mine, tmp_path, monkeypatch):
    (tmp_path / "relevance").mkdir()
    monkeypatch.chdir(tmp_path)
    assert run_screen(mine, "relevance").output == run_screen(mine, "RGP").output


def test_methods_that_lack_sources_are_named_with_how_many_they_have(folder):
    runs = collect_runs(read_run(folder))
    assert not answer(runs, compare_methods(runs)).ranking.partial
    lost = runs.rows[0].source
    rows = tuple(row for row in runs.rows if row.source != lost or row.method != "mean/lowest")
    some = replace(runs, rows=rows)
    found = answer(some, compare_methods(some))
    sources = len({row.source for row in runs.rows})
    assert found.ranking.partial == {"mean/lowest": sources - 1}
    assert f"Not of all sources that others were graded on: mean/lowest ({sources - 1})." in str(found)


def test_a_run_that_is_nowhere_is_named_with_those_there_are(mine):
    result = run_screen(mine, "relevanc")
    assert "'relevanc' is no folder of a run, no packed file, and no run or method on the leaderboard" in str(
        result.exception
    )
    assert "did you mean relevance" in str(result.exception)


@pytest.mark.parametrize("metric", ["effect-mae", "regret", "native-recovery", "unfloored", "strict 0.2"])
def test_any_quantity_of_a_grade(mine, metric):
    result = run_screen(mine, "--metric", metric)
    assert result.exit_code == 0, result.output
    assert ("records without" in result.output) == (metric == "native-recovery")


def test_errors_are_shown_to_four_decimals_and_shares_to_three(mine):
    words = " ".join(run_screen(mine, "--metric", "effect-mae").output.split())
    assert re.search(r"[+-]?0\.\d{4} effect MAE \(95% interval [+-]?0\.\d{4} to [+-]?0\.\d{4}\)", words)
    assert re.search(r"[+-]0\.\d{3} recovery \(95% interval", " ".join(run_screen(mine).output.split()))


def test_rankings_as_markdown_csv_and_latex(mine):
    markdown, csv, latex = (run_screen(mine, f"--{form}").output.splitlines() for form in ("markdown", "csv", "latex"))
    assert markdown[0].startswith("| track | budget | rank | method | recovery |")
    assert csv[0].startswith("track,budget,rank,method,recovery")
    assert latex[0].startswith(r"\begin{tabular}{l")
    assert len(markdown) - 2 == len(csv) - 1 == len(latex) - 3 == 4


def test_methods_that_ignore_rules_are_named(tmp_path):
    from whatworked.runs import catalog_tasks

    bench(["gp"], ["gp-effect", "class-gp-effect"], 4, tmp_path / "r", catalog_tasks(["wine__d6"], rules=True))
    words = " ".join(run_screen(tmp_path / "r").output.split())
    assert "Run with rules, which gp/gp-effect ignores: the same as without." in words


def test_nothing_to_compare_with_is_said(folder):
    runs = collect_runs(read_run(folder)).narrowed(methods=["mean/lowest"])
    assert answer(runs, compare_methods(runs, resamples=9)) is None
