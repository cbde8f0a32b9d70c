"""Manifests: one TOML file per source, found and decoded strictly.

A manifest says what a source is, where its raw data may come from, what the raw bytes must be, how they are prepared
and what the prepared input must be. `whatworked.catalog.manifest_layout` has the layout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import get_args

import msgspec

from whatworked.catalog.manifest_layout import Manifest, Preparation, Reader
from whatworked.catalog.tracks import TRACKS
from whatworked.errors import ManifestError, unknown_name
from whatworked.storage.files import user_path

FOLDERS_VARIABLE = "WHATWORKED_MANIFESTS"
ENTRY_POINT_GROUP = "whatworked.manifests"


def decode(text: str, path: str = "") -> Manifest:
    """Decode one manifest.

    Raises
    ------
    ManifestError
        If it is not TOML, a key is unknown or missing, a value has the wrong type, or parts contradict each other.
    """
    try:
        manifest = msgspec.toml.decode(text, type=Manifest)
    except (msgspec.DecodeError, ValueError) as error:
        told = f"{error}{_allowed(str(error))}"
        raise ManifestError(f"manifest {path or '(text)'}: {told}; see docs/sources.md for the fields") from error
    return msgspec.structs.replace(manifest, path=path)


def manifests() -> Mapping[str, Manifest]:
    """All manifests by source id: the package's own, then those of other packages and of `WHATWORKED_MANIFESTS`.

    Raises
    ------
    ManifestError
        If a manifest is wrong, a folder does not exist, or two manifests share an id.
    """
    return _load(os.environ.get(FOLDERS_VARIABLE, ""))


def manifest(source: str) -> Manifest:
    """Manifest of one source; `UnknownNameError` offers the nearest ids."""
    known = manifests()
    if source not in known:
        raise unknown_name("source", source, known)
    return known[source]


def is_of_package(manifest: Manifest) -> bool:
    """Whether a manifest comes with this package; anybody else's may still be corrected by whoever reads of it."""
    return Path(manifest.path).parent == _package_folder()


@lru_cache(maxsize=8)
def _load(folders: str) -> Mapping[str, Manifest]:
    found: dict[str, Manifest] = {}
    for folder in _folders(folders):
        for path in sorted(folder.glob("*.toml")):
            declared = decode(_read(path), str(path))
            if declared.id in found:
                raise ManifestError(
                    f"source {declared.id!r} is declared twice: {found[declared.id].path} and {path}; rename one"
                )
            found[declared.id] = declared
    return MappingProxyType(found)


def _allowed(problem: str) -> str:
    """What a field may hold that has one of a few values, where the problem is such a field."""
    if not problem.startswith("Invalid"):
        return ""
    for place, names in (
        ("`$.tracks[", TRACKS),
        (".reader.kind`", map(_kind, get_args(Reader))),
        (".preparation.kind`", map(_kind, get_args(Preparation))),
    ):
        if place in problem:
            return f" (allowed: {', '.join(names)})"
    return ""


def _kind(part: type[msgspec.Struct]) -> str:
    return str(part.__struct_config__.tag)


def _package_folder() -> Path:
    from whatworked import data_manifests

    return Path(data_manifests.__path__[0])


def _folders(extra: str) -> Iterator[Path]:
    yield _package_folder()
    yield from _entry_point_folders()
    for name in filter(None, extra.split(os.pathsep)):
        folder = user_path(name)
        if not folder.is_dir():
            raise ManifestError(f"{FOLDERS_VARIABLE} names {name!r}, which is not a folder; correct or unset it")
        yield folder


def _entry_point_folders() -> Iterator[Path]:
    from importlib.metadata import entry_points

    for point in entry_points(group=ENTRY_POINT_GROUP):
        try:
            target = point.load()
            location = target() if callable(target) else target.__path__[0]
            folder = Path(location)
        except Exception as error:
            raise ManifestError(
                f"entry point {point.name!r} ({point.value}) of group {ENTRY_POINT_GROUP} must be a package with TOML "
                f"files or a function returning a folder: {error}"
            ) from error
        yield folder


def _read(path: Path) -> str:
    try:
        return path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        raise ManifestError(f"manifest {path} cannot be read: {error}") from error
