"""Records on disk: a header line and one line a step, canonical JSON, the same bytes for the same record."""

from __future__ import annotations

from pathlib import Path
from typing import TypeVar

import msgspec

from whatworked.errors import RecordError
from whatworked.process.records.record import SCHEMA, Header, Record, Step
from whatworked.process.records.source import FILE_LIMIT, LINE_LIMIT
from whatworked.storage.canonical import canonical_json
from whatworked.storage.files import read_start, write_atomic

Part = TypeVar("Part", bound=msgspec.Struct)

_SCHEMAS = f'"{SCHEMA.partition("/")[0]}/'.encode()
"""How the schema of every version begins."""


def record_bytes(record: Record) -> bytes:
    """A record as the bytes of its file.

    Parameters
    ----------
    record : Record
        The run.

    Returns
    -------
    bytes
        Lines of canonical JSON, the header first.

    Raises
    ------
    RecordError
        If a step is longer than a line may be.
    """
    lines = [canonical_json(msgspec.to_builtins(part)) for part in (record.header, *record.steps)]
    for step, line in zip(record.steps, lines[1:], strict=True):
        if len(line) > LINE_LIMIT:
            raise RecordError(
                f"step {step.id} ({step.where}) has {len(line):,} bytes; a line has at most {LINE_LIMIT:,}: cut its "
                "text in the log, or leave the step out"
            )
    return b"".join(line + b"\n" for line in lines)


def write_record(path: Path, record: Record) -> None:
    """Write a record's file, complete or not at all.

    Parameters
    ----------
    path : Path
        The file.
    record : Record
        The run.

    Raises
    ------
    StorageError
        If it cannot be written.
    RecordError
        If a step is longer than a line may be.
    """
    write_atomic(path, record_bytes(record))


def read_record(path: Path) -> Record:
    """Read a record's file and hold it to what its header says.

    Parameters
    ----------
    path : Path
        A file that `write_record` wrote.

    Returns
    -------
    Record

    Raises
    ------
    StorageError
        If it cannot be read.
    RecordError
        If it is too large, has a line that is too long, broken or of a wrong layout, steps that are missing, doubled or
        out of order, references to steps that are not there, or another schema.
    """
    data = read_start(path, FILE_LIMIT)
    if len(data) > FILE_LIMIT:
        raise RecordError(f"record {path} has more than {FILE_LIMIT:,} bytes; at most so many are read")
    lines = data.split(b"\n")
    if lines[-1]:
        raise RecordError(f"record {path} ends within line {len(lines)}; convert its log again")
    header = _header(path, lines[0])
    steps = tuple(_decoded(path, number, line, Step) for number, line in enumerate(lines[1:-1], 2))
    _hold_together(path, header, steps)
    return Record(header=header, steps=steps)


def begins_as_record(data: bytes) -> bool:
    """Whether the bytes of a file begin as those of a record do, of whatever version.

    Parameters
    ----------
    data : bytes
        The file, or its start.

    Returns
    -------
    bool
    """
    line = data[:LINE_LIMIT].partition(b"\n")[0]
    try:
        schema = msgspec.json.decode(line, type=dict[str, msgspec.Raw]).get("schema")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError):
        return False
    return schema is not None and bytes(schema).startswith(_SCHEMAS)


def _header(path: Path, line: bytes) -> Header:
    try:
        schema = msgspec.json.decode(line, type=dict[str, msgspec.Raw]).get("schema")
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RecordError(
            f"{path} is no record: its first line is no header ({error}); make one with `whatworked process convert`"
        ) from error
    if schema is None or bytes(schema) != f'"{SCHEMA}"'.encode():
        said = "none" if schema is None else bytes(schema)[:60].decode(errors="replace")
        raise RecordError(
            f'record {path}, line 1 has schema {said}; this version reads "{SCHEMA}": convert the log again'
        )
    return _decoded(path, 1, line, Header)


def _decoded(path: Path, number: int, line: bytes, kind: type[Part]) -> Part:
    if len(line) > LINE_LIMIT:
        raise RecordError(f"record {path}, line {number} has {len(line):,} bytes; a line has at most {LINE_LIMIT:,}")
    try:
        return msgspec.json.decode(line, type=kind)
    except (msgspec.MsgspecError, RecursionError, UnicodeDecodeError) as error:
        raise RecordError(
            f"record {path}, line {number} is no {kind.__name__.lower()}: {error}; convert its log again"
        ) from error


def _hold_together(path: Path, header: Header, steps: tuple[Step, ...]) -> None:
    faults = []
    seen: set[int] = set()
    for place, step in enumerate(steps):
        if step.id in seen:
            faults.append(f"step id {step.id} stands there twice (line {place + 2})")
        elif step.id != place:
            faults.append(f"line {place + 2} holds step {step.id} where step {place} is due")
        seen.add(step.id)
        if step.parent is not None and not 0 <= step.parent < len(steps):
            faults.append(f"step {step.id} descends from step {step.parent}, which is not there")
        if step.shown_after is not None and not place <= step.shown_after < len(steps):
            faults.append(f"step {step.id} has its result after step {step.shown_after}, which is not there or earlier")
    if len(steps) != header.counts.steps:
        faults.append(f"the header counts {header.counts.steps} steps, and there are {len(steps)}")
    if faults:
        more = f"; and {len(faults) - 5} more" if len(faults) > 5 else ""
        raise RecordError(f"record {path}: {'; '.join(faults[:5])}{more}; convert its log again")
