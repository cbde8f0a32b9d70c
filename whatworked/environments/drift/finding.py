"""Instances by name: of a public or salted set, or from a file."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from whatworked.environments.drift.checking import instance_digest, read_instance
from whatworked.environments.drift.drawing import Family
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.sets import PUBLIC_SETS
from whatworked.errors import InvalidOptionError, UnknownNameError
from whatworked.storage.files import user_path

_NAME = re.compile(r"(wide-)?([a-z][a-z-]*)-([0-9]{1,6})")


@dataclass(frozen=True)
class SealedWorld:
    """What an episode is of.

    Attributes
    ----------
    name : str
        By which it is found again.
    digest : str
        Of its world.
    world : Instance
        The facts, which never leave the host.
    """

    name: str
    digest: str
    world: Instance = field(repr=False)


def find_world(name: str, salt: bytes | None = None) -> SealedWorld:
    """The instance of a name or a file.

    Parameters
    ----------
    name : str
        ``evaluation-003`` or, with the wider orders, ``wide-evaluation-003``: a set and a place in it, from 0. Or the
        path of an instance's file.
    salt : bytes, optional
        A secret that the set is drawn with.

    Returns
    -------
    SealedWorld

    Raises
    ------
    UnknownNameError
        If it is neither a name of that form nor a file that is there; or, without a salt, no place of a public set.
    InvalidOptionError
        If a salt is given for a file, whose world is what it is.
    """
    path = user_path(name)
    if path.suffix == ".json" or path.is_file():
        return _from_file(name, path, salt)
    parts = _NAME.fullmatch(name)
    if parts is None:
        raise UnknownNameError(
            f"there is no instance {name!r:.80}; give a set and a number, such as evaluation-003 or "
            "wide-evaluation-003, or the path of a .json file"
        )
    if salt is None:
        _check_published(name, parts[2], int(parts[3]))
    family: Family = "wide" if parts[1] else "paper"
    instance = generate(parts[2], int(parts[3]), family=family, salt=salt)
    return SealedWorld(f"{parts[1] or ''}{instance.file.name}", instance_digest(instance), instance)


def _check_published(name: str, ensemble: str, number: int) -> None:
    """Raise unless a public set has a place of that number: another world would be nobody else's instance."""
    if number >= PUBLIC_SETS.get(ensemble, 0):
        exist = " and ".join(f"{each}-000 to {each}-{size - 1:03d}" for each, size in PUBLIC_SETS.items())
        raise UnknownNameError(
            f"there is no instance {name}; the public sets have {exist}, each also with wide- in front. Others are "
            "drawn with a salt of one's own, or read from a file"
        )


def _from_file(name: str, path: Path, salt: bytes | None) -> SealedWorld:
    if salt is not None:
        raise InvalidOptionError(f"a salt draws instances of a set; {name} is a file. Leave the salt out")
    instance = read_instance(path)
    return SealedWorld(name, instance_digest(instance), instance)
