"""The page as text: whole, self-contained, escaped, and saying what the run says."""

from __future__ import annotations

import json
import re
from dataclasses import replace

import pytest
from click.testing import CliRunner
from report_helpers import NASTY, Page, made_runs
from run_helpers import lowest, make_plan, mean, noise, shuffled, synthetic_task

from whatworked.cli.report import report as report_command
from whatworked.comparing import collect_runs, compare_methods, standings
from whatworked.comparing.ranking import rank_methods
from whatworked.grading.score import score_named
from whatworked.plugins import load
from whatworked.report import report_page, write_report
from whatworked.report.curves import panels
from whatworked.report.figures import MACRO, Point, curve_points, predictions, purchases, source_results
from whatworked.report.heatmap import heatmap
from whatworked.report.page import render
from whatworked.report.rows import source_table, standings_table
from whatworked.report.svg import Scale, element, marker, series_class, text_of
from whatworked.runs.benchmark import run_in_process
from whatworked.runs.folder import claim, finish


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return made_runs(tmp_path_factory.mktemp("report"))


@pytest.fixture(scope="module")
def text(runs):
    return report_page(runs, "A run", resamples=99)


@pytest.fixture(scope="module")
def page(text):
    return Page(text)


def test_tags_nest_and_ids_are_unique(page):
    ids = [attributes["id"] for _, attributes in page.elements if "id" in attributes]
    assert len(ids) == len(set(ids))
    assert page.all("html", lang="en")
    assert page.texts["title"][0] == "A run"


def test_nothing_is_fetched(text, page):
    addresses = set(re.findall(r"https?://[^\"'\s<)]+", text))
    assert addresses == {"http://www.w3.org/2000/svg"}
    assert not [name for name, _ in page.elements if name in {"link", "img", "iframe", "object", "embed", "base"}]
    assert not [attributes for _, attributes in page.elements if "src" in attributes]
    assert all(attributes["href"].startswith("#") for name, attributes in page.elements if "href" in attributes)
    assert "@import" not in text
    assert "url(" not in text
    policy = page.all("meta", http_equiv="Content-Security-Policy")[0]["content"]
    assert policy.startswith("default-src 'none'")


def test_links_lead_to_sections(page):
    ids = {attributes["id"] for _, attributes in page.elements if "id" in attributes}
    assert {attributes["href"][1:] for _, attributes in page.elements if "href" in attributes} <= ids
    assert {"recovery", "comparison", "sources", "effects", "purchases", "catalog", "manifest"} <= ids


def test_a_panel_for_every_track_and_family_with_all_methods(runs, page):
    names = [attributes["aria-label"] for attributes in page.all("svg", role="img")]
    for place in ("four track, all families", "four track, left", "four track, right", "paired track, right"):
        assert any(name.startswith(f"Effect recovery against budget, {place}.") for name in names)
    methods = {attributes["data-method"] for attributes in page.all("g") if "data-method" in attributes}
    assert methods == set(runs.methods)
    assert len(page.all("input", type="checkbox")) == len(runs.methods)


def test_the_axis_begins_near_the_smallest_budget(runs):
    figures = compare_methods(runs, resamples=9)
    points = [point for point in curve_points(runs, figures, 9) if point.budget in (4, 6)]
    drawn = Page(panels(points, tuple(runs.methods))["four"]["left"])
    ticks = [float(one["x1"]) for one in drawn.all("line", class_="axis") if one["x1"] == one["x2"]]
    width = float(drawn.all("svg")[0]["viewbox"].split()[2])
    assert ticks[0] < 0.25 * width < 0.75 * width < ticks[1]


@pytest.mark.parametrize(
    ("values", "metric", "expected"),
    [
        ((0.05, 0.11), "effect_recovery", [0.0, 0.2, 0.4, 0.6, 0.8, 1.0]),
        ((0.0011, 0.0093), "crps", [0.0, 0.002, 0.004, 0.006, 0.008, 0.01]),
        ((-3.3, 0.4), "log_score", [-4.0, -3.0, -2.0, -1.0, 0.0, 1.0]),
        ((0.0, 0.0), "regret", [0.0, 0.2]),
    ],
)
def test_the_axis_holds_the_values_of_any_score(values, metric, expected):
    points = [Point("four", MACRO, "m", budget, value, None, None, 2) for budget, value in enumerate(values)]
    drawn = panels(points, ["m"], score_named(metric))["four"][MACRO]
    ticks = re.findall(r'class="tick end"[^>]*>([^<]+)<', drawn) or re.findall(r">([^<]+)</text>", drawn)
    assert [float(tick) for tick in ticks[: len(expected)]] == expected


