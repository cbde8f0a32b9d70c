"""A complete CSV of settings and results, in the place of a condition."""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import pytest
from command_line import run_here

from whatworked.campaigns.table_surface import read_surface
from whatworked.errors import InvalidOptionError, InvalidSurfaceError
from whatworked.surfaces import ResponseSurface

LEVELS = {"cache": ("no", "yes"), "lr": ("0.01", "0.1"), "optimiser": ("adam", "sgd")}


def _write(path: Path, values, *, leave_out: int = 0) -> Path:
    """Settings in an order of their own, with spaces; `values` are in canonical order."""
    rows = list(zip(itertools.product(*LEVELS.values()), values, strict=True))
    # The levels of the optimiser come in the order of rows: its first row has adam.
    rows = [rows[6], *rows[:6], rows[7]][: len(rows) - leave_out]
    lines = [f"{', '.join(setting)},{value}" for setting, value in rows]
    path.write_text("\n".join(["cache,lr,optimiser,score", *lines]) + "\n")
    return path


def test_results_from_0_to_1_are_utilities(tmp_path: Path) -> None:
    values = np.random.default_rng(1).uniform(size=8).tolist()
    labelled, note = read_surface(_write(tmp_path / "r.csv", values))
    assert labelled.surface.utilities.tolist() == values
    assert labelled.surface.options == tuple(LEVELS)
    assert labelled.names["lr"] == "0.01 / 0.1"
    assert "as it stands in r.csv" in note


@pytest.mark.parametrize("direction", ["maximize", "minimize"])
def test_effects_of_other_results_undo_the_map(tmp_path: Path, direction) -> None:
    values = np.random.default_rng(2).normal(70, 10, 8)
    labelled, note = read_surface(_write(tmp_path / "r.csv", values.tolist()), direction=direction)
    found = labelled.surface
    assert (found.utilities.min(), found.utilities.max()) == (0.0, 1.0)
    sign = -1 if direction == "minimize" else 1
    # Differences of the results themselves, along every edge of the cube.
    table = values.reshape(2, 2, 2)
    own = {name: np.diff(table, axis=place).ravel() for place, name in enumerate(LEVELS)}
    for name in LEVELS:
        effects = np.array([edge.effect for edge in found.effect_table() if edge.option == name])
        np.testing.assert_allclose(effects * sign * np.ptp(values), own[name], rtol=0, atol=1e-12)
    assert f"an effect of +0.1 is {sign * np.ptp(values) / 10:+.4g}" in note


def test_the_commands_take_the_file(tmp_path: Path) -> None:
    file = _write(tmp_path / "r.csv", [1, 2, 3, 4, 5, 6, 7, 9])
    found = json.loads(run_here("effects", str(file), "--json").stdout)
    surface = ResponseSurface(tuple(LEVELS), [(value - 1) / 8 for value in (1, 2, 3, 4, 5, 6, 7, 9)])
    means = [option["mean_effect"] for option in found["options"]]
    assert means == pytest.approx(surface.mean_effects().tolist())
    shown = run_here("effects", str(file)).stdout
    assert "straight line from 0 at score 1 to 1 at 9: an effect of +0.1 is +0.8" in " ".join(shown.split())
    assert run_here("plot", str(file), "--out", str(tmp_path / "r.svg")).returncode == 0
    assert "optimiser" in (tmp_path / "r.svg").read_text()


def test_what_is_missing_is_named(tmp_path: Path) -> None:
    done = run_here("effects", str(_write(tmp_path / "r.csv", range(8), leave_out=1)))
    assert done.returncode == 2
    assert "no result for 1 setting of 8: cache=yes, lr=0.1, optimiser=sgd" in " ".join(done.stderr.split())
    with pytest.raises(InvalidSurfaceError, match=r"no result for 1 setting of 8: cache=no, lr=0\.01, optimiser=sgd"):
        read_surface(_write(tmp_path / "r.csv", [0, "out of memory", *range(6)]))
    with pytest.raises(InvalidOptionError, match="no finite number"):
        read_surface(_write(tmp_path / "r.csv", [0, "inf", *range(6)]))


def test_options_of_the_one_are_refused_with_the_other(tmp_path: Path) -> None:
    file = str(_write(tmp_path / "r.csv", range(8)))
    for words in (("effects", "wine", "--value", "score"), ("effects", file, "--references", str(tmp_path))):
        done = run_here(*words)
        assert (done.returncode, done.stdout) == (2, "")
