"""``whatworked drift``: instances of the drift, what they hold, and scripts run against them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import click

from whatworked.cli.lazy import Group
from whatworked.cli.output import echo, print_json, print_table, print_text

if TYPE_CHECKING:
    from whatworked.environments.drift.instance import Instance

_INSTANCE = click.argument("instance", type=click.Path(path_type=Path))


@click.group(cls=Group)
def drift() -> None:
    """The drift: worlds whose representation must be found."""


@drift.command()
@_INSTANCE
@click.option("--json", "as_json", is_flag=True, help="Print JSON.")
def answer(instance: Path, as_json: bool) -> None:
    """Carry out the standing order of an instance and print the three figures that it is asked for.

    Example: whatworked drift answer world.json
    """
    from whatworked.environments.drift.order import answer_of

    figures = answer_of(_read(instance))._asdict()
    if as_json:
        print_json(figures)
    else:
        print_table([list(figures), list(map(str, figures.values()))], right=[0, 1, 2])


@drift.command()
@_INSTANCE
@click.option("--ordered", is_flag=True, help="Show the pass in which the standing order is carried out.")
def show(instance: Path, ordered: bool) -> None:
    """Show what no player sees: the individuals of an instance at tick 0, and a pass that nobody disturbs.

    Example: whatworked drift show world.json --ordered
    """
    from whatworked.environments.drift.checking import instance_digest
    from whatworked.environments.drift.showing import individual_rows, order_line, pass_rows

    read = _read(instance)
    print_text(f"{read.file.name or 'unnamed'}  {instance_digest(read)[:16]}")
    print_text(order_line(read))
    echo()
    print_table(individual_rows(read), right=[1])
    echo()
    print_table(pass_rows(read, ordered=ordered), right=[0, 1, 2])


@drift.command()
@_INSTANCE
@click.argument("script", type=click.Path(path_type=Path))
def trace(instance: Path, script: Path) -> None:
    """Run a script of actions against an instance, and print one line of JSON an action.

    Actions that cannot be asked for where the agent stands leave no line. The last line gives, for each block, the paid
    actions after which its evidence was first in the log.

    Example: whatworked drift trace world.json walk.json
    """
    from whatworked.environments.drift.script import read_script, trace_lines
    from whatworked.storage.files import user_path

    read = _read(instance)
    for line in trace_lines(read, read_script(user_path(script))):
        echo(line)


def _read(path: Path) -> Instance:
    from whatworked.environments.drift.checking import read_instance
    from whatworked.storage.files import user_path

    return read_instance(user_path(path))
