"""`tools/house.py` on a small tree whose figures can be counted by hand."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import house

PYPROJECT = """
[tool.setuptools.package-dir]
whatworked = "whatworked"
"whatworked.attic" = "attic"
"""

# Arrows between rooms: front → hall, front → attic, hall → cellar, attic → hall, cellar → errors, and, since one room
# imports inside a function what imports it at its head, east → west and west → east.
FILES = {
    "whatworked/__init__.py": "",
    "whatworked/errors.py": "import os\n",
    "whatworked/front.py": "from whatworked.hall import door\nimport whatworked.attic.box\n",
    "whatworked/hall/__init__.py": "from whatworked.hall.door import knock\n",
    "whatworked/hall/door.py": """
from typing import TYPE_CHECKING

from . import lamp
from ..cellar.wine import bottle

if TYPE_CHECKING:
    from whatworked.front import nothing
""",
    "whatworked/hall/lamp.py": "def light():\n    from whatworked.hall.door import knock\n",
    "whatworked/cellar/__init__.py": "",
    "whatworked/cellar/wine.py": "from whatworked.errors import Spill\n",
    "whatworked/east.py": "from whatworked.west import sunset\n",
    "whatworked/west.py": "def sunset():\n    from whatworked import east\n",
    "attic/__init__.py": "",
    "attic/box.py": "from whatworked.hall import knock, missing\n",
}


@pytest.fixture
def checkout(tmp_path: Path) -> Path:
    (tmp_path / "pyproject.toml").write_text(PYPROJECT)
    for name, text in FILES.items():
        path = tmp_path / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text)
    return tmp_path


def test_rooms_and_arrows_are_those_of_the_import_statements(checkout: Path) -> None:
    read = house.read_house(checkout)
    assert set(read.rooms) == {"whatworked", "errors", "front", "hall", "cellar", "east", "west", "attic"}
    assert set(read.rooms.edges) == {
        ("front", "hall"),
        ("front", "attic"),
        ("hall", "cellar"),
        ("attic", "hall"),
        ("cellar", "errors"),
        ("east", "west"),
        ("west", "east"),
    }


def test_a_name_comes_from_its_module_where_it_is_one_and_from_its_package_otherwise(checkout: Path) -> None:
    read = house.read_house(checkout)
    assert set(read.imports["whatworked.front"]) == {"whatworked.hall.door", "whatworked.attic.box"}
    assert set(read.imports["whatworked.attic.box"]) == {"whatworked.hall"}
    assert set(read.imports["whatworked.hall.door"]) == {"whatworked.hall.lamp", "whatworked.cellar.wine"}


def test_floors_and_cycles(checkout: Path) -> None:
    read = house.read_house(checkout)
    assert read.floors == 5  # front, attic, hall, cellar, errors
    assert house.cycles(read.rooms) == [("east", "west")]
    assert house.cycles(read.modules) == [
        ("whatworked.east", "whatworked.west"),
        ("whatworked.hall.door", "whatworked.hall.lamp"),
    ]


def test_the_table_names_every_cycle(checkout: Path) -> None:
    lines = house.table({"before": house.read_house(checkout)}).splitlines()
    assert lines[2].split() == ["rooms", "8"]
    assert lines[4].split() == ["arrows", "between", "rooms", "7"]
    assert lines[7:] == [
        "before: cycle of rooms: east, west",
        "before: cycle of modules: whatworked.east, whatworked.west",
        "before: cycle of modules: whatworked.hall.door, whatworked.hall.lamp",
    ]


def test_a_folder_without_the_package_is_refused(tmp_path: Path) -> None:
    with pytest.raises(SystemExit, match="no package-dir in its pyproject"):
        house.read_house(tmp_path)
