"""Telling the files of a rebuild from files of the same names that somebody else put there."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from pathlib import Path

from whatworked.references import table_path
from whatworked.references.index import MACHINE
from whatworked.storage.foreign import IsOwn, is_written_by, refuse_foreign
from whatworked.storage.index import INDEX

FAILURES = "failures.log"
_TABLE = b"# whatworked reference table "


def refuse_foreign_files(folder: Path, conditions: Sequence[str]) -> None:
    """Refuse `folder` if it has files of other people under the names that a rebuild of `conditions` writes.

    Raises
    ------
    StorageError
        Naming them; nothing was changed then.
    """
    tables: dict[Path, IsOwn] = {table_path(condition, folder): _is_table for condition in conditions}
    # An index that is damaged belongs to the tables beside it.
    beside = any(is_written_by(path, _is_table) for path in tables)
    index: IsOwn = (lambda data: _is_index(data) or not _is_object(data)) if beside else _is_index
    others: dict[Path, IsOwn] = {folder / INDEX: index, folder / MACHINE: _is_machine, folder / FAILURES: _is_log}
    refuse_foreign({**tables, **others}, "whatworked rebuild")


def _is_table(data: bytes) -> bool:
    return data.startswith(_TABLE)


def _is_index(data: bytes) -> bool:
    return b'"makers"' in data and b'"tables"' in data


def _is_machine(data: bytes) -> bool:
    return b'"processor"' in data and b'"unpinned"' in data


def _is_log(data: bytes) -> bool:
    return re.match(rb"\S+ [01]+\n", data) is not None


def _is_object(data: bytes) -> bool:
    try:
        return isinstance(json.loads(data), dict)
    except (ValueError, RecursionError):
        return False
