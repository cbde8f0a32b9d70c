"""Options of more than two levels, coded into binaries."""

from __future__ import annotations

import csv
import json

import pytest
from click.testing import CliRunner
from hypothesis import given
from hypothesis import strategies as st

from whatworked import measure
from whatworked.campaigns import Campaign, Plan, open_campaign
from whatworked.campaigns.coding import Coding, read_coded, read_combinations, setting_of
from whatworked.cli import cli
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import mask_string

LR = {"lr": (0.1, 0.03, 0.01), "amp": (False, True)}
VALUES = {0.1: 0.30, 0.03: 0.55, 0.01: 0.50}


@given(st.integers(3, 6), st.sampled_from(["steps", "first"]))
def test_every_level_has_bits_of_its_own_and_only_those_may_run(k, way):
    coding = Coding("x", tuple(range(k)), way)
    assert [coding.number(coding.bits(number)) for number in range(k)] == list(range(k))
    plan = Plan(coding.options, codings=(coding,))
    assert [plan.setting(int(rank))["x"] for rank in plan.allowed] == (
        list(range(k)) if way == "steps" else [0, *range(k - 1, 0, -1)]
    )
    for rank in set(range(1 << plan.d)) - set(plan.allowed.tolist()):
        assert setting_of(plan.options, plan.codings, mask_string(rank, plan.d)) is None


@pytest.mark.parametrize(
    ("way", "truth"), [("steps", {"lr.1": 0.25, "lr.2": -0.05}), ("first", {"lr.1": 0.25, "lr.2": 0.2})]
)
def test_effects_are_steps_or_differences_from_the_first(way, truth):
    asked = []

    def f(setting):
        asked.append(setting)
        return VALUES[setting["lr"]] + 0.1 * setting["amp"]

    found = measure(f, LR, budget=6, coding={"lr": way})
    assert sorted(map(repr, asked)) == sorted(repr({"lr": lr, "amp": amp}) for lr in VALUES for amp in (False, True))
    text = found.unit_map.change_text
    means = {effect.option: text(effect.mean) for effect in found.effects}
    assert {name: float(means[name]) for name in truth} == pytest.approx(truth, abs=1e-6)
    assert float(means["amp"]) == pytest.approx(0.1, abs=1e-6)
    assert "lr has 3 levels, coded into 2 options" in str(found)
    assert ["lr.1", "0.1", "0.03"] in [line.split()[:3] for line in str(found).splitlines()]
    assert "lr 0.03, amp on" in str(found)


def test_a_command_gets_levels_and_the_folder_knows_them(tmp_path):
    command = ["measure", "--command", "echo {lr} {amp:1|0}", "--option", "lr=0.1,0.03,0.01", "--option", "amp=off,on"]
    more = ["--read", "^([0-9.]+) ", "--budget", "6", "--out", str(tmp_path / "c"), "--table", str(tmp_path / "t.csv")]
    done = CliRunner().invoke(cli, [*command, *more, "--exclude", "lr=0.03,amp=on"], catch_exceptions=False)
    assert done.exit_code == 0
    rows = list(csv.DictReader((tmp_path / "t.csv").open()))
    assert {(row["lr"], row["amp"]) for row in rows if row["kind"] != "excluded"} == {
        (lr, amp) for lr in ("0.1", "0.03", "0.01") for amp in ("off", "on") if (lr, amp) != ("0.03", "on")
    }
    assert len(rows) == 6
    assert all(float(row["value"]) == float(row["lr"]) for row in rows if row["kind"] == "measured")
    plan = open_campaign(tmp_path / "c").plan
    assert plan.codings == (Coding("lr", ("0.1", "0.03", "0.01")),)
    results = "lr,amp,value\n0.01,on,0.5\n0.03,off,0.2\n"
    (tmp_path / "more.csv").write_text(results)
    told = ["measure", "tell", str(tmp_path / "d"), "--option", "lr=0.1,0.03,0.01", "--option", "amp", "--json"]
    done = CliRunner().invoke(cli, [*told, "--file", str(tmp_path / "more.csv")], catch_exceptions=False)
    assert {run["mask"] for run in json.loads(done.output)["runs"]} == {"111", "100"}


def test_exclusions_costs_and_chosen_effects_name_levels():
    options, codings = read_coded(LR)
    assert read_combinations([{"lr": 0.03, "amp": True}], options, codings) == ({"lr.1": 1, "lr.2": 0, "amp": 1},)
    found = measure(
        lambda s: VALUES[s["lr"]], LR, budget=9, cost=lambda s: 4.0 if s["lr"] == 0.01 else 1.0, effects_of=["lr"]
    )
    assert {effect.option for effect in found.effects} == {"lr.1", "lr.2"}
    with Campaign(Plan(options, codings=codings)) as campaign, pytest.raises(InvalidOptionError, match="010"):
        campaign.tell([("010", 0.5)])


@pytest.mark.parametrize(
    ("options", "coding", "message"),
    [
        ({"lr": (1, 2, 1)}, None, "option 'lr' has the level 1 twice"),
        ({"lr": (1, 2, 3)}, {"lr": "helmert"}, "the coding of 'lr' is 'helmert'; choose steps or first"),
        ({"lr": (1, 2)}, {"lr": "first"}, "coding names 'lr', which is no option of more than two levels"),
        ({"lr": (1, 2, 3), "lr.1": (0, 1)}, None, "option 'lr.1' is given twice"),
        ({"lr": range(30)}, None, "there are 29 options; give 1 to 20"),
        (["a"], 3, "coding is 3; give a mapping"),
        ({" ": (1, 2, 3)}, None, "an option is called ' '"),
        ({3: (1, 2, 3)}, None, "an option is called 3"),
    ],
)
def test_what_does_not_fit_is_named(options, coding, message):
    with pytest.raises(InvalidOptionError, match=message):
        read_coded(options, coding)
