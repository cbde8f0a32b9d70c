"""Earlier campaigns as experience: what is read, what it changes, and going on with it."""

from __future__ import annotations

import shutil
from pathlib import Path

import numpy as np
import pytest

from whatworked.campaigns import Campaign, Plan, measure, open_campaign
from whatworked.campaigns.experience import read_experience
from whatworked.campaigns.options import Option
from whatworked.campaigns.scale import Scale
from whatworked.errors import InvalidOptionError, JournalError

NAMES = ("amp", "cache", "fuse")
OPTIONS = tuple(Option(name, False, True) for name in NAMES)


def pipeline(shift: float):  # type: ignore[no-untyped-def]
    def run(setting: dict[str, bool]) -> float:
        amp, cache, fuse = (1.0 if setting[name] else -1.0 for name in NAMES)
        return 10.0 + 2.0 * amp * cache + 0.4 * fuse + shift * amp

    return run


@pytest.fixture(scope="module")
def earlier(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("earlier")
    for number, shift in enumerate((0.1, -0.2, 0.3)):
        measure(pipeline(shift), NAMES, 8, out=folder / f"run{number}")
    return folder


def test_what_is_like_before_needs_fewer_runs(earlier: Path, tmp_path: Path) -> None:
    with_it = measure(pipeline(0.2), NAMES, 5, experience=earlier, out=tmp_path / "new")
    without = measure(pipeline(0.2), NAMES, 5)
    truth = {"amp": 0.4, "cache": 0.0, "fuse": 0.8}

    def off(found) -> float:  # type: ignore[no-untyped-def]
        unit = found.unit_map.high - found.unit_map.low
        return float(np.mean([abs(effect.mean * unit - truth[effect.option]) for effect in found.effects]))

    assert off(with_it) < 0.5 * off(without)
    assert with_it.leaning is not None
    assert with_it.leaning > 0.5
    assert "Experience: 3 earlier tables (run" in str(with_it)
    assert without.leaning is None
    (alone,) = read_experience(earlier / "run1", OPTIONS)
    assert alone.source == "run1"
    assert "Experience" not in str(without)
    assert "experience" not in without.plan.description()


def test_a_campaign_goes_on_with_its_experience_wherever_the_earlier_ones_are(earlier: Path, tmp_path: Path) -> None:
    whole = measure(pipeline(0.2), NAMES, 6, experience=earlier, out=tmp_path / "whole")
    measure(pipeline(0.2), NAMES, 4, experience=earlier, out=tmp_path / "parts")
    with open_campaign(tmp_path / "parts") as campaign:
        assert campaign.plan.experience is not None
        assert campaign.ask(1)[0].mask == whole.runs[4].mask
    again = measure(pipeline(0.2), NAMES, 6, experience=earlier, out=tmp_path / "parts")
    assert [run.mask for run in again.runs] == [run.mask for run in whole.runs]


def test_a_campaign_is_no_experience_of_its_own(tmp_path: Path) -> None:
    for shift, name in ((0.1, "one"), (0.3, "two")):
        measure(pipeline(shift), NAMES, 8, out=tmp_path / name)
    for budget in (3, 4):
        found = measure(pipeline(0.2), NAMES, budget, experience=tmp_path, out=tmp_path / "three")
        assert found.plan.experience is not None
        assert [one.source for one in found.plan.experience] in (["one", "two"], ["two", "one"])
    assert len(found.runs) == 4


def test_a_campaign_is_known_by_its_place_however_that_is_named(earlier: Path, tmp_path: Path) -> None:
    for name in ("run0", "run1"):
        shutil.copytree(earlier / name, tmp_path / "held" / name)
    (tmp_path / "linked").symlink_to(tmp_path / "held")
    for place in (tmp_path / "held" / ".." / "held", tmp_path / "linked"):
        own = tmp_path / "held" / "new"
        with open_campaign(earlier / "run2") as campaign, Campaign(campaign.plan, own):
            found = read_experience(place, OPTIONS, own=own)
            assert {surface.source for surface in found} == {"run0", "run1"}
        shutil.rmtree(own)


def test_other_experience_is_refused_with_what_differs(earlier: Path, tmp_path: Path) -> None:
    measure(pipeline(0.2), NAMES, 3, experience=earlier, out=tmp_path / "new")
    other = tmp_path / "other"
    measure(pipeline(0.5), NAMES, 8, out=other / "run9")
    before = {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir() if path.is_file()}
    for experience, says in ((other, r"new: run9; gone: run0, run1, run2"), (None, r"\(gone: run0, run1, run2\)")):
        with pytest.raises(JournalError, match=says):
            measure(pipeline(0.2), NAMES, 4, experience=experience, out=tmp_path / "new")
    assert before == {path.name: path.read_bytes() for path in (tmp_path / "new").iterdir() if path.is_file()}
    (tmp_path / "new" / "experience.json").write_text("[]")
    with pytest.raises(JournalError, match=r"experience beside .* was altered"):
        open_campaign(tmp_path / "new")


def test_tables_holes_noise_and_turned_levels(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text("amp,extra,loss\non,0,3\non,1,5\noff,0,1\noff,1,nan\n")
    plan = Plan((Option("amp", True, False), Option("cache", False, True)), Scale("maximize"), noise=0.5)
    with Campaign(plan, tmp_path / "deep" / "b") as campaign:
        campaign.tell([("00", 4.0), ("00", 6.0), ("11", 1.0), ("01", float("nan"))])
    measure(lambda setting: 1.0 * setting["else"], ["else"], 2, out=tmp_path / "c")
    experience = read_experience(tmp_path, OPTIONS, "minimize")
    known = {surface.source: surface for surface in experience}
    assert set(known) == {"a.csv", "deep/b"}
    # Small losses are good: 1 becomes 1, 5 becomes 0; the hole stays one.
    np.testing.assert_allclose(known["a.csv"].utilities, [1.0, np.nan, 0.5, 0.0])
    # Its first level of `amp` is our second: the mean of 4 and 6 stands at amp on, cache off.
    np.testing.assert_allclose(known["deep/b"].utilities, [np.nan, 0.0, 0.8, np.nan])
    assert known["deep/b"].noise == pytest.approx((0.5 / 5.0) ** 2)
    assert known["a.csv"].noise == 0.0


@pytest.mark.parametrize(
    ("content", "says"),
    [
        ({}, "no campaign and no CSV"),
        ({"a.csv": "x,y\n"}, "no rows"),
        ({"a.csv": "amp,y\non,1\n"}, r"a\.csv: column 'amp' has 1 level"),
    ],
)
def test_folders_without_experience_are_refused(content: dict[str, str], says: str, tmp_path: Path) -> None:
    for name, text in content.items():
        (tmp_path / name).write_text(text)
    (tmp_path / "folder.csv").mkdir()
    with pytest.raises(InvalidOptionError, match=says):
        read_experience(tmp_path, OPTIONS)
    with pytest.raises(InvalidOptionError, match="is no folder"):
        read_experience(tmp_path / "nowhere", OPTIONS)
