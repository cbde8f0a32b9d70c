"""No output is wider than the terminal, and nothing is lost where there is none."""

from __future__ import annotations

import contextlib
import fcntl
import os
import struct
import subprocess
import sys
import termios

import click
import pytest
from click.testing import CliRunner

from whatworked.cli import cli, output, print_text
from whatworked.cli.output import print_table
from whatworked.progress import progress

COMMANDS = [
    ("list",),
    ("show", "scifact__d6"),
    ("show", "nile"),
    ("effects", "scifact__d6"),
    ("effects", "scifact__d6", "--option", "C"),
    ("sources", "--offline", "--family", "beat_detection"),
    ("controls", "table", "--budget", "14"),
    ("controls", "omission", "--budget", "14"),
    ("controls", "native", "--budget", "14"),
]


def printed(width: int | None, monkeypatch: pytest.MonkeyPatch, *arguments: str) -> str:
    monkeypatch.setattr(output, "output_width", lambda: width)
    result = CliRunner().invoke(cli, arguments, catch_exceptions=False)
    assert result.exit_code == 0
    return result.output


@pytest.mark.parametrize("arguments", COMMANDS, ids=" ".join)
@pytest.mark.parametrize("width", [80, 100])
def test_every_line_fits_the_terminal(
    arguments: tuple[str, ...], width: int, monkeypatch: pytest.MonkeyPatch, tmp_path
) -> None:
    monkeypatch.setenv("WHATWORKED_CACHE", str(tmp_path))
    text = printed(width, monkeypatch, *arguments)
    # A folder of a user may be longer than any line; it is never broken.
    assert [line for line in text.splitlines() if len(line) > width and str(tmp_path) not in line] == []


@pytest.mark.parametrize("arguments", COMMANDS[1:], ids=" ".join)
def test_a_narrow_terminal_loses_no_word(arguments: tuple[str, ...], monkeypatch: pytest.MonkeyPatch, tmp_path) -> None:
    monkeypatch.setenv("WHATWORKED_CACHE", str(tmp_path))
    whole = printed(None, monkeypatch, *arguments)
    assert set(printed(80, monkeypatch, *arguments).split()) == set(whole.split())


def test_a_table_gives_up_columns_then_breaks_cells_then_falls_apart(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    rows = [("name", "more", "what", "a", "b"), ("x", "-----", "one two three four five", "1000000", "2000000")]

    def at(width: int) -> list[str]:
        monkeypatch.setattr(output, "output_width", lambda: width)
        print_table(rows, right=(3, 4), drop=(1,))
        return capsys.readouterr().out.splitlines()

    assert at(60)[0].split() == ["name", "more", "what", "a", "b"]
    assert at(50)[0].split() == ["name", "what", "a", "b"]
    assert at(38)[1:] == ["x     one two three   1000000  2000000", "      four five"]
    assert at(30) == [
        "name  what                   a",
        "x     one two three    1000000",
        "      four five",
        "",
        "name        b",
        "x     2000000",
    ]


def test_prose_is_broken_between_words(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(output, "output_width", lambda: 12)
    print_text("- one two three\nhttps://example.org/a-b", indent=2)
    assert capsys.readouterr().out.splitlines() == ["- one two", "  three", "https://example.org/a-b"]


@pytest.mark.parametrize("group", ["controls", "sources"])
def test_help_lines_are_whole(group: str) -> None:
    result = CliRunner().invoke(cli, [group, "--help"], terminal_width=80)
    assert "..." not in result.output.split("Commands:")[1]


def test_no_help_shows_how_it_is_laid_out() -> None:
    seen = []

    def walk(command: click.Command, path: tuple[str, ...]) -> None:
        context = click.Context(command, info_name=path[-1])
        seen.append(path)
        assert "\\b" not in command.get_help(context), path
        if isinstance(command, click.Group):
            for name in command.list_commands(context):
                inner = command.get_command(context, name)
                assert inner is not None
                walk(inner, (*path, name))

    walk(cli, ("whatworked",))
    assert len(seen) > 60


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (["rebuld"], "unknown command 'rebuld'; did you mean rebuild?"),
        (["sources", "fetsch"], "unknown command 'fetsch'; did you mean fetch?"),
        (["sources", "mine"], "unknown command 'mine'; there are check, export, fetch, list"),
    ],
)
def test_the_nearest_command_is_offered(arguments: list[str], message: str) -> None:
    result = CliRunner().invoke(cli, arguments)
    assert result.exit_code == 2
    assert message in result.output


def test_sources_can_be_listed_by_name(tmp_path) -> None:
    arguments = ["sources", "--cache", str(tmp_path), "--offline"]
    listed = CliRunner().invoke(cli, [*arguments, "list", "nile"], catch_exceptions=False).output
    assert [line.split()[0] for line in listed.splitlines()[:2]] == ["source", "nile"]
    assert CliRunner().invoke(cli, [*arguments, "list"]).output == CliRunner().invoke(cli, arguments).output != listed


@pytest.mark.parametrize(
    ("rows", "columns", "expected"), [(0, 0, 80), (0, 100, 99), (24, 0, 80), (24, 60, 59), (24, 132, 131)]
)
def test_the_bar_keeps_its_width_on_terminals_of_any_size(rows: int, columns: int, expected: int) -> None:
    code = """
from whatworked.progress import progress
with progress(88, "records", label="bench") as bar:
    bar.update(44)
    bar.set_postfix_str("energy_efficiency, relevance-lookahead" * 4)
"""
    leader, follower = os.openpty()
    fcntl.ioctl(follower, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))
    subprocess.run([sys.executable, "-c", code], stderr=follower, check=True)
    os.close(follower)
    shown = b""
    with contextlib.suppress(OSError):  # where the other end is closed
        while part := os.read(leader, 65536):
            shown += part
    os.close(leader)
    last = shown.decode().replace("\r", "\n").strip().splitlines()[-1]
    assert last.startswith("bench:  50%|████████        | 44/88 [")
    assert "records/s" in last or columns == 60
    assert len(last) == expected


def test_no_progress_is_shown_on_nothing(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    with progress(0, "records") as bar:
        bar.update(0)
    assert capsys.readouterr().err == ""
