"""Prose and tables of commands fit the width there is."""

from __future__ import annotations

import pytest

from whatworked.cli import output
from whatworked.cli.layout import averaged, counts, print_named, say, shortened


def test_one_average_gives_its_whole_column_a_decimal():
    assert counts([19.0, 2.0]) == ["19", "2"]
    assert counts([1 / 3, 19 + 2 / 3, 4.0]) == ["0.3", "19.7", "4.0"]
    assert (averaged([1.0], [2.0]), averaged([1.0], [0.5])) == (False, True)


@pytest.mark.parametrize("room", [12, 20, 40])
def test_shortened_names_fit_and_stay_apart(room):
    names = [f"a-very-long-estimator-name({k})/a-long-policy-name" for k in range(12)]
    short = shortened(names, room)
    assert list(short) == names
    assert len(set(short.values())) == len(names)
    assert max(map(len, short.values())) <= room


def test_tables_and_prose_keep_to_the_terminal(capsys, monkeypatch):
    monkeypatch.setenv("COLUMNS", "60")
    monkeypatch.setattr(output, "output_width", lambda: 60)
    long = "sklearn.ensemble:RandomForestRegressor(n_estimators=200)/gp-effect"
    print_named(
        "Title", ("track", "B", "method", "recovery"), [("four", "4", long, "0.5"), ("four", "8", "gp", "0.25")]
    )
    say("words " * 40 + "B = 4 " * 20, "  ", "- ")
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Title, four track"
    assert lines[1].split() == ["B", "method", "recovery"]
    assert any(line.endswith(f"= {long}") for line in lines)
    assert all(len(line) <= 60 for line in lines if long not in line)
    assert not any(line.endswith(("B", "B =")) for line in lines)


def test_names_are_alike_in_tables_of_any_width_and_whole_where_nothing_is_cut(capsys, monkeypatch):
    name = "walsh-hadamard/thompson-sampling"
    narrow, wide = ("B", "method", "recovery"), ("B", "method", *[f"column {k}" for k in range(8)])
    rows = [("four", "4", name, "0.5")], [("4", name, *["0.123 to 0.456"] * 8)]
    monkeypatch.setattr(output, "output_width", lambda: 80)
    print_named("Narrow", ("track", *narrow), rows[0])
    print_named("Wide", wide, rows[1])
    lines = capsys.readouterr().out.splitlines()
    assert sum(name in line for line in lines) == 5
    assert not any("…" in line for line in lines)
    assert max(map(len, lines)) <= 80
    monkeypatch.setattr(output, "output_width", lambda: None)
    print_named("Wide", wide, [("4", name * 3, *["0.123 to 0.456"] * 8)])
    lines = capsys.readouterr().out.splitlines()
    assert len(lines) == 3
    assert name * 3 in lines[2]
