from __future__ import annotations

import pytest
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.cli.rows import print_rows


def test_tables_of_rows_print_zero_without_a_sign(capsys):
    print_rows([{"name": "a", "difference": -1e-9}, {"name": "b", "difference": -0.5}], "table")
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [["a", "0.0000"], ["b", "-0.5000"]]


def test_the_list_counts_what_it_shows():
    result = CliRunner().invoke(cli, ["list", "--family", "retrieval"], catch_exceptions=False)
    assert result.output.splitlines()[-1] == "3 conditions of 2 sources, 96 records"


def test_columns_of_whole_credits_have_no_decimals_and_shares_keep_theirs(capsys: pytest.CaptureFixture[str]) -> None:
    rows = [{"method": "a", "credits": 8.0, "share": 1.0}, {"method": "b", "credits": 12.0, "share": 0.0}]
    print_rows(rows, "table")
    assert [line.split() for line in capsys.readouterr().out.splitlines()[1:]] == [
        ["a", "8", "1.0000"],
        ["b", "12", "0.0000"],
    ]
    print_rows([*rows, {"method": "c", "credits": 7.5, "share": None}], "table")
    assert capsys.readouterr().out.splitlines()[1].split() == ["a", "8.0000", "1.0000"]
