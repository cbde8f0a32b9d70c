"""The page on inference: commands and options exist, links lead somewhere, figures agree with each other."""

from __future__ import annotations

import re
import shlex

import pytest

from whatworked.cli import COMMANDS, cli
from whatworked.inference.study.loo import VARIANTS


@pytest.fixture
def page(root):
    return root / "docs" / "inference.md"


def test_commands_and_options_exist(page):
    text = page.read_text()
    found = re.findall(r"`(whatworked [^`]+)`", text) + re.findall(r"^    (whatworked .+)$", text, re.MULTILINE)
    assert len(found) >= 5
    for line in found:
        words = shlex.split(line)[1:]
        command = cli.get_command(None, words[0])
        assert words[0] in COMMANDS, line
        if hasattr(command, "commands") and len(words) > 1:
            command = command.commands[words[1]]
        known = {option for parameter in command.params for option in parameter.opts}
        assert {word for word in words if word.startswith("--")} <= known, line


def test_links_and_images_exist(page):
    targets = re.findall(r"\]\(([^)#]+)\)", page.read_text())
    assert targets
    for target in targets:
        assert (page.parent / target).exists(), target


def test_every_variant_has_its_line(page):
    lines = [line.split()[0] for line in page.read_text().splitlines() if re.match(r"[a-z-]+ +0\.\d{4}", line)]
    assert lines[: len(VARIANTS)] == list(VARIANTS)


def test_family_table_averages_to_the_line_of_the_default(page):
    text = page.read_text()
    line = next(line for line in text.splitlines() if line.startswith("default"))
    macro = [float(word) for word in line.split()[1::2]]
    rows = re.findall(r"^\| [a-z_]+ \|((?: ?[\d.]* \|){7})$", text, re.MULTILINE)
    assert len(rows) == 8
    columns = zip(*[[cell.strip() for cell in row.split("|")[:7]] for row in rows], strict=True)
    for column, expected in zip(columns, macro, strict=True):
        values = [float(cell) for cell in column if cell]
        assert sum(values) / len(values) == pytest.approx(expected, abs=6e-4)
