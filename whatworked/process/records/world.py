"""The world manifest: what a record does not say of the task and of how its result is measured."""

from __future__ import annotations

from pathlib import Path
from typing import Literal, TypeAlias

import msgspec

from whatworked.errors import RecordError
from whatworked.storage.files import read_file, write_atomic

SCHEMA = "whatworked-world/1"
"""Name of the layout of a manifest's file."""
_LARGEST = 64 << 20
"""Bytes that a manifest may have; prompts and rules in full are in it."""

Polarity: TypeAlias = Literal["higher is better", "lower is better"]


class Contract(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """Rules that the agent's work is held to.

    Attributes
    ----------
    source : str
        Where they stand.
    text : str
        The rules in full.
    shown_to_agent : bool
        Whether the agent was shown them.
    """

    source: str
    text: str
    shown_to_agent: bool


class World(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """What is known of the task. Nothing has a default: each field is stated, and None says *not recorded*.

    Attributes
    ----------
    schema : str
        `SCHEMA`.
    task_prompt : str or None
        What the agent was asked to do.
    authored_channel : str or None
        Where the agent's own account is written: words beside its actions, a log book, notes.
    feedback_polarity : {"higher is better", "lower is better"} or None
        Which way the measure that the agent sees is better.
    submission : str or None
        Path or tool that the result is taken from.
    measure_size : int or None
        Number of cases in the official measure.
    contract : Contract or None
        Rules beyond the task prompt.
    """

    schema: str
    task_prompt: str | None
    authored_channel: str | None
    feedback_polarity: Polarity | None
    submission: str | None
    measure_size: int | None
    contract: Contract | None


def unknown_world() -> World:
    """A manifest in which nothing is recorded."""
    fields = {name: None for name in World.__struct_fields__ if name != "schema"}
    return World(schema=SCHEMA, **fields)


def write_world(path: Path, world: World) -> None:
    """Write a manifest as indented JSON, to be completed by hand.

    Parameters
    ----------
    path : Path
        The file.
    world : World
        What is known.

    Raises
    ------
    StorageError
        If it cannot be written.
    """
    write_atomic(path, msgspec.json.format(msgspec.json.encode(world), indent=2) + b"\n")


def read_world(path: Path) -> World:
    """Read a manifest.

    Parameters
    ----------
    path : Path
        A file that `write_world` wrote, perhaps completed by hand.

    Returns
    -------
    World

    Raises
    ------
    StorageError
        If it cannot be read.
    RecordError
        For a field that is missing, unknown, or of a wrong type, or another schema.
    """
    data = read_file(path, _LARGEST)
    try:
        world = msgspec.json.decode(data, type=World)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RecordError(
            f"world manifest {path}: {error}; each field must be there, null where it is not recorded: "
            f"{', '.join(World.__struct_fields__)}"
        ) from error
    if world.schema != SCHEMA:
        raise RecordError(f"world manifest {path} has schema {world.schema!r}; this version reads {SCHEMA!r}")
    return world
