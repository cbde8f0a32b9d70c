"""docs/workflows.md says what the declarations say, and its examples run as printed."""

from __future__ import annotations

import dataclasses
import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from whatworked import workflows
from whatworked.declaration import Metric, PredictionForm, Workflow
from whatworked.declaration.text import options_table, stages_table
from whatworked.declaration.workflow import Option, Stage
from whatworked.surfaces import inactive_rules
from whatworked.workflows import FAMILIES

ENVIRONMENT = {
    name: value for name, value in os.environ.items() if name not in {"WHATWORKED_FAMILIES", "WHATWORKED_MANIFESTS"}
}


@pytest.fixture(scope="module")
def page(root: Path) -> str:
    return (root / "docs" / "workflows.md").read_text(encoding="utf-8")


def blocks(page: str, language: str) -> list[tuple[str, str]]:
    """Name and text of the code blocks of a language, each with what is printed below it, if that is shown."""
    return re.findall(rf"```{language}(?: file=(\S+))?\n(.*?)```", page, re.DOTALL)


@pytest.mark.parametrize("family", FAMILIES)
def test_tables_are_those_of_the_declaration(page: str, family: str) -> None:
    workflow = workflows.get(family)
    section = page.split(f"### {family}\n")[1].split("\n##")[0]
    assert workflow.summary in section
    assert options_table(workflow) in section
    assert stages_table(workflow) in section
    assert workflow.metric.name in section
    assert f"are {len(workflow.equivalence())} programs" in section
    assert [str(rule) in section for rule in inactive_rules(workflow.equivalence())] == [True] * section.count(
        "no effect"
    )
    form = workflow.form
    assert re.search(rf"\| {family} \| {form.tolerance:g} of .* \| {form.utility_tolerance:g} \|", page)


def test_every_argument_of_a_declaration_is_told_with_its_default(page: str) -> None:
    section = page.split("### Every argument\n")[1]
    rows = re.findall(r"^\| (\S*) ?\| (`.+?`) \| (?:`(.+)`)? ?\| (\w.*|`.*) \|$", section, re.MULTILINE)
    told: dict[str, list[tuple[str, str]]] = {}
    for owner, names, default, _ in rows:
        if owner:
            told[owner.strip("`")] = []
        told[list(told)[-1]] += [(name, default) for name in re.findall(r"`(\w+)`", names)]
    assert told == {
        one.__name__: [
            (field.name, "" if field.default is dataclasses.MISSING else repr(field.default).replace("'", '"'))
            for field in dataclasses.fields(one)
        ]
        for one in (Option, Stage, Metric, PredictionForm, Workflow)
    }


def test_first_example_prints_what_it_says(page: str) -> None:
    code, printed = blocks(page, "python")[0][1], blocks(page, "text")[0][1]
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True, env=ENVIRONMENT)
    assert done.stdout == printed


def test_a_family_of_your_own_runs_as_printed(page: str, tmp_path: Path) -> None:
    for name, code in blocks(page, "python"):
        if name:
            (tmp_path / name).write_text(code)
    done = subprocess.run(
        [sys.executable, "try_smoothing.py"], cwd=tmp_path, capture_output=True, text=True, check=True, env=ENVIRONMENT
    )
    assert done.stdout == blocks(page, "text")[1][1]
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    environment = ENVIRONMENT | {"PATH": path, "WHATWORKED_CACHE": str(tmp_path / "cache")}
    # The source can be made again where it was made before.
    script = "set -e\npython make_source.py\n" + blocks(page, "shell")[0][1]
    done = subprocess.run(
        ["bash", "-c", script], cwd=tmp_path, capture_output=True, text=True, check=False, env=environment
    )
    assert done.returncode == 0, done.stderr
    assert "16 records in again" in done.stdout
    assert "sine: smoothing, source sine, 4 options, 16 masks" in done.stdout
    assert (tmp_path / "run" / "records.jsonl").stat().st_size > 0
