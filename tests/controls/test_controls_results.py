"""Tables of the study, on records made for the purpose and on the recorded ones."""

from __future__ import annotations

import csv
import io
import json

import msgspec
import pytest
from click.testing import CliRunner

from whatworked import references
from whatworked.catalog import conditions
from whatworked.cli import cli
from whatworked.controls import results, store
from whatworked.controls.printed import counts_table
from whatworked.controls.projection import projected, projection_table
from whatworked.controls.shared_observations import acquisition_matrix, coverage_table, refit
from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.grading import TOLERANCES, Record, grade, grade_missing
from whatworked.surfaces import ResponseSurface, mean_absolute_effect
from whatworked.workflows import get as workflow

BLANK = grade_missing(ResponseSurface(("A",), [0.25, 0.5]))


def invented(condition, method="D1", seed=0, budget=8, **grade):
    content = {
        "effect_recovery": 0.5,
        "exact": True,
        "coverage": 0.25,
        "effect_ratio_unobserved": 0.5,
        "strict_profile": {f"{t:g}": t >= 0.2 for t in TOLERANCES},
    }
    return Record(
        condition=condition,
        method=method,
        seed=seed,
        budget=budget,
        table="",
        purchases=("0001",),
        grade=msgspec.structs.replace(BLANK, **(content | grade)),
    )


FOUR = [one for one in conditions() if one.track == "four"]
ON_FOUR = [invented(one.id, effect_recovery=0.9 if one.family == "retrieval" else 0.3) for one in FOUR]


@pytest.fixture(scope="module")
def recorded():
    return store.read_records()


def test_the_macro_figure_counts_families_equally():
    (row,) = results.recovery_table(ON_FOUR, 8)
    assert row["macro_recovery"] == pytest.approx((5 * 0.3 + 0.9) / 6)
    assert (row["retrieval"], row["clustering"], row["beat_detection"]) == (0.9, 0.3, None)
    assert (row["exact"], row["strict"], row["records"], row["credits"]) == (22, 0, 22, 1.0)


def test_seeds_are_averaged_within_a_source():
    records = [invented(one.id, "Random D2", seed, effect_recovery=seed / 2) for one in FOUR for seed in (0, 1, 2)]
    (row,) = results.recovery_table(records, 8)
    assert row["macro_recovery"] == pytest.approx(0.5)
    assert row["records"] == 66


def test_a_method_that_did_not_run_everywhere_is_not_averaged():
    rows = results.recovery_table([*ON_FOUR, invented("wine", "D2")], 8)
    assert [row["method"] for row in rows] == ["D1"]


def test_a_study_of_a_few_conditions_is_averaged_over_those():
    (row,) = results.recovery_table([invented("wine", effect_recovery=0.25)], 8)
    assert (row["macro_recovery"], row["sources"]) == (0.25, 1)


def test_a_condition_that_the_catalog_lacks_is_named():
    with pytest.raises(UnknownNameError, match="elsewhere"):
        results.recovery_table([invented("elsewhere")], 8)


def test_an_unknown_budget_is_refused_with_the_known_ones():
    with pytest.raises(InvalidOptionError, match="no budget 9; it has 8"):
        results.recovery_table(ON_FOUR, 9)


def test_the_tolerance_profile_never_falls(recorded):
    for budget in (8, 20):
        for row in results.tolerance_profile(recorded, budget):
            shares = [row[f"strict_{t:g}"] for t in TOLERANCES]
            assert shares == sorted(shares)
    (row,) = results.tolerance_profile(ON_FOUR, 8)
    assert [row[f"strict_{t:g}"] for t in TOLERANCES] == [0.0, 0.0, 0.0, 1.0, 1.0]


def test_native_errors_are_of_the_families_with_a_cost(recorded):
    rows = results.native_table(recorded, 8)
    families = {one.id: one.family for one in conditions()}
    assert {families[row["condition"]] for row in rows} == {"regression", "forecasting", "restoration"}
    for row in rows:
        surface = references.load_surface(row["condition"])
        effects = surface.utility_map.to_native(surface.utilities)
        assert row["native_mean_absolute_effect"] == pytest.approx(mean_absolute_effect(effects))


