"""What the commands about response surfaces share: finding a table and labelling its surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whatworked.errors import DeclarationError, InvalidOptionError, ReferenceTableError, WhatWorkedError, unknown_name

if TYPE_CHECKING:
    from whatworked.surfaces.exports import LabelledSurface

Command = TypeVar("Command", bound=Callable[..., Any])


def references_option(command: Command) -> Command:
    """The option that names another folder of reference tables."""
    return click.option(
        "--references",
        "where",
        type=click.Path(path_type=Path, file_okay=False),
        help="Folder with reference tables and their index. Default: those of the package.",
    )(command)


def table_options(command: Command) -> Command:
    """The options that say how a CSV file of settings and results is read."""
    for option in (
        click.option(
            "--direction", type=click.Choice(["maximize", "minimize"]), help="Good results of a CSV. [maximize]"
        ),
        click.option("--value", "column", metavar="NAME", help="Column of results of a CSV. [the last one]"),
    ):
        command = option(command)
    return command


def surface_or_table(name: str, where: Path | None, column: str | None, direction: Any) -> tuple[LabelledSurface, str]:
    """Surface of a condition or of a CSV file, and how the file's results became utilities (empty for a condition).

    Raises
    ------
    InvalidOptionError
        If options of the one are given with the other, or as `whatworked.campaigns.table_surface.read_surface`.
    WhatWorkedError
        As `labelled_surface`.
    """
    if not name.lower().endswith(".csv"):
        if column is not None or direction is not None:
            raise InvalidOptionError(f"--value and --direction are for a CSV file; {name} is the name of a condition")
        return labelled_surface(name, where), ""
    from whatworked.campaigns.table_surface import read_surface
    from whatworked.storage.files import user_path

    if where is not None:
        raise InvalidOptionError(f"--references is for a condition; {name} is a file")
    return read_surface(user_path(name), column, direction)


def labelled_surface(condition: str, where: Path | None) -> LabelledSurface:
    """Surface of a condition with its labels.

    Raises
    ------
    UnknownNameError
        If there is no condition of that name.
    ReferenceTableError
        If it has no table, or as `whatworked.references.load_table`.
    """
    from whatworked import references
    from whatworked.catalog.catalog import conditions
    from whatworked.surfaces.exports import LabelledSurface

    tracks = {known.id: str(known.track) for known in conditions()}
    present = references.conditions(where)
    if present and condition not in present:
        raise _no_table(condition, where, known=condition in tracks, names=(*tracks, *present))
    header = references.load_table(condition, where).header
    return LabelledSurface(
        references.load_surface(condition, where),
        header.family,
        header.source,
        tracks.get(condition, ""),
        tuple(option.name for option in header.options),
    )


def _no_table(condition: str, where: Path | None, *, known: bool, names: Iterable[str]) -> WhatWorkedError:
    from whatworked.catalog.catalog import condition as find
    from whatworked.catalog.fit import problem_of

    if not known:
        return unknown_name("condition", condition, dict.fromkeys(names))
    if problem := problem_of(find(condition)):
        return DeclarationError(f"{condition}: {problem}")
    return ReferenceTableError(f"{condition} has {no_table(condition, where)}")


def no_table(condition: str, where: Path | None) -> str:
    """The message about a condition without a table, with how to get one."""
    from whatworked import references

    return (
        f"no reference table in {where or references.folder()}; make it with "
        f"`whatworked rebuild {condition} --out DIR`, then give --references DIR"
    )


def conditions_with_tables(where: Path | None) -> tuple[str, ...]:
    """Conditions that have a table: those of the catalog in its order, then others by name."""
    from whatworked import references
    from whatworked.catalog.catalog import conditions

    present = references.conditions(where)
    order = {known.id: place for place, known in enumerate(conditions())}
    return tuple(sorted(present, key=lambda name: (order.get(name, len(order)), name)))
