"""Finding families, the package's own and those from outside."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from whatworked import workflows
from whatworked.errors import PluginError, UnknownNameError
from whatworked.workflows import outside

MODULE = """
from dataclasses import replace
from whatworked.workflows import get

WORKFLOW = replace(get("regression"), family="cooking")
NUMBER = 3
"""


@pytest.fixture
def kitchen(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    (tmp_path / "kitchen_family.py").write_text(MODULE)
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.delitem(sys.modules, "kitchen_family", raising=False)
    return "kitchen_family:WORKFLOW"


def test_own_families_are_those_of_the_catalog() -> None:
    assert set(workflows.FAMILIES) <= set(workflows.families())
    for family in workflows.FAMILIES:
        assert workflows.get(family).family == family
        assert workflows.get(family).d == 6


def test_unknown_family_offers_the_nearest() -> None:
    with pytest.raises(UnknownNameError, match="did you mean regression"):
        workflows.get("regresion")


def test_a_family_by_location(kitchen: str) -> None:
    assert workflows.get(kitchen).family == "cooking"


def test_a_family_by_environment(kitchen: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(outside.VARIABLE, f" cooking = {kitchen} ,")
    assert workflows.families()[-1] == "cooking"
    assert workflows.get("cooking").d == 6


def test_a_family_by_entry_point(kitchen: str, tmp_path: Path) -> None:
    folder = tmp_path / "kitchen-1.0.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text("Metadata-Version: 2.1\nName: kitchen\nVersion: 1.0\n")
    (folder / "entry_points.txt").write_text(f"[whatworked.families]\ncooking = {kitchen}\n")
    assert "cooking" in workflows.families()
    assert workflows.get("cooking").family == "cooking"


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("cooking", "must be name=module:attribute"),
        ("cooking=module", "must be name=module:attribute"),
        ("regression=kitchen_family:WORKFLOW", "name of a family of the package"),
        ("a=x:y, a=x:z", "declared twice"),
    ],
)
def test_unreadable_declarations_are_named(value: str, message: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv(outside.VARIABLE, value)
    with pytest.raises(PluginError, match=message):
        workflows.families()


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("baking=no_such_module_xyz:WORKFLOW", "No module named"),
        ("baking=kitchen_family:MISSING", "no attribute"),
        ("baking=kitchen_family:NUMBER", "is a int"),
        ("baking=kitchen_family:WORKFLOW", "declares 'cooking'"),
    ],
)
def test_what_is_no_workflow_is_refused(
    kitchen: str, value: str, message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv(outside.VARIABLE, value)
    with pytest.raises(PluginError, match=message):
        workflows.get("baking")
