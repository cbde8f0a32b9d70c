"""The page on rebuilding: its commands and options exist, what it says is pinned is pinned, links lead somewhere."""

from __future__ import annotations

import doctest
import importlib
import re
from pathlib import Path

import pytest

from whatworked.cli import COMMANDS
from whatworked.references.schema import COLUMNS
from whatworked.workers.profile import pinned_profile


@pytest.fixture
def page(root: Path) -> str:
    return (root / "docs" / "rebuilding.md").read_text()


def options(command: str) -> set[str]:
    module, attribute = COMMANDS[command][0].split(":")
    parameters = getattr(importlib.import_module(module), attribute).params
    return {option for one in parameters for option in (*one.opts, *one.secondary_opts) if option.startswith("--")}


def test_commands_and_options_exist(page: str) -> None:
    lines = [line.split("#")[0].split() for line in page.splitlines() if line.startswith("    whatworked ")]
    assert len(lines) >= 8
    for words in lines:
        assert {word for word in words if word.startswith("--")} <= options(words[1]), words


def test_options_in_the_text_exist(page: str) -> None:
    found = set(re.findall(r"`(--[a-z-]+)", page))
    assert len(found) >= 8
    assert found <= options("rebuild") | options("verify")


def test_columns_of_the_table_are_described(page: str) -> None:
    described = re.findall(r"^\| (`[a-z`, ]+) \|", page, flags=re.MULTILINE)
    named = [name for cell in described for name in re.findall(r"`([a-z]+)`", cell)]
    assert named == list(COLUMNS)


def test_pinned_variables_are_described(page: str) -> None:
    for name, value in pinned_profile().environment.items():
        if name not in {"NPY_ENABLE_CPU_FEATURES", "BLIS_NUM_THREADS", "NUMEXPR_NUM_THREADS"}:
            assert f"`{name}`" in page
        if name in {"OPENBLAS_CORETYPE", "MKL_CBWR", "PYTHONHASHSEED"}:
            assert f"| `{name}` | `{value}` |" in page


def test_examples_print_what_they_say(root: Path) -> None:
    result = doctest.testfile(str(root / "docs" / "rebuilding.md"), module_relative=False)
    assert (result.attempted, result.failed) == (4, 0)


def test_links_lead_somewhere(page: str, root: Path) -> None:
    targets = re.findall(r"\]\(([^)#]+)\)", page)
    assert targets
    for target in targets:
        assert (root / "docs" / target).exists(), target
