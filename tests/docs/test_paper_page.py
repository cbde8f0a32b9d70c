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
FACTS = json.loads((ROOT / "tests" / "published" / "figures.json").read_text())["figures"]
PAGE = [
    [cell.strip().replace("`", "").replace("&#124;", "|") for cell in line.strip("|\n").split("|")]
    for line in (ROOT / "docs" / "paper.md").read_text().splitlines()
    if line.startswith("|") and line.count(" | ") == 5 and "---" not in line and not line.startswith("| figure")
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


def value_of(rows, where, column, digits):
    """What a command prints in a row and column, with a printed figure's digits; also a sum, or several columns."""
    wanted = {name: values.split("+") for name, values in (part.split("=") for part in where.split(", "))}
    chosen = [row for row in rows if all(row[name] in values for name, values in wanted.items())]
    how, _, names = column.rpartition(" ")
    assert len(chosen) == 1 or how == "sum", (where, column)
    return "/".join(f"{sum(float(row[name]) for row in chosen):.{digits}f}" for name in names.split("/"))


def test_the_page_has_every_published_figure_in_order():
    assert len(PAGE) == len(FACTS) == 246
    for (figure, *_), fact in zip(PAGE, FACTS, strict=True):
        kind, _, rest = fact["figure"].partition(" ")
        assert figure == fact["figure"] or figure.startswith("L.1" if kind == ".." else f"{kind} {rest}"), fact


def test_printed_values_are_those_of_the_paper():
    for (figure, *_, printed, _), fact in zip(PAGE, FACTS, strict=True):
        values = fact["printed"] if isinstance(fact["printed"], list) else [fact["printed"]]
        assert list(map(float, printed.split("/"))) == values, figure


def test_ours_are_what_the_commands_print_and_agree_where_they_should(printed):
    for (figure, command, where, column, theirs, ours), fact in zip(PAGE, FACTS, strict=True):
        digits = len(ours.partition(".")[2])
        assert value_of(printed[command], where, column, digits) == ours, figure
        assert (ours == theirs) == fact["same_on_our_tables"], figure


def test_without_retrieval_nothing_of_it_is_left():
    rows = csv.DictReader(io.StringIO(run("controls", "by-source", "--budget", "8", "--without", "retrieval", "--csv")))
    names = {row["condition"] for row in rows}
    assert {"wine", "wine__d6", "mitdb_100__d6"} <= names
    assert not names & {"scifact", "arguana", "scifact__d6"}
