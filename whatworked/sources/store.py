"""The store of prepared inputs: one file per source and manifest, checked on every load."""

from __future__ import annotations

import io
import zipfile
from pathlib import Path
from typing import Any

import msgspec
import numpy as np

from whatworked.catalog.manifest_layout import Manifest
from whatworked.declaration.prepared import PreparedInput, content_digest
from whatworked.errors import DigestMismatchError
from whatworked.sources.archives import ARCHIVE_ERRORS, read_bounded
from whatworked.storage.canonical import canonical_json, sha256
from whatworked.storage.files import read_file, write_atomic

READING = 2
"""Raised whenever a reader or preparation takes raw data otherwise, or refuses what it took before."""

_FACTS = "facts.json"
_LARGEST = 1 << 32
"""Bytes that a prepared input may have; it can be a few times as large as its raw files."""
_EPOCH = (1980, 1, 1, 0, 0, 0)


def store_path(cache: Path, one: Manifest) -> Path:
    """Where the prepared input that a manifest leads to is kept; another manifest leads to another file.

    What counts is all that decides the content: how raw files are recognised, read and prepared, and the expected
    result. Titles, terms and addresses do not. What an earlier version of our readers made is not taken for right.
    """
    forms = [(form.reader, [(file.name, file.sha256) for file in form.files]) for form in one.forms]
    made_of = msgspec.to_builtins((READING, one.family, forms, one.preparation, one.expected))
    return cache / "prepared" / f"{one.id}-{sha256(canonical_json(made_of))[:16]}.npz"


def save(prepared: PreparedInput, path: Path) -> None:
    """Write a prepared input as an npz file with its facts as canonical JSON inside, whole or not at all.

    Equal content gives equal bytes.

    Raises
    ------
    StorageError
        If the file cannot be written.
    """
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w", zipfile.ZIP_STORED) as archive:
        for name, array in sorted(prepared.arrays.items()):
            packed = io.BytesIO()
            np.lib.format.write_array(packed, array, allow_pickle=False)
            archive.writestr(zipfile.ZipInfo(f"{name}.npy", _EPOCH), packed.getvalue())
        archive.writestr(zipfile.ZipInfo(_FACTS, _EPOCH), canonical_json(dict(prepared.facts)))
    write_atomic(path, stream.getvalue())


def load(path: Path, source: str, family: str, digest: str) -> PreparedInput:
    """Read a prepared input and check its content digest.

    Raises
    ------
    DigestMismatchError
        If the file is damaged or holds other content; the message says how to build it anew.
    StorageError
        If it cannot be read.
    """
    data = read_file(path, _LARGEST)
    try:
        arrays, facts = _unpack(data)
        found = content_digest(arrays.items(), facts)
    except (*ARCHIVE_ERRORS, KeyError, MemoryError, DigestMismatchError) as error:
        raise _damaged(path, source, f"it cannot be unpacked ({error})") from error
    if found != digest:
        raise _damaged(path, source, f"content digest {found}, expected {digest}")
    return PreparedInput(source, family, arrays, msgspec.json.decode(facts))


def _unpack(data: bytes) -> tuple[dict[str, Any], bytes]:
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        # What `save` writes is not compressed, so no member is larger than the file.
        members = {name: read_bounded(archive.open(name), len(data), name) for name in archive.namelist()}
    facts = members.pop(_FACTS)
    arrays = {
        name.removesuffix(".npy"): np.lib.format.read_array(io.BytesIO(packed), allow_pickle=False)
        for name, packed in members.items()
    }
    return arrays, facts


def _damaged(path: Path, source: str, what: str) -> DigestMismatchError:
    return DigestMismatchError(
        f"prepared input {path} is damaged: {what}; it was not used. "
        f"Run `whatworked sources fetch {source} --again` to build it anew"
    )
