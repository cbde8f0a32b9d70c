"""The page of the paper's figures: printed values are the published facts, ours are what the commands print."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path

import pytest
from click.testing import CliRunner

from whatworked.cli import cli

ROOT = Path(__file__).resolve().parents[2]
FACTS = {}
for fact in json.loads((ROOT / "tests" / "published" / "figures.json").read_text())["figures"]:
    FACTS.setdefault(fact["figure"], fact)
PAGE = [
    [cell.strip().replace("`", "").replace("&#124;", "|") for cell in line.strip("|\n").split("|")]
    for line in (ROOT / "docs" / "paper.md").read_text().splitlines()
    if line.startswith("|") and "---" not in line and not line.startswith("| figure")
]


@pytest.fixture(scope="module")
def printed(tmp_path_factory):
    """Rows of every command of the page."""
    folder = tmp_path_factory.mktemp("export")
    found = {}
    for command in dict.fromkeys(line[1] for line in PAGE):
        words, _, name = command.partition(", ")
        if name:
            if not (folder / name).exists():
                run("export", str(folder))
            text = (folder / name).read_text()
        else:
            text = run(*words.split(), "--csv")
        found[command] = list(csv.DictReader(io.StringIO(text)))
    return found


def run(*arguments):
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0, result.output
    return result.output


def value_of(rows, where, column):
    wanted = dict(part.split("=") for part in where.split())
    how, _, name = column.rpartition(" ")
    values = [float(row[name]) for row in rows if wanted.items() <= row.items()]
    assert len(values) == 1 or how, (where, column)
    return {"min": min, "max": max, "": max}[how](values)


def test_the_page_names_a_command_for_every_kind_of_figure():
    kinds = {line[0].split()[0] for line in PAGE}
    assert {"6.1", "L.1", "L.2", "L.3", "L.4", "L.5", "L.6", "T3", "E"} <= kinds
    assert len(PAGE) > 50


def test_printed_values_are_those_of_the_paper():
    for figure, *_, printed, _ in PAGE:
        assert float(printed) == pytest.approx(FACTS[figure]["printed"]), figure


def test_ours_are_what_the_commands_print_and_agree_where_they_should(printed):
    for figure, command, where, column, theirs, ours in PAGE:
        digits = len(ours.partition(".")[2])
        assert f"{value_of(printed[command], where, column):.{digits}f}" == ours, figure
        if FACTS[figure]["same_on_our_tables"]:
            assert float(ours) == float(theirs), figure


def test_without_retrieval_nothing_of_it_is_left():
    rows = csv.DictReader(io.StringIO(run("controls", "by-source", "--budget", "8", "--without", "retrieval", "--csv")))
    names = {row["condition"] for row in rows}
    assert {"wine", "wine__d6", "mitdb_100__d6"} <= names
    assert not names & {"scifact", "arguana", "scifact__d6"}
