"""Campaigns whose results vary when a setting is run again."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

import whatworked
from whatworked.campaigns import Campaign, Plan, open_campaign, read_options
from whatworked.errors import InvalidOptionError

TABLE = {"00": 1.0, "01": 2.0, "10": 4.0, "11": 5.0}


def plan(noise, names=("a", "b")):
    return Plan(read_options(list(names)), noise=noise)


def test_without_noise_the_plan_is_described_as_before() -> None:
    assert "noise" not in plan(0.0).description()
    assert len({plan(noise).digest() for noise in (0.0, 0.1, None)}) == 3


def test_a_repeat_is_asked_for_where_it_teaches_more_than_a_new_setting() -> None:
    def told(noise):
        campaign = Campaign(plan(noise, "abc"))
        campaign.tell({mask + "0": value for mask, value in TABLE.items()} | {"001": 1.0, "111": 5.0, "100": 4.0})
        return campaign

    assert [ask.repeat for ask in told(0.01).ask(2)] == [0, 0]
    # Everything is known once, and the noise is as large as the effects: only repeats are left to teach.
    full = Campaign(plan(1.0))
    full.tell(TABLE)
    (ask,) = full.ask()
    assert (ask.repeat, ask.teaches > 0) == (1, True)
    assert Campaign(plan(0.0)).ask(9) != ()
    exact = Campaign(plan(0.0))
    exact.tell(TABLE)
    assert exact.ask() == ()


def test_repeats_are_kept_and_taken_up_again(tmp_path: Path) -> None:
    out = tmp_path / "bench"
    with Campaign(plan(None), out) as campaign:
        campaign.tell([("00", 1.0), ("00", 1.2), ("11", "boom"), ("11", 5.0), ("11", "boom again")])
        runs = campaign.runs
    assert [(run.mask, run.value) for run in runs] == [("00", 1.0), ("00", 1.2), ("11", 5.0), ("11", None)]
    with open_campaign(out) as campaign:
        assert campaign.runs == runs
        assert campaign.plan.noise is None
        # The repeat that failed is not run again; what the setting gave before counts.
        assert "11" not in [ask.mask for ask in campaign.ask(9)]
        assert campaign.measured[0].tolist() == [0, 0, 3]


def test_exact_campaigns_refuse_two_values_of_one_setting() -> None:
    with pytest.raises(InvalidOptionError, match="begin the campaign with noise"):
        Campaign(plan(0.0)).tell([("00", 1.0), ("00", 1.2)])


def test_the_report_states_the_noise_floor() -> None:
    generator = np.random.default_rng(5)

    def noisy(setting):
        return 10.0 + 3.0 * setting["a"] + generator.normal(0, 0.3)

    found = whatworked.measure(noisy, ["a", "b"], 16, noise="estimate")
    unit = float(found.unit_map.changes(np.array(1.0)))
    assert max(np.unique([run.mask for run in found.runs], return_counts=True)[1]) > 1
    assert found.noise.low * unit < 0.3 < found.noise.high * unit
    first, second = found.effects
    assert (first.option, first.low * unit <= 3.0 <= first.high * unit, second.low < 0 < second.high) == (
        "a",
        True,
        True,
    )
    assert first.high - first.low > found.noise.effect
    assert "Below that floor: b." in str(found)
    assert found.best.mask[0] == "1"
    # Whether b helps cannot be told: either setting of it may be the best.
    assert 0.3 < found.best.probability < 0.98
    assert {row.kind for row in found.table()} <= {"measured", "predicted"}
    assert found.to_dict()["noise"]["sd"] > 0


@pytest.mark.parametrize("noise", [-1.0, float("nan"), "much", True])
def test_bad_noise_is_named(noise) -> None:
    with pytest.raises(InvalidOptionError, match="noise"):
        whatworked.measure(lambda setting: 1.0, ["a"], noise=noise)
