"""How the command line ends: an exit code and one line, never a traceback."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from command_line import run_apart, run_here
from slow_sample import slow_but

PROGRAM = [sys.executable, "-m", "whatworked"]


def test_a_mistake_is_one_line_and_exit_code_two() -> None:
    shown = run_apart("show", "spambas")
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert len(shown.stderr.splitlines()) == 1
    assert "spambase" in shown.stderr


def test_an_unknown_command_is_named() -> None:
    shown = run_here("rebiuld")
    assert shown.returncode == 2
    assert "rebiuld" in shown.stderr
    assert "Traceback" not in shown.stderr


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("plot", "wine"), "error: missing option '--out'; see whatworked plot --help"),
        (("plot", "wine", "--out", "."), "error: invalid value for '--out': File '.' is a directory; see "),
        (("plot",), "error: missing argument 'CONDITION'; see "),
        (("effects", "wine", "--flor", "5%"), "error: no such option '--flor'"),
        (("effects", "wine", "--floor", "5"), "error: invalid value for '--floor': '5' is not one of '1e-12', '1%', "),
        (("controls", "omision"), "error: unknown command 'omision'; did you mean omission?; see "),
        (("LIST",), "error: unknown command 'LIST'; did you mean list?; see "),
    ],
    ids=lambda value: " ".join(value) if isinstance(value, tuple) else "",
)
def test_wrong_usage_is_told_like_any_other_mistake(arguments: tuple[str, ...], message: str) -> None:
    shown = run_here(*arguments)
    assert (shown.returncode, shown.stdout, len(shown.stderr.splitlines())) == (2, "", 1)
    assert shown.stderr.startswith(message)


@pytest.mark.parametrize("group", [(), ("controls",), ("inference",)], ids=["all", "controls", "inference"])
def test_a_group_without_a_command_shows_its_commands(group: tuple[str, ...]) -> None:
    shown = run_here(*group)
    assert shown.returncode == 2
    assert "\nCommands:\n" in shown.stderr
    assert "error:" not in shown.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    shown = subprocess.run(
        [*PROGRAM, "list"], stdout=write, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, check=False
    )
    os.close(write)
    assert shown.returncode == 141
    assert shown.stderr == ""


STREAMS = ["<&- >&- 2>&-", "<&-", ">&-", "2>&-"]
BENCH = "bench --estimator mean --policy design-main --condition nile --budgets 2 --jobs 1 --out out"
REBUILD = "rebuild nile --jobs 1 --offline --cache . --out out"


def ended_with_closed_streams(closed: str, command: str, folder: Path) -> tuple[int, str]:
    line = [*PROGRAM, *command.split()]
    shell = ["sh", "-c", f'exec "$@" {closed}', "sh", *line]
    shown = subprocess.run(shell, cwd=folder, capture_output=True, text=True, check=False)
    return shown.returncode, shown.stderr


@pytest.mark.parametrize("closed", STREAMS)
def test_closed_standard_streams_are_no_error(closed: str, tmp_path: Path) -> None:
    assert ended_with_closed_streams(closed, BENCH, tmp_path) == (0, "")
    assert (tmp_path / "out" / "records.jsonl").stat().st_size > 0


@pytest.mark.parametrize("closed", slow_but(STREAMS, quick=STREAMS[:1]))
def test_closed_standard_streams_are_no_error_where_workers_import_much(closed: str, tmp_path: Path) -> None:
    assert ended_with_closed_streams(closed, REBUILD, tmp_path) == (0, "")
    assert (tmp_path / "out" / "nile.tsv").is_file()


def test_an_output_on_a_full_disk_is_one_line() -> None:
    with Path("/dev/full").open("w") as full:
        shown = subprocess.run([*PROGRAM, "list"], stdout=full, stderr=subprocess.PIPE, text=True, check=False)
    assert shown.returncode == 2
    assert shown.stderr.splitlines() == [
        "error: [Errno 28] No space left on device; send the output elsewhere and run the same command again"
    ]


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252", "utf-8"])
def test_any_name_can_be_printed_in_any_encoding(encoding: str, tmp_path: Path) -> None:
    command = [*PROGRAM, "sources", "--offline", "--cache", "\u2603\udcff"]
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    table = subprocess.run(command, capture_output=True, cwd=tmp_path, env=environment, check=False)
    assert (table.returncode, table.stderr) == (0, b"")
    as_json = subprocess.run([*command, "--json"], capture_output=True, cwd=tmp_path, env=environment, check=False)
    assert as_json.returncode == 0
    assert json.loads(as_json.stdout)[0]["folder"].startswith("\u2603\udcff")
