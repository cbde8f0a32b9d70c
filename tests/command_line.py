"""The command line, run in this process or in one of its own, away from the user's own settings."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from unittest import mock

from click.testing import CliRunner

from whatworked import cli


@dataclass(frozen=True)
class Ended:
    """How a command ended; named like the results of ``subprocess.run``."""

    returncode: int
    stdout: str
    stderr: str


def settings(wanted: Mapping[str, str]) -> dict[str, str | None]:
    """Variables of the package to set or to take away (None): offline, and nothing of the user's own."""
    others = dict.fromkeys(name for name in os.environ if name.startswith("WHATWORKED_"))
    return {**others, "WHATWORKED_OFFLINE": "1", **wanted}


def run_here(*arguments: str, **wanted: str) -> Ended:
    """Run a command in this process: output, messages and exit code are those of the program.

    What is about the process itself (signals, closed streams, limits) needs `run_apart`.
    """
    argv = sys.argv
    # Click names the program after the one that runs, which is pytest here.
    named = mock.patch("click.core._detect_program_name", return_value="whatworked")
    with named, CliRunner().isolation(env=settings(wanted)) as (stdout, stderr, _):
        sys.argv = ["whatworked", *arguments]
        try:
            code = cli._exit_code()
        finally:
            sys.argv = argv
        sys.stdout.flush()
        sys.stderr.flush()
        return Ended(code, stdout.getvalue().decode(), stderr.getvalue().decode())


def run_apart(*arguments: str, **wanted: str) -> subprocess.CompletedProcess[str]:
    """Run a command in a process of its own."""
    environment = {name: value for name, value in {**os.environ, **settings(wanted)}.items() if value is not None}
    command = [sys.executable, "-m", "whatworked", *arguments]
    return subprocess.run(
        command, env=environment, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