def test_paired_differences_and_omission():
    left = [invented(one.id, "D2", effect_recovery=0.8 if one.id == "wine" else 0.5) for one in FOUR]
    right = [invented(one.id, "D1", effect_recovery=0.5) for one in FOUR]
    (row,) = results.omission_table(left + right, 8)
    assert (row["left"], row["right"], row["sources"]) == ("D2", "D1", 22)
    assert (row["larger"], row["equal"], row["smaller"]) == (1, 21, 0)
    assert row["mean"] == pytest.approx(0.3 / 22)
    assert (row["omitting_low"], row["omitted_low"]) == (0.0, "wine")
    assert row["omitting_high"] == pytest.approx(0.3 / 21)


def test_class_gain_is_the_difference_to_the_plain_method(recorded):
    rows = results.class_gain(recorded)
    assert len(rows) == 6 * 3 * 7
    for row in rows:
        assert row["gain"] == pytest.approx(row["recovery"] - row["plain_recovery"])
        assert row["credits"] <= row["budget"]
        if row["condition"] in ("spambase__d6", "co2__d6"):
            assert (row["gain"], row["aliases"]) == (0.0, 0)


def test_the_matrix_holds_the_methods_own_figures(recorded):
    own = {(row["conditions"], row["method"]): row["macro_recovery"] for row in results.recovery_table(recorded, 4)}
    matrix = {(row["conditions"], row["policy"]): row for row in _small_matrix(recorded, 4)}
    for method, policy, estimator in (
        ("D1", "design-main", "ridge-main"),
        ("D2", "design-pair", "ridge-pair"),
        ("GP-E", "gp-effect", "gp"),
    ):
        for group in ("four", "paired"):
            assert matrix[group, policy][estimator] == pytest.approx(own[group, method], abs=1e-9)


def _small_matrix(recorded, budget):
    few = [record for record in recorded if record.method != "Random D2" and record.budget == budget]
    return acquisition_matrix(few, budget, references.load_surface)


def test_mean_completion_on_shared_observations(recorded):
    few = [record for record in recorded if record.method in ("D1", "CD1") and record.budget == 8]
    rows = {(row["conditions"], row["method"]): row for row in coverage_table(few, 8, references.load_surface)}
    row = rows["four", "D1"]
    assert row["gain"] == pytest.approx(row["recovery"] - row["mean_completion"])
    # Knowing the class of a mask fills in more cells than the mask alone.
    assert rows["paired", "CD1"]["mean_completion"] > rows["paired", "D1"]["mean_completion"]


def test_mean_completion_is_the_mean_where_nothing_was_measured():
    surface = references.load_surface("wine")
    table = [surface.utilities[[0, 15, 3]].mean()] * 16
    table[0], table[15], table[3] = surface.utilities[[0, 15, 3]]
    assert refit(surface, ["0011"], "mean") == grade(surface, table, [0, 15, 3])


