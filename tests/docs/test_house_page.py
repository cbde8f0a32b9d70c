"""The walk through the house, the list of rooms in CONTRIBUTING and the table of moved modules name what there is."""

from __future__ import annotations

import doctest
import importlib
import importlib.util
import re
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import house


def test_every_module_of_the_walk_exists_and_is_named_in_full(root: Path) -> None:
    named = re.findall(r"`(whatworked\.[\w.]+)`", (root / "docs" / "house.md").read_text())
    assert len(set(named)) > 50
    assert [name for name in named if importlib.util.find_spec(name) is None] == []


def test_every_step_names_a_module(root: Path) -> None:
    rows = re.findall(r"^\| \d+ \| .+$", (root / "docs" / "house.md").read_text(), flags=re.MULTILINE)
    assert len(rows) == 11 + 12 + 7
    assert all("`whatworked." in row.split(" | ")[2] for row in rows)


def test_the_examples_of_the_walk(root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "house.md"), module_relative=False)
    assert result.attempted > 10
    assert result.failed == 0


def test_contributing_lists_the_rooms_in_the_order_that_is_checked(root: Path) -> None:
    rooms = (root / "CONTRIBUTING.md").read_text().split("| room |")[1].split("\n\n")[0]
    listed = [re.findall(r"`(\w+)`", cell) for cell in re.findall(r"^\| (`[^|]+) \|", rooms, flags=re.MULTILINE)]
    contract = (root / ".importlinter").read_text().split("layers =\n")[1].split("\n\n")[0]
    # A layer in parentheses need not exist.
    assert listed == [re.findall(r"\w+", layer) for layer in contract.splitlines()]
    assert set(house.read_house(root).rooms) - {"whatworked"} <= {room for layer in listed for room in layer}


def test_moved_modules_are_where_the_changelog_says(root: Path) -> None:
    text = (root / "CHANGELOG.md").read_text().split("**Import paths.**")[1]
    rows = re.findall(r"^\| `([\w.]+)` \| `([\w.]+)` \| (?:`([\w.]+)`)? *\|$", text, flags=re.MULTILINE)
    assert len(rows) > 60
    for _, new, public in rows:
        assert importlib.util.find_spec(f"whatworked.{new}") is not None, new
        if public:
            assert importlib.import_module(f"whatworked.{public}").__all__, public
