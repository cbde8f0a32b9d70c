"""The index of a folder of reference tables: which tables, their digests, and what made them.

Nothing in the index depends on the time, the host or the processor beyond the vector features in use after pinning, so
two machines that compute the same tables with the same packages write the same index. Facts of the machine itself stand
in a file beside it that nothing hashes.
"""

from __future__ import annotations

from pathlib import Path

import msgspec

from whatworked.errors import ReferenceTableError
from whatworked.storage.index import INDEX, SCHEMA, DigestIndex, load_index, write_index
from whatworked.workers.software import Maker

__all__ = ["INDEX", "MACHINE", "SCHEMA", "Index", "TableEntry", "read_index", "write_index"]

MACHINE = "machine.json"


class TableEntry(msgspec.Struct, frozen=True, kw_only=True):
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


class Index(DigestIndex[TableEntry, Maker], frozen=True, kw_only=True):
    """All tables of one folder by condition, and all makers by digest."""

    entries: dict[str, TableEntry] = msgspec.field(default_factory=dict, name="tables")

    @property
    def tables(self) -> dict[str, TableEntry]:
        """Condition to the entry of its table."""
        return self.entries


def read_index(folder: Path) -> Index:
    """Read the index of `folder`; an absent one is an empty index.

    Raises
    ------
    ReferenceTableError
        If the file is not an index of this schema.
    StorageError
        If it cannot be read.
    """

    def broken(what: str) -> ReferenceTableError:
        return ReferenceTableError(
            f"{folder / INDEX} is not an index of reference tables: {what}; rebuild into a new folder"
        )

    return load_index(folder, Index, broken)