class TestCommands:
    def run(self, *arguments, code=0):
        result = CliRunner().invoke(cli, ["controls", *map(str, arguments)], catch_exceptions=False)
        assert result.exit_code == code, result.output
        return result.output

    @pytest.mark.parametrize("budget", [8, 20])
    def test_table_agrees_with_its_json_and_csv(self, budget):
        text = self.run("table", "--budget", budget)
        rows = json.loads(self.run("table", "--budget", budget, "--json"))
        lines = list(csv.DictReader(io.StringIO(self.run("table", "--budget", budget, "--csv"))))
        assert len(rows) == len(lines)
        for row, line in zip(rows, lines, strict=True):
            assert float(line["macro_recovery"]) == row["macro_recovery"]
            assert f"{row['macro_recovery']:.4f}" in text
        assert ("conditions four" in text) == (budget == 8)

    @pytest.mark.parametrize("command", ["tolerance", "native", "omission"])
    def test_every_analysis_prints(self, command):
        assert len(json.loads(self.run(command, "--budget", 8, "--json"))) > 5
        assert "conditions four, budget 8" in self.run(command, "--budget", 8)

    def test_projection_prints(self):
        rows = json.loads(self.run("projection", "--budget", 20, "--condition", "wine__d6", "--json"))
        assert {row["method"] for row in rows if row["projected_recovery"] >= row["recovery"]} >= {"CGP-E", "GP-E"}

    def test_class_gain_prints(self):
        assert len(json.loads(self.run("class-gain", "--json"))) == 6 * 3 * 7

    def test_one_pair_of_methods(self):
        rows = json.loads(self.run("omission", "--budget", 20, "--left", "CGP-E", "--right", "GP-E", "--json"))
        assert [(row["conditions"], row["left"], row["right"]) for row in rows] == [("paired", "CGP-E", "GP-E")]

    def test_half_a_pair_is_refused(self):
        with pytest.raises(InvalidOptionError, match="both --left and --right"):
            self.run("omission", "--budget", 8, "--left", "D1")

    def test_run_and_verify(self, tmp_path):
        out = tmp_path / "made"
        made = json.loads(self.run("run", "nile", "--jobs", 1, "--out", out, "--json"))
        assert (made["made"], made["kept"]) == (96, 0)
        assert "96 kept" in self.run("run", "nile", "--jobs", 1, "--out", out)
        assert "96 kept" in self.run("run", "nile", "--jobs", 1, "--out", out, "--resume")
        assert "96 records of 1 condition made, in" in self.run("run", "nile", "--jobs", 1, "--out", out, "--fresh")
        text = self.run("verify", "nile", "--jobs", 1, "--study", out)
        assert "96 records: 96 identical" in text
        assert "Recorded ridge designs: none differ" in text
        assert json.loads(self.run("verify", "nile", "--study", out, "--json"))["passed"] is True

    def test_verify_fails_where_records_are_missing(self, tmp_path):
        self.run("run", "nile", "--jobs", 1, "--out", tmp_path / "made")
        text = self.run("verify", "nile", "wine", "--study", tmp_path / "made", code=1)
        assert "- missing: wine D1 seed 0 budget 0: it is not recorded" in text


def test_class_projection_against_a_plain_count(recorded):
    """Every pair of equal masks compared one by one, and every class averaged by hand."""
    name, d = "wine__d6", 6
    surface, classes = references.load_surface(name), workflow("clustering").equivalence(d)
    record = next(one for one in recorded if (one.condition, one.method, one.budget) == (name, "GP-E", 20))
    found = projected(record, surface, classes)
    group = classes.representative.tolist()
    pairs = [(i, j) for i in range(64) for j in range(i) if group[i] == group[j]]
    gaps = [abs(record.predictions[i] - record.predictions[j]) for i, j in pairs]
    assert found.error == pytest.approx(sum(gaps) / len(gaps) / (max(surface.utilities) - min(surface.utilities)))
    measured = [0, 63, *(int(mask, 2) for mask in record.purchases)]
    table = []
    for rank in range(64):
        known = [cell for cell in measured if group[cell] == group[rank]]
        members = [cell for cell in range(64) if group[cell] == group[rank]]
        mean = sum(record.predictions[cell] for cell in members) / len(members)
        table.append(surface.utilities[known[0]] if known else mean)
    of_measured = [group[cell] for cell in measured]
    assert found.redundant == sum(of_measured[at] in of_measured[:at] for at in range(2, len(measured)))
    again = grade(surface, table, measured)
    assert found.grade.effect_recovery == pytest.approx(again.effect_recovery, abs=1e-12)
    assert found.grade.effect_recovery > record.grade.effect_recovery


def test_projection_changes_nothing_where_the_classes_are_obeyed_and_misses_count_as_nothing(recorded):
    few = [one for one in recorded if one.condition == "concrete__d6" and one.budget == 20]
    few = [one for one in few if one.method in ("GP-E", "CGP-E")]
    few = [msgspec.structs.replace(one, predictions=None, grade=BLANK) if one.method == "GP-E" else one for one in few]
    classes = workflow("regression").equivalence(6)
    rows = {
        row["method"]: row
        for row in projection_table(few, 20, references.load_surface, lambda name: classes)
        if row["conditions"] == "paired"
    }
    assert rows["CGP-E"]["equivalence_error"] == rows["CGP-E"]["redundant"] == 0.0
    assert rows["CGP-E"]["projected_recovery"] == pytest.approx(rows["CGP-E"]["recovery"], abs=1e-12)
    assert rows["GP-E"]["equivalence_error"] is None
    assert rows["GP-E"]["projected_recovery"] == 0.0


def test_records_are_counted_by_track(recorded):
    rows = {row["conditions"]: row for row in counts_table(recorded)}
    assert [rows[track]["records"] for track in ("four", "paired", "added")] == [2112, 1134, 960]
