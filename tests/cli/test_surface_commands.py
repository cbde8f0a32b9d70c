from __future__ import annotations

import csv
import io
import json

import numpy as np
import pytest
import surface_tables
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.cli.effects import effects
from whatworked.errors import InvalidOptionError, ReferenceTableError, UnknownNameError
from whatworked.surfaces.reversals import FLOORS

# Option A adds 0.25 where B is off and takes 0.125 where it is on; B always adds; C does nothing.
REVERSING = np.repeat([0.25, 0.75, 0.5, 0.625], 2)
COSTS = np.array([0.5, 0.25, 0.8, 0.4])


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    surfaces = [
        surface_tables.labelled("toy", REVERSING),
        surface_tables.labelled("costs", COSTS, scale=2.0),
        surface_tables.labelled("single", np.array([0.25, 0.5])),
        surface_tables.labelled("wide", np.random.default_rng(0).random(64)),
    ]
    return surface_tables.write(tmp_path_factory.mktemp("references"), surfaces)


def run(folder, *arguments):
    result = CliRunner().invoke(cli, [*map(str, arguments), "--references", str(folder)], catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def rows(path):
    return list(csv.DictReader(io.StringIO(path.read_text())))


def test_effects_says_which_options_help_hurt_and_reverse(folder):
    text = run(folder, "effects", "toy")
    lines = {line[0]: line for line in text.splitlines() if line[1:9] == " option "}
    assert "reverses" in lines["A"]
    assert "+0.2500 at -00" in lines["A"]
    assert "-0.1250 at -10" in lines["A"]
    assert "helps" in lines["B"]
    assert "no effect" in lines["C"]
    assert "A: with B=0 helps in 2 and hurts in 0, with B=1 helps in 0 and hurts in 2, of 2 each" in text
    assert "best mask 010" in text
    assert "AB -0.3750" in text
    assert "order 1" in text


def test_effects_of_one_option_in_every_background(folder):
    lines = run(folder, "effects", "toy", "--option", "A").splitlines()
    start = lines.index("")
    assert lines[start + 1].startswith("-BC ")
    assert [line.split()[0] for line in lines[start + 2 :]] == ["-00", "-01", "-10", "-11"]
    assert [line.split()[1:] for line in lines[start + 2 :: 2]] == [
        ["0.2500", "0.5000", "+0.2500", "helps"],
        ["0.7500", "0.6250", "-0.1250", "hurts"],
    ]


def test_no_effect_is_printed_without_a_sign(folder):
    text = run(folder, "effects", "toy")
    assert next(line for line in text.splitlines() if line.startswith("C ")).split()[5] == "0.0000"
    assert "AC 0.0000" in text
    assert {line.split()[3] for line in run(folder, "effects", "toy", "--option", "C").splitlines()[6:]} == {"0.0000"}
    assert "+0.0000" not in text


@pytest.mark.parametrize("arguments", [(), ("--option", "B")])
def test_the_dash_in_a_background_is_explained(folder, arguments):
    text = run(folder, "effects", "toy", *arguments)
    line = 'backgrounds are masks with "-" in the place of the option in question'
    assert text.splitlines().index(line) < text.index("0-0")


def test_sorting(folder):
    text = run(folder, "effects", "toy", "--sort")
    assert [line[0] for line in text.splitlines() if line[1:9] == " option "] == ["B", "A", "C"]
    values = [
        float(line.split()[3]) for line in run(folder, "effects", "wide", "--option", "C", "--sort").splitlines()[6:]
    ]
    assert len(values) == 32
    assert values == sorted(values, reverse=True)


def test_every_floor_can_be_chosen():
    (option,) = (one for one in effects.params if one.name == "floor")
    assert tuple(option.type.choices) == tuple(FLOORS)


def test_floor(folder):
    content = json.loads(run(folder, "effects", "toy", "--floor", "10%", "--json"))
    assert content["floor"] == pytest.approx(0.05)
    verdicts = {one["option"]: one["verdict"] for one in content["options"]}
    assert verdicts == {"A": "reverses", "B": "helps", "C": "no effect"}


def test_json_has_the_figures_of_the_text(folder):
    content = json.loads(run(folder, "effects", "toy", "--json"))
    first = content["options"][0]
    assert (first["helps"], first["hurts"], first["neutral"], first["mean_effect"]) == (2, 2, 0, 0.0625)
    assert first["smallest"] == {"mask": "010", "background": "-10", "effect": -0.125}
    assert content["interactions"][0] == {"options": ["A", "B"], "interaction": -0.375}
    assert sum(content["variance_share_by_order"]) == pytest.approx(1.0)
    listed = json.loads(run(folder, "effects", "toy", "--option", "B", "--json"))
    assert [one["effect"] for one in listed["effects"]] == [0.5, 0.5, 0.125, 0.125]


def test_a_single_option(folder):
    text = run(folder, "effects", "single")
    assert "No option changes its sign." in text
    assert "1 option, 2 masks" in text
    assert "Share of variance: order 1 100.0%" in text


def test_export_writes_every_effect_and_interaction(folder, tmp_path):
    text = run(folder, "export", tmp_path / "tables")
    written = sorted(path.name for path in (tmp_path / "tables").iterdir())
    tables = ["catalog_summary", "conditional_effects", "conditional_interactions", "family_ranges"]
    tables += ["option_signs", "pair_interactions", "prepared_sizes", "reversals"]
    assert written == sorted(f"{name}{suffix}" for name in tables for suffix in (".csv", ".dictionary.csv"))
    effects = rows(tmp_path / "tables" / "conditional_effects.csv")
    assert len(effects) == 12 + 4 + 1 + 192
    assert f"{len(effects)} rows" in text
    assert [one["condition"] for one in effects[:5]] == ["costs"] * 4 + ["single"]
    first = next(one for one in effects if one["condition"] == "toy")
    assert (first["option"], first["mask_off"], first["mask_on"], first["effect"], first["native_effect"]) == (
        "A",
        "000",
        "100",
        "0.25",
        "",
    )
    cost = effects[0]
    assert (cost["mask_off"], cost["mask_on"], cost["native_unit"]) == ("00", "10", "s")
    assert float(cost["native_effect"]) == pytest.approx(2 * (1 / 0.8 - 1) - 2 * (1 / 0.5 - 1))
    interactions = rows(tmp_path / "tables" / "pair_interactions.csv")
    assert len(interactions) == 3 + 1 + 0 + 15
    summary = {one["condition"]: one for one in rows(tmp_path / "tables" / "catalog_summary.csv")}
    assert summary["toy"]["reversing_options_rounding"] == "1"
    assert float(summary["toy"]["mean_absolute_effect"]) == pytest.approx((0.25 + 0.125 + 0.5 + 0.125) / 2 / 3)
    ranges = {one["family"]: one for one in rows(tmp_path / "tables" / "family_ranges.csv")}
    of_family = [float(one["utility_range"]) for one in summary.values() if one["family"] == "made_up"]
    assert float(ranges["made_up"]["utility_range_max"]) == max(of_family)
    assert float(ranges["made_up"]["utility_range_min"]) == min(of_family)
    shares = [float(summary["wide"][f"share_order_{order}"]) for order in ("1", "2", "3_up")]
    assert sum(shares) == pytest.approx(1.0)
    signs = rows(tmp_path / "tables" / "option_signs.csv")
    assert len(signs) == 4 * (3 + 2 + 1 + 6)
    assert {one["reverses"] for one in signs} == {"0", "1"}


def test_export_counts_reversals_at_every_level(folder, tmp_path):
    run(folder, "export", tmp_path)
    table = rows(tmp_path / "reversals.csv")
    counts = {(one["level"], one["name"], one["floor"]): one for one in table}
    toy = counts["condition", "toy", "1e-12"]
    assert [toy[name] for name in ("reversing", "cases", "conditions_reversing", "conditions")] == ["1", "3", "1", "1"]
    component = counts["component", "made_up:A", "1e-12"]
    assert (component["cases"], component["conditions"]) == ("4", "4")
    for floor in ("1e-12", "1%", "5%", "10%"):
        over_all = counts["catalog", "all", floor]
        for level in ("component", "condition", "source"):
            parts = [int(one["reversing"]) for one in table if one["level"] == level and one["floor"] == floor]
            assert sum(parts) == int(over_all["reversing"])
        assert over_all["cases"] == "12"


def test_export_describes_every_column(folder, tmp_path):
    run(folder, "export", tmp_path)
    dictionaries = sorted(tmp_path.glob("*.dictionary.csv"))
    assert len(dictionaries) == 8
    for path in dictionaries:
        described = rows(path)
        header = (tmp_path / path.name.replace(".dictionary", "")).read_text().splitlines()[0]
        assert [one["column"] for one in described] == header.split(",")
        assert all(one["meaning"] and one["type"] for one in described)


def test_export_is_the_same_each_time_and_leaves_other_files_alone(folder, tmp_path):
    (tmp_path / "notes.txt").write_text("mine")
    run(folder, "export", tmp_path)
    before = {path.name: path.read_bytes() for path in tmp_path.iterdir()}
    summary = json.loads(run(folder, "export", tmp_path, "--json"))
    assert {path.name: path.read_bytes() for path in tmp_path.iterdir()} == before
    assert summary["conditions"] == 4
    assert summary["rows"]["conditional_effects"] == 209


def test_plot_writes_the_format_of_the_suffix(folder, tmp_path):
    run(folder, "plot", "toy", "--out", tmp_path / "x.PNG", "--kind", "main")
    assert (tmp_path / "x.PNG").read_bytes().startswith(b"\x89PNG")
    run(folder, "plot", "toy", "--out", tmp_path / "deep" / "x.svg", "--kind", "interactions")
    assert "Mean pair interactions" in (tmp_path / "deep" / "x.svg").read_text()


@pytest.mark.parametrize(
    ("arguments", "error", "message"),
    [
        (("effects", "toi"), UnknownNameError, "did you mean toy"),
        (("effects", "toy", "--option", "Z"), UnknownNameError, r"unknown option 'Z'.*A, B, C"),
        (
            ("plot", "toy", "--out", "x.gif"),
            InvalidOptionError,
            r"the suffix of x\.gif is '\.gif'; end the name with \.png or \.svg",
        ),
        (("plot", "toy", "--out", "x"), InvalidOptionError, "is 'missing'"),
    ],
)
def test_mistakes_are_named(folder, arguments, error, message):
    with pytest.raises(error, match=message):
        CliRunner().invoke(cli, [*arguments, "--references", str(folder)], catch_exceptions=False)


def test_export_without_tables(tmp_path):
    with pytest.raises(ReferenceTableError, match="no reference tables"):
        CliRunner().invoke(
            cli, ["export", str(tmp_path / "out"), "--references", str(tmp_path)], catch_exceptions=False
        )


def test_a_cost_is_no_utility_even_without_a_table(folder):
    result = CliRunner().invoke(cli, ["show", "nile", "--references", str(folder)], catch_exceptions=False)
    metric = next(line for line in result.output.splitlines() if line.startswith("metric"))
    assert "the utility itself" not in metric
    assert metric.endswith("utility is 1 / (1 + one_step_MAE / a scale of the source)")


def test_a_condition_without_a_table_is_told_from_an_unknown_one(folder):
    def failure(condition, kind):
        with pytest.raises(kind) as caught:
            CliRunner().invoke(cli, ["effects", condition, "--references", str(folder)], catch_exceptions=False)
        return str(caught.value)

    way = (
        f"no reference table in {folder}; make it with `whatworked rebuild nile --out DIR`, then give --references DIR"
    )
    assert failure("nile", ReferenceTableError) == f"nile has {way}"
    assert way in run(folder, "show", "nile")
    assert "unknown condition 'wien'; did you mean wine" in failure("wien", UnknownNameError)


def test_the_list_says_how_many_conditions_have_a_table_where_not_all_do(tmp_path):
    surfaces = [surface_tables.labelled(name, REVERSING.repeat(2)) for name in ("wine", "seeds")]
    where = surface_tables.write(tmp_path, surfaces)
    clustering = run(where, "list", "--family", "clustering").splitlines()[-1]
    assert clustering == f"5 conditions of 4 sources, 128 records; 2 conditions with a reference table in {where}"
    assert run(where, "list", "--family", "retrieval").endswith(f"; 0 conditions with a reference table in {where}\n")
