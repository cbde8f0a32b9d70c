"""Sets of instances: the public ones, files and index of a set, and instances that no longer count."""

from __future__ import annotations

import hashlib
import hmac
from collections.abc import Iterator, Sequence
from functools import cache
from importlib import resources
from pathlib import Path
from typing import Any

import msgspec

from whatworked.environments.drift.checking import canonical_file, instance_digest
from whatworked.environments.drift.drawing import Family
from whatworked.environments.drift.generation import generate
from whatworked.environments.drift.instance import Instance
from whatworked.environments.drift.order import answer_of
from whatworked.errors import InvalidOptionError, StorageError
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, write_atomic

INDEX = "index.json"
SET_FORMAT = "drift-set/1"
PUBLIC_SETS: dict[str, int] = {"evaluation": 12, "reserved": 120}
"""Names and sizes of the sets that anybody can generate: paired evaluation instances, and those for probes."""
MOST_SALT = 4096
LEAST_SALT = 16
"""Bytes of a salt's file."""


class Retirement(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An instance that no longer counts in an evaluation.

    Attributes
    ----------
    digest : str
        Of its world.
    reason : str
        Why.
    """

    digest: str
    reason: str


@cache
def retirements() -> tuple[Retirement, ...]:
    """The retirement list: instances whose answer is public, or whose episodes are."""
    data = resources.files("whatworked.environments.drift.data").joinpath("retired.json").read_bytes()
    return msgspec.json.decode(data, type=tuple[Retirement, ...])


def retirement_reason(instance: Instance) -> str | None:
    """Why an instance no longer counts; None if it does."""
    digest = instance_digest(instance)
    return next((entry.reason for entry in retirements() if entry.digest == digest), None)


def read_salt(path: Path) -> bytes:
    """A secret from a file.

    Raises
    ------
    StorageError
        If it cannot be read.
    InvalidOptionError
        If it is too short to be one.
    """
    salt = read_file(path, MOST_SALT, "read the salt")
    if len(salt) < LEAST_SALT:
        raise InvalidOptionError(
            f"the salt {path} has {len(salt)} bytes; {LEAST_SALT} or more are needed that nobody can guess "
            f"(head -c 32 /dev/urandom > {path.name})"
        )
    return salt


def write_set(
    folder: Path, ensemble: str, count: int, *, family: Family = "paper", salt: bytes | None = None
) -> Iterator[Instance]:
    """Generate a set into a folder: a file an instance as it comes, and at the end an index of hashes.

    Files that are there already with the same bytes are kept, so an interrupted run goes on where it was.

    Parameters
    ----------
    folder : Path
        Where to write.
    ensemble : str
        Name of the set.
    count : int
        How many instances.
    family : {"paper", "wide"}
        Which orders are drawn.
    salt : bytes, optional
        A secret; then only the index may be published, until the salt is.

    Yields
    ------
    Instance
        Each one after it was written.

    Raises
    ------
    StorageError
        If a file is there with other content, or cannot be written.
    """
    instances = []
    for number in range(count):
        instance = generate(ensemble, number, family=family, salt=salt)
        _write_once(folder / f"{instance.file.name}.json", canonical_file(instance))
        instances.append(instance)
        yield instance
    _write_once(folder / INDEX, canonical_json(set_index(instances, ensemble, family, salt)) + b"\n")


def set_index(instances: Sequence[Instance], ensemble: str, family: Family, salt: bytes | None) -> dict[str, Any]:
    """What can be published of a set: hashes of instances and answers.

    The hash of an answer is keyed, with the salt or, in a public set, with nothing: three small numbers could be found
    from a plain hash.
    """
    rows = [
        {
            "name": instance.file.name,
            "digest": instance_digest(instance),
            "answer": hmac.new(
                salt or b"", canonical_json([instance_digest(instance), *answer_of(instance)]), hashlib.sha256
            ).hexdigest(),
        }
        for instance in instances
    ]
    return {
        "format": SET_FORMAT,
        "ensemble": ensemble,
        "family": family,
        "salt": None if salt is None else sha256(b"drift salt" + salt),
        "instances": rows,
    }


def _write_once(path: Path, data: bytes) -> None:
    if path.exists() and read_file(path, 1 << 24) != data:
        raise StorageError(
            f"{path} is there with other content; nothing was changed. Move it away, or choose another folder"
        )
    if not path.exists():
        write_atomic(path, data)
