"""Every example runs as it stands, and the short ones are short."""

from __future__ import annotations

import ast
import runpy

import pytest

from whatworked.cli import COMMANDS
from whatworked.testing import check_estimator, check_policy

SHORT = {"my_estimator.py": ("Nearest", check_estimator), "my_policy.py": ("Farthest", check_policy)}
PRINTED = {
    "scikit_learn.py": ["Pipeline/design-pair: recovers 0.", "forest/design-pair: recovers 0."],
    "optuna_sampler.py": ["gp/TPESampler: recovery 0.", "gp/gp-effect: recovery 0.", "of 3 sources"],
    "compare_two.py": ["Nearest/gp-effect against gp/gp-effect, four track, B = 4:", "is ahead of"],
}


@pytest.fixture
def examples(root):
    return root / "examples"


def code_lines(path):
    """Lines that hold code: no blank lines, comments or docstrings."""
    tree = ast.parse(path.read_text())
    docstring = tree.body[0].end_lineno
    lines = path.read_text().splitlines()[docstring:]
    return [line for line in lines if line.strip() and not line.strip().startswith("#")]


@pytest.mark.parametrize("name", SHORT)
def test_a_new_plugin_takes_at_most_20_lines_and_keeps_the_contract(examples, name):
    attribute, check = SHORT[name]
    assert len(code_lines(examples / name)) <= 20
    check(f"{examples / name}:{attribute}", dimensions=(1, 2, 3, 4, 6))


@pytest.mark.parametrize("name", PRINTED)
def test_an_example_runs_and_prints_its_results(examples, name, tmp_path, monkeypatch, capsys):
    monkeypatch.setattr("sys.argv", [name, str(tmp_path / "out")])
    runpy.run_path(str(examples / name), run_name="__main__")
    printed = capsys.readouterr().out
    for expected in PRINTED[name]:
        assert expected in printed
    assert (tmp_path / "out" / "manifest.json").exists()


def test_every_example_is_run_by_a_test(examples):
    assert {path.name for path in examples.glob("*.py")} == {*SHORT, *PRINTED}


def test_commands_shown_in_examples_exist(examples):
    lines = [line.split() for path in examples.glob("*.py") for line in path.read_text().splitlines()]
    shown = {words[1] for words in lines if words[:1] == ["whatworked"]}
    assert shown >= {"check", "bench"}
    assert shown <= set(COMMANDS)
