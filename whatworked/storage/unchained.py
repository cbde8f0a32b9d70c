"""Journals as version 0.1.0.dev wrote them: ``.journal``, each line a checksum and JSON, not chained.

They are read so that work begun with that version can go on, and never written.
"""

from __future__ import annotations

import zlib
from pathlib import Path
from typing import TypeVar

import msgspec

from whatworked.errors import JournalError
from whatworked.storage.files import read_file, storage_errors
from whatworked.storage.journal import LARGEST

Entry = TypeVar("Entry", bound=msgspec.Struct)

UNCHAINED = ".journal"


def read_unchained(folder: Path, form: type[Entry]) -> tuple[Entry, ...] | None:
    """Entries of the old journal in `folder`; None if there is none, or the file is something else.

    Raises
    ------
    JournalError
        If its first line is such an entry and a later whole line is not; the file is left as it is.
    """
    path = folder / UNCHAINED
    with storage_errors(path, "read"):
        if path.is_symlink() or not path.is_file():
            return None
        lines = read_file(path, LARGEST).split(b"\n")[:-1]
    found = [_entry(line, form) for line in lines]
    if not found or found[0] is None:
        return None
    entries = tuple(entry for entry in found if entry is not None)
    if len(entries) < len(found):
        raise JournalError(
            f"{path} is damaged or was altered: line {found.index(None) + 1} does not have its checksum. "
            "Nothing was changed; put the file back from a copy, or start anew with --fresh"
        )
    return entries


def _entry(line: bytes, form: type[Entry]) -> Entry | None:
    checksum, _, text = line.partition(b" ")
    if checksum != b"%08x" % zlib.crc32(text):
        return None
    try:
        return msgspec.json.decode(text, type=form)
    except (msgspec.MsgspecError, RecursionError):
        return None
