"""Manifests: one TOML file per source, found and decoded strictly.

A manifest says what a source is, where its raw data may come from, what the raw bytes must be, how they are prepared
and what the prepared input must be. `whatworked.catalog.manifest_layout` has the layout.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, Literal, get_args

import msgspec

from whatworked.catalog.manifest_layout import NAME, Manifest, Preparation, Reader
from whatworked.catalog.tracks import OWN, SIX, TRACKS, Track
from whatworked.errors import ManifestError, StorageError, unknown_name
from whatworked.storage.files import read_file, user_path
from whatworked.storage.package_data import package_folder
from whatworked.storage.toml_text import LARGEST, parse_toml

FOLDERS_VARIABLE = "WHATWORKED_MANIFESTS"
ENTRY_POINT_GROUP = "whatworked.manifests"

UNKNOWN_FAMILY = "unknown"
"""Family of a source whose manifest cannot be read as far as that."""


def decode(text: str, path: str = "") -> Manifest:
    """Decode one manifest.

    Raises
    ------
    ManifestError
        If it is not TOML, a key is unknown or missing, a value has the wrong type, or parts contradict each other.
    """
    try:
        manifest = parse_toml(text, Manifest)
    except ValueError as error:
        told = f"{error}{_allowed(str(error))}"
        raise ManifestError(f"manifest {path or '(text)'}: {told}; see docs/sources.md for the fields") from error
    return msgspec.structs.replace(manifest, path=path)


@dataclass(frozen=True)
class Entry:
    """A manifest's place in the catalog: what it says of itself, and whether all of it can be used.

    Attributes
    ----------
    id, family : str
        As the manifest says; the file's name, and `UNKNOWN_FAMILY`, where it cannot be read that far.
    tracks : tuple of str
        As the manifest says; four options where it cannot be read that far.
    path : str
        The file.
    manifest : Manifest or None
        All of it; None where something is wrong.
    problem : str
        What is wrong, what is allowed and what to do; empty where nothing is.
    options : int
        Number of options with the track "own"; 0 otherwise.
    """

    id: str
    family: str
    tracks: tuple[Track | Literal["own"], ...]
    path: str
    manifest: Manifest | None
    problem: str = ""
    options: int = 0


def manifests() -> Mapping[str, Manifest]:
    """All manifests by source id: the package's own, then those of other packages and of `WHATWORKED_MANIFESTS`.

    Raises
    ------
    ManifestError
        If a manifest is wrong, a folder does not exist, or two manifests share an id.
    """
    return MappingProxyType({name: _whole(entry) for name, entry in entries().items()})


def manifest(source: str) -> Manifest:
    """Manifest of one source; other manifests may be wrong.

    Raises
    ------
    UnknownNameError
        If there is none; the message offers the nearest ids.
    ManifestError
        If it is wrong, a folder does not exist, or two manifests share an id.
    """
    return _whole(entry(source))


def entries() -> Mapping[str, Entry]:
    """All manifests by source id as `manifests` has them; one that is wrong does not hide the others.

    Raises
    ------
    ManifestError
        If a folder does not exist, or two manifests share an id.
    """
    return _load(os.environ.get(FOLDERS_VARIABLE, ""))


def entry(source: str) -> Entry:
    """Entry of one source; `UnknownNameError` offers the nearest ids."""
    known = entries()
    if not isinstance(source, str) or source not in known:
        raise unknown_name("source", source, known)
    return known[source]


def is_of_package(manifest: Manifest) -> bool:
    """Whether a manifest comes with this package; anybody else's may still be corrected by whoever reads of it."""
    return Path(manifest.path).parent == _package_folder()


@lru_cache(maxsize=8)
def _load(folders: str) -> Mapping[str, Entry]:
    found: dict[str, Entry] = {}
    for folder in _folders(folders):
        for path in sorted(folder.glob("*.toml")):
            new = _entry(path)
            if new.id in found:
                told = f" ({new.problem})" if new.problem else ""
                raise ManifestError(
                    f"source {new.id!r} is declared twice: {found[new.id].path} and {path}; rename one{told}"
                )
            found[new.id] = new
    return MappingProxyType(found)


def _entry(path: Path) -> Entry:
    text = ""
    try:
        text = _read(path)
        whole = decode(text, str(path))
    except ManifestError as error:
        return _wrong_entry(path, text, str(error))
    return Entry(whole.id, whole.family, whole.tracks, whole.path, whole, options=whole.options)


def _wrong_entry(path: Path, text: str, problem: str) -> Entry:
    """What can be read of a wrong manifest, so that its conditions can be listed and fail by themselves."""
    try:
        said = parse_toml(text, dict[str, Any])
    except ValueError:
        said = {}
    stem = "".join(letter if NAME.fullmatch(letter) else "_" for letter in path.stem.lower()) or "_"
    source = said.get("id")
    if not isinstance(source, str) or not NAME.fullmatch(source) or source.endswith(SIX):
        source = stem.removesuffix(SIX)
    family = said.get("family")
    if not isinstance(family, str) or not family or not family.isprintable():
        family = UNKNOWN_FAMILY
    listed = said.get("tracks")
    tracks = tuple(track for track in TRACKS if isinstance(listed, list) and track in listed) or ("four",)
    return Entry(source, family, tracks[:1] if "paired" not in tracks else tracks[:2], str(path), None, problem)


def _whole(entry: Entry) -> Manifest:
    if entry.manifest is None:
        raise ManifestError(entry.problem)
    return entry.manifest


def _allowed(problem: str) -> str:
    """What a field may hold that has one of a few values, where the problem is such a field."""
    if not problem.startswith("Invalid"):
        return ""
    for place, names in (
        ("`$.tracks[", (*TRACKS, OWN)),
        (".reader.kind`", map(_kind, get_args(Reader))),
        (".preparation.kind`", map(_kind, get_args(Preparation))),
    ):
        if place in problem:
            return f" (allowed: {', '.join(names)})"
    return ""


def _kind(part: type[msgspec.Struct]) -> str:
    return str(part.__struct_config__.tag)


def _package_folder() -> Path:
    folder = package_folder("whatworked.data_manifests")
    if not any(folder.glob("*.toml")):
        raise ManifestError(f"{folder} holds no manifest, though the package's own belong there; install it again")
    return folder


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
        return read_file(path, LARGEST).decode("utf-8")
    except (StorageError, UnicodeDecodeError) as error:
        raise ManifestError(f"manifest {path} cannot be read: {error}") from error
