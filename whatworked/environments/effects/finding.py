"""From a name or a file to an instance."""

from __future__ import annotations

import os
from pathlib import Path

import numpy as np

from whatworked import references
from whatworked.environments.effects.instance import OptionText, SurfaceInstance, salted, split_name
from whatworked.errors import InvalidOptionError, InvalidSurfaceError, UnknownNameError
from whatworked.references.schema import parse
from whatworked.storage.canonical import sha256
from whatworked.storage.files import read_file, storage_errors
from whatworked.storage.json_text import parse_json
from whatworked.surfaces.cost_map import CostMap
from whatworked.surfaces.surface import ResponseSurface

_SHORTEST_SALT = 16


def find_instance(name: str, salt: bytes | None = None) -> SurfaceInstance:
    """The instance of a condition that has a reference table, or of a file with a surface of one's own.

    Parameters
    ----------
    name : str
        A condition, such as ``"wine__d6"``; or a path (with a separator, or ending in ``.tsv`` or ``.json``) of a
        reference table as `whatworked rebuild` writes one, or of a JSON object from every mask to its utility. The hash
        of a salt may follow a condition or path.
    salt : bytes, optional
        The order of the options is drawn by it.

    Raises
    ------
    UnknownNameError
        If there is no such condition; or the name asks for a salt that is not given, or is another one.
    InvalidOptionError
        If the salt has fewer than 16 bytes.
    ReferenceTableError, InvalidSurfaceError, StorageError
        If the table or file is missing, altered or none.
    """
    condition, seal = split_name(name)
    plain = _from_file(condition) if _is_path(condition) else _from_table(condition)
    if salt is None:
        if seal:
            raise UnknownNameError(
                f"instance {name} has its options in the order of a private salt; give the file of that salt"
            )
        return plain
    if len(salt) < _SHORTEST_SALT:
        raise InvalidOptionError(
            f"the salt has {len(salt)} bytes; give a file with at least {_SHORTEST_SALT} random ones, as "
            "`head -c 32 /dev/urandom > FILE` makes it"
        )
    instance = salted(plain, salt)
    if seal and seal != instance.seal:
        raise UnknownNameError(
            f"instance {name} has its options in the order of another salt; give the file of that one"
        )
    return instance


def _is_path(name: str) -> bool:
    return os.sep in name or name.endswith((".tsv", ".json"))


def _from_table(condition: str) -> SurfaceInstance:
    header = references.load_table(condition).header
    return SurfaceInstance(
        condition=condition,
        surface=references.load_surface(condition),
        family=header.family,
        source=header.source,
        options=tuple(OptionText(note.letter, note.name, note.off, note.on) for note in header.options),
        metric=header.metric,
        unit=header.unit,
        table=references.table_digest(condition),
    )


def _from_file(name: str) -> SurfaceInstance:
    path = Path(name).absolute()
    if not path.is_file():
        raise UnknownNameError(f"there is no file {name}; give a condition, or a file with a response surface")
    with storage_errors(path, "read"):
        data = read_file(path, references.LARGEST)
    # The full path, so that an episode is found again from any folder.
    return _from_rows(str(path), data) if path.suffix == ".tsv" else _from_mapping(str(path), data)


def _from_rows(name: str, data: bytes) -> SurfaceInstance:
    table = parse(data, name)
    header = table.header
    surface = ResponseSurface(
        options=tuple(option.letter for option in header.options),
        utilities=np.array([row.utility for row in table.rows]),
        native=np.array([row.native for row in table.rows]),
        utility_map=None if header.cost_scale is None else CostMap(header.cost_scale),
        name=header.condition,
        native_unit=header.unit,
    )
    return SurfaceInstance(
        condition=name,
        surface=surface,
        family=header.family,
        source=header.source,
        options=tuple(OptionText(note.letter, note.name, note.off, note.on) for note in header.options),
        metric=header.metric,
        unit=header.unit,
        table=sha256(data),
    )


def _from_mapping(name: str, data: bytes) -> SurfaceInstance:
    try:
        content = parse_json(data)
    except ValueError as error:
        raise InvalidSurfaceError(
            f"{name} is not JSON: {error}; give an object from every mask to its utility"
        ) from error
    if not isinstance(content, dict) or not content:
        raise InvalidSurfaceError(f"{name} holds no JSON object; give one from every mask to its utility")
    return SurfaceInstance(condition=name, surface=ResponseSurface.from_mapping(content, name="own surface"))
