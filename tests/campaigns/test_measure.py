"""A function measured under a budget: what is run, found, kept and said."""

from __future__ import annotations

import doctest
import math
from pathlib import Path

import numpy as np
import pytest

import whatworked
from whatworked.campaigns import Campaign, Plan, Scale, asking, read_options
from whatworked.campaigns.asking import Network
from whatworked.errors import InvalidOptionError, JournalError, StorageError
from whatworked.surfaces import mean_effects

NAMES = ["a", "b", "c", "d"]


def smooth(setting):
    return 80.0 + 4 * setting["a"] - setting["b"] + 2 * setting["a"] * setting["c"]


def table_of(f, names):
    d = len(names)
    return np.array(
        [f({name: bool(rank >> (d - 1 - i) & 1) for i, name in enumerate(names)}) for rank in range(1 << d)]
    )


def run_all(campaign, f):
    while asks := campaign.ask():
        campaign.tell({ask.mask: f(campaign.plan.setting(int(ask.mask, 2))) for ask in asks})


def test_with_every_setting_run_the_effects_are_those_of_the_table() -> None:
    found = whatworked.measure(smooth, NAMES, 99, range=(70, 90))
    assert len(found.runs) == 16
    truth = dict(zip(NAMES, mean_effects(table_of(smooth, NAMES)), strict=True))
    for effect in found.effects:
        assert effect.mean * 20 == pytest.approx(truth[effect.option], abs=1e-9)
        assert (effect.low * 20, effect.high * 20) == pytest.approx((effect.mean * 20,) * 2, abs=1e-9)
    assert (found.best.mask, found.best.probability, found.asks) == ("1010", 1.0, ())
    assert [row.value for row in found.table()] == pytest.approx(table_of(smooth, NAMES).tolist())


def test_half_the_settings_find_the_effects_and_the_best_one() -> None:
    found = whatworked.measure(smooth, NAMES, 9)
    truth = dict(zip(NAMES, mean_effects(table_of(smooth, NAMES)), strict=True))
    unit = float(found.unit_map.changes(np.array(1.0)))
    for effect in found.effects:
        assert effect.low * unit <= truth[effect.option] + 1e-6
        assert effect.high * unit >= truth[effect.option] - 1e-6
    assert (found.effects[0].option, found.best.mask[0], found.best.mask[2]) == ("a", "1", "1")
    assert found.effects[0].depends_on == "c"


def test_losses_on_a_log_scale_are_told_as_factors() -> None:
    def loss(setting):
        return 0.5 * (0.5 if setting["a"] else 1.0) * (1.2 if setting["b"] else 1.0)

    found = whatworked.measure(loss, ["a", "b"], 4, direction="minimize", scale="log")
    told = {effect.option: found.unit_map.change_text(effect.mean) for effect in found.effects}
    assert told == {"a": "×0.5", "b": "×1.2"}
    assert found.best.mask == "10"
    assert "factors" in str(found)


def test_holes_are_kept_with_their_reason_and_not_run_again() -> None:
    calls = []

    def broken(setting):
        calls.append(tuple(setting.values()))
        if setting["a"] and setting["b"]:
            raise RuntimeError("boom")
        if setting["c"] and setting["d"]:
            return math.nan
        return "high" if setting["a"] and setting["d"] else float(setting["c"])

    found = whatworked.measure(broken, NAMES, 99)
    assert len(calls) == len(set(calls)) == 16
    reasons = {run.mask: run.reason for run in found.holes}
    assert reasons["1100"] == "RuntimeError: boom"
    assert "nan" in reasons["0011"]
    assert "'high'" in reasons["1001"]
    kinds = [row.kind for row in found.table()]
    assert (kinds.count("hole"), kinds.count("measured")) == (8, 8)
    assert "boom" in found.markdown()


def test_a_call_that_takes_too_long_is_a_hole() -> None:
    def slow(setting):
        while setting["a"]:
            pass
        return 1.0

    found = whatworked.measure(slow, ["a"], 2, time_limit=0.05)
    assert ["time limit" in run.reason for run in found.runs] == [False, True]
    assert "Nothing can be said" in str(found)


def test_goes_on_in_its_folder_after_an_interrupt_and_with_another_budget(tmp_path: Path) -> None:
    calls = []

    def stopped(setting):
        calls.append(setting)
        if len(calls) == 4:
            raise KeyboardInterrupt
        return smooth(setting)

    # Only a real Ctrl-C leaves a guarded call; from the runner itself anything does.
    out = tmp_path / "mine"
    plan = Plan(read_options(NAMES))
    with pytest.raises(KeyboardInterrupt), Campaign(plan, out) as campaign:
        run_all(campaign, stopped)
    with Campaign(plan, out) as campaign:
        assert len(campaign.runs) == 3
        while len(campaign.runs) < 7:
            campaign.tell({campaign.ask()[0].mask: smooth(plan.setting(int(campaign.ask()[0].mask, 2)))})
        masks = [run.mask for run in campaign.runs]
        with pytest.raises(StorageError, match="another run"), Campaign(plan, out):
            pass
    assert masks == [run.mask for run in whatworked.measure(smooth, NAMES, 7).runs]
    with pytest.raises(JournalError, match="other work"):
        whatworked.measure(smooth, ["other"], out=out)
    journal = out / "runs.jsonl"
    journal.write_bytes(journal.read_bytes().replace(b'"0000"', b'"0001"'))
    with pytest.raises(JournalError, match="altered"), Campaign(plan, out):
        pass


