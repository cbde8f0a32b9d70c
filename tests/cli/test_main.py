"""How the command line ends: an exit code and one line, never a traceback."""

from __future__ import annotations

import os
import subprocess
import sys

PROGRAM = [sys.executable, "-m", "whatworked"]


def run(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run([*PROGRAM, *arguments], capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False)


def test_a_mistake_is_one_line_and_exit_code_two() -> None:
    shown = run("show", "spambas")
    assert shown.returncode == 2
    assert shown.stdout == ""
    assert len(shown.stderr.splitlines()) == 1
    assert "spambase" in shown.stderr


def test_an_unknown_command_is_named() -> None:
    shown = run("rebiuld")
    assert shown.returncode == 2
    assert "rebiuld" in shown.stderr
    assert "Traceback" not in shown.stderr


def test_a_reader_that_goes_away_is_no_error() -> None:
    read, write = os.pipe()
    os.close(read)
    shown = subprocess.run(
        [*PROGRAM, "list"], stdout=write, stderr=subprocess.PIPE, text=True, stdin=subprocess.DEVNULL, check=False
    )
    os.close(write)
    assert shown.returncode == 141
    assert shown.stderr == ""
