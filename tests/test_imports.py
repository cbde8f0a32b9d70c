"""Importing the package and asking for help stay cheap: what is heavy is imported where it is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

HEAVY = ("sklearn", "scipy.stats", "pandas", "matplotlib", "mcp", "skimage", "statsmodels", "networkx", "wfdb", "pooch")


@pytest.mark.parametrize(
    "statement",
    [
        "import whatworked",
        "import whatworked; whatworked.load_surface",
        "from click.testing import CliRunner; from whatworked.cli import cli; CliRunner().invoke(cli, ['--help'])",
    ],
)
def test_heavy_packages_are_not_imported(statement: str) -> None:
    script = f"{statement}\nimport sys\nprint(*[name for name in {HEAVY!r} if name in sys.modules])"
    shown = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert shown.stdout.strip() == ""


def test_every_command_loads_and_says_what_the_overview_says() -> None:
    import click

    from whatworked.cli import COMMANDS, cli

    context = click.Context(cli)
    for name in COMMANDS:
        command = cli.get_command(context, name)
        assert command is not None, name
        assert command.name == name
