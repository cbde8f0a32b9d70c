"""The bounds of docs/rounding.md hold where rounding is provoked, and stay below the tolerances of the families."""

from __future__ import annotations

import functools
import re
from pathlib import Path

import numpy as np
import pytest
from rounding_bounds import FAMILIES, bounds

from whatworked import catalog, workflows
from whatworked.declaration import PreparedInput
from whatworked.sources import Library
from whatworked.surfaces import mask_strings

SOURCES = ("airfoil", "concrete", "nile", "sunspots", "elnino", "co2")


@functools.cache
def prepared(source: str) -> PreparedInput:
    return Library(offline=True).prepared(source)


def utilities(data: PreparedInput, masks: tuple[str, ...]) -> dict[str, float]:
    workflow = workflows.get(data.family).restricted(len(masks[0]))
    return {mask: workflow.run(data, mask).utility for mask in masks}


def excess(data: PreparedInput, other: PreparedInput, cause: tuple[str, ...]) -> dict[str, float]:
    """Masks whose utility moved by more than the bounds of those causes allow."""
    masks = mask_strings(4)
    before, after = utilities(data, masks), utilities(other, masks)
    allowed = {mask: sum(getattr(bounds(data, mask), name) for name in cause) for mask in masks}
    return {mask: after[mask] - before[mask] for mask in masks if abs(after[mask] - before[mask]) > allowed[mask]}


@pytest.mark.parametrize("source", ["airfoil", "concrete"])
@pytest.mark.parametrize("seed", range(3))
def test_another_order_of_the_training_rows_stays_within_the_bounds(source: str, seed: int) -> None:
    """Equal in exact arithmetic: every sum over rows and the decomposition are rounded otherwise."""
    data = prepared(source)
    order = np.random.default_rng(seed).permutation(len(data.arrays["y_train"]))
    arrays = {name: values[order] if name.endswith("train") else values for name, values in data.arrays.items()}
    other = PreparedInput(data.source, data.family, arrays, dict(data.facts))
    assert utilities(data, mask_strings(4)) != utilities(other, mask_strings(4))
    assert excess(data, other, ("sums", "decomposition")) == {}


@pytest.mark.parametrize("source", SOURCES)
def test_other_last_digits_of_logarithms_stay_within_the_bounds(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    data, masks = prepared(source), mask_strings(4)
    allowed = {mask: bounds(data, mask).total for mask in masks}
    before = utilities(data, masks)
    rng = np.random.default_rng(5)
    for name in ("log1p", "expm1"):
        monkeypatch.setattr(np, name, functools.partial(_jittered, getattr(np, name), rng))
    after = utilities(data, masks)
    moved = {mask: abs(after[mask] - before[mask]) for mask in masks}
    assert max(moved.values()) > 0
    assert {mask: by for mask, by in moved.items() if by > allowed[mask]} == {}


def _jittered(function, rng: np.random.Generator, values):
    """Each value one unit in the last place up or down."""
    exact = function(values)
    return np.nextafter(exact, np.where(rng.random(exact.shape) < 0.5, -np.inf, np.inf))


@pytest.mark.parametrize("source", SOURCES)
def test_sums_and_last_digits_are_far_below_the_tolerance(source: str) -> None:
    data = prepared(source)
    form = workflows.get(data.family).form
    worst = [bounds(data, mask) for mask in mask_strings(4)]
    assert max(one.sums for one in worst) < form.utility_tolerance / 10
    assert max(one.logarithm for one in worst) < form.utility_tolerance / 1000


def test_the_page_gives_the_bounds_of_every_bundled_source(root: Path) -> None:
    page = (root / "docs" / "rounding.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| (\w+) \| (\S+) \| (\S+) \| (\S+) \|$", page, re.MULTILINE)
    told = {name: [float(value) for value in values] for name, *values in rows}
    four = {one.source for one in catalog.conditions() if one.family in FAMILIES and one.track == "four"}
    assert set(told) == four
    for source in SOURCES:
        found = [bounds(prepared(source), mask) for mask in mask_strings(4)]
        largest = [max(getattr(one, name) for one in found) for name in ("sums", "decomposition", "logarithm")]
        assert told[source] == pytest.approx(largest, rel=0.1), source
