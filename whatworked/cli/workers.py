"""Options of the commands that start workers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

import click

MOST_JOBS = 1024
"""Workers that may be asked for; how many are started depends on the cores and the work."""

Command = TypeVar("Command", bound=Callable[..., Any])


def pool_options(command: Command) -> Command:
    """How many workers there are and how they are started."""
    for option in (
        click.option(
            "--backend",
            default="loky",
            show_default=True,
            metavar="NAME",
            help="How workers are started: loky, dask, dask:tcp://HOST:8786, …",
        ),
        click.option(
            "--jobs", default=2, show_default=True, type=click.IntRange(1, MOST_JOBS), help="Number of workers."
        ),
    ):
        command = option(command)
    return command


def recompute_options(command: Command) -> Command:
    """How the work is done and where raw data may be: the options that rebuilding and verifying have in common."""
    for option in (
        click.option("--offline", is_flag=True, default=None, help="Leave the network alone."),
        click.option("--cache", metavar="DIR", help="Downloads and prepared inputs [WHATWORKED_CACHE]."),
        click.option("--mirror", metavar="DIR", help="A folder of raw files per source [WHATWORKED_MIRROR]."),
        click.option("--cold", is_flag=True, help="Run every record by itself, sharing nothing."),
        pool_options,
        click.option("--family", "families", multiple=True, metavar="FAMILY", help="This family; repeatable."),
    ):
        command = option(command)
    return command
