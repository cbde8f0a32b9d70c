"""The page in a real browser: it runs, sorts, switches, hides and saves, in light and dark, and fetches nothing."""

from __future__ import annotations

import csv
import io
import json
import re
import shutil
import subprocess
from html import unescape

import pytest
from report_helpers import made_runs

from whatworked.report import report_page

BROWSER = next(
    (path for name in ("chromium", "chromium-browser", "google-chrome") if (path := shutil.which(name))), None
)
FLAGS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--enable-logging=stderr",
    "--virtual-time-budget=5000",
)
SCHEMES = {"dark": "0", "light": "1"}

PROBE = """
<script>
const result = {errors: []};
const click = (node) => node.dispatchEvent(new MouseEvent("click", {bubbles: true}));
const pick = (select, value) => { select.value = value; select.dispatchEvent(new Event("change")); };
const shown = (node) => getComputedStyle(node).display !== "none";
const column = (table, at) => [...table.tBodies[0].rows].map((row) => row.cells[at].dataset.sort);
try {
  result.ready = document.documentElement.dataset.ready;
  result.dark = matchMedia("(prefers-color-scheme: dark)").matches;
  result.paper = getComputedStyle(document.body).backgroundColor;
  result.stroke = getComputedStyle(document.querySelector("g.series .line")).stroke;

  const table = document.querySelector("#comparison table");
  const button = table.querySelectorAll("thead button")[3];
  click(button);
  result.first = column(table, 3);
  result.firstSort = button.parentElement.getAttribute("aria-sort");
  click(button);
  result.second = column(table, 3);
  result.secondSort = button.parentElement.getAttribute("aria-sort");
  click(table.querySelectorAll("thead button")[0]);
  result.names = column(table, 0);

  const frame = table.closest(".scroll");
  result.comparisonFits = frame.scrollWidth <= frame.clientWidth;
  const cut = (one) => one.scrollHeight > one.clientHeight + 1;
  result.hiddenRows = [...document.querySelectorAll(".scroll")].filter(cut).length;
  result.wide = shown(document.querySelector(".for-wide"));
  result.narrow = shown(document.querySelector(".for-narrow"));
  const drawing = [...document.querySelectorAll(".large svg")].find((one) => one.getBoundingClientRect().width);
  result.textSize = 11 * drawing.getBoundingClientRect().width / drawing.viewBox.baseVal.width;
  const legend = document.querySelector(".legend");
  result.legendFits = legend.scrollWidth <= legend.clientWidth;

  const box = document.querySelector(".legend input");
  const mine = [...document.querySelectorAll("g.series")].filter((node) => node.dataset.method === box.value);
  result.seriesBefore = mine.every(shown);
  click(box);
  result.seriesAfter = mine.some(shown);

  const lines = () => [...document.querySelectorAll(".forest")].filter(shown);
  result.forest = lines().map((node) => [node.dataset.place, node.dataset.baseline]);
  const baseline = document.getElementById("forest-baseline");
  pick(baseline, [...baseline.options].map((one) => one.value).find((value) => value !== baseline.value));
  result.forestThen = lines().map((node) => [node.dataset.place, node.dataset.baseline]);
  result.forestWidth = Math.max(...[...document.querySelectorAll(".forest-line")].map((node) => node.scrollWidth));
  result.whereFirst = [...document.querySelectorAll("#where-bars .name")].map((node) => node.textContent);
  result.differences = whatworked.sheets.differences();
  pick(document.getElementById("where-family"), "left");
  result.whereThen = [...document.querySelectorAll("#where-bars .name")].map((node) => node.textContent);
  result.overlaps = [...document.querySelectorAll("main > section")].some((node, at, every) =>
    at && node.getBoundingClientRect().top < every[at - 1].lastElementChild.getBoundingClientRect().bottom - 1);

  const place = document.querySelector('select[data-switch="sources-place"]');
  const blocks = [...document.querySelectorAll('[data-group="sources-place"]')];
  result.blocksShown = blocks.filter(shown).map((node) => node.dataset.index);
  result.placeSelected = place.value;
  pick(place, "0");
  result.blocksThen = blocks.filter(shown).map((node) => node.dataset.index);

  const points = () => document.querySelectorAll("#scatter circle").length;
  result.scatterFirst = [...document.querySelectorAll("#scatter-controls select")].map((node) => node.value);
  result.pointsFirst = points();
  pick(document.getElementById("scatter-condition"), "one");
  result.pointsOne = points();
  result.effects = whatworked.sheets.effects();
  const scatter = document.querySelector("#scatter svg");
  result.scatterTextSize = 11 * scatter.getBoundingClientRect().width / scatter.viewBox.baseVal.width;
  const { truth, tables } = whatworked.data.predictions;
  tables.four["4"]["mean/lowest"].one = [...truth.one];
  pick(document.getElementById("scatter-condition"), "one");
  result.pointsMeasured = document.querySelectorAll("#scatter .known").length;
  pick(document.getElementById("scatter-track"), "paired");
  result.scatterThen = [...document.querySelectorAll("#scatter-controls select")].map((node) => node.value);
  result.pointsThen = points();

  for (const name of ["recovery", "standings", "sources", "purchases"]) result[name] = whatworked.sheets[name]();
  let saved = null;
  URL.createObjectURL = (blob) => { saved = blob; return "data:,"; };
  HTMLAnchorElement.prototype.click = function () { result.download = this.download; };
  click(document.querySelector('button[data-csv="recovery"]'));
  result.savedType = saved.type;
  result.savedSize = saved.size;
  click(document.querySelector('button[data-table="catalog"]'));
  result.tableDownload = result.download;
  result.resources = performance.getEntriesByType("resource").map((entry) => entry.name);
  result.width = document.documentElement.scrollWidth;
} catch (error) { result.errors.push(String(error.stack)); }
const out = document.createElement("pre");
out.id = "probe";
out.textContent = JSON.stringify(result);
document.body.append(out);
</script>
"""


