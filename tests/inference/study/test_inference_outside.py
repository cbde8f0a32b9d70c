"""The surfaces outside the catalog."""

from __future__ import annotations

import numpy as np
import pytest

from whatworked import workflows
from whatworked.errors import ReferenceTableError
from whatworked.inference.study.games import outside_games
from whatworked.inference.study.surfaces import load_outside
from whatworked.inference.study.surfaces.recorded import load_outside as load_from
from whatworked.inference.study.surfaces.sources import DEVELOPMENT, FRESH
from whatworked.inference.study.surfaces.synthetic import STRUCTURES, synthetic_surfaces
from whatworked.surfaces import mask_strings
from whatworked.workflows import FAMILIES

QUICK = [
    ("development", "regression", "stackloss"),
    ("development", "forecasting", "macro_infl"),
    ("development", "link_prediction", "karate"),
    ("fresh", "regression", "friedman1"),
    ("fresh", "clustering", "spector"),
    ("fresh", "forecasting", "macro_cpi"),
    ("fresh", "beat_detection", "clean_ecg"),
]
EVERY = [("development", *key) for key in DEVELOPMENT] + [("fresh", *key) for key in FRESH]


def test_table_holds_what_is_declared():
    assert [(one.group, *one.surface.name.split("/")) for one in load_outside()] == EVERY
    assert set(QUICK) <= set(EVERY)


def test_fresh_surfaces_cover_every_family():
    assert {family for family, _ in FRESH} == set(FAMILIES)
    assert not set(FRESH) & set(DEVELOPMENT)


@pytest.mark.parametrize(
    ("group", "family", "name"), [pytest.param(*key, marks=() if key in QUICK else pytest.mark.slow) for key in EVERY]
)
def test_tables_can_be_rebuilt(group, family, name):
    build = (FRESH if group == "fresh" else DEVELOPMENT)[family, name]
    recorded = next(one.surface for one in load_outside() if one.surface.name == f"{family}/{name}")
    workflow, prepared = workflows.get(family), build()
    masks = mask_strings(6)[::9]
    found = [workflow.run(prepared, mask).utility for mask in masks]
    np.testing.assert_allclose(found, [recorded[mask] for mask in masks], atol=1e-9)


@pytest.mark.parametrize("family", sorted({family for family, _ in DEVELOPMENT}))
def test_inactive_options_do_nothing(family):
    """Recorded values agree with the classes that follow from the workflow's declaration."""
    classes = workflows.get(family).equivalence(6).representative
    for one in load_outside():
        if one.family == family:
            values = one.surface.utilities
            np.testing.assert_allclose(values, values[classes], atol=1e-12)


def test_synthetic_cubes_have_the_structure_they_are_named_after():
    by_name = {}
    for one in synthetic_surfaces():
        by_name.setdefault(one.family, one.surface)
    assert set(by_name) == set(STRUCTURES)
    shares = {name: surface.order_shares() for name, surface in by_name.items()}
    # Shares of interaction orders 1, 2, …
    first = {name: np.asarray(found)[-6:] for name, found in shares.items()}
    assert first["additive"][0] == pytest.approx(1.0)
    assert first["pairwise"][2:].sum() == pytest.approx(0.0, abs=1e-9)
    assert first["parity"][2] == pytest.approx(1.0)
    assert first["curved"][1] > 0.01
    assert all(surface.utilities.min() >= 0.1 - 1e-12 for surface in by_name.values())


def test_synthetic_cubes_are_the_same_in_every_run():
    first, second = synthetic_surfaces(), synthetic_surfaces()
    assert all(np.array_equal(a.surface.utilities, b.surface.utilities) for a, b in zip(first, second, strict=True))


def test_flat_surfaces_are_left_out():
    tasks = outside_games(load_outside())
    assert min(one.surface.range for one in tasks) > 1e-9
    assert {one.track for one in tasks} == {"four", "six"}


def test_missing_and_broken_tables(tmp_path):
    with pytest.raises(ReferenceTableError, match="rebuild-outside"):
        load_from(tmp_path / "none.tsv")
    broken = tmp_path / "broken.tsv"
    broken.write_text("header\nfresh\tregression\tx\t0.1 zero\n")
    with pytest.raises(ReferenceTableError, match="is not a surface"):
        load_from(broken)
    broken.write_text("header\nnew\tregression\tx\t" + " ".join(["0.5"] * 64) + "\n")
    with pytest.raises(ReferenceTableError, match="development, fresh"):
        load_from(broken)