def test_a_page_of_another_score_speaks_of_that_score(runs):
    page = report_page(runs, score="regret", resamples=99)
    assert "<h2>Regret of the selected mask against budget</h2>" in page
    assert "Each cell is regret of the selected mask" in page
    assert "Effect recovery is 1" not in page


def test_the_heading_says_what_was_run_unless_a_title_is_given(runs):
    drawn = Page(report_page(runs, resamples=9))
    assert drawn.texts["title"][0] == "6 methods on 3 conditions, B = 0, 2, 4, 6"
    (ran,) = [line for line in drawn.texts["p"] if line.startswith("Estimators")]
    assert "Estimators mean, noise, Failing; policies lowest, shuffled; tracks four (2 conditions), paired" in ran
    assert "up to 2 seeds" in ran


def test_the_verdict_stands_before_what_may_be_cut_off_and_counts_are_of_one_form(runs):
    drawn = Page(standings_table(compare_methods(runs, resamples=9)))
    assert drawn.texts["button"][:6] == ["method", "track", "B", "recovery", "95% interval", "verdict"]
    assert "mean over seeds" in drawn.texts["caption"][0]


def test_the_only_track_and_the_only_family_stand_in_the_caption(tmp_path):
    tasks = [synthetic_task(name, 3, seed, "left", "four") for seed, name in enumerate(("one", "two"))]
    plan = make_plan(tasks, [mean], [lowest], budgets=(2,))
    claim(tmp_path / "run", plan)
    runs = collect_runs([finish(tmp_path / "run", plan, run_in_process(plan), {"python": "3"})])
    drawn = Page(standings_table(compare_methods(runs, resamples=9)))
    assert drawn.texts["button"][:3] == ["method", "B", "recovery"]
    assert drawn.texts["caption"][0].startswith("Family-macro effect recovery by method and budget, four track")
    drawn = Page(source_table("four", 2, source_results(runs), ["mean/lowest"]))
    assert drawn.texts["button"] == ["condition", "mean/lowest"]
    assert drawn.texts["caption"] == ["Effect recovery by condition, four track, left, B = 2"]
    (ran,) = [
        line for line in Page(report_page(runs, resamples=9)).texts["p"] if line.startswith("Estimator mean; policy ")
    ]
    assert "; 1 seed; from" in ran


def test_what_is_not_compared_is_named_and_not_called_the_baseline(tmp_path):
    first = made_runs(tmp_path, "first", [mean], [lowest, shuffled]).runs
    second = made_runs(tmp_path, "second", [noise], [lowest]).runs
    runs = collect_runs([*first, *second])
    drawn = Page(standings_table(compare_methods(runs, "lowest", resamples=9)))
    assert {"not compared", "baseline"} < set(drawn.texts["td"])
    text = report_page(runs, baseline="lowest", resamples=9)
    assert "noise/lowest: not compared, no counterpart under this baseline; try --baseline noise/lowest or" in text


def test_columns_of_the_comparison_are_aligned_alike_and_only_names_are_wide(runs):
    drawn = Page(standings_table(compare_methods(runs, resamples=9)))
    kinds = [attributes["class"] for attributes in drawn.all("td")]
    columns = len(drawn.all("th", scope="col")) - 1
    rows = [kinds[start : start + columns] for start in range(0, len(kinds), columns)]
    names = drawn.texts["button"][1:]
    for name, column in zip(names, zip(*rows, strict=True), strict=True):
        wanted = {"track": {"text"}, "verdict": {"text"}, "against": {"name", "text"}}.get(name, {"number"})
        assert set(column) == wanted, name


def test_several_methods_without_pairs_are_not_called_one(runs):
    figures = [replace(figure, against=None) for figure in compare_methods(runs, resamples=9)]
    assert "name another one with --baseline" in render(runs, tuple(figures), None, 9)