def probe(folder, page, scheme="light", width=1200):
    path = folder / f"{scheme}-{width}.html"
    path.write_text(page.replace("</body>", PROBE + "</body>"))
    command = [
        BROWSER,
        *FLAGS,
        f"--user-data-dir={folder / f'profile-{scheme}-{width}'}",
        f"--blink-settings=preferredColorScheme={SCHEMES[scheme]}",
        f"--window-size={width},900",
        "--dump-dom",
        path.as_uri(),
    ]
    done = subprocess.run(command, check=True, capture_output=True, text=True, timeout=180)
    console = [line for line in done.stderr.splitlines() if "CONSOLE" in line]
    found = re.search(r'<pre id="probe">(.*?)</pre>', done.stdout, re.S)
    assert found, done.stdout[-2000:] + done.stderr[-2000:]
    return json.loads(unescape(found.group(1))) | {"console": console}


@pytest.fixture(scope="module")
def runs(tmp_path_factory):
    return made_runs(tmp_path_factory.mktemp("browser"))


@pytest.fixture(scope="module")
def seen(tmp_path_factory, runs):
    if BROWSER is None:
        pytest.skip("no browser to open the report in: install Debian's chromium (apt-get install -y chromium)")
    folder = tmp_path_factory.mktemp("pages")
    page = report_page(runs, resamples=99)
    return {
        "light": probe(folder, page),
        "dark": probe(folder, page, "dark"),
        "narrow": probe(folder, page, "light", 500),
    }


