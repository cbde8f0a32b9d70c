"""Exclusions, costs, batches, and what ends a campaign."""

from __future__ import annotations

import json
import math
import time
from pathlib import Path

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st

import whatworked
from whatworked.campaigns import Campaign, Plan, read_options
from whatworked.campaigns.coding import read_combinations
from whatworked.campaigns.costs import read_costs
from whatworked.campaigns.measuring import Stop, carry_out, function_runner
from whatworked.cli import cli
from whatworked.errors import InvalidOptionError
from whatworked.surfaces.masks import mask_rank

NAMES = ["a", "b", "c", "d"]


def smooth(setting):
    return 80.0 + 4 * setting["a"] - setting["b"] + 2 * setting["a"] * setting["c"]


combination = st.dictionaries(st.sampled_from(NAMES[:3]), st.booleans(), min_size=2, max_size=3)


@settings(max_examples=12, deadline=None)
@given(st.lists(combination, min_size=1, max_size=3), st.sampled_from([0.0, 0.5, None]), st.integers(1, 3))
def test_excluded_settings_are_never_asked_for(excluded, noise, batch) -> None:
    options = read_options(NAMES)
    plan = Plan(options, excluded=read_combinations(excluded, options), noise=noise)
    campaign = Campaign(plan)
    while len(campaign.runs) < 7 and (asks := campaign.ask_batch(batch)):
        for ask in asks:
            setting = plan.setting(mask_rank(ask.mask))
            assert not any(all(setting[name] == level for name, level in held.items()) for held in excluded)
            campaign.tell([(ask.mask, smooth(setting))])


def test_effects_rest_on_pairs_that_may_run_and_the_report_says_so() -> None:
    found = whatworked.measure(smooth, NAMES, 99, exclude=[{"a": True, "c": True}])
    (effect,) = [effect for effect in found.effects if effect.option == "a"]
    # Only with c off: 4, and not 5 as over the whole cube.
    assert float(found.unit_map.changes(effect.mean)) == pytest.approx(4.0)
    assert effect.pairs == 4
    assert "averaged over the pairs of settings that both may run" in " ".join(str(found).split())


def test_costs_are_read() -> None:
    options = read_options(["a", "b"])
    assert read_costs({"a": 2.5}, options) == (1.0, 1.0, 3.5, 3.5)
    assert read_costs({"01": 4}, options) == (1.0, 4.0, 1.0, 1.0)
    assert read_costs(lambda setting: 1 + setting["b"], options) == (1.0, 2.0, 1.0, 2.0)
    for wrong, message in ((3, "give a mapping"), ({"x": 1}, "no option 'x'"), ({"a": -1}, "above 0"), ({}, "give a")):
        with pytest.raises(InvalidOptionError, match=message):
            read_costs(wrong, options)


def test_cheap_settings_go_first_and_the_budget_is_their_cost() -> None:
    free = whatworked.measure(smooth, NAMES, 8)
    dear = whatworked.measure(smooth, NAMES, 20, cost={"d": 9.0})
    assert sum(run.mask[3] == "1" for run in free.runs) > sum(run.mask[3] == "1" for run in dear.runs) == 1
    # 0000 costs 1 and 1111 costs 10; seven more without d cost 1 each, and the rest does not pay for one with it.
    assert len(dear.runs) == 9
    assert "These runs cost 18." in str(dear)
    assert "no setting is left that may run and whose cost is left" in dear.stopped


def test_a_campaign_ends_where_nothing_is_worth_its_cost() -> None:
    found = whatworked.measure(smooth, NAMES, 99, worth=0.2)
    assert 6 <= len(found.runs) < 16
    assert "worth its cost" in str(found)
    assert len(whatworked.measure(smooth, NAMES, 99, worth=1e-12).runs) >= len(found.runs)


def test_no_run_begins_when_the_seconds_are_spent(tmp_path: Path) -> None:
    def slow(setting):
        time.sleep(0.02)
        return smooth(setting)

    found = whatworked.measure(slow, NAMES, 9, seconds=0.05, out=tmp_path / "mine")
    assert 1 <= len(found.runs) <= 3
    assert "were allowed" in found.stopped
    again = whatworked.measure(slow, NAMES, 9, seconds=0.05, out=tmp_path / "mine")
    assert again.runs == found.runs
    assert len(whatworked.measure(slow, NAMES, 4, seconds=60, out=tmp_path / "mine").runs) == 4
    for limit in ({"seconds": 0}, {"worth": math.nan}):
        with pytest.raises(InvalidOptionError, match="above 0"):
            whatworked.measure(smooth, NAMES, **limit)


@pytest.mark.parametrize("noise", [0.0, None])
def test_a_campaign_cut_anywhere_asks_for_the_same(tmp_path: Path, noise) -> None:
    """Killed after every number of runs, with a batch of three: the journals are the same byte for byte."""
    plan = Plan(read_options(NAMES), target="smooth", noise=noise)

    def journal(folder, budgets):
        for budget in budgets:
            with Campaign(plan, folder) as campaign:

                def run(asks):
                    for held in function_runner(smooth, plan)(asks):
                        yield campaign.run(held.mask, held.value)

                carry_out(campaign, run, Stop(budget), 3)
        return (folder / "runs.jsonl").read_bytes()

    whole = journal(tmp_path / "whole", [8])
    assert journal(tmp_path / "cut", range(1, 9)) == whole
    assert len(whole.splitlines()) == 9


def test_the_number_of_jobs_does_not_change_what_runs(tmp_path: Path, monkeypatch) -> None:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(s):\n    return 3 * s['a'] - s['b'] + s['a'] * s['c']\n")
    masks = []
    for jobs in ("1", "2"):
        words = "measure", "./mine.py:f", "--option", "a", "--option", "b", "--option", "c", "--budget", "4"
        done = CliRunner().invoke(cli, [*words, "--batch", "2", "--jobs", jobs, "--out", f"jobs{jobs}", "--json"])
        assert done.exit_code == 0, done.output
        masks.append({run["mask"] for run in json.loads(done.stdout)["runs"]})
    assert masks[0] == masks[1]
    assert len(masks[0]) == 4