def test_the_forest_plot_draws_the_paired_differences(runs, page):
    results = compare_methods(runs, "mean/lowest", resamples=99)
    (ranking,) = [found for found in rank_methods(runs, results, "mean/lowest") if found.place == ("four", 4)]
    blocks = [at for at, (_, one) in enumerate(page.elements) if "data-baseline" in one]
    wanted = {"data-baseline": "mean/lowest", "data-place": "four, B = 4"}
    (start,) = [at for at in blocks if wanted.items() <= page.elements[at][1].items()]
    end = min([at for at in blocks if at > start], default=len(page.elements))
    drawn = [one for _, one in page.elements[start:end] if "data-method" in one]
    assert [one["data-method"] for one in drawn] == [row.method for row in ranking.methods]
    labels = [
        one["aria-label"] for _, one in page.elements[start:end] if "strip" in one.get("class", "") and "role" in one
    ]
    for row, label in zip([row for row in ranking.methods if row.against], labels, strict=True):
        assert label.startswith(f"{row.method}: {row.against.interval.estimate:+.3f}".replace("+0.000", "0.000"))


def test_no_two_of_many_methods_look_alike():
    looks = {
        (series_class(series).split()[0], Page(marker(series, 0, 0, "x")).all("path")[0]["d"]) for series in range(81)
    }
    assert len(looks) == 81


def test_a_large_surface_is_summed_up(tmp_path):
    task = synthetic_task("large", 10, 1, "left", "four")
    plan = make_plan([task], [mean, noise], [lowest], budgets=(8,), seeds=1)
    claim(tmp_path / "run", plan)
    runs = collect_runs([finish(tmp_path / "run", plan, run_in_process(plan), {"python": "3"})])
    embedded = predictions(runs)
    assert embedded["truth"] == {}
    sample = embedded["tables"]["four"]["8"]["mean/lowest"]["large"]
    truth = task.surface.utilities
    assert len({(option, rank) for option, rank, *_ in sample}) > 0.95 * len(sample)
    for option, rank, true, _, _ in sample[::97]:
        bit = 1 << (9 - option)
        assert not rank & bit
        assert true == pytest.approx(truth[rank | bit] - truth[rank], abs=1e-6)
    (bought,) = purchases(runs)
    assert (bought.counts, sum(bought.sizes)) == ((), pytest.approx(1.0))
    assert len(report_page(runs, resamples=9)) < 400_000


def test_curve_points_are_the_standings(runs):
    figures = compare_methods(runs, resamples=99)
    points = curve_points(runs, figures, 99)
    for one in standings(runs.rows):
        found = {
            point.family: point.value
            for point in points
            if (point.track, point.method, point.budget) == (one.track, one.method, one.budget)
        }
        assert found.pop(MACRO) == pytest.approx(one.value)
        assert found == pytest.approx(dict(one.families))
    wide = [point for point in points if point.low is not None]
    assert wide
    assert all(point.low <= point.value + 1e-12 and point.value <= point.high + 1e-12 for point in wide)
    single = [point for point in points if point.low is None]
    assert {(point.sources, point.high) for point in single} == {(1, None)}
    assert {point.method for point in single} >= {"mean/lowest"}


def test_purchases_count_every_run_once_per_policy(runs):
    found = {(one.track, one.policy, one.budget): one for one in purchases(runs)}
    assert ("four", "lowest", 0) not in found
    fixed = found["four", "lowest", 4]
    assert (fixed.runs, fixed.counts) == (2, (0, 2, 2, 2, 2, 0, 0, 0))
    drawn = found["paired", "shuffled", 6]
    assert drawn.runs == 2
    assert sum(drawn.counts) == 12


def test_heat_map_shows_shares_and_anchors(runs):
    (one,) = [one for one in purchases(runs) if (one.track, one.policy, one.budget) == ("paired", "lowest", 4)]
    page = Page(heatmap(one))
    classes = [attributes["class"].split()[1] for attributes in page.all("rect")]
    assert classes[0] == classes[15] == "anchor"
    assert classes[1:5] == ["h6"] * 4
    assert set(classes[5:15]) == {"h0"}
    assert "0001 in 100%" in page.texts["desc"][0]


def test_source_results_average_seeds_and_tell_missing_deliveries(runs):
    rows = {(row.condition, row.method, row.budget): row for row in source_results(runs)}
    broken = rows["three", "Failing/lowest", 4]
    assert (broken.missing, broken.value) == (1, 0.0)
    assert rows["one", "noise/shuffled", 4].seeds == 2


