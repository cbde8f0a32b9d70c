"""The examples in docstrings, of every module that has any."""

from __future__ import annotations

import doctest
import importlib
from pathlib import Path

import pytest

import whatworked
from whatworked import controls, references, workflows


def modules_with_examples() -> list[str]:
    """Names of the package's modules whose text holds an example."""
    found = []
    for package in (whatworked, controls, references, workflows):
        folder = Path(package.__path__[0])
        for path in sorted(folder.rglob("*.py")):
            if ">>> " in path.read_text(encoding="utf-8"):
                parts = path.relative_to(folder).with_suffix("").parts
                found.append(".".join([package.__name__, *(part for part in parts if part != "__init__")]))
    return found


@pytest.mark.parametrize("name", modules_with_examples())
def test_docstrings(name: str) -> None:
    result = doctest.testmod(importlib.import_module(name))
    assert result.attempted > 0
    assert result.failed == 0


def test_examples_are_found_in_every_part() -> None:
    found = modules_with_examples()
    for name in (
        "whatworked.surfaces.surface",
        "whatworked.methods.ties",
        "whatworked.workflows",
        "whatworked.cli.layout",
    ):
        assert name in found
