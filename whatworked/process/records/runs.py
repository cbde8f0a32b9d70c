"""Runs to be judged: records with their manifests, or logs that are converted on the way."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path

from whatworked.errors import RecordError
from whatworked.process.records.convert import Conversion, convert, free_name
from whatworked.process.records.files import read_record
from whatworked.process.records.record import SCHEMA, Record, unjudgeable
from whatworked.process.records.world import World, read_world, unknown_world

RECORD_END = ".record.jsonl"
WORLD_END = ".world.json"


@dataclass(frozen=True)
class Run:
    """One run, or why there is none.

    Attributes
    ----------
    name : str
        A name for files.
    source : str
        Where it comes from.
    record : Record or None
        What happened; None where it was refused.
    world : World or None
        What is known of its task.
    refused : str or None
        Why it cannot be judged.
    """

    name: str
    source: str
    record: Record | None
    world: World | None
    refused: str | None


def find_runs(paths: Iterable[Path]) -> Iterator[Run]:
    """Every run that files and folders hold, as records or as logs.

    Parameters
    ----------
    paths : iterable of Path
        Records (``NAME.record.jsonl``, with ``NAME.world.json`` beside them where it exists), logs of any known format,
        and folders of either.

    Yields
    ------
    Run
        In the order of the paths, and of names within a folder. Files of a folder that no reader knows are left out.

    Raises
    ------
    RecordError
        For a record or a manifest that is broken.
    StorageError
        If one cannot be read.
    """
    taken: set[str] = set()
    for path in paths:
        records = [path] if is_record(path) else sorted(path.rglob(f"*{RECORD_END}")) if path.is_dir() else []
        if records:
            yield from (_from_record(record, taken) for record in records)
        else:
            yield from (
                _from_log(found, taken) for found in convert([path]) if found.format is not None or path.is_file()
            )


def is_record(path: Path) -> bool:
    """Whether a file begins as a record does.

    Parameters
    ----------
    path : Path
        Any path.

    Returns
    -------
    bool
    """
    if not path.is_file():
        return False
    with path.open("rb") as stream:
        return f'"schema":"{SCHEMA}"'.encode() in stream.readline(100_000)


def world_beside(path: Path) -> World:
    """The manifest that stands beside a record; one in which nothing is known where there is none.

    Parameters
    ----------
    path : Path
        The record's file.

    Returns
    -------
    World

    Raises
    ------
    RecordError
        If it is broken.
    StorageError
        If it cannot be read.
    """
    beside = path.with_name(path.name.removesuffix(RECORD_END) + WORLD_END)
    return read_world(beside) if beside.is_file() else unknown_world()


def _from_record(path: Path, taken: set[str]) -> Run:
    record = read_record(path)
    reason = unjudgeable(record)
    refused = None if reason is None else f"cannot be judged: {reason}"
    return Run(free_name([path.name.removesuffix(RECORD_END)], taken), str(path), record, world_beside(path), refused)


def _from_log(found: Conversion, taken: set[str]) -> Run:
    parts = [found.source, found.run if found.run != found.source else None]
    name = free_name(parts, taken)
    if found.record is None and found.refused is None:
        raise RecordError(f"{found.source} holds no run")
    return Run(name, found.source, found.record, found.world, found.refused)