def test_embedded_predictions_are_those_of_the_lowest_seed(runs):
    embedded = predictions(runs)
    record = next(
        r for r in runs.runs[0].records if (r.condition, r.method, r.budget, r.seed) == ("one", "noise/lowest", 4, 0)
    )
    assert embedded["tables"]["four"]["4"]["noise/lowest"]["one"] == [round(value, 6) for value in record.predictions]
    assert embedded["bought"]["four"]["4"]["noise/lowest"]["one"] == [int(mask, 2) for mask in record.purchases]
    assert "three" not in embedded["tables"]["paired"]["4"].get("Failing/lowest", {})
    assert set(embedded["truth"]) == {"one", "two", "three"}
    # A set has another order in every process; what stands on the page has not.
    assert list(predictions(runs)["dimensions"]) == ["one", "three", "two"]


def test_too_many_predictions_leave_out_the_smallest_budgets(runs, monkeypatch):
    monkeypatch.setattr("whatworked.report.figures.MOST_PREDICTIONS", 400)
    embedded = predictions(runs)
    assert embedded["left_out"] == [0, 2]
    assert set(embedded["tables"]["four"]) == {"4", "6"}


def test_the_data_block_is_whole_json(text):
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', text, re.S).group(1)
    data = json.loads(block)
    assert set(data["tables"]) == {"recovery", "sources", "standings", "purchases"}
    assert data["first"] == ["four", 4]


def test_missing_deliveries_and_manifest_are_shown(text, page):
    assert any(
        "Failing/lowest on three, budgets 0, 2, 4, 6 (4 records): estimator: RuntimeError: no <four> & more" in item
        for item in page.texts["li"]
    )
    manifest = json.loads("".join(page.texts["pre"]))
    assert manifest["plan"]["budgets"] == [0, 2, 4, 6]


def test_labels_from_outside_cannot_become_markup(tmp_path):
    nasty = load(mean, "estimator", NASTY)
    page_text = report_page(made_runs(tmp_path, estimators=(nasty,)), f"title {NASTY}", resamples=9)
    page = Page(page_text)
    assert not page.all("b")
    assert page.texts["title"][0] == f"title {NASTY}"
    assert {attributes["value"] for attributes in page.all("input")} == {f"{NASTY}/lowest", f"{NASTY}/shuffled"}
    block = re.search(r'<script type="application/json" id="data">(.*?)</script>', page_text, re.S).group(1)
    assert f"{NASTY}/lowest" in json.loads(block)["methods"]


def test_tables_have_captions_scopes_and_sort_values(page):
    assert len(page.all("caption")) == len(page.all("table")) >= 3
    heads, cells, drawings = page.all("th", scope="col"), page.all("td"), page.all("svg", role="img")
    assert all((heads, cells, drawings))
    assert all("aria-sort" in attributes for attributes in heads)
    assert all(attributes.get("data-sort") for attributes in cells)
    assert all(attributes.get("aria-label") for attributes in drawings)


def test_one_method_alone_has_nothing_to_compare_with(tmp_path):
    alone = report_page(made_runs(tmp_path, estimators=(mean,), policies=(lambda state, n: [],)), resamples=9)
    assert "Only one method: there is nothing to compare it with." in alone
    drawn = Page(alone)
    assert "against" not in drawn.texts["button"]
    assert drawn.texts["dt"] == ["method", "conditions", "records", "missing deliveries"]
    (ran,) = [line for line in drawn.texts["p"] if line.startswith("Estimator mean; policy ")]
    assert "; 1 seed; from" in ran


def test_the_command_writes_the_file(tmp_path):
    made_runs(tmp_path, estimators=(mean,))
    out = tmp_path / "page.html"
    result = CliRunner().invoke(
        report_command, [str(tmp_path / "run"), "--out", str(out), "--title", "Mine", "--resamples", "9"]
    )
    assert result.exit_code == 0, result.output
    assert "<title>Mine</title>" in out.read_text()
    assert str(out) in result.output


def test_equal_runs_give_an_equal_page(tmp_path):
    runs = made_runs(tmp_path, estimators=(mean,))
    for name in ("a.html", "b.html"):
        write_report(runs, tmp_path / name, resamples=9)
    assert (tmp_path / "a.html").read_bytes() == (tmp_path / "b.html").read_bytes()


def test_svg_building_blocks():
    assert element("a", "x<y", class_="c", data_sort='"', left=None) == '<a class="c" data-sort="&quot;">x<y</a>'
    assert element("br", x1=1.5, y=2.0) == '<br x1="1.5" y="2"/>'
    assert text_of("<&>") == "&lt;&amp;&gt;"
    assert [Scale(0, 10, 100, 0)(value) for value in (0, 5, 10)] == [100, 50, 0]
    assert Scale(1, 1, 0, 10)(1) == 0
