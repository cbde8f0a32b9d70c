"""Every example runs as it stands, and the short ones are short."""

from __future__ import annotations

import ast
import runpy
import sys
from pathlib import Path

import pytest
from command_line import run_here
from reference_versions import reference_versions

from whatworked.cli import COMMANDS
from whatworked.testing import check_estimator, check_policy

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tools"))

import worked_pages

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


@pytest.mark.parametrize("name", worked_pages.PAGES)
def test_a_worked_page_shows_what_its_commands_print(root, name):
    page = (root / "docs" / name).read_text(encoding="utf-8")
    found = worked_pages.blocks(page)
    assert len(found) == {"example-classifier.md": 1, "example-command.md": 4}[name]
    printed = worked_pages.run([script for script, _ in found])
    for (_, shown), now in zip(found, printed, strict=True):
        if reference_versions():
            assert worked_pages.compare(shown, now) == []
        else:  # other versions may ask for other settings
            assert len(shown.splitlines()) == len(now.splitlines())


def test_a_worked_page_is_not_held_to_seconds_but_to_words_and_numbers():
    line = "0110  cache on  12.5  0.31\n"
    assert worked_pages.compare(line, line.replace("0.31", "4.00")) == []
    assert worked_pages.compare(line, line.replace("12.5", "13.0")) == []
    assert worked_pages.compare(line, line.replace("12.5", "14.5"))
    assert worked_pages.compare(line, line.replace("0110", "0111"))
    assert worked_pages.compare(line, line.replace("on", "off"))
    assert worked_pages.compare(line, line + line)
    other = "1110  cache off  7.5  0.20\n"
    assert worked_pages.compare(line + other, other + line) == []


def test_examples_are_written_into_a_folder_and_changed_ones_kept(examples, tmp_path):
    assert run_here("examples", str(tmp_path / "here")).returncode == 0
    written = {path.name: path.read_bytes() for path in (tmp_path / "here").iterdir()}
    assert set(written) == {*SHORT, *PRINTED, *worked_pages.FILES}
    assert written == {name: (examples / name).read_bytes() for name in written}
    (tmp_path / "here" / "lab.py").write_text("mine")
    (tmp_path / "here" / "simulate.sh").unlink()
    refused = run_here("examples", str(tmp_path / "here"))
    assert (refused.returncode, "lab.py" in refused.stderr) == (2, True)
    assert not (tmp_path / "here" / "simulate.sh").exists()


def test_every_example_is_run_by_a_test(examples):
    files = {path.name for path in examples.iterdir() if path.is_file()}
    assert files == {"__init__.py", *SHORT, *PRINTED, *worked_pages.FILES}


def test_commands_shown_in_examples_exist(examples):
    lines = [line.split() for path in examples.glob("*.py") for line in path.read_text().splitlines()]
    shown = {words[1] for words in lines if words[:1] == ["whatworked"]}
    assert shown >= {"check", "bench"}
    assert shown <= set(COMMANDS)
