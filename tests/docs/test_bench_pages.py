"""The pages on plug-ins and benchmarks: their Python runs, their commands and options exist."""

from __future__ import annotations

import doctest
import importlib
import re

import pytest

from whatworked.cli import COMMANDS

PAGES = ("plugins.md", "bench.md")


@pytest.fixture(params=PAGES)
def page(request, root):
    return root / "docs" / request.param


def test_the_python_on_the_page_runs(page):
    result = doctest.testfile(str(page), module_relative=False, optionflags=doctest.ELLIPSIS)
    assert result.attempted > 0
    assert result.failed == 0


def test_commands_and_options_exist(page):
    lines = [line.strip() for line in page.read_text().splitlines() if line.strip().startswith("whatworked ")]
    assert lines
    for line in lines:
        words = line.split("#")[0].split()
        module, attribute = COMMANDS[words[1]][0].split(":")
        known = {
            option
            for parameter in getattr(importlib.import_module(module), attribute).params
            for option in parameter.opts
        }
        assert {word for word in words if word.startswith("--")} <= known, line


def test_options_in_the_text_exist_somewhere(page):
    known = set()
    for name in ("bench", "compare", "report", "check", "submit", "verify-run", "leaderboard"):
        module, attribute = COMMANDS[name][0].split(":")
        for parameter in getattr(importlib.import_module(module), attribute).params:
            known |= {*parameter.opts, *parameter.secondary_opts}
    found = set(re.findall(r"`(?:\w[\w-]* )*(--[a-z-]+)", page.read_text()))
    assert found
    assert found <= known
