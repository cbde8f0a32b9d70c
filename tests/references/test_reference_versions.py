"""The constraints file names the versions that made the tables, and under them tables have the package's bytes."""

from __future__ import annotations

import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest
from reference_versions import reference_versions

from whatworked import references
from whatworked.controls import store
from whatworked.references.index import read_index
from whatworked.workers.software import PACKAGES

CONSTRAINTS = references.folder() / "constraints.txt"
CONDITIONS = ("nile", "wine", "glass", "graph_lesmis__d6", "airfoil")
"""Bundled conditions that are quick: ridges, k-means, and link scores, whose sums depended on the version of Python."""


def pinned() -> dict[str, str]:
    lines = [line for line in CONSTRAINTS.read_text().splitlines() if not line.startswith("#")]
    return dict(re.fullmatch(r"([a-z-]+)==([0-9.]+)", line).groups() for line in lines)


def test_the_constraints_are_the_versions_that_made_tables_and_study() -> None:
    makers = [*read_index(references.folder()).makers.values(), *store.read_index(store.folder()).makers.values()]
    assert makers
    for maker in makers:
        assert {name: pinned()[name] for name in PACKAGES} == maker.packages


def test_the_constraints_satisfy_what_the_package_asks_for(root: Path) -> None:
    from packaging.requirements import Requirement

    asked = tomllib.loads((root / "pyproject.toml").read_text())["project"]["dependencies"]
    requirements = {one.name: one.specifier for one in map(Requirement, asked)}
    assert set(requirements) - set(pinned()) == {"click", "msgspec", "pooch", "tqdm"}  # these compute nothing
    assert {
        name for name, version in pinned().items() if name in requirements and version not in requirements[name]
    } == set()


def test_the_constraints_come_with_the_package(root: Path) -> None:
    patterns = tomllib.loads((root / "pyproject.toml").read_text())["tool"]["setuptools"]["package-data"]
    assert any(CONSTRAINTS.match(pattern) for pattern in patterns["whatworked.references"])


@pytest.fixture(scope="module")
def rebuilt(tmp_path_factory: pytest.TempPathFactory) -> Path:
    out = tmp_path_factory.mktemp("versions") / "out"
    environment = {name: value for name, value in os.environ.items() if not name.startswith("WHATWORKED_")}
    command = [sys.executable, "-m", "whatworked", "rebuild", *CONDITIONS, "--out", str(out), "--jobs", "1"]
    subprocess.run(command, env=environment | {"WHATWORKED_OFFLINE": "1"}, check=True, capture_output=True)
    return out


@pytest.mark.parametrize("condition", CONDITIONS)
def test_tables_have_the_bytes_that_the_installed_versions_promise(rebuilt: Path, condition: str) -> None:
    """All of them with the reference versions; families without a ridge with any."""
    same = references.table_path(condition, rebuilt).read_bytes() == references.table_path(condition).read_bytes()
    ridge = references.load_table(condition).header.family in {"regression", "forecasting"}
    assert same or (ridge and not reference_versions())


@pytest.mark.parametrize("condition", CONDITIONS)
def test_no_utility_moves_by_more_than_the_pages_figure_with_any_versions(rebuilt: Path, condition: str) -> None:
    """docs/rebuilding.md says 1e-11; the bounds of docs/rounding.md say why it is so small."""
    found, kept = references.load_surface(condition, rebuilt), references.load_surface(condition)
    assert max(abs(found[mask] - kept[mask]) for mask in kept.masks) <= 1e-11
