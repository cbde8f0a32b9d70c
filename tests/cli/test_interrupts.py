"""Ctrl-C that Python itself would drop."""

from __future__ import annotations

import subprocess
import sys

PROGRAM = """
import signal, time
import click
from whatworked import cli

signal.signal(signal.SIGINT, signal.default_int_handler)


class Dying:
    def __del__(self):
        signal.raise_signal(signal.SIGINT)


@click.command()
def work():
    thing = Dying()
    del thing
    time.sleep(3600)
    print("finished")


cli.cli.add_command(work)
cli.main()
"""


def test_an_interrupt_in_a_finalizer_ends_the_command() -> None:
    command = [sys.executable, "-c", PROGRAM, "work"]
    done = subprocess.run(command, capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 130
    assert done.stdout == ""
    assert done.stderr.strip() == "interrupted; finished work is kept, run the same command again to go on"
