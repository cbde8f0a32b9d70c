"""What experience is worth: the kinds of it, paired fits and their summary."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import pytest
from click.testing import CliRunner
from scipy import stats

from whatworked.cli import cli
from whatworked.environments.effects.task import Task
from whatworked.inference.study import experience as study
from whatworked.inference.study import games
from whatworked.surfaces import ResponseSurface, all_bits


def task(source: str, family: str, seed: int) -> Task:
    signs = 2.0 * all_bits(4) - 1.0
    values = 0.5 + 0.15 * signs[:, 0] * signs[:, 1] + 0.02 * signs @ np.random.default_rng(seed).normal(size=4)
    flipped = values if family == "alike" else 1.0 - values[::-1]
    return Task(source, source, family, "four", ResponseSurface(tuple("ABCD"), np.clip(flipped, 0, 1), name=source))


POOL = (*(task(f"a{n}", "alike", n) for n in range(4)), *(task(f"b{n}", "strange", 10 + n) for n in range(3)))


def test_kinds_of_experience() -> None:
    mine = POOL[0]
    same, shuffled, other = (study.of_kind(mine, POOL, kind) for kind in study.KINDS)
    assert {surface.source for surface in same} == {surface.source for surface in shuffled} == {"a1", "a2", "a3"}
    assert {surface.source for surface in other} == {"b0", "b1", "b2"}
    assert any(surface.options != mine.surface.options for surface in shuffled)
    assert sorted(np.sort(one.utilities).tolist() for one in shuffled) == sorted(
        np.sort(one.utilities).tolist() for one in same
    )
    assert all(one.options == mine.surface.options for one in (same, shuffled, other))


def test_the_error_is_that_of_the_mean_over_sources() -> None:
    rng = np.random.default_rng(0)
    fits = [
        study.FixedFit(f"s{n}", "f", "same", 4, size, draw, *rng.uniform(size=2).tolist())
        for n in range(7)
        for size in (6, 10)
        for draw in range(2)
    ]
    lines = study.summarise(fits)
    assert [(line.d, line.n) for line in lines] == [(4, 6), (4, 10), (0, 0)]
    for line, chosen in zip(lines, ((6,), (10,), (6, 10)), strict=True):
        gained = [
            np.mean([fit.experienced - fit.without for fit in fits if fit.source == f"s{n}" and fit.n in chosen])
            for n in range(7)
        ]
        assert line.difference == pytest.approx(np.mean(gained))
        assert line.error == pytest.approx(stats.sem(gained))
        assert line.difference == pytest.approx(line.experienced - line.without)


@pytest.fixture
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(study, "measured_elsewhere", lambda: POOL)
    monkeypatch.setattr(games, "catalog_games", lambda: POOL[:2])


def test_the_commands(small: None, tmp_path: Path) -> None:
    out = tmp_path / "fits.json"
    command = ["inference", "experience", "--every", "3", "--kind", "same", "--out", str(out), "--json"]
    ran = CliRunner().invoke(cli, command, catch_exceptions=False)
    lines = json.loads(ran.output)
    assert [line["measured"] for line in lines] == [6, 10, "all"]
    assert lines[0]["difference"] > 0.05
    assert len(json.loads(out.read_text())["fits"]) == 3 * 2
    ran = CliRunner().invoke(cli, ["inference", "loo", "--experience", "--json"], catch_exceptions=False)
    plain, experienced = json.loads(ran.output)
    assert (plain["method"], experienced["method"]) == ("RGP", "ERGP")
    assert experienced["four_4"] > plain["four_4"]
