"""``whatworked inference`` on small surfaces."""

from __future__ import annotations

import json

import numpy as np
import pytest
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.environments.effects import Task
from whatworked.errors import StorageError, UnknownNameError
from whatworked.inference.study import games
from whatworked.surfaces import ResponseSurface, all_bits


def toy(name, family, seed):
    values = 0.5 + 0.1 * all_bits(4) @ np.random.default_rng(seed).normal(size=4)
    return Task(name, name, family, "four", ResponseSurface(tuple("ABCD"), np.clip(values, 0, 1), name=name))


@pytest.fixture
def small(monkeypatch):
    tasks = (toy("one", "regression", 1), toy("two", "clustering", 2))
    monkeypatch.setattr(games, "catalog_games", lambda: tasks)
    monkeypatch.setattr(games, "outside_games", lambda surfaces: tasks)


def invoke(*arguments):
    return CliRunner().invoke(cli, ["inference", *arguments], catch_exceptions=False)


def test_loo(small, tmp_path):
    path = tmp_path / "rows.json"
    found = invoke("loo", "--variant", "variance", "--variant", "no-gates", "--relabel", "2", "--out", str(path))
    assert found.exit_code == 0
    assert "left out" in found.output
    assert "chosen without the family: clustering" in found.output
    written = json.loads(path.read_text())
    assert len(written["rows"]) == 2 * 2 * 2
    assert {row["relabelling"] for row in written["rows"]} == {0, 1}
    assert set(written["choices"]) == {"regression", "clustering"}


def test_loo_as_json(small):
    rows = json.loads(invoke("loo", "--variant", "variance", "--json").output)
    assert [row["method"] for row in rows] == ["variance", "left out"]
    assert rows[0]["four_8"] == rows[1]["four_8"]
    assert 0 <= rows[0]["four_8"] <= 1


def test_surfaces(small):
    rows = json.loads(invoke("surfaces", "--group", "synthetic", "--json").output)
    assert [row["method"] for row in rows] == ["default", "relevances", "gp-effect"]
    assert {row["group"] for row in rows} == {"synthetic"}


def test_calibrate(small, tmp_path):
    path = tmp_path / "calibration.svg"
    rows = json.loads(invoke("calibrate", "--plot", str(path), "--json").output)
    assert b"stated rate of the interval" in path.read_bytes() or path.stat().st_size > 5000
    assert [row["family"] for row in rows] == ["clustering", "regression", "left out", "fresh"]
    assert all(0 <= row["plain_0.9"] <= 1 and row["factor"] > 0 for row in rows)


def test_unknown_variant():
    with pytest.raises(UnknownNameError, match="no-gates"):
        CliRunner().invoke(
            cli, ["inference", "loo", "--variant", "no-gate"], catch_exceptions=False, standalone_mode=False
        )


def test_unwritable_file(small, tmp_path):
    with pytest.raises(StorageError, match="choose another file"):
        CliRunner().invoke(
            cli,
            ["inference", "loo", "--variant", "variance", "--out", str(tmp_path / "no" / "rows.json")],
            catch_exceptions=False,
            standalone_mode=False,
        )
