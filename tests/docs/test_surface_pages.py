"""The examples in the pages about surfaces, effects, grades and averages."""

from __future__ import annotations

import doctest

import pytest


@pytest.mark.parametrize("page", ["effects.md", "grading.md"])
def test_pages(root, page):
    result = doctest.testfile(str(root / "docs" / page), module_relative=False)
    assert result.attempted > 5
    assert result.failed == 0
