"""The reference tables: utility of every mask of every condition, and the index that vouches for them."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

from whatworked.arguments import path
from whatworked.errors import ReferenceTableError, unknown_name
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file, storage_errors
from whatworked.storage.package_data import package_folder

if TYPE_CHECKING:
    from whatworked.references.schema import Table
    from whatworked.surfaces.surface import ResponseSurface

__all__ = ["conditions", "folder", "load_surface", "load_table", "no_tables", "table_digest", "table_path"]

LARGEST = 1 << 29
"""Bytes that a table may have: 512 for each mask of 20 options."""


def folder() -> Path:
    """Folder of the tables that come with the package."""
    return package_folder("whatworked.references")


def _in(where: Path | str | None) -> Path:
    return folder() if where is None else path(where, "folder of reference tables")


def table_path(condition: str, where: Path | str | None = None) -> Path:
    """Where the table of `condition` stands in folder `where` (default: the package's own)."""
    return _in(where) / f"{condition}.tsv"


def conditions(where: Path | str | None = None) -> tuple[str, ...]:
    """Conditions that have a reference table.

    Parameters
    ----------
    where : Path or str, optional
        Folder with the tables and their index; default: the tables that come with the package.

    Returns
    -------
    tuple of str
        Ids in alphabetical order; empty for a folder without an index.

    Raises
    ------
    ReferenceTableError
        If the index is none of this version.
    StorageError
        If a file or folder cannot be read.
    """
    from whatworked.references.index import read_index

    return tuple(sorted(read_index(_in(where)).tables))


def no_tables(where: Path | str | None = None) -> ReferenceTableError:
    """The error for a folder (default: the package's own) without any table, to be raised by the caller."""
    return ReferenceTableError(f"{_in(where)} holds no reference tables; give a folder that `whatworked rebuild` wrote")


def table_digest(condition: str, where: Path | str | None = None) -> str:
    """Digest of the table of `condition` as the index states it.

    Raises
    ------
    UnknownNameError
        If the index of the folder has no table of that name.
    ReferenceTableError
        If it has no table at all.
    """
    from whatworked.references.index import read_index

    tables = read_index(_in(where)).tables
    if not tables:
        raise no_tables(where)
    if not isinstance(condition, str) or condition not in tables:
        raise unknown_name("reference table", condition, sorted(tables))
    return tables[condition].digest


def load_table(condition: str, where: Path | str | None = None) -> Table:
    """Read one reference table after checking its bytes against the index.

    Parameters
    ----------
    condition : str
        Id of the condition, for instance ``"spambase__d6"``.
    where : Path or str, optional
        Folder with the tables and their index; default: the tables that come with the package.

    Returns
    -------
    Table
        Header and one row per mask, in canonical order.

    Raises
    ------
    UnknownNameError
        If there is no table of that name; the message offers the nearest.
    ReferenceTableError
        If the table is missing, its bytes differ from the index, or it is the table of another condition.
    StorageError
        If a file or folder cannot be read.

    Examples
    --------
    >>> table = load_table("wine")
    >>> table.header.metric, len(table.rows), table.rows[4].mask
    ('NMI', 16, '0100')
    """
    from whatworked.references.schema import parse

    expected, file = table_digest(condition, where), table_path(condition, where)
    if not file.exists():
        raise ReferenceTableError(
            f"{file} is in the index but missing; `whatworked rebuild {condition}` makes it again"
        )
    with storage_errors(file, "read"):
        data = read_file(file, LARGEST)
    if (found := sha256(data)) != expected:
        raise ReferenceTableError(
            f"{file} was altered: its digest is {found} and the index says {expected}; "
            f"restore the file, or make it again with `whatworked rebuild {condition}`"
        )
    table = parse(data, str(file))
    if table.header.condition != condition:
        raise ReferenceTableError(
            f"{file} holds the table of {table.header.condition}; "
            f"restore the file, or make it again with `whatworked rebuild {condition}`"
        )
    return table


def load_surface(condition: str, where: Path | str | None = None) -> ResponseSurface:
    """Response surface of a condition, from its reference table.

    Parameters
    ----------
    condition : str
        Id of the condition, for instance ``"spambase__d6"``.
    where : Path or str, optional
        Folder with the tables and their index; default: the tables that come with the package.

    Returns
    -------
    ResponseSurface
        Utilities and native values in canonical order, shape (2**d,), with the map between them where there is one.

    Raises
    ------
    UnknownNameError, ReferenceTableError, StorageError
        As for `load_table`.

    Examples
    --------
    >>> surface = load_surface("wine")
    >>> surface.d, surface.best
    (4, '0100')
    """
    import numpy as np

    from whatworked.surfaces.cost_map import CostMap
    from whatworked.surfaces.surface import ResponseSurface

    table = load_table(condition, where)
    header = table.header
    return ResponseSurface(
        options=tuple(option.letter for option in header.options),
        utilities=np.array([row.utility for row in table.rows], dtype=np.float64),
        native=np.array([row.native for row in table.rows], dtype=np.float64),
        utility_map=None if header.cost_scale is None else CostMap(header.cost_scale),
        name=str(condition),
        native_unit=header.unit,
    )