def test_the_same_call_goes_on(tmp_path: Path) -> None:
    first = whatworked.measure(smooth, NAMES, 4, out=tmp_path / "mine")
    second = whatworked.measure(smooth, NAMES, 6, out=tmp_path / "mine")
    assert second.runs[:4] == first.runs
    assert len(second.runs) == 6


def test_excluded_combinations_never_run() -> None:
    found = whatworked.measure(smooth, NAMES, 99, exclude=[{"a": True, "d": True}, {"b": True}])
    assert sorted(run.mask for run in found.runs) == ["0000", "0001", "0010", "0011", "1000", "1010"]
    pairs = {effect.option: effect.pairs for effect in found.effects}
    assert pairs == {"a": 2, "b": 0, "c": 3, "d": 2}
    assert "no two settings" in str(found)


def test_many_options_are_measured_on_a_sample(monkeypatch) -> None:
    monkeypatch.setattr(asking, "SAMPLED", 120)
    names = [f"o{number}" for number in range(11)]
    found = whatworked.measure(lambda s: 3.0 * s["o4"] - s["o7"], names, 4)
    assert found.contexts < 2048
    assert "sample" in str(found)
    assert len({run.mask for run in found.runs}) == 4


def test_effects_of_chosen_ones_of_many_options(monkeypatch) -> None:
    # A smaller sample than usual, for the time it takes.
    monkeypatch.setattr(asking, "SAMPLED", 90)
    names = [f"o{number}" for number in range(14)]
    found = whatworked.measure(lambda s: 3.0 * s["o4"] - s["o7"], names, 3, effects_of=["o7", "o4"])
    assert {effect.option for effect in found.effects} == {"o4", "o7"}
    assert found.contexts < 200
    assert found.plan.description()["effects of"] == ["o7", "o4"]
    with pytest.raises(InvalidOptionError, match="up to 12"):
        found.table()


def test_the_network_is_the_cube() -> None:
    network = Network.of(np.arange(8), 3)
    values = np.array([0.3, 0.1, 0.4, 0.1, 0.5, 0.9, 0.2, 0.6])
    squares = sum((values[on] - values[off]) ** 2 for off, on in zip(network.off, network.on, strict=True))
    assert network.off.size == 12
    assert values @ network.laplacian() @ values == pytest.approx(squares)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"options": ["a", "a"]}, "given twice"),
        ({"options": {"a": (1, 1)}}, "two different"),
        ({"options": list("abcdefghijklmnopqrstu")}, "21 options"),
        ({"options": list("abcdefghijklm")}, "name at most 12 of the 13 options"),
        ({"effects_of": ["x"]}, "no option 'x'"),
        ({"effects_of": ["a", "a"]}, "twice"),
        ({"options": "abc"}, "give their names"),
        ({"budget": 0}, "at least 1"),
        ({"direction": "up"}, "maximize and minimize"),
        ({"range": (1, 0)}, "the smaller first"),
        ({"exclude": [{"x": True}]}, "no option 'x'"),
        ({"exclude": [{"a": "maybe"}]}, "no level 'maybe'"),
        ({"f": 3}, "give a function"),
        ({"time_limit": 0}, "time limit"),
    ],
    ids=lambda value: "-".join(value) if isinstance(value, dict) else "",
)
def test_bad_arguments_are_named(change, message) -> None:
    arguments = {"f": smooth, "options": NAMES, "budget": 4} | change
    with pytest.raises(InvalidOptionError, match=message):
        whatworked.measure(arguments.pop("f"), arguments.pop("options"), arguments.pop("budget"), **arguments)


def test_scales_are_undone() -> None:
    values = np.array([0.02, 0.3, 1.5])
    for scale in (Scale(), Scale("minimize", "log"), Scale("minimize", "linear", (0.0, 2.0))):
        unit_map = scale.fitted(values)
        assert unit_map.values(unit_map.utilities(values)) == pytest.approx(values)
        better = np.diff(unit_map.utilities(values)) > 0
        assert better.tolist() == [scale.direction == "maximize"] * 2


def test_the_page_holds(root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "measure.md"), module_relative=False)
    assert (result.attempted, result.failed) == (20, 0)