def rows(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_it_runs_without_errors_and_fetches_nothing(seen):
    for result in seen.values():
        assert result["errors"] == []
        assert result["console"] == []
        assert result["ready"] == "yes"
        assert [name for name in result["resources"] if not name.startswith(("data:", "blob:"))] == []


def test_light_and_dark_follow_the_system(seen):
    assert (seen["light"]["dark"], seen["dark"]["dark"]) == (False, True)
    assert seen["light"]["paper"] == "rgb(255, 255, 255)"
    assert seen["dark"]["paper"] == "rgb(20, 23, 28)"
    assert seen["light"]["stroke"] != seen["dark"]["stroke"]


def test_a_narrow_window_does_not_scroll_sideways(seen):
    assert seen["narrow"]["width"] <= 500


def test_everything_is_seen_at_any_width(seen):
    assert (seen["light"]["wide"], seen["light"]["narrow"]) == (True, False)
    assert (seen["narrow"]["wide"], seen["narrow"]["narrow"]) == (False, True)
    assert seen["light"]["comparisonFits"] is True
    for result in seen.values():
        assert result["hiddenRows"] == 0
        assert result["legendFits"] is True
        assert result["textSize"] >= 10
        assert result["scatterTextSize"] >= 10


def test_columns_sort_both_ways(seen):
    result = seen["light"]
    values = [float(value) for value in result["first"]]
    assert values == sorted(values, reverse=True)
    assert (result["firstSort"], result["secondSort"]) == ("descending", "ascending")
    assert [float(value) for value in result["second"]] == sorted(values)
    assert result["names"] == sorted(result["names"], key=str.casefold)


def test_the_legend_hides_a_method_everywhere(seen):
    assert seen["light"]["seriesBefore"] is True
    assert seen["light"]["seriesAfter"] is False


def test_the_forest_plot_has_a_switch_for_the_baseline(seen):
    for result in seen.values():
        ((place, baseline),) = result["forest"]
        ((same, other),) = result["forestThen"]
        assert (same, baseline != other) == (place, True)
        assert result["forestWidth"] <= result["width"]
        assert result["overlaps"] is False


def test_differences_are_shown_by_family_and_by_source(seen):
    result = seen["light"]
    assert result["whereFirst"] == ["left", "one", "right", "two"]
    assert result["whereThen"] == ["left", "one"]
    assert [row["condition"] for row in rows(result["differences"])] == ["one", "two"]


def test_one_track_and_budget_is_shown_at_a_time(seen):
    result = seen["light"]
    assert result["blocksShown"] == [result["placeSelected"]]
    assert result["blocksThen"] == ["0"]


def test_the_scatter_shows_every_effect_of_the_choice(seen):
    result = seen["light"]
    assert result["scatterFirst"] == ["four", "4", "mean/lowest", "all conditions"]
    assert (result["pointsFirst"], result["pointsOne"], result["pointsThen"]) == (24, 12, 32)
    assert result["scatterThen"] == ["paired", "4", "mean/lowest", "all conditions"]


def test_a_right_guess_is_not_drawn_as_measured(seen):
    # Three options; 000, 111 and the four lowest others are measured, which makes six pairs of neighbours.
    assert seen["light"]["pointsMeasured"] == 6


def test_saved_effects_are_those_of_predictions_and_truth(seen, runs):
    (record,) = [
        r for r in runs.runs[0].records if (r.condition, r.method, r.budget, r.seed) == ("one", "mean/lowest", 4, 0)
    ]
    truth = runs.runs[0].surfaces["one"]
    found = rows(seen["light"]["effects"])
    assert len(found) == 12
    for row in found:
        rank, bit = int(row["mask"], 2), 1 << (2 - "ABC".index(row["option"]))
        assert float(row["true"]) == pytest.approx(truth[rank | bit] - truth[rank], abs=2e-6)
        assert float(row["predicted"]) == pytest.approx(
            record.predictions[rank | bit] - record.predictions[rank], abs=2e-6
        )


def test_saved_tables_hold_the_numbers_of_the_figures(seen, runs):
    result = seen["light"]
    curve = rows(result["recovery"])
    assert {row["family"] for row in curve} == {"all families", "left", "right"}
    assert len(rows(result["standings"])) == 6 * (4 + 4)
    assert len(rows(result["sources"])) == 3 * 6 * 4
    bought = rows(result["purchases"])
    assert (
        sum(
            int(row["bought"])
            for row in bought
            if row["policy"] == "lowest" and row["budget"] == "4" and row["d"] == "3"
        )
        == 8
    )
    assert result["savedType"] == "text/csv"
    assert result["savedSize"] == len(result["recovery"].encode())
    assert result["download"] == result["tableDownload"] == "catalog.csv"
