"""The index of a folder of reference tables: which tables, their digests, and what made them.

Nothing in the index depends on the time, the host or the processor beyond the vector features in use after pinning, so
two machines that compute the same tables with the same packages write the same index. Facts of the machine itself stand
in a file beside it that nothing hashes.
"""

from __future__ import annotations

import json
from pathlib import Path

import msgspec

from whatworked.errors import ReferenceTableError
from whatworked.storage.files import storage_errors, write_atomic
from whatworked.workers.software import Maker

SCHEMA = 1
"""Version of the index format."""

INDEX = "index.json"
MACHINE = "machine.json"


class Entry(msgspec.Struct, frozen=True, kw_only=True):
    """One table of the index.

    Attributes
    ----------
    digest : str
        SHA-256 of the table's bytes.
    family, source : str
        Names of the catalog.
    dimensions, records : int
        Number of options and of rows.
    workflow : str
        Version of the workflow declaration that made it.
    prepared : str
        Digest of the prepared input.
    maker : str
        Digest of the `Maker`, a key of `Index.makers`.
    """

    digest: str
    family: str
    source: str
    dimensions: int
    records: int
    workflow: str
    prepared: str
    maker: str


class Index(msgspec.Struct, frozen=True, kw_only=True):
    """All tables of one folder by condition, and all makers by digest."""

    schema: int = SCHEMA
    tables: dict[str, Entry] = msgspec.field(default_factory=dict)
    makers: dict[str, Maker] = msgspec.field(default_factory=dict)

    def merged(self, tables: dict[str, Entry], makers: dict[str, Maker]) -> Index:
        """A new index with `tables` added or replaced; makers that no table names any more are left out."""
        entries = {**self.tables, **tables}
        known = {**self.makers, **makers}
        used = {entry.maker for entry in entries.values()}
        return Index(tables=entries, makers={digest: known[digest] for digest in used})

    def maker_of(self, condition: str) -> Maker:
        """What made the table of `condition`, which must be in `tables`."""
        return self.makers[self.tables[condition].maker]


def read_index(folder: Path) -> Index:
    """Read the index of `folder`; an absent one is an empty index.

    Raises
    ------
    ReferenceTableError
        If the file is not an index of this schema.
    StorageError
        If it cannot be read.
    """
    path = folder / INDEX
    with storage_errors(path, "read"):
        if not path.exists():
            return Index()
        data = path.read_bytes()
    try:
        index = msgspec.json.decode(data, type=Index)
        if index.schema != SCHEMA:
            raise msgspec.ValidationError(f"its schema is {index.schema} and this version reads schema {SCHEMA}")
        if lost := {entry.maker for entry in index.tables.values()} - set(index.makers):
            raise msgspec.ValidationError(f"it names makers it does not describe: {', '.join(sorted(lost))}")
    except (msgspec.MsgspecError, UnicodeDecodeError) as error:
        raise ReferenceTableError(
            f"{path} is not an index of reference tables: {error}; rebuild into a new folder"
        ) from error
    return index


def write_index(folder: Path, index: Index) -> None:
    """Write `index` to `folder`, sorted and indented so that a change reads well in a diff."""
    text = json.dumps(msgspec.to_builtins(index), indent=1, sort_keys=True, ensure_ascii=False)
    write_atomic(folder / INDEX, f"{text}\n".encode())
