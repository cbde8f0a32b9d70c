"""The recorded study on disk: one text file of records per condition, and an index that vouches for them.

A file is JSON lines. The first holds what all its records share; each further line is one record, its grade a list in
the order of the header's ``grade``. Files have the same bytes for any number of jobs.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

import msgspec

from whatworked.errors import StorageError, unknown_name
from whatworked.grading.record import Record
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, storage_errors, write_atomic
from whatworked.storage.index import INDEX, DigestIndex, load_index
from whatworked.storage.package_data import package_folder
from whatworked.workers.software import Maker

SCHEMA = 1
"""Version of the format of record files."""
LARGEST = 1 << 28
"""Bytes that a file of records may have, a hundred times those of the recorded study."""


class StudyHeader(msgspec.Struct, frozen=True, kw_only=True):
    """First line of a file: what its records share."""

    schema: int
    condition: str
    table: str
    grade: tuple[str, ...]


class StudyEntry(msgspec.Struct, frozen=True, kw_only=True):
    """One file of the index.

    Attributes
    ----------
    digest : str
        SHA-256 of the file's bytes.
    records : int
        Number of records.
    table : str
        Digest of the reference table they were computed from.
    maker : str
        Digest of what computed them, a key of `StudyIndex.makers`.
    """

    digest: str
    records: int
    table: str
    maker: str


class StudyIndex(DigestIndex[StudyEntry, Maker], frozen=True, kw_only=True):
    """All files of a study by condition, and what made them by digest."""

    entries: dict[str, StudyEntry] = msgspec.field(default_factory=dict, name="conditions")


def folder() -> Path:
    """Folder of the records that come with the package."""
    return package_folder("whatworked.controls", "records")


def records_path(where: Path, condition: str) -> Path:
    """File of one condition's records in folder `where`."""
    return where / f"{condition}.jsonl"


def render(records: Sequence[Record]) -> bytes:
    """Bytes of the file of some records, at least one, all of one condition."""
    first = records[0]
    names = tuple(sorted(first.grade.to_dict())) if first.grade else ()
    header = StudyHeader(schema=SCHEMA, condition=first.condition, table=first.table, grade=names)
    lines = [canonical_json(msgspec.to_builtins(header))]
    lines += [canonical_json(_packed(record, names)) for record in records]
    return b"\n".join([*lines, b""])


def _packed(record: Record, names: Sequence[str]) -> dict[str, Any]:
    content: dict[str, Any] = msgspec.to_builtins(record)
    del content["condition"], content["table"]
    grade = content.pop("grade", None)
    return content if grade is None else {**content, "grade": [grade[name] for name in names]}


def parse(data: bytes, name: str) -> tuple[Record, ...]:
    """Records of a file's bytes; `name` is what error messages call it.

    Raises
    ------
    StorageError
        If the bytes are not a file of this format.
    """
    try:
        first, *lines = data.splitlines()
        header = msgspec.json.decode(first, type=StudyHeader)
        if header.schema != SCHEMA:
            raise ValueError(f"its schema is {header.schema} and this version reads schema {SCHEMA}")
        return tuple(_unpacked(msgspec.json.decode(line), header) for line in lines)
    except (ValueError, TypeError, KeyError, msgspec.MsgspecError) as error:
        raise StorageError(
            f"{name} is not a file of study records: {error}; make it again with `whatworked controls run`"
        ) from error


def _unpacked(content: dict[str, Any], header: StudyHeader) -> Record:
    grade = content.pop("grade", None)
    named = None if grade is None else dict(zip(header.grade, grade, strict=True))
    return msgspec.convert({**content, "condition": header.condition, "table": header.table, "grade": named}, Record)


def is_study_file(data: bytes) -> bool:
    """Whether the bytes of a file begin as those of a file of study records do."""
    try:
        msgspec.json.decode(data.partition(b"\n")[0], type=StudyHeader)
    except (ValueError, msgspec.MsgspecError):
        return False
    return True


def read_index(where: Path) -> StudyIndex:
    """Index of folder `where`; an absent one is empty.

    Raises
    ------
    StorageError
        If the file cannot be read or is no index of this format.
    """

    def broken(what: str) -> StorageError:
        return StorageError(f"{where / INDEX} is not an index of study records: {what}; run into a new folder")

    return load_index(where, StudyIndex, broken)


def write_records(where: Path, records: Sequence[Record], maker: Maker) -> StudyEntry:
    """Write the file of one condition; returns its entry for the index."""
    data = render(records)
    write_atomic(records_path(where, records[0].condition), data)
    return StudyEntry(digest=sha256(data), records=len(records), table=records[0].table, maker=maker.digest)


def read_records(where: Path | str | None = None, conditions: Iterable[str] | None = None) -> tuple[Record, ...]:
    """Records of a study, condition by condition.

    Parameters
    ----------
    where : Path or str, optional
        Folder of the study; default: the records that come with the package.
    conditions : iterable of str, optional
        Ids of conditions, in the order wanted; default all, in alphabetical order.

    Returns
    -------
    tuple of Record

    Raises
    ------
    UnknownNameError
        If the index has no such condition.
    StorageError
        If there is no study, a file is missing or cannot be read, or its bytes are not those that the index vouches
        for.
    """
    place = folder() if where is None else Path(where)
    entries = read_index(place).entries
    wanted = sorted(entries) if conditions is None else list(conditions)
    if not entries:
        raise StorageError(f"{place} holds no study; make one with `whatworked controls run --out {place}`")
    return tuple(record for name in wanted for record in _read_condition(place, name, entries))


def _read_condition(where: Path, condition: str, entries: dict[str, StudyEntry]) -> tuple[Record, ...]:
    if condition not in entries:
        raise unknown_name("condition of the study", condition, entries)
    path = records_path(where, condition)
    with storage_errors(path, "read"):
        data = read_file(path, LARGEST)
    if (found := sha256(data)) != entries[condition].digest:
        raise StorageError(
            f"{path} was altered: its digest is {found} and the index says {entries[condition].digest}; "
            "restore it, or make it again with `whatworked controls run`"
        )
    return parse(data, str(path))
