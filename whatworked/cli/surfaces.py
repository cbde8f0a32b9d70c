"""What the commands about response surfaces share: finding a table and labelling its surface."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeVar

import click

from whatworked.errors import DeclarationError, ReferenceTableError, WhatWorkedError, unknown_name

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
