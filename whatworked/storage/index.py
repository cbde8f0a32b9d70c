"""The index of a folder of files: the digest of each, and what made it.

Nothing in an index depends on the time or the host, so two machines that make the same files with the same software
write the same index.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Any, Generic, Protocol, Self, TypeVar

import msgspec

from whatworked.errors import WhatWorkedError
from whatworked.storage.files import read_file, storage_errors, write_atomic

SCHEMA = 1
"""Version of the index format."""
LARGEST = 1 << 26
"""Bytes that an index may have: hundreds of thousands of entries."""
INDEX = "index.json"
"""Name of the index in its folder."""


class Made(Protocol):
    """An entry of an index: a file, and what made it."""

    @property
    def digest(self) -> str:
        """SHA-256 of the file's bytes."""
        ...

    @property
    def maker(self) -> str:
        """Digest of what made it, a key of `DigestIndex.makers`."""
        ...


class Making(Protocol):
    """What made files."""

    @property
    def digest(self) -> str:
        """SHA-256 of what it says."""
        ...


EntryT = TypeVar("EntryT", bound=Made)
MakerT = TypeVar("MakerT", bound=Making)


class DigestIndex(msgspec.Struct, Generic[EntryT, MakerT], frozen=True, kw_only=True):
    """All files of one folder by name, and all makers by digest.

    A kind of index is a subclass that states the types, and declares `entries` again if its file calls them otherwise.

    Attributes
    ----------
    schema : int
        Version of the format.
    entries : dict
        Name to entry.
    makers : dict
        Digest to what made the files that name it.
    """

    schema: int = SCHEMA
    entries: dict[str, EntryT] = msgspec.field(default_factory=dict)
    makers: dict[str, MakerT] = msgspec.field(default_factory=dict)

    def merged(self, entries: Mapping[str, EntryT], makers: Mapping[str, MakerT]) -> Self:
        """A new index with `entries` added or replaced; makers that no entry names any more are left out."""
        every = {**self.entries, **entries}
        known = {**self.makers, **makers}
        used = {entry.maker for entry in every.values()}
        return type(self)(entries=every, makers={digest: known[digest] for digest in used})

    def maker_of(self, name: str) -> MakerT:
        """What made the file `name`, which must be in `entries`."""
        return self.makers[self.entries[name].maker]


IndexT = TypeVar("IndexT", bound=DigestIndex[Any, Any])


def load_index(folder: Path, kind: type[IndexT], broken: Callable[[str], WhatWorkedError]) -> IndexT:
    """Read the index of `folder`; an absent one is an empty index.

    Parameters
    ----------
    folder : Path
        Where it stands.
    kind : type
        Subclass of `DigestIndex`.
    broken : callable
        From what is wrong with the file to the error to raise.

    Raises
    ------
    WhatWorkedError
        The one that `broken` makes, if the file is not an index of this kind and schema.
    StorageError
        If it cannot be read.
    """
    path = folder / INDEX
    with storage_errors(path, "read"):
        if not path.exists():
            return kind()
        data = read_file(path, LARGEST)
    try:
        index: IndexT = msgspec.json.decode(data, type=kind)
    except (msgspec.MsgspecError, UnicodeDecodeError, RecursionError) as error:
        raise broken(str(error)) from error
    if lacking := _lacking(data, kind):
        raise broken(f"it has no {', '.join(lacking)}")
    if index.schema != SCHEMA:
        raise broken(f"its schema is {index.schema} and this version reads schema {SCHEMA}")
    if lost := {entry.maker for entry in index.entries.values()} - set(index.makers):
        raise broken(f"it names makers it does not describe: {', '.join(sorted(lost))}")
    if altered := [name for name, maker in index.makers.items() if maker.digest != name]:
        raise broken(f"what it says of the maker {altered[0]:.8}… was altered, for its digest is another one")
    return index


def _lacking(data: bytes, kind: type[DigestIndex[Any, Any]]) -> list[str]:
    """Which parts of an index a file does not state; every part has a default, so another file would pass for one."""
    held = msgspec.json.decode(data)
    return [field.encode_name for field in msgspec.structs.fields(kind) if field.encode_name not in held]


def write_index(folder: Path, index: DigestIndex[Any, Any]) -> None:
    """Write the index of `folder`, sorted and indented so that a change reads well in a diff."""
    text = json.dumps(msgspec.to_builtins(index), indent=1, sort_keys=True, ensure_ascii=False)
    write_atomic(folder / INDEX, f"{text}\n".encode())
