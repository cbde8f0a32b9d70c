"""The page about controls: its examples, its counts, its commands."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import pytest

from whatworked import controls
from whatworked.cli.controls import controls as group
from whatworked.workflows import families, get


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "controls.md").read_text(encoding="utf-8")


def test_examples(root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "controls.md"), module_relative=False)
    assert result.attempted > 15
    assert result.failed == 0


def test_every_command_is_on_the_page(page: str) -> None:
    for name in group.commands:
        assert f"controls {name}" in page


def test_every_method_estimator_and_policy_is_on_the_page(page: str) -> None:
    for name in controls.METHODS:
        assert name in page
    for name in (*controls.ESTIMATORS, *controls.POLICIES):
        assert f"`{name.removeprefix('class-')}`" in page


def test_counts_of_classes_are_those_of_the_declarations(page: str) -> None:
    stated: dict[str, int] = {}
    for names, count in re.findall(r"^\| ([a-z_, ]+) \| (\d+)[:| ]", page, flags=re.M):
        stated |= dict.fromkeys(names.split(", "), int(count))
    assert stated == {family: len(get(family).equivalence(6)) for family in families()}
