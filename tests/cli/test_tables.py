from __future__ import annotations

import pytest
from click.testing import CliRunner

from whatworked.cli import cli
from whatworked.cli.tables import counted


@pytest.mark.parametrize(
    ("number", "noun", "text"),
    [
        (0, "record", "0 records"),
        (1, "record", "1 record"),
        (36, "condition", "36 conditions"),
        (2, "class", "2 classes"),
    ],
)
def test_one_of_a_thing_is_singular(number, noun, text):
    assert counted(number, noun) == text


def test_the_list_counts_what_it_shows():
    result = CliRunner().invoke(cli, ["list", "--family", "retrieval"], catch_exceptions=False)
    assert result.output.splitlines()[-1] == "3 conditions of 2 sources, 96 records"
