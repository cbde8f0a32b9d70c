"""The check of what campaigns state."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.inference.study import games, live
from whatworked.inference.study.surfaces.synthetic import synthetic_surfaces


def cubes(number):
    return [task for task in games.outside_games(synthetic_surfaces()) if task.surface.d == 4][:number]


def held(name, share, best=1.0):
    return live.Held(name, (share,) * 3, (share,) * 3, 0.5, best, 0.0)


def test_errors_take_the_runs_of_a_cube_together() -> None:
    line = live.summarise([held("a", 0.5), held("a", 0.7), held("b", 1.0, 0.0), held("c", float("nan"))])
    assert line.single[0] == pytest.approx((0.8, np.std([0.6, 1.0], ddof=1) / 2**0.5))
    assert line.best[:2] == pytest.approx((0.5, 0.75))
    assert line.cubes == 4


def test_a_cube_is_measured_the_same_way_again() -> None:
    (cube,) = cubes(1)
    found = live.check(cube, 0.1, 3, False)
    assert found == live.check(cube, 0.1, 3, False)
    assert found.repeats > 0.19
    assert live.check(cube, 0.0, 0, False).repeats == 0.0


def test_the_command_prints_stated_against_held(monkeypatch) -> None:
    two = tuple(cubes(2))
    monkeypatch.setattr(games, "catalog_games", lambda: two)
    monkeypatch.setattr(games, "outside_games", lambda surfaces: two)
    done = CliRunner().invoke(cli, ["inference", "coverage", "--seeds", "1", "--json"])
    assert done.exit_code == 0, done.output
    rows = json.loads(done.stdout)
    assert [(row["cubes of"], row["noise"]) for row in rows] == [
        (group, noise) for group in ("catalog", "synthetic") for noise in (0.0, 0.05, 0.1, 0.2)
    ]
    assert all("±" in row["average_0.9"] for row in rows)
