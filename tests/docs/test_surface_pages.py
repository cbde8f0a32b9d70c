"""The examples in the pages and docstrings about surfaces, effects, grades and averages."""

from __future__ import annotations

import doctest
import importlib

import pytest

MODULES = (
    "aggregate",
    "artifact",
    "bridges",
    "effects",
    "grading",
    "reversals",
    "spectrum",
    "surface",
    "utility",
)


@pytest.mark.parametrize("page", ["effects.md", "grading.md"])
def test_pages(root, page):
    result = doctest.testfile(str(root / "docs" / page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0


@pytest.mark.parametrize("name", MODULES)
def test_docstrings(name):
    result = doctest.testmod(importlib.import_module(f"whatworked.{name}"))
    assert result.attempted > 0
    assert result.failed == 0
